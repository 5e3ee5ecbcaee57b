"""Running published experiments: comparisons with printed values, and factorial experiments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from mensura.assessments.battery import Battery
from mensura.core.contract import World
from mensura.core.experiments import Comparison, Factorial, Level
from mensura.core.keys import Key, key
from mensura.core.registry import WORLDS, Registry
from mensura.records.results import SubjectResult
from mensura.statistics.factorial import TwoWay, two_way
from mensura.statistics.interval import Estimate
from mensura.studies.runner import Watcher, run
from mensura.studies.subjects import resolve

EXPERIMENTS = Registry("mensura.experiments", "experiment")


@dataclass(frozen=True)
class Row:
    """One published value and ours for it under one preset."""

    name: str
    setting: str
    subject: str
    preset: str
    published: float
    doubt: str
    measured: float
    low: float
    high: float
    episodes: int
    spread: float
    """The standard deviation between identical experiments of this size."""
    settings: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The row as plain data."""
        return asdict(self)


def compare(
    experiment: Comparison,
    episodes: int,
    seed: Key,
    watcher: Watcher | None = None,
    threads: int | None = None,
) -> Iterator[list[Row]]:
    """Run each setting under each preset; yields the rows of one setting and preset at a time."""
    kind = WORLDS.load(experiment.world)
    for setting in experiment.settings:
        for preset in experiment.presets:
            world = kind.preset(preset, **setting.parameters)
            battery = Battery(episodes, spread=getattr(world, "complexity_range", None))
            result = run(
                world,
                [resolve(name, world) for name in setting.published],
                battery,
                key(seed, experiment.name, setting.name, preset),
                watcher=watcher,
                threads=threads,
            )
            yield [
                Row(
                    f"{one.subject}, {setting.name}, {preset}",
                    setting.name,
                    one.subject,
                    preset,
                    published.value,
                    published.doubt,
                    one.score.value,
                    one.score.low,
                    one.score.high,
                    one.moments.count,
                    one.spread.value,
                    {
                        **setting.parameters,
                        "preset": preset,
                        "training": one.training,
                        "seed": result.seed,
                    },
                )
                for one, published in zip(result.subjects, setting.published.values(), strict=True)
            ]


@dataclass(frozen=True)
class Cell:
    """The score at one combination of levels; factors that are not named are at their baseline."""

    factors: tuple[str, ...]
    levels: tuple[str, ...]
    values: tuple[float | None, ...]
    score: Estimate
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The cell as plain data."""
        return {
            "name": ", ".join(f"{f}: {v}" for f, v in zip(self.factors, self.levels, strict=True)),
            "levels": dict(zip(self.factors, self.levels, strict=True)),
            "measured": self.score.value,
            "low": self.score.low,
            "high": self.score.high,
            "episodes": self.score.n,
        }


@dataclass(frozen=True)
class Outcome:
    """A factorial experiment: each factor alone, each pair crossed, and the effects."""

    alone: dict[str, list[Cell]]
    pairs: dict[tuple[str, str], list[list[Cell]]]
    effects: dict[tuple[str, str], TwoWay]


def cells_of(experiment: Factorial) -> int:
    """How many cells a factorial experiment has."""
    sizes = [len(factor.levels) for factor in experiment.factors]
    return sum(sizes) + sum(a * b for a, b in combinations(sizes, 2))


def factorial(
    experiment: Factorial,
    episodes: int,
    seed: Key,
    watcher: Watcher | None = None,
    threads: int | None = None,
) -> Outcome:
    """Run every factor alone and every pair of factors; a cell that occurs twice is run once."""
    cache: dict[tuple[int, ...], SubjectResult] = {}
    base = [factor.baseline for factor in experiment.factors]

    def cell(changes: dict[int, int]) -> Cell:
        at = tuple(changes.get(i, level) for i, level in enumerate(base))
        if at not in cache:
            levels = [f.levels[j] for f, j in zip(experiment.factors, at, strict=True)]
            cache[at] = _run_cell(experiment, levels, episodes, seed, watcher, threads)
        elif watcher is not None:
            watcher.played(experiment.name, episodes)
        named = [experiment.factors[i] for i in changes]
        chosen = [f.levels[j] for f, j in zip(named, changes.values(), strict=True)]
        return Cell(
            tuple(f.name for f in named),
            tuple(level.label for level in chosen),
            tuple(level.value for level in chosen),
            cache[at].score,
            cache[at].seconds,
        )

    numbered = list(enumerate(experiment.factors))
    alone = {f.name: [cell({i: j}) for j in range(len(f.levels))] for i, f in numbered}
    pairs: dict[tuple[str, str], list[list[Cell]]] = {}
    effects: dict[tuple[str, str], TwoWay] = {}
    for (i, one), (j, other) in combinations(numbered, 2):
        grid = [
            [cell({i: a, j: b}) for b in range(len(other.levels))] for a in range(len(one.levels))
        ]
        pairs[one.name, other.name] = grid
        effects[one.name, other.name] = two_way(
            [[cell.score.value for cell in row] for row in grid],
            [[cell.score.standard_error for cell in row] for row in grid],
        )
    return Outcome(alone, pairs, effects)


def _run_cell(
    experiment: Factorial,
    levels: list[Level],
    episodes: int,
    seed: Key,
    watcher: Watcher | None,
    threads: int | None,
) -> SubjectResult:
    parameters: dict[str, Any] = {}
    subject, spread = None, None
    for level in levels:
        parameters.update(level.parameters)
        subject = level.subject or subject
        spread = level.spread or spread
    world: World = WORLDS.load(experiment.world)(**parameters)
    result = run(
        world,
        [resolve(subject or "random", world)],
        Battery(episodes, spread=spread),
        key(seed, experiment.name),
        watcher=watcher,
        threads=threads,
    )
    return result.subjects[0]
