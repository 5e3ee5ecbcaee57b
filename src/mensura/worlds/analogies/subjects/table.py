"""The subjects of the world of analogies by name."""

from __future__ import annotations

from collections.abc import Mapping

from mensura.worlds.analogies.subjects.choosers import BagOfRelations, LookAlike, StructureMapper
from mensura.worlds.kit.minds import Mind

SEES = frozenset({"sees_graph"})

MINDS: Mapping[str, Mind] = {
    "structure-mapper": Mind(StructureMapper, rights=SEES),
    "look-alike": Mind(LookAlike, rights=SEES),
    "bag-of-relations": Mind(BagOfRelations, rights=SEES),
}
