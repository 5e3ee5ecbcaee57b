"""Score against cost: who is on Pareto's front, in words and as a figure.

The front is that of the points: nobody scores at least as much for less, or more for at most as much. Where intervals
overlap, the words say so. Subjects that ask no service cost nothing; they are shown beside the front, not on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mensura.core.usage import COST, HELD, REQUESTS
from mensura.records.results import SubjectResult
from mensura.reports import cost_figure
from mensura.reports.drawing import Drawing
from mensura.reports.number_words import listed, same_score, signed
from mensura.reports.standing import Standing
from mensura.statistics.interval import Estimate


@dataclass(frozen=True)
class Priced:
    """One subject with its score and its cost."""

    subject: str
    score: Estimate
    cost: float | None
    """None where its service was paid a price that nobody named."""
    asks_service: bool = True
    """Whether it asks a service at all; who does not costs nothing."""

    @property
    def in_words(self) -> str:
        """Who it is, with score and cost."""
        return f"{self.subject} (score {signed(self.score.value)}, cost {money(self.cost)})"


def money(cost: float | None) -> str:
    """An amount in the currency of the prices, with as many digits as it needs."""
    if cost is None:
        return "unknown"
    return f"{cost:,.2f}" if cost >= 10 or cost == 0 else f"{cost:,.3g}"


def total(one: SubjectResult, name: str) -> float | None:
    """The sum of a measure over all episodes; None where nobody told it."""
    moments = one.measures.get(name)
    return None if moments is None or not moments.count else moments.mean * moments.count


def questions(one: SubjectResult) -> float:
    """How often a subject was really asked: not where its action was held; nan where that was not recorded."""
    return one.asked - (total(one, HELD) or 0.0)


def priced(standings: Sequence[Standing]) -> list[Priced]:
    """All subjects with a valid score."""
    found = []
    for one in standings:
        if one.valid and one.result.moments.count:
            asks = bool(total(one.result, REQUESTS))
            cost = total(one.result, COST) if asks else 0.0
            found.append(Priced(one.subject, one.score, cost, asks))
    return found


def beats(one: Priced, other: Priced) -> bool:
    """Whether one scores at least as much for less, or more for at most as much."""
    if one.cost is None or other.cost is None:
        return False
    equal = one.cost == other.cost and same_score(one.score.value, other.score.value)
    as_good = one.score.value >= other.score.value or same_score(one.score.value, other.score.value)
    return not equal and one.cost <= other.cost and as_good


def with_cost(subjects: Sequence[Priced]) -> list[Priced]:
    """Those who ask a service at a known price, the cheapest first."""
    known = [one for one in subjects if one.asks_service and one.cost is not None]
    return sorted(known, key=lambda one: (one.cost or 0.0, -one.score.value, one.subject))


def front_of(subjects: Sequence[Priced]) -> list[Priced]:
    """Those with a known cost whom nobody of them beats, the cheapest first."""
    known = with_cost(subjects)
    return [one for one in known if not any(beats(other, one) for other in known)]


def overlap(one: Estimate, two: Estimate) -> bool:
    """Whether two intervals have a point in common; those of unknown ends do."""
    return one.low <= two.high and two.low <= one.high


def words(subjects: Sequence[Priced]) -> Iterator[str]:
    """Who is on the front, how sure that is, and how those who cost nothing compare."""
    known, front = with_cost(subjects), front_of(subjects)
    unknown = [one.subject for one in subjects if one.asks_service and one.cost is None]
    if not known:
        if unknown:
            yield f"The cost of {listed(unknown)} is unknown, so there is no front of score against cost."
        return
    if len(known) == 1:
        yield f"Only {known[0].in_words} has a known cost, so there is no front to compare it with."
    elif len(front) == 1:
        yield f"On the front, by the points, is {front[0].in_words} alone: nobody scores more or costs less."
    else:
        yield f"On the front, by the points, are {listed([one.in_words for one in front])}."
    yield from _doubts(known, front)
    yield from _beside_free(subjects, front)
    if unknown:
        yield f"The cost of {listed(unknown)} is unknown: left out of the figure."


def _doubts(known: Sequence[Priced], front: Sequence[Priced]) -> Iterator[str]:
    """Where intervals overlap, so that the front might be another one."""
    for one, two in pairwise(front):
        if one.cost == two.cost:
            yield f"{one.subject} and {two.subject} cost and score the same."
        elif overlap(one.score, two.score):
            yield (
                f"The intervals of {one.subject} and {two.subject} overlap: whether {two.subject} is worth its higher "
                "cost is open."
            )
    for one in known:
        if one in front:
            continue
        better = next(other for other in front if beats(other, one))
        sure = (
            "; their intervals overlap, so that this may be chance"
            if overlap(one.score, better.score)
            else ""
        )
        yield f"{one.in_words} is not on it: {better.in_words} is at least as good for no more{sure}."


def _beside_free(subjects: Sequence[Priced], front: Sequence[Priced]) -> Iterator[str]:
    """How those who ask no service compare with the front."""
    free = [one for one in subjects if not one.asks_service]
    if not free:
        return
    best = max(free, key=lambda one: one.score.value)
    below = [one.subject for one in front if one.score.value <= best.score.value]
    names = listed([one.subject for one in free])
    yield f"{names} {'asks no service and costs' if len(free) == 1 else 'ask no service and cost'} nothing."
    if below:
        yield (
            f"{listed(below)} score{'s' if len(below) == 1 else ''} no more than {best.subject}, which has "
            f"{signed(best.score.value)} for nothing."
        )


def figure(subjects: Sequence[Priced], name: str = "cost-front") -> Drawing | None:
    """Scores with their intervals against costs, the front marked; None where no cost is known."""
    known, front = with_cost(subjects), front_of(subjects)
    if not known:
        return None
    marks = [
        cost_figure.Mark(
            one.subject,
            one.score,
            one.cost or 0.0,
            "free" if not one.asks_service else "front" if one in front else "other",
        )
        for one in subjects
        if one.cost is not None
    ]
    spoken = ". ".join(
        f"{one.subject}: cost {money(one.cost)}, score {signed(one.score.value)}{_ends(one.score)}"
        + (", on the front" if one in front and len(known) > 1 else "")
        for one in [*known, *(one for one in subjects if not one.asks_service)]
    )
    return cost_figure.draw(marks, name, f"Score against cost. {spoken}")


def _ends(score: Estimate) -> str:
    if not math.isfinite(score.low) or not math.isfinite(score.high):
        return ""
    return f" from {signed(score.low)} to {signed(score.high)}"
