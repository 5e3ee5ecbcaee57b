"""Items as arrays: the numbers of all parts, filled up with -1 to one size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.spaces import Box, Record
from mensura.worlds.items.families.family import Family, Item, Part
from mensura.worlds.items.families.table import MOST, NUMBERED, NUMBERS

NOTHING = -1
"""Where there is no number, or no part."""


@dataclass(frozen=True)
class Seen:
    """What an observation tells: all of an item but which answer is right."""

    family: Family
    shown: tuple[Part, ...]
    options: tuple[Part, ...]


def observation_space(families: Sequence[Family], options: int) -> Record:
    """The family's number, the parts that are shown and, with options, those.

    What has to be chosen from is shown where there are no options, so that open answers have it too.
    """
    width = max(one.width for one in families)
    highest = max(one.highest for one in families)
    parts = max(one.parts for one in families)
    shown = ("shown", Box(NOTHING, highest, (parts, width)))
    fields: tuple[tuple[str, Box], ...] = (("family", Box(0, MOST)), shown)
    if options:
        fields = (*fields, ("options", Box(NOTHING, highest, (options, width))))
    return Record(fields)


def observed(family: Family, item: Item, space: Record) -> Any:
    """An item as an observation of a space."""
    out = np.zeros((), space.dtype)
    out["family"] = NUMBERS[family.name]
    shown = item.shown if "options" in space.boxes else item.shown or item.options
    for name, parts in (("shown", shown), ("options", item.options)):
        if name in space.boxes:
            out[name] = NOTHING
            for number, part in enumerate(parts):
                out[name][number, : len(part)] = part
    return out[()]


def read_observation(observation: Any) -> Seen:
    """What an observation tells."""
    shown = _parts(observation["shown"])
    options = _parts(observation["options"]) if "options" in observation.dtype.names else ()
    return Seen(NUMBERED[int(observation["family"])], shown, options)


def _parts(array: npt.NDArray[np.float64]) -> tuple[Part, ...]:
    rows = (tuple(int(one) for one in row if one != NOTHING) for row in array.tolist())
    return tuple(row for row in rows if row)
