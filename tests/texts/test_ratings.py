"""Ratings of analogies: the study that is made of pairs of texts, means, and agreement by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.texts.evaluations.ratings import Rating, agreements, means, readable, study_of

ATOM = "The nucleus attracts the electron. The electron circles the nucleus."
SUN = "The sun attracts the planet.\nThe planet circles the sun.\n\nThat is <all>."


def rated(*novel: tuple[int, ...]) -> list[Rating]:
    """Ratings of some pairs by some raters: a row for each rater; useful is always 3, challenging is left out."""
    return [
        Rating(f"P{i}", f"pair {k}", {"novel": value, "useful": 3, "challenging": 0})
        for i, row in enumerate(novel)
        for k, value in enumerate(row)
    ]


def test_alpha_and_means_are_those_by_hand() -> None:
    # Two raters, three pairs: (1, 2), (3, 3), (5, 4). Squared differences within pairs: 1, 0, 1, each twice, of six
    # ratings: observed 4 / 6. Among all of 1, 2, 3, 3, 5, 4: the sum over ordered pairs is 2 (6 x 64 - 18^2) = 120, so
    # expected is 120 / (6 x 5) = 4, and alpha is 1 - (2 / 3) / 4 = 5 / 6.
    novel, useful, challenging = agreements(rated((1, 3, 5), (2, 3, 4)), 7)
    assert novel.alpha is not None
    assert novel.alpha.value == pytest.approx(5 / 6)
    assert novel.alpha.low <= novel.alpha.value <= novel.alpha.high
    assert novel.published == 0.344
    assert (useful.mean, useful.alpha) == (3.0, None), "what never differs has no alpha"
    assert (challenging.mean, challenging.alpha) == (None, None)
    by_pair = means(rated((1, 3, 5), (2, 3, 4)))
    assert by_pair["pair 0"] == {"novel": (1.5, 2), "useful": (3.0, 2), "challenging": (None, 0)}


def test_what_was_left_out_is_missing_and_not_a_rating_of_zero() -> None:
    (novel, *_) = agreements(rated((1, 3, 5), (2, 3, 4), (0, 0, 0)), 7)
    assert novel.alpha is not None
    assert novel.alpha.value == pytest.approx(5 / 6)
    assert novel.mean == pytest.approx(3.0)


def test_one_pair_has_no_alpha() -> None:
    assert agreements(rated((1,), (2,)), 7)[0].alpha is None


@given(st.text())
def test_a_text_is_made_readable_once(text: str) -> None:
    once = readable(text)
    assert all(line.isprintable() and line for line in once.split("\n")) or once == ""
    assert len(once) <= len(text)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "atom.txt").write_text(ATOM)
    (tmp_path / "sun.txt").write_text(SUN)
    return tmp_path


def test_a_study_shows_both_texts_and_what_corresponds(texts: Path) -> None:
    made = study_of([(texts / "atom.txt", texts / "sun.txt")], "planets", 12, 5)
    (world,) = made["worlds"]
    assert world["name"] == "atom and sun"
    shown = json.loads(world["parameters"]["analogy"])
    assert shown["target"] == (
        "The sun attracts the planet. The planet circles the sun.\nThat is <all>."
    )
    assert "nucleus = sun" in shown["pairs"]
    assert "nucleus attract electron = sun attract planet" in shown["pairs"]
    assert (made["people"]["design"], made["people"]["places"]) == ("within", 12)


def test_what_nobody_could_rate_is_one_sentence(texts: Path) -> None:
    atom, sun = texts / "atom.txt", texts / "sun.txt"
    with pytest.raises(MensuraError, match="named twice"):
        study_of([(atom, sun), (atom, sun)], "planets", 12, 5)
    with pytest.raises(MensuraError, match=r"atom\.yaml is no text that raters could read"):
        study_of([(texts / "atom.yaml", sun)], "planets", 12, 5)
    (texts / "long.txt").write_text(f"{ATOM} " * 400)
    with pytest.raises(MensuraError, match="raters read at most 20000"):
        study_of([(texts / "long.txt", sun)], "planets", 12, 5)
    with pytest.raises(MensuraError, match="cannot be read"):
        study_of([(texts / "none.txt", sun)], "planets", 12, 5)
