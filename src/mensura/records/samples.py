"""Samples: the scores of single sittings with what tells their units apart, read back from a store or as they come."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import Key, fold_array, key
from mensura.core.steps import PAIR, STEPS
from mensura.records.batch import Batch
from mensura.records.cell import Cell
from mensura.records.encoding import from_text, to_text
from mensura.statistics.sample import Sample
from mensura.statistics.setting import Setting

SITTINGS = 10_000
"""Without a store the single scores of up to so many sittings of a cell are kept."""

AMOUNTS = ("episodes", "sittings", "training")
"""Parameters of an assessment that say how much is played, and not where."""

IMMATERIAL = (*AMOUNTS, "pace", "complexities")
"""Parameters of an assessment that say how much is played or told, or what others are by default, and not what is
measured."""

Floats = npt.NDArray[np.float64]


class Scores(NamedTuple):
    """Scores of sittings of one cell, one entry of each column a sitting."""

    item: npt.NDArray[np.int64]
    score: Floats
    environment: npt.NDArray[np.uint64]
    complexity: Floats
    measures: Mapping[str, Floats]
    actions: int
    """In assessed episodes, all sittings together."""
    defaults: float
    """How many of them were the environment's default; nan where that was not recorded."""


class Assessed(NamedTuple):
    """The assessed episodes of sittings, in their order, one entry of each column an episode."""

    item: npt.NDArray[np.int64]
    environment: npt.NDArray[np.uint64]
    complexity: Floats
    interactions: npt.NDArray[np.int64]
    defaults: Floats


def scores_of(
    cell: Cell,
    item: npt.NDArray[np.int64],
    score: Floats,
    assessed: Assessed,
    measures: Iterable[tuple[int, str, float]],
) -> Scores:
    """Scores with the environment that each is of, and its complexity and measures, those of the last episode.

    A sitting in several environments, or in one that was made by hand, goes by its number: subjects that sit down to
    the same number meet the same choices.
    """
    environment = fold_array(cell.seed, item.astype(np.uint64))
    complexity = np.full(len(item), np.nan)
    place = np.searchsorted(item, assessed.item)
    alone = (np.bincount(place, minlength=len(item))[place] == 1) & (assessed.environment != 0)
    environment[place[alone]] = assessed.environment[alone]
    complexity[place] = assessed.complexity
    found: dict[str, Floats] = {}
    for at, name, value in measures:
        if name not in STEPS or name == PAIR:
            told = found.setdefault(name, np.full(len(item), np.nan))
            told[np.searchsorted(item, at)] = value
    return Scores(
        item,
        score,
        environment ^ np.uint64(_whereabouts(cell)),
        complexity,
        found,
        int(assessed.interactions.sum()),
        float(assessed.defaults.sum()),
    )


def sample_of(first: Cell, parts: Sequence[tuple[Cell, Scores]]) -> Sample:
    """The scores of one subject under one condition: of its cells, in the order of repetitions."""
    found = [scores for _, scores in parts]
    names = sorted({name for scores in found for name in scores.measures})
    actions = sum(one.actions for one in found)
    return Sample(
        label=first.name,
        score=np.concatenate([np.empty(0), *(one.score for one in found)]),
        environment=np.concatenate([np.empty(0, np.uint64), *(one.environment for one in found)]),
        run=np.repeat(
            np.array([cell.repetition for cell, _ in parts], np.int64),
            [len(one.score) for one in found],
        ),
        complexity=np.concatenate([np.empty(0), *(one.complexity for one in found)]),
        condition=first.condition,
        measures={
            name: np.concatenate(
                [one.measures.get(name, np.full(len(one.score), np.nan)) for one in found]
            )
            for name in names
        },
        setting=setting_of(first),
        default_share=sum(one.defaults for one in found) / actions if actions else math.nan,
    )


def setting_of(cell: Cell) -> Setting:
    """What the scores of a cell were made under, as far as it matters for comparing them."""
    plain = from_text(to_text([cell.parameters, cell.assessment_parameters]))
    given = {name: value for name, value in plain[1].items() if name not in IMMATERIAL}
    return Setting(cell.world, plain[0], cell.assessment, given)


def _whereabouts(cell: Cell) -> Key:
    """What an environment depends on beside its key: equal keys in worlds that differ are not the same environment."""
    choices = {
        name: value
        for name, value in sorted(cell.assessment_parameters.items())
        if name not in AMOUNTS
    }
    return key(
        0,
        cell.world,
        to_text(dict(sorted(cell.parameters.items()))),
        cell.assessment,
        to_text(choices),
    )


class SampleCollector:
    """The single scores of a cell as they come, in any order, as long as they are not too many."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self._parts: list[Scores] = []
        self._count = 0

    def add(self, batch: Batch) -> None:
        """The sittings of a batch."""
        self._count += len(batch)
        if self._count > SITTINGS:
            self._parts.clear()
            return
        episodes = batch.episodes
        own = ~episodes.learning
        assessed = Assessed(
            episodes.item[own],
            episodes.environment[own],
            episodes.complexity[own],
            episodes.interactions[own],
            episodes.defaults[own],
        )
        rows = sorted(batch.measures)
        told = ((row.item, row.name, row.value) for row in rows)
        self._parts.append(scores_of(self.cell, batch.item, batch.score, assessed, told))

    @property
    def all(self) -> bool:
        """Whether all that came is here: they were not too many."""
        return self._count <= SITTINGS

    def scores(self) -> Scores:
        """What was kept, in the order of sittings."""
        item = np.concatenate([np.empty(0, np.int64), *(one.item for one in self._parts)])
        order = np.argsort(item)
        whole = sample_of(self.cell, [(self.cell, one) for one in self._parts])
        return Scores(
            item[order],
            whole.score[order],
            whole.environment[order],
            whole.complexity[order],
            {name: values[order] for name, values in whole.measures.items()},
            sum(one.actions for one in self._parts),
            sum(one.defaults for one in self._parts),
        )


def collected_samples(kept: Sequence[SampleCollector]) -> tuple[Sample, ...]:
    """The samples of a run whose scores were kept as they came, by condition and subject in the order of cells."""
    found: dict[tuple[str, str], list[SampleCollector]] = {}
    for one in kept:
        found.setdefault((one.cell.condition, one.cell.name), []).append(one)
    samples = []
    for same in found.values():
        ordered = sorted(same, key=lambda one: (one.cell.repetition, one.cell.number))
        if all(one.all for one in same):
            parts = [(one.cell, one.scores()) for one in ordered]
            samples.append(sample_of(ordered[0].cell, parts))
    return tuple(samples)
