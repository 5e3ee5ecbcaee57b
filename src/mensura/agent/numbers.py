"""Numbers that others give us."""

from __future__ import annotations

import math
from typing import Any


def is_number(value: Any) -> bool:
    """Whether something is a number that a float can hold: neither infinite, nor NaN, nor true or false.

    An int that JSON or a subject gives may be larger than any float, of which ``math.isfinite`` cannot even tell.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
