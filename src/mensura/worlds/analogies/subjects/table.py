"""The subjects of the world of analogies by name."""

from __future__ import annotations

from collections.abc import Mapping

from mensura.core.group import Range
from mensura.worlds.analogies.subjects.choosers import BagOfRelations, LookAlike, StructureMapper
from mensura.worlds.analogies.subjects.reader import DrInventor
from mensura.worlds.kit.minds import Mind

SEES = frozenset({"sees_graph"})

MINDS: Mapping[str, Mind] = {
    "dr-inventor": Mind(DrInventor, {"semantics": (1.0, Range(0, 1000))}),
    "structure-mapper": Mind(StructureMapper, rights=SEES),
    "look-alike": Mind(LookAlike, rights=SEES),
    "bag-of-relations": Mind(BagOfRelations, rights=SEES),
}
