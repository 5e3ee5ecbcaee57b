"""A moment of an environment, as drawings and tables see it: who is where on the torus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Cell: TypeAlias = tuple[int, int]
"""Row and column, from 0."""
Field: TypeAlias = npt.NDArray[np.float64]
"""A number for each cell: (rows, cols)."""


class Moment(Protocol):
    """What is shown of an environment."""

    @property
    def description(self) -> Any:
        """The environment as data."""

    @property
    def iteration(self) -> int:
        """How many interactions have passed."""

    @property
    def parts(self) -> Any:
        """The parts of its row: :class:`~mensura.worlds.lambda_star.torus.kernels.row.Row`, or ``Plain``."""

    def positions(self) -> dict[str, Any]:
        """The cells of Good, Evil and the guide, or None, and of each subject."""

    def worth(self) -> Field | None:
        """What each cell is worth by the game now; None where Good and Evil tell it."""

    def observation(self, seat: int) -> Any:
        """What a seat observes."""


def standing(environment: Moment) -> Iterator[tuple[str, Cell]]:
    """Everybody by name, and their cells."""
    at = environment.positions()
    for name in ("good", "evil", "guide"):
        if at[name] is not None:
            yield name if name == "guide" else name.capitalize(), at[name]
    several = len(at["subjects"]) > 1
    for seat, cell in enumerate(at["subjects"]):
        yield f"subject {seat}" if several else "subject", cell
