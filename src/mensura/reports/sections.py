"""The parts of a report on subjects: each says in words, rows and figures what the numbers allow."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mensura.core.steps import contributing
from mensura.core.usage import is_of_member
from mensura.core.visible import visible
from mensura.records.results import RunResult, SubjectResult
from mensura.records.validity import LIMIT
from mensura.reports import drawing, figures, protocols, units
from mensura.reports.number_words import (
    FEWEST,
    UNKNOWN,
    ends,
    interval,
    listed,
    percent,
    plain,
    same_score,
    score_of,
    seconds,
    share_by_default,
    short,
    signed,
    some,
    whole,
)
from mensura.reports.protocols import EPISODE, Unit, common_unit
from mensura.reports.standing import Standing
from mensura.statistics.interval import Estimate, zero_probability
from mensura.statistics.moments import Grouped
from mensura.statistics.multiple import corrected
from mensura.statistics.regression import Regression, grouped_regression
from mensura.statistics.replication import Replication
from mensura.statistics.spread import predicted_spread

PUBLISHED_EPISODES = 1000
"""The size of experiments for which a spread is predicted, beside that of the run: that of Chmait et al. (2016)."""

_SCORE, _REGRESSION = "Score", "Regression line"
_GLOSSARY = (
    ("World, environment", "A world is a class of environments. An environment is one of them: here, it is drawn on "
     "the spot, so nobody can have learned it by heart."),
    ("Subject", "Whoever is assessed: an agent, or a collective of agents that may tell each other things before they "
     "act. All subjects of a run meet the same environments, unless environments adapt to the subject."),
    ("Interaction, episode", "An interaction is one observation, one action and one reward of every agent. An episode "
     "is all interactions in one environment."),
    ("Training", "Episodes in the same environment before the one that counts, for subjects that learn."),
    (_SCORE, "The mean reward per subject and iteration over an episode, averaged over environments."),
    ("95% interval", "If the run were repeated with other environments again and again, 95 of 100 such intervals would "
     "hold the true score."),
    ("Interquartile mean", "The mean of the middle half of the {many}, without the best and the worst quarter: few "
     "wild {many} hardly move it. Its interval comes from drawing environments, and runs where there are several, "
     "anew from those that were played."),
    ("Spread", "The standard deviation of the score between identical experiments, each with as many {many} but "
     "other environments; estimated from the scatter of {many} within this one."),
    (_REGRESSION, "The straight line that fits all episodes best (least squares); its slope is what one step of "
     "complexity costs."),
    ("Fault", "A subject raised an error, was late or answered nonsense. The world's default action was played "
     "instead; after three faults a seat is not asked again in that sitting."),
    ("Played by default", "The share of a subject's assessed actions that were the environment's default, for want of "
     "an answer; of several conditions, the largest. Above " + LIMIT + " a subject is marked invalid: "
     "its rewards are those of the default, so it has no score, and is neither placed, ranked nor compared."),
    ("Compiled", "Built-in subjects are played in machine code, whole episodes at a time. All others are asked step by "
     "step. Both ways give the same rewards."),
)  # fmt: skip


def glossary(conditions: Sequence[RunResult]) -> list[tuple[str, str]]:
    """The words of a report, with the complexities that it tells of."""
    unit = common_unit(conditions)
    alike = len({c.assessment.get("name") for c in conditions}) == 1
    own = protocols.score(conditions[0].assessment) if alike else ""
    words = []
    for word, sense in _GLOSSARY:
        if word == _REGRESSION:
            words += _complexities(conditions)
        if word == _SCORE and unit.sense:
            words.append((unit.one.capitalize(), unit.sense))
        words.append((word, own if word == _SCORE and own else sense.format(many=unit.many)))
    return words


def _complexities(conditions: Sequence[RunResult]) -> list[tuple[str, str]]:
    """The complexities of the conditions, as their worlds explain them, as far as those are still there."""
    found: dict[str, str] = {}
    for one in conditions:
        name = str(one.assessment.get("measure") or "")
        measure = protocols.measure_of(one.world, one.world_parameters, name)
        if measure is not None:
            unit = f", in {measure.unit}" if measure.unit else ""
            found[name] = f"How complex an environment is: {measure.explanation}{unit}."
    return list(found.items())


LONGEST_SETTING = 100
"""Characters of a parameter that are shown; a whole task may be one."""

MOST_POINTS = 30
"""So many points a panel shows at most; neighboring complexities are put together."""


def known(groups: Grouped) -> Grouped:
    """Without the group below 0, which holds environments whose complexity nobody measured."""
    return Grouped({k: m for k, m in groups.groups.items() if k >= 0})


def lines_of(standings: Sequence[Standing]) -> dict[str, Regression | None]:
    """The regression of each subject's score on complexity."""
    return {one.subject: grouped_regression(known(one.result.by_complexity)) for one in standings}


