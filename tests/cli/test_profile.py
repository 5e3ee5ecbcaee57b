"""``mensura profile``, as a person types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.api.test_profiling import SMALL, TINY
from tests.reports.reading import check

from mensura.api import profile_sizes

Typed = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("words_only")
def test_a_table_a_page_and_data(mensura: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_sizes, "QUICK", TINY)
    words = ("profile", "q-learning", "--quick", "--seed", "1", "--references", "sarsa,follower")
    status, out, _ = mensura(*words, "--json", "p.json", "-o", "p.html", "--level", "0.1")
    assert status == 0
    assert "Profile on lambda-v1" in out
    assert "the level that is wanted" in out
    (data,) = json.loads(Path("p.json").read_text())["profiles"]
    assert data["good_enough"]["level"] == 0.1
    check(Path("p.html").read_text(encoding="utf-8"))


@pytest.mark.thorough
@pytest.mark.usefixtures("words_only")
def test_a_kept_one_is_reported_and_resumed_by_its_run(
    mensura: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile_sizes, "QUICK", SMALL)
    words = ("profile", "follower", "--quick", "--references", "oracle", "--name", "mine")
    status, out, err = mensura(*words, "-o", "p.html")
    assert status == 0, err
    assert "kept as the run mine: mensura report mine writes its page again" in out + err
    assert mensura("report", "mine", "-o", "again.html")[0] == 0
    first, again = (Path(one).read_text(encoding="utf-8") for one in ("p.html", "again.html"))
    assert '<h2 id="points">' in again
    assert again == first
    status, out, _ = mensura("study", "resume", "mine")
    assert status == 0
    assert "Profile on lambda-v1" in out


@pytest.mark.usefixtures("words_only")
@pytest.mark.thorough
def test_a_full_one_says_beforehand_how_long_it_takes(
    mensura: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile_sizes, "FULL", SMALL)
    status, out, err = mensura("profile", "follower", "--seed", "1", "--references", "oracle")
    assert status == 0
    assert "A full profile takes about " in out + err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("random", "random"), "The subject random is named twice"),
        (("random", "--weights", "1,2"), "are none"),
        (("random", "--weights", "a"), "--weights has 'a'"),
        (("random", "--norm", "taxi"), "'taxi' is no distance between tasks"),
        (("nobody", "--quick"), "There is no subject 'nobody'"),
    ],
)
def test_bad_input_is_one_sentence(mensura: Typed, words: tuple[str, ...], sentence: str) -> None:
    status, _, err = mensura("profile", *words)
    assert status == 2
    assert sentence in err
