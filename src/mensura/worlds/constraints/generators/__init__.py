"""Where problems come from: families with parameters, each in a module of its own."""

from __future__ import annotations

from collections.abc import Mapping

from mensura.worlds.constraints.generators.coloring import COLORING
from mensura.worlds.constraints.generators.exploration import EXPLORATION
from mensura.worlds.constraints.generators.family import Family, Parameter
from mensura.worlds.constraints.generators.folding import FOLDING
from mensura.worlds.constraints.generators.meetings import MEETINGS
from mensura.worlds.constraints.generators.queens import QUEENS
from mensura.worlds.constraints.generators.random_binary import RANDOM_BINARY
from mensura.worlds.constraints.generators.scale_free import SCALE_FREE
from mensura.worlds.constraints.generators.sensors import SENSORS
from mensura.worlds.constraints.generators.universal import UNIVERSAL

FAMILIES: Mapping[str, Family] = {
    one.name: one
    for one in (
        QUEENS,
        COLORING,
        RANDOM_BINARY,
        SCALE_FREE,
        EXPLORATION,
        FOLDING,
        MEETINGS,
        SENSORS,
        UNIVERSAL,
    )
}

__all__ = ["FAMILIES", "Family", "Parameter"]
