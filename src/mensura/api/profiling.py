"""A profile: what a subject can do, how it learns, what it carries over, when it breaks and what it understands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import key, seed_or_fresh
from mensura.agent.task import Limits
from mensura.api import profile_parts as parts
from mensura.api.assessing import are_paid
from mensura.api.making import DEFAULT_WORLD, world_of
from mensura.api.making import subjects as subjects_of
from mensura.api.naming import Named, Several, named, refuse_twice
from mensura.api.profile_parts import Measured
from mensura.api.profile_setup import RANDOM, Breakdowns, Rate, Setup
from mensura.api.profile_sizes import Size, Stopwatch, expected_seconds, size_for
from mensura.api.result_warnings import warnings_of
from mensura.api.spending import PROFILE_ADVICE, learners_allowed
from mensura.api.tables import Shown, Table
from mensura.core.abilities import references as references_of
from mensura.records.results import plain_numbers, write_whole
from mensura.statistics.generalization import generalization
from mensura.statistics.interval import Estimate, difference, mean_interval
from mensura.statistics.performance import probability_above, weights_from
from mensura.statistics.strengths import Point, control_tasks, halves, point, trust
from mensura.statistics.subject_profile import Behavior, Motivation, SubjectProfile, Wanted
from mensura.statistics.transfer import Norm
from mensura.statistics.understanding import Understanding
from mensura.studies.transfer import check_norm
from mensura.studies.transfer_assessment import check_level

if TYPE_CHECKING:
    from mensura.api.transferring import Transfer
    from mensura.core.contract import World
    from mensura.statistics.degradation import Breakdown

MOST_SUBJECTS = 2
MOST_REFERENCES = 7
"""So many subjects of a world, at most, are those that others are compared with."""
GENERAL = ("q-learning", "linear")
"""Who stands in where a world has no subjects of its own."""
MEDIAN = "the median reference"

Tell = Callable[[str], None]


class Profile(Shown):
    """The profile of one subject, or of two side by side."""

    def __init__(
        self,
        profiles: Sequence[SubjectProfile],
        world: str,
        seed: int,
        *,
        quick: bool,
        references: Sequence[str],
        notes: Sequence[str] = (),
        warnings: Sequence[str] = (),
        name: str = "",
    ) -> None:
        self.profiles = tuple(profiles)
        """What was measured of each subject."""
        self.world = world
        self.seed = seed
        """From which the same numbers come again."""
        self.quick = quick
        self.references = tuple(references)
        """Whom they were compared with."""
        self.notes = tuple(notes)
        self.warnings = tuple(warnings)
        """What to know before any of it is read."""
        self.name = name
        """Of the run in the store; empty where it was not kept."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The strongest and the weakest points, and what was not measured."""
        from mensura.reports.profile_words import compared, summary

        said = [sentence for one in self.profiles for sentence in summary(one)]
        return (*self.warnings, *said, *compared(self.profiles))

    def tables(self) -> list[Table]:
        """The profile at a glance, a column for each subject."""
        from mensura.reports.profile_words import glance

        return [Table(*glance(self.profiles, self.world))]

    def report(self, path: str | Path, command: str = "") -> Path:
        """Write the page, one HTML file; where it went."""
        from mensura.api.reporting import check_can_report

        check_can_report()
        where = Path(path)
        write_whole(where, self.page(command))
        return where

    def page(self, command: str = "") -> str:
        """The page as text."""
        from mensura.reports.profile_page import render_profile

        return render_profile(
            self.profiles,
            self.world,
            self.references,
            self.notes,
            self.seed,
            self.quick,
            command,
            self.warnings,
        )

    def to_json(self) -> dict[str, Any]:
        """All of it as data that ``json.dump`` takes; what was not measured is null, with the reason."""
        from mensura.reports.profile_words import plain

        data: dict[str, Any] = plain_numbers(
            {
                "seed": self.seed,
                "world": self.world,
                "quick": self.quick,
                "references": list(self.references),
                "warnings": list(self.warnings),
                "profiles": [plain(one) for one in self.profiles],
            }
        )
        return data


