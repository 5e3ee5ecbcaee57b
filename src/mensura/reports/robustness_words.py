"""What is said of robustness: a row for each subject under each operator, sentences, and plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from mensura.core.account import FEWEST
from mensura.records.validity import LIMIT
from mensura.reports.number_words import ends, listed, number, signed, some
from mensura.statistics.degradation import ABRUPT, Breakdown, Withdrawal
from mensura.statistics.interval import Estimate

HALF = 0.5
"""The strength at which retention is told in tables."""
COLUMNS = (
    "subject",
    "operator",
    "score at 0",
    "area",
    "breaking point",
    "breakdown",
    "retention at 0.5",
)
NOTICING = "noticing"
RECOVERY = (
    "Recovery: the share of what a perturbation cost that more training under it brought back"
)
WITHDRAWALS = "Withdrawals: the share of environments from which a subject withdrew, and its mean score in the others"
UNDEFINED, UNMEASURED, UNREACHED = "not defined", "not measured", "not reached"


def measures_table(breakdowns: Sequence[Breakdown]) -> tuple[list[str], list[list[str]]]:
    """The heads and rows of the table of measures; noticing has a column where it was measured of somebody."""
    if all(one.noticing is None for one in breakdowns):
        return list(COLUMNS), [_row(one) for one in breakdowns]
    noticed = [UNMEASURED if one.noticing is None else share(one.noticing) for one in breakdowns]
    rows = [[*_row(one), told] for one, told in zip(breakdowns, noticed, strict=True)]
    return [*COLUMNS, NOTICING], rows


def _row(one: Breakdown) -> list[str]:
    found = one.degradation
    shown = [one.subject, one.operator, signed(one.scores[0].value)]
    if not one.defined:
        return [*shown, *[UNDEFINED] * 4]
    half = found.at(HALF)
    return [
        *shown,
        UNMEASURED if found.area is None else share(found.area),
        breaking_point(one),
        found.manner or UNREACHED,
        UNMEASURED if half is None else share(half),
    ]


def share(estimate: Estimate) -> str:
    """A share with its interval."""
    low, high = (number(end, 2) for end in (estimate.low, estimate.high))
    return f"{number(estimate.value, 2)} [{low}, {high}]"


def breaking_point(one: Breakdown) -> str:
    """The breaking point with its interval; one that was not reached is above all strengths."""
    found = one.degradation.breaking
    if found is None:
        return UNDEFINED
    value, low, high = (_strength(one, at) for at in (found.value, found.low, found.high))
    return f"{value} [{low}, {high}]"


def _strength(one: Breakdown, strength: float) -> str:
    if math.isinf(strength):
        return f"> {one.degradation.strengths[-1]:g}"
    return number(strength, 2)


def recovery_table(breakdowns: Sequence[Breakdown]) -> tuple[list[str], list[list[str]]] | None:
    """The heads and rows of the table of recovery; None where nobody asked for it."""
    asked = [one for one in breakdowns if one.recovery]
    if not asked:
        return None
    strengths = asked[0].degradation.strengths[1:]
    rows = [
        [
            one.subject,
            one.operator,
            *(
                UNDEFINED if back is None or back.n < FEWEST else share(back)
                for back in one.recovery[1:]
            ),
        ]
        for one in asked
    ]
    return ["subject", "operator", *(f"at {strength:g}" for strength in strengths)], rows


def withdrawal_table(breakdowns: Sequence[Breakdown]) -> tuple[list[str], list[list[str]]] | None:
    """The heads and rows of the table of withdrawals; None where nobody could withdraw."""
    able = [one for one in breakdowns if one.withdrawn]
    if not able:
        return None
    strengths = able[0].degradation.strengths
    rows = [[one.subject, one.operator, *map(_withdrawal, one.withdrawn)] for one in able]
    return ["subject", "operator", *(f"at {strength:g}" for strength in strengths)], rows


def _withdrawal(one: Withdrawal) -> str:
    """The share of environments, and the score in the others."""
    if math.isnan(one.stayed):
        return number(one.share, 2)
    return f"{number(one.share, 2)}, else {signed(one.stayed)}"


# Sentences --------------------------------------------------------------------------


def told(breakdowns: Sequence[Breakdown]) -> Iterator[str]:
    """What was found, operator by operator, then what is not defined and why."""
    if not breakdowns:
        yield "Nobody was measured."
        return
    for operator in dict.fromkeys(one.operator for one in breakdowns):
        own = [one for one in breakdowns if one.operator == operator and one.defined]
        if own:
            yield f"Under {operator}, {'; '.join(map(_broken, own))}."
    yield from _below(breakdowns)
    yield from _undefined(breakdowns)
    yield from _newborn(breakdowns)
    yield from _withdrawn(breakdowns)
    silent = _named(one for one in breakdowns if one.noticing is None)
    if silent:
        yield f"Whether {listed(silent)} noticed was not measured: that takes an agent with a method alarm()."


def _broken(one: Breakdown) -> str:
    found = one.degradation.breaking
    assert found is not None
    last = one.degradation.strengths[-1]
    where = f"[{_strength(one, found.low)}, {_strength(one, found.high)}]"
    if math.isinf(found.value):
        return (
            f"{one.subject} does not break up to a strength of {last:g} "
            f"(breaking point > {last:g}, 95% interval {where})"
        )
    manner = one.degradation.manner
    how = f", {manner}" if manner else ""
    return f"{one.subject} breaks at a strength of {number(found.value, 2)} (95% interval {where}{how})"


def _below(breakdowns: Sequence[Breakdown]) -> Iterator[str]:
    worse = _named(
        one for one in breakdowns if one.defined and one.degradation.advantage[0].value < 0.0
    )
    if worse:
        yield (
            f"Without a perturbation {listed(worse)} {'is' if len(worse) == 1 else 'are'} below acting at random: what "
            "is kept or lost is that disadvantage."
        )


def _undefined(breakdowns: Sequence[Breakdown]) -> Iterator[str]:
    """Of whom nothing is told, and why."""
    few = [one for one in breakdowns if one.valid and not one.enough]
    if few:
        count = some(few[0].scores[0].n, "environment")
        yield f"Not defined: {count} {'is' if few[0].scores[0].n == 1 else 'are'} too few; {FEWEST} are the least."
    invalid = [one for one in breakdowns if not one.valid]
    if invalid:
        which = listed([f"{one.subject} under {one.operator}" for one in invalid])
        yield (
            f"Not defined: {which}, since at some strength more than {LIMIT} of the actions were the environment's "
            "default."
        )
    chance = [one for one in breakdowns if one.valid and one.enough and not one.defined]
    for name in _named(chance):
        first = next(one for one in chance if one.subject == name).degradation.advantage[0]
        yield (
            f"Not defined for {name}: without a perturbation its score is not told apart from acting at random, by "
            f"{signed(first.value)} {ends(first)}, so that there is no advantage to lose."
        )


def _newborn(breakdowns: Sequence[Breakdown]) -> Iterator[str]:
    """Whose memory did not load after damage, and how often."""
    for one in breakdowns:
        if one.unreadable:
            counts = listed(
                [
                    f"{count} at {strength:g}"
                    for strength, count in zip(
                        one.degradation.strengths, one.unreadable, strict=True
                    )
                    if count
                ]
            )
            yield (
                f"Under {one.operator} the memory of {one.subject} did not load after damage, and a newborn was "
                f"assessed in its place: of {some(one.scores[0].n, 'environment')}, in {counts}."
            )


def _withdrawn(breakdowns: Sequence[Breakdown]) -> Iterator[str]:
    """Who withdrew, which is no collapse."""
    for one in breakdowns:
        if any(each.share for each in one.withdrawn):
            most = max(range(len(one.withdrawn)), key=lambda at: one.withdrawn[at].share)
            found = one.withdrawn[most]
            how = (
                "" if math.isnan(found.stayed) else f", and scored {signed(found.stayed)} elsewhere"
            )
            yield (
                f"Under {one.operator}, {one.subject} withdrew from {found.share:.0%} of environments at "
                f"{one.degradation.strengths[most]:g}{how}."
            )
    able = [one for one in breakdowns if one.withdrawn]
    never = [
        name
        for name in _named(able)
        if not any(each.share for one in able if one.subject == name for each in one.withdrawn)
    ]
    if never:
        yield (
            f"Nobody of {listed(never)} ever withdrew."
            if len(never) > 1
            else f"{never[0]} never withdrew."
        )


def _named(breakdowns: Any) -> list[str]:
    return list(dict.fromkeys(one.subject for one in breakdowns))


GLOSSARY = (
    ("strength", "From 0, which changes nothing, to 1."),
    (
        "advantage",
        "The score of a subject minus that of acting at random under the same perturbation, in the same environments.",
    ),
    (
        "retention",
        "The advantage at a strength, as a share of the advantage at 0. Not defined where the 95% interval of the "
        "advantage at 0 holds 0.",
    ),
    ("area", "Under retention from strength 0 to 1, by trapezoids: 1 for a subject that loses nothing."),
    (
        "breaking point",
        "The least strength at which retention is below 0.5, along the falling curve that is nearest to it.",
    ),
    (
        "breakdown",
        f"How far strength goes from retention below 0.9 to retention below 0.1: abrupt if less than {ABRUPT:g}, else "
        "graceful. Not reached where retention does not fall so far.",
    ),
    (
        "noticing",
        "How often the subject's own alarm is higher in a perturbed episode than in a clean one: the area under the "
        "ROC curve, 0.5 by chance.",
    ),
    (
        "recovery",
        "What more training under the perturbation brings back, as a share of what the perturbation cost.",
    ),
    (
        "withdrawing",
        "One more action, where it is granted, that ends the episode: it counts 0. A subject that withdraws has not "
        "collapsed.",
    ),
)  # fmt: skip


# Data -------------------------------------------------------------------------------


def plain(one: Breakdown) -> dict[str, Any]:
    """All that is told of a subject under an operator, as plain data; what is not defined is None.

    A breaking point, or an end of its interval, that is beyond all strengths is the text "> 1".
    """
    found = one.degradation
    kept = found.retention if one.defined else None
    curve = []
    for at, strength in enumerate(found.strengths):
        curve.append(
            {
                "strength": strength,
                "score": _plain(one.scores[at]),
                "random": _plain(one.chance[at]),
                "retention": None if kept is None else _plain(kept[at]),
                "recovery": _plain(one.recovery[at]) if one.recovery else None,
                "withdrawn": one.withdrawn[at].share if one.withdrawn else None,
                "score_where_it_stayed": one.withdrawn[at].stayed if one.withdrawn else None,
                "unreadable": one.unreadable[at] if one.unreadable else 0,
            }
        )
    return {
        "subject": one.subject,
        "operator": one.operator,
        "environments": one.scores[0].n,
        "area": _plain(found.area) if one.defined else None,
        "breaking_point": _plain_breaking(one) if one.defined else None,
        "width": found.width if one.defined else None,
        "breakdown": found.manner if one.defined else None,
        "noticing": _plain(one.noticing),
        "curve": curve,
    }


def _plain(estimate: Estimate | None) -> dict[str, float] | None:
    if estimate is None:
        return None
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def _plain_breaking(one: Breakdown) -> dict[str, float | str]:
    found = one.degradation.breaking
    assert found is not None
    return {
        name: _strength(one, value) if math.isinf(value) else value
        for name, value in (("value", found.value), ("low", found.low), ("high", found.high))
    }