def played(standings: Sequence[Standing], unit: Unit) -> str:
    """How many assessed episodes, or chains, or tests subjects had, in words."""
    counts = {one.result.moments.count for one in standings}
    if len(counts) == 1:
        return f"{unit.count(counts.pop())} each"
    return f"{whole(min(counts))} to {whole(max(counts))} {unit.many} each"


def found(
    standings: Sequence[Standing], conditions: int, unit: Unit = EPISODE, at_random: bool = True
) -> Iterator[str]:
    """What came out, in a few sentences that the numbers allow; ``at_random`` says whether that is worth 0."""
    valid = [one for one in standings if one.valid]
    if valid:
        yield _ranked(valid, conditions, unit, at_random)
        if at_random:
            yield from _beside_chance(valid)
        few = [one.subject for one in valid if not one.enough]
        if few:
            yield (
                f"Fewer than {FEWEST} {unit.many} are too few for an interval or a verdict, so take these scores as a "
                f"first impression: {listed(few)}."
            )
    yield from _invalid(standings)
    faulty = [
        f"{one.subject} ({some(one.result.faults, 'fault')}, {_shared(one.default_share)})"
        for one in valid
        if one.result.faults
    ]
    if faulty:
        yield f"Some answers failed and cost their subject its turn: {listed(faulty)}."


def _ranked(valid: Sequence[Standing], conditions: int, unit: Unit, at_random: bool) -> str:
    """Who scored what, the best first, and what the run can tell about the order."""
    over = "On"
    if conditions > 1:
        if len(valid) > 1 and any(one.conditions < conditions for one in valid):
            return (
                "Not all subjects were assessed under the same conditions, so their scores over all of them cannot be "
                "compared; the conditions one by one tell who scored what."
            )
        over = f"Over {some(conditions, 'condition')}, each counting the same, and on"
    ends = (
        "acting at random is worth 0 and 1 is the most"
        if at_random
        else "-1 is the least and 1 the most"
    )
    scale = f"{over} a scale where {ends}, "
    best = valid[0]
    if len(valid) == 1:
        return f"{scale}{best.subject} scored {_with_interval(best, unit)}."
    equal = [one for one in valid if same_score(one.score.value, best.score.value)]
    rest = valid[len(equal) :]
    if len(equal) > 1:
        above = f", above the other {len(rest)}" if rest else ""
        names = listed([one.subject for one in equal], len(equal))
        return f"{scale}{names} scored equally{above}: {signed(best.score.value)}."
    said = f"{scale}{best.subject} scored highest of {len(valid)} subjects: {_with_interval(best, unit)}."
    untold = [one for one in valid if not one.estimable]
    if untold:
        return (
            f"{said} Whether that is better than {listed([one.subject for one in rest])} is "
            f"{units.not_estimable(untold[0].units)}."
        )
    settled = settled_below(best, rest)
    rivals = [one.subject for one in rest if one not in settled]
    several = f", corrected for {len(rest)} comparisons by Holm's method" if len(rest) > 1 else ""
    if rivals:
        return (
            f"{said} Whether it is better than {listed(rivals)} is open: "
            f"{'that difference' if len(rivals) == 1 else 'these differences'} may be chance (5%{several})."
        )
    return (
        f"{said} The next, {rest[0].subject}, scored {_with_interval(rest[0], unit)}; the difference is more than "
        f"chance explains (5%{several})."
    )


