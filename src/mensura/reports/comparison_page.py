"""The page of a comparison, and what can be concluded from one, in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.account import EPISODE, Unit
from mensura.reports import figures, units
from mensura.reports.drawing import Drawing
from mensura.reports.number_words import (
    FEWEST,
    UNKNOWN,
    interval,
    listed,
    percent,
    plain,
    signed,
    some,
    whole,
)
from mensura.reports.page import fill
from mensura.reports.protocols import adapts, unit_of
from mensura.statistics.compare import Comparison
from mensura.statistics.power import POWER

DRAWN = 60
"""So many comparisons at most stand in one figure."""
CONDITIONS = 12
"""Of more conditions there are tables only."""
TOO_MANY = 10_000_000
"""Nobody plays more episodes than that to settle a difference."""

NOT_COMPARABLE = "not comparable"
"""The mark of comparisons in which more than the subject differs."""

_GLOSSARY = (
    ("Difference", "The mean score of the first subject minus that of the second, with its interval."),
    ("Paired", "Both met the same environments, and each environment gives one difference. What makes an environment "
     "easy or hard for everybody cancels, so that fewer episodes tell the two apart. Where environments adapt to the "
     "subject, sittings with the same draws are paired. Where they met different "
     "environments the two samples are independent, and Welch's test takes over."),
    ("Effect size", "The difference over the scatter: of pairs, the standard deviation of differences (d_z); of "
     "independent samples, that of scores, with a correction for small samples (Hedges' g). About 0.2 is called "
     "small, 0.5 medium, 0.8 large."),
    ("p", "How likely two equal subjects would differ at least as much as these did."),
    ("Corrected p", "The more comparisons are made, the more of them come out small by chance. Holm's correction keeps "
     "the probability of even one false finding in the whole family below the level; Benjamini and Hochberg's keeps "
     "down the share of false ones among the findings."),
    ("Probability of improvement", "How likely the first does better than the second: of pairs, in the same "
     "environment; else, between any two episodes. Ties count half. It asks how often, not by how much."),
    ("Unit", "What was replicated. Episodes in the same environment, or in the same repetition of the experiment, "
     "resemble each other, so intervals count environments, or repetitions where these differ: one of the two for all "
     "comparisons."),
    ("More to settle it", "How many more episodes of each subject, or repetitions where these are the unit, would find "
     "the difference with a probability of 80%, if the true difference is the observed one. It is as uncertain as the "
     "difference itself: a guide to planning."),
)  # fmt: skip


def conclusion(one: Comparison, several: bool = True) -> str:
    """What can be concluded from a comparison, and what it would take to conclude more, in plain sentences.

    Where there are several conditions, it says under which.
    """
    where = f" under {one.condition}" if one.condition and several else ""
    if one.differs:
        return f"{NOT_COMPARABLE}: {_concluded(one, where)} They differ in {listed(one.differs)}."
    return _concluded(one, where)


def _concluded(one: Comparison, where: str) -> str:
    level = f"{100 * one.difference.level:g}%"
    if _few(one) and one.verdict == "unknown":
        return (
            f"Nothing can be said about {one.one} and {one.two}{where}: {_rests(one)} are too few."
        )
    if one.too_few_runs:
        return (
            f"Nothing can be said about {one.one} and {one.two}{where}: how far repetitions differ is "
            f"{units.not_estimable(one.units)}. It takes more repetitions, not more episodes."
        )
    if one.verdict == "unknown":
        return f"Nothing can be said about {one.one} and {one.two}{where}: {_units(one)} shows no scatter."
    if one.verdict == "same":
        return f"{one.one} and {one.two} scored exactly the same{where} in {_units(one)}."
    ends = f"{level} interval {interval(one.difference.low, one.difference.high)}"
    family = _family(one)
    if one.verdict != "open":
        better, worse, sign = (
            (one.one, one.two, 1) if one.verdict == "higher" else (one.two, one.one, -1)
        )
        share = one.improvement.value if sign > 0 else 1.0 - one.improvement.value
        often = (
            f"it does better in {percent(share)} of {_unit(one).many}"
            if one.paired
            else f"{_article(_sitting(one).one)} of it beats one of the other with a probability of {percent(share)}"
        )
        low, high = sorted((sign * one.difference.low, sign * one.difference.high))
        return (
            f"{better} scores higher than {worse}{where}: by {plain(abs(one.difference.value), 3)} on average over "
            f"{_units(one)}, {level} interval {interval(low, high)}; {often}.{family}"
        )
    by_itself = one.p <= 1.0 - one.difference.level
    doubt = (
        f" By itself the difference would count (p = {probability(one.p)}), among "
        f"{some(one.family, 'comparison')} it does not (corrected p = {probability(one.corrected)})."
        if by_itself
        else ""
    )
    return (
        f"Whether {one.one} or {one.two} is better{where} is open after {_units(one)}: the difference is "
        f"{signed(one.difference.value)}, {ends}.{doubt} {_needed(one)}"
    )


def _few(one: Comparison) -> bool:
    """Whether the comparison rests on too few scores for an interval and a verdict."""
    return 1 < min(one.n) < FEWEST


def _family(one: Comparison) -> str:
    if one.family < 2:
        return ""
    if one.correction == "none":
        return f" It is one of {one.family} comparisons, and nothing was corrected for that."
    return f" This holds among all {one.family} comparisons."


def _units(one: Comparison) -> str:
    """What the comparison rests on."""
    sitting = _sitting(one)
    if one.unit == "run":
        return f"{some(one.units, 'repetition')} of {sitting.count(round(min(one.n) / one.units))}"
    if not one.paired:
        return f"{whole(one.n[0])} and {sitting.count(one.n[1])}"
    if sitting is EPISODE:
        return f"the same {some(one.units, 'environment')}" if one.units > 1 else "one environment"
    if _adapts(one):
        return f"{sitting.count(one.units)} (paired by {sitting.one}; environments adapt)"
    return f"{sitting.count(one.units)} in the same environments"


def _rests(one: Comparison) -> str:
    """The same, as short as a table wants it."""
    sitting = _sitting(one)
    if one.unit == "run":
        return f"{some(one.units, 'repetition')} of {sitting.count(round(min(one.n) / one.units))}"
    if one.paired:
        return _unit(one).count(one.units)
    return f"{whole(one.n[0])} and {sitting.count(one.n[1])}"


def _sitting(one: Comparison) -> Unit:
    """What a sitting is called."""
    if one.setting is None:
        return EPISODE
    return unit_of({"name": one.setting.assessment, **one.setting.given})


def _unit(one: Comparison) -> Unit:
    """What pairs are made of: environments where each sitting has one of its own, else sittings."""
    sitting = _sitting(one)
    return Unit(units.ENVIRONMENT, f"{units.ENVIRONMENT}s") if sitting is EPISODE else sitting


def _adapts(one: Comparison) -> bool:
    """Whether environments follow what a subject does, so that two do not meet the same ones."""
    return one.setting is not None and adapts({"name": one.setting.assessment})


def design(one: Comparison) -> str:
    """How two samples were held against each other."""
    if not one.paired:
        return "independent samples"
    if _adapts(one):
        return f"paired by {_sitting(one).one}; environments adapt"
    return "paired on the same environments"


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _needed(one: Comparison) -> str:
    """How many more episodes would settle it, and what the present number can tell."""
    tells = ""
    if math.isfinite(one.smallest):
        tells = (
            f" Differences from {plain(one.smallest, 3)} upwards would be found with a probability of "
            f"{percent(POWER)} by an experiment of this size."
        )
    elif math.isinf(one.smallest):
        tells = (
            f" An experiment of this size finds no difference with a probability of {percent(POWER)}, not even "
            f"{one.widest:g}, the largest on this scale."
        )
    if one.more is None or one.more > TOO_MANY:
        of = "repetitions" if one.unit == "run" else _sitting(one).many
        return f"It is so small that no practical number of {of} would settle it.{tells}"
    more = _more(one)
    return (
        f"If the true difference is the observed one, about {more} of each would settle it with a probability of "
        f"{percent(POWER)}.{tells}"
    )


def _more(one: Comparison) -> str:
    """How many more episodes would settle it, or repetitions where these are the unit."""
    if one.more_runs is not None:
        each = _sitting(one).count(round(min(one.n) / one.units))
        return f"{some(_rounded(one.more_runs), 'more repetition')} of {each}"
    sitting = _sitting(one)
    return some(_rounded(one.more or 0), f"more {sitting.one}", f"more {sitting.many}")


def _rounded(count: int) -> int:
    """A number with the two digits that can be meant, rounded up."""
    step = int(10 ** max(0, len(str(count)) - 2))
    return -(-count // step) * step


def summary(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """How many comparisons are settled, and which are not."""
    apart = [one for one in comparisons if one.differs]
    if apart:
        yield (
            f"{some(len(apart), 'comparison')} of {len(comparisons)} {'is' if len(apart) == 1 else 'are'} of scores "
            f"that are {NOT_COMPARABLE}: more than the subject differs ({listed(_all_differences(apart))}), so that a "
            "difference says nothing of the subjects."
        )
        comparisons = [one for one in comparisons if not one.differs]
        if not comparisons:
            return
    settled = [one for one in comparisons if one.verdict in ("higher", "lower")]
    open_ones = [one for one in comparisons if one.verdict == "open"]
    first = comparisons[0]
    correction = {
        "holm": ", corrected by Holm's method",
        "benjamini-hochberg": ", corrected by Benjamini and Hochberg's method",
        "none": ", not corrected for their number",
    }[first.correction]
    if len(comparisons) > 1:
        yield (
            f"{len(settled)} of {some(len(comparisons), 'comparison')} are settled at a level of "
            f"{100 * first.difference.level:g}%{correction if len(comparisons) > 1 else ''}."
        )
        if open_ones:
            several = several_conditions(comparisons)
            names = [
                f"{one.one} and {one.two}" + (f" ({one.condition})" if several else "")
                for one in open_ones
            ]
            yield f"Open: {listed(names, 8)}."
    else:
        yield conclusion(first, several=False)


def _all_differences(comparisons: Sequence[Comparison]) -> list[str]:
    return list(dict.fromkeys(what for one in comparisons for what in one.differs))


def several_conditions(comparisons: Sequence[Comparison]) -> bool:
    """Whether comparisons were made under more than one condition."""
    return len({one.condition for one in comparisons}) > 1


def probability(p: float) -> str:
    """A p value as people write it."""
    if math.isnan(p):
        return UNKNOWN
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.001 else f"{p:.3f}"


def row(one: Comparison, several: bool = True) -> dict[str, Any]:
    """What tables say of a comparison."""
    n = whole(one.n[0]) if one.paired else f"{whole(one.n[0])} and {whole(one.n[1])}"
    effect = one.effect
    more = "settled" if one.verdict in ("higher", "lower") else UNKNOWN
    if one.differs:
        more = NOT_COMPARABLE
    elif one.verdict == "open":
        beyond = one.more is None or one.more > TOO_MANY
        more = "no practical number" if beyond else _more(one)
    return {
        "pair": _pair(one),
        "one": one.one,
        "two": one.two,
        "condition": one.condition,
        "n": n,
        "paired": "paired" if one.paired else "independent",
        "rests": _rests(one),
        "unit": some(one.units, units.REPETITION)
        if one.unit == "run"
        else _unit(one).count(one.units),
        "difference": signed(one.difference.value),
        "interval": f"too few ({min(one.n)})"
        if _few(one)
        else units.not_estimable(one.units)
        if one.too_few_runs
        else interval(one.difference.low, one.difference.high),
        "effect": signed(effect.value, 2),
        "effect_interval": interval(effect.low, effect.high, 2),
        "p": probability(one.p),
        "corrected": probability(one.corrected),
        "improvement": percent(one.improvement.value),
        "improvement_interval": f"{percent(one.improvement.low)} to {percent(one.improvement.high)}",
        "more": more,
        "conclusion": conclusion(one, several),
        "verdict": one.verdict,
    }


def _pair(one: Comparison) -> str:
    """Whose scores are compared, with a mark where more than the subject differs."""
    pair = f"{one.one} minus {one.two}"
    return f"{pair} ({NOT_COMPARABLE})" if one.differs else pair


def comparison_figures(comparisons: Sequence[Comparison], prefix: str = "") -> list[Drawing]:
    """The differences under one condition and the probabilities of improvement, with their intervals."""
    shown = list(comparisons[:DRAWN])
    titles = [_pair(one) for one in shown]
    settled = [one.verdict in ("higher", "lower", "same") and not one.differs for one in shown]
    level = f"{100 * shown[0].difference.level:g}%"
    return [
        figures.differences(
            list(zip(titles, [one.difference for one in shown], settled, strict=True)),
            "difference of scores [mean reward per subject and iteration]",
            0.0,
            f"{prefix}differences",
            f"{len(shown)} differences with their {level} intervals",
        ),
        figures.differences(
            list(zip(titles, [one.improvement for one in shown], settled, strict=True)),
            "probability of improvement [share]",
            0.5,
            f"{prefix}improvement",
            f"{len(shown)} probabilities of improvement with their {level} intervals",
        ),
    ]


def _part(comparisons: Sequence[Comparison], at: int, conditions: int) -> dict[str, Any]:
    """The comparisons under one condition: figures where there are not too many, and rows."""
    several = conditions > 1
    drawings: list[Drawing] = []
    if conditions <= CONDITIONS:
        drawings = comparison_figures(comparisons, f"condition-{at}-" if several else "")
    cut = f" The first {DRAWN} are drawn." if len(comparisons) > DRAWN else ""
    captions = (
        f"Differences of scores; at the broken line there is none.{cut}",
        "How likely the first does better than the second; ties count half. At the broken line both are as likely."
        f"{cut}",
    )
    return {
        "svg": "",
        "condition": comparisons[0].condition if several else "",
        "anchor": f"comparison-{at}",
        "panels": [
            {"svg": drawing, "caption": caption}
            for drawing, caption in zip(drawings, captions, strict=False)
        ],
        "rows": [row(one, several) for one in comparisons],
    }


def render_compare(
    comparisons: Sequence[Comparison],
    title: str,
    about: Sequence[str] = (),
    command: str = "",
) -> str:
    """The page of a family of comparisons; ``about`` says in sentences what was compared."""
    if not comparisons:
        raise MensuraError("There is nothing to compare; name two subjects or two runs.")
    first = comparisons[0]
    conditions = list(dict.fromkeys(one.condition for one in comparisons))
    parts = [
        _part([one for one in comparisons if one.condition == condition], i, len(conditions))
        for i, condition in enumerate(conditions)
    ]
    contents = [
        ("what", "What was compared"),
        ("table", "Differences"),
        ("conclusions", "What can be concluded"),
        *([("again", "How to reproduce")] if command else []),
        ("words", "The words"),
    ]
    return fill(
        "compare.html",
        contents,
        {"parts_of": parts},
        title=title,
        meta=f"{some(len(comparisons), 'comparison')}, intervals of {100 * first.difference.level:g}%",
        found=list(summary(comparisons)),
        about=list(about),
        raw=first.correction == "none",
        left_out=sum(one.left_out for one in comparisons),
        level=f"{100 * first.difference.level:g}%",
        command=command,
        glossary=_GLOSSARY,
    )
