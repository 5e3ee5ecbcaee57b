"""Transfer among tasks: the laws that hold to the bit, what is trained, and that draws decide everything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.api.making import make
from mensura.statistics.transfer_table import TransferTable
from mensura.studies.looks import Look
from mensura.studies.phases import Phase, TrainingTask, path_of
from mensura.studies.training_tree import effort
from mensura.studies.transfer import TransferStudy, run_transfer

WORLD = make("lambda", cells=4, actions=2, horizon=20)
X, Y = (TrainingTask(name, WORLD, seed) for name, seed in (("x", 1), ("y", 2)))
STUDY = TransferStudy("q-learning", (X, Y), 100, "all", ((0, 1),), learners=3, episodes=3)


@pytest.fixture(scope="module")
def table() -> TransferTable:
    """Everything that is measured, by three threads."""
    return run_transfer(STUDY, 1, threads=3).table


def test_the_same_seed_gives_the_same_table_to_the_bit_whatever_the_threads(
    table: TransferTable,
) -> None:
    told: list[tuple[int, int]] = []
    one = run_transfer(STUDY, 1, threads=1, tell=lambda *given: told.append(given)).table
    assert told[-1][0] == told[-1][1] == len(told), "progress ends with all tests done"
    two = table
    assert one.to_json().keys() == two.to_json().keys()
    for name, value in one.to_json().items():
        if isinstance(value, list):
            assert np.array_equal(value, two.to_json()[name], equal_nan=True), name
    other = run_transfer(replace(STUDY, measures="raw"), 2).table
    assert not np.array_equal(one.raw, other.raw)


def test_learners_have_draws_of_their_own_and_share_nothing(table: TransferTable) -> None:
    raw = table.raw
    assert len({tuple(row.ravel()) for row in raw}) == 3
    fewer = run_transfer(replace(STUDY, learners=1), 1).table.raw
    assert np.array_equal(raw[:1], fewer)


def test_what_else_is_measured_changes_no_number(table: TransferTable) -> None:
    everything = table
    matrix = run_transfer(replace(STUDY, measures="raw"), 1).table
    assert np.array_equal(everything.raw, matrix.raw)
    assert np.array_equal(everything.curves, matrix.curves)
    assert np.isnan(matrix.after).all()


def test_curves_end_and_continue_where_the_matrix_says(table: TransferTable) -> None:
    for task in (0, 1):
        assert np.array_equal(table.curves[:, task, -1], table.raw[:, task, task])
        assert np.array_equal(table.curves[:, task, 0], table.newborn[:, task])
    assert np.array_equal(table.after[:, 0, 1, 0], table.raw[:, 0, 1])


def test_from_a_task_to_itself_nothing_is_lost_and_nothing_regretted() -> None:
    twin = replace(X, name="twin")
    pair = run_transfer(replace(STUDY, tasks=(X, twin)), 1).table.pair(0, 1)
    for name in ("loss", "regret", "split, 25% in X", "split, 50% in X", "split, 75% in X"):
        found = pair.measures[name]
        assert found is not None
        assert (found.low, found.high) == (0.0, 0.0), name
    assert pair.measures["forgetting"] == pair.measures["forgetting, control"]


def test_whoever_does_not_learn_transfers_and_forgets_nothing() -> None:
    pair = run_transfer(replace(STUDY, subject="random"), 1).table.pair(0, 1)
    for name in ("jump-start", "gain", "forgetting", "forgetting, control", "parallel"):
        found = pair.measures[name]
        assert found is not None
        assert (found.low, found.high) == (0.0, 0.0), name


def test_a_matrix_trains_each_task_once_for_each_learner() -> None:
    tasks = tuple(TrainingTask(str(seed), WORLD, seed) for seed in range(5))
    study = TransferStudy("q-learning", tasks, 50, learners=2, episodes=2)
    assert run_transfer(study, 1).count.trainings == 5 * 2
    pairs = run_transfer(replace(study, measures="pairs"), 1).count
    assert pairs.trainings == (5 + 5 * 4) * 2


def test_an_error_of_one_learner_ends_all() -> None:
    calls = []

    def fail(done: int, total: int) -> None:
        calls.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_transfer(STUDY, 1, threads=3, tell=fail)
    assert len(calls) <= 3


def test_single_environments_of_one_world_have_distances() -> None:
    tasks = tuple(TrainingTask(str(seed), WORLD, seed) for seed in range(3))
    study = TransferStudy("random", tasks, 5, learners=1, episodes=1)
    apart = run_transfer(study, 1).table.apart
    assert np.isfinite(apart).all()
    assert apart.any()
    drawn = replace(study, tasks=(*tasks, TrainingTask("drawn", WORLD)))
    assert np.isnan(run_transfer(drawn, 1).table.apart).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"tasks": (X,)}, "a family has at least 2 tasks"),
        ({"tasks": (X, replace(Y, name="x"))}, "Two tasks are called x"),
        ({"interactions": 0}, "0 interactions are too few"),
        ({"learners": 0}, "0 learners are too few"),
        ({"measures": "some"}, "'some' is nothing that can be measured; raw, pairs, all are."),
    ],
)
def test_what_makes_no_study_is_refused_in_a_sentence(change: object, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        replace(STUDY, **change)  # type: ignore[arg-type]


def test_the_best_share_of_a_budget_is_one_of_those_that_were_tried(table: TransferTable) -> None:
    best = table.pair(0, 1).best_share
    values = {0.0: 0.0, 1.0: float((table.raw[:, 0, 1] - table.raw[:, 1, 1]).mean())}
    for i, share in enumerate(table.shares):
        values[share] = float((table.splits[:, 0, 1, i] - table.raw[:, 1, 1]).mean())
    assert best is not None
    assert values[best] == pytest.approx(max(values.values()))
    assert run_transfer(replace(STUDY, measures="pairs"), 1).table.pair(0, 1).best_share is None


@given(st.integers(0, 200), st.integers(0, 200), st.booleans())
def test_phases_of_a_task_add_up_and_none_is_none(first: int, second: int, learning: bool) -> None:
    """So that a gain by 0 interactions is 0, B(0) is 0, and X = Y gives a loss and a regret of 0, to the bit."""
    twice = path_of([Phase(X, first, learning), Phase(X, second, learning)])
    assert twice == path_of([Phase(X, first + second, learning)])
    assert path_of([Phase(X, 0), Phase(Y, second)]) == path_of([Phase(Y, second)])
    assert sum(one.end - one.begin for one in twice) == first + second


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.tuples(st.booleans(), st.integers(1, 60)), max_size=4), min_size=1))
def test_shared_beginnings_never_take_more_and_every_stop_is_reached_once(
    ways: list[list[tuple[bool, int]]],
) -> None:
    looks = [
        Look(path_of([Phase(X if x else Y, long) for x, long in way]), frozenset([X.identity]))
        for way in ways
    ]
    took = effort(looks)
    assert took.shared.interactions <= took.alone.interactions
    segments = {look.path[: i + 1] for look in looks for i in range(len(look.path))}
    assert took.shared.interactions == sum(path[-1].end - path[-1].begin for path in segments)
