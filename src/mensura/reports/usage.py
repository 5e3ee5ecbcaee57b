"""What subjects that are asked over a network took, all assessed episodes together: requests, tokens, cost, latency."""

from __future__ import annotations

from collections.abc import Iterable

from mensura.core.usage import (
    CHECKS,
    COST,
    REPAIRS,
    REQUEST_SECONDS,
    REQUESTS,
    RETRIES,
    TIMED_OUT,
    TOKENS_CACHED,
    TOKENS_IN,
    TOKENS_OUT,
    TOKENS_REASONING,
)
from mensura.records.results import SubjectResult


def used(subjects: Iterable[SubjectResult]) -> list[str]:
    """A sentence for each subject that tells of its requests."""
    return [in_words(one) for one in subjects if _total(one, REQUESTS)]


def in_words(one: SubjectResult) -> str:
    """What one subject took.

    Where a service did not count tokens in all episodes, it is told in how many it did.
    """
    requests = _total(one, REQUESTS) or 0.0
    told = [_some(requests, "request")]
    tokens_in, tokens_out = _total(one, TOKENS_IN), _total(one, TOKENS_OUT)
    if tokens_in is not None and tokens_out is not None:
        told.append(
            f"{tokens_in:,.0f} tokens in{_of_these(one, TOKENS_CACHED, 'cached')} and "
            f"{tokens_out:,.0f} out{_of_these(one, TOKENS_REASONING, 'reasoning')}"
        )
    cost = _total(one, COST)
    if cost is not None:
        told.append(f"cost {cost:,.4g}")
    seconds = _total(one, REQUEST_SECONDS)
    if seconds is not None and requests:
        told.append(f"{seconds / requests:.3g} s a request")
    told.append(_some(_total(one, RETRIES) or 0.0, "retry", "retries"))
    told.append(_some(_total(one, REPAIRS) or 0.0, "repair"))
    timed_out, checks = _total(one, TIMED_OUT), _total(one, CHECKS)
    if timed_out:
        told.append(f"{_some(timed_out, 'request')} timed out, whose tokens are unknown")
    if checks:
        told.append(f"{_some(checks, 'request')} to check that it answers")
    counted, episodes = one.measures.get(TOKENS_IN), one.measures[REQUESTS].count
    partly = ""
    if counted is not None and counted.count < episodes:
        partly = f"; tokens were counted in {counted.count} of {episodes} episodes"
    return f"{one.subject} took {', '.join(told)}{partly}."


def _of_these(one: SubjectResult, name: str, word: str) -> str:
    """Of these so many, where the service tells."""
    count = _total(one, name)
    return f" ({count:,.0f} {word})" if count else ""


def _total(one: SubjectResult, name: str) -> float | None:
    moments = one.measures.get(name)
    return None if moments is None or not moments.count else moments.mean * moments.count


def _some(count: float, noun: str, many: str = "") -> str:
    return f"{count:,.0f} {noun if round(count) == 1 else many or noun + 's'}"
