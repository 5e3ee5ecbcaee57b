"""The page of language models: what they cost and what they are worth, against chance, learners and people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mensura.core.account import FEWEST
from mensura.core.usage import COST, REPAIRS, REQUESTS
from mensura.records.results import StudyResult
from mensura.records.validity import LIMIT
from mensura.reports import cost_front, course_figure, sentences
from mensura.reports.known_abilities import Check, Known, checks
from mensura.reports.number_words import (
    ends,
    listed,
    percent,
    plain,
    score_of,
    share_by_default,
    signed,
    some,
    whole,
)
from mensura.reports.page import fill
from mensura.reports.prospects import AMOUNT, MORE_REQUESTS, Prospect, prospects, rounds_of
from mensura.reports.standing import Parts, Standing, scored, standings
from mensura.statistics.clusters import average, design_of
from mensura.statistics.course import Course, by_part, improvement, parts_of
from mensura.statistics.interval import Estimate
from mensura.statistics.order import Gap, gaps
from mensura.statistics.replication import replication_of
from mensura.statistics.sample import Sample

SCRIPTED = (
    "These are no language models: they are scripted models of known ability, at made-up prices, which show what this "
    "page tells. Run it with --model MODEL for your own."
)

ASKED_AGAIN = (
    "This command shows what is kept, or goes on with it. Asked anew, in another store, a language model may answer "
    "otherwise; environments and all other subjects are the same:"
)


@dataclass(frozen=True)
class Kinds:
    """What the subjects of a study are."""

    models: frozenset[str]
    """The names of language models, scripted ones included."""
    known: Mapping[str, Known] = field(default_factory=dict)
    """Of scripted ones, what is known of them."""

    def of(self, subject: str) -> str:
        """What a subject is, in a word or two."""
        if subject in self.known:
            return "scripted"
        if subject in self.models:
            return "model"
        return "chance" if subject == "random" else "reference"


@dataclass(frozen=True)
class ModelStudy:
    """A study of language models with all that its page tells."""

    result: StudyResult
    samples: Sequence[Sample]
    kinds: Kinds
    courses: Sequence[Course] = ()
    people: Sequence[Sample] = ()
    """Scores of people under some of the same conditions, one sample for each."""
    command: str = ""

    @cached_property
    def parts(self) -> Parts:
        """The score of each subject under each condition."""
        return scored(self.result.conditions, self.samples, replication_of(self.samples))

    @cached_property
    def standings(self) -> list[Standing]:
        """All subjects that played, best first; those without a valid score come last."""
        return standings(self.parts)

    @cached_property
    def gaps(self) -> list[Gap]:
        """The order of all with a valid score, neighbor by neighbor."""
        return gaps([one.subject for one in self.standings if one.valid], self.samples)

    @cached_property
    def improvements(self) -> dict[str, Estimate]:
        """How much reward each subject gains within its episodes."""
        number = parts_of(self.courses)
        if number < 2:
            return {}
        return {name: improvement(own, number) for name, own in self.own_courses.items()}

    @cached_property
    def own_courses(self) -> dict[str, list[Course]]:
        """The courses of each subject, those without a sitting left out."""
        found: dict[str, list[Course]] = {}
        for one in self.courses:
            if one.rewards:
                found.setdefault(one.subject, []).append(one)
        return found

    @cached_property
    def checks(self) -> list[Check]:
        """Of scripted models, whether what is known was found."""
        return list(checks(self.kinds.known, self.standings, self.improvements))


def render_models(study: ModelStudy) -> str:
    """The page."""
    ranked = study.standings
    found_gaps = study.gaps
    outlook = list(prospects(found_gaps, rounds_of(study.result.conditions)))
    improvements = study.improvements
    priced = cost_front.priced(ranked)
    held = study.checks
    names = [one.title for one in study.result.conditions]
    faulty = [one for one in ranked if one.result.faults or total_of(one, REPAIRS)]
    kinds = sorted({kind for one in faulty for kind in _by_kind(one)})
    cost_words = list(cost_front.words(priced))
    contents = [
        ("what", "What was run"),
        ("cost", "Score against cost"),
        ("scores", "Scores"),
        ("learning", "Learning within an episode"),
        ("faults", "Faults"),
        ("order", "How sure the order is"),
        *([("known", "What is known")] if held else []),
        ("again", "How to reproduce"),
    ]
    return fill(
        "models.html",
        contents,
        {
            "cost_figure": cost_front.figure(priced) or "",
            "learning_panels": _panels(study, [one.subject for one in ranked]),
        },
        title=study.result.title,
        meta=f"{some(len(study.kinds.models), 'model')}, {some(study.result.done, 'sitting')}",
        found=headline(study),
        about=list(_about(study, names)),
        notes=list(study.result.notes),
        cost_words=cost_words
        or ["No subject with a valid score has a known cost, so there is nothing to draw."],
        conditions=names,
        rows=score_rows(study),
        score_words=list(_score_words(study, ranked)),
        learning_words=list(_learning_words(study, improvements)),
        learning_rows=_learning_rows(study, improvements, names),
        fault_words=list(_fault_words(ranked)),
        fault_kinds=kinds,
        fault_rows=[_fault_row(one, kinds) for one in faulty],
        amount=f"{AMOUNT:g}",
        order_words=list(_order_words(found_gaps, outlook)),
        order_rows=[_order_row(one) for one in outlook],
        checks=held,
        again=sentences.again(study.result)
        if study.kinds.models <= set(study.kinds.known)
        else ASKED_AGAIN,
        command=study.command or study.result.command,
    )


def total_of(one: Standing, name: str) -> float | None:
    """The sum of a measure of one subject."""
    return cost_front.total(one.result, name)


# The headline -----------------------------------------------------------------------


def headline(study: ModelStudy) -> list[str]:
    """What came out, in a few sentences."""
    return list(_found(study))


def _found(study: ModelStudy) -> Iterator[str]:
    ranked, held = study.standings, study.checks
    if study.kinds.known:
        yield SCRIPTED
    yield from sentences.unfinished(study.result)
    models = [one for one in ranked if one.subject in study.kinds.models]
    valid = [one for one in models if one.valid]
    if not models:
        yield "No model has played yet."
    elif not valid:
        yield f"No model has a valid score: of each, more than {LIMIT} of the actions were the environment's default."
    else:
        best = valid[0]
        yield f"The highest score of a model is that of {best.subject}: {_with_interval(best)}."
        yield from _beside_chance(valid, ranked)
    yield from list(cost_front.words(cost_front.priced(ranked)))[:1]
    yield from _settled(study.gaps)
    if held:
        wrong = [one for one in held if not one.found]
        yield (
            f"Of what is known of the scripted models, {some(len(wrong), 'thing')} did not come out."
            if wrong
            else "All that is known of the scripted models came out."
        )


def _with_interval(one: Standing) -> str:
    return f"{signed(one.score.value)}, 95% interval {ends(one.score)}"


def _beside_chance(models: Sequence[Standing], ranked: Sequence[Standing]) -> Iterator[str]:
    """Which models are above one that acts at random, by intervals that do not overlap."""
    chance = next((one for one in ranked if one.subject == "random" and one.valid), None)
    if chance is None or not chance.enough:
        return
    enough = [one for one in models if one.enough]
    above = [one.subject for one in enough if one.score.low > chance.score.high]
    near = [one.subject for one in enough if cost_front.overlap(one.score, chance.score)]
    if above:
        yield f"{listed(above)} {_is(above)} above acting at random ({signed(chance.score.value)})."
    if near:
        yield f"{listed(near)} {_is(near)} not told apart from acting at random: their intervals overlap."


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _settled(order: Sequence[Gap]) -> Iterator[str]:
    if not order:
        return
    sure = sum(one.verdict == "settled" for one in order)
    yield (
        f"Of {some(len(order), 'pair')} of neighbors in the order, {sure} "
        f"{'is' if sure == 1 else 'are'} settled at 5%, corrected for all of them (Holm)."
    )


# What was run, and the scores -------------------------------------------------------


def _about(study: ModelStudy, names: Sequence[str]) -> Iterator[str]:
    models = list(study.kinds.models)
    yield (
        f"{some(len(models), 'model')} and {some(len(study.standings) - _played(study), 'other subject')} met the same "
        f"environments of {listed(list(names))}, so that they are paired on them. A score is the mean reward of an "
        "interaction, from -1 to 1, averaged over environments and then over worlds, each world counting the same."
    )
    if study.people:
        yield "People met environments of the same kind, not the same ones; they are not paired."


def _played(study: ModelStudy) -> int:
    return sum(one.subject in study.kinds.models for one in study.standings)


def score_rows(study: ModelStudy) -> list[dict[str, Any]]:
    """The table of scores: subjects of the study, best first, and people."""
    return [*(_row(study, one) for one in study.standings), *_people_rows(study)]


def _row(study: ModelStudy, one: Standing) -> dict[str, Any]:
    parts = study.parts
    own = [parts.get((condition.title, one.subject)) for condition in study.result.conditions]
    requests = total_of(one, REQUESTS)
    return {
        "subject": one.label,
        "kind": study.kinds.of(one.subject),
        "score": score_of(one.result, one.score),
        "interval": ends(one.score) if one.valid else "none",
        "scores": ["" if part is None else signed(part.score[0].value) for part in own],
        "sittings": whole(one.result.moments.count),
        "cost": cost_front.money(total_of(one, COST)) if requests else "0",
        "requests": whole(requests or 0),
        "default": share_by_default(one.default_share),
    }


def _people_rows(study: ModelStudy) -> Iterator[dict[str, Any]]:
    if not study.people:
        return
    known = []
    by_condition: dict[str, str] = {}
    for sample in study.people:
        error = design_of(sample).error_of_mean(sample.score)
        estimate = error.around(float(sample.score.mean()), len(sample))
        by_condition[sample.condition] = signed(estimate.value)
        known.append((estimate, error))
    score = average(known)
    yield {
        "subject": study.people[0].label,
        "kind": "people",
        "score": signed(score.value),
        "interval": ends(score),
        "scores": [by_condition.get(one.title, "") for one in study.result.conditions],
        "sittings": whole(sum(len(one) for one in study.people)),
        "cost": "",
        "requests": "",
        "default": share_by_default(
            max((one.default_share for one in study.people), default=math.nan)
        ),
    }


def _score_words(study: ModelStudy, ranked: Sequence[Standing]) -> Iterator[str]:
    few = [one.subject for one in ranked if not one.enough]
    if few:
        yield f"Fewer than {FEWEST} sittings are too few for an interval: {listed(few)}."
    invalid = [one.subject for one in ranked if not one.valid]
    if invalid:
        yield (
            f"{listed(invalid)}: no valid score, since more than {LIMIT} of the actions were the environment's "
            "default. It is shown, and neither ranked nor compared."
        )
    absent = sorted(study.kinds.models - {one.subject for one in ranked})
    if absent:
        yield f"{listed(absent)} {_is(absent)} not in the table: no sitting was finished."
    met = {one.condition for one in study.people}
    if study.people and len(met) < len(study.result.conditions):
        where = "that world" if len(met) == 1 else "these worlds"
        yield f"People played in {listed(sorted(met))} only: their score is of {where}."


# Learning ---------------------------------------------------------------------------


def _panels(study: ModelStudy, subjects: Sequence[str]) -> list[dict[str, Any]]:
    number = parts_of(study.courses)
    own = study.own_courses
    if number < 2:
        return []
    lines = [(name, by_part(own[name], number)) for name in subjects if name in own]
    return course_figure.panels(lines)


def _learning_words(study: ModelStudy, improvements: Mapping[str, Estimate]) -> Iterator[str]:
    if not improvements:
        yield "Episodes are too short, or none was played, so that nothing can be told of learning within them."
        return
    valid = {one.subject for one in study.standings if one.valid} & study.kinds.models
    shown = {name: one for name, one in improvements.items() if name in valid}
    better = [
        f"{name} ({_gain(one)})" for name, one in shown.items() if _clear(one) and one.low > 0
    ]
    worse = [
        f"{name} ({_gain(one)})" for name, one in shown.items() if _clear(one) and one.high < 0
    ]
    open_ones = [name for name in shown if name not in _named(better) | _named(worse)]
    if better:
        yield f"More reward at the end of an episode than at its beginning: {listed(better)}."
    if worse:
        yield f"Less reward at the end: {listed(worse)}."
    if open_ones:
        yield f"No change that is beyond chance, or too few sittings to tell: {listed(open_ones)}."
    chance = improvements.get("random")
    if chance is not None:
        yield f"Acting at random changes by {_gain(chance)} in the same environments."
    yield (
        "A rise is not always learning: where reward depends on where one is, whoever acts well from the beginning "
        "also has to get there first. The worlds one by one are in the table."
    )


def _named(texts: Sequence[str]) -> set[str]:
    return {text.rpartition(" (")[0] for text in texts}


def _clear(one: Estimate) -> bool:
    return one.n >= FEWEST and math.isfinite(one.low)


def _gain(one: Estimate) -> str:
    return f"{signed(one.value)} {ends(one)}"


def _learning_rows(
    study: ModelStudy, improvements: Mapping[str, Estimate], names: Sequence[str]
) -> list[dict[str, Any]]:
    number = parts_of(study.courses)
    own = study.own_courses
    rows = []
    for name in (one.subject for one in study.standings):
        if name not in improvements:
            continue
        alone = {one.condition: improvement([one], number) for one in own[name]}
        rows.append(
            {
                "subject": name,
                "value": signed(improvements[name].value),
                "interval": ends(improvements[name]),
                "by_world": [signed(alone[at].value) if at in alone else "" for at in names],
            }
        )
    return rows


# Faults -----------------------------------------------------------------------------


def _by_kind(one: Standing) -> dict[str, int]:
    """How many faults of each kind there were; those of which no example was kept are of other kinds."""
    found: dict[str, int] = {}
    for same in one.result.fault_groups:
        found[same.first.kind] = found.get(same.first.kind, 0) + same.times
    others = one.result.faults - sum(found.values())
    return {**found, **({"other": others} if others > 0 else {})}


def _fault_words(ranked: Sequence[Standing]) -> Iterator[str]:
    total = sum(one.result.faults for one in ranked)
    if not total:
        yield "No answer was late, missing or no action."
        return
    yield (
        f"{some(total, 'fault')} in all. For each the world's default action was played; after three faults a seat is "
        "not asked again in that sitting. Repaired: answers that were an action at the second request."
    )


def _fault_row(one: Standing, kinds: Sequence[str]) -> dict[str, Any]:
    asked = cost_front.questions(one.result)
    counts = _by_kind(one)
    repairs = total_of(one, REPAIRS) or 0.0
    return {
        "subject": one.subject,
        "asked": whole(asked) if asked > 0 else "not recorded",
        "faults": whole(one.result.faults),
        "share": percent(min(1.0, one.result.faults / asked)) if asked > 0 else "unknown",
        "kinds": [whole(counts.get(kind, 0)) for kind in kinds],
        "repaired": whole(max(0.0, repairs - one.result.faults)),
    }


# The order --------------------------------------------------------------------------


def _order_words(order: Sequence[Gap], outlook: Sequence[Prospect]) -> Iterator[str]:
    if not order:
        yield "Fewer than two subjects have a valid score, so there is no order."
        return
    yield from _settled(order)
    doubtful = [f"{one.one} against {one.two}" for one in order if one.verdict == "open"]
    if doubtful:
        yield f"Either might be the better one: {listed(doubtful)}."
    equal = [f"{one.one} against {one.two}" for one in order if one.verdict == "same"]
    if equal:
        yield f"The same in every environment: {listed(equal)}."
    short = [f"{one.one} against {one.two}" for one in order if one.verdict == "unknown"]
    if short:
        yield f"Too few sittings to tell: {listed(short)}."
    won = [f"{one.gap.one} against {one.gap.two}" for one in outlook if one.settles]
    asked = [one for one in outlook if one.gap.verdict == "open" and one.rounds]
    if won:
        yield f"More would settle {listed(won)}, if the difference stays as it is."
    elif asked:
        yield "More would settle none of the open pairs, if differences stay as they are."
    yield (
        f"More is {AMOUNT:g} in the currency of the prices, spent on both of a pair in the same further environments; "
        f"where a price is unknown, {MORE_REQUESTS:,} requests. The expected interval is that of the one pair by "
        "itself, reckoned from the scatter of its differences so far."
    )


VERDICTS = {"settled": "settled", "open": "open", "same": "the same", "unknown": "unknown"}


def _order_row(one: Prospect) -> dict[str, Any]:
    gap = one.gap
    known = not math.isnan(gap.corrected)
    return {
        "pair": f"{gap.one} above {gap.two}",
        "difference": signed(gap.difference.value),
        "interval": ends(gap.difference) if gap.fewest >= FEWEST else f"too few ({gap.fewest})",
        "p": ("<0.001" if gap.corrected < 0.001 else plain(gap.corrected, 3))
        if known
        else "unknown",
        "verdict": VERDICTS[gap.verdict],
        "more": one.in_words,
    }
