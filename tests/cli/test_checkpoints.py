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
    assert "5 checkpoints of 3 episodes of random in lambda-star-v1" in done.out
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
