"""``mensura choose``, as a person types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

Typed = Callable[..., tuple[int, str, str]]

SMALL = ("--world", "echo", "--set", "horizon=6", "-e", "5", "--candidates", "2", "--seed", "1")


def test_a_table_and_data(mensura: Typed) -> None:
    status, out, err = mensura("choose", "-b", "random,q-learning", *SMALL, "--json", "c.json")
    assert (status, err) == (0, "")
    assert "bits per minute" in out
    data = json.loads(Path("c.json").read_text())
    assert data["subjects"] == ["random", "q-learning"]
    assert len(data["candidates"]) == 2


def test_bad_input_is_one_sentence(mensura: Typed) -> None:
    status, _, err = mensura("choose", "-b", "random", *SMALL)
    assert status == 2
    assert "One subject cannot be told apart from others" in err