def settled_below(best: Standing, others: Sequence[Standing]) -> list[Standing]:
    """Those whose scores are below that of the best by more than chance explains, all comparisons taken together."""
    p = [
        (best.error + one.error).probability(best.score.value - one.score.value)
        if best.enough and one.enough
        else math.nan
        for one in others
    ]
    return [one for one, value in zip(others, corrected(p).tolist(), strict=True) if value <= 0.05]


def _beside_chance(valid: Sequence[Standing]) -> Iterator[str]:
    """Who is no better, or worse, than acting at random; who acts at random is not held against that."""
    tried = [one for one in valid if one.enough and not acts_at_random(one.subject)]
    p = corrected([one.error.probability(one.score.value) for one in tried]).tolist()
    chance = [one.subject for one, value in zip(tried, p, strict=True) if value > 0.05]
    if chance:
        yield f"No better or worse than acting at random, as far as this run can tell: {listed(chance)}."
    worse = [
        one.subject
        for one, value in zip(tried, p, strict=True)
        if value <= 0.05 and one.score.value < 0.0
    ]
    if worse:
        yield f"Worse than acting at random: {listed(worse)}."


def acts_at_random(subject: str) -> bool:
    """Whether a subject is the one that acts at random, or a collective of such."""
    parts = subject.split("+")
    return all(re.fullmatch(r"random(\?[^+*]*)?(\*\d+)?", part.strip()) for part in parts)


def _invalid(standings: Sequence[Standing]) -> Iterator[str]:
    """Whose scores are not their own, and what follows from that."""
    refused = [f"{one.subject} {one.result.reason}" for one in standings if one.result.reason]
    if refused:
        yield f"No score: {listed(refused, 8)}."
    named = [
        f"{one.subject} ({_shared(one.default_share)}{_somewhere(one)})"
        for one in standings
        if not one.valid and not one.result.reason
    ]
    if named:
        nobody = len(named) == len(standings)
        yield (
            f"{'No subject has a valid score' if nobody else 'No valid score'}: {listed(named, 8)}. Where more than "
            f"{LIMIT} of the actions are the environment's default, a score would say nothing of its "
            "subject, which has none and is neither placed, ranked nor compared."
        )


def _somewhere(one: Standing) -> str:
    return " under the worst of its conditions" if one.conditions > 1 else ""


def _shared(share: float) -> str:
    """The share of default actions, in a sentence."""
    if math.isnan(share):
        return "how often the default was played was not recorded"
    return f"{percent(share)} of its actions were the default"


def _with_interval(one: Standing, unit: Unit) -> str:
    score = one.score
    if not one.enough:
        return f"{signed(score.value)} in {unit.count(score.n)}"
    if not one.estimable:
        return f"{signed(score.value)}, whose error is {units.not_estimable(one.units)}"
    if not math.isfinite(score.low):
        return f"{signed(score.value)}, which gives no interval"
    return f"{signed(score.value)}, 95% interval {ends(score)}"


def replicated(standings: Sequence[Standing], replication: Replication) -> Iterator[str]:
    """What the intervals take as replicated, where the experiment was repeated."""
    yield from units.decided(replication)
    repetitions = max((len(one.result.repetitions) for one in standings), default=0)
    if repetitions > 1 and replication.repetitions == 1:
        yield (
            f"The experiment was made in {some(repetitions, units.REPETITION)}. Single scores were not kept, so "
            "intervals take every sitting as independent of the others, whichever repetition it is of."
        )


