"""Machines from files: ``eliza:script.yaml`` and ``replay:lines.yaml``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents
from mensura.agent.task import Limits
from mensura.core.contract import World
from mensura.worlds.imitation.eliza import read_script
from mensura.worlds.imitation.judges import Coin
from mensura.worlds.imitation.minds import Anywhere
from mensura.worlds.imitation.witnesses import Eliza, Replay, Witness, read_lines
from mensura.worlds.imitation.world import Imitation


@dataclass(frozen=True)
class FromFile:
    """A machine whose words are in a file, before it sits down."""

    name: str
    witness: Callable[[], Witness]
    summary: str

    def sit(self, seats: int, memory: bytes | None = None) -> Agents:
        """One for each seat."""
        make = partial(self._made, seats)
        return Agents(make(), make, memory)

    def _made(self, seats: int) -> list[Any]:
        return [Anywhere(self.witness, Coin) for _ in range(seats)]


def from_script(part: Any, world: World, limits: Limits) -> FromFile:
    """The subject of ``eliza:script.yaml``."""
    _check(part, world)
    script = read_script(Path(part.target).expanduser())
    return FromFile(part.label, partial(Eliza, script), "answers by a script of its own")


def from_lines(part: Any, world: World, limits: Limits) -> FromFile:
    """The subject of ``replay:lines.yaml``."""
    _check(part, world)
    lines = read_lines(Path(part.target).expanduser())
    return FromFile(
        part.label, partial(Replay, lines), "says what people said to similar questions"
    )


def _check(part: Any, world: World) -> None:
    if not isinstance(world, Imitation):
        raise MensuraError(f"{part.label} talks, which it can in the world {Imitation.id} alone.")
    if part.parameters:
        raise MensuraError(f"{part.label} has parameters, and takes none but its file.")
