"""Spaces for tests, drawn as the world draws them."""

from __future__ import annotations

from collections.abc import Sequence

from mensura.agent.keys import Key
from mensura.worlds.lambda_class.generator import SpaceDrawer
from mensura.worlds.lambda_class.space import Space, Topology


def draw_spaces(
    keys: Sequence[Key],
    *,
    cells: int | tuple[int, int] = (2, 9),
    actions: int | tuple[int, int | None] = (2, None),
    topology: Topology = "strong",
) -> list[Space]:
    """The space of each key."""
    drawer = SpaceDrawer(cells, actions, topology)
    return [Space(tuple(map(tuple, drawer.rows(key)))) for key in keys]


def draw_space(
    key: Key,
    *,
    cells: int | tuple[int, int] = (2, 9),
    actions: int | tuple[int, int | None] = (2, None),
    topology: Topology = "strong",
) -> Space:
    """The space of one key."""
    return draw_spaces([key], cells=cells, actions=actions, topology=topology)[0]
