"""Lives: what subjects have learned, kept in a folder from one assessment to the next, so that they can grow old.

Each sitting is a life of its own: the first sitting of the next assessment goes on where the first of this one ended.
So a subject can be assessed at ages, and the scatter between lives is the error of its score at each of them.

::

    FOLDER/q-learning-1f3a/0.json              who it is, what each assessment found, and the name of each memory
    FOLDER/q-learning-1f3a/memories/1f0c9a…    what it knew after one of them

A life is a path of phases, of which each is an assessment, and what it knew after each lies in the same kind of store
as memories of phases do (:mod:`mensura.records.memories`), under a hash of who it is and what it did. It is a path and
no tree, and its store is the user's folder and not that of a run: further assessments come in runs that nobody knows
of yet, so none of the memories at its end can be swept with a run; and it learns while it is assessed, where phases are
measured on copies that are thrown away.

An assessment is told apart by its draws. Played again, after a crash or on purpose, it begins with what the life knew
before it, so that nobody grows older twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.records.files import write_safely
from mensura.records.memories import FOLDER, MemoriesOnDisk, Memory, memory_name

KEPT = 2
"""So many memories of a life are kept: the last one, and the one before, should the last assessment be played again."""


@dataclass(frozen=True)
class Stage:
    """One assessment in a life."""

    draws: str
    """What tells the assessment apart, in hexadecimal digits."""
    assessment: str
    condition: str
    score: float
    age: int
    """The interactions that the life had behind it when the assessment began."""
    interactions: int
    """Those of the assessment, training included."""
    memory: str = ""
    """The name of what it knew afterwards; none in lives of older versions, whose memories have the number of the
    assessment."""


@dataclass(frozen=True)
class Life:
    """One sitting of a subject, from assessment to assessment."""

    folder: Path
    item: int
    about: Mapping[str, Any]
    """Who lives it: the address of the subject, the world and the number of seats."""
    stages: tuple[Stage, ...] = field(default=())

    @property
    def age(self) -> int:
        """How many interactions are behind it."""
        return sum(stage.interactions for stage in self.stages)

    def before(self, draws: Key) -> Life:
        """The life as it was before an assessment that may have been played already, as the last one."""
        name = f"{draws:016x}"
        places = [i for i, stage in enumerate(self.stages) if stage.draws == name]
        if not places:
            return self
        if places[0] != len(self.stages) - 1:
            raise MensuraError(
                f"Life {self.item} in {self.folder} had this assessment before, and others after it; "
                "take another seed, so that it meets new environments."
            )
        return Life(self.folder, self.item, self.about, self.stages[:-1])

    def memory(self) -> bytes | None:
        """What it knows; None for one that has not begun."""
        if not self.stages:
            return None
        name = self.stages[-1].memory
        if name:
            found = self._memories.get(name)
            if found is None:
                raise MensuraError(
                    f"The memory {self._memories.folder / name} is gone or damaged, so life {self.item} cannot go on; "
                    f"put it back, or remove {self._account} to begin anew."
                )
            return found.content
        try:
            return self._numbered(len(self.stages)).read_bytes()
        except OSError as error:
            raise MensuraError(
                f"The memory {self._numbered(len(self.stages))} cannot be read: {error.strerror}."
            ) from error

    def lived(self, draws: Key, memory: bytes, stage: Mapping[str, Any]) -> Life:
        """The life after one more assessment, safe on disk when this returns."""
        history = (*(one.draws for one in self.stages), f"{draws:016x}")
        name = memory_name("life", sorted(self.about.items()), self.folder.name, self.item, history)
        now = Stage(draws=history[-1], age=self.age, memory=name, **stage)
        after = Life(self.folder, self.item, self.about, (*self.stages, now))
        told = {**self.about, "stages": [asdict(one) for one in after.stages]}
        self._memories.put(name, Memory(memory, {"age": after.age}))
        try:
            write_safely(self._account, (json.dumps(told, indent=1) + "\n").encode())
            for number, old in enumerate(after.stages[:-KEPT], 1):
                if old.memory:
                    self._memories.drop(old.memory)
                else:
                    self._numbered(number).unlink(missing_ok=True)
        except OSError as error:
            raise MensuraError(
                f"The memory of life {self.item} cannot be kept in {self.folder}: {error.strerror}."
            ) from error
        return after

    @property
    def _memories(self) -> MemoriesOnDisk:
        return MemoriesOnDisk(self.folder / FOLDER, str(self.about["subject"]))

    @property
    def _account(self) -> Path:
        return self.folder / f"{self.item}.json"

    def _numbered(self, stage: int) -> Path:
        """The memory of a life of an older version."""
        return self.folder / f"{self.item}-{stage}.memory"


def open_life(folder: Path, name: str, item: int, about: Mapping[str, Any]) -> Life:
    """A life of the subject of that name, as it is by now; another subject's is refused."""
    short = re.sub(r"[^a-zA-Z0-9]+", "-", name).strip("-")[:40]
    mark = blake2b(name.encode(errors="surrogateescape"), digest_size=2).hexdigest()
    home = folder / f"{short}-{mark}"
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MensuraError(f"Nothing can be kept in {home}: {error.strerror}.") from error
    known = _read(home / f"{item}.json")
    if known is None:
        return Life(home, item, dict(about))
    for what, now in about.items():
        if known.about.get(what) != now:
            raise MensuraError(
                f"Life {item} in {home} has {known.about.get(what)!r} as its {what} and is now given {now!r}; "
                "name the same as before, or another folder."
            )
    return known


def all_lives(folder: Path) -> Iterator[Life]:
    """All lives in a folder, by subject and number."""
    if not folder.is_dir():
        raise MensuraError(
            f"There is no folder {folder} with lives; `mensura assess --keep` makes one."
        )
    found = [path for path in folder.glob("*/*.json") if path.stem.isdigit()]
    for path in sorted(found, key=lambda one: (one.parent.name, int(one.stem))):
        life = _read(path)
        if life is not None:
            yield life


def _read(path: Path) -> Life | None:
    try:
        told = json.loads(path.read_bytes())
        stages = tuple(Stage(**stage) for stage in told.pop("stages"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise MensuraError(
            f"{path} is not the account of a life that Mensura wrote; move it away to begin anew."
        ) from error
    return Life(path.parent, int(path.stem), told, stages)
