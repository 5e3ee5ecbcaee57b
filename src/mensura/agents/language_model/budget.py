"""What a command may spend on language models, all of them together: money, tokens, hours.

A request that might go beyond it is not sent: the run ends with a sentence and can be resumed, with another budget.
What is under way counts by an estimate until its answer tells what it took, so that many sittings side by side do not
go beyond it together. Limits are kept in the environment, since processes that are started inherit it; each of them
counts for itself.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from time import monotonic

from mensura.agent.errors import MensuraError
from mensura.core.players import Unanswered
from mensura.core.usage import Taken

MINUTE = 60.0

VARIABLES = {
    "cost": "MENSURA_MAX_COST",
    "tokens": "MENSURA_MAX_TOKENS",
    "hours": "MENSURA_MAX_HOURS",
}
"""The variables of the environment that hold the limits."""

NOUNS = {"cost": "--max-cost", "tokens": "--max-tokens-total", "hours": "--max-hours"}
"""How limits are called at the command line."""


@dataclass
class Booked:
    """A request under way, with what it is thought to take."""

    cost: float
    tokens: float
    priced: bool = True
    """Whether its cost is known at all."""


class Budget:
    """Limits, and what was spent of them."""

    def __init__(
        self,
        cost: float | None = None,
        tokens: float | None = None,
        hours: float | None = None,
        *,
        nouns: Mapping[str, str] = NOUNS,
    ) -> None:
        for name, value in (("cost", cost), ("tokens", tokens), ("hours", hours)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise MensuraError(
                    f"{nouns[name]} is {value:g}; it must be more than 0, or be left out."
                )
        self.cost, self.tokens, self.hours = cost, tokens, hours
        self.nouns = nouns
        """How whoever set the limits calls them."""
        self.spent_cost, self.spent_tokens = 0.0, 0
        self._requests, self._unpriced = 0, 0
        self._sent: deque[float] = deque()
        """When the requests of the last minute were over."""
        self._under_way = Booked(0.0, 0.0)
        self._since: float | None = None
        self._lock = Lock()

    def book(self, model: str, cost: float | None, tokens: float) -> Booked:
        """Announce a request that is thought to take so much; a sentence if it might go beyond a limit."""
        if self.cost is not None and cost is None:
            raise Unanswered(
                f"--max-cost needs prices, and those of {model} are unknown: give --price-in and --price-out."
            )
        with self._lock:
            now = monotonic()
            self._since = now if self._since is None else self._since
            ends = {
                "cost": (self.cost, self.spent_cost + self._under_way.cost + (cost or 0.0)),
                "tokens": (self.tokens, self.spent_tokens + self._under_way.tokens + tokens),
                "hours": (self.hours, (now - self._since) / 3600),
            }
            for name, (limit, reached) in ends.items():
                if limit is not None and reached > limit:
                    raise Unanswered(self._sentence(name, limit))
            booked = Booked(cost or 0.0, tokens, cost is not None)
            self._under_way.cost += booked.cost
            self._under_way.tokens += booked.tokens
            return booked

    def settle(self, booked: Booked, cost: float | None, tokens: int | None) -> None:
        """The request is over and took so much; what the service does not tell counts as estimated."""
        with self._lock:
            self._requests += 1
            self._unpriced += not booked.priced
            self._sent.append(monotonic())
            self._forget()
            self._under_way.cost -= booked.cost
            self._under_way.tokens -= booked.tokens
            self.spent_cost += booked.cost if cost is None else cost
            self.spent_tokens += round(booked.tokens) if tokens is None else tokens

    def release(self, booked: Booked) -> None:
        """The request came to nothing and cost nothing."""
        with self._lock:
            self._under_way.cost -= booked.cost
            self._under_way.tokens -= booked.tokens

    @property
    def taken(self) -> Taken:
        """What this process has taken so far."""
        with self._lock:
            return Taken(self._requests, self.spent_tokens, self.spent_cost, self._unpriced)

    @property
    def requests_a_minute(self) -> int:
        """How many requests were answered in the last minute."""
        with self._lock:
            self._forget()
            return len(self._sent)

    def _forget(self) -> None:
        """Forget the requests before the last minute."""
        while self._sent and self._sent[0] <= monotonic() - MINUTE:
            self._sent.popleft()

    def _sentence(self, name: str, limit: float) -> str:
        spent = f"{self.spent_tokens:,} tokens"
        if self.cost is not None or self.spent_cost:
            spent += f" and a cost of {self.spent_cost:,.4g}"
        return (
            f"The next request to a language model might go beyond {self.nouns[name]} {limit:,.12g}: {spent} were "
            "spent so far"
        )


_shared: dict[tuple[str, ...], Budget] = {}
_making = Lock()


def allow(
    cost: float | None = None,
    tokens: float | None = None,
    hours: float | None = None,
    nouns: Mapping[str, str] = NOUNS,
) -> Budget:
    """Set what this process, and those that it starts, may spend from now on; None sets no limit."""
    made = Budget(cost, tokens, hours, nouns=nouns)
    with _making:
        _shared.clear()
        for name, value in (("cost", cost), ("tokens", tokens), ("hours", hours)):
            if value is None:
                os.environ.pop(VARIABLES[name], None)
            else:
                os.environ[VARIABLES[name]] = repr(float(value))
        _shared[_limits()] = made
    return made


@contextmanager
def limited(
    cost: float | None, tokens: float | None, hours: float | None, nouns: Mapping[str, str]
) -> Iterator[Budget]:
    """The same for as long as this lasts; then what held before holds again."""
    before = dict(zip(VARIABLES.values(), _limits(), strict=True))
    made = allow(cost, tokens, hours, nouns)
    try:
        yield made
    finally:
        with _making:
            _shared.clear()
            for variable, text in before.items():
                os.environ.pop(variable, None)
                if text:
                    os.environ[variable] = text


def shared() -> Budget:
    """The budget of this process."""
    with _making:
        limits = _limits()
        if limits not in _shared:
            _shared[limits] = Budget(
                *(
                    _number(variable, text) if text else None
                    for variable, text in zip(VARIABLES.values(), limits, strict=True)
                )
            )
        return _shared[limits]


def _limits() -> tuple[str, ...]:
    return tuple(os.environ.get(variable, "").strip() for variable in VARIABLES.values())


def _number(variable: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise MensuraError(f"{variable} is {text!r}; it must be a number.") from None
