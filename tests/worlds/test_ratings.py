"""Ratings: two texts and what corresponds in them, with nothing to gain."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.task import Task
from mensura.agents.language_model.text import words_of
from mensura.pictures.svg import as_svg
from mensura.testing import check_world
from mensura.texts.evaluations.ratings import LONGEST_TEXT, MOST_PAIRS
from mensura.worlds.ratings import Ratings

SHOWN = {"source": "One <i>text</i>.", "target": "Another.", "pairs": ["a <b> = c"]}

pytestmark = pytest.mark.quick

RATED = {"novel": 4, "useful": 0, "challenging": 5, "comment": "<b>so</b>"}


def test_ratings_keep_the_contract() -> None:
    assert check_world(Ratings()) == []


def test_a_rating_is_kept_and_worth_nothing() -> None:
    world = Ratings()
    environment = world.build(world.sample(1))
    environment.reset(1)
    turn = environment.step([RATED], [0.0])
    assert list(turn.rewards) == [0.0]
    assert turn.ended == "terminated"
    assert world.figures(environment.state) == {"novel": 4.0, "challenging": 5.0}


def test_texts_and_pairs_are_read_and_the_pairs_are_drawn() -> None:
    pairs = ["a <b> = c", f"d = {'e' * 90}"]
    world = Ratings(analogy=json.dumps({**SHOWN, "pairs": pairs}))
    environment = world.build(world.sample(1))
    turn = environment.reset(1)
    task: Any = Task
    said = words_of(world).observation(task, turn.observations[0])
    texts = ["First text:", "One <i>text</i>.", "Second text:", "Another."]
    assert said.split("\n") == [*texts, "What corresponds:", "; ".join(pairs)]
    drawn = "".join(ElementTree.fromstring(as_svg(environment.picture(0))).itertext())
    assert "a <b>" in drawn
    assert "e" * 91 not in drawn


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"source": " "}, "source has 1 characters; a text to be rated has 1 to 20000"),
        ({"target": "x" * (LONGEST_TEXT + 1)}, "target has 20001 characters"),
        ({"target": "a\x00b"}, "no control characters"),
        ({"pairs": "a = b"}, "it is JSON with two texts"),
        ({"more": 1}, "it is JSON with two texts"),
        ({"pairs": []}, "There are 0 pairs"),
        ({"pairs": ["a = b"] * (MOST_PAIRS + 1)}, "There are 201 pairs"),
        ({"pairs": ["matrix"]}, "'matrix' is none; one is written as matrix = filter"),
        ({"pairs": [" = filter"]}, "is none"),
    ],
)
def test_what_cannot_be_rated_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Ratings(analogy=json.dumps({**SHOWN, **given}))
    with pytest.raises(MensuraError, match="it is JSON with two texts"):
        Ratings(analogy="no JSON")
