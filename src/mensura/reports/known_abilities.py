"""Scripted models have known abilities: does a page find what is known?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mensura.reports.cost_front import questions
from mensura.reports.number_words import percent, signed
from mensura.reports.standing import Standing
from mensura.statistics.interval import Estimate
from mensura.statistics.quantiles import normal


@dataclass(frozen=True)
class Known:
    """What is known of a scripted model."""

    ability: float
    """The probability of a good action, over a whole episode."""
    rises: bool = False
    """Whether it gets better within an episode."""
    refuses: float = 0.0
    """The share of actions that it refuses."""


@dataclass(frozen=True)
class Check:
    """One thing that is known, and whether it was found."""

    words: str
    found: bool


def checks(
    known: Mapping[str, Known],
    standings: Sequence[Standing],
    improvements: Mapping[str, Estimate],
) -> Iterator[Check]:
    """What should be found of scripted models, each with what was found."""
    by_name = {one.subject: one for one in standings if one.subject in known}
    yield from _order(known, by_name)
    yield from _learning(known, improvements)
    yield from _refusals(known, by_name)


def _order(known: Mapping[str, Known], standings: Mapping[str, Standing]) -> Iterator[Check]:
    steady = sorted(
        (name for name, one in standings.items() if one.valid and not known[name].rises),
        key=lambda name: known[name].ability,
    )
    if len(steady) < 2:
        return
    right = all(
        standings[one].score.value < standings[two].score.value
        for one, two in pairwise(steady)
        if known[one].ability < known[two].ability
    )
    told = ", ".join(
        f"{name} (ability {known[name].ability:g}) {signed(standings[name].score.value)}"
        for name in steady
    )
    yield Check(f"Scores rise with ability: {told}.", right)


def _learning(known: Mapping[str, Known], improvements: Mapping[str, Estimate]) -> Iterator[Check]:
    for name, one in known.items():
        if not one.rises or name not in improvements:
            continue
        for other, two in known.items():
            if two.rises or two.ability != one.ability or two.refuses or other not in improvements:
                continue
            gained, steady = improvements[name], improvements[other]
            yield Check(
                f"{name} improves within an episode, by {signed(gained.value)}, and by more than {other}, whose "
                f"ability is the same on average and stays as it is ({signed(steady.value)}).",
                gained.low > 0.0 and gained.value > steady.value,
            )


def _refusals(known: Mapping[str, Known], standings: Mapping[str, Standing]) -> Iterator[Check]:
    for name, standing in standings.items():
        wanted, asked = known[name].refuses, questions(standing.result)
        if not wanted or not asked > 0:
            continue
        share = standing.result.faults / asked
        reach = normal(0.9995) * math.sqrt(wanted * (1 - wanted) / asked)
        yield Check(
            f"{name} refuses {percent(wanted)} of all actions: {percent(share)} of the answers were faults.",
            abs(share - wanted) <= reach,
        )