def profile(
    subjects: Several,
    world: str | World = DEFAULT_WORLD,
    *,
    preset: str | None = None,
    quick: bool = False,
    level: float | None = None,
    weights: Sequence[float] = (1.0, 0.0, 0.0),
    references: Sequence[str] | None = None,
    phenomenon: str | None = None,
    norm: Norm = "manhattan",
    seed: int | None = None,
    in_process: bool | None = None,
    timeout: float | None = None,
    threads: int | None = None,
    progress: bool = False,
    store: str | Path | None = None,
    name: str = "",
    max_cost: float | None = None,
    max_tokens: float | None = None,
    max_hours: float | None = None,
    confirm: bool = False,
) -> Profile:
    """Measure all that a profile tells of a subject, or of two, as ``mensura profile`` does.

    Args:
        subjects: Who, as of :func:`assess`; one or two.
        world: Where: a name, or a world that :func:`make` made.
        preset: Of a world that is given by name: a named set of parameters.
        quick: Measure less: under 2 minutes of processor time for a built-in subject.
        level: The performance that is good enough, in [-1, 1]; halfway from acting at random to the best reference
            where it is left out.
        weights: Of accuracy, time and energy in performance, with sum 1; time and energy need a world that has them.
        references: Whom the subjects are compared with; subjects of the world's own where it is left out.
        phenomenon: What is to be understood; the first of the world where it is left out.
        norm: How the properties of tasks make their distance: "manhattan", "euclidean" or "chebyshev".
        seed: The root of all draws; the same seed gives the same profile. Drawn where it is left out.
        in_process: Run code from files inside this process, too.
        timeout: Seconds that code from a file or a program may take for an action.
        threads: How many at a time; by default as many as there are cores.
        progress: Show progress.
        store: Keep the profile as a run in this file or database, so that it goes on where it was stopped.
        name: Keep it under this name; the same again without one goes on, too.
        max_cost: What language models may cost in all. Their profiles are smaller, and always kept: nobody is asked
            twice.
        max_tokens: How many tokens they may read and write in all.
        max_hours: For how many hours they may be asked.
        confirm: Go ahead, also where language models take much money or time.

    Example:
        >>> import mensura as ms
        >>> found = ms.profile("q-learning", quick=True, seed=1)  # doctest: +SKIP
        >>> found.report("profile.html")  # doctest: +SKIP
    """
    who = named(subjects, in_process)
    setup = set_up(
        who,
        world_of(world, preset),
        size_of(who, quick=quick),
        level=level,
        weights=weights,
        references=references,
        phenomenon=phenomenon,
        norm=norm,
        seed=seed,
        timeout=timeout,
        threads=threads,
    )
    from mensura.api.kept_profile import measure_kept, settings_of
    from mensura.api.profile_outlays import expected_outlays

    allow = learners_allowed(max_cost, max_tokens, max_hours, confirm, PROFILE_ADVICE)
    with allow(expected_outlays(setup)), showing_parts(progress) as tell:
        if store is None and not name and not setup.asks:
            return measure(setup, level, quick=quick, tell=tell)
        asked = settings_of(setup, level, quick=quick)
        return measure_kept(setup, asked, store, name=name, given_seed=seed, tell=tell)


def size_of(who: Sequence[Named], *, quick: bool) -> Size:
    """How much is measured of these subjects."""
    return size_for(quick, are_paid([one.address for one in who if one.factory is None]))


