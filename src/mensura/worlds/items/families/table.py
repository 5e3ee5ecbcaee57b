"""All families, each with the number that observations have for it."""

from __future__ import annotations

from collections.abc import Mapping

from mensura.worlds.items.families.c_test import CTest, PublishedCTest
from mensura.worlds.items.families.family import Family
from mensura.worlds.items.families.geometric_analogies import GeometricAnalogies
from mensura.worlds.items.families.letter_analogies import LetterAnalogies
from mensura.worlds.items.families.letter_series import LetterSeries
from mensura.worlds.items.families.matrices import Matrices
from mensura.worlds.items.families.number_series import NumberSeries
from mensura.worlds.items.families.odd_one_out import OddOneOut
from mensura.worlds.items.families.winograd import Winograd

# A number stands for the same family for ever. The first is the usual one.
NUMBERED: Mapping[int, Family] = {
    1: LetterSeries(),
    2: NumberSeries(),
    3: LetterAnalogies(),
    4: Matrices(),
    5: GeometricAnalogies(),
    6: OddOneOut(),
    0: CTest(),
    7: PublishedCTest(),
    8: Winograd(),
}
MOST = 15
"""The highest number that a family may have."""
FAMILIES: Mapping[str, Family] = {family.name: family for family in NUMBERED.values()}
NUMBERS: Mapping[str, int] = {family.name: number for number, family in NUMBERED.items()}
