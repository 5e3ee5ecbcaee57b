"""What language models take while a run is under way: money, tokens and requests, as progress tells it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mensura.agents.language_model.budget import Budget, shared
from mensura.core.usage import Taken, taken_of
from mensura.records.batch import Batch


class Spending:
    """Adds up what a run takes, beginning with what its earlier lives took.

    Requests of this process count as soon as they are answered. Where others compute, as processes or a cluster, what
    they took is known with the sittings that come back.
    """

    def __init__(self, done: Taken | None = None, under_way: Taken | None = None) -> None:
        """``done`` and ``under_way``: what earlier lives took, in sittings that are done and in those that are not."""
        self._done, self._under_way = done or Taken(), under_way or Taken()
        self._start = shared().taken
        self._committed = Taken()

    def counted(self, batch: Batch) -> None:
        """Sittings are done."""
        episodes: dict[tuple[int, int], dict[str, float]] = {}
        for row in batch.measures:
            episodes.setdefault((row.item, row.sequence), {})[row.name] = row.value
        for measures in episodes.values():
            self._committed += taken_of(measures)

    @property
    def now(self) -> Taken:
        """What was taken so far."""
        live = self._under_way + (shared().taken - self._start)
        return self._done + max(live, self._committed, key=lambda one: one.requests)

    @property
    def is_known(self) -> bool:
        """Whether any language model was asked anything."""
        return self.now.requests > 0

    def __str__(self) -> str:
        """In a few words; nothing where no language model was asked."""
        return ", ".join(_words(self.now, shared())) if self.is_known else ""

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        now, budget = self.now, shared()
        return {
            "requests": round(now.requests),
            "tokens": round(now.tokens),
            "cost": None if now.unpriced else round(now.cost, 6),
            "requests_per_minute": budget.requests_a_minute,
        }


def _words(now: Taken, budget: Budget) -> Iterator[str]:
    if now.unpriced >= now.requests:
        yield "cost unknown"
    else:
        partly = " and more at an unknown price" if now.unpriced else ""
        yield f"{now.cost:,.4g} spent{partly}"
    # Limits are of what this process takes, whatever was taken before.
    own = budget.taken
    for limit, used, noun in (
        (budget.cost, own.cost, "--max-cost"),
        (budget.tokens, own.tokens, "--max-tokens-total"),
    ):
        if limit is not None:
            yield f"{min(1.0, used / limit):.0%} of {noun}"
    yield f"{_large(now.tokens)} tokens"
    yield f"{budget.requests_a_minute} requests/min"


def _large(number: float) -> str:
    if number >= 1e6:
        return f"{number / 1e6:.1f}M"
    return f"{number / 1e3:.1f}k" if number >= 1e4 else f"{number:.0f}"
