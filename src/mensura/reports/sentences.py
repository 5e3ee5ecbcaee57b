"""What a study's report says in sentences: what was run, how far, how long, and how to run it again."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mensura.records.cell import is_of_people
from mensura.records.results import RunResult, StudyResult
from mensura.reports import protocols, sections
from mensura.reports.levels import Effect
from mensura.reports.number_words import (
    FEWEST,
    UNKNOWN,
    interval,
    listed,
    percent,
    plain,
    seconds,
    some,
    when,
    whole,
)
from mensura.reports.view import View
from mensura.statistics.interval import Estimate


def title(view: View) -> str:
    result = view.result
    if result.title or view.several:
        return result.title or result.name
    condition = view.conditions[0]
    return condition.title or f"A run on {condition.world}"


def meta(view: View) -> str:
    worlds = dict.fromkeys(condition.world for condition in view.conditions)
    parts = [
        listed(list(worlds), 3),
        *([some(len(view.conditions), "condition")] if view.several else []),
        some(len(view.standings), "subject"),
        sections.played(view.standings, view.unit),
        when(view.result.started or view.conditions[0].started),
    ]
    return ", ".join(parts)


def unfinished(result: StudyResult) -> Iterator[str]:
    if result.status == "finished":
        return
    if is_of_people(result.study):
        yield (
            f"This study is open to people: {whole(result.done)} of {some(result.sittings, 'place')} are played to the "
            "end. All numbers below are of these; who has begun goes on with the link that they were given."
        )
        return
    share = f" ({percent(result.done / result.sittings)})" if result.sittings else ""
    how = {"running": "still running", "stopped": "stopped", "failed": "broken off by an error"}
    # Joined runs are named together; the notes say which of them are behind.
    one = bool(result.name) and ", " not in result.name
    resume = f" What is missing is played by: mensura study resume {result.name}" if one else ""
    yield (
        f"This run is not finished, it is {how.get(result.status, result.status)}: {whole(result.done)} of "
        f"{some(result.sittings, 'sitting')}{share} are done. All numbers below are of these.{resume}"
    )


def _met_by_all(view: View) -> str:
    """Whether subjects met the same environments, in a sentence."""
    adapting = [protocols.adapts(condition.assessment) for condition in view.conditions]
    if all(adapting):
        return "Environments adapt to each subject; what was drawn was the same for all of a condition."
    if any(adapting):
        return (
            "All subjects of a condition met the same environments, but for assessments whose environments adapt to "
            "each subject."
        )
    return "All subjects of a condition met the same environments."


def assessed(view: View) -> Iterator[str]:
    """What was assessed, in sentences."""
    first = view.conditions[0]
    played = [one.result for one in view.standings]
    if view.result.source:
        yield f"The experiment was published: {view.result.source}."
    if not view.several:
        yield from protocols.assessed(first, played)
        yield from met(view)
        return
    worlds = list(dict.fromkeys(condition.world for condition in view.conditions))
    yield (
        f"{some(len(view.standings), 'subject')} were assessed under {some(len(view.conditions), 'condition')} on "
        f"{listed(worlds)}. {_met_by_all(view)}"
    )
    if view.effects:
        varied = [f"{one.factor} ({listed([*one.labels], 12)})" for one in view.effects]
        yield f"What was varied: {listed(varied, 12)}."
    kinds = dict.fromkeys(
        sentence
        for condition in view.conditions
        for sentence in protocols.assessed(replace(condition, subjects=()), ())
    )
    if len(kinds) == 1:
        yield from kinds
    yield from met(view)
    trained = [f"{one.subject} ({whole(one.training)})" for one in played if one.training]
    if trained:
        yield (
            "Subjects that learn were given training episodes in each environment before the one that counts: "
            f"{listed(trained)}."
        )


def of_first(view: View, about: Sequence[str]) -> list[str]:
    """What the world is, which is told of the first condition where there are several."""
    if not (view.several and about):
        return list(about)
    return [f"Of the first condition, {view.conditions[0].title}:", *about]


def met(view: View) -> Iterator[str]:
    """Which environments were met: their complexities, as the assessment measures them, and how long they took."""
    counts: dict[float, int] = {}
    for one in view.standings:
        for complexity, moments in sections.known(one.result.by_complexity).groups.items():
            counts[complexity] = counts.get(complexity, 0) + moments.count
    measures = {str(one.assessment.get("measure") or "") for one in view.conditions}
    if counts and len(measures) == 1:
        name = f" {view.measure}" if view.measure else ""
        yield (
            f"The environments that were met have a complexity{name} of {_from_to(counts)}"
            + (
                f"; half of them are at {_number(_median(counts))} or below."
                if len(counts) > 1
                else "."
            )
        )
    steps = [step for one in view.standings for path in one.result.paths for step in path.steps]
    if steps:
        played = _from_to({one.interactions for one in steps})
        slots = " An episode that ended before its time was begun anew." * any(
            one.slot is not None for one in steps
        )
        yield f"In the first sittings an environment was played for {played} interactions.{slots}"


def _from_to(numbers: Collection[float]) -> str:
    least, most = min(numbers), max(numbers)
    return _number(least) if least == most else f"{_number(least)} to {_number(most)}"


def _number(value: float) -> str:
    return whole(value) if value == round(value) else f"{value:.4g}"


def _median(counts: Mapping[float, int]) -> float:
    """The number that half of all are at or below."""
    half, seen = sum(counts.values()) / 2, 0
    for number in sorted(counts):
        seen += counts[number]
        if seen >= half:
            return number
    return max(counts)


def moved(found: Sequence[Effect]) -> Iterator[str]:
    """Which factors move scores most, averaged over subjects."""
    reached = [(one.factor, reach) for one in found if (reach := one.reach()) is not None]
    if reached:
        moved = [f"{name} (by {plain(reach.value, 3)}{_ends(reach)})" for name, reach in reached]
        yield (
            "Between its lowest and its highest level, averaged over subjects, a factor moves the score this far: "
            f"{listed(moved)}."
        )


def _ends(reach: Estimate) -> str:
    known = math.isfinite(reach.low) and reach.n >= 2 * FEWEST
    return f", 95% interval {interval(reach.low, reach.high)}" if known else ""


def pooled(view: View) -> str:
    """What joined conditions mean in sections that show them together."""
    if not view.several:
        return ""
    return f"All conditions are taken together here, each {view.unit.one} counting the same."


def notes(view: View) -> list[str]:
    notes = [*view.result.notes, *(note for one in view.conditions for note in one.notes)]
    return list(dict.fromkeys(notes))


def time(view: View) -> str:
    total = sum(one.result.interactions for one in view.standings)
    took = view.result.seconds or view.conditions[0].seconds
    machine = view.result.machine or view.conditions[0].machine
    return (
        f"The whole run took {seconds(took)} ({machine}) for {some(total, 'action')} of single agents, training "
        "included. Times of subjects are wall times of their answers, added up over all workers; the first run after "
        "an installation also compiles."
    )


def again(result: StudyResult) -> str:
    if is_of_people(result.study):
        return (
            "People took part, whom no command asks again. Each sitting is played again from its answers, to the same "
            f"rewards: mensura replay {result.name} 0"
        )
    timed = any(condition.assessment.get("seconds") is not None for condition in result.conditions)
    if any(map(repeats, (result.command, *(condition.command for condition in result.conditions)))):
        if timed:
            return (
                "The same version of Mensura makes the same choices with this command. Time was limited in seconds, so "
                "that scores also depend on how quick the subject and the machine are:"
            )
        return "The same version of Mensura gives the same scores on any machine with this command:"
    if result.study:
        return (
            "The same version of Mensura gives the same scores on any machine: save the study below as study.yaml, "
            "then type: mensura study run study.yaml"
        )
    return (
        "This run was started from Python. The same version of Mensura gives the same scores with the settings "
        "above and the seed below."
    )


SERVER = "mensura serve"
"""The command of runs that were started from a browser, which starts none of them by itself."""


def repeats(command: str) -> bool:
    """Whether to type a command runs something again."""
    return bool(command) and command != SERVER


def command(command: str, seed: int | None) -> str:
    """What to type, if anything repeats it; a run whose seed was drawn fresh is told to draw the same again."""
    if not repeats(command):
        return ""
    if "\n" in command or seed is None:
        return command
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    if any(word == "--seed" or word.startswith("--seed=") for word in words):
        return command
    return f"{command} --seed {seed}"


def provenance(result: StudyResult, first: RunResult) -> Iterator[tuple[str, str]]:
    """Where the numbers came from."""
    if result.name:
        yield "run", result.name
    seeds = dict.fromkeys(
        "not shown here" if condition.seed is None else str(condition.seed)
        for condition in result.conditions
    )
    yield "seed", ", ".join(seeds)
    versions = dict(result.versions)
    yield "Mensura", versions.pop("mensura", "") or first.version or UNKNOWN
    if result.commit:
        yield "commit", result.commit
    if versions:
        yield "versions", ", ".join(f"{name} {version}" for name, version in versions.items())
    yield "machine", result.machine or first.machine
    yield "started", when(result.started or first.started)
    if result.ended:
        yield "ended", when(result.ended)
    yield "took", seconds(result.seconds or first.seconds)
    if result.sittings:
        yield "sittings", f"{whole(result.done)} of {whole(result.sittings)}"


def study_text(study: Mapping[str, Any]) -> str:
    """A study as the text of a study file; nothing where there is none."""
    if not study:
        return ""
    import yaml

    from mensura.records.results import plain_numbers

    text: str = yaml.safe_dump(
        plain_numbers(study),
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=100,
    )
    return text
