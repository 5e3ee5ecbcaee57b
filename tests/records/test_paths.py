"""The steps of sittings: the first ones, the same however they came, with the score after each."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.records.test_summary import without_seconds
from tests.records.toys import make_batch, make_cells, make_chains, new_run

from mensura.core.steps import ERROR, RUNNING, STEPS
from mensura.records import paths
from mensura.records.batch import MeasureRow
from mensura.records.paths import paths_of
from mensura.records.results import SubjectResult
from mensura.records.store import Store
from mensura.records.summary import empty, pooled, summarize
from mensura.records.tally import Tally

CELL = make_cells(("a",), 40)[0]


def told(order: list[tuple[int, int]]) -> SubjectResult:
    tally = Tally(empty(CELL))
    for start, stop in order:
        tally.add(make_chains(CELL, start, stop))
    return tally.result()


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_the_paths_do_not_depend_on_the_order_in_which_sittings_came(data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, 39), max_size=8)))
    parts = data.draw(st.permutations(list(itertools.pairwise([0, *cuts, 40]))))
    assert told(parts).paths == told([(0, 40)]).paths


def test_the_first_sittings_in_several_environments_have_paths() -> None:
    found = told([(0, 40)])
    assert [path.item for path in found.paths] == [1, 2, 3, 4, 6, 7, 8, 9, 11, 12]
    batch = make_chains(CELL)
    for path in found.paths:
        rewards = batch.episodes.reward[batch.episodes.item == path.item]
        assert path.length == len(path.steps) == len(rewards)
        for i, step in enumerate(path.steps):
            assert step.reward == rewards[i]
            assert step.score == pytest.approx(rewards[: i + 1].mean())
            assert step.elsewhere == bool(i % 2)
            assert (step.wanted, step.slot, step.interactions) == (1.0 + i, 10.0, 10)
            assert step.complexity == (None if path.item % 7 == 6 else 1.0 + i)
        assert path.steps[-1].score == batch.score[path.item]


def test_where_episodes_stand_is_not_averaged_and_the_rest_is() -> None:
    found = told([(0, 40)])
    assert not STEPS & set(found.measures)
    assert found.measures["tokens"].count == sum(1 + item % 5 for item in range(40))


def test_rewards_stand_with_the_complexity_of_their_own_environment() -> None:
    """A sitting in several environments tells nothing by the complexity of its last one."""
    found, batch = told([(0, 40)]), make_chains(CELL)
    assert found.moments.count == 40
    for level in range(1, 6):
        own = batch.episodes.reward[batch.episodes.complexity == level]
        if level == 1:  # who was in one environment only got its score there
            assert found.by_complexity.groups[level].count == len(own)
        assert found.by_complexity.groups[level].mean == pytest.approx(own.mean())


def test_long_paths_are_cut_and_say_how_long_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "LENGTH", 3)
    (path,) = (one for one in told([(0, 40)]).paths if one.item == 4)
    assert (len(path.steps), path.length) == (3, 5)
    whole = paths_of(make_chains(CELL, 4, 5))
    assert whole[0].steps[2].score == path.steps[2].score


def test_the_error_at_the_end_is_that_of_the_sitting() -> None:
    batch = make_chains(CELL, 1, 2)
    known = replace(batch, measures=(*batch.measures, MeasureRow(1, 1, ERROR, 0.05)))
    (path,) = paths_of(known)
    assert [step.error for step in path.steps] == [None, 0.05]


def test_sittings_in_one_environment_have_no_path() -> None:
    tally = Tally(empty(CELL))
    tally.add(make_batch(CELL, rich=True))
    assert tally.result().paths == ()
    lonely = make_batch(CELL)
    running = tuple(MeasureRow(item, 0, RUNNING, 0.0) for item in range(40))
    assert paths_of(replace(lonely, measures=running)) == []


def test_repetitions_give_the_first_paths_of_each_in_their_order() -> None:
    few, many = told([(0, 5)]), told([(0, 40)])
    assert pooled([few, many]).paths == (*few.paths, *many.paths)[: paths.SITTINGS]


def test_a_run_that_is_read_back_has_the_paths_of_the_live_one(store: Store) -> None:
    cells = make_cells(("a", "b"), 30, repetitions=2)
    run = store.begin(new_run("chains", cells))
    tallies = [Tally(empty(cell)) for cell in cells]
    with store.seize(run) as lease:
        for cell in cells:
            for start, stop in ((20, 30), (0, 7), (7, 20)):
                batch = make_chains(cell, start, stop)
                lease.commit([batch])
                tallies[cell.number].add(batch)
        lease.finish("finished")
    stored = store.result(run)
    live = summarize(store.find(run.name), cells, tallies)
    assert without_seconds(stored) == without_seconds(live)
    first = stored.conditions[0].subjects[0]
    assert len(first.paths) == paths.SITTINGS
    assert np.isfinite(first.moments.mean)
