"""Pictures of cells that each have a worth, like figure 5 of the paper: colors, a color bar, stars for subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mensura.core import palette
from mensura.worlds.lambda_star.environment import LambdaStarEnvironment

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 400.0
"""The longer side of the grid, in pixels."""
NAMES = {"landscape": "fitness", "commons": "stock"}
"""What the worth of a cell is called, in tasks that are drawn so."""


def figure(environment: LambdaStarEnvironment) -> Figure:
    """The cells as colors, with a bar that says which is how much, and a black star for each subject."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

    from mensura.worlds.lambda_star.drawing import frame, picture_size

    d = environment.description
    width, height = picture_size(d, SIDE)
    full_width, full_height = width + 124, height + 74
    drawn = Figure(figsize=(full_width / 72, full_height / 72))
    axes = drawn.add_axes(
        (28 / full_width, 40 / full_height, width / full_width, height / full_height)
    )
    frame(axes, d, width, height)
    axes.grid(visible=False, which="both")
    signed = d.task == "landscape"
    colors = [palette.EVIL, "#ffffff", palette.GOOD] if signed else ["#ffffff", palette.GREEN]
    image = axes.imshow(
        np.asarray(environment.worth()),
        cmap=LinearSegmentedColormap.from_list("worth", colors),
        vmin=-1.0 if signed else 0.0,
        vmax=1.0,
        interpolation="nearest",
        aspect="auto",
        zorder=1,
    )
    beside = drawn.add_axes(
        ((width + 44) / full_width, 40 / full_height, 14 / full_width, height / full_height)
    )
    bar = drawn.colorbar(image, cax=beside)
    bar.set_label(NAMES[d.task])
    stars(axes, environment)
    drawn.text(
        28 / full_width,
        1 - 20 / full_height,
        f"{d.rows}x{d.cols} torus, {d.task}, iteration {environment.iteration} of {d.horizon}",
        fontsize=12,
    )
    return drawn


def stars(axes: Axes, environment: LambdaStarEnvironment) -> None:
    """A star where each subject stands, side by side where they share a cell."""
    from mensura.worlds.lambda_star.drawing import side_by_side

    d = environment.description
    size = min(20.0, max(6.0, 0.7 * SIDE / max(d.rows, d.cols)))
    for (y, x), scale in side_by_side(environment.positions()["subjects"]):
        axes.plot(
            x,
            y,
            "*",
            color="black",
            markersize=size * scale,
            markeredgecolor="white",
            markeredgewidth=0.5,
            zorder=5,
        )
