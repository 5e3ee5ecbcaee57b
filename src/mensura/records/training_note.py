"""What the file of a trained model says of the pool that it was trained on, so that nobody tests it on that."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from mensura.agent.errors import MensuraError
from mensura.core import archives
from mensura.core.archives import BROKEN
from mensura.records.pools import Pool
from mensura.records.results import write_whole

NOTE = "mensura-pool.json"
"""The member of the archive that a model is."""

MOST = 16 << 20
"""Bytes of the note."""

MOST_MEMBER = 4 << 30


@dataclass(frozen=True)
class TrainedOn:
    """The episodes from whose checkpoints a model was trained."""

    digest: str
    """Of the pool."""
    episodes: frozenset[str]


def note_of(pool: Pool) -> str:
    """What the member says of a pool."""
    return json.dumps({"digest": pool.digest, "episodes": pool.episodes})


def note_training(model: Path, pool: Pool) -> None:
    """Write into the file of a model, a ZIP archive as Stable-Baselines3 writes them, which pool it was trained on."""
    buffer = BytesIO()
    try:
        with archives.opened(model) as before, zipfile.ZipFile(buffer, "w") as after:
            for name in before.names:
                if name != NOTE:
                    after.writestr(name, before.read(name, MOST_MEMBER))
            after.writestr(NOTE, note_of(pool))
    except BROKEN as error:
        raise MensuraError(f"{model} is no model in an archive: {str(error)[:200]}.") from None
    write_whole(model, buffer.getvalue())


def training_note(model: Path) -> TrainedOn | None:
    """What a model says of its training; None where it says nothing. Nothing in it is run."""
    try:
        with archives.opened(model) as archive:
            if NOTE not in archive.names:
                return None
            told = archive.json(NOTE, MOST)
        return TrainedOn(str(told["digest"]), frozenset(map(str, told["episodes"])))
    except BROKEN as error:
        raise MensuraError(
            f"What {model} says of its training cannot be read: {str(error)[:200]}."
        ) from None
