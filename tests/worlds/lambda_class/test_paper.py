"""The worked programs of Insa-Cabrera (2011) do what the text says they do."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.worlds.lambda_class.markov import Program, space_of_program
from mensura.worlds.lambda_class.paper import (
    ACTIONS,
    BINARY_TO_UNARY,
    CORRIDOR,
    GOOD_AND_EVIL,
    RUNAWAY,
)
from mensura.worlds.lambda_class.rules import Word
from mensura.worlds.lambda_class.space import grid

pytestmark = pytest.mark.quick

# Binary to unary, section 2.1.6 -------------------------------------------------


def test_101_becomes_five_strokes_by_the_printed_rules() -> None:
    trace = [(step.rule, "".join(step.symbols)) for step in BINARY_TO_UNARY.trace("101")]
    assert trace == [
        (2, "0|01"),
        (1, "00||1"),
        (2, "00||0|"),
        (1, "00|0|||"),
        (1, "000|||||"),
        (3, "00|||||"),
        (3, "0|||||"),
        (3, "|||||"),
    ]


@given(st.integers(0, 60))
def test_every_binary_number_becomes_as_many_strokes(number: int) -> None:
    outcome = BINARY_TO_UNARY.run(f"{number:b}")
    assert outcome.halted
    assert outcome.symbols == ("|",) * number


# The space of figure 3.3 --------------------------------------------------------


def test_the_corridor_is_written_by_the_printed_sequence_of_rules() -> None:
    assert [step.rule for step in CORRIDOR.trace()] == [4, 1, 2, 2, 2, 2, 3]
    assert str(CORRIDOR.run()) == "lr+:l-r+:l-r+:l-r+:l-r+:l-r"


def test_the_corridor_is_a_row_of_six_cells() -> None:
    assert space_of_program(CORRIDOR, ACTIONS) == grid(6)


# The objects of figure 3.3 ------------------------------------------------------


def observation(at: int, **who: int) -> str:
    """Section 3.6.4, for an object on cell `at` of the corridor; cells count from 1."""
    cells = []
    for cell in range(1, 7):
        symbols = [
            symbol
            for name, symbol in (("subject", "π"), ("good", "⊙"), ("evil", "⊙"), ("runaway", "ω_1"))
            if who.get(name) == cell
        ]
        ways = {"S": at, "L": max(1, at - 1), "R": min(6, at + 1)}
        symbols += [action for action, target in ways.items() if target == cell]
        cells.append("".join(symbols))
    return ":".join(cells)


@dataclass
class Player:
    """An object in the corridor, with its program and its memory."""

    program: Program
    cell: int
    memory: Word = field(default=())

    def act(self, **who: int) -> str:
        outcome = self.program.run(observation(self.cell, **who), self.memory)
        assert outcome.ended == "terminated"
        self.memory = outcome.memory
        action = outcome.moves(ACTIONS)[-1]
        self.cell = min(6, max(1, self.cell + (0, -1, 1)[action]))
        return ACTIONS[action]


def test_an_observation_is_written_as_in_the_theory() -> None:
    who = {"subject": 1, "good": 3, "evil": 2, "runaway": 3}
    assert observation(1, **who) == "πSL:⊙R:⊙ω_1:::"
    assert observation(3, **who) == "π:⊙L:⊙ω_1S:R::"


def test_good_goes_three_cells_left_and_three_cells_right_again_and_again() -> None:
    good = Player(GOOD_AND_EVIL, 5)
    cells, actions = [], []
    for _ in range(18):
        actions.append(good.act(subject=1, good=good.cell, evil=1, runaway=6))
        cells.append(good.cell)
    # The runaway on cell 6 never lies on its way.
    assert "".join(actions) == "lllrrr" * 3
    assert cells == [4, 3, 2, 3, 4, 5] * 3


def test_good_stays_rather_than_enter_the_cell_of_the_runaway() -> None:
    good = Player(GOOD_AND_EVIL, 4)
    actions = [good.act(subject=6, good=good.cell, evil=1, runaway=2) for _ in range(12)]
    # Left once, then the runaway is in the way twice; three cells right lead to the wall, whence it has room.
    assert "".join(actions) == "lssrrr" + "lllrrr"


def rightmost(program: Program) -> Program:
    return Program(program.rules, program.alphabet, "rightmost")


@pytest.mark.parametrize(
    ("rewarder", "object_"),
    [(GOOD_AND_EVIL, RUNAWAY), (rightmost(GOOD_AND_EVIL), rightmost(RUNAWAY))],
    ids=["leftmost", "rightmost"],
)
def test_the_ideal_situation_of_figure_3_4_lasts(rewarder: Program, object_: Program) -> None:
    """Evil is shut in on the first cell by the runaway; Good has all the room that it needs."""
    good, evil = Player(rewarder, 6), Player(rewarder, 1)
    runaway = Player(object_, 2)
    visited = []
    for _ in range(36):
        who = {"good": good.cell, "evil": evil.cell, "runaway": runaway.cell, "subject": 6}
        for player in (good, evil, runaway):
            player.act(**who)
        assert (evil.cell, runaway.cell) == (1, 2)
        visited.append(good.cell)
    assert visited == [5, 4, 3, 4, 5, 6] * 6


@given(
    st.permutations(range(1, 7)),
    st.integers(1, 6),
    st.sampled_from(["", "HIIIDDD", "E_IHIDDD", "E_DHDD", "HD"]),
    st.sampled_from(["", "L", "R"]),
)
def test_the_printed_programs_do_the_same_with_either_match(
    cells: list[int], subject: int, pattern: str, seen: str
) -> None:
    """An optional part is tried as present first, so that it is never left behind."""
    who = {"good": cells[0], "evil": cells[1], "runaway": cells[2], "subject": subject}
    for program, cell, memory in (
        (GOOD_AND_EVIL, cells[0], pattern),
        (GOOD_AND_EVIL, cells[1], pattern),
        (RUNAWAY, cells[2], seen),
    ):
        left = program.run(observation(cell, **who), memory)
        right = rightmost(program).run(observation(cell, **who), memory)
        assert (left.moves(ACTIONS), left.memory) == (right.moves(ACTIONS), right.memory)


def test_the_runaway_stays_while_the_subject_is_elsewhere() -> None:
    runaway = Player(RUNAWAY, 3)
    for subject in (1, 2, 4, 5, 6):
        assert runaway.act(subject=subject, good=5, evil=6, runaway=3) == "s"
    assert runaway.cell == 3


@pytest.mark.parametrize(("comes_from", "leaves"), [(2, "r"), (4, "l")])
@pytest.mark.parametrize("good", [3, 6])
def test_the_runaway_leaves_on_the_side_from_which_the_subject_did_not_come(
    comes_from: int, leaves: str, good: int
) -> None:
    runaway = Player(RUNAWAY, 3)
    assert runaway.act(subject=comes_from, good=good, evil=1, runaway=3) == "s"
    assert runaway.act(subject=3, good=good, evil=1, runaway=3) == leaves


@pytest.mark.parametrize(("cell", "comes_from", "leaves"), [(1, 2, "r"), (6, 5, "l")])
def test_at_a_wall_the_runaway_takes_the_only_way_out(
    cell: int, comes_from: int, leaves: str
) -> None:
    runaway = Player(RUNAWAY, cell)
    assert runaway.act(subject=comes_from, good=3, evil=4, runaway=cell) == "s"
    assert runaway.act(subject=cell, good=3, evil=4, runaway=cell) == leaves


def test_a_runaway_that_never_saw_the_subject_come_has_nothing_to_recall_and_stays() -> None:
    assert Player(RUNAWAY, 3).act(subject=3, good=5, evil=6, runaway=3) == "s"
