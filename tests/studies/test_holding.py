"""How subjects are held: what is said of each kind, and who is warned of less than full isolation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.conftest import Typed, mensura

from mensura.agent.task import Limits
from mensura.core.abilities import make
from mensura.core.registry import WORLDS
from mensura.core.withdrawing import WithdrawingWorld
from mensura.records import holding as words
from mensura.records.cell import PEOPLE, Cell
from mensura.records.holding import is_fully_isolated, isolation_warnings, joined
from mensura.studies import holding
from mensura.worlds.lambda_class.world import Lambda

__all__ = ["mensura"]

Type = Callable[..., Typed]
HERE = "full isolation, memory counted"
LESS = "isolation without Landlock, a filter of system calls, memory counted"


def held(subject: str, **more: Any) -> str:
    cell = Cell(0, "c", "lambda-v1", {}, "battery", {}, subject, subject, 1, 1, **more)
    return holding.holding_of(cell, Lambda())


@pytest.mark.parametrize(
    ("subject", "more", "expected"),
    [
        ("random", {}, words.BUILT_IN),
        ("oracle", {}, words.BUILT_IN),
        ("mine.py:Mine", {}, HERE),
        ("cmd:./mine", {}, HERE),
        ("sb3:mine.zip", {}, HERE),
        ("mine.py:Mine", {"in_process": True}, words.IN_PROCESS),
        ("mine.py:Mine", {"limits": Limits(isolation=False)}, words.OFF),
        (
            "mine.py:Mine",
            {"limits": Limits(network=True, readable=("/srv",))},
            "isolation with the network allowed and further files readable, memory counted",
        ),
        ("an object (of Python)", {}, words.IN_PROCESS),
        ("mine", {}, words.IN_PROCESS),
        ("openai:some-model", {}, words.REACHED),
        ("openai:some-model?base_url=http://127.0.0.1:8080/v1", {}, words.OUTSIDE),
        ("openai:some-model?base_url=http://localhost:8080/v1", {}, words.OUTSIDE),
        ("gguf:model.gguf", {}, words.WEIGHTS),
        ("tcp://agents.example.org:9000", {}, words.REACHED),
        ("tcp://localhost:9000", {}, words.OUTSIDE),
        ("ws://[::1]:9000", {}, words.OUTSIDE),
        ("listen://:9000", {}, words.OUTSIDE),
        ("random+mine.py:Mine*2", {}, f"{words.BUILT_IN}; {HERE}"),
        (PEOPLE, {}, words.PEOPLE),
    ],
)
def test_every_kind_of_subject_is_held_in_words(
    subject: str, more: dict[str, Any], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holding, "isolation_here", lambda: HERE)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert held(subject, **more) == expected


@pytest.mark.parametrize(
    ("held_so", "whole"),
    [
        (words.BUILT_IN, True),
        (HERE, True),
        ("full isolation, memory limited by the kernel", True),
        (words.REACHED, True),
        (words.WEIGHTS, True),
        (f"{words.BUILT_IN}; {HERE}", True),
        (LESS, False),
        (words.OFF, False),
        (words.IN_PROCESS, False),
        (words.OUTSIDE, False),
        (words.PEOPLE, False),
        (words.NOT_RECORDED, False),
        (f"{HERE}; {words.OFF}", False),
        ("full isolation is what I say", False),
        ("isolation with the network allowed, memory counted", False),
        ("", False),
    ],
)
def test_what_counts_as_fully_isolated(held_so: str, whole: bool) -> None:
    assert is_fully_isolated(held_so) == whole


class Foreign(Lambda):
    """A world of another package, with subjects that are code of that package."""


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        (make(WORLDS.load("perturbed-lambda-v1")), words.BUILT_IN),
        (WithdrawingWorld(Lambda()), words.BUILT_IN),
        (Foreign(), words.IN_PROCESS),
        (WithdrawingWorld(Foreign()), words.IN_PROCESS),
    ],
    ids=["perturbed", "around", "foreign", "around a foreign one"],
)
def test_subjects_of_a_world_are_ours_if_the_world_inside_is(world: Any, expected: str) -> None:
    cell = Cell(0, "c", "lambda-v1", {}, "battery", {}, "oracle", "oracle", 1, 1)
    assert holding.holding_of(cell, world) == expected


KINDS = st.sampled_from(
    [words.BUILT_IN, HERE, words.REACHED, LESS, words.OFF, words.IN_PROCESS, words.OUTSIDE]
)


@given(st.lists(KINDS, min_size=1, max_size=4))
def test_several_members_are_as_isolated_as_the_least_of_them(members: list[str]) -> None:
    assert is_fully_isolated(joined(members)) == all(map(is_fully_isolated, members))


def test_a_warning_names_who_and_what_is_missing() -> None:
    found = list(
        isolation_warnings(
            {"a": HERE, "b": LESS, "c": words.OFF, "d": words.IN_PROCESS, "e": words.OFF}
        )
    )
    assert [
        one.partition(":")[2].strip().split(" ran ")[0].split(" could ")[0] for one in found
    ] == [
        "b",
        "c, e",
        "d",
    ]
    assert "without Landlock, a filter of system calls:" in found[0]
    assert list(isolation_warnings({"a": HERE, "b": words.BUILT_IN, "c": words.REACHED})) == []


def test_degraded_isolation_is_told_before_the_run_and_at_the_top_of_every_report(
    mensura: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holding, "isolation_here", lambda: LESS)
    Path("mine.py").write_text("class Mine:\n    def act(self, *_):\n        return 0\n")
    ended = mensura(
        "assess", "mine.py:Mine", "random", "-a", "battery", "-e", "5", "--complexity", "any",
        "-i", "5", "--name", "less", "--store", "runs.db", "-o", "page.html", "--json", "rows.json",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    assert ended.err.count("Warning. Isolation: mine.py:Mine could be isolated only in part") == 1
    assert ended.out.startswith("Isolation: mine.py:Mine could be isolated only in part")
    page = Path("page.html").read_text()
    assert page.index("could be isolated only in part") < page.index("What was run</h2>")
    assert LESS in Path("rows.json").read_text()
    shown = mensura("runs", "show", "less", "--store", "runs.db")
    assert "could be isolated only in part" in " ".join(shown.out.split())


def test_who_is_built_in_brings_no_warning(mensura: Type) -> None:
    ended = mensura("assess", "random", "-a", "battery", "-e", "5", "-i", "5")
    assert "Warning" not in ended.err
    assert "Isolation" not in ended.out
