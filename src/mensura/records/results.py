"""The result of a run: what each subject scored, in constant memory, as data that reports read.

Only summaries are held (moments, a histogram, moments by complexity), so a million episodes take no more room
than a thousand. The rows of single episodes go to a file as they come (:mod:`mensura.records.rows`).
"""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import mensura
from mensura.agent.errors import MensuraError
from mensura.core.abilities import content_mark
from mensura.core.steps import SHARED
from mensura.core.usage import REFUSALS, REQUESTS
from mensura.records.batch import PrintedRow
from mensura.records.faults import SHOWN, FaultGroup
from mensura.records.holding import isolation_warnings
from mensura.records.paths import SittingPath
from mensura.records.task_attempts import Attempted
from mensura.records.validity import is_valid
from mensura.statistics.clusters import Error
from mensura.statistics.interval import Estimate
from mensura.statistics.moments import Grouped, Histogram, Moments
from mensura.statistics.sample import Sample
from mensura.statistics.spread import observed_spread, predicted_spread

BINS = 80

SCALE = (-1.0, 1.0)
"""The ends of the scale of scores."""

SHARED_DF = 20
"""A shared error is itself known from about so many calibrations (`mensura.statistics.item_response.REPLICATES`)."""


@dataclass(frozen=True)
class SubjectResult:
    """What one subject left behind in a run."""

    subject: str
    summary: str = ""
    """A line on what it is."""
    isolation: str = ""
    """How it was held, in words (:mod:`mensura.records.holding`); empty where that was not recorded."""
    training: int = 0
    """Training episodes before each assessed one."""
    compiled: bool = False
    """Whether whole sittings were played compiled."""
    moments: Moments = field(default_factory=Moments)
    """Of the scores of sittings; of a battery, the mean reward (Definition 2) of assessed episodes."""
    by_complexity: Grouped = field(default_factory=Grouped)
    """The same by the complexity of the environment; of sittings in several environments, the reward in each."""
    histogram: Histogram = field(default_factory=lambda: Histogram.even(-1.0, 1.0, BINS))
    interactions: int = 0
    """Actions of all seats, training included."""
    seconds: float = 0.0
    """Wall time of its answers; of compiled subjects, of their episodes."""
    cpu: float = 0.0
    """Processor time of the subject, where it can be told."""
    learning: Grouped = field(default_factory=Grouped)
    """The reward of kept episodes by their number in the sitting: training from 0, the assessed one last."""
    measures: Mapping[str, Moments] = field(default_factory=dict)
    """Further measures of assessed episodes and of whole sittings, by name."""
    paths: tuple[SittingPath, ...] = ()
    """The steps of the first sittings, where sittings go from one environment to the next."""
    attempts: tuple[Attempted, ...] = ()
    """The attempts of the first sittings, where sittings are attempts at a task."""
    lost: int = 0
    """Sittings whose worker died each time."""
    faults: int = 0
    fault_groups: tuple[FaultGroup, ...] = ()
    """Faults that are alike, each once with their number."""
    asked: float = 0.0
    """Questions that were put to it, training included; nan where that was not recorded, 0 where it was compiled."""
    actions: int = 0
    """Its actions in assessed episodes."""
    defaults: float = 0.0
    """How many of these were the environment's default, for want of an answer; nan where that was not recorded."""
    printed: tuple[PrintedRow, ...] = ()
    """What it printed in its first sitting, and in the first ones where something went wrong."""
    repetitions: tuple[float, ...] = ()
    """The scores of identical experiments with other seeds, where there were several; the rest is of all of them."""

    @property
    def score(self) -> Estimate:
        """The mean over environments with its 95% interval (Definition 3), which ends where the scale does.

        Not a number where the subject has no score of its own.
        """
        if not self.valid:
            return Estimate(math.nan, math.nan, math.nan, 0.95, self.moments.count, math.nan)
        count = self.moments.count
        if count < 2 or SHARED not in self.measures:
            return on_scale(self.moments.estimate(), self.moments)
        scatter = Error(self.moments.variance / count, count - 1, "environment", count)
        return on_scale(self.with_shared(scatter).around(self.moments.mean, count), self.moments)

    @property
    def default_share(self) -> float:
        """The share of its assessed actions that were the environment's default; nan where that was not recorded."""
        return self.defaults / self.actions if self.actions else self.defaults

    @property
    def valid(self) -> bool:
        """Whether the score is its own: see :mod:`mensura.records.validity`."""
        return is_valid(self.default_share) and not self.reason

    @property
    def reason(self) -> str:
        """Why it has no score at all, in a few words; nothing where it has one.

        What the environment's default actions earn says nothing of whoever refuses to act.
        """
        refusals, requests = self.measures.get(REFUSALS), self.measures.get(REQUESTS)
        if refusals is None or requests is None or not requests.count:
            return ""
        refused, answered = (round(one.mean * one.count) for one in (refusals, requests))
        return f"refused {refused:,} of {answered:,}" if refused >= answered > 0 else ""

    @property
    def invalidity(self) -> str:
        """Why it has no score of its own, in a few words; nothing where it has one."""
        if self.reason or self.valid:
            return self.reason
        return f"{self.default_share:.0%} of its actions were the environment's default"

    @property
    def fault_examples(self) -> tuple[str, ...]:
        """Its first faults in words, those that are alike once; then how many others there are."""
        shown = [str(one) for one in self.fault_groups[:SHOWN]]
        others = self.faults - sum(one.times for one in self.fault_groups[:SHOWN])
        if shown and others > 0:
            shown.append(f"and {others:,} of other kinds")
        return tuple(shown)

    def with_shared(self, scatter: Error) -> Error:
        """An error by the scatter of sittings, with what all of them have in common of their error, where there is."""
        told = self.measures.get(SHARED)
        if told is None or not told.count:
            return scatter
        shared = Error(told.mean**2, SHARED_DF, scatter.unit, 0)
        return scatter + shared

    @property
    def spread(self) -> Estimate:
        """The standard deviation between identical experiments of this size, from the episodes of this one."""
        repetitions = max(1, len(self.repetitions))
        return predicted_spread(self.moments, max(1, self.moments.count // repetitions))

    @property
    def observed_spread(self) -> Estimate | None:
        """The same as observed over the repetitions, where there are some."""
        return observed_spread(self.repetitions) if len(self.repetitions) > 1 else None


@dataclass(frozen=True)
class RunResult:
    """One condition of a run: who was assessed on what, how, and what came out."""

    title: str
    """The condition in words."""
    world: str
    world_parameters: Mapping[str, Any]
    assessment: Mapping[str, Any]
    seed: int | None
    """None where it is not to be told."""
    subjects: tuple[SubjectResult, ...] = ()
    content: str = ""
    """Where its environments come from, as the world says (:mod:`mensura.core.abilities.content`)."""
    notes: tuple[str, ...] = ()
    """Sentences for the reader of a report."""
    command: str = ""
    """What to type to run it again."""
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    seconds: float = 0.0
    version: str = field(default_factory=lambda: str(mensura.__version__))
    machine: str = field(
        default_factory=lambda: (
            f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
            f"Python {platform.python_version()}"
        )
    )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before any score is read: environments that can be known, subjects that were not isolated."""
        mark = content_mark(self.content) if self.content else ""
        held = {one.subject: one.isolation for one in self.subjects}
        return (*isolation_warnings(held), *([mark] if mark else []))

    def rows(self) -> list[dict[str, Any]]:
        """The table of scores as data, one row a subject."""
        return [
            {
                "subject": one.subject,
                "score": one.score.value,
                "low": one.score.low,
                "high": one.score.high,
                "level": one.score.level,
                "episodes": one.moments.count,
                "training": one.training,
                "content": self.content,
                "isolation": one.isolation,
                "spread": one.spread.value if one.valid else None,
                "observed_spread": one.observed_spread.value
                if one.observed_spread and one.valid
                else None,
                "faults": one.faults,
                "asked": one.asked,
                "default_share": one.default_share,
                "valid": one.valid,
                **({} if one.valid else {"reason": one.invalidity}),
                "seconds": one.seconds,
                "compiled": one.compiled,
            }
            for one in self.subjects
        ]


@dataclass(frozen=True)
class StudyResult:
    """A run of a study: all of its conditions, and where it came from."""

    name: str
    """The name of the run in its store."""
    title: str
    status: str
    """running, finished, stopped or failed."""
    conditions: tuple[RunResult, ...]
    source: str = ""
    """Where the experiment was published."""
    notes: tuple[str, ...] = ()
    study: Mapping[str, Any] = field(default_factory=dict)
    """The study file as data, its seed filled in."""
    seed: int | None = 0
    """None where it is not to be told."""
    root: int = 0
    """Of the draws of its first cell, which only who has the seed can find out."""
    levels: tuple[Mapping[str, str], ...] = ()
    """Of each condition: the level of each factor."""
    sittings: int = 0
    """How many there are to be."""
    done: int = 0
    commit: str = ""
    """Of the installed Mensura."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of Python and the packages that matter."""
    machine: str = ""
    started: str = ""
    ended: str = ""
    seconds: float = 0.0
    """Wall time of the run, over all of its stretches."""
    command: str = ""
    samples: tuple[Sample, ...] = field(default=(), repr=False, compare=False)
    """Single scores, of a run without a store that has not too many; a store gives them itself."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before any score is read, of all conditions."""
        return tuple(dict.fromkeys(one for each in self.conditions for one in each.warnings))

    def without_seed(self) -> StudyResult:
        """The same for readers who must not know the environments of those who are still to play."""
        return replace(
            self,
            conditions=tuple(replace(one, seed=None) for one in self.conditions),
            study={name: value for name, value in self.study.items() if name != "seed"},
            seed=None,
            root=0,
        )


def on_scale(score: Estimate, moments: Moments) -> Estimate:
    """A score whose interval does not reach beyond the ends of the scale, where none of its parts is beyond them."""
    low, high = SCALE
    inside = low <= moments.minimum and moments.maximum <= high
    return score.within(low, high) if inside else score


def plain_numbers(value: Any) -> Any:
    """Data that JSON can write and every language can read: numbers that are not finite become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): plain_numbers(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_numbers(item) for item in value]
    return value


def check_writable(path: Path) -> None:
    """One sentence now rather than a lost result after hours, where a file cannot be written."""
    folder = path.parent
    if path.is_dir():
        raise MensuraError(f"{path} is a folder; give the name of a file in it.")
    if not folder.is_dir():
        raise MensuraError(
            f"The folder {folder} does not exist; make it first, or write elsewhere."
        )
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise MensuraError(f"{path} cannot be written; choose a folder that you may write to.")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file entirely or not at all: beside its place first, then moved there."""
    check_writable(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content.encode() if isinstance(content, str) else content)
        part.replace(path)
    except OSError as error:
        raise MensuraError(f"{path} could not be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)


def write_json(path: Path, data: Any) -> None:
    """Write data as a JSON file, entirely or not at all."""
    text = json.dumps(plain_numbers(data), indent=2, allow_nan=False)
    write_whole(path, text.replace("\x7f", "\\u007f") + "\n")  # which JSON leaves as it is
