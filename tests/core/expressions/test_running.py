"""Expressions of a world that is not ours, as bytecode, run by the compiled interpreter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from mensura.core.compiled import door
from mensura.core.expressions.bytecode import KEEP_NOT_NEGATIVE, Operand, Writer
from mensura.core.expressions.kernel import BY_ZERO, NEGATIVE, NOT_FINITE, Layout, interpreter
from mensura.core.expressions.language import OF_CHANCE, OF_TIME, Language

pytestmark = [pytest.mark.bounds, pytest.mark.pure, pytest.mark.thorough]

LANGUAGE = Language({**OF_TIME, **OF_CHANCE}, {"frost": -4.0})
START, ERROR, ERROR_AT, STEPS, DT, KEY = 0, 0, 1, 2, 3, 4
NAMES = {"water": 5, "day": 6, "gate.open": 7}
CONSTANTS, TEMPORARIES, SIZE = 8, 40, 60

run = interpreter(Layout(START, ERROR, STEPS, DT, KEY))


@door
def run_door(program, row, last):  # type: ignore[no-untyped-def]
    """Run all instructions."""
    return run(program, row, 0, last)


def after(
    *sources: str, guard: int | None = None, steps: float = 0.0, **values: float
) -> Mapping[str, Any]:
    """What the names stand for after these assignments, and what went wrong."""
    writer = Writer(LANGUAGE, NAMES.__getitem__)
    for source in sources:
        writer.begin()
        writer.assignment(LANGUAGE.parse_assignment(source), guard)
    row = np.zeros(SIZE)
    row[[STEPS, DT]] = steps, 0.5
    row[KEY : KEY + 1].view(np.uint64)[0] = 7
    for name, value in values.items():
        row[NAMES[name.replace("_", ".")]] = value
    for value, number in writer.constants.items():
        row[CONSTANTS + number] = value
    first = {"attribute": 0, "constant": CONSTANTS, "temporary": TEMPORARIES, "number": 0}

    def place(operand: Operand) -> int:
        return first[operand.kind] + operand.number

    code = [
        (one.operation, place(one.result), place(one.first), place(one.second))
        for one in writer.instructions
    ]
    program = np.array([1, *np.ravel(code)], dtype=np.int64)
    fine = run_door(program, row, len(code))
    assert fine == (row[ERROR] == 0)
    assert writer.temporaries <= SIZE - TEMPORARIES
    return {
        **{name: float(row[at]) for name, at in NAMES.items()},
        "error": int(row[ERROR]),
        "at": int(row[ERROR_AT]),
    }


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("water <- 2 * day ^ 2 - frost", 2 * 3.0**2 + 4),
        ("water <- day % 2 + -day / 4", 1 - 0.75),
        ("water <- 1 if day > 2 and not gate.open else 1 / 0", 1.0),
        ("water <- clip(day, 4, 5) + max(1, 2, day) + round(2.5)", 4.0 + 3 + 2),
        ("water <- hypot(day, 4) + sign(-day) + floor(1.5) + abs(-1)", 5.0 - 1 + 1 + 1),
        ("water <- sin(day) + atan2(1, day) + sqrt(day)", math.sin(3) + math.atan2(1, 3) + 3**0.5),
        ("water <- phase(2) + (1 if pulse(2, 0.5) or every(3) else 0)", 0.25 + 1),
        ("water <- 9 when gate.open", 0.0),
    ],
)
def test_expressions_are_worked_out(source: str, expected: float) -> None:
    assert after(source, day=3.0, steps=5.0)["water"] == pytest.approx(expected, rel=1e-15)


def test_one_assignment_after_another() -> None:
    assert after("day <- 4", "water <- day + 1", "day <- water * water")["day"] == 25.0


def test_what_goes_wrong_is_told_with_its_instruction() -> None:
    wrong = after("day <- 1", "water <- 2 + 1 / water")
    assert (wrong["error"], wrong["at"], wrong["day"]) == (BY_ZERO, 1, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):  # where it is not compiled
        assert after("water <- exp(day)", day=1000.0)["error"] == NOT_FINITE
    assert after("water <- day", guard=KEEP_NOT_NEGATIVE, day=-1.0)["error"] == NEGATIVE
    assert after("water <- day", guard=KEEP_NOT_NEGATIVE, day=1.0)["water"] == 1.0


def test_chance_depends_on_the_step_and_the_place() -> None:
    first, second = (after("water <- noise(2, 3)", steps=step)["water"] for step in (0.0, 1.0))
    assert 2 <= first < 3
    assert first != second
    both = after("water <- noise(2, 3)", "day <- noise(2, 3)")
    assert both["water"] == first != both["day"]
