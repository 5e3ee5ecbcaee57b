"""Pools of checkpoints: states of episodes from which others may start, in one file.

The file is a ZIP archive: ``pool.json`` has the world, the environments, and of each checkpoint where it comes from;
``snapshots/`` has each snapshot once, named by its digest, ``pictures/`` a small picture of it where there is one.
Snapshots are data (:meth:`mensura.core.contract.Environment.snapshot`), and nothing that is read here is ever run.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, choice, key
from mensura.agent.numbers import is_number
from mensura.core import archives
from mensura.core.archives import BROKEN
from mensura.records.encoding import clean
from mensura.records.results import write_whole

FORMAT = 1
INDEX = "pool.json"
MOST_INDEX = 256 << 20
MOST_SNAPSHOT = 64 << 20
MOST_IN_ALL = 4 << 30
"""Bytes of the index, of a snapshot, and of all of them: nobody has more, and a forged file cannot fill the memory."""

BOUNDS = archives.Bounds(members=2_000_000, unpacked=2 * MOST_IN_ALL)
"""Of the archive that a pool is: with a picture for each snapshot."""


def digest_of(snapshot: bytes) -> str:
    """What a snapshot is known by."""
    return hashlib.blake2b(snapshot, digest_size=16).hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """A state of an episode, and where it comes from."""

    digest: str
    environment: int
    """The number of its environment in the pool."""
    player: str
    """Who played, by a name that tells nobody who it was."""
    episode: str
    """Of which episode it is: neighbors in an episode are nearly the same state."""
    interaction: int
    score: float
    """The rewards of all seats until then."""

    def row(self) -> tuple[str, int, str, str, int, float]:
        """All that is said of it, in order."""
        place = self.digest, self.environment, self.player, self.episode, self.interaction
        return *place, float(self.score)


@dataclass(frozen=True)
class Pool:
    """Checkpoints of one world."""

    world: str
    """Its id, with the version of its rules."""
    environments: Sequence[Mapping[str, Any]]
    """Their descriptions, as plain data."""
    checkpoints: Sequence[Checkpoint]
    snapshots: Mapping[str, bytes] = field(repr=False)
    """By digest."""
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """Small ones as PNG, by the digest of the snapshot."""

    def __len__(self) -> int:
        """How many checkpoints there are."""
        return len(self.checkpoints)

    @cached_property
    def digest(self) -> str:
        """What the pool is known by: all that it says and all of its states, whatever its pictures."""
        told = [self.world, list(self.environments), [one.row() for one in self.checkpoints]]
        text = json.dumps(told, sort_keys=True, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def episodes(self) -> list[str]:
        """The episodes that they come from, in the order in which they came."""
        return list(dict.fromkeys(one.episode for one in self.checkpoints))

    def check_world(self, world: str) -> None:
        """Raise if its states are those of another world, or of other rules."""
        if self.world != world:
            raise MensuraError(
                f"This pool is of {self.world} and cannot be used in {world}: a state is one of the very rules."
            )

    def chosen(self, stream: Key) -> Checkpoint:
        """One of them, drawn by a key."""
        return self.checkpoints[choice(stream, 0, 0, len(self.checkpoints))]

    def of_episodes(self, episodes: Sequence[str]) -> Pool:
        """The checkpoints of some episodes alone."""
        kept = [one for one in self.checkpoints if one.episode in set(episodes)]
        digests = {one.digest for one in kept}
        return Pool(
            self.world,
            self.environments,
            kept,
            {name: one for name, one in self.snapshots.items() if name in digests},
            {name: one for name, one in self.pictures.items() if name in digests},
        )

    def split(self, test: int, seed: Key) -> tuple[Pool, Pool]:
        """Checkpoints to train from, and at least so many to test from; no episode has some in both."""
        if not 0 < test < len(self):
            raise MensuraError(
                f"{test} of {len(self)} checkpoints cannot be set apart; 1 to {len(self) - 1} can."
            )
        shuffled = sorted(self.episodes, key=lambda name: key(seed, "split", name))
        counts = dict.fromkeys(shuffled, 0)
        for one in self.checkpoints:
            counts[one.episode] += 1
        apart: list[str] = []
        while sum(counts[name] for name in apart) < test:
            apart.append(shuffled[len(apart)])
        rest = [name for name in self.episodes if name not in apart]
        if not rest:
            raise MensuraError(
                f"With {test} checkpoints to test from, whole episodes apart, none of {len(shuffled)} is left to train "
                "from; record more episodes, or test from fewer."
            )
        return self.of_episodes(rest), self.of_episodes(apart)

    # Files

    def write(self, path: Path) -> None:
        """Write it to a file, whole or not at all."""
        write_whole(path, self.content())

    def content(self) -> bytes:
        """The file that it is."""
        index = {
            "format": FORMAT,
            "world": self.world,
            "environments": list(self.environments),
            "checkpoints": [asdict(one) for one in self.checkpoints],
        }
        buffer = BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_member(INDEX), json.dumps(index))
            for name, snapshot in self.snapshots.items():
                archive.writestr(_member(f"snapshots/{name}"), snapshot)
            for name, picture in self.pictures.items():
                archive.writestr(_member(f"pictures/{name}.png"), picture)
        return buffer.getvalue()

    @classmethod
    def read(cls, path: Path) -> Pool:
        """Read a file; one that is cut off, changed or something else is refused in a sentence."""
        try:
            whole = path.read_bytes()
        except OSError as error:
            raise MensuraError(f"{path} cannot be read: {error.strerror or error}.") from None
        try:
            with archives.opened(BytesIO(whole), BOUNDS) as archive:
                index = archive.json(INDEX, MOST_INDEX)
                return cls._from_archive(index, archive)
        except BROKEN as error:
            raise MensuraError(
                f"{path} is no whole pool of checkpoints ({type(error).__name__}: {str(error)[:200]})."
            ) from None

    @classmethod
    def _from_archive(cls, index: Any, archive: archives.Archive) -> Pool:
        if index["format"] != FORMAT:
            raise ValueError(f"its format is {index['format']!r}, and {FORMAT} is known")
        environments = index["environments"]
        checkpoints = [Checkpoint(**one) for one in index["checkpoints"]]
        snapshots: dict[str, bytes] = {}
        pictures: dict[str, bytes] = {}
        members = archive.names
        size = 0
        for one in checkpoints:
            _check(one, len(environments))
            if one.digest not in snapshots:
                if size > MOST_IN_ALL:
                    raise ValueError(f"its snapshots have more than {MOST_IN_ALL} bytes")
                found = archive.read(f"snapshots/{one.digest}", MOST_SNAPSHOT)
                if digest_of(found) != one.digest:
                    raise ValueError(f"the snapshot {one.digest} was changed")
                snapshots[one.digest] = found
                size += len(found)
                if f"pictures/{one.digest}.png" in members:
                    picture = archive.read(f"pictures/{one.digest}.png", MOST_SNAPSHOT)
                    pictures[one.digest] = picture
        if not checkpoints:
            raise ValueError("it has no checkpoint")
        if not all(isinstance(one, dict) for one in environments):
            raise TypeError("its environments are no objects")
        return cls(str(index["world"]), environments, checkpoints, snapshots, pictures)


def _check(one: Checkpoint, environments: int) -> None:
    """Raise if what is told of a checkpoint is of other kinds."""
    texts = (one.digest, one.player, one.episode)
    whole = (one.environment, one.interaction)
    numbers = all(type(value) is int for value in whole) and type(one.score) in (int, float)
    if not all(isinstance(text, str) for text in texts) or not numbers:
        raise TypeError(f"a checkpoint is told as {str(one)[:100]}")
    if not is_number(one.score) or not 0 <= one.interaction < 1 << 63:
        raise ValueError(
            f"a checkpoint has a score or an interaction beyond all bounds: {one.score}"
        )
    if any(text != clean(text) for text in texts):
        raise ValueError("a checkpoint has control characters in its texts")
    if not 0 <= one.environment < environments:
        raise ValueError(f"a checkpoint is of environment {one.environment} of {environments}")


def _member(name: str) -> zipfile.ZipInfo:
    """A member without a date, so that the same pool is the same file."""
    made = zipfile.ZipInfo(name)
    made.compress_type = zipfile.ZIP_DEFLATED
    return made
