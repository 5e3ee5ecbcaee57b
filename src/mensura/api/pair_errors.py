"""The worst errors of subjects in pairs of environments, in words: who was wrong where it is easiest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError
from mensura.core.abilities import pair, pair_words
from mensura.core.steps import PAIR

if TYPE_CHECKING:
    from mensura.core.contract import World
    from mensura.records.results import RunResult, StudyResult
    from mensura.statistics.sample import Sample

MOST = 5
"""So many errors of each subject are told."""


def worst_errors(result: StudyResult, samples: Sequence[Sample]) -> list[dict[str, str]]:
    """Rows for a report; none where nothing was in pairs, or the world is gone."""
    found: list[dict[str, str]] = []
    for condition in result.conditions:
        alone = len(result.conditions) == 1
        own = [
            one
            for one in samples
            if PAIR in one.measures and (alone or one.condition == condition.title)
        ]
        world = _world(condition) if own else None
        if world is None:
            continue
        for sample in own:
            found += _of_sample(world, sample)
    return found


def _world(condition: RunResult) -> World | None:
    from mensura.core.registry import WORLDS

    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in condition.world_parameters.items()
    }
    try:
        world: World = WORLDS.load(condition.world)(**given)
    except (MensuraError, TypeError):
        return None
    return world


def _of_sample(world: World, sample: Sample) -> list[dict[str, str]]:
    measure = next(iter(world.measures), "")
    wrong: dict[int, float] = {}
    for number, score in zip(sample.measures[PAIR].tolist(), sample.score.tolist(), strict=True):
        if number == number and score < 1.0 - 1e-9:
            wrong[int(number)] = min(score, wrong.get(int(number), score))
    rows = []
    for number, score in wrong.items():
        halves = list(pair(world, number).values())[:2]
        told = [pair_words(world, one) for one in halves]
        if not all(told) or not measure:
            continue
        complexity = world.complexity(halves[0], measure)
        asked = [one[0] for one in told if one is not None]
        rows.append(
            (
                (score, complexity, len(asked[0])),
                {
                    "subject": sample.label,
                    "wrong": "both halves" if score <= -1.0 + 1e-9 else "a half",
                    "asked": " / ".join(asked),
                    "right": " / ".join(one[1] for one in told if one is not None),
                },
            )
        )
    rows.sort(key=lambda row: row[0])
    return [row for _, row in rows[:MOST]]