def settings(result: RunResult) -> Iterator[tuple[str, str]]:
    """The parameters of world and assessment, as far as they are plain values."""
    yield "world", result.world
    for name, value in result.world_parameters.items():
        if name != "id" and (text := _plain_value(value)):
            yield name.replace("_", " "), text
    for name, value in result.assessment.items():
        if text := _plain_value(value):
            label = "assessment" if name == "name" else f"assessment: {name.replace('_', ' ')}"
            yield label, text


def _plain_value(value: Any) -> str:
    """A value as people write it; nothing for one that is empty or no plain value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float, str)):
        text = str(value)
        return text if len(text) <= LONGEST_SETTING else f"{text[: LONGEST_SETTING - 3]}..."
    if isinstance(value, (list, tuple)) and all(isinstance(item, (int, float)) for item in value):
        return ", ".join(map(str, value))
    return ""


def with_interval(estimate: Estimate | None, replication: Replication) -> tuple[str, str] | None:
    """An estimate as a cell of a table holds it: the value above its interval."""
    if estimate is None:
        return None
    if math.isnan(estimate.value):
        return "none", ""
    return signed(estimate.value), units.around(estimate, replication)


def row(one: Standing, replication: Replication, unit: Unit = EPISODE) -> dict[str, Any]:
    """What tables say of a subject."""
    score, result = one.score, one.result
    observed = result.observed_spread
    # Where the default was played most of the time, nobody answered so many interactions in so many seconds.
    rate = result.interactions / result.seconds if result.seconds > 0 and one.valid else math.nan
    return {
        "subject": one.label,
        "valid": one.valid,
        "by_default": share_by_default(one.default_share),
        "score": score_of(result, score),
        "interval": units.around(score, replication),
        "unit": units.counted(one.unit, one.units, one.conditions, unit),
        "middle": with_interval(one.middle, replication),
        "spread": plain(result.spread.value) if one.valid else "none",
        "observed": plain(observed.value) if observed and one.valid else "",
        "spread_published": plain(_at_published(result)) if one.valid else "none",
        "training": whole(result.training),
        "episodes": whole(result.moments.count),
        "conditions": whole(one.conditions),
        "faults": whole(result.faults),
        "fault_count": some(result.faults, "fault"),
        "summary": result.summary,
        "seconds": seconds(result.seconds),
        "cpu": seconds(result.cpu) if result.cpu > 0 else UNKNOWN,
        "interactions": whole(result.interactions),
        "rate": whole(float(f"{rate:.3g}")) if math.isfinite(rate) else UNKNOWN,
        "lost": whole(result.lost),
        "played": "compiled" if result.compiled else "step by step",
        "examples": result.fault_examples,
        "printed": [visible(row.text) for row in result.printed],
    }


def _at_published(one: SubjectResult) -> float:
    """The spread that experiments of the paper's size would have."""
    return predicted_spread(one.moments, PUBLISHED_EPISODES).value


def spread(subjects: Sequence[SubjectResult], world: str, unit: Unit = EPISODE) -> Iterator[str]:
    """How far scores scatter between identical experiments, beside what a paper says of its own."""
    if unit is not EPISODE:
        yield (
            "The spread is the standard deviation that the score would have between identical experiments of as many "
            f"{unit.many} as here."
        )
        return
    told = [(value, one.subject) for one in subjects if math.isfinite(value := _at_published(one))]
    own = protocols.published(world)
    yield (
        "The spread is the standard deviation that the score would have between identical experiments: of as many "
        f"episodes as here, and of {PUBLISHED_EPISODES}{', the number in the paper' if own is not None else ''}."
    )
    if not told:
        yield "A single episode per subject does not tell it."
    if not told or own is None:
        return
    below = sum(value < own for value, _ in told)
    low, high = min(told), max(told)
    ends = (
        f"from {plain(low[0])} ({low[1]}) to {plain(high[0])} ({high[1]})"
        if len(told) > 1
        else f"{plain(low[0])} ({low[1]})"
    )
    many = (
        f"{below} of {len(told)} subjects"
        if len(told) > 1
        else ("1 subject" if below else "no subject")
    )
    lies = "lies" if len(told) == 1 or below == 1 else "lie"
    yield (
        f"The paper reports \N{LEFT DOUBLE QUOTATION MARK}usually a standard deviation of less than "
        f"{own:g}\N{RIGHT DOUBLE QUOTATION MARK} between its identical experiments. Here the scatter of "
        f"episodes predicts {ends} for {PUBLISHED_EPISODES} episodes; {many} {lies} below {own:g}. "
        f"At the largest of these, a spread of {own:g} would take about "
        f"{whole(float(f'{PUBLISHED_EPISODES * (high[0] / own) ** 2:.2g}'))} episodes."
    )


