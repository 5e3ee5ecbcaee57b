"""Which cells subjects have seen and when, over many episodes: what coverage looks like on the torus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold, key
from mensura.core import palette
from mensura.pictures import files
from mensura.pictures.picture import Disc, Image, Picture, Shape, Words

if TYPE_CHECKING:
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


PANEL = 4.0
"""The longer side of a panel, in units."""


def draw_unseen(seen: Mapping[str, npt.NDArray[np.int64]], path: Path) -> None:
    """Draw in what share of episodes each cell was never seen: a panel for each subject, Good in the middle."""
    shapes: list[Shape] = []
    for i, (name, times) in enumerate(seen.items()):
        share = (times < 0).mean(axis=0)
        x, y = i % 3 * (PANEL + 0.4), i // 3 * (PANEL + 0.9) + 0.5
        unit = PANEL / max(share.shape)
        rows, cols = share.shape
        shapes += [
            Words(f"{name}: {share.mean():.0%} unseen", (x, y - 0.25), 0.28, anchor="start"),
            Image(_shades(share), (x, y), (unit * cols, unit * rows)),
            Disc((x + unit * (cols // 2 + 0.5), y + unit * (rows // 2 + 0.5)), 0.12, "evil"),
        ]
    size = min(len(seen), 3) * (PANEL + 0.4) - 0.4, -(-len(seen) // 3) * (PANEL + 0.9)
    label = f"Where {', '.join(seen)} never looked, cell by cell, with Good's start in the middle"
    shares = ("shade-0", "0"), ("shade-0.5", "0.5"), ("shade-1", "1 of episodes never seen")
    files.save(Picture(shapes, size, label, (*shares, ("evil", "Good's start"))), path)


def _shades(share: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    colors = [palette.rgb(palette.color_of(f"shade-{step / 100}")) for step in range(101)]
    shaded: npt.NDArray[np.uint8] = np.array(colors, np.uint8)[np.rint(100 * share).astype(int)]
    return shaded
