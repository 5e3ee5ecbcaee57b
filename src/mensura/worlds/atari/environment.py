"""One game behind the contract."""

from __future__ import annotations

import json
import weakref
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.agent.spaces import Box, Discrete, Space
from mensura.agent.task import Seat
from mensura.core.chance import generator, generator_at
from mensura.core.contract import Ended, Turn
from mensura.pictures.picture import Image, Picture, Words
from mensura.worlds.atari.emulator import Pixels, borrow, give_back
from mensura.worlds.atari.kernels.screens import HEIGHT, ROOM, SIDE, WIDTH, shrink
from mensura.worlds.kit.description import BaseDescription

STACK = 4
"""So many screens are seen at once."""
MARK = b"ATARI0"
LONGEST = 1 << 20
"""No snapshot has more bytes, unpacked."""
BROKEN = (ValueError, TypeError, KeyError, LookupError, RuntimeError, SystemError)
"""What reading a state raises that is none."""
NOTHING = 0
"""The joystick left alone."""
FRAMES = 60
"""Frames of a second."""

ACTIONS = (
    *("nothing", "fire", "up", "right", "left", "down", "up right", "up left", "down right", "down left"),
    *("up and fire", "right and fire", "left and fire", "down and fire", "up right and fire", "up left and fire"),
    *("down right and fire", "down left and fire"),
)  # fmt: skip
"""What can be done with a joystick and a button, in the order of ALE's actions."""

_SIZES = {"screen": (SIDE, SIDE, STACK), "rgb": (HEIGHT, WIDTH, 3), "ram": (128,)}


@lru_cache(maxsize=8)
def observations(kind: str) -> Box:
    """What is seen: bytes."""
    return Box(0, 255, _SIZES[kind], "uint8")


