"""The console: ale-py behind the little that an environment needs, and consoles kept for those that come later."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError

SEED = 1
"""All consoles are switched on alike: chance comes from keys, and the emulator has none of its own."""
USUAL = -1
"""The mode or the difficulty that a game has if nobody chooses one."""
MOST_KEPT = 64
"""So many consoles that nobody uses are kept: to put a cartridge in takes a tenth of a second."""

Pixels = npt.NDArray[np.uint8]


def load() -> Any:
    """The module ale_py."""
    try:
        import ale_py
    except ImportError:
        raise MensuraError("Atari needs the extra atari: pip install 'mensura[atari]'") from None
    return ale_py


def cartridge(game: str) -> bytes:
    """The program of a game."""
    path = load().roms.get_rom_path(game)
    if path is None:
        raise MensuraError(f"The installed ale-py has no cartridge of {game}.")
    return bytes(path.read_bytes())


class Console:
    """A console with a cartridge in it, as it is when it was switched on."""

    def __init__(self, game: str, mode: int, difficulty: int) -> None:
        ale = load()
        ale.ALEInterface.setLoggerMode(ale.LoggerMode.Error)
        machine = ale.ALEInterface()
        machine.setInt("random_seed", SEED)
        machine.setInt("frame_skip", 1)
        machine.setFloat("repeat_action_probability", 0.0)
        path = ale.roms.get_rom_path(game)
        if path is None or machine.isSupportedROM(path) is None:
            # Such a cartridge would end the process.
            raise MensuraError(f"The installed ale-py cannot play {game}.")
        machine.loadROM(path)
        _choose(machine.setMode, mode, machine.getAvailableModes(), f"a mode of {game}")
        levels = machine.getAvailableDifficulties()
        _choose(machine.setDifficulty, difficulty, levels, f"a difficulty of {game}")
        machine.reset_game()
        self.machine = machine
        self.actions = tuple(machine.getLegalActionSet())
        self.minimal = tuple(self.actions.index(one) for one in machine.getMinimalActionSet())
        self.first = machine.cloneSystemState()
        self.first_grey: Pixels = machine.getScreenGrayscale()
        self.first_screen: Pixels = machine.getScreenRGB()
        self._states = ale.ALEState

    def state(self) -> bytes:
        """All of the console's state."""
        return bytes(self.machine.cloneSystemState().serialize())

    def go_back(self, state: bytes) -> None:
        """Take a state; the screen is the old one until the next frame."""
        self.machine.restoreSystemState(self._states(state))


def _choose(choose: Any, number: int, known: Any, what: str) -> None:
    if number == USUAL:
        return
    numbers = sorted(int(one) for one in known)
    if number not in numbers:
        raise MensuraError(f"{number} is not {what}; there are {', '.join(map(str, numbers))}.")
    choose(number)


_kept: dict[tuple[str, int, int], list[Console]] = {}
_lock = threading.Lock()


def borrow(game: str, mode: int, difficulty: int) -> Console:
    """A console that nobody else uses."""
    with _lock:
        free = _kept.get((game, mode, difficulty))
        if free:
            return free.pop()
    return Console(game, mode, difficulty)


def give_back(console: Console, game: str, mode: int, difficulty: int) -> None:
    """Keep a console for somebody else."""
    with _lock:
        if sum(map(len, _kept.values())) < MOST_KEPT:
            _kept.setdefault((game, mode, difficulty), []).append(console)
