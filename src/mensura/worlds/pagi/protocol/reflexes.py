"""Reflexes: conditions on states and senses, and what is done while they hold (section 3.3 of the paper)."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from mensura.worlds.pagi.contract import Room
from mensura.worlds.pagi.kernels.reflexes import NEAR, SIGNS, hold
from mensura.worlds.pagi.protocol.commands import Command, check_name
from mensura.worlds.pagi.protocol.limits import MOST_CONDITIONS
from mensura.worlds.pagi.protocol.sensors import aspect_number
from mensura.worlds.pagi.protocol.values import Expression, Value, WrongCommand, now, term

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda one, other: one < other,
    ">": lambda one, other: one > other,
    "=": lambda one, other: abs(one - other) <= NEAR,
    "!": lambda one, other: abs(one - other) > NEAR,
    "{": lambda one, other: one <= other,
    "}": lambda one, other: one >= other,
}


@dataclass(frozen=True)
class InState:
    """Holds in a state, or outside of it."""

    state: str
    inside: bool


@dataclass(frozen=True)
class Comparison:
    """Holds while a comparison of senses does; where a side has no value it does not hold."""

    left: Value
    sign: str
    right: Value


Condition: TypeAlias = InState | Comparison
Test: TypeAlias = Callable[[Set[str], Room, int], bool]


@dataclass(frozen=True)
class Reflex:
    """What fires: at every physics step while all conditions hold."""

    name: str
    sources: tuple[str, ...]
    conditions: tuple[Condition, ...]
    actions: tuple[Command, ...]

    @cached_property
    def rows(self) -> tuple[tuple[int, int, float], ...]:
        """Its comparisons of one aspect of touch or pose with a number: aspect, sign, number."""
        return tuple(row for row in map(_row, self.conditions) if row is not None)

    @cached_property
    def tests(self) -> tuple[Test, ...]:
        """Its other conditions."""
        return tuple(_test(one) for one in self.conditions if _row(one) is None)


class Watch:
    """Some reflexes, and which of them fire.

    They are asked at every physics step. So what a seat feels is read once, and one kernel looks at all comparisons
    with it; whatever else a reflex asks for is looked at only where these hold.
    """

    def __init__(self, reflexes: Sequence[Reflex]) -> None:
        self._reflexes = tuple(reflexes)
        rows = [(k, *row) for k, one in enumerate(self._reflexes) for row in one.rows]
        self._comparisons = np.array(rows, np.float64).reshape(len(rows), 4)
        self._holding = np.ones(len(self._reflexes), np.bool_)
        self._feels = bool(rows)

    def firing(self, states: Set[str], room: Room, seat: int) -> list[Reflex]:
        """The reflexes all of whose conditions hold now, in the order of creation."""
        if self._feels and not hold(room.aspects(seat), self._comparisons, self._holding):
            return []
        return [
            one
            for one, holds in zip(self._reflexes, self._holding.tolist(), strict=True)
            if holds and all(test(states, room, seat) for test in one.tests)
        ]


def _row(one: Condition) -> tuple[int, int, float] | None:
    if not isinstance(one, Comparison) or not isinstance(one.left, Expression):
        return None
    if isinstance(one.right, Expression):
        return None
    number = aspect_number(one.left.source)
    return None if number is None else (number, SIGNS.index(one.sign), one.right)


def _test(one: Condition) -> Test:
    if isinstance(one, InState):
        state, inside = one.state, one.inside
        return lambda states, room, seat: (state in states) is inside
    compare, left, right = _COMPARISONS[one.sign], one.left, one.right

    def holds(states: Set[str], room: Room, seat: int) -> bool:
        try:
            return compare(now(left, room, seat), now(right, room, seat))
        except WrongCommand:
            return False

    return holds


def reflex(name: str, sources: Sequence[str], actions: Sequence[Command]) -> Reflex:
    """A reflex with the conditions that are written; WrongCommand where one is none."""
    if not sources:
        raise WrongCommand("a reflex needs at least one condition.")
    if len(sources) > MOST_CONDITIONS:
        raise WrongCommand(
            f"it has {len(sources)} conditions; at most {MOST_CONDITIONS} are allowed."
        )
    conditions = tuple(condition(one) for one in sources)
    return Reflex(name, tuple(sources), conditions, tuple(actions))


def condition(source: str) -> Condition:
    """``state``, ``-state`` or ``aspect|sign|value``; WrongCommand where it is none of these."""
    parts = source.split("|")
    if len(parts) == 1:
        state = source.strip()
        return InState(check_name(state.removeprefix("-")), not state.startswith("-"))
    if len(parts) != 3:
        raise WrongCommand(
            f"the condition {source!r:.60} has {len(parts)} parts; it must have one; as state or -state; "
            "or three; as Sx|>|2."
        )
    left, sign, right = parts
    if sign.strip() not in _COMPARISONS:
        raise WrongCommand(
            f"the condition {source!r:.60} compares by {sign!r:.10}; < > = ! {{ and }} are right."
        )
    return Comparison(term(left), sign.strip(), term(right))
