"""What subjects that are asked over a network take: names of measures, each a sum of an episode, and totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

REQUESTS, RETRIES, REPAIRS = "requests", "retries", "repairs"
"""How many requests were answered, how many failed and were sent again, and how many answers had to be mended."""

TOKENS_IN, TOKENS_OUT = "tokens_in", "tokens_out"
"""What a language model read and wrote, as its service counts."""

TOKENS_CACHED, TOKENS_REASONING = "tokens_cached", "tokens_reasoning"
"""Of what it read, what the service still had from earlier requests; of what it wrote, what were thoughts."""

TIMED_OUT, CHECKS = "requests_timed_out", "requests_to_check"
"""Requests that nobody waited for any longer, whose tokens are unknown; and those that found out whether it answers."""

HELD = "interactions_held"
"""Interactions in which an action was taken again without a request: held, or since nothing could change any more."""

REFUSALS = "refusals"
"""How many of the answers were refusals, or what a service withheld."""

COST = "cost"
"""What that cost, in the currency of the prices given."""

REQUEST_SECONDS = "request_seconds"
"""How long requests took."""


USAGE = (
    REQUESTS,
    RETRIES,
    REPAIRS,
    TOKENS_IN,
    TOKENS_OUT,
    TOKENS_CACHED,
    TOKENS_REASONING,
    TIMED_OUT,
    CHECKS,
    HELD,
    REFUSALS,
    COST,
    REQUEST_SECONDS,
)
"""All of these names."""


def of_member(name: str, member: str) -> str:
    """The measure under which what one member of a mixed collective took is kept, beside the sum."""
    return f"{name} of {member}"


def members(names: Iterable[str]) -> list[str]:
    """The members of a mixed collective that tell what they took, by the names of measures, in order."""
    start = of_member(REQUESTS, "")
    return sorted(name.removeprefix(start) for name in names if name.startswith(start))


def is_of_member(name: str, names: Iterable[str]) -> bool:
    """Whether a measure among all these is that of one member alone."""
    return any(name.endswith(of_member("", member)) for member in members(names))


@dataclass(frozen=True)
class Taken:
    """What language models have taken so far."""

    requests: float = 0.0
    tokens: float = 0.0
    """Read and written, as far as services told."""
    cost: float = 0.0
    """Of the requests whose price is known."""
    unpriced: float = 0.0
    """How many requests have no known price."""

    def __add__(self, other: Taken) -> Taken:
        """Both together."""
        return Taken(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def __sub__(self, other: Taken) -> Taken:
        """What was taken since."""
        return Taken(*(getattr(self, one.name) - getattr(other, one.name) for one in fields(self)))


def taken_of(measures: Mapping[str, float]) -> Taken:
    """What the measures of an episode, or of several with the same price, say."""
    requests = measures.get(REQUESTS, 0.0)
    tokens = measures.get(TOKENS_IN, 0.0) + measures.get(TOKENS_OUT, 0.0)
    cost = measures.get(COST)
    return Taken(requests, tokens, cost or 0.0, requests if cost is None else 0.0)
