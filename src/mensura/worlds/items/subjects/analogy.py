"""Analogies by two strategies: after Evans (1965), and after Lovett and Forbus (2012).

1. Evans's ANALOGY. T. Evans: A heuristic program to solve geometric-analogy problems (1965). Every rule that turns A
   into B is set against every rule that turns C into an option; what both have in common is a rule again, and the
   option with the strongest common rule is chosen. Rules say what becomes of the figure in each role.
2. Lovett and Forbus. A. Lovett and K. Forbus: Modeling multiple strategies for solving geometric analogy problems
   (2012). Structure mapping finds which figures of A and B correspond, and so how they differ. First the differences
   are made to C, to *infer* the answer and look for it among the options. Where it is not there each option is
   *inserted*, and the one is chosen whose differences from C are most like those between A and B.

Strings are analogies of their letters and groups (`string_changes`): Evans's strategy weighs all descriptions of the
change, the other infers from the best and compares where that fails. A matrix is an analogy of its last two columns.

Departures: both started from drawings; here figures and their attributes are given, and rules know no more than
changes of these and a mirror. That inferring comes before inserting is our order. Both took geometric analogies only;
Lovett and Forbus have another model for matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mensura.worlds.items.families.family import Part
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.chooser import TIE, Chooser, are_letters, only
from mensura.worlds.items.subjects.figure_scenes import (
    CELL_CIRCLES,
    CIRCLES,
    TURNED,
    Figure,
    Figures,
    is_geometric,
    is_matrix,
    read_figures,
    written_figures,
)
from mensura.worlds.items.subjects.mapping import best_mapping
from mensura.worlds.items.subjects.string_changes import Step, applied, descriptions

EVANS, LOVETT_FORBUS = 1, 2
Changes = tuple[int, ...]
SIMPLE = 0.01
"""How much a rule gains for each attribute that it leaves alone: of equally strong rules the simpler one is taken."""


def differences(old: Sequence[int], new: Sequence[int], circles: Sequence[int]) -> Changes:
    """By how much each attribute changed, those that go round the short way."""
    return tuple(
        (b - a) % circle if circle else b - a
        for a, b, circle in zip(old, new, circles, strict=True)
    )


def changed(old: Sequence[int], changes: Changes, circles: Sequence[int]) -> Figure:
    """A figure with these changes."""
    return tuple(
        (a + change) % circle if circle else a + change
        for a, change, circle in zip(old, changes, circles, strict=True)
    )


# Evans ------------------------------------------------------------------------


def common_strength(a: Figures, b: Figures, c: Figures, d: Figures) -> float:
    """How strong the strongest rule is that turns A into B and C into D: how much of both it tells.

    A rule may see both pairs in a mirror, and says of each role what figure comes there and how that was changed.
    """
    return max(
        _strength(a, b, c, d),
        _strength(a.mirrored(), b, c.mirrored(), d) - SIMPLE,
    )


def _strength(a: Figures, b: Figures, c: Figures, d: Figures) -> float:
    roles = range(len(b.figures))
    total = float(
        (b.relation == a.relation and d.relation == c.relation) or b.relation == d.relation
    )
    for role in roles:
        total += max(
            _role_strength(a.figures[source], b.figures[role], c.figures[source], d.figures[role])
            + SIMPLE * (source == role)
            for source in roles
        )
    return total


def _role_strength(a: Figure | None, b: Figure | None, c: Figure | None, d: Figure | None) -> float:
    """How much one rule tells of what comes into a role: nothing, or a figure with each attribute changed alike."""
    if b is None or d is None:
        return float(len(CIRCLES)) if b is d else 0.0
    if a is None or c is None:
        return 0.0
    one, other = differences(a, b, CIRCLES), differences(c, d, CIRCLES)
    return sum((x == y) * (1.0 + SIMPLE * (x == 0)) for x, y in zip(one, other, strict=True))


# Lovett and Forbus --------------------------------------------------------------


class Difference:
    """How a scene differs from another, by a structure mapping between them."""

    def __init__(self, old: Figures, new: Figures) -> None:
        before, after = old.present, new.present
        mapping = best_mapping(old.scene(), new.scene())
        pairs = [(before[i], after[j]) for i, j in mapping.pairs]
        taken = {j for _, j in pairs}
        # An added figure is a copy of the one that it is most like.
        pairs += [(_source(old, new.figures[j]), j) for j in after if j not in taken]
        self.relation = None if old.relation == new.relation else new.relation
        self.changes: dict[int, tuple[int, Changes]] = {}
        """For each role that is taken afterwards, from which it came, and the changes on the way."""
        for i, j in pairs:
            a, b = old.figures[i], new.figures[j]
            assert a is not None
            assert b is not None
            self.changes[j] = i, differences(a, b, CIRCLES)

    def made(self, scene: Figures) -> Figures | None:
        """Another scene with the same differences; None where a figure is missing."""
        figures: list[Figure | None] = [None] * len(scene.figures)
        for role, (source, changes) in self.changes.items():
            figure = scene.figures[source]
            if figure is None:
                return None
            figures[role] = changed(figure, changes, CIRCLES)
        relation = scene.relation if self.relation is None else self.relation
        return Figures(relation, tuple(figures))

    def likeness(self, other: Difference) -> float:
        """How much two differences have in common."""
        shared = float(self.relation == other.relation)
        for role in {*self.changes, *other.changes}:
            one, two = self.changes.get(role), other.changes.get(role)
            if one is None or two is None:
                shared -= len(CIRCLES)
            else:
                shared += (one[0] == two[0]) + sum(
                    x == y for x, y in zip(one[1], two[1], strict=True)
                )
        return shared

    @property
    def turns(self) -> set[int]:
        """By how much figures were turned."""
        return {changes[TURNED] for _, changes in self.changes.values()}


def _source(scene: Figures, copy: Figure | None) -> int:
    """The role of the figure that a copy is most like."""

    def alike(role: int) -> int:
        return sum(a == b for a, b in zip(scene.figures[role] or (), copy or (), strict=False))

    return max(scene.present, key=alike)


def inferred(a: Figures, b: Figures, c: Figures) -> Iterator[Figures]:
    """What C becomes by the differences between A and B, then by those in a mirror, if figures are turned otherwise."""
    plain = Difference(a, b)
    mirror = Difference(a.mirrored(), b)
    ways = [(plain, c), (mirror, c.mirrored())]
    if len(plain.turns) > 1 and len(mirror.turns) == 1:
        ways.reverse()
    for difference, scene in ways:
        made = difference.made(scene)
        if made is not None:
            yield made


# The subject --------------------------------------------------------------------


class Analogy(Chooser):
    """Analogies by common rules (strategy 1, Evans, 1965) or by structure mapping (2, Lovett and Forbus, 2012)"""

    def __init__(self, strategy: float = LOVETT_FORBUS) -> None:
        super().__init__()
        self.strategy = int(strategy)

    def written(self, seen: Seen) -> Part | None:
        """What the second strategy infers; the first needs options."""
        if self.strategy == EVANS:
            return None
        if is_geometric(seen):
            found = next(inferred(*map(read_figures, seen.shown)), None)
            return None if found is None else written_figures(found)
        if _are_strings(seen):
            return next(iter(_strings(seen)), None)
        return None

    def values(self, seen: Seen) -> Sequence[float] | None:
        """By the strategy."""
        if is_geometric(seen):
            return self._geometric(seen)
        if is_matrix(seen):
            return _matrix(seen)
        if _are_strings(seen):
            return self._letters(seen)
        return None

    def _geometric(self, seen: Seen) -> Sequence[float] | None:
        a, b, c = map(read_figures, seen.shown)
        options = [read_figures(option) for option in seen.options]
        if self.strategy == EVANS:
            return [common_strength(a, b, c, option) for option in options]
        for answer in inferred(a, b, c):
            found = only(seen, written_figures(answer))
            if found is not None:
                return found
        wanted = Difference(a, b)
        return [wanted.likeness(Difference(c, option)) for option in options]

    def _letters(self, seen: Seen) -> Sequence[float] | None:
        made = _strings(seen)
        if self.strategy == EVANS:
            # Whatever turns C into an option as it turned A into B is a common rule.
            strengths = [
                max(
                    (1.0 / (1 + rank) for rank, one in enumerate(made) if one == option),
                    default=0.0,
                )
                for option in seen.options
            ]
            return strengths if max(strengths) > TIE else None
        found = only(seen, made[0]) if made else None
        if found is not None:
            return found
        _, after, asked = seen.shown
        wanted = {one.steps for one in descriptions(seen.shown[0], after)}
        likeness = [
            max((_shared(one.steps, wanted) for one in descriptions(asked, option)), default=0.0)
            for option in seen.options
        ]
        return likeness if max(likeness) > TIE else None


def _are_strings(seen: Seen) -> bool:
    longest = max((len(part) for part in seen.shown), default=0)
    return len(seen.shown) == 3 and longest > 1 and are_letters(seen)


def _strings(seen: Seen) -> list[Part]:
    """What each description of the change from A to B makes of C, the least far-fetched first."""
    before, after, asked = seen.shown
    made = (applied(one, asked) for one in descriptions(before, after))
    return [one for one in made if one is not None]


def _shared(steps: Sequence[Step], wanted: set[tuple[Step, ...]]) -> float:
    """The largest share of steps that one of some descriptions has in common with these, whichever units they name."""
    kinds = {step[:2] for step in steps}
    shares = []
    for other in wanted:
        others = {step[:2] for step in other}
        both = kinds | others
        shares.append(len(kinds & others) / len(both) if both else 0.0)
    return max(shares, default=0.0)


def _matrix(seen: Seen) -> Sequence[float] | None:
    """The third column is to the second in the last row as in those above."""
    rows = [seen.shown[row * 3 : row * 3 + 3] for row in range(2)]
    wanted = [differences(row[1], row[2], CELL_CIRCLES) for row in rows]
    if any(len(part) != len(CELL_CIRCLES) for part in seen.shown):
        return None
    last = seen.shown[-1]
    values = []
    for option in seen.options:
        own = differences(last, option, CELL_CIRCLES)
        values.append(float(sum(a == b == c for a, b, c in zip(*wanted, own, strict=True))))
    return values if max(values) > TIE else None
