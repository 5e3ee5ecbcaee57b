"""Texts, pictures and films of tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from mensura.agent.in_process import Agents
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.pictures.files import save
from mensura.pictures.film import Film
from mensura.pictures.picture import Area, Words
from mensura.pictures.text import as_text
from mensura.pictures.view import view_of
from mensura.worlds.framotec.picture import WIDTH
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
    text = view_of(world).text(environment, turn)
    assert "plot_it_motor 5 W" in text
    assert "position_motor 0 W" in text
    assert "there no   plotted no" in text
    assert text.splitlines()[0].count("#") == 1
    assert text.splitlines()[1].count("O") == 1
    assert "of 60 s" in text
    assert "under way" in text


def test_the_explanation_tells_what_has_to_be_reached() -> None:
    world = Framotec(task="plotter-2d", subjects=3)
    told = " ".join(view_of(world).explain(world.build(world.sample(1))))
    assert told.startswith("Three controllers set the powers of 3 motors every 0.25 s")
    assert "within 120 s and 20000 J: x at 100 +- 5; y at 100 +- 5; pen at 1 +- 0.1." in told


@pytest.mark.parametrize("task", ["car-race", "steered-mover", "n-dimensional"])
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_pictures_are_drawn(task: str, kind: str, tmp_path: Path) -> None:
    world = Framotec(task=task)
    environment = world.build(world.sample(1))
    turn = environment.reset(1)
    save(view_of(world).picture(environment, turn), tmp_path / f"a.{kind}")
    content = (tmp_path / f"a.{kind}").read_bytes()
    assert content.startswith(b"<svg" if kind == "svg" else b"\x89PNG")


def filmed(world: Framotec, agent: Any) -> tuple[Film, Any, Any]:
    """A film of an episode, with the view and the environment at its end."""
    view = view_of(world)
    film = Film(view.picture)
    environment = world.build(world.sample(1))
    drive(play(environment, 1, world=world.id, seed=1, observers=[view, film]), Agents([agent]))
    return film, view, environment


@pytest.mark.parametrize("kind", ["svg", "gif"])
def test_films_follow_an_episode(kind: str, tmp_path: Path) -> None:
    film, _, _ = filmed(Framotec(task="locking-plotter", horizon=6), Full())
    assert len(film) == 7
    film.save(tmp_path / f"a.{kind}")
    content = (tmp_path / f"a.{kind}").read_bytes()
    assert content.startswith(b"<svg" if kind == "svg" else b"GIF8")
    if kind == "svg":
        assert b"plot_it" in content


def test_pictures_over_time_show_goals_and_when_something_was_locked(tmp_path: Path) -> None:
    film, view, environment = filmed(Framotec(task="locking-plotter", ends=True), Hand())
    picture = view.picture(environment, environment.restore(environment.snapshot()))
    assert sum(one.label == "goal" for one in picture.shapes) == 2, "a band for each goal"
    locked = [one for one in picture.shapes if isinstance(one, Area) and one.role == "ground"]
    assert locked
    assert min(x for one in locked for x, _ in one.points) > WIDTH * 0.25, "late, when it is up"
    said = [one.text for one in picture.shapes if isinstance(one, Words)]
    assert said == ["position, 0 to 150", "plot_it, 0 to 1"]
    assert picture.title[0].endswith(" J, solved")
    film.save(tmp_path / "a.svg")
    assert ElementTree.fromstring((tmp_path / "a.svg").read_text(encoding="utf-8")) is not None
    assert (tmp_path / "a.svg").stat().st_size < 200_000


def test_a_seat_is_shown_what_it_reads_and_nothing_else() -> None:
    world = Framotec(task="locking-plotter")
    environment = world.build(world.sample(1))
    turn = environment.reset(1)
    for _ in range(3):
        turn = environment.step([np.array([1.0, 0.0])])
    labels = " ".join(one.label for one in environment.picture(0).shapes)
    assert f"position_reading {float(turn.observations[0]['position_reading']):.4g}" in labels
    assert "goal" not in labels
    hidden = as_text(environment.picture(0))
    environment.simulation.row[environment.simulation.assembly.slots["plot_it.velocity"]] += 5.0
    assert as_text(environment.picture(0)) == hidden


def test_the_view_tells_the_whole_state_and_what_can_be_done() -> None:
    world = Framotec(task="locking-plotter", actions="three")
    environment = world.build(world.sample(1))
    environment.reset(1)
    view = view_of(world)
    tables = {table.name: table for table in view.tables(environment)}
    assert set(tables) == {"clocks", "objects", "motors", "sensors", "goals", "attributes"}
    assert [row[0] for row in tables["objects"].rows] == ["position", "plot_it"]
    (controls,) = view.controls(environment)
    space: Any = environment.spaces(0)[1]
    assert [one.action for one in controls.choices] == list(range(space.n))
    assert any("Transition" in one for one in view.remarks(environment))
