"""What language models take while a run is under way: money, tokens and requests, as progress tells it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from time import monotonic
from typing import Any

from mensura.agents.language_model.budget import MINUTE, Budget, shared
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
        self._recent: deque[tuple[float, float]] = deque()
        """When sittings of the last minute came back, and how many requests they took."""

    def counted(self, batch: Batch) -> None:
        """Sittings are done."""
        before = self._committed.requests
        episodes: dict[tuple[int, int], dict[str, float]] = {}
        for row in batch.measures:
            episodes.setdefault((row.item, row.sequence), {})[row.name] = row.value
        for measures in episodes.values():
            self._committed += taken_of(measures)
        self._recent.append((monotonic(), self._committed.requests - before))
        while self._recent[0][0] <= monotonic() - MINUTE:
            self._recent.popleft()

    @property
    def now(self) -> Taken:
        """What was taken so far."""
        return self._done + (self._live if self._asks_here else self._committed)

    @property
    def _live(self) -> Taken:
        return self._under_way + (shared().taken - self._start)

    @property
    def _asks_here(self) -> bool:
        """Whether this process asks the models, so that it knows of every request."""
        return self._live.requests >= self._committed.requests

    @property
    def requests_a_minute(self) -> float:
        """How many requests were answered in the last minute, as far as that is known."""
        if self._asks_here:
            return shared().requests_a_minute
        since = monotonic() - MINUTE
        return sum(requests for when, requests in self._recent if when > since)

    @property
    def is_known(self) -> bool:
        """Whether any language model was asked anything."""
        return self.now.requests > 0

    def __str__(self) -> str:
        """In a few words; nothing where no language model was asked."""
        return ", ".join(self._words()) if self.is_known else ""

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        now = self.now
        return {
            "requests": round(now.requests),
            "tokens": round(now.tokens),
            "cost": None if now.unpriced else round(now.cost, 6),
            "requests_per_minute": round(self.requests_a_minute),
        }

    def _words(self) -> Iterator[str]:
        now = self.now
        if now.unpriced >= now.requests:
            yield "cost unknown"
        else:
            partly = " and more at an unknown price" if now.unpriced else ""
            yield f"{now.cost:,.4g} spent{partly}"
        if self._asks_here:
            yield from _shares(shared())
        yield f"{_large(now.tokens)} tokens"
        yield f"{self.requests_a_minute:.0f} requests/min"


def _shares(budget: Budget) -> Iterator[str]:
    """The shares of the limits that are used: limits are of what a process takes, whatever was taken before."""
    own = budget.taken
    for limit, used, noun in (
        (budget.cost, own.cost, budget.nouns["cost"]),
        (budget.tokens, own.tokens, budget.nouns["tokens"]),
    ):
        if limit is not None:
            yield f"{min(1.0, used / limit):.0%} of {noun}"


def _large(number: float) -> str:
    if number >= 1e6:
        return f"{number / 1e6:.1f}M"
    return f"{number / 1e3:.1f}k" if number >= 1e4 else f"{number:.0f}"