def set_up(
    who: Sequence[Named],
    world: World,
    size: Size,
    *,
    level: float | None = None,
    weights: Sequence[float] = (1.0, 0.0, 0.0),
    references: Sequence[str] | None = None,
    phenomenon: str | None = None,
    norm: Norm = "manhattan",
    seed: int | None = None,
    timeout: float | None = None,
    threads: int | None = None,
) -> Setup:
    """What is to be measured; a sentence where it cannot be."""
    refuse_twice([one.label for one in who])
    if len(who) > MOST_SUBJECTS:
        raise MensuraError(f"{len(who)} subjects were named; a profile is of one, or of two.")
    check_level(level)
    check_norm(norm)
    labels = [one.label for one in who]
    if references is None:
        own = [name for name in references_of(world) if name not in (*labels, RANDOM)]
        general = [
            name for name in GENERAL if name in subjects_of(world) and name not in (*labels, *own)
        ]
        references = (own or general)[:MOST_REFERENCES]
    elif clash := [name for name in references if name in (*labels, RANDOM)]:
        raise MensuraError(
            f"{clash[0]} cannot be a reference: those that are measured, and random, are compared with references."
        )
    return Setup(
        tuple(who),
        tuple(dict.fromkeys(references)),
        world,
        size,
        weights_from(weights),
        seed_or_fresh(seed),
        phenomenon,
        timeout,
        threads,
        norm,
    )


def estimated_seconds(setup: Setup) -> float:
    """About how long a profile will take, from a trial."""

    def trial(size: Size) -> dict[str, float]:
        watch = Stopwatch()
        measure(replace(setup, size=size, missing={}), None, quick=False, tell=watch.next)
        watch.next("")
        return watch.seconds

    return expected_seconds(setup.size, len(parts.acting_operators(setup)[0]), trial)


def measure(setup: Setup, level: float | None, *, quick: bool, tell: Tell) -> Profile:
    """Measure part by part; ``tell`` hears which part is being measured."""
    tell("performance")
    measured = parts.measure_performance(setup)
    tell("transfer")
    chance = parts.attempt_transfer(
        setup, RANDOM, lambda: parts.measure_transfer(setup, {RANDOM: RANDOM}, "raw")
    )
    learners = parts.trained_references(setup)
    tell("robustness")
    acting, notes = parts.acting_operators(setup)
    broken = setup.attempt(
        "robustness", "", Breakdowns, lambda: parts.measure_robustness(setup, acting)
    )
    breakdowns = () if broken is None else broken.rows
    found = [
        _of_subject(setup, one, measured, chance, learners, breakdowns, level, tell)
        for one in setup.subjects
    ]
    return Profile(
        found,
        setup.world.id,
        setup.seed,
        quick=quick,
        references=setup.references,
        notes=notes,
        warnings=warnings_of(setup.subjects, [setup.world], Limits(), say=False),
    )


def _of_subject(
    setup: Setup,
    one: Named,
    measured: Measured,
    chance: Transfer | None,
    references: Sequence[Transfer],
    breakdowns: Sequence[Breakdown],
    level: float | None,
    tell: Tell,
) -> SubjectProfile:
    """All parts of one subject."""
    label = one.label
    tell("transfer")
    moved = parts.attempt_transfer(setup, label, lambda: parts.measure_own_transfer(setup, one))
    tell("learn rate")
    rate = setup.attempt("learn rate", label, Rate, lambda: parts.measure_rate(setup, one))
    tell("understanding")
    understood = setup.attempt(
        "understanding", label, Understanding, lambda: parts.measure_understanding(setup, one)
    )
    tell("behavior")
    behavior = setup.attempt(
        "behavior",
        label,
        Behavior,
        lambda: parts.measure_behavior(setup, one, measured.descriptions),
    )
    tell("what it says")
    shown = parts.performance_of(setup, measured, label)
    root = key(setup.seed, "profile", label)
    by_property = halves(
        measured.properties, shown.own, shown.chance, shown.best, shown.median, key(root, "halves")
    )
    own = [broken for broken in breakdowns if broken.subject == label]
    others = [broken for broken in breakdowns if broken.subject in setup.references]
    against = MEDIAN if setup.references else "acting at random"
    points = [
        point("performance", against, difference(shown.own, shown.median, paired=True)),
        *(point(f"performance where {half.name}", against, half.advantage) for half in by_property),
        *_robust_points(own, others),
        *_learning_points(moved, references),
    ]
    return SubjectProfile(
        label,
        shown,
        _wanted(shown.score, level, float(shown.chance.mean()), float(shown.best.mean())),
        tuple(by_property),
        trust(measured.properties, shown.own, key(root, "trust")),
        _motivation(setup, measured, label),
        tuple(found for found in points if found is not None),
        None if moved is None else moved.table,
        () if moved is None else moved.pairs,
        ()
        if moved is None or chance is None
        else parts.losses_in_p_star(setup, moved, chance, references),
        None if moved is None else generalization(moved.table.raw, moved.table.apart),
        None if rate is None else rate.rate,
        () if rate is None else rate.sentences,
        tuple(own),
        understood,
        behavior,
        {part: why for (part, who), why in setup.missing.items() if who in (label, "")},
    )


