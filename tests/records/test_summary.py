"""A result is the same to the bit whether it is added up live, in any order, or read back from the store."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.records.toys import make_batch, make_cells, new_run

from mensura.records import tally
from mensura.records.batch import Batch, MeasureRow
from mensura.records.cell import Cell
from mensura.records.results import RunResult, StudyResult
from mensura.records.run import Run
from mensura.records.store import Store
from mensura.records.summary import empty, summarize
from mensura.records.tally import Tally
from mensura.statistics.moments import Moments

NAMES = itertools.count()


def without_seconds(result: StudyResult) -> StudyResult:
    """Sums of seconds depend on the order of commits, to rounding; nothing else does."""

    def timeless(condition: RunResult) -> RunResult:
        return replace(
            condition,
            seconds=0.0,
            subjects=tuple(replace(one, seconds=0.0, cpu=0.0) for one in condition.subjects),
        )

    return replace(result, seconds=0.0, conditions=tuple(map(timeless, result.conditions)))


def seconds(result: StudyResult) -> list[float]:
    return [
        value
        for condition in result.conditions
        for one in condition.subjects
        for value in (one.seconds, one.cpu)
    ]


@st.composite
def commits(draw: st.DrawFn, cells: Sequence[Cell]) -> list[Batch]:
    """All or some sittings of all cells, cut anywhere, in any order."""
    parts: list[Batch] = []
    for cell in cells:
        cuts = sorted(draw(st.sets(st.integers(1, cell.sittings - 1), max_size=6)))
        edges = [0, *cuts, cell.sittings]
        parts += (make_batch(cell, *pair, rich=True) for pair in itertools.pairwise(edges))
    order = draw(st.permutations(parts))
    return list(order[: draw(st.integers(len(order) // 2, len(order)))])


@pytest.mark.thorough
def test_a_live_result_in_any_order_is_that_of_the_store(
    store: Store, monkeypatch: pytest.MonkeyPatch, full_size: bool
) -> None:
    monkeypatch.setattr(tally, "CHUNK", 16)
    cells = make_cells(
        ("a", "b"), 50, conditions=("x", "y"), repetitions=2, training=2, keep_training=5
    )

    @settings(max_examples=25 if full_size else 8)
    @given(batches=commits(cells))
    def holds(batches: list[Batch]) -> None:
        run = store.begin(new_run(f"run-{next(NAMES)}", cells))
        tallies = [Tally(empty(cell)) for cell in cells]
        with store.seize(run) as lease:
            for batch in batches:
                lease.commit([batch])
                tallies[batch.cell].add(batch)
            lease.finish("finished")
        live = summarize(store.find(run.name), cells, tallies)
        stored = store.result(run)
        assert without_seconds(live) == without_seconds(stored)
        assert seconds(live) == pytest.approx(seconds(stored))

    holds()


def test_what_training_measured_is_no_part_of_what_assessed_episodes_did() -> None:
    (cell,) = make_cells(("a",), 8, training=2, keep_training=5)
    batch = make_batch(cell)
    episodes = batch.episodes
    rows = [
        MeasureRow(item, sequence, "solved", 0.0 if learning else 1.0)
        for item, sequence, learning in zip(
            episodes.item.tolist(),
            episodes.sequence.tolist(),
            episodes.learning.tolist(),
            strict=True,
        )
    ]
    one = Tally(empty(cell))
    one.add(replace(batch, measures=tuple(rows)))
    assert one.result().measures["solved"].mean == 1.0
    assert one.result().measures["solved"].count == 8


def facts(cells: Sequence[Cell]) -> Run:
    return Run(
        id=1,
        name="run",
        title="A run",
        status="finished",
        study={"source": "A paper", "notes": "One note.", "title": "A run"},
        study_hash="",
        seed=7,
        command="mensura study run x.yaml",
        commit="abc",
        versions={"mensura": "9.9"},
        machine="A machine",
        started="2026-01-01T00:00:00+00:00",
        ended="2026-01-01T00:01:00+00:00",
        seconds=60.0,
        sittings=sum(cell.sittings for cell in cells),
    )


def test_conditions_and_subjects_stand_in_the_order_of_cells() -> None:
    cells = make_cells(("b", "a"), 20, conditions=("second", "first"), repetitions=3)
    tallies = [Tally(empty(cell)) for cell in cells]
    for cell in cells:
        tallies[cell.number].add(make_batch(cell, rich=True))
    result = summarize(facts(cells), cells, tallies)
    assert [one.title for one in result.conditions] == ["second", "first"]
    assert result.levels == ({"condition": "second"}, {"condition": "first"})
    assert (result.done, result.sittings) == (240, 240)
    assert result.source == "A paper"
    assert result.notes == ("One note.",)
    condition = result.conditions[0]
    assert [one.subject for one in condition.subjects] == ["b", "a"]
    assert condition.world_parameters == cells[0].parameters
    assert condition.assessment == {"name": "battery", "complexity": "2:23"}
    assert (condition.version, condition.machine, condition.seconds) == ("9.9", "A machine", 60.0)


@pytest.mark.parametrize(
    ("seed", "subject", "told"),
    [
        (20261, "my_agent.py:Mine", True),
        (2**32 - 1, "cmd:./agent", True),
        (2**32, "my_agent.py:Mine", False),
        (20261, "q-learning", False),
        (20261, "q-learning?note=a:b", False),
        (20261, "q-learning+my_agent.py:Mine*2", True),
        (20261, "mensura.agents.person:Person", False),
    ],
)
def test_a_seed_that_a_subject_could_guess_is_told(seed: int, subject: str, told: bool) -> None:
    cells = [replace(cell, subject=subject) for cell in make_cells(("a",), 5)]
    result = summarize(replace(facts(cells), seed=seed), cells, [Tally(empty(cells[0]))])
    assert any(f"The seed {seed} is below 2^32" in note for note in result.notes) is told
    assert result.root == cells[0].seed


def test_what_changed_since_is_told_of_a_world_that_has_a_newer_version() -> None:
    cells = [replace(cell, world="lambda-star-v0") for cell in make_cells(("a", "b"), 5)]
    result = summarize(facts(cells), cells, [Tally(empty(cell)) for cell in cells])
    (note,) = result.notes[1:]
    assert note.startswith(
        "Recorded under older rules: lambda-star-v0 is an older version of lambda-star-v2, the present one; what "
        "changed in v1: under the preset authors-2016 Evil is "
    )
    assert [one.world for one in result.conditions] == ["lambda-star-v0"]


def test_repetitions_are_pooled_in_their_order_with_the_score_of_each() -> None:
    cells = make_cells(("a",), 20, repetitions=3)
    tallies = [Tally(empty(cell)) for cell in cells]
    for cell in cells:
        tallies[cell.number].add(make_batch(cell, rich=True))
    one = summarize(facts(cells), cells, tallies).conditions[0].subjects[0]
    parts = [tally.result() for tally in tallies]
    scores = np.concatenate([make_batch(cell).score for cell in cells])
    assert one.repetitions == tuple(part.moments.mean for part in parts)
    assert one.moments == (parts[0].moments + parts[1].moments) + parts[2].moments
    assert one.score.value == pytest.approx(scores.mean())
    assert one.histogram.total == one.by_complexity.total().count == 60
    assert one.faults == sum(part.faults for part in parts)
    assert [str(group) for group in one.fault_groups] == [
        "item 0, seat 0, interaction 0: raised: Ünd\n'raised' at item 0 (and 20 more like it)",
        "item 0, seat 0, interaction 1: late: Ünd\n'late' at item 0 (and 20 more like it)",
    ]
    assert one.measures["tokens"].count == 21


def test_a_single_repetition_has_no_list_of_scores() -> None:
    cells = make_cells(("a",), 5)
    tallies = [Tally(empty(cells[0]))]
    tallies[0].add(make_batch(cells[0]))
    one = summarize(facts(cells), cells, tallies).conditions[0].subjects[0]
    assert one.repetitions == ()
    assert one.summary == "The subject a."


def test_measures_that_only_some_repetitions_have_are_kept() -> None:
    cells = make_cells(("a",), 6, repetitions=2)
    tallies = [Tally(empty(cell)) for cell in cells]
    tallies[0].add(make_batch(cells[0]))
    tallies[1].add(make_batch(cells[1], rich=True))
    one = summarize(facts(cells), cells, tallies).conditions[0].subjects[0]
    assert one.measures["messages"] == Moments().add([0.0, 3 / 7])
