"""Scenes: pictures fit for a page, all of the state in tables, and what each seat can do."""

import json
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.pictures.scenes import Controls, Table
from mensura.pictures.svg import as_svg
from mensura.worlds.framotec.world import Framotec
from mensura.worlds.lambda_class.behaviors import Markov, Pattern
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.space import grid
from mensura.worlds.lambda_class.world import Lambda
from mensura.worlds.lambda_star.world import LambdaStar

pytestmark = pytest.mark.quick

SVG = "{http://www.w3.org/2000/svg}"


class Scene(NamedTuple):
    """What a page shows of a moment."""

    svg: str
    tables: tuple[Table, ...]
    controls: tuple[Controls, ...]
    words: tuple[str, ...]


class Shown:
    """An environment with its view."""

    def __init__(self, world: Any, description: Any, key: int = 1) -> None:
        self.view = world.view()
        self.environment = world.build(description)
        self.turn = self.environment.reset(key)
        self.view.started(self.environment, self.turn)

    def step(self, actions: list[Any]) -> None:
        self.turn = self.environment.step(actions, [0.0] * len(actions))
        self.view.stepped(self.environment, actions, self.turn)

    @property
    def scene(self) -> Scene:
        return Scene(
            as_svg(self.view.picture(self.environment, self.turn), page=True),
            self.view.tables(self.environment),
            self.view.controls(self.environment),
            self.view.remarks(self.environment),
        )


def table(scene: Scene | tuple[Table, ...], name: str) -> list[dict[str, Any]]:
    tables = scene.tables if isinstance(scene, Scene) else scene
    (found,) = (one for one in tables if one.name == name)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


WORLDS = [Lambda(), Lambda(subjects=3, objects=2), LambdaStar(), Framotec(task="locking-plotter")]


@pytest.mark.parametrize("world", WORLDS, ids=lambda one: one.id)
def test_pictures_hold_no_style_and_no_script(world: Any) -> None:
    shown = Shown(world, world.sample(5))
    for part in ElementTree.fromstring(shown.scene.svg).iter():
        assert part.tag.removeprefix(SVG) not in ("style", "script", "foreignObject")
        assert "style" not in part.attrib
        assert not any(name.startswith("on") or name.endswith("href") for name in part.attrib)


@settings(max_examples=examples(12, 30), deadline=None)
@given(st.integers(0, 2**32), st.data())
def test_a_choice_leads_where_it_says(key: int, data: st.DataObject) -> None:
    for world in (Lambda(cells=(2, 6), sieves=()), LambdaStar(rows=4, cols=5, subjects=2)):
        shown = Shown(world, world.sample(key), key)
        for _ in range(3):
            controls = shown.view.controls(shown.environment)
            chosen = [data.draw(st.sampled_from(one.choices)) for one in controls]
            shown.step([one.action for one in chosen])
            everybody = table(shown.view.tables(shown.environment), "everybody")
            subjects = [row for row in everybody if "subject" in row["who"]]
            assert [row["cell"] - 1 for row in subjects] == [one.cell for one in chosen]


def test_the_cells_of_lambda_are_those_of_figure_4_5() -> None:
    """Every cell with its reward, who is there, and where each action leads."""
    d = Description(
        space=grid(2, 2),
        good_and_evil=Pattern((0,)),
        starts=(0, 3, 0),
        action_names=("s", "u", "d", "l", "r"),
    )
    shown = Shown(Lambda(), d)
    rows = table(shown.scene, "cells")
    assert [row["cell"] for row in rows] == [1, 2, 3, 4]
    assert rows[0]["who"] == "Good, subject"
    assert rows[3]["who"] == "Evil"
    assert [row["reward"] for row in rows] == [1.0, 0.0, 0.0, -1.0]
    assert [rows[0][name] for name in rows[0] if "(" in name] == [1, 1, 3, 1, 2]
    first, *others = shown.scene.words
    assert first == "Good and Evil: pattern 0"
    assert [one.partition(":")[0] for one in others] == [
        "The length of the space and of this pattern, compressed, times that of the pattern"
    ]


def test_large_spaces_are_shown_without_arrows_and_small_ones_with_them() -> None:
    for sizes, drawn in (((3, 3), True), ((20, 20), False)):
        d = Description(space=grid(*sizes), good_and_evil=Pattern((1, 2)))
        scene = Shown(Lambda(), d).scene
        cells = [
            part for part in ElementTree.fromstring(scene.svg).iter() if "data-cell" in part.attrib
        ]
        assert [int(part.attrib["data-cell"]) for part in cells] == list(range(d.space.cells))
        assert ("<polyline" in scene.svg.partition("data-cell")[0]) == drawn
        assert len(table(scene, "cells")) == d.space.cells


def test_hidden_state_of_lambda_is_shown() -> None:
    """Where Good goes next comes true, and what a program remembers can be read."""
    remembering = Program.parse("π ->. Δ a_2")
    d = Description(
        space=grid(1, 4),
        good_and_evil=Pattern((2, 1)),
        objects=(Markov(remembering),),
        starts=(0, 3, 1, 2),
    )
    shown = Shown(Lambda(), d)
    before = {row["who"]: row for row in table(shown.scene, "everybody")}
    assert before["ω_1"]["memory"] == "⊙A_2:ω_1A_1:a_2A_3:⊙"
    shown.step([0])
    after = {row["who"]: row for row in table(shown.scene, "everybody")}
    assert after["Good"]["cell"] == before["Good"]["goes to"] == 2


def test_names_from_outside_are_only_text() -> None:
    data = Framotec().sample(1).task.to_json()
    data["name"] = '<script>alert("x")</script>'
    description = Framotec(task=json.dumps(data)).sample(1)
    shown = Shown(Framotec(), description)
    assert "<script" not in shown.scene.svg
    assert ElementTree.fromstring(shown.scene.svg).attrib["aria-label"].count("<script>") == 1


def test_a_task_shows_positions_over_time_and_every_attribute() -> None:
    world = Framotec(task="plotter-2d")
    shown = Shown(world, world.sample(1))
    before = shown.scene.svg
    (controls,) = shown.scene.controls
    assert [knob.name for knob in controls.knobs] == [m.name for m in world.family.exposed]
    shown.step([[1.0] * len(controls.knobs)])
    objects = table(shown.scene, "objects")
    assert shown.scene.svg != before
    attributes = {row["attribute"]: row["value"] for row in table(shown.scene, "attributes")}
    for row in objects:
        assert attributes[f"{row['object']}.value"] == row["value"]
        assert row["velocity"] != 0.0


def test_levels_of_motors_are_choices() -> None:
    world = Framotec(actions="three")
    (controls,) = Shown(world, world.sample(1)).scene.controls
    assert [one.action for one in controls.choices] == [0, 1, 2]
    assert [one.name.split()[-1] for one in controls.choices] == ["0", "+1", "-1"]
