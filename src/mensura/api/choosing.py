"""Which task tells subjects apart: the one whose outcome tells most of who it was."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import key, seed_or_fresh
from mensura.agent.task import Limits
from mensura.api.assessing import (
    are_paid,
    changed_parameters,
    seconds_per_action,
    subject_entry,
)
from mensura.api.live_spending import Spending
from mensura.api.making import DEFAULT_WORLD, world_of
from mensura.api.naming import AtHand, Named, Several, named
from mensura.api.result_warnings import warnings_of
from mensura.api.running import watching
from mensura.api.tables import Shown, Table, frame_of
from mensura.records.results import plain_numbers
from mensura.statistics.information import mutual_information
from mensura.studies.candidate_run import Tried, played, tried
from mensura.studies.choosing import ABOUT, Candidate, Told, candidate_study, candidates
from mensura.studies.runs import Manner

if TYPE_CHECKING:
    from mensura.core.contract import World

EPISODES = 30
"""Environments in which each subject meets each candidate."""
CANDIDATES = 12
TRAINING = 10
"""Training episodes where learning is asked about."""
WORTH_PROCESSES = 10.0
"""Seconds of playing from which on processes pay that take seconds to start."""
OUTCOME = {
    "performance": "the score",
    "robustness": "what a perturbation of strength 0.3 changes of the score",
    "learning": "what training changes of the score",
}


class Choice(Shown):
    """Candidate tasks, the one that tells most first."""

    def __init__(
        self,
        told: Sequence[Told],
        subjects: Sequence[str],
        world: str,
        about: str,
        seed: int,
        refused: Sequence[str] = (),
        warnings: Sequence[str] = (),
    ) -> None:
        self.candidates = tuple(sorted(told, key=lambda one: -one.bits.value))
        """By how much each tells, most first."""
        self.subjects = tuple(subjects)
        self.world = world
        self.about = about
        self.seed = seed
        """From which the same bits come again."""
        self.refused = tuple(refused)
        """Candidates that could not be played, each with why, in a sentence."""
        self.warnings = tuple(warnings)

    @property
    def best(self) -> Told:
        """The candidate that tells most."""
        return self.candidates[0]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, in words."""
        most = f"{self.best.bits.value:.2f}"
        first = self.best.candidate
        who = f"{', '.join(self.subjects[:-1])} and {self.subjects[-1]}"
        said = [
            f"{first.name} ({first.manner}) tells {who} apart best: {most} bits of an outcome, which is "
            f"{OUTCOME[self.about]}."
        ]
        if self.best.bits.low <= 0.0:
            said = [
                f"No candidate surely tells {who} apart; the best, {first.name}, has {most} bits."
            ]
        quick = max(self.candidates, key=lambda one: one.bits_per_minute)
        if quick is not self.best and quick.bits.value > 0.0:
            said.append(f"Per minute {quick.candidate.name} tells most on this machine.")
        if self.refused:
            said.append(
                f"{len(self.refused)} further candidates could not be played; the first: {self.refused[0]}"
            )
        return (*self.warnings, *said)

    def tables(self) -> list[Table]:
        """The candidates, the best first."""
        columns = [("how", False), ("task", False), ("bits", True), ("bits per minute", True)]
        columns += [(f"mean of {name}", True) for name in self.subjects]
        rows = [
            [
                one.candidate.manner,
                one.candidate.name,
                f"{one.bits.value:.2f} [{one.bits.low:.2f}, {one.bits.high:.2f}]",
                f"{one.bits_per_minute:,.0f}",
                *(f"{one.means[name]:+.3f}" for name in self.subjects),
            ]
            for one in self.candidates
        ]
        title = (
            f"Which task of {self.world} tells who is who, about {self.about}: bits of one outcome"
        )
        return [Table(title, columns, rows)]

    def frame(self) -> Any:
        """A row for each candidate, as a data frame."""
        return frame_of(self.to_json()["candidates"])

    def to_json(self) -> dict[str, Any]:
        """All of it as data that ``json.dump`` takes."""
        data: dict[str, Any] = plain_numbers(
            {
                "seed": self.seed,
                "warnings": list(self.warnings),
                "world": self.world,
                "about": self.about,
                "subjects": list(self.subjects),
                "candidates": [
                    {
                        "how": one.candidate.manner,
                        "task": one.candidate.name,
                        "parameters": dict(one.candidate.parameters),
                        "preset": one.candidate.preset,
                        "operator": one.candidate.operator,
                        "bits": one.bits.value,
                        "low": one.bits.low,
                        "high": one.bits.high,
                        "bits_per_minute": one.bits_per_minute,
                        "means": dict(one.means),
                    }
                    for one in self.candidates
                ],
                "refused": list(self.refused),
            }
        )
        return data


