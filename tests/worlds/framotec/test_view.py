"""Texts, pictures and films of tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from mensura.core.loop import play
from mensura.core.players import Agents, drive
from mensura.worlds.framotec import view
from mensura.worlds.framotec.world import Framotec


class Hand:
    """The controller of 6.3."""

    def act(self, observation: Any, reward: float) -> np.ndarray:
        far = 100.0 - float(observation["position_reading"])
        near = abs(far) < 4.0
        return np.array([0.0 if near else np.sign(far), float(near)])


class Full:
    def act(self, observation: object, reward: float) -> np.ndarray:
        return np.ones(2)


def test_the_text_shows_objects_goals_motors_and_what_was_spent() -> None:
    world = Framotec(task="locking-plotter")
    environment = world.build(world.sample(1))
    environment.reset(1)
    turn = environment.step([np.array([1.0, 1.0])])
    while environment.simulation.value("position.locked") == 0.0:
        turn = environment.step([np.array([0.0, 1.0])])
    text = view.text(environment, turn.rewards)
    assert "plot_it_motor 5 W" in text
    assert "position_motor 0 W" in text
    assert "there no   plotted no" in text
    assert text.splitlines()[0].count("#") == 1
    assert text.splitlines()[1].count("O") == 1
    assert "of 60 s" in text
    assert "under way" in text


def test_the_explanation_tells_what_has_to_be_reached() -> None:
    world = Framotec(task="plotter-2d", subjects=3)
    told = " ".join(view.explain(world.build(world.sample(1))))
    assert told.startswith("Three controllers set the powers of 3 motors every 0.25 s")
    assert "within 120 s and 20000 J: x at 100 +- 5; y at 100 +- 5; pen at 1 +- 0.1." in told


@pytest.mark.parametrize("task", ["car-race", "steered-mover", "n-dimensional"])
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_pictures_are_drawn(task: str, kind: str, tmp_path: Path) -> None:
    world = Framotec(task=task)
    environment = world.build(world.sample(1))
    environment.reset(1)
    view.draw(environment, tmp_path / f"a.{kind}")
    content = (tmp_path / f"a.{kind}").read_bytes()
    assert content.startswith(b"<svg" if kind == "svg" else b"\x89PNG")


@pytest.mark.parametrize("kind", ["svg", "gif"])
def test_films_follow_an_episode(kind: str, tmp_path: Path) -> None:
    world = Framotec(task="locking-plotter", horizon=6)
    film = view.Film()
    environment = world.build(world.sample(1))
    drive(play(environment, 1, world=world.id, seed=1, observers=[film]), Agents([Full()]))
    assert len(film) == 7
    film.save(tmp_path / f"a.{kind}")
    content = (tmp_path / f"a.{kind}").read_bytes()
    assert content.startswith(b"<svg" if kind == "svg" else b"GIF8")
    if kind == "svg":
        assert b"plot_it" in content


def test_films_show_goals_and_when_something_was_locked(tmp_path: Path) -> None:
    world = Framotec(task="locking-plotter", ends=True)
    film = view.Film()
    environment = world.build(world.sample(1))
    drive(play(environment, 1, world=world.id, seed=1, observers=[film]), Agents([Hand()]))
    film.save(tmp_path / "a.svg")
    root = ElementTree.fromstring((tmp_path / "a.svg").read_text(encoding="utf-8"))
    boxes = [one for one in root.iter("{http://www.w3.org/2000/svg}rect") if one.get("opacity")]
    assert sum(one.get("opacity") == "0.5" for one in boxes) == 2, "a band for each goal"
    locked = [float(one.get("x", 0)) for one in boxes if one.get("opacity") == "0.25"]
    assert locked
    assert {float(one.get("y", 0)) for one in boxes if one.get("opacity") == "0.25"} == {28.0}
    assert min(locked) > 200, "late, when the plotter is up"
    texts = [one.text or "" for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[:2] == ["position, 0 to 150", "plot_it, 0 to 1"]
    assert any(text.endswith(" J, solved") for text in texts)
