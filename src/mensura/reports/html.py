"""The report of a run: one HTML file that somebody who was not there can read, print and trust."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mensura.core.errors import MensuraError
from mensura.records.results import RunResult, SubjectResult
from mensura.reports import figures
from mensura.reports.page import Picture, fill
from mensura.reports.words import (
    UNKNOWN,
    interval,
    listed,
    percent,
    plain,
    seconds,
    short,
    signed,
    some,
    when,
    whole,
)
from mensura.statistics.moments import Grouped
from mensura.statistics.regression import Regression, grouped_regression
from mensura.statistics.spread import predicted_spread

__all__ = ["Picture", "render"]

PUBLISHED_SPREAD = 0.001
"""Footnote 3 of Chmait et al. (2016): "Usually a standard deviation of less than 0.001 is recorded between
identical experiments", which have 1000 episodes there."""
PUBLISHED_EPISODES = 1000

_CITATION = "Chmait, Li, Dowe and Green: A Dynamic Intelligence Test Framework for Evaluating AI Agents (2016)"

_GLOSSARY = (
    ("World, environment", "A world is a class of environments. An environment is one of them: here, it is drawn on "
     "the spot, so nobody can have learned it by heart."),
    ("Subject", "Whoever is assessed: an agent, or a collective of agents that may tell each other things before they "
     "act. All subjects of a run meet the same environments."),
    ("Interaction, episode", "An interaction is one observation, one action and one reward of every agent. An episode "
     "is all interactions in one environment."),
    ("Training", "Episodes in the same environment before the one that counts, for subjects that learn."),
    ("Score", "The mean reward per subject and iteration over an episode, averaged over environments."),
    ("95% interval", "If the run were repeated with other environments again and again, 95 of 100 such intervals would "
     "hold the true score."),
    ("Spread", "The standard deviation of the score between identical experiments, each with as many episodes but "
     "other environments; told from the scatter of episodes within this one."),
    ("K", "How complex the pattern of an environment is: the number of new phrases that the Lempel-Ziv algorithm of "
     "1976 finds in it."),
    ("H", "How large the space of an environment is: the bits needed to say where its special objects begin."),
    ("Regression line", "The straight line that fits all episodes best (least squares); its slope is what one step of "
     "complexity costs."),
    ("Fault", "A subject raised an error, was late or answered nonsense. The world's default action was played "
     "instead; after three faults a seat is not asked again in that environment."),
    ("Compiled", "Built-in subjects are played in machine code, whole episodes at a time. All others are asked step by "
     "step. Both ways give the same rewards."),
)  # fmt: skip


def render(result: RunResult, pictures: Sequence[Picture] = (), about: Sequence[str] = ()) -> str:
    """The report of a run as one HTML page.

    ``pictures`` show what the world looks like and ``about`` says in sentences what it is; whoever knows the world
    gives them. All else comes from the result.
    """
    if not any(one.moments.count for one in result.subjects):
        raise MensuraError(
            "This run has no subjects with episodes, so there is nothing to report; assess at least one."
        )
    subjects = sorted(
        (one for one in result.subjects if one.moments.count), key=lambda one: -one.score.value
    )
    measure = str(result.assessment.get("measure", "K"))
    lines = {one.subject: grouped_regression(_known(one.by_complexity)) for one in subjects}
    contents = [
        ("what", "What was run"),
        ("scores", "Scores"),
        ("complexity", "Score and complexity"),
        ("distribution", "Distribution"),
        ("time", "Time"),
        ("faults", "Faults"),
        *([("notes", "Notes")] if result.notes else []),
        ("again", "How to reproduce"),
        ("words", "The words"),
    ]
    title = result.title or f"A run on {result.world}"
    return fill(
        "run.html",
        contents,
        {
            "score_figure": figures.scores([(one.subject, one.score) for one in subjects]),
            "distribution_figure": figures.distributions(
                [(one.subject, one.histogram, one.moments.mean) for one in subjects]
            ),
            "panels": _panels(subjects, lines, measure),
            "pictures": list(pictures),
        },
        title=title,
        meta=f"{result.world}, {some(len(subjects), 'subject')}, {_episodes(subjects)}, {when(result.started)}",
        found=list(_found(subjects)),
        about=list(about),
        assessed=list(_assessed(result, subjects)),
        settings=list(_settings(result)),
        meaning=_meaning(),
        rows=[_row(one) for one in subjects],
        any_faults=any(one.faults for one in subjects),
        published_episodes=PUBLISHED_EPISODES,
        spread=list(_spread(subjects)),
        complexity_words=list(_complexity(subjects, lines, measure)),
        time_words=_time(result, subjects),
        fault_words=_faults(subjects),
        notes=result.notes,
        again_words=_again(result),
        command=_command(result),
        provenance=[
            ("seed", str(result.seed)),
            ("Mensura", result.version),
            ("machine", result.machine),
            ("started", when(result.started)),
            ("took", seconds(result.seconds)),
        ],
        glossary=_GLOSSARY,
    )


def _known(groups: Grouped) -> Grouped:
    """Without the group below 0, which holds environments whose complexity nobody measured."""
    return Grouped({k: m for k, m in groups.groups.items() if k >= 0})


