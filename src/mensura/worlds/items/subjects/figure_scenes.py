"""Scenes of figures as subjects see them: which figures there are, their attributes, and how they are related."""

from __future__ import annotations

from typing import NamedTuple

from mensura.worlds.items.families.family import Part
from mensura.worlds.items.families.geometric_analogies import (
    COUNTS,
    EACH,
    PRESENT,
    RELATIONS,
    SLOTS,
    TURN,
    GeometricAnalogies,
)
from mensura.worlds.items.families.matrices import COUNTS as CELL_COUNTS
from mensura.worlds.items.families.matrices import PLACE, Matrices
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.mapping import Scene

Figure = tuple[int, ...]

CIRCLES = COUNTS[1:]
"""Values of attributes that go round, of figures of geometric analogies: form, size, turn and fill."""
TURNED = TURN - 1
"""Which of these tells how a figure is turned."""
BESIDE = RELATIONS.index("left")
"""The relation of figures that stand side by side."""
CELL_CIRCLES = tuple(
    count if attribute == PLACE else 0 for attribute, count in enumerate(CELL_COUNTS)
)
"""The same of cells of matrices, 0 where values do not go round."""


class Figures(NamedTuple):
    """A scene of figures by their role, None where there is none."""

    relation: int
    figures: tuple[Figure | None, ...]

    @property
    def present(self) -> list[int]:
        """The roles that are taken."""
        return [role for role, figure in enumerate(self.figures) if figure is not None]

    def scene(self) -> Scene:
        """For mapping: figures that are there, and that the first comes before the second, and how."""
        things = tuple(one for one in self.figures if one is not None)
        names = ("before", RELATIONS[self.relation]) if len(things) > 1 else ()
        return Scene(things, frozenset((name, 0, 1) for name in names))

    def mirrored(self) -> Figures:
        """Seen in a mirror: figures side by side change places, and turns go the other way round."""
        figures = tuple(
            None
            if one is None
            else (*one[:TURNED], -one[TURNED] % CIRCLES[TURNED], *one[TURNED + 1 :])
            for one in self.figures
        )
        if self.relation == BESIDE:
            figures = (figures[1], figures[0], *figures[2:])
        return Figures(self.relation, figures)


def read_figures(part: Part) -> Figures:
    """The scene of a part of a geometric analogy."""
    slots = [part[1 + slot * EACH : 1 + (slot + 1) * EACH] for slot in range(SLOTS)]
    return Figures(part[0], tuple(one[1:] if one[PRESENT] else None for one in slots))


def written_figures(scene: Figures) -> Part:
    """The part that :func:`read_figures` read."""
    numbers = [scene.relation]
    for one in scene.figures:
        numbers += [0] * EACH if one is None else [1, *one]
    return tuple(numbers)


def is_geometric(seen: Seen) -> bool:
    """Whether an item is a geometric analogy."""
    return isinstance(seen.family, GeometricAnalogies)


def is_matrix(seen: Seen) -> bool:
    """Whether an item is a matrix."""
    return isinstance(seen.family, Matrices)