def choose(
    between: Several,
    world: str | World = DEFAULT_WORLD,
    about: str = "performance",
    *,
    preset: str | None = None,
    episodes: int = EPISODES,
    most: int = CANDIDATES,
    training: int = TRAINING,
    seed: int | None = None,
    in_process: bool | None = None,
    timeout: float | None = None,
    progress: bool = False,
) -> Choice:
    """Find the task that tells subjects apart, as ``mensura choose`` does.

    Candidates are constructed (a parameter of the world halved or doubled), adapted (perturbed) or selected (its
    samples and presets). Each subject plays each of them, and they are ranked by the mutual information of subject and
    outcome.

    Args:
        between: Two or more subjects, as of :func:`assess`.
        world: Where: a name, or a world that :func:`make` made.
        about: "performance": outcomes are scores. "robustness": what a perturbation changes of them. "learning": what
            training does.
        preset: Of a world that is given by name: a named set of parameters.
        episodes: Environments in which each candidate is met.
        most: How many candidates.
        training: Episodes, where learning is asked about.
        seed: The root of all draws; the same seed gives the same bits. Drawn where it is left out.
        in_process: Run code from files inside this process, too.
        timeout: Seconds that an answer may take.
        progress: Show progress.

    Example:
        >>> import mensura as ms
        >>> found = ms.choose(["random", "oracle"], "lambda-star", episodes=10, most=2, seed=1)
        >>> len(found.candidates)
        2
    """
    return choose_between(
        named(between, in_process),
        world_of(world, preset),
        about,
        episodes=episodes,
        most=most,
        training=training,
        seed=seed,
        timeout=timeout,
        progress=progress,
    )


def choose_between(
    who: Sequence[Named],
    home: World,
    about: str,
    *,
    episodes: int,
    most: int,
    training: int,
    seed: int | None,
    timeout: float | None = None,
    limits: Mapping[str, Any] | None = None,
    progress: bool = False,
) -> Choice:
    """The same of subjects that have addresses, in a world that is made."""
    _check(who, about, episodes, most, training)
    root = seed_or_fresh(seed)
    wanted = dict(limits or {})
    if timeout is not None or "seconds_per_action" not in wanted:
        wanted["seconds_per_action"] = seconds_per_action([one.address for one in who], timeout)
    plain = {
        "name": "choose",
        "subjects": [subject_entry(one) for one in who],
        "seed": root,
        "limits": wanted,
    }
    at_hand = AtHand.of(who, home)
    with at_hand.lend():
        found, refused = _tried(plain, home, about, episodes, most, training, progress)
        expected = sum(one.seconds for one in found)
        apart = expected > WORTH_PROCESSES and not at_hand.is_needed
        manner = Manner("auto" if apart else "threads")
        if progress:
            _announce(found, len(who), expected / (os.cpu_count() or 1 if apart else 1))
        sittings = sum(one.sittings for one in found)
        with watching(progress)(sittings, 0, Spending()) as watcher:
            results = played(found, manner, watcher)
    told = [
        Told(
            one.candidate,
            mutual_information(
                list(result.outcomes.values()), key(root, "bits", one.candidate.name)
            ),
            result.seconds,
            {label: float(scores.mean()) for label, scores in result.outcomes.items()},
        )
        for one, result in zip(found, results, strict=True)
    ]
    warnings = warnings_of(who, [home], Limits(**wanted), say=False)
    labels = [one.label for one in who]
    return Choice(told, labels, home.id, about, root, refused, warnings)


def _tried(
    plain: Mapping[str, Any],
    home: World,
    about: Any,
    episodes: int,
    most: int,
    training: int,
    progress: bool,
) -> tuple[list[Tried], list[str]]:
    """The candidates that all can play, each tried, and why others cannot be played."""
    found, refused = [], []
    wanted = candidates(home, changed_parameters(home), most, about)
    with _progress(progress, len(wanted)) as tell:
        for number, one in enumerate(wanted):
            tell(number, one)
            try:
                study = candidate_study(
                    plain, home.id, one, about, {"episodes": episodes}, training
                )
                found.append(tried(one, study))
            except MensuraError as error:
                if number == 0:  # the world itself: whatever is wrong is wrong with what was asked
                    raise
                refused.append(f"{one.name}: {error}")
    return found, refused


def _announce(found: Sequence[Tried], subjects: int, expected: float) -> None:
    """Say how long it will take, where that is worth a line."""
    from mensura.reports.number_words import seconds
    from mensura.terminal.output import SOON, complain

    if expected > SOON:
        complain(
            f"{len(found)} candidates, {subjects} subjects, {sum(one.sittings for one in found):,} sittings: about "
            f"{seconds(expected)} here, as one sitting of each tells; fewer --candidates or --episodes take less."
        )


def _check(who: Sequence[Named], about: str, episodes: int, most: int, training: int) -> None:
    """Raise if nothing can be told."""
    if len(who) < 2:
        raise MensuraError("One subject cannot be told apart from others; name two or more.")
    if are_paid([one.address for one in who]):
        raise MensuraError(
            "A language model would play every candidate, which costs much; choose between subjects that are not paid "
            "for, then assess the model in the task."
        )
    if about not in ABOUT:
        raise MensuraError(f"Nothing is known about {about!r}; {neighbors(about, list(ABOUT))}")
    for what, number, least in (
        ("episodes", episodes, 5),
        ("candidates", most, 1),
        ("episodes of training", training, 1),
    ):
        if number < least:
            raise MensuraError(f"{number} {what} are too few; at least {least} are needed.")


@contextmanager
def _progress(wanted: bool, total: int) -> Iterator[Callable[[int, Candidate], None]]:
    """Says how far it is, where that is wanted."""
    if not wanted:
        yield lambda number, one: None
        return
    from mensura.terminal.output import status

    with status("Trying candidates") as now:
        yield lambda number, one: now(f"Trying candidate {number + 1} of {total}: {one.name}")
