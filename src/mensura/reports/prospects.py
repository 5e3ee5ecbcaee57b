"""What more money would settle: for each pair of neighbors in an order, how much narrower their interval would get."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mensura.core.usage import COST, REQUESTS
from mensura.records.results import RunResult
from mensura.reports.cost_front import total
from mensura.reports.number_words import plain, signed, some
from mensura.statistics.order import Gap

AMOUNT = 10.0
"""So much more money, in the currency of the prices."""

MORE_REQUESTS = 1000
"""So many more requests, where a price is unknown."""


@dataclass(frozen=True)
class Round:
    """What one further environment in each world takes of one subject."""

    cost: float | None
    """None where the price is unknown."""
    requests: float


@dataclass(frozen=True)
class Prospect:
    """What more would do to one gap."""

    gap: Gap
    rounds: int | None
    """How many further environments of each world both could meet; None where they cost nothing."""
    by: str
    """What they would be bought with."""
    reach: float
    """Half the expected width of the interval after these."""

    @property
    def settles(self) -> bool:
        """Whether the difference that was found would lie outside the interval about 0."""
        return self.gap.verdict == "open" and abs(self.gap.difference.value) > self.reach

    @property
    def in_words(self) -> str:
        """What would come of it, in a sentence."""
        gap = self.gap
        now = gap.difference.half_width
        if gap.verdict == "same":
            return "They scored the same in every environment, so there is no difference to settle."
        if gap.verdict == "unknown" or not math.isfinite(now):
            return f"Unknown: {some(gap.fewest, 'sitting')} in a world are too few to reckon with."
        if self.rounds is None:
            settled = "Settled already; more" if gap.verdict == "settled" else "More"
            return f"{settled} sittings of these two cost nothing."
        if self.rounds == 0:
            return f"{self.by} cannot pay for one further environment of each world."
        pays = "pay" if self.by.endswith("requests") else "pays"
        bought = (
            f"{self.by} {pays} for {some(self.rounds, 'further environment')} of each world, which makes the interval "
            f"about ±{plain(self.reach, 3)}"
        )
        if gap.verdict == "settled":
            return f"Settled already; {bought} in the place of ±{plain(now, 3)}."
        if abs(gap.difference.value) > now:
            alone = "Settled by itself, but not among all neighbors together"
            return f"{alone}; {bought} in the place of ±{plain(now, 3)}."
        if self.settles:
            return f"{bought}: a difference of {signed(gap.difference.value)} would be outside, and settled."
        return f"{bought}: a difference of {signed(gap.difference.value)} would still be inside, and open."


def rounds_of(conditions: Sequence[RunResult]) -> dict[str, Round]:
    """What a round takes of each subject: the mean of a sitting, summed over the conditions."""
    found: dict[str, Round] = {}
    for condition in conditions:
        for one in condition.subjects:
            count = one.moments.count
            if not count:
                continue
            requests = (total(one, REQUESTS) or 0.0) / count
            cost = total(one, COST)
            own = None if requests and cost is None else (cost or 0.0) / count
            before = found.get(one.subject, Round(0.0, 0.0))
            known = None if before.cost is None or own is None else before.cost + own
            found[one.subject] = Round(known, before.requests + requests)
    return found


def prospects(gaps: Sequence[Gap], rounds: Mapping[str, Round]) -> Iterator[Prospect]:
    """What more would do to each gap."""
    for gap in gaps:
        one, two = rounds[gap.one], rounds[gap.two]
        number, by = _affordable(one, two)
        yield Prospect(gap, number, by, gap.reach_after(number or 0))


def _affordable(one: Round, two: Round) -> tuple[int | None, str]:
    """How many rounds both can play, and for what."""
    if one.cost is not None and two.cost is not None:
        both = one.cost + two.cost
        return (math.floor(AMOUNT / both + 1e-9) if both else None), f"{AMOUNT:g} more"
    requests = one.requests + two.requests
    return math.floor(MORE_REQUESTS / requests + 1e-9), f"{MORE_REQUESTS:,} more requests"
