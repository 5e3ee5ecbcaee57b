"""The games that can be played, and two facts about each: how long its program is and how soon chance meets a reward.

``games.json`` was written by :func:`write`, with ale-py 0.12.1; it knows nothing of the programs themselves.
"""

from __future__ import annotations

import json
import lzma
import statistics
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from mensura.agent.keys import DRAW, GOLDEN, SLOT_BITS, below, key, mix

PLAYS = 3
LONGEST = 18_000
"""Random play is given up after so many frames, which are five minutes."""
SKIP = 4


class Game(NamedTuple):
    """What is known of a game beforehand."""

    cartridge: int
    """Bytes of its program, compressed by LZMA."""
    first_reward: int
    """Frames until random play meets its first reward."""


@lru_cache(maxsize=1)
def games() -> Mapping[str, Game]:
    """All games by name."""
    text = files("mensura.worlds.atari").joinpath("games.json").read_text(encoding="utf-8")
    return {name: Game(*facts) for name, facts in json.loads(text).items()}


def measure(game: str) -> Game:
    """The facts of a game: the middle one of three random plays, with all actions, each held for four frames."""
    from mensura.worlds.atari.emulator import cartridge

    size = len(lzma.compress(cartridge(game), preset=9 | lzma.PRESET_EXTREME))
    plays = [first_reward(game, key(0, "atari", number)) for number in range(PLAYS)]
    return Game(size, statistics.median_low(plays))


def _any(stream: int, frame: int, count: int) -> int:
    """One of so many, by splitmix64: nobody sees it, and facts stay as they were measured."""
    return below(mix((stream ^ DRAW) + GOLDEN * ((frame << SLOT_BITS) + 1)), count)


def first_reward(game: str, stream: int) -> int:
    """Frames until random play gets or loses points."""
    from mensura.worlds.atari.emulator import USUAL, borrow, give_back

    console = borrow(game, USUAL, USUAL)
    machine = console.machine
    machine.restoreSystemState(console.first)
    frame = 0
    action = console.actions[0]
    while frame < LONGEST:
        if frame % SKIP == 0:
            action = console.actions[_any(stream, frame, len(console.actions))]
        frame += 1
        if machine.act(action):
            break
        if machine.game_over():
            machine.restoreSystemState(console.first)
    give_back(console, game, USUAL, USUAL)
    return frame


def write(path: Path) -> None:
    """Measure all games that the installed ale-py can play."""
    from mensura.worlds.atari.emulator import load

    ale = load()
    playable = [
        one
        for one in ale.roms.get_all_rom_ids()
        if ale.ALEInterface.isSupportedROM(ale.roms.get_rom_path(one)) is not None
    ]
    lines = [f"  {json.dumps(one)}: {json.dumps(list(measure(one)))}" for one in sorted(playable)]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
