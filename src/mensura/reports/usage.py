"""What subjects that are asked over a network took, all assessed episodes together: requests, tokens, cost, latency."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mensura.core.usage import (
    CHECKS,
    COST,
    HELD,
    REFUSALS,
    REPAIRS,
    REQUEST_SECONDS,
    REQUESTS,
    RETRIES,
    TIMED_OUT,
    TOKENS_CACHED,
    TOKENS_IN,
    TOKENS_OUT,
    TOKENS_REASONING,
    members,
    of_member,
)
from mensura.records.results import SubjectResult
from mensura.reports.number_words import listed, signed


@dataclass(frozen=True)
class Bargain:
    """The score of a subject against what it cost."""

    subject: str
    score: str
    cost: str
    on_front: bool
    """Whether no other scores at least as much for less, or more for at most as much (Pareto's front)."""


def used(subjects: Iterable[SubjectResult]) -> list[str]:
    """A sentence for each subject that tells of its requests, and one on who is worth the cost."""
    subjects = list(subjects)
    told = [
        " ".join([in_words(one), *map(_in_words, by_member([one]))])
        for one in subjects
        if _total(one, REQUESTS)
    ]
    bargains = against_cost(subjects)
    front = [one.subject for one in bargains if one.on_front]
    if bargains:
        others = "the others" if len(bargains) > 2 else "the other"
        told.append(
            f"Score against cost: {listed(front)} {'is' if len(front) == 1 else 'are'} on the front; of {others} "
            "somebody scored at least as much for less."
            if len(front) < len(bargains)
            else "Score against cost: all are on the front; whoever scored more cost more."
        )
    return told


@dataclass(frozen=True)
class MemberUsage:
    """What one member of a mixed collective took, in words; empty where it is not known."""

    subject: str
    member: str
    requests: str
    tokens_in: str
    tokens_out: str
    cost: str
    faults: str


def by_member(subjects: Iterable[SubjectResult]) -> list[MemberUsage]:
    """What each member of a mixed collective took, of those that are asked over a network."""

    def told(one: SubjectResult, name: str, member: str, form: str = ",.0f") -> str:
        total = _total(one, of_member(name, member))
        return "" if total is None else format(total, form)

    return [
        MemberUsage(
            one.subject,
            member,
            told(one, REQUESTS, member),
            told(one, TOKENS_IN, member),
            told(one, TOKENS_OUT, member),
            told(one, COST, member, ",.4g"),
            told(one, "faults", member),
        )
        for one in subjects
        for member in members(one.measures)
    ]


def _in_words(one: MemberUsage) -> str:
    """What a member took, in a sentence."""
    told = [f"{one.requests} requests"]
    if one.tokens_in and one.tokens_out:
        told.append(f"{one.tokens_in} tokens in and {one.tokens_out} out")
    if one.cost:
        told.append(f"cost {one.cost}")
    if one.faults:
        told.append(f"{one.faults} faults")
    return f"Of these, {one.member} took {', '.join(told)}."


def against_cost(subjects: Iterable[SubjectResult]) -> list[Bargain]:
    """The scores of valid subjects against their costs, the cheapest first; none where fewer than two have one."""
    found = sorted(
        (cost, -one.moments.mean, one.subject)
        for one in subjects
        if one.valid and one.moments.count and (cost := _total(one, COST)) is not None
    )
    if len(found) < 2:
        return []
    return [
        Bargain(
            name,
            signed(-minus),
            f"{cost:,.4g}",
            not any(
                other <= cost and more <= minus and (other, more) != (cost, minus)
                for other, more, _ in found
            ),
        )
        for cost, minus, name in found
    ]


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
    refusals = _total(one, REFUSALS)
    if refusals:
        told.append(f"{refusals:,.0f} of its answers were refusals")
    held = _total(one, HELD)
    if held:
        told.append(f"{_some(held, 'interaction')} without a request, in which its action was held")
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
