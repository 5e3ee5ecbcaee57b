"""``mensura checkpoints``: record, split and show a pool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mensura.records.pools import Pool


def test_a_pool_is_recorded_split_and_shown(mensura: Any) -> None:
    given = ["random", "--world", "lambda-star", "--grid", "4x4", "--agents", "1", "--seed", "1"]
    done = mensura(
        "checkpoints", "record", *given, "--every", "20", "--count", "5", "-o", "my.pool"
    )
    assert done.status == 0, done.err
    assert "5 checkpoints of 3 episodes of random in lambda-star-v2" in done.out
    done = mensura("checkpoints", "split", "my.pool", "--test", "2", "--seed", "1")
    assert done.status == 0, done.err
    parts = [Pool.read(Path(f"my.{name}.pool")) for name in ("train", "test")]
    assert sum(map(len, parts)) == 5
    done = mensura("checkpoints", "show", "my.pool", "-o", "sheet.png", "--json", "pool.json")
    assert done.status == 0, done.err
    assert Path("sheet.png").read_bytes().startswith(b"\x89PNG")
    assert len(json.loads(Path("pool.json").read_text())) == 5


def test_bad_input_is_one_sentence(mensura: Any) -> None:
    Path("bad.pool").write_bytes(b"PK\x03\x04 nothing")
    for words in (["show", "bad.pool"], ["split", "bad.pool", "--test", "1"]):
        done = mensura("checkpoints", *words)
        assert done.status == 2
        assert "bad.pool is no whole pool of checkpoints" in done.err
    assert not list(Path().glob("bad.*.pool"))


def test_subjects_are_assessed_from_the_checkpoints_of_a_run(mensura: Any) -> None:
    world = ["--world", "echo", "--iterations", "20"]
    plan = ["--assessment", "battery", "--episodes", "6", "--seed", "1", "--name", "played"]
    assert mensura("assess", "random", *world, *plan).status == 0
    done = mensura("checkpoints", "from-run", "played", "--every", "8", "-o", "my.pool")
    assert done.status == 0, done.err
    assert "12 checkpoints of 6 episodes of the run played in echo-v1" in done.out
    assert mensura("checkpoints", "split", "my.pool", "--test", "4", "--seed", "1").status == 0
    starts = ["--assessment", "human-starts", "--pool", "my.test.pool", "--seed", "2"]
    trained = ["--trained-on", "my.train.pool"]
    done = mensura("assess", "random", *world, *starts, *trained, "--name", "started")
    assert done.status == 0, done.err
    assert "with intervals over 2 source episodes" in done.out
    assert "return" in done.out
    Path("my.test.pool").unlink()
    done = mensura("replay", "started", "0", "1")
    assert done.status == 0, done.err
    assert done.out.count("identical") == 2


def test_what_cannot_be_started_from_is_one_sentence(mensura: Any) -> None:
    world = ["--world", "echo", "--iterations", "20"]
    record = ["record", "random", *world, "--every", "8", "--count", "4", "--seed", "1"]
    assert mensura("checkpoints", *record, "-o", "my.pool").status == 0
    starts = ["--assessment", "human-starts", "--pool", "my.pool"]
    for words, sentence in (
        (["-w", "lambda", *starts], "This pool is of echo-v1 and cannot be used in lambda-v1"),
        ([*world, *starts, "--trained-on", "my.pool"], "2 episodes in common"),
        ([*world, "--pool", "my.pool"], "--pool belongs to"),
        ([*world, "-a", "human-starts"], "name its file"),
    ):
        done = mensura("assess", "random", *words)
        assert done.status == 2
        assert sentence in done.err
    done = mensura("checkpoints", "from-run", "none", "--every", "often", "-o", "x.pool")
    assert done.status == 2
    assert "--every often is not understood" in done.err
    assert not Path("x.pool").exists()