def _episodes(subjects: Sequence[SubjectResult]) -> str:
    counts = {one.moments.count for one in subjects}
    if len(counts) == 1:
        return f"{some(counts.pop(), 'episode')} each"
    return f"{whole(min(counts))} to {whole(max(counts))} episodes each"


def _found(subjects: Sequence[SubjectResult]) -> Iterator[str]:
    """What came out, in a few sentences that the numbers allow."""
    best = subjects[0]
    if len(subjects) == 1:
        yield (
            f"On a scale where acting at random is worth 0 and 1 is the most, {best.subject} scored "
            f"{_with_interval(best)}."
        )
    else:
        second = subjects[1]
        apart = best.score.low > second.score.high
        rivals = [one.subject for one in subjects[1:] if one.score.high >= best.score.low]
        yield (
            f"On a scale where acting at random is worth 0 and 1 is the most, {best.subject} scored highest of "
            f"{len(subjects)} subjects: {_with_interval(best)}. "
            + (
                f"The next, {second.subject}, scored {_with_interval(second)}; the intervals do not overlap."
                if apart
                else f"Its interval overlaps with {'that' if len(rivals) == 1 else 'those'} of {listed(rivals)}, "
                "so these intervals do not tell which of them is better."
            )
        )
    chance = [one.subject for one in subjects if 0.0 in one.score]
    if chance:
        yield f"No better or worse than acting at random, as far as this run can tell: {listed(chance)}."
    worse = [one.subject for one in subjects if one.score.high < 0.0]
    if worse:
        yield f"Worse than acting at random: {listed(worse)}."
    faulty = [f"{one.subject} ({whole(one.faults)})" for one in subjects if one.faults]
    if faulty:
        yield f"Some answers failed and cost their subject its turn: {listed(faulty)}."


def _with_interval(one: SubjectResult) -> str:
    score = one.score
    if not math.isfinite(score.low):
        return f"{signed(score.value)} in a single episode, which tells no interval"
    return f"{signed(score.value)}, 95% interval {interval(score.low, score.high)}"


def _assessed(result: RunResult, subjects: Sequence[SubjectResult]) -> Iterator[str]:
    """What the assessment was, in sentences."""
    assessment = result.assessment
    if assessment.get("name") == "battery":
        spread = assessment.get("spread")
        measure = assessment.get("measure", "K")
        taken = (
            f"their complexity {measure} is drawn evenly from {spread[0]} to {spread[1]}"
            if spread
            else "their complexity is whatever the world draws"
        )
        yield (
            f"Every subject met the same {some(int(assessment.get('episodes', 0)), 'environment')}, one assessed "
            f"episode in each; {taken}. All were drawn from the seed {result.seed}, after which nothing was "
            "left to chance: the same seed gives the same result."
        )
    else:
        yield f"The assessment was {assessment.get('name', 'not named')}, drawn from the seed {result.seed}."
    trained = [f"{one.subject} ({whole(one.training)})" for one in subjects if one.training]
    if trained:
        yield (
            "Subjects that learn were given training episodes in each environment before the one that counts: "
            f"{listed(trained)}."
        )


def _settings(result: RunResult) -> Iterator[tuple[str, str]]:
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
        return str(value)
    if isinstance(value, (list, tuple)) and all(isinstance(item, (int, float)) for item in value):
        return ", ".join(map(str, value))
    return ""


def _meaning() -> list[str]:
    return [
        "The score of a subject in one environment is its average reward per agent and iteration (Definition 2). "
        "Its intelligence in this world is the mean of these over environments that are equally large and differ in "
        "complexity (Definition 3).",
        "Rewards lie between -1 and 1 and are balanced: acting at random is worth 0 in the long run; 1 would be the "
        "largest reward in every iteration.",
        f"The definitions are those of {_CITATION}.",
    ]


def _row(one: SubjectResult) -> dict[str, Any]:
    score = one.score
    rate = one.interactions / one.seconds if one.seconds > 0 else math.nan
    return {
        "subject": one.subject,
        "score": signed(score.value),
        "interval": interval(score.low, score.high),
        "spread": _told_and_observed(one),
        "spread_published": plain(_at_published(one)),
        "training": whole(one.training),
        "episodes": whole(one.moments.count),
        "faults": whole(one.faults),
        "fault_count": some(one.faults, "fault"),
        "summary": one.summary,
        "seconds": seconds(one.seconds),
        "interactions": whole(one.interactions),
        "rate": whole(float(f"{rate:.3g}")) if math.isfinite(rate) else UNKNOWN,
        "played": "compiled" if one.compiled else "step by step",
        "examples": one.fault_examples,
    }


def _told_and_observed(one: SubjectResult) -> str:
    """The spread told from the scatter of episodes, and the one observed where the experiment was repeated."""
    observed = one.observed_spread
    told = plain(one.spread.value)
    return told if observed is None else f"{told} (observed {plain(observed.value)})"


def _at_published(one: SubjectResult) -> float:
    """The spread that experiments of the paper's size would have."""
    return predicted_spread(one.moments, PUBLISHED_EPISODES).value


