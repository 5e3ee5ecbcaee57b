"""Readers of files that people hand on: pools, models, leaderboards, logs of runs, PDF."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fuzz.loop import Reader, check_sentence
from mensura.agent.errors import MensuraError
from mensura.agents import sb3
from mensura.api import leaderboard_file
from mensura.api.leaderboard_entry import Entry
from mensura.core import archives
from mensura.records import pools, training_note
from mensura.records.pools import Checkpoint, Pool, digest_of
from mensura.texts import reading
from mensura.training import models
from mensura.worlds.constraints.execution import logs

FOLDER = TemporaryDirectory(prefix="mensura-fuzz-")
"""Where files of one input lie, which their readers want by name."""

SNAPSHOT = b'{"state": 1}'


def _file(data: bytes) -> Path:
    path = Path(FOLDER.name) / "file"
    path.write_bytes(data)
    return path


def _archive(members: dict[str, bytes]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def _each(
    readers: Sequence[Callable[[Path], Any]], content: bytes, check: Callable[[Any], None]
) -> None:
    """Let each reader read a file; whoever refuses it says so in a sentence."""
    for read in readers:
        try:
            result = read(_file(content))
        except MensuraError as error:
            check_sentence(error)
        else:
            check(result)


# Pools -------------------------------------------------------------------------------

INDEX: dict[str, Any] = {
    "format": 1,
    "world": "echo-v1",
    "environments": [{"lag": 1}],
    "checkpoints": [
        {
            "digest": digest_of(SNAPSHOT),
            "environment": 0,
            "player": "a",
            "episode": "e",
            "interaction": 3,
            "score": 0.5,
        }
    ],
}


def read_pool(data: bytes) -> None:
    """Read bytes as a pool, and as the index of one; what is one is written and read again."""

    def check(pool: Pool) -> None:
        assert Pool.read(_file(pool.content())).digest == pool.digest
        assert all(isinstance(one, Checkpoint) for one in pool.checkpoints)

    snapshots = {f"snapshots/{digest_of(SNAPSHOT)}": SNAPSHOT}
    for content in (data, _archive({pools.INDEX: data, **snapshots})):
        _each([Pool.read], content, check)


# Models --------------------------------------------------------------------------------


def read_model(data: bytes) -> None:
    """Read bytes as a model's file, and as each member of one that is read before the model is loaded."""

    def check(result: Any) -> None:
        assert result is None or isinstance(result, (str, dict, training_note.TrainedOn))

    members = dict.fromkeys(("data", training_note.NOTE, models.TOLD), data)
    for content in (data, _archive(members)):
        _each(
            [sb3.algorithm_of, training_note.training_note, models.told_of],
            content,
            check,
        )


# Leaderboards and logs ---------------------------------------------------------------------

ENTRY: dict[str, Any] = {
    "subject": "random", "summary": "acts at random", "run": "r", "world": "lambda-v1", "assessment": "anytime",
    "added": "2026-01-01", "version": "0.1.0", "parameters": {}, "given": {}, "extra": {}, "training": 0, "seed": 1,
    "count": 20, "actions": 2000, "mean": 0.1, "squares": 0.5, "minimum": -0.5, "maximum": 0.6, "defaults": 0.0,
    "cost": None, "requests": None, "content": "generated afresh", "isolation": "part of Mensura", "fresh_seed": True,
    "digest": "",
}  # fmt: skip


def read_leaderboard(data: bytes) -> None:
    """Read bytes as a leaderboard, and as one entry of it; what is one is ranked."""

    def check(entries: list[Entry]) -> None:
        leaderboard_file.shown(entries)

    for content in (data, b'{"mensura_leaderboard": 2, "entries": [%b]}' % data):
        _each([leaderboard_file.read], content, check)


LOG = (
    {
        "mensura": 1, "log": "constraints", "digest": "d", "agents": 2, "algorithm": "awcs", "parameters": {},
        "order": "turns", "seed": 1, "ended": "quiet", "lost": [],
    },
    {"agent": 0, "turn": 1, "clock": {"0": 1}, "read": [], "wrote": ["ok"], "value": {"0": 1}, "counter": 2},
)  # fmt: skip


def read_log(data: bytes) -> None:
    """Read bytes as the log of a run over hosts; what is one is written and read again."""

    def check(log: logs.Log) -> None:
        path = _file(b"")
        logs.write_log(path, log)
        assert logs.read_log(path) == log

    _each([logs.read_log], data, check)


# PDF ----------------------------------------------------------------------------------


def read_pdf(data: bytes) -> None:
    """Read bytes as a PDF."""
    _each([lambda path: reading.from_pdf(path.read_bytes(), "file")], data, lambda text: None)


def _pdf() -> bytes:
    """A page with a line of words."""
    drawn = b"BT /F1 12 Tf 72 700 Td (The atom is like the solar system.) Tj ET"
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%b\nendstream" % (len(drawn), drawn),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (len(objects) + 1, table, len(objects) + 1, len(out))
    )


def _plain(*data: Any) -> bytes:
    return b"\n".join(json.dumps(one).encode() for one in data)


ARCHIVES = {
    "pools": Reader(
        read_pool,
        (str(archives.__file__), str(pools.__file__), str(zipfile.__file__)),
        (
            _plain(INDEX),
            _archive(
                {
                    pools.INDEX: _plain(INDEX),
                    f"snapshots/{digest_of(SNAPSHOT)}": SNAPSHOT,
                    f"pictures/{digest_of(SNAPSHOT)}.png": b"x",
                }
            ),
        ),
        (b'"checkpoints"', b'"digest"', b'"score"', b"PK\x01\x02", b"PK\x05\x06", b"\xff\xff\xff\xff"),
    ),
    "models": Reader(
        read_model,
        tuple(str(one.__file__) for one in (archives, sb3, training_note, models, zipfile)),
        (
            _plain({"clip_range": 0.2}),
            _plain({"digest": "d", "episodes": ["e"]}),
            _archive({"data": b'{"clip_range": 1}', training_note.NOTE: b'{"digest": "d", "episodes": []}'}),
        ),
        (b'"clip_range"', b'"episodes"', b'"digest"', b"PK\x01\x02", b"PK\x05\x06", b"[[1]]"),
    ),
    "leaderboards": Reader(
        read_leaderboard,
        (str(leaderboard_file.__file__),),
        (_plain({"mensura_leaderboard": 2, "entries": [ENTRY]}), _plain(ENTRY)),
        (b'"count"', b'"mean"', b'"squares"', b'"given"', b'"world": "echo"', b"1" + b"0" * 400),
    ),
    "logs": Reader(
        read_log,
        (str(logs.__file__),),
        (_plain(*LOG),),
        (b'"clock"', b'"agent"', b'"lost": [1]', b'"value"', b'"turn"'),
    ),
    "pdf": Reader(
        read_pdf,
        (str(reading.__file__),),
        (_pdf(),),
        (b"/Kids", b"/Parent 3 0 R", b"endobj", b"stream", b"/Filter/FlateDecode", b"Tj", b"/Count", b"<<"),
    ),
}  # fmt: skip
"""By name."""
