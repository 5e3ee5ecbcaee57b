"""The console: ale-py behind the little that an environment needs, and consoles kept for those that come later."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.worlds.atari.kernels.screens import HEIGHT, WIDTH

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
        import ale_py.roms
    except ImportError:
        raise MensuraError("Atari needs the extra atari: pip install 'mensura[atari]'") from None
    return ale_py


def cartridge(game: str) -> bytes:
    """The program of a game."""
    path = load().roms.get_rom_path(game)
    if path is None:
        raise MensuraError(f"The installed ale-py has no cartridge of {game}.")
    return bytes(path.read_bytes())


class Lines:
    """Brings screens of so many lines to the usual number, by area: 13 of 108 games have from 214 to 250.

    In whole numbers, so that all machines agree: each is small enough that single precision has it exactly.
    """

    def __init__(self, count: int) -> None:
        self.are_usual = count == HEIGHT
        self._count = count
        ends = np.arange(HEIGHT)[:, None] * count, np.arange(count) * HEIGHT
        last = np.minimum(ends[0] + count, ends[1] + HEIGHT)
        self._shares = np.maximum(last - np.maximum(*ends), 0).astype(np.float32)
        """How much of each line counts in each usual one, in parts of a line."""

    def fitted(self, screen: Pixels) -> Pixels:
        """A screen with the usual number of lines."""
        if self.are_usual:
            return screen
        flat = screen.reshape(self._count, -1).astype(np.float32)
        sums = (self._shares @ flat).astype(np.int64)
        rounded = ((sums + self._count // 2) // self._count).astype(np.uint8)
        usual: Pixels = rounded.reshape(HEIGHT, *screen.shape[1:])
        return usual


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
        self._lines = Lines(machine.getScreenDims()[0])
        self.first_grey = np.zeros((HEIGHT, WIDTH), np.uint8)
        self.see(self.first_grey)
        self.first_screen = self.screen()
        self._states = ale.ALEState

    def see(self, grey: Pixels) -> None:
        """Put the screen in grey there."""
        if self._lines.are_usual:
            self.machine.getScreenGrayscale(grey)
        else:
            grey[:] = self._lines.fitted(self.machine.getScreenGrayscale())

    def screen(self) -> Pixels:
        """The screen in color."""
        return self._lines.fitted(self.machine.getScreenRGB())

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


Which: TypeAlias = tuple[str, int, int]
"""A game, its mode and its difficulty."""

_free: dict[Which, list[Console]] = {}
_lock = threading.Lock()
_returned: deque[tuple[Which, Console]] = deque()
"""Consoles that came back and are not yet among the free ones.

They come back whenever Python collects garbage, even while the lock is held: so whoever gives one back takes no lock.
"""


def borrow(game: str, mode: int, difficulty: int) -> Console:
    """A console that nobody else uses."""
    with _lock:
        _sort_in()
        free = _free.get((game, mode, difficulty))
        if free:
            return free.pop()
    return Console(game, mode, difficulty)


def give_back(console: Console, game: str, mode: int, difficulty: int) -> None:
    """Keep a console for somebody else."""
    _returned.append(((game, mode, difficulty), console))


def _sort_in() -> None:
    """Put those that came back among the free ones, as far as there is room."""
    count = sum(map(len, _free.values()))
    while _returned:
        which, console = _returned.popleft()
        if count < MOST_KEPT:
            _free.setdefault(which, []).append(console)
            count += 1
