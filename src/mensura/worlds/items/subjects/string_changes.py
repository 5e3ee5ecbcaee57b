"""What was changed in a string of letters, described by roles, so that the same can be done to another string.

A string is looked at as letters or as groups of equal neighbors. A description says whether the order was turned
around first, and what happened to which units: they went some letters up or down the alphabet, grew, were dropped, or
changed places. A unit is told by its place from the left or from the right, or it is every unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby, product
from typing import NamedTuple, TypeAlias

Letters: TypeAlias = tuple[int, ...]
Units: TypeAlias = tuple[Letters, ...]
Role: TypeAlias = tuple[str, int]
"""From the left or the right, and how far from there; every unit."""
Step: TypeAlias = tuple[str, int, tuple[Role, ...]]
"""What was done, how much of it, and to which units."""

EVERY: Role = ("every", 0)
LEVELS = ("letter", "group")
MOST_CHANGED = 2
"""Descriptions have so many units at most, or every one."""


class Description(NamedTuple):
    """A way to see what was changed."""

    level: str
    turned: bool
    """Whether the units were put in the opposite order first."""
    steps: tuple[Step, ...]

    @property
    def cost(self) -> float:
        """How far-fetched it is: each unit counts, more so far from its end or by far, groups and turning a little."""
        roles = [role for _, _, some in self.steps for role in some]
        leaps = sum(abs(amount) - 1 for what, amount, _ in self.steps if what == "shift")
        units = sum(1.0 + 0.5 * away for _, away in roles)
        return self.turned + 0.5 * (self.level == "group") + units + 0.25 * leaps


def units_of(letters: Letters, level: str) -> Units:
    """The letters of a string, or its groups of equal neighbors."""
    if level == "group":
        return tuple(tuple(run) for _, run in groupby(letters))
    return tuple((one,) for one in letters)


def descriptions(before: Letters, after: Letters) -> list[Description]:
    """All descriptions of what turns one string into another, the least far-fetched first."""
    found = []
    for level, turned in product(LEVELS, (False, True)):
        old, new = units_of(before, level), units_of(after, level)
        if turned:
            old = old[::-1]
        found += [Description(level, turned, steps) for steps in _steps(old, new)]
    return sorted(found, key=lambda one: one.cost)


def applied(description: Description, letters: Letters) -> Letters | None:
    """A string with the same change; None where it cannot be made."""
    units: list[Letters] = list(units_of(letters, description.level))
    if description.turned:
        units.reverse()
    gone: set[int] = set()
    for what, amount, roles in description.steps:
        places = [place for role in roles for place in _places(role, len(units))]
        if not places or not all(0 <= place < len(units) for place in places):
            return None
        if what == "swap":
            first, second = places
            units[first], units[second] = units[second], units[first]
        for place in places:
            if what == "shift":
                units[place] = tuple(one + amount for one in units[place])
            elif what == "times":
                units[place] *= amount
            elif what == "drop":
                gone.add(place)
    made = tuple(one for place, unit in enumerate(units) if place not in gone for one in unit)
    return made if made and all(0 <= one < 26 for one in made) else None


def _places(role: Role, count: int) -> Sequence[int]:
    side, away = role
    if side == "every":
        return range(count)
    return (away,) if side == "left" else (count - 1 - away,)


def _roles(place: int, count: int) -> tuple[Role, ...]:
    return ("left", place), ("right", count - 1 - place)


def _steps(old: Units, new: Units) -> Iterator[tuple[Step, ...]]:
    if old == new:
        yield ()
    elif len(old) == len(new):
        yield from _changed(old, new)
        yield from _swapped(old, new)
    elif len(old) > len(new):
        yield from _dropped(old, new)
    elif len(new) == 2 * len(old) and all(
        new[2 * k : 2 * k + 2] == (one, one) for k, one in enumerate(old)
    ):
        yield (("times", 2, (EVERY,)),)


def _changed(old: Units, new: Units) -> Iterator[tuple[Step, ...]]:
    """Units that went up or down the alphabet, or grew."""
    done = [
        (place, _change(a, b)) for place, (a, b) in enumerate(zip(old, new, strict=True)) if a != b
    ]
    kinds = {change for _, change in done}
    if None in kinds:
        return
    if len(done) == len(old) and len(kinds) == 1:
        (change,) = kinds
        assert change is not None
        yield ((*change, (EVERY,)),)
    if len(done) <= MOST_CHANGED:
        for roles in product(*(_roles(place, len(old)) for place, _ in done)):
            yield tuple(
                (change[0], change[1], (role,))
                for (_, change), role in zip(done, roles, strict=True)
                if change is not None
            )


def _change(old: Letters, new: Letters) -> tuple[str, int] | None:
    if len(old) == len(new):
        steps = {b - a for a, b in zip(old, new, strict=True)}
        return ("shift", steps.pop()) if len(steps) == 1 else None
    if len(new) > len(old) and len(new) % len(old) == 0 and new == old * (len(new) // len(old)):
        return "times", len(new) // len(old)
    return None


def _swapped(old: Units, new: Units) -> Iterator[tuple[Step, ...]]:
    places = [place for place, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    if len(places) == 2 and sorted(old) == sorted(new):
        for roles in product(*(_roles(place, len(old)) for place in places)):
            yield (("swap", 0, roles),)


def _dropped(old: Units, new: Units) -> Iterator[tuple[Step, ...]]:
    missing = len(old) - len(new)
    if missing > MOST_CHANGED:
        return
    for places in combinations(range(len(old)), missing):
        if tuple(unit for place, unit in enumerate(old) if place not in places) == new:
            for roles in product(*(_roles(place, len(old)) for place in places)):
                yield (("drop", 0, roles),)
