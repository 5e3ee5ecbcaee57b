"""The subjects of the world of items by name."""

from __future__ import annotations

from collections.abc import Mapping

from mensura.core.group import Range
from mensura.worlds.items.subjects.analogy import Analogy
from mensura.worlds.items.subjects.bounded_search import BoundedSearch
from mensura.worlds.items.subjects.ensemble import Ensemble
from mensura.worlds.items.subjects.kt_search import KtSearch
from mensura.worlds.items.subjects.pattern_inducer import PatternInducer
from mensura.worlds.items.subjects.predictors import ContextTree, NGram, Zlib
from mensura.worlds.items.subjects.raven import Raven
from mensura.worlds.items.subjects.sanghi_dowe import SanghiDowe
from mensura.worlds.items.subjects.series_synthesis import SeriesSynthesis
from mensura.worlds.items.subjects.structure_mapper import StructureMapper
from mensura.worlds.items.subjects.terraced_scan import TerracedScan
from mensura.worlds.items.subjects.without_understanding import Association, Nearest
from mensura.worlds.kit.minds import Mind

MINDS: Mapping[str, Mind] = {
    "n-gram": Mind(NGram, {"order": (3.0, Range(0, 10, whole=True))}),
    "context-tree": Mind(ContextTree, {"depth": (4.0, Range(0, 12, whole=True))}),
    "zlib": Mind(Zlib),
    "sanghi-dowe": Mind(SanghiDowe),
    "pattern-inducer": Mind(PatternInducer, {"variant": (4.0, Range(1, 4, whole=True))}),
    "bounded-search": Mind(BoundedSearch, {"elements": (5.0, Range(1, 7, whole=True))}),
    "series-synthesis": Mind(SeriesSynthesis, {"depth": (3.0, Range(0, 4, whole=True))}),
    "analogy": Mind(Analogy, {"strategy": (2.0, Range(1, 2, whole=True))}),
    "structure-mapper": Mind(StructureMapper),
    "terraced-scan": Mind(TerracedScan, {"runs": (15.0, Range(1, 1000, whole=True))}),
    "raven": Mind(Raven, {"variant": (2.0, Range(1, 2, whole=True))}),
    "kt-search": Mind(
        KtSearch,
        {
            "instructions": (6.0, Range(1, 10, whole=True)),
            "steps": (90.0, Range(1, 400, whole=True)),
        },
    ),
    "ensemble": Mind(Ensemble),
    "association": Mind(Association),
    "nearest": Mind(Nearest),
}