def _spread(subjects: Sequence[SubjectResult]) -> Iterator[str]:
    """How our scatter between identical experiments compares with what the paper says of its own."""
    told = [(value, one.subject) for one in subjects if math.isfinite(value := _at_published(one))]
    yield (
        "The spread is the standard deviation that the score would have between identical experiments: of as many "
        f"episodes as here, and of {PUBLISHED_EPISODES}, the number in the paper."
    )
    if not told:
        yield "A single episode per subject does not tell it."
        return
    below = sum(value < PUBLISHED_SPREAD for value, _ in told)
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
        f"{PUBLISHED_SPREAD:g}\N{RIGHT DOUBLE QUOTATION MARK} between its identical experiments. Here the scatter of "
        f"episodes predicts {ends} for {PUBLISHED_EPISODES} episodes; {many} {lies} below {PUBLISHED_SPREAD:g}. "
        f"At the largest of these, a spread of {PUBLISHED_SPREAD:g} would take about "
        f"{whole(float(f'{PUBLISHED_EPISODES * (high[0] / PUBLISHED_SPREAD) ** 2:.2g}'))} episodes."
    )


def _panels(
    subjects: Sequence[SubjectResult], lines: Mapping[str, Regression | None], measure: str
) -> list[dict[str, Any]]:
    """A small figure for each subject, all on the same axes."""
    points = {one.subject: _known(one.by_complexity).estimates() for one in subjects}
    everything = [point for group in points.values() for point in group.values()]
    if not everything:
        return []
    seen = [k for group in points.values() for k in group]
    x_range = min(seen) - 0.8, max(seen) + 0.8
    y_range = figures.score_range(everything)
    panels = []
    for i, one in enumerate(subjects):
        line = lines[one.subject]
        if not points[one.subject]:
            continue
        panels.append(
            {
                "name": one.subject,
                "svg": figures.by_complexity(
                    points[one.subject],
                    line,
                    x_range,
                    y_range,
                    measure,
                    f"complexity-{i}",
                    f"Score of {short(one.subject)} against the complexity of environments",
                ),
                "caption": _slope(line, measure),
            }
        )
    return panels


def _slope(line: Regression | None, measure: str) -> str:
    if line is None:
        return "All environments have one complexity, so there is no line."
    r = f", r = {line.r.value:+.2f}" if math.isfinite(line.r.value) else ""
    ends = interval(line.slope.low, line.slope.high, 4)
    return f"Slope {signed(line.slope.value, 4)} per unit of {measure}, 95% interval {ends}{r}"


def _complexity(
    subjects: Sequence[SubjectResult], lines: Mapping[str, Regression | None], measure: str
) -> Iterator[str]:
    """Who depends on complexity and how, as far as the lines tell."""
    known = {name: line for name, line in lines.items() if line is not None}
    if not any(_known(one.by_complexity).groups for one in subjects):
        yield "The complexity of these environments was not measured, so there is nothing to draw."
        return
    if not known:
        yield f"All environments have the same complexity {measure}, so nothing can be said about its influence."
        return
    yield (
        f"Each point is the mean over the environments of one complexity {measure}, with its 95% interval; the line "
        "is the regression over all episodes, so a point counts by the number of its episodes. The panels share "
        "their axes."
    )
    falls = [name for name, line in known.items() if line.slope.high < 0.0]
    rises = [name for name, line in known.items() if line.slope.low > 0.0]
    rest = [name for name in known if name not in falls and name not in rises]
    for names, words in (
        (falls, "The score falls with complexity for"),
        (rises, "It rises with complexity for"),
        (rest, "No slope beyond its interval for"),
    ):
        if names:
            yield f"{words} {listed(names, 8)}."


def _time(result: RunResult, subjects: Sequence[SubjectResult]) -> str:
    total = sum(one.interactions for one in subjects)
    return (
        f"The whole run took {seconds(result.seconds)} on one machine ({result.machine}) for {some(total, 'action')} "
        "of single agents, training included. Times are wall times; the first run after an installation also compiles."
    )


def _faults(subjects: Sequence[SubjectResult]) -> str:
    total = sum(one.faults for one in subjects)
    if not total:
        return "No subject raised an error, was late or gave an answer that is not an action."
    share = total / max(1, sum(one.interactions for one in subjects if one.faults))
    return (
        f"{some(total, 'fault')} in all, {percent(share)} of what the faulty subjects were asked. For each the world's "
        "default action was played; after three faults a seat is not asked again in that environment. Examples:"
    )


def _again(result: RunResult) -> str:
    if result.command:
        return "The same version of Mensura gives the same scores on any machine with this command:"
    return (
        "This run was started from Python. The same version of Mensura gives the same scores with the settings "
        "above and the seed below."
    )


def _command(result: RunResult) -> str:
    """What to type; a run whose seed was drawn fresh is told to draw the same again."""
    command = result.command
    if not command:
        return ""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    if any(word == "--seed" or word.startswith("--seed=") for word in words):
        return command
    return f"{command} --seed {result.seed}"
