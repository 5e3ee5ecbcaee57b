"""Names of measures by which subjects that are asked over a network tell what an episode took, each a sum of it."""

from __future__ import annotations

from collections.abc import Iterable

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
