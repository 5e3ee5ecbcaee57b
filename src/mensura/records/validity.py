"""When a score says something of its subject: where it, and not the environment's default, chose the actions."""

from __future__ import annotations

import math

MOST_BY_DEFAULT = 0.05
"""A subject of which more than this share of the assessed actions was the environment's default has no valid score.

It is shown, and neither placed, ranked nor compared."""


LIMIT = f"{MOST_BY_DEFAULT:.0%}"
"""The same in words."""


def is_valid(share: float) -> bool:
    """Whether a score with this share of default actions is the subject's own; nan, where nobody counted, passes."""
    return math.isnan(share) or share <= MOST_BY_DEFAULT
