"""All families by name."""

from __future__ import annotations

from collections.abc import Mapping

from mensura.worlds.pagi.families.catch import CATCH
from mensura.worlds.pagi.families.parts import Family

FAMILIES: Mapping[str, Family] = {
    "catch": CATCH,
}
