"""``mensura choose``, as a person types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mensura.terminal import output

Typed = Callable[..., tuple[int, str, str]]

SMALL = ("--world", "echo", "--set", "horizon=6", "-e", "5", "--candidates", "2", "--seed", "1")


def test_a_table_and_data(mensura: Typed) -> None:
    status, out, err = mensura("choose", "-b", "random,q-learning", *SMALL, "--json", "c.json")
    assert (status, err) == (0, "")
    assert "bits per minute" in out
    data = json.loads(Path("c.json").read_text())
    assert data["subjects"] == ["random", "q-learning"]
    assert len(data["candidates"]) == 2


def test_it_is_said_first_how_long_it_takes(
    mensura: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "SOON", 0.0)
    err = mensura("choose", "-b", "random,q-learning", *SMALL)[2]
    assert "2 candidates, 2 subjects, 20 sittings: about" in err


@pytest.mark.parametrize("when", ["tried", "played"])
def test_ctrl_c_ends_it_with_130_and_a_sentence(
    mensura: Typed, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    def interrupted(*given: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"mensura.api.choosing.{when}", interrupted)
    assert mensura("choose", "-b", "random,q-learning", *SMALL) == (130, "", "mensura: stopped.\n")


def test_bad_input_is_one_sentence(mensura: Typed) -> None:
    status, _, err = mensura("choose", "-b", "random", *SMALL)
    assert status == 2
    assert "One subject cannot be told apart from others" in err
