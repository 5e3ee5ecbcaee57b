"""Which cells subjects have seen and when, over many episodes: what coverage looks like on the torus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mensura.core.errors import MensuraError
from mensura.core.keys import Key, fold, key
from mensura.pictures import files

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mensura.worlds.lambda_star.agents import Group
    from mensura.worlds.lambda_star.world import LambdaStar


def first_seen(
    world: LambdaStar, subject: Group, episodes: int, seed: Key
) -> npt.NDArray[np.int64]:
    """When each cell was first seen by anybody, -1 for never: (episodes, rows, cols).

    The torus of each episode is turned so that Good begins in the middle, (rows // 2, cols // 2): only where a cell is
    relative to Good can differ between episodes on average.
    """
    if not world.track or world.task != "search":
        raise MensuraError(
            "Which cells were seen is known of search where it is tracked; set track, or take the preset 'coverage'."
        )
    host = world.hosting(subject)
    seen = np.zeros((episodes, world.rows, world.cols), np.int64)
    for i in range(episodes):
        own = fold(key(seed, "coverage"), i)
        description = host.sample(fold(own, 0))
        environment = host.build(description)
        environment.parts.looks[:] = subject.looks(world.subjects)
        player = subject.sit(world.subjects)
        host.play_slot(environment, player, fold(own, 1), fold(own, 2), world.horizon)
        times = np.array(environment.parts.seen).reshape(world.rows, world.cols)
        y, x = divmod(description.good_start - 1, world.cols)
        seen[i] = np.roll(times, (world.rows // 2 - y, world.cols // 2 - x), (0, 1))
    return seen


def draw_unseen(seen: Mapping[str, npt.NDArray[np.int64]], path: Path) -> None:
    """Draw in what share of episodes each cell was never seen: a panel for each subject, Good in the middle."""
    label = f"Where {', '.join(seen)} never looked, cell by cell, with Good's start in the middle"
    files.draw_to(path, lambda: _figure(seen), label)


def _figure(seen: Mapping[str, npt.NDArray[np.int64]]) -> Figure:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    from mensura.core import palette

    shares = {name: (times < 0).mean(axis=0) for name, times in seen.items()}
    across = min(len(shares), 3)
    down = -(-len(shares) // across)
    figure = Figure(figsize=(2.6 * across + 0.9, 2.7 * down), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False)
    for place in panels.flat:
        place.set_axis_off()
    for place, (name, share) in zip(panels.flat, shares.items(), strict=False):
        place.set_axis_on()
        place.imshow(share, cmap=palette.SHADES, vmin=0.0, vmax=1.0, interpolation="nearest")
        rows, cols = share.shape
        place.plot(cols // 2, rows // 2, "o", color=palette.VERMILLION, markersize=5)
        place.set_title(f"{name}: {share.mean():.0%} unseen", fontsize=10)
        place.set_xticks([])
        place.set_yticks([])
    shades = ScalarMappable(Normalize(0.0, 1.0), palette.SHADES)
    figure.colorbar(shades, ax=panels, label="never seen [share of episodes]", shrink=0.8)
    return figure
