"""What intervals take as replicated, in words: beside every table of intervals, and where there can be none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from mensura.core.account import EPISODE, Unit
from mensura.reports.number_words import ends, some, whole
from mensura.statistics.clusters import Error
from mensura.statistics.interval import Estimate
from mensura.statistics.replication import Replication

ENVIRONMENT, REPETITION = "environment", "repetition"


def not_estimable(repetitions: int) -> str:
    """What stands where an interval would."""
    return f"not estimable with {some(repetitions, REPETITION)}"


def around(estimate: Estimate, replication: Replication) -> str:
    """The interval of an estimate, or why there is none."""
    if math.isnan(estimate.value):
        return "none"
    text = ends(estimate)
    if math.isfinite(estimate.low) or text.startswith("too few") or replication.unit != "run":
        return text
    return not_estimable(replication.repetitions)


def counted(unit: str, number: int, conditions: int, sitting: Unit = EPISODE) -> str:
    """The unit of an interval with its number, as a cell of a table; of several conditions, in each."""
    each = " in each condition" if conditions > 1 else ""
    return f"{some(number, _noun(unit, sitting))}{each}"


def behind(errors: Iterable[Error], unit: Unit = EPISODE) -> str:
    """The units behind the intervals of a table with their number: 80 environments, or 2 repetitions."""
    counts: dict[str, list[int]] = {}
    for error in errors:
        counts.setdefault(_noun(error.unit, unit), []).append(error.units)
    return " or ".join(
        some(min(own), noun)
        if min(own) == max(own)
        else f"{whole(min(own))} to {some(max(own), noun)}"
        for noun, own in counts.items()
    )


def common(errors: Sequence[Error], unit: Unit = EPISODE) -> str:
    """The same in a sentence."""
    nouns = dict.fromkeys(_noun(error.unit, unit) for error in errors)
    return f"The unit of the intervals is the {' or the '.join(nouns)}; behind each stand {behind(errors, unit)}."


def _noun(unit: str, sitting: Unit) -> str:
    """A repetition, an environment, or what a sitting in several environments is called."""
    if unit == "run":
        return REPETITION
    return ENVIRONMENT if sitting is EPISODE else sitting.one


def decided(replication: Replication) -> Iterator[str]:
    """Which unit was chosen where the experiment was repeated, once for all intervals, and why."""
    if replication.repetitions < 2:
        return
    count = some(replication.repetitions, REPETITION)
    begin = f"The experiment was made in {count}, with other seeds each."
    if replication.estimable and replication.unit == "run":
        yield (
            f"{begin} The unit of all intervals is the repetition, {_why(replication)}. How far repetitions differ is "
            "estimated from all conditions of a subject together."
        )
    elif replication.estimable:
        yield (
            f"{begin} The unit of all intervals is the environment, since repetitions add no more to the error than "
            "environments do."
        )
    elif replication.unit == "run":
        yield (
            f"{begin} The unit of all intervals is the repetition, {_why(replication)}. How far repetitions differ is "
            f"{not_estimable(replication.repetitions)}: so there are no intervals, and nobody is called better. It "
            "takes more repetitions, not more episodes."
        )
    else:
        yield (
            f"{begin} They differ no more than by chance, but how far repetitions differ in general is "
            f"{not_estimable(replication.repetitions)}. The unit of all intervals is the environment: they speak of "
            "other environments, not of other repetitions."
        )


def _why(replication: Replication) -> str:
    if replication.one_environment:
        return "since all were made in one environment"
    return "since repetitions differ more than their environments explain, of one subject at least"
