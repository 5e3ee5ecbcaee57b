"""The leaderboard: one scale for what can be compared, scores of several runs taken together."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records.toys import make_batch, make_cells, new_run

from mensura.api.standings import Scored, boards
from mensura.assessments.references import references
from mensura.core.abilities import BANK, FIXED, GENERATED, NOT_STATED
from mensura.records.holding import BUILT_IN, IN_PROCESS, OFF, OUTSIDE
from mensura.records.store import open_store
from mensura.statistics.moments import Moments
from mensura.web import readings

pytestmark = pytest.mark.quick

SCORES = st.lists(st.floats(-1, 1), min_size=1, max_size=20)


def scored(scores: list[float], **more: Any) -> Scored:
    given: dict[str, Any] = {
        "run": "run",
        "world": "world",
        "parameters": {"cells": 9},
        "assessment": "battery",
        "given": {"measure": "K", "episodes": 10},
        "subject": "random",
        "training": 0,
        "seed": 1,
        "moments": Moments.of(scores) if scores else Moments(),
        "content": GENERATED,
        "isolation": BUILT_IN,
    }
    return Scored(**{**given, **more})


@given(SCORES, SCORES)
def test_scores_of_several_runs_are_taken_together(one: list[float], two: list[float]) -> None:
    (board,) = boards([scored(one), scored(two, run="other", seed=2)])
    (row,) = board.standings
    together = Moments.of([*one, *two]).estimate().within(-1.0, 1.0)
    assert row.score == pytest.approx(together.value, abs=1e-12)
    assert row.low == pytest.approx(together.low, abs=1e-9)
    assert (row.count, row.runs) == (len(one) + len(two), ("run", "other"))


def test_equal_scores_share_a_place_and_invalid_ones_have_none() -> None:
    (board,) = boards(
        [
            scored([0.1 + 0.2], subject="one", actions=10, defaults=0.0),
            scored([0.3], subject="two", actions=10, defaults=0.0),
            scored([0.2], subject="three"),
            scored([0.9], subject="broken", actions=10, defaults=10.0),
        ]
    )
    assert [(one.place, one.subject, one.default_share) for one in board.standings] == [
        (1, "one", 0.0),
        (1, "two", 0.0),
        (3, "three", None),
        (None, "broken", 1.0),
    ]


def test_a_run_in_which_a_subject_broke_does_not_count_beside_one_in_which_it_did_not() -> None:
    broken = scored([0.9, 0.9], run="broken", seed=2, actions=10, defaults=10.0)
    (board,) = boards([scored([0.1, 0.2], actions=10, defaults=0.0), broken])
    assert (board.standings[0].runs, board.standings[0].count) == (("run",), 2)


def test_the_same_environments_count_once() -> None:
    (board,) = boards([scored([1.0]), scored([1.0, 0.0], run="longer")])
    assert (board.standings[0].count, board.standings[0].runs) == (2, ("longer",))


@pytest.mark.parametrize(
    "other",
    [
        {"world": "another"},
        {"parameters": {"cells": 8}},
        {"assessment": "anytime"},
        {"given": {"measure": "L"}},
    ],
)
def test_what_cannot_be_compared_stands_apart(other: dict[str, Any]) -> None:
    assert len(boards([scored([0.1]), scored([0.2], seed=2, **other)])) == 2


def test_how_much_was_played_sets_nobody_apart() -> None:
    assert len(boards([scored([0.1]), scored([0.2], given={"measure": "K", "episodes": 99})])) == 1


def test_people_stand_among_machines_the_best_first() -> None:
    (board,) = boards(
        [
            scored([0.0, 0.1]),
            scored([0.5, 0.6], subject="people", people=True),
            scored([0.9], subject="oracle"),
            scored([], subject="nobody"),
        ]
    )
    assert [(one.subject, one.kind) for one in board.standings] == [
        ("oracle", "machine"),
        ("people", "people"),
        ("random", "machine"),
    ]
    assert board.standings[0].low is None, "one score tells nothing about its scatter"


def test_people_stand_beside_the_programs_of_the_same_test_though_they_cannot_forget() -> None:
    reference = next(one for one in references() if one.assessment == "exercises")
    same: dict[str, Any] = {
        "world": reference.world,
        "parameters": reference.parameters,
        "assessment": reference.assessment,
    }
    remembering = {**reference.given, "memory": "continuous"}
    people = scored([0.2, 0.4], subject="people", people=True, given=remembering, **same)
    (board,) = boards([people])
    kinds = {one.subject: one.kind for one in board.standings}
    assert kinds == {"people": "people", **dict.fromkeys(reference.scores, "reference")}
    assert board.given["memory"] == "fresh"
    machine = scored([0.1], given=remembering, **same)
    both = boards([people, machine])
    assert {one.given["memory"] for one in both} == {"fresh", "continuous"}
    assert all("people" in {one.kind for one in board.standings} for board in both)
    alone = scored([0.2], subject="people", people=True, given={"memory": "continuous"})
    (board,) = boards([alone])
    assert [one.kind for one in board.standings] == ["people"]


def test_a_program_that_is_called_people_is_a_program() -> None:
    (board,) = boards(
        [scored([0.1], subject="people"), scored([0.4], subject="people", people=True)]
    )
    assert [(one.kind, one.count) for one in board.standings] == [("people", 1), ("machine", 1)]


def test_training_is_told_apart() -> None:
    (board,) = boards([scored([0.1]), scored([0.4], training=100)])
    assert [one.training for one in board.standings] == [100, 0]


def test_reference_subjects_stand_beside() -> None:
    reference = references()[0]
    rng = np.random.default_rng(1)
    (board,) = boards(
        [
            scored(
                rng.uniform(-1, 1, 9).tolist(),
                world=reference.world,
                parameters=reference.parameters,
                assessment=reference.assessment,
                given=reference.given,
                subject="mine",
            )
        ]
    )
    kinds = {one.subject: one.kind for one in board.standings}
    assert kinds == {"mine": "machine", **dict.fromkeys(reference.scores, "reference")}


def test_runs_whose_seed_somebody_chose_are_left_out(tmp_path: Path) -> None:
    where = str(tmp_path / "store.db")
    cells = make_cells(("a",), 5)
    with open_store(where) as store:
        for name, fresh in (("drawn", True), ("chosen", False)):
            run = store.begin(new_run(name, cells, fresh_seed=fresh))
            with store.seize(run) as lease:
                lease.commit([make_batch(cells[0])])
    (board,) = readings.leaderboard(where)
    assert [one["runs"] for one in board["standings"]] == [["drawn"]]


@pytest.mark.parametrize(
    "more",
    [
        {"isolation": IN_PROCESS},
        {"isolation": OFF},
        {"isolation": OUTSIDE},
        {"isolation": f"{BUILT_IN}; {OFF}"},
        {"isolation": "isolation without Landlock, memory counted"},
        {"fresh_seed": False},
        {"content": BANK},
        {"content": FIXED},
        {"content": NOT_STATED},
    ],
    ids=str,
)
def test_who_could_have_known_its_environments_stands_apart_without_a_place(
    more: dict[str, Any],
) -> None:
    cheat = scored([0.99, 1.0], subject="cheat", seed=2, **more)
    ranked, apart = boards([scored([0.1, 0.2]), cheat])
    assert [(one.place, one.subject) for one in ranked.standings] == [(1, "random")]
    assert ranked.is_ranked
    assert ranked.marks == ()
    assert [(one.place, one.subject) for one in apart.standings] == [(None, "cheat")]
    assert not apart.is_ranked
    assert apart.marks


def test_people_are_not_held_and_have_places() -> None:
    (board,) = boards([scored([0.1, 0.2], people=True, isolation="people")])
    assert [one.place for one in board.standings] == [1]


@given(
    st.sampled_from([GENERATED, BANK, FIXED, NOT_STATED]),
    st.sampled_from([BUILT_IN, IN_PROCESS, OFF, OUTSIDE, "full isolation, memory counted", ""]),
    st.booleans(),
)
def test_a_place_is_only_for_who_could_not_know_its_environments(
    content: str, isolation: str, fresh_seed: bool
) -> None:
    more = {"content": content, "isolation": isolation, "fresh_seed": fresh_seed}
    (board,) = boards([scored([0.1, 0.2], **more)])
    whole = isolation in (BUILT_IN, "full isolation, memory counted")
    assert board.is_ranked == (content == GENERATED and whole and fresh_seed)
    assert board.is_ranked == (board.standings[0].place == 1) == (not board.marks)


def test_the_dashboard_lists_a_run_in_process_apart(tmp_path: Path) -> None:
    where = str(tmp_path / "runs.db")
    cells = [
        replace(cell, content=GENERATED, isolation=held)
        for cell, held in zip(
            make_cells(("random", "cheat.py:Cheat"), 5), (BUILT_IN, IN_PROCESS), strict=True
        )
    ]
    with open_store(where) as store:
        run = store.begin(new_run("both", cells, fresh_seed=True))
        with store.seize(run) as lease:
            lease.commit([make_batch(cell) for cell in cells])
    ranked, apart = readings.leaderboard(where)
    assert [(one["place"], one["subject"]) for one in ranked["standings"]] == [(1, "random")]
    (row,) = apart["standings"]
    assert (row["place"], row["subject"], row["isolation"]) == (None, "cheat.py:Cheat", IN_PROCESS)
    assert "not fully isolated" in apart["marks"][0]