class AtariEnvironment:
    """A video game on an emulated Atari 2600.

    Description:
        At each interaction the joystick is held for ``skip`` frames, at 60 frames a second of the game. With ``sticky``
        chance each frame does what the frame before it did, whatever was chosen (Machado et al. 2018).

    Observation:
        Bytes. ``screen``: 84 x 84 x 4, grey, the last four interactions, the newest last, each the brighter of its last
        two frames at each pixel (Mnih et al. 2015), made small by area. ``rgb``: the last frame, 210 x 160 x 3;
        screens of more lines are brought to these, by area.
        ``ram``: the 128 bytes of the console's memory.

    Actions:
        The 18 positions of a joystick with a button, or those that the game knows. The default is to do nothing.

    Rewards:
        The points of the interaction, cut to [-1, 1]. The measure ``points`` has them all.

    End:
        Terminated when the game is over, or a life is lost where ``life_loss_ends``; truncated after ``horizon``
        interactions.
    """

    raw_measure = "points"

    def __init__(self, description: BaseDescription) -> None:
        self.description = description
        self.seats = (Seat(0, "subject"),)
        which = (description.cartridge, description.mode, description.difficulty)
        console = self.console = borrow(*which)
        weakref.finalize(self, give_back, console, *which)
        self.actions = (
            tuple(range(len(ACTIONS))) if description.actions == "full" else console.minimal
        )
        self._spaces = observations(description.observation), Discrete(len(self.actions))
        self._skip: int = description.skip
        self._sticky: float = description.sticky
        self._grey = [np.zeros((HEIGHT, WIDTH), np.uint8) for _ in range(2)]
        self._counts = np.zeros(ROOM, np.uint16)
        self._stack = np.zeros((SIDE, SIDE, STACK), np.uint8)
        self._screen: Pixels | None = None
        self._ended: Ended | None = "truncated"
        self._rng = generator(0)
        self._last = NOTHING
        self.interaction = 0
        self.frames = 0
        self.points = 0
        self._reward = 0.0

    @property
    def horizon(self) -> int | None:
        """None: a game may be over before."""
        return None

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are rebuilt: a console is no data."""
        return _continued, (self.description, self.snapshot() if self.frames else b"")

    def spaces(self, seat: int) -> tuple[Space, Space]:
        """What is seen and what can be done."""
        return self._spaces

    def reset(self, key: Key) -> Turn:
        """Switch the console on; the key draws how long nothing is done, and the frames that stick."""
        console = self.console
        machine = console.machine
        self._rng = generator(key)
        machine.restoreSystemState(console.first)
        self._last, self.interaction, self.frames, self.points = NOTHING, 0, 0, 0
        idle = (
            int(self._rng.integers(self.description.idle_frames + 1))
            if self.description.idle_frames
            else 0
        )
        for _ in range(idle):
            machine.act(console.actions[NOTHING])
            if machine.game_over():
                machine.restoreSystemState(console.first)
                idle = 0
                break
        if idle:
            console.see(self._grey[1])
        else:
            self._grey[1][:] = console.first_grey
        self._screen = None if idle else console.first_screen
        self._show_first()
        self._ended, self._reward = None, 0.0
        return self._turn()

    def begin_here(self) -> Turn:
        """Let an episode begin in the state that the console was put into."""
        self.console.see(self._grey[1])
        self._screen = None
        self._show_first()
        self._ended, self._reward = None, 0.0
        return self._turn()

    def _show_first(self) -> None:
        """Fill all four screens with the present one."""
        self._stack = np.zeros((SIDE, SIDE, STACK), np.uint8)
        for _ in range(STACK):
            self._see(self._grey[1], self._grey[1])

    def _see(self, before: Pixels, now: Pixels) -> None:
        """Put a screen after the last ones."""
        stack = np.empty_like(self._stack)
        shrink(before, now, self._counts, _words(self._stack), _words(stack))
        self._stack = stack

    def step(self, actions: Sequence[Any], seconds: Sequence[float] = ()) -> Turn:
        """Hold the joystick for some frames."""
        if self._ended is not None:
            raise MensuraError("The episode has not begun or is over; reset the environment first.")
        if len(actions) != 1 or not self._spaces[1].contains(actions[0]):
            raise MensuraError(
                f"{actions!r:.60} is no action; one is a number from 0 to {len(self.actions) - 1}."
            )
        console, sees = self.console, self.description.observation == "screen"
        machine, known = console.machine, console.actions
        chosen = self.actions[int(actions[0])]
        lives = machine.lives()
        points, over, before = 0, False, self._grey[1]
        for left in range(self._skip - 1, -1, -1):
            if not self._sticky or self._rng.random() >= self._sticky:
                self._last = chosen
            points += machine.act(known[self._last])
            self.frames += 1
            over = machine.game_over()
            if over:
                break
            if left == 1 and sees:
                before = self._grey[0]
                console.see(before)
        if sees:
            console.see(self._grey[1])
            self._see(before, self._grey[1])
        self._screen = None
        self.interaction += 1
        self.points += points
        self._reward = float(max(-1, min(1, points)))
        if over or (self.description.life_loss_ends and machine.lives() < lives):
            self._ended = "terminated"
        elif self.interaction >= self.description.horizon:
            self._ended = "truncated"
        return self._turn()

    def _turn(self) -> Turn:
        kind = self.description.observation
        if kind == "screen":
            seen = self._stack.copy()
        else:
            seen = self.screen.copy() if kind == "rgb" else self.console.machine.getRAM()
        return Turn((0,), [seen], [self._reward], self._ended)

    @property
    def screen(self) -> Pixels:
        """The last frame in color."""
        if self._screen is None:
            self._screen = self.console.screen()
        return self._screen

    @property
    def lives(self) -> int:
        """The lives that are left."""
        return int(self.console.machine.lives())

    def legal(self, seat: int, action: Any) -> bool:
        """Whether it is one of the actions."""
        return self._spaces[1].contains(action)

    def default(self, seat: int) -> int:
        """To do nothing."""
        return self.actions.index(NOTHING)

    def instructions(self, seat: int) -> str:
        """What is told before it begins."""
        from mensura.worlds.atari.sentences import instructions

        return instructions(self)

    @property
    def pace(self) -> float:
        """People play at the speed of the console."""
        return FRAMES / self._skip

    def measures(self) -> dict[str, float]:
        """What an episode tells of itself beside the rewards."""
        return {
            "points": float(self.points),
            "frames": float(self.frames),
            "lives": float(self.lives),
        }

    # Snapshots

    def snapshot(self) -> bytes:
        """The console, the last screens, and what has been counted, packed by zlib."""
        told = {
            "random": self._rng.bit_generator.state,
            "last": self._last,
            "interaction": self.interaction,
            "frames": self.frames,
            "points": self.points,
            "reward": self._reward,
            "ended": self._ended,
        }
        parts = (
            json.dumps(told).encode(),
            self.console.state(),
            self._stack.tobytes(),
            self.screen.tobytes(),
        )
        sizes = b"".join(len(one).to_bytes(4, "little") for one in parts)
        return MARK + zlib.compress(sizes + b"".join(parts), 1)

    def restore(self, state: bytes) -> Turn:
        """Go back to a snapshot."""
        try:
            told, console, stack, screen = _parts(state)
            rng = generator_at(told["random"])
            counts = [told[name] for name in ("last", "interaction", "frames", "points")]
            if any(type(one) is not int for one in counts) or not 0 <= counts[0] < len(ACTIONS):
                raise ValueError("its counts are none")
            ended, reward = told["ended"], float(told["reward"])
            if ended not in (None, "terminated", "truncated") or not -1.0 <= reward <= 1.0:
                raise ValueError("its end or its reward is none")
            self._stack = np.frombuffer(stack, np.uint8).reshape(SIDE, SIDE, STACK).copy()
            self._screen = np.frombuffer(screen, np.uint8).reshape(HEIGHT, WIDTH, 3).copy()
            self.console.go_back(console)
        except (*BROKEN, zlib.error) as error:
            raise MensuraError(
                f"This is no snapshot of {self.description.cartridge} ({str(error)[:100]})."
            ) from error
        self._rng = rng
        self._last, self.interaction, self.frames, self.points = counts
        self._ended, self._reward = ended, reward
        return self._turn()

    def picture(self, seat: int | None = None) -> Picture:
        """The screen; with a seat, what it sees."""
        kind = self.description.observation
        title = self.description.cartridge.replace("_", " ")
        if seat is None or kind == "rgb":
            said = f"{title}: {self.points} points, {self.lives} lives"
            return Picture([Image(self.screen, (0, 0), (10, 7.5))], (10, 7.5), said)
        if kind == "screen":
            grey = np.repeat(self._stack[:, :, -1:], 3, axis=2)
            return Picture([Image(grey, (0, 0), (10, 7.5))], (10, 7.5), f"{title} in grey")
        memory = self.console.machine.getRAM().reshape(8, 16)
        words = [
            Words(f"{number:02x}", (0.5 + 0.6 * x, 0.5 + 0.9 * y), 0.4)
            for y, row in enumerate(memory.tolist())
            for x, number in enumerate(row)
        ]
        return Picture(words, (10, 7.5), f"{title}: the memory of the console")


def _words(stack: Pixels) -> Any:
    """Four bytes side by side as one number."""
    return stack.view("<u4")[..., 0]


def _parts(state: bytes) -> tuple[Any, bytes, bytes, bytes]:
    if not state.startswith(MARK):
        raise ValueError("it does not begin as one")
    packed = zlib.decompressobj()
    whole = packed.decompress(state[len(MARK) :], LONGEST)
    sizes = [int.from_bytes(whole[4 * k : 4 * k + 4], "little") for k in range(4)]
    if not packed.eof or packed.unused_data or len(whole) != 16 + sum(sizes):
        raise ValueError("it is cut off")
    found, place = [], 16
    for size in sizes:
        found.append(whole[place : place + size])
        place += size
    return json.loads(found[0]), found[1], found[2], found[3]


def _continued(description: BaseDescription, state: bytes) -> AtariEnvironment:
    environment = AtariEnvironment(description)
    if state:
        environment.restore(state)
    return environment
