"""Environments that are played side by side, in processes of their own or in this one.

Each process has some of them. Actions go out as bytes through a pipe; what came of them lies in memory that all
processes share: the newest screen, the reward, how it ended, and where an episode ended all screens of the next one.
"""

from __future__ import annotations

import itertools
import multiprocessing
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import shared_memory
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import MASK, Key, fold
from mensura.core.abilities import raw_score
from mensura.core.contract import World

GOES_ON, TERMINATED, CUT = 0, 1, 2
"""How an interaction can end."""
PATIENCE = 120.0
"""Seconds until a process that does not answer counts as dead."""


@dataclass(frozen=True)
class Place:
    """What one learner plays: a world, or its id with parameters; from a pool where there is one."""

    world: str | World
    parameters: Mapping[str, Any] = field(default_factory=dict)
    checkpoints: str | None = None
    """The file of a pool."""
    limit: int | None = None

    def make(self) -> Any:
        """The environment, as Gymnasium sees it."""
        from mensura.adapters.gymnasium import WorldEnv

        return WorldEnv(
            self.world, checkpoints=self.checkpoints, limit=self.limit, **self.parameters
        )


@dataclass(frozen=True)
class Shape:
    """What is seen and done: screens or a row, and how many actions there are."""

    seen: tuple[int, ...]
    actions: int

    @property
    def screens(self) -> bool:
        """Whether screens are seen, the newest last."""
        return len(self.seen) == 3

    @property
    def stack(self) -> int:
        """How many screens or rows are seen at once."""
        return self.seen[2] if self.screens else 1

    @property
    def one(self) -> tuple[int, ...]:
        """The shape of one of them."""
        return self.seen[:2] if self.screens else self.seen

    @property
    def kind(self) -> type[np.generic]:
        """Bytes of screens, numbers of rows."""
        return np.uint8 if self.screens else np.float32

    def apart(self, seen: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """An observation as its screens, the oldest first."""
        return np.moveaxis(seen, -1, 0) if self.screens else seen.reshape(1, *self.seen)

    @classmethod
    def of(cls, environment: Any) -> Shape:
        """That of a view of Gymnasium's; raises where a network cannot play it."""
        import gymnasium

        seen, done = environment.observation_space, environment.action_space
        if not isinstance(done, gymnasium.spaces.Discrete):
            raise MensuraError(
                f"A deep Q-network chooses one of a few actions; in {environment.world.id} an action is in {done}."
            )
        if not isinstance(seen, gymnasium.spaces.Box) or seen.shape is None:
            raise MensuraError(
                f"A deep Q-network sees screens or rows of numbers; in {environment.world.id} it sees {seen}."
            )
        if seen.dtype == np.uint8 and len(seen.shape) == 3:
            return cls(tuple(seen.shape), int(done.n))
        return cls((int(np.prod(seen.shape)),), int(done.n))


class Board:
    """What all processes share, by environment."""

    def __init__(self, shape: Shape, count: int, memory: Any = None) -> None:
        sizes: dict[str, tuple[tuple[int, ...], type[np.generic]]] = {
            "screen": ((count, *shape.one), shape.kind),
            "fresh": ((count, shape.stack, *shape.one), shape.kind),
            "reward": ((count,), np.float32),
            "score": ((count,), np.float32),
            "end": ((count,), np.uint8),
        }
        widths = {
            name: -(-int(np.prod(size)) * np.dtype(kind).itemsize // 64) * 64
            for name, (size, kind) in sizes.items()
        }
        self.bytes = sum(widths.values())
        self.memory = memory
        buffer: Any = bytearray(self.bytes) if memory is None else memory.buf
        place = 0
        self.parts: dict[str, npt.NDArray[Any]] = {}
        for name, (size, kind) in sizes.items():
            self.parts[name] = np.ndarray(size, kind, buffer, place)
            place += widths[name]


class Hands:
    """Some of the environments, played in this process."""

    def __init__(
        self, places: Sequence[tuple[int, Place, Key]], shape: Shape, board: Board
    ) -> None:
        """``places``: the number of each environment, what it is, and its seed."""
        self._shape, self._board = shape, board
        self._played = [(number, place.make()) for number, place, _ in places]
        self._numbers = [number for number, _ in self._played]
        self._before = dict.fromkeys(self._numbers, 0.0)
        self._scores = dict.fromkeys(self._numbers, 0.0)
        for (number, environment), (_, _, seed) in zip(self._played, places, strict=True):
            self._begin(number, environment, environment.reset(seed=int(seed & MASK))[0])

    def _begin(self, number: int, environment: Any, seen: Any) -> None:
        self._before[number] = raw_score(environment.environment) or 0.0
        self._board.parts["fresh"][number] = self._shape.apart(_array(seen))

    def step(self, actions: Sequence[int]) -> None:
        """Play an action in each; what came of them is on the board."""
        parts = self._board.parts
        for (number, environment), action in zip(self._played, actions, strict=True):
            seen, reward, terminated, cut, _ = environment.step(int(action))
            parts["screen"][number] = self._shape.apart(_array(seen))[-1]
            parts["reward"][number] = reward
            self._scores[number] += reward
            parts["end"][number] = TERMINATED if terminated else CUT if cut else GOES_ON
            if terminated or cut:
                parts["score"][number] = self._score(number, environment)
                self._scores[number] = 0.0
                self._begin(number, environment, environment.reset()[0])

    def _score(self, number: int, environment: Any) -> float:
        """What an episode brought: its rewards, or what they were cut from."""
        raw = raw_score(environment.environment)
        return self._scores[number] if raw is None else raw - self._before[number]

    def close(self) -> None:
        """Nobody plays any more."""
        for _, environment in self._played:
            environment.close()


def _array(seen: Any) -> npt.NDArray[Any]:
    found = np.asarray(seen)
    return found if found.ndim == 3 else found.ravel()


class Actors:
    """All environments of all learners: (learners, environments)."""

    def __init__(
        self, places: Sequence[Place], environments: int, *, workers: int = 0, seed: Key = 0
    ) -> None:
        """``workers``: processes; 0 plays in this one."""
        example = places[0].make()
        self.shape = Shape.of(example)
        example.close()
        self.learners, self.environments = len(places), environments
        count = len(places) * environments
        all_places = [
            (number, places[number // environments], fold(seed, number)) for number in range(count)
        ]
        self._memory: shared_memory.SharedMemory | None = None
        self._hands: Hands | None = None
        self._links: list[Connection] = []
        self._processes: list[Any] = []
        if workers == 0:
            self.board = Board(self.shape, count)
            self._hands = Hands(all_places, self.shape, self.board)
            self._split = [slice(0, count)]
            return
        size = Board(self.shape, count).bytes
        self._memory = shared_memory.SharedMemory(create=True, size=size)
        self.board = Board(self.shape, count, self._memory)
        edges = np.linspace(0, count, min(workers, count) + 1).astype(int)
        self._split = [slice(int(a), int(b)) for a, b in itertools.pairwise(edges)]
        context = multiprocessing.get_context("spawn")
        for part in self._split:
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_work,
                args=(theirs, all_places[part], self.shape, count, self._memory.name),
                daemon=True,
            )
            process.start()
            theirs.close()
            self._links.append(ours)
            self._processes.append(process)
        try:
            self._receive()
        except BaseException:
            self.close()
            raise

    def send(self, actions: npt.NDArray[np.int64]) -> None:
        """Let all play; meanwhile something else can be done."""
        flat = actions.ravel()
        if self._hands is not None:
            self._hands.step(flat.tolist())
        for link, part in zip(self._links, self._split, strict=False):
            link.send_bytes(flat[part].tobytes())

    def receive(self) -> dict[str, npt.NDArray[Any]]:
        """What came of it, by learner and environment; to be copied before the next actions are sent."""
        self._receive()
        return self.now

    @property
    def now(self) -> dict[str, npt.NDArray[Any]]:
        """What is on the board."""
        shape = (self.learners, self.environments)
        return {name: one.reshape(*shape, *one.shape[1:]) for name, one in self.board.parts.items()}

    def _receive(self) -> None:
        for link in self._links:
            if not link.poll(PATIENCE):
                raise MensuraError(f"A process of environments gave no answer for {PATIENCE:g} s.")
            try:
                told = link.recv_bytes()
            except (EOFError, OSError):
                raise MensuraError("A process of environments ended.") from None
            if told:
                raise MensuraError(told.decode())

    def close(self) -> None:
        """Let the processes end."""
        if self._hands is not None:
            self._hands.close()
        for link in self._links:
            link.close()
        for process in self._processes:
            process.join(timeout=5)
            if process.is_alive():
                process.kill()
                process.join()
        if self._memory is not None:
            self.board.parts = {}
            with suppress(BufferError):  # somebody still looks at it; it goes when they do
                self._memory.close()
            self._memory.unlink()
            self._memory = None


def _work(
    link: Connection, places: Sequence[tuple[int, Place, Key]], shape: Shape, count: int, name: str
) -> None:
    """What a process does until nobody asks it any more."""
    memory = shared_memory.SharedMemory(name=name)
    try:
        hands = Hands(places, shape, Board(shape, count, memory))
        link.send_bytes(b"")
        while True:
            actions = np.frombuffer(link.recv_bytes(), np.int64)
            hands.step(actions.tolist())
            link.send_bytes(b"")
    except (EOFError, OSError, KeyboardInterrupt):
        pass
    except Exception as error:  # said by whoever waits
        link.send_bytes(f"{type(error).__name__}: {error}"[:500].encode())
    finally:
        with suppress(BufferError):
            memory.close()
