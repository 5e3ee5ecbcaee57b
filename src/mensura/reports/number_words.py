"""Numbers as people write them, the same in every report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mensura.core.account import FEWEST, listed, some, whole

if TYPE_CHECKING:
    from mensura.records.results import SubjectResult
    from mensura.statistics.interval import Estimate

__all__ = [
    "FEWEST",
    "ends",
    "interval",
    "listed",
    "measured",
    "number",
    "percent",
    "plain",
    "same_score",
    "score_of",
    "seconds",
    "share_by_default",
    "short",
    "signed",
    "some",
    "when",
    "whole",
]

UNKNOWN = "unknown"


def signed(value: float, digits: int = 3) -> str:
    """A score: always with its sign, never a negative zero."""
    if not math.isfinite(value):
        return UNKNOWN
    text = f"{value:+.{digits}f}"
    return f"+{text[1:]}" if float(text) == 0.0 else text


def score_of(one: SubjectResult, score: Estimate | None = None) -> str:
    """The score of a subject, or the one that stands in its place; "none" where it has none of its own."""
    value = (score or one.score).value
    return "none" if math.isnan(value) else signed(value)


def interval(low: float, high: float, digits: int = 3) -> str:
    """An interval of scores; one that is infinite says that it is unknown."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return UNKNOWN
    return f"[{signed(low, digits)}, {signed(high, digits)}]"


def ends(estimate: Estimate, digits: int = 3) -> str:
    """The interval of an estimate, the same wherever it is shown; a warning where it rests on too few sittings."""
    if 0 < estimate.n < FEWEST:
        return f"too few ({estimate.n})"
    return interval(estimate.low, estimate.high, digits)


def share_by_default(share: float) -> str:
    """The share of actions that were the environment's default, as tables show it."""
    return "not recorded" if math.isnan(share) else percent(share)


def same_score(one: float, two: float) -> bool:
    """Whether two scores are equal, but for the rounding of their sums."""
    return math.isclose(one, two, rel_tol=0.0, abs_tol=1e-9)


def plain(value: float, digits: int = 4) -> str:
    """A number without a sign of its own, such as a spread."""
    return f"{value:.{digits}f}" if math.isfinite(value) else UNKNOWN


def number(value: float, digits: int) -> str:
    """A number that has a sign only where it is below 0, and is never a negative zero."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def measured(value: float) -> str:
    """What was counted or measured: in thousands, without decimals that nobody reads."""
    return f"{value:,.0f}" if abs(value) >= 1000 else number(value, 3)


def seconds(value: float) -> str:
    """A time with about three digits, in seconds, or in minutes where they are many."""
    if value < 0.0005:
        return "under 1 ms"
    if value < 1.0:
        return f"{1000 * value:.3g} ms"
    if value < 120.0:
        return f"{value:.3g} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s"


def percent(share: float) -> str:
    """A share as a percentage, with more digits near 0 and 1, where they matter; neither is claimed in vain."""
    if share in (0.0, 1.0) or 0.1 <= share <= 0.9:
        return f"{100 * share:.0f}%"
    if share < 0.0005:
        return "under 0.1%"
    if share > 0.9995:
        return "over 99.9%"
    return f"{100 * share:.1f}%"


def short(name: str, length: int = 26) -> str:
    """A name that fits beside an axis: its beginning and its end, which tell most."""
    if len(name) <= length:
        return name
    head = (length - 1) // 2
    return f"{name[:head]}\N{HORIZONTAL ELLIPSIS}{name[len(name) - (length - 1 - head) :]}"


def when(moment: str) -> str:
    """A moment in ISO 8601 as people write it."""
    return moment.replace("T", " ").replace("+00:00", " UTC")
