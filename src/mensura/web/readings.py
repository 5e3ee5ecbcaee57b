"""What is read out of the store with much work: reports, comparisons, scores. Each is a function that runs apart.

See :mod:`mensura.web.apart`; that is why everything that comes in and goes out is plain data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import combinations
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.api.standings import Scored, boards
from mensura.core.abilities import NOT_STATED
from mensura.core.usage import REFUSALS, REQUESTS
from mensura.records.cell import has_people, is_of_people
from mensura.records.holding import NOT_RECORDED
from mensura.records.results import plain_numbers
from mensura.records.run import Run
from mensura.records.store import Store, open_store
from mensura.statistics.compare import Comparison
from mensura.statistics.moments import Moments
from mensura.statistics.sample import Sample
from mensura.studies.pools_of_runs import shelve_pools

MOST_COMPARED = 8
"""So many runs are compared at once at most."""

_Key = tuple[str, int, str, int]
_scores: dict[_Key, list[Scored]] = {}
"""Of runs as far as they were: what was committed never changes."""


def report(where: str | None, names: Sequence[str], with_seeds: bool = True) -> str:
    """The report of a run, or of several side by side, as a page that stands alone.

    Without seeds those of people are not told, nor is their first environment shown: others are still to meet theirs.
    """
    from mensura.api.reporting import own_page, page_of
    from mensura.reports.study import joined

    with open_store(where) as store:
        found = [store.find(name) for name in names]
        own = own_page(store, found[0]) if len(found) == 1 else None
        if own is not None:
            return own()
        read = [(store.result(run), store.samples(run)) for run in found]
        for run in found:
            shelve_pools(store, run)
    hidden = [not with_seeds and is_of_people(run.study) for run in found]
    read = [
        (result.without_seed() if hide else result, samples)
        for hide, (result, samples) in zip(hidden, read, strict=True)
    ]
    result, samples = read[0] if len(read) == 1 else joined(read)
    return page_of(result, samples, pictured=read[0][0], show=not hidden[0])


def scores(where: str | None, name: str) -> list[dict[str, Any]]:
    """Who scored what in a run so far, a row for each subject and condition, with scores as reports write them."""
    from mensura.reports.number_words import FEWEST, ends, score_of, share_by_default

    with open_store(where) as store:
        result = store.result(store.find(name))
    return [
        plain_numbers(
            {
                "condition": condition.title,
                **row,
                "shown": score_of(one),
                "interval": "none"
                if not one.valid
                else ends(one.score)
                if one.score.n >= FEWEST
                else "",
                "by_default": share_by_default(one.default_share)
                if one.default_share >= 0.0
                else "",
            }
        )
        for condition in result.conditions
        for one in sorted(condition.subjects, key=lambda one: not one.valid)
        if one.moments.count
        for row in replace(condition, subjects=(one,)).rows()
    ]


def compared(
    where: str | None,
    names: Sequence[str],
    subjects: Sequence[str],
    level: float,
    correction: str,
    anyway: bool = False,
) -> list[dict[str, Any]]:
    """Comparisons as plain data, each with its conclusion in words."""
    from mensura.reports.comparison_page import conclusion, several_conditions

    comparisons, _ = _compare(where, names, subjects, level, correction, anyway)
    several = several_conditions(comparisons)
    return [
        plain_numbers({**one.to_json(), "conclusion": conclusion(one, several)})
        for one in comparisons
    ]


def comparison_page(
    where: str | None,
    names: Sequence[str],
    subjects: Sequence[str],
    level: float,
    correction: str,
    anyway: bool = False,
) -> str:
    """Comparisons as a page that stands alone."""
    from mensura.reports.comparison_page import render_compare
    from mensura.reports.number_words import listed

    comparisons, about = _compare(where, names, subjects, level, correction, anyway)
    title = f"The subjects of {names[0]}" if len(names) == 1 else listed(list(names))
    return render_compare(comparisons, title, about)


def leaderboard(where: str | None) -> list[dict[str, Any]]:
    """All groups of scores that compare, of all runs whose seed was drawn for them."""
    found: list[Scored] = []
    with open_store(where) as store:
        keys = set()
        for run in store.runs():
            if not run.fresh_seed:
                continue
            if is_of_people(run.study):
                found += _scored(store, run)  # which can change: whoever withdraws is removed
                continue
            key = (str(where), run.id, run.status, store.progress(run).done)
            keys.add(key)
            if key not in _scores:
                _scores[key] = _scored(store, run)
            found += _scores[key]
    for key in [one for one in _scores if one[0] == str(where) and one not in keys]:
        del _scores[key]
    return [plain_numbers(asdict(board)) for board in boards(found)]


def _scored(store: Store, run: Run) -> list[Scored]:
    found = []
    for cell in store.cells(run):
        moments, actions, defaults = Moments(), 0, 0.0
        told = dict.fromkeys((REQUESTS, REFUSALS), 0.0)
        for batch in store.batches(run, cell.number):
            moments = moments.add(batch.score)
            assessed = ~batch.episodes.learning
            actions += int(batch.episodes.interactions[assessed].sum())
            defaults += float(batch.episodes.defaults[assessed].sum())
            for row in batch.measures:
                if row.name in told:
                    told[row.name] += row.value
        if told[REFUSALS] >= told[REQUESTS] > 0:
            continue  # who refuses everything has no score
        found.append(
            Scored(
                run.name,
                cell.world,
                cell.parameters,
                cell.assessment,
                cell.assessment_parameters,
                cell.name,
                cell.training,
                cell.seed,
                moments,
                actions,
                defaults,
                people=has_people(cell.subject),
                model=told[REQUESTS] > 0,
                content=cell.content or NOT_STATED,
                isolation=cell.isolation or NOT_RECORDED,
            )
        )
    return found


def _compare(
    where: str | None,
    names: Sequence[str],
    subjects: Sequence[str],
    level: float,
    correction: str,
    anyway: bool = False,
) -> tuple[list[Comparison], list[str]]:
    from mensura.api.comparing import compare_samples
    from mensura.reports.number_words import listed
    from mensura.reports.pairing import about, valid_only
    from mensura.statistics.compare import compare_all

    names = list(dict.fromkeys(names))
    if len(names) > MOST_COMPARED:
        raise MensuraError(f"{len(names)} runs were named; at most {MOST_COMPARED} are compared.")
    with open_store(where) as store:
        found = [store.find(name) for name in names]
        read = [[one for one in store.samples(run) if len(one)] for run in found]
    unfinished = [run.name for run in found if run.status != "finished"]
    if len(names) == 1:
        manner: dict[str, Any] = {"level": level, "correction": correction, "anyway": anyway}
        one_run = compare_samples([(names[0], read[0])], unfinished, subjects=subjects, **manner)
        return list(one_run.comparisons), list(one_run.about)
    for name, samples in zip(names, read, strict=True):
        if not samples:
            raise MensuraError(f"The run {name} has no scores yet, so nothing can be compared.")
    read, left_out = valid_only(read, subjects)
    pairs: list[tuple[Sample, Sample]] = []
    for one, other in combinations(range(len(names)), 2):
        pairs += _between([names[one], names[other]], [read[one], read[other]], subjects)
    if not pairs:
        raise MensuraError(
            f"The runs {listed(names)} have no condition in common, so nothing can be compared."
        )
    comparisons = compare_all(pairs, level, correction, anyway)
    sentences = about(names[:2], comparisons, unfinished)
    if len(names) > 2:
        sentences[0] = f"The subjects of the runs {listed(names)} were compared between runs."
    return comparisons, [*sentences, *left_out]


def _between(
    names: Sequence[str], read: Sequence[Sequence[Sample]], subjects: Sequence[str]
) -> list[tuple[Sample, Sample]]:
    """The subjects of two runs that belong together; where none is in both, everybody who met the same condition."""
    first, second = (
        [
            replace(one, label=f"{one.label} in {name}")
            for one in samples
            if not subjects or one.label in subjects
        ]
        for name, samples in zip(names, read, strict=True)
    )
    if not first or not second:
        return []
    if len({one.condition for one in first}) == len({one.condition for one in second}) == 1:
        second = [replace(one, condition=first[0].condition) for one in second]
    both = [(a, b) for a in first for b in second if a.condition == b.condition]
    same = [
        (a, b)
        for a, b in both
        if a.label.removesuffix(f" in {names[0]}") == b.label.removesuffix(f" in {names[1]}")
    ]
    return same or both
