"""Pools of checkpoints at hand: found by their digests, wherever they came from.

A run names the pools that it needs by their digests (:class:`PoolReference`), so that it stays what it was when a file
is moved or changed. A pool is put on the shelf by whoever reads its file, or takes it from a store to play a run again;
worker processes find it as a file in the folder of their run.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from mensura.agent.errors import MensuraError
from mensura.core.private_files import make_private
from mensura.records.pools import Pool

FOLDER = "pools"
"""Where the pools of a run lie for its workers, in the folder of its journals."""

MOST = 64
"""So many pools stay at hand, those that were asked for last."""

_DIGITS = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class PoolReference:
    """A pool as the parameter of an assessment says it, and as reports tell of it."""

    digest: str
    world: str
    checkpoints: int
    episodes: int
    players: tuple[str, ...]

    @classmethod
    def of(cls, pool: Pool) -> PoolReference:
        """What is said of a pool."""
        players = tuple(sorted({one.player for one in pool.checkpoints}))
        return cls(pool.digest, pool.world, len(pool), len(pool.episodes), players)

    @classmethod
    def parse(cls, text: str) -> PoolReference | None:
        """What :attr:`text` wrote; None of anything else, as the name of a file."""
        if not text.startswith("{"):
            return None
        try:
            told = json.loads(text)
            made = cls(**{**told, "players": tuple(told["players"])})
            known = len(made.digest) == 32 and set(made.digest) <= _DIGITS
        except (ValueError, TypeError, KeyError) as error:
            raise MensuraError(f"This is no reference to a pool: {text[:100]}.") from error
        if not known or type(made.checkpoints) is not int or type(made.episodes) is not int:
            raise MensuraError(f"This is no reference to a pool: {text[:100]}.")
        return made

    @property
    def text(self) -> str:
        """It as one line."""
        return json.dumps(asdict(self), separators=(",", ":"))


class PoolShelf:
    """The pools that a process has at hand."""

    def __init__(self) -> None:
        self._pools: OrderedDict[str, Pool] = OrderedDict()
        self._folders: list[Path] = []
        self._lock = Lock()

    def put(self, pool: Pool) -> PoolReference:
        """Keep a pool at hand."""
        with self._lock:
            self._pools[pool.digest] = pool
            self._pools.move_to_end(pool.digest)
            while len(self._pools) > MOST:
                self._pools.popitem(last=False)
        return PoolReference.of(pool)

    def read(self, path: str | Path) -> PoolReference:
        """Keep the pool of a file at hand; subjects cannot read the file from now on."""
        place = Path(path).expanduser()
        make_private(place)
        return self.put(Pool.read(place))

    def look_in(self, folder: Path) -> None:
        """Find pools in a folder, too, where :func:`lay_out_pools` wrote them."""
        with self._lock:
            others = [one for one in self._folders if one != folder]
            self._folders = [*others[1 - MOST :], folder]

    def has(self, digest: str) -> bool:
        """Whether a pool is at hand without looking for its file."""
        with self._lock:
            return digest in self._pools

    def find(self, digest: str) -> Pool:
        """The pool of a digest."""
        with self._lock:
            if digest in self._pools:
                self._pools.move_to_end(digest)
                return self._pools[digest]
            folders = list(self._folders)
        for folder in folders:
            path = folder / f"{digest}.pool"
            if path.is_file():
                pool = Pool.read(path)
                if pool.digest == digest:
                    self.put(pool)
                    return pool
        raise MensuraError(
            f"The pool of checkpoints {digest} is not at hand; name its file, as pool: mine.pool."
        )


SHELF = PoolShelf()
"""That of this process. Pools are known by their contents, so that it never matters who put one there."""


def referred(text: str) -> PoolReference:
    """The pool that a parameter names: by the file, which is read, or by its reference."""
    return PoolReference.parse(text) or SHELF.read(text)


def lay_out_pools(digests: Sequence[str], folder: Path) -> None:
    """Write pools into a folder for worker processes."""
    if digests:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for digest in dict.fromkeys(digests):
        path = folder / f"{digest}.pool"
        if not path.is_file():
            SHELF.find(digest).write(path)
