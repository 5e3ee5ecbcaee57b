"""``ms.watch``: a film in the notebook, and in a file."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import mensura as ms


def test_a_notebook_plays_a_film_of_its_own_agent(my_agent: Any) -> None:
    film = ms.watch(my_agent, ms.make("echo", horizon=4), seed=7)
    assert len(film) == 5
    html = film._repr_html_()
    data = html.partition("base64,")[2].partition('"')[0]
    svg = ElementTree.fromstring(b64decode(data))
    assert svg.tag.endswith("svg")
    assert any("animate" in one.tag for one in svg.iter())
    assert repr(film).startswith("A film of MyAgent: 4 interactions, mean reward ")
    assert ".save('episode.gif')" in repr(film)


def test_the_same_seed_is_the_same_film_in_a_file(tmp_path: Path) -> None:
    world = ms.make("echo", horizon=4)
    first = ms.watch("random", world, seed=7).save(tmp_path / "a.svg").read_bytes()
    assert ms.watch("random", world, seed=7).save(str(tmp_path / "b.svg")).read_bytes() == first
    assert ms.watch("random", world, seed=8).save(tmp_path / "c.svg").read_bytes() != first
    with pytest.raises(ms.MensuraError, match=r"ends in \.gif or \.svg"):
        ms.watch("random", world, seed=7).save(tmp_path / "a.mp4")


def test_without_a_name_a_subject_of_the_world_is_watched_at_a_complexity() -> None:
    film = ms.watch(world="echo", complexity=(2, 3), seed=1, training=0)
    assert film.watched.subject != "random"
    with pytest.raises(ms.MensuraError, match="2 subjects were named; one is watched at a time"):
        ms.watch(["random", "q-learning"], "echo")  # type: ignore[arg-type]
    with pytest.raises(ms.MensuraError, match="-1 training episodes are impossible"):
        ms.watch("random", "echo", training=-1)
