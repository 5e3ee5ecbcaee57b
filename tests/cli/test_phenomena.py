"""``mensura worlds phenomena``, as a person types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

Typed = Callable[..., tuple[int, str, str]]


def test_the_phenomena_of_a_task_are_listed_with_what_causes_what(mensura: Typed) -> None:
    words = ("worlds", "phenomena", "framotec", "--task", "locking-plotter", "--json", "p.json")
    status, out, err = mensura(*words)
    assert (status, err) == (0, "")
    assert "plot_it" in out
    found = {one["name"]: one for one in json.loads(Path("p.json").read_text())}
    assert ["lock", "position", -1] in found["plot_it"]["causes"]


def test_without_a_world_those_are_listed_that_have_phenomena(mensura: Typed) -> None:
    _, out, _ = mensura("worlds", "phenomena")
    assert "lambda-star" in out
    assert "echo" not in out


def test_a_world_without_phenomena_says_so(mensura: Typed) -> None:
    status, _, err = mensura("worlds", "phenomena", "echo")
    assert status == 2
    assert "echo-v1 offers no phenomena as it is set" in err