def complexity_panels(
    standings: Sequence[Standing],
    lines: Mapping[str, Regression | None],
    measure: str,
    prefix: str = "",
) -> list[dict[str, Any]]:
    """A small figure of the score against complexity for each subject, all on the same axes."""
    points = {
        one.subject: known(one.result.by_complexity).coarser(MOST_POINTS).estimates()
        for one in standings
    }
    everything = [point for group in points.values() for point in group.values()]
    if not everything:
        return []
    seen = [k for group in points.values() for k in group]
    margin = 0.04 * (max(seen) - min(seen)) or 0.8
    x_range = min(seen) - margin, max(seen) + margin
    y_range = drawing.score_range(everything)
    return [
        {
            "name": one.label,
            "svg": figures.by_complexity(
                points[one.subject],
                lines[one.subject],
                x_range,
                y_range,
                measure,
                f"{prefix}complexity-{i}",
                f"Score of {short(one.subject)} against the complexity of environments",
            ),
            "caption": _slope(lines[one.subject], measure),
        }
        for i, one in enumerate(standings)
        if points[one.subject]
    ]


def _slope(line: Regression | None, measure: str) -> str:
    if line is None:
        return "All environments have one complexity, so there is no line."
    r = f", r = {line.r.value:+.2f}" if math.isfinite(line.r.value) else ""
    # Where complexity has large numbers a single unit makes no difference that could be read.
    unit = 1
    while unit < 10**9 and max(abs(line.slope.low), abs(line.slope.high)) * unit < 0.001:
        unit *= 10
    ends = interval(unit * line.slope.low, unit * line.slope.high, 4)
    per = "unit" if unit == 1 else f"{whole(unit)} units"
    return (
        f"Slope {signed(unit * line.slope.value, 4)} per {per} of {measure}, 95% interval {ends}{r}"
    )


def complexity(
    standings: Sequence[Standing],
    lines: Mapping[str, Regression | None],
    measure: str,
    unit: Unit = EPISODE,
) -> Iterator[str]:
    """Who depends on complexity and how, as far as the lines tell."""
    standings = [one for one in standings if one.valid]
    names = [one.subject for one in standings]
    drawn = {name: line for name in names if (line := lines[name]) is not None}
    if not standings:
        return
    if not any(known(one.result.by_complexity).groups for one in standings):
        yield "The complexity of these environments was not measured, so there is nothing to draw."
        return
    if not drawn:
        yield f"All environments have the same complexity {measure}, so nothing can be said about its influence."
        return
    many = any(len(known(one.result.by_complexity).groups) > MOST_POINTS for one in standings)
    near = ", or of neighboring ones" if many else ""
    if unit is not EPISODE:
        yield f"Shown are the rewards in single environments, of which {unit.many} are made."
    yield (
        f"Each point is the mean over the environments of one complexity {measure}{near}, with its 95% interval; the "
        "line is the regression over all episodes, so a point counts by the number of its episodes. The panels share "
        "their axes."
    )
    beyond = corrected(
        [zero_probability(line.slope, line.slope.n - 2) for line in drawn.values()]
    ).tolist()
    sure = [name for name, p in zip(drawn, beyond, strict=True) if p <= 0.05]
    falls = [name for name in sure if drawn[name].slope.value < 0.0]
    rises = [name for name in sure if drawn[name].slope.value > 0.0]
    rest = [name for name in drawn if name not in falls and name not in rises]
    for names, words in (
        (falls, "The score falls with complexity for"),
        (rises, "It rises with complexity for"),
        (rest, "No slope beyond what chance explains for"),
    ):
        if names:
            yield f"{words} {listed(names, 8)}."


