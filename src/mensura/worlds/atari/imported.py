"""Checkpoints of others: the file that Hosu and Rebedea published, states of a game as the ALE of 2015 wrote them.

Today's emulator cannot read such a state, but its memory can be used: 128 bytes that are written into a game which has
just been started. What is lost is where the beam and the sound are; the game goes on with rooms, score and lives. A
state begins with six numbers, of which the third counts frames; then come the sum (MD5) of the cartridge, and
the parts of the console by name. A part of a state is never run.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.core.importing import Imported, ImportedCheckpoint
from mensura.worlds.atari.emulator import cartridge
from mensura.worlds.atari.environment import AtariEnvironment
from mensura.worlds.kit.description import BaseDescription

MOST = 100_000
"""States of a file."""
WORD = b"M6532"
MEMORY = 9
"""The memory comes so many bytes after the beginning of the word: the word itself and its length, 128."""
SIZE = 128
FRAME = slice(8, 12)
SUM = slice(28, 60)
IDLE = 60
"""Frames that a fresh game is given before its memory is written: until then it writes it itself."""
SETTLED = 3
LIVES_ON = 30
"""A game that is over after so many frames was none that could be gone on with."""


def read(path: Path, description: BaseDescription) -> Imported:
    """The checkpoints of a file, as states of an environment."""
    states = _states(path)
    game = description.cartridge
    wanted = hashlib.md5(cartridge(game), usedforsecurity=False).hexdigest().encode()
    for number, state in enumerate(states):
        if state[SUM] != wanted:
            raise MensuraError(
                f"State {number} of {path} is of another cartridge than that of {game} (MD5 {wanted.decode()})."
            )
    environment = AtariEnvironment(description)
    found, left_out = [], []
    first: dict[bytes, int] = {}
    for number, (state, episode) in enumerate(zip(states, _episodes(states), strict=True)):
        memory = _memory(state, path, number)
        if memory in first:  # in another play it would be a start of training and of a test
            left_out.append(f"state {number}: the same as state {first[memory]}")
            continue
        first[memory] = number
        points = _written(environment, memory)
        if points is None:
            left_out.append(f"state {number}: the game was over at once")
            continue
        frame = int.from_bytes(state[FRAME], "little")
        found.append(
            ImportedCheckpoint(
                environment.snapshot(),
                f"{path.stem}-{episode}",
                frame // description.skip,
                float(points),
            )
        )
    return Imported(description, tuple(found), tuple(left_out))


def _states(path: Path) -> list[bytes]:
    """The rows of a file of NumPy's that holds bytes; nothing in it is run."""
    try:
        # Mapped, so that a file which claims to be larger than it is takes no memory.
        rows: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise MensuraError(f"{path} cannot be read: {error.strerror or error}.") from None
    except Exception:  # NumPy raises whatever reading a broken header raises
        raise MensuraError(f"{path} is no array of numbers in a file of NumPy's.") from None
    bad = (
        not isinstance(rows, np.ndarray)
        or rows.ndim != 2
        or rows.dtype.kind not in "iuf"
        or not 0 < len(rows) <= MOST
        or rows.shape[1] < SUM.stop
        or not bool(((rows >= 0) & (rows <= 255) & (rows == np.floor(rows))).all())
    )
    if bad:
        raise MensuraError(
            f"{path} holds no states of the ALE of 2015: these are rows of bytes, one for each state."
        )
    return [row.tobytes() for row in rows.astype(np.uint8)]


def _memory(state: bytes, path: Path, number: int) -> bytes:
    start = state.find(WORD) + MEMORY
    words = np.frombuffer(state[start : start + 4 * SIZE], np.uint8)
    if start < MEMORY or words.size < 4 * SIZE or words.reshape(SIZE, 4)[:, 1:].any():
        raise MensuraError(f"State {number} of {path} has no memory of the console in it.")
    return words.reshape(SIZE, 4)[:, 0].tobytes()


def _episodes(states: list[bytes]) -> list[int]:
    """Of which play each state is: frames are counted upwards in each."""
    episode, last = 0, -1
    found = []
    for state in states:
        frame = int.from_bytes(state[FRAME], "little")
        episode += frame < last
        last = frame
        found.append(episode)
    return found


def _written(environment: AtariEnvironment, memory: bytes) -> int | None:
    """Go on from a memory; the points that it says, or None where the game is over at once."""
    environment.reset(0)
    machine = environment.console.machine
    nothing = environment.console.actions[0]
    for _ in range(IDLE):
        machine.act(nothing)
    for place, byte in enumerate(memory):
        machine.setRAM(place, byte)
    points = int(machine.act(nothing))  # the score jumps from that of the fresh game
    for _ in range(SETTLED):
        machine.act(nothing)  # the screen is drawn whole
    environment.begin_here()
    here = environment.snapshot()
    for _ in range(LIVES_ON):
        machine.act(nothing)
        if machine.game_over():
            return None
    environment.restore(here)
    return points
