"""Reflexes: conditions on states and senses, and what is done while they hold (section 3.3 of the paper)."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from mensura.worlds.pagi.contract import Room
from mensura.worlds.pagi.protocol.commands import Command, check_name
from mensura.worlds.pagi.protocol.limits import MOST_CONDITIONS
from mensura.worlds.pagi.protocol.sensors import aspect
from mensura.worlds.pagi.protocol.values import Expression, Value, WrongCommand, now, term

NEAR = 0.01
"""Numbers that are so near to each other are equal."""

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

    def holds(self, states: Set[str], room: Room, seat: int) -> bool:
        """Whether it fires now."""
        for test in self._tests:  # noqa: SIM110 - asked at every physics step; a generator takes longer
            if not test(states, room, seat):
                return False
        return True

    @cached_property
    def _tests(self) -> tuple[Test, ...]:
        """Its conditions as functions: they are asked at every physics step."""
        return tuple(map(_test, self.conditions))


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

    if isinstance(right, Expression) or not isinstance(left, Expression):
        return holds
    sense = aspect(left.source)
    if sense is not None:  # what is sensed is a number at any time
        return lambda states, room, seat: compare(sense(room, seat), right)
    read = left.value

    def holds_of_sense(states: Set[str], room: Room, seat: int) -> bool:
        try:
            return compare(read(room, seat), right)
        except WrongCommand:
            return False

    return holds_of_sense


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
