"""Spaces drawn by key in the wanted sizes: what the compiled generator is asked, and what it finds."""

from __future__ import annotations

import numpy as np

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key
from mensura.worlds.lambda_class.kernels.generator import STRONG, UNRESTRICTED, WEAK, space_door
from mensura.worlds.lambda_class.space import LARGEST, Topology

TOPOLOGIES = {"strong": STRONG, "weak": WEAK, "unrestricted": UNRESTRICTED}

ARROWS_DRAWN = 20_000_000
"""How many arrows are drawn before a connected space of the wanted size counts as out of reach."""

MOST_ACTIONS = 1000


class SpaceDrawer:
    """Draws spaces of the wanted sizes, as rows of shifts. A space depends on its key alone.

    `cells` and `actions` are fixed numbers, or the least and the most of a geometric one. The most actions are as many
    as there are cells, if nothing else is said.
    """

    def __init__(
        self,
        cells: int | tuple[int, int],
        actions: int | tuple[int, int | None],
        topology: Topology,
    ) -> None:
        least, most = _bounds("cells", cells)
        fewest, highest = _bounds("actions", actions)
        if highest is not None and highest > MOST_ACTIONS:
            raise MensuraError(
                f"{highest} actions are too many; at most {MOST_ACTIONS} can be drawn."
            )
        assert most is not None
        width = highest if highest is not None else max(fewest, most)
        if highest is None and width > MOST_ACTIONS:
            raise MensuraError(
                f"Spaces of up to {most} cells would have up to {width} actions; at most {MOST_ACTIONS} can be "
                "drawn, so give the most actions too."
            )
        if most * width > LARGEST:
            raise MensuraError(
                f"A space of {most} cells with {width} actions is too large; at most {LARGEST} arrows fit."
            )
        if topology not in TOPOLOGIES:
            raise MensuraError(
                f"{topology!r} is no topology; {neighbors(str(topology), list(TOPOLOGIES))}"
            )
        self.cells, self.actions, self._topology = (least, most), (fewest, width), topology
        self.as_many_actions_as_cells = highest is None
        self._settings = np.array(
            [least, most, fewest, highest or 0, TOPOLOGIES[topology], ARROWS_DRAWN], np.int64
        )

    def rows(self, key: Key) -> list[list[int]]:
        """The shifts of the space of a key, cell by cell."""
        shifts = np.empty((self.cells[1], self.actions[1]), np.int64)
        size, marks = np.empty(2, np.int64), np.empty(self.cells[1], np.int64)
        found = space_door(np.uint64(key), self._settings, shifts, size, marks)
        n_c, n_a = size.tolist()
        if not found:
            kind = "strongly connected" if self._topology == "strong" else "connected"
            raise MensuraError(
                f"No {kind} space of {n_c} cells and {n_a} actions was found among {ARROWS_DRAWN} arrows "
                "drawn; more actions, fewer cells or a weaker topology would do."
            )
        return shifts[:n_c, :n_a].tolist()  # type: ignore[no-any-return]


def _bounds(what: str, wanted: int | tuple[int, int | None]) -> tuple[int, int | None]:
    least, most = wanted if isinstance(wanted, tuple) else (wanted, wanted)
    for number in (least, most):
        if number is None and what == "actions":
            continue
        if type(number) is not int or number < 2:
            raise MensuraError(f"A space has at least 2 {what}, not {number!r}.")
    if most is not None and least > most:
        raise MensuraError(f"The least number of {what}, {least}, is above the most, {most}.")
    return least, most
