"""How much a subject goes by looks where structure decides: its success in analogies against their pull."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.statistics.interval import Estimate, mean_interval

PULLS = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""From looks that lead away from the answer to looks that lead to it."""


class Reliance(NamedTuple):
    """A subject's success by pull, and the slope of it."""

    subject: str
    success: Mapping[float, float]
    """The share of right answers at each pull."""
    slope: Estimate
    """Success gained from one unit of pull: 0 for whoever goes by structure alone, 0.5 for whoever goes by looks alone.

    It is the least-squares slope of each problem over the pulls, averaged over problems, with its 95% interval.
    """


def reliance_on_looks(
    subjects: Sequence[str],
    *,
    problems: int = 100,
    pulls: Sequence[float] = PULLS,
    preset: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    seed: int | None = None,
    tell: Callable[[str], None] = lambda told: None,
    **settings: Any,
) -> list[Reliance]:
    """Give subjects the same problems at several pulls.

    Only looks differ from pull to pull: structures, questions and the order of answers are those of the same draws.
    """
    from mensura.agent.keys import seed_or_fresh
    from mensura.api.assessing import assess
    from mensura.api.making import make

    if len(set(pulls)) < 2 or not all(-1.0 <= one <= 1.0 for one in pulls):
        raise MensuraError("A slope needs at least two different pulls from -1 to 1.")
    if problems < 2:
        raise MensuraError(f"{problems} problems have no spread; give at least 2.")
    root = seed_or_fresh(seed)
    right: dict[str, list[Any]] = {}
    for pull in pulls:
        tell(f"pull {pull:g}")
        world = make("analogies", preset=preset, **{**(parameters or {}), "pull": pull})
        found = assess(list(subjects), world, "battery", episodes=problems, seed=root, **settings)
        for one in found.samples:
            right.setdefault(one.label, []).append(np.asarray(one.measures["right"], float))
    at = np.asarray(pulls, float)
    away = at - at.mean()
    results = []
    for subject, rows in right.items():
        table = np.array(rows)
        slopes = away @ table / (away @ away)
        success = {pull: float(row.mean()) for pull, row in zip(pulls, table, strict=True)}
        results.append(Reliance(subject, success, mean_interval(slopes)))
    return results
