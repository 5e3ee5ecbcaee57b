"""Groups of built-in minds: kinds with parameters, members made of them, and who sits where.

A world lists its kinds and turns a group into seated minds; what all such worlds have in common is here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mensura.agent.errors import MensuraError, neighbors
from mensura.core.mixed import Mixed
from mensura.core.players import Subject


@dataclass(frozen=True)
class Kind:
    """A built-in subject before it has parameters."""

    code: int
    summary: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    shared: bool = False
    """Whether the members of a group learn in one table."""


class Range(NamedTuple):
    """What a parameter may be."""

    low: float
    high: float
    whole: bool = False


@dataclass(frozen=True)
class Member:
    """One mind to be seated."""

    name: str
    code: int
    parameters: tuple[tuple[str, float], ...]
    shared: bool = False

    def rate(self, name: str) -> float:
        """A parameter, 0 where this kind has none of that name."""
        return dict(self.parameters).get(name, 0.0)


def make_member(
    world: str,
    kinds: Mapping[str, Kind],
    ranges: Mapping[str, Range],
    name: str,
    parameters: Mapping[str, Any],
) -> Member:
    """A mind by name; unknown names and parameters and values out of range get a sentence."""
    if name not in kinds:
        raise MensuraError(f"{name!r} is no subject of {world}; {neighbors(name, list(kinds))}")
    kind = kinds[name]
    values = dict(kind.parameters)
    for parameter, given in parameters.items():
        if parameter not in values:
            known = ", ".join(values) or "none"
            raise MensuraError(f"{name} has no parameter {parameter!r}; it has: {known}.")
        low, high, whole = ranges[parameter]
        try:
            value = float(given)
        except (TypeError, ValueError):
            value = float("nan")
        if not low <= value <= high or (whole and value != int(value)):
            what = "a whole number" if whole else "a number"
            raise MensuraError(
                f"{parameter} of {name} is {given!r}; it must be {what} from {low:g} to {high:g}."
            )
        values[parameter] = value
    changed = {k: v for k, v in values.items() if v != kind.parameters[k]}
    label = name + ("?" + "&".join(f"{k}={v:g}" for k, v in changed.items()) if changed else "")
    return Member(label, kind.code, tuple(values.items()), kind.shared)


@dataclass(frozen=True)
class Members:
    """A subject of built-in minds: one mind for every seat, or the listed ones."""

    members: tuple[Member, ...]
    """One member stands for as many as there are seats; several take a seat each."""

    @property
    def name(self) -> str:
        """The members' names, equal neighbors counted: "oracle+local-search*4"."""
        parts: list[list[Any]] = []
        for one in self.members:
            if parts and parts[-1][0] == one.name:
                parts[-1][1] += 1
            else:
                parts.append([one.name, 1])
        return "+".join(name if count == 1 else f"{name}*{count}" for name, count in parts)

    @property
    def training(self) -> int:
        """How many training episodes the group asks for: as many as its slowest learner."""
        return max(int(one.rate("training")) for one in self.members)

    def seated(self, seats: int) -> tuple[Member, ...]:
        """Who sits where."""
        if len(self.members) == 1:
            return self.members * seats
        if len(self.members) != seats:
            raise MensuraError(
                f"{self.name} has {len(self.members)} members and the environment {seats} seats: "
                "make them the same number."
            )
        return self.members

    def seats_of(self, code: int, seats: int) -> tuple[int, ...]:
        """The seats with a mind of this kind."""
        return tuple(j for j, one in enumerate(self.seated(seats)) if one.code == code)


def stretches(subject: Subject, seats: int) -> Iterator[tuple[Subject, int, int]]:
    """The parts of a subject, each with its first seat and the number of its seats.

    Whoever acts through another, its ``guide``, needs what that one needs, so it is the guide who is told.
    """
    first = 0
    for part, count in subject.parts if isinstance(subject, Mixed) else ((subject, seats),):
        yield getattr(part, "guide", part), first, count
        first += count
