"""Subjects that a world brings along: a table of minds by name, and groups of them in their seats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mensura.agent.in_process import Agents
from mensura.core.group import Kind, Member, Members, Range, make_member, stretches
from mensura.core.players import Subject


@dataclass(frozen=True)
class Mind:
    """A built-in subject of a world.

    ::

        minds = {"guesser": Mind(Guesser, {"caution": (0.1, Range(0, 1))}, rights=frozenset({"sees_lag"}))}
    """

    make: Callable[..., Any]
    """A class of agents, or a function that makes one; its docstring's first line is what lists say of it."""
    parameters: Mapping[str, tuple[float, Range]] = field(default_factory=dict)
    """The parameters that ``make`` takes by name, each with its default and what it may be."""
    rights: frozenset[str] = frozenset()
    """What its seat has to be allowed to see."""


@dataclass(frozen=True)
class Group(Members):
    """A subject of a world's own minds."""

    minds: tuple[Mind, ...]

    def sit(self, seats: int, memory: bytes | None = None) -> Agents:
        """Seat the minds for one sitting."""
        make = partial(self._made, self.seated(seats))
        return Agents(make(), make, memory)

    def _made(self, members: tuple[Member, ...]) -> list[Any]:
        return [self.minds[one.code].make(**dict(one.parameters)) for one in members]


def make_group(
    world: str, minds: Mapping[str, Mind], parts: Sequence[tuple[str, Mapping[str, Any], int]]
) -> Group:
    """A subject of so many members of each part."""
    members = []
    for name, given, count in parts:
        kinds = {
            one: Kind(code, "", {each: default for each, (default, _) in mind.parameters.items()})
            for code, (one, mind) in enumerate(minds.items())
        }
        ranges = (
            {one: each for one, (_, each) in minds[name].parameters.items()}
            if name in minds
            else {}
        )
        members += [make_member(world, kinds, ranges, name, given)] * count
    return Group(tuple(members), tuple(minds.values()))


def rights_wanted(subject: Subject, seats: int) -> Iterator[str]:
    """The rights that the minds of a subject need, as "0:sees_lag"."""
    for part, first, count in stretches(subject, seats):
        if isinstance(part, Group):
            for seat, one in enumerate(part.seated(count), first):
                yield from (f"{seat}:{right}" for right in part.minds[one.code].rights)
