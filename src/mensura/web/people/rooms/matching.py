"""Who talks with whom: a pure function of who waits and of what was played.

Nobody is in a room with the same person twice, and a judge meets a machine once. Within that, whoever waited longest
comes first, roles are balanced for everybody, and machines over all games and over the places that they have in a
judge's games: so no order of theirs is more frequent than another. Whoever waits while a game could start is let in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations

JUDGE, WITNESS = "judge", "witness"
FURTHEST = 20_000
"""So many groups are looked at for one game: those who waited longest come first."""


@dataclass(frozen=True)
class Shape:
    """What a game needs."""

    judges: int
    witnesses: int
    """People among them; machines have seats of their own."""
    machines: tuple[str, ...] = ()
    """Of these each game has one; none where there is no machine in it."""
    again: bool = False
    """Whether a judge may meet a machine again."""
    has_trait: Mapping[int, bool] | None = None
    """Where games are about a trait: who of those who wait has it. The first witness has it, a second one pretends."""

    @property
    def people(self) -> int:
        """How many a game needs."""
        return self.judges + self.witnesses


@dataclass(frozen=True)
class Game:
    """Who is in a game, by the numbers of people."""

    judges: tuple[int, ...]
    witnesses: tuple[int, ...]
    machine: str | None = None

    @property
    def people(self) -> tuple[int, ...]:
        """Everybody, in the order of seats."""
        return (*self.judges, *self.witnesses)


@dataclass
class History:
    """What was played so far. Games that were given up count as meetings, and nowhere else."""

    met: dict[int, set[int]] = field(default_factory=dict)
    roles: dict[int, Counter[str]] = field(default_factory=dict)
    machines_met: dict[int, list[str]] = field(default_factory=dict)
    """Of each judge, in order."""
    used: Counter[str] = field(default_factory=Counter)
    """How often each machine was in a game."""
    placed: Counter[tuple[str, int]] = field(default_factory=Counter)
    """The same by which of a judge's games it was in, from 0."""

    def add(self, game: Game, *, void: bool = False) -> None:
        """One more game."""
        for one in game.people:
            self.met.setdefault(one, set()).update(set(game.people) - {one})
        if void:
            return
        for role, who in ((JUDGE, game.judges), (WITNESS, game.witnesses)):
            for one in who:
                self.roles.setdefault(one, Counter())[role] += 1
        if game.machine is not None:
            self.used[game.machine] += 1
            for judge in game.judges:
                before = self.machines_met.setdefault(judge, [])
                self.placed[game.machine, len(before)] += 1
                before.append(game.machine)

    def lead(self, person: int, role: str) -> int:
        """How much more often somebody had a role than the other."""
        own = self.roles.get(person, Counter())
        other = WITNESS if role == JUDGE else JUDGE
        return own[role] - own[other]


def next_game(waiting: Sequence[int], history: History, shape: Shape) -> Game | None:
    """The game that those who wait, the longest first, can begin now; None where none can."""
    for group in _groups(waiting, history.met, shape.people):
        found = _seated(group, history, shape)
        if found is not None:
            return found
    return None


def _groups(
    waiting: Sequence[int], met: Mapping[int, set[int]], size: int
) -> Iterator[tuple[int, ...]]:
    """Groups of people of whom no two have met, those who waited longest first."""
    looked = 0

    def grow(chosen: tuple[int, ...], start: int) -> Iterator[tuple[int, ...]]:
        nonlocal looked
        if len(chosen) == size:
            yield chosen
            return
        for at in range(start, len(waiting) - (size - len(chosen)) + 1):
            looked += 1
            if looked > FURTHEST:
                return
            one = waiting[at]
            if met.get(one, set()).isdisjoint(chosen):
                yield from grow((*chosen, one), at + 1)

    return grow((), 0)


def _seated(group: Sequence[int], history: History, shape: Shape) -> Game | None:
    """The group in its roles: as balanced as it can be, with a machine that none of its judges has met."""
    best: tuple[tuple[int, ...], Game] | None = None
    for witnesses in _choices(group, shape):
        judges = tuple(one for one in group if one not in witnesses)
        machine = _machine(judges, history, shape)
        if shape.machines and machine is None:
            continue
        cost = sum(history.lead(one, JUDGE) for one in judges)
        cost += sum(history.lead(one, WITNESS) for one in witnesses)
        scarce = 0 if machine is None else history.used[machine]
        ranked = (cost, scarce), Game(judges, tuple(witnesses), machine)
        if best is None or ranked[0] < best[0]:
            best = ranked
    return None if best is None else best[1]


def _choices(group: Sequence[int], shape: Shape) -> Iterator[tuple[int, ...]]:
    """Who of a group are the witnesses, those who came last first: the first ones judge where nothing else decides."""
    reverse = tuple(reversed(group))
    if shape.has_trait is None:
        yield from combinations(reverse, shape.witnesses)
        return
    for witnesses in permutations(reverse, shape.witnesses):
        if all(shape.has_trait[one] == (at == 0) for at, one in enumerate(witnesses)):
            yield witnesses


def _machine(judges: Sequence[int], history: History, shape: Shape) -> str | None:
    """Of the machines that none of these judges has met, the one that was used least."""
    met = {one for judge in judges for one in history.machines_met.get(judge, ())}
    free = [one for one in shape.machines if shape.again or one not in met]
    if not free:
        return None
    places = [len(history.machines_met.get(judge, ())) for judge in judges]

    def rank(one: str) -> tuple[int, int, int]:
        here = sum(history.placed[one, place] for place in places)
        return history.used[one], here, shape.machines.index(one)

    return min(free, key=rank)