def _wanted(score: Estimate, level: float | None, chance: float, best: float) -> Wanted:
    wanted = (chance + best) / 2 if level is None else level
    return Wanted(wanted, level is not None, score, probability_above(score, wanted))


def _motivation(setup: Setup, measured: Measured, label: str) -> Motivation | None:
    """How it does in control tasks; None where there are no references to choose them by."""
    if not setup.references:
        return None
    rows = control_tasks(np.array([measured.p[name] for name in setup.references]))
    if len(rows) < 2:
        return None
    ahead = difference(measured.p[label][rows], measured.p[RANDOM][rows], paired=True)
    return Motivation(len(rows), ahead)


def _robust_points(own: Sequence[Breakdown], others: Sequence[Breakdown]) -> Iterator[Point | None]:
    """What is left under each operator, against the median reference, where both are defined."""
    for one in own:
        area = one.degradation.area
        rest = [
            two.degradation.area
            for two in others
            if two.operator == one.operator and two.defined and two.degradation.area is not None
        ]
        if not one.defined or area is None or not rest:
            continue
        middle = sorted(rest, key=lambda two: two.value)[(len(rest) - 1) // 2]
        error = math.hypot(area.standard_error, middle.standard_error)
        value, n = area.value - middle.value, min(area.n, middle.n)
        ahead = Estimate(value, value - 1.96 * error, value + 1.96 * error, 0.95, n, error)
        yield point(f"what is left under {one.operator}", MEDIAN, ahead)


def _learning_points(
    moved: Transfer | None, references: Sequence[Transfer]
) -> Iterator[Point | None]:
    """What training brings, what it brings elsewhere, and what is not forgotten."""
    if moved is None:
        return
    table = moved.table
    many = range(len(table.tasks))
    off = ~np.eye(len(table.tasks), dtype=np.bool_)
    gained = (table.curves[:, :, -1] - table.newborn).mean(axis=1)
    references = [one for one in references if one.table.raw.shape == table.raw.shape]
    if references:
        others = np.median(
            [(one.table.curves[:, :, -1] - one.table.newborn).mean(axis=1) for one in references],
            axis=0,
        )
        yield point(
            "what training in a task brings", MEDIAN, difference(gained, others, paired=True)
        )
    start = (table.raw - table.newborn[:, None, :])[:, off].mean(axis=1)
    yield point("what training in another task brings at once", "no training", mean_interval(start))
    trained = table.raw[:, many, many]
    if np.isfinite(table.back[:, off]).all():
        lost = (table.back - trained[:, :, None])[:, off].mean(axis=1)
        yield point(
            "what is kept of a task after another one", "what was known before", mean_interval(lost)
        )
        gain = (table.after[..., -1] - trained[:, None, :])[:, off].mean(axis=1)
        yield point("learning a task after another one", "learning it alone", mean_interval(gain))


@contextmanager
def showing_parts(wanted: bool) -> Iterator[Tell]:
    """Says which part is being measured, where that is wanted."""
    if not wanted:
        yield lambda part: None
        return
    from mensura.terminal.output import status

    with status("Measuring") as now:
        yield lambda part: now(f"Measuring {part}")
