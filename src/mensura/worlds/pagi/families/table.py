"""All families by name."""

from __future__ import annotations

from collections.abc import Mapping

from mensura.worlds.pagi.families.balance_beam import BALANCE_BEAM
from mensura.worlds.pagi.families.beam_arrange import BEAM_ARRANGE
from mensura.worlds.pagi.families.catch import CATCH
from mensura.worlds.pagi.families.hijacked import HIJACKED
from mensura.worlds.pagi.families.hot_objects import HOT_OBJECTS
from mensura.worlds.pagi.families.obstacle_gap import OBSTACLE_GAP
from mensura.worlds.pagi.families.parts import Family
from mensura.worlds.pagi.families.three_pills import THREE_PILLS
from mensura.worlds.pagi.families.two_soldiers import TWO_SOLDIERS
from mensura.worlds.pagi.families.water_diversion import WATER_DIVERSION

FAMILIES: Mapping[str, Family] = {
    "balance-beam": BALANCE_BEAM,
    "balance-beam-arrange": BEAM_ARRANGE,
    "water-diversion": WATER_DIVERSION,
    "two-soldiers": TWO_SOLDIERS,
    "hijacked": HIJACKED,
    "catch": CATCH,
    "hot-objects": HOT_OBJECTS,
    "three-pills": THREE_PILLS,
    "obstacle-gap": OBSTACLE_GAP,
}