def learning_panels(standings: Sequence[Standing], prefix: str = "") -> list[dict[str, Any]]:
    """A small learning curve for each subject whose training was kept, all on the same axes."""
    # Attempts have figures of their own.
    curves = [
        one for one in standings if len(one.result.learning.groups) > 1 and not one.result.attempts
    ]
    if not curves:
        return []
    points = [p for one in curves for p in figures.joined(one.result.learning)[1]]
    longest = max(max(one.result.learning.groups) for one in curves) + 1
    margin = 0.03 * longest
    y_range = drawing.score_range(points)
    return [
        {
            "name": one.label,
            "svg": figures.learning(
                one.result.learning,
                one.result.training,
                (1 - margin, longest + margin),
                y_range,
                f"{prefix}learning-{i}",
                f"Reward of {short(one.subject)} by the number of the episode in its environment",
            ),
            "caption": _learned(one.result),
        }
        for i, one in enumerate(curves)
    ]


def _learned(one: SubjectResult) -> str:
    """From the first tenth of training to the last."""
    numbers = sorted(k for k in one.learning.groups if k < max(one.training, 1))
    tenth = max(1, len(numbers) // 10)
    if len(numbers) < 2:
        return ""
    first, last = (
        Grouped({k: one.learning.groups[k] for k in part}).total()
        for part in (numbers[:tenth], numbers[-tenth:])
    )
    sittings = max(m.count for m in one.learning.groups.values())
    return (
        f"From {signed(first.mean)} in the first {some(tenth, 'training episode')} to {signed(last.mean)} in the "
        f"last; {some(sittings, 'sitting')} kept."
    )


def measures(standings: Sequence[Standing]) -> tuple[list[str], list[dict[str, Any]]]:
    """The names of further measures, and a row of means with intervals for each subject."""
    told = {name for one in standings for name in one.result.measures}
    # What single members took has a table of its own.
    names = sorted(
        name for name in told if contributing(name) is None and not is_of_member(name, told)
    )
    rows = []
    for one in standings:
        cells = []
        for name in names:
            moments = one.result.measures.get(name)
            if moments is None or not moments.count:
                cells.append("")
                continue
            estimate = moments.estimate()
            known = estimate.n >= FEWEST and math.isfinite(estimate.low)
            around = f" [{estimate.low:.4g}, {estimate.high:.4g}]" if known else ""
            cells.append(f"{estimate.value:.4g}{around}")
        if any(cells):
            rows.append({"subject": one.label, "cells": cells})
    return names, rows


def _over_asked(one: SubjectResult) -> str:
    """Faults over what was really asked."""
    if not one.asked > 0:
        return f"{some(one.faults, 'fault')}, in how many questions was not recorded"
    share = percent(min(1.0, one.faults / one.asked))
    return f"{some(one.faults, 'fault')} in {some(int(one.asked), 'question')} ({share})"


def faults(standings: Sequence[Standing]) -> Iterator[str]:
    """How many answers failed, and what that means for scores, in words."""
    total = sum(one.result.faults for one in standings)
    if not total:
        yield "No subject raised an error, was late or gave an answer that is not an action."
        return
    yield (
        f"{some(total, 'fault')} in all. For each the world's default action was played; after three faults a seat is "
        "not asked again in that sitting, and the default is played to its end."
    )
    for one in standings:
        if one.result.faults:
            yield f"{one.subject}: {_over_asked(one.result)}; {_shared(one.default_share)}{_somewhere(one)}."
    yield from _invalid(standings)
    yield (
        "Examples, with what the subject printed in its first sitting and in such ones, where it runs in a process of "
        "its own:"
    )
