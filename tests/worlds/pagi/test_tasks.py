"""Tasks as files: what they may hold, and what is said of those that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.pictures.svg import as_svg
from mensura.worlds.pagi.families.table import FAMILIES
from mensura.worlds.pagi.setup_reading import from_canonical, from_plain
from mensura.worlds.pagi.task_files import PagiFiles, draw, parse_task, read_task, shipped, to_yaml
from mensura.worlds.pagi.world import Pagi

GOOD = """
name: mine
horizon: 40
words: ['yes', 'no']
objects:
- {kind: ground, name: ground, x: 0, y: -2}
- {kind: apple, name: apple, x: {from: 3, to: 6}, y: 0.5}
- {kind: switch, name: switch, x: 1.9, y: 0.84}
- {kind: beam, name: beam, x: 0, y: 12, locked: true}
ropes:
- {ties: [apple, switch], length: 20}
triggers:
- {when: switch.on, do: [release beam, 'ask Really?']}
solved: body.said.yes and apple.gone
failed: time > 3
reward: felt / 100
"""


def test_a_task_of_ones_own_is_played(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(GOOD)
    world = Pagi(task=str(file))
    places = {world.sample(key).setup["objects"][1]["x"] for key in range(5)}
    assert len(places) == 5
    assert all(3 <= one <= 6 for one in places)
    environment = world.build(world.sample(0))
    turn = environment.reset(0)
    action = np.zeros(12)
    action[0], action[10] = 1.0, 1.0  # to the right, and yes
    while turn.ended is None and not environment.over:
        turn = environment.step([action], [0.0])
    assert environment.measures()["solved"] == 1.0
    assert turn.rewards == [1.0]


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_family_has_a_sample_that_is_written_and_read_alike(name: str) -> None:
    sample = read_task(name)
    assert sample == draw(name, min(2, FAMILIES[name].grades), 0), (
        "write it anew with task_files.to_yaml"
    )
    assert parse_task(to_yaml(sample)) == sample
    assert from_canonical(sample.canonical) == sample
    assert PagiFiles().check(shipped()[name])
    assert PagiFiles().recognizes(shipped()[name])


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("name: mine", "nam: mine", "line 2: A task has no 'nam'; did you mean name"),
        (
            "kind: apple",
            "kind: aple",
            "line 7: There is no kind of object 'aple'; did you mean apple",
        ),
        ("y: 0.5", "y: high", "line 7: y of 'apple' is 'high'; it must be a number"),
        ("to: 6", "to: 2", "line 7: The range from 3 to 2 is empty"),
        ("from: 3, to: 6", "from: 3", "line 7: A range has two numbers"),
        ("name: apple", "name: 3apple", "letters and digits"),
        ("name: switch, x", "name: apple, x", "line 8: The name 'apple' is there twice"),
        ("name: switch, x", "name: body, x", "a body's"),
        (
            "[apple, switch]",
            "[apple, swich]",
            "line 11: There is no object 'swich'; did you mean switch",
        ),
        (
            "switch.on, do",
            "switch.at, do",
            "line 13: In 'switch.at', column 1: 'switch.at' names nothing here",
        ),
        (
            "release beam",
            "releas beam",
            "line 13: 'releas beam' cannot be done; did you mean release",
        ),
        ("release beam", "release bean", "names no object; did you mean beam"),
        ("and apple.gone", "and apple.x", "line 14: .* takes a boolean"),
        ("apple.gone", "apple.gone and", "a value is missing"),
        ("felt / 100", "switch.on", "line 16: .* a number is wanted"),
        ("said.yes", "said.maybe", "names nothing here; did you mean yes"),
        ("horizon: 40", "horizon: 0", "line 3: horizon is 0; it must be a whole number from 1"),
        ("horizon: 40", "forces: {push: 3}", "There is no force 'push'"),
        ("horizon: 40", "forces: {body: .nan}", "line 3"),
        ("horizon: 40", "bodies: []", "bodies must be a list of 1 to 10"),
        ("horizon: 40", "water: [[0, 50, 100, 100]]", "more water than"),
        ("x: 1.9, y: 0.84", "x: 1.9, y: 0.84, colour: 3", "has no 'colour'"),
        ("length: 20", "length: -1", "line 11"),
        (
            "[apple, switch]",
            "[ground, switch]",
            "line 11: A rope ties at least one object that can move",
        ),
        (
            "length: 20}",
            "length: 20}\n- {ties: [switch, apple], length: 9}",
            "line 12: Two objects are tied by one rope at most",
        ),
    ],
)
def test_a_wrong_task_gives_its_line_and_what_would_be_right(
    before: str, after: str, why: str
) -> None:
    text = GOOD
    assert before in text
    with pytest.raises(MensuraError, match=why):
        parse_task(text.replace(before, after, 1), "mine.yaml")


def test_a_file_with_ranges_is_checked_by_what_is_drawn_of_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(GOOD)
    [told] = PagiFiles().check(file)
    assert told == "'mine', a family of tasks, with ranges: 4 objects, 1 body, 1 trigger"
    blocks = "objects:\n- {kind: wallBlock, name: a, x: 9, y: 3}\n"
    file.write_text(blocks + "- {kind: wallBlock, name: b, x: {from: 10, to: 20}, y: 3}\n")
    with pytest.raises(MensuraError, match="where numbers are drawn, a and b overlap"):
        PagiFiles().check(file)


def test_objects_that_overlap_are_refused() -> None:
    text = "objects:\n- {kind: wallBlock, name: a, x: 9, y: 3}\n- {kind: wallBlock, name: b, x: 10, y: 3}\n"
    with pytest.raises(MensuraError, match="line 3: a and b overlap"):
        parse_task(text)
    with pytest.raises(MensuraError, match="overlaps the body"):
        parse_task("objects:\n- {kind: wallBlock, name: a, x: 0.5, y: 1}\n")


@given(st.binary(max_size=80) | st.text(max_size=200).map(str.encode))
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_a_task_or_give_one_sentence(data: bytes) -> None:
    assert "\n" not in said_of(lambda: parse_task(data.decode("utf-8", "replace"), "mine.yaml"))


def said_of(read: Callable[[], object]) -> str:
    """The sentence about a task that is none."""
    try:
        read()
    except MensuraError as error:
        return str(error)
    return ""


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(
    st.sampled_from(
        ["objects", "bodies", "triggers", "ropes", "water", "words", "forces", "solved", "horizon"]
    ),
    VALUES,
)
@settings(max_examples=examples(25, 150), deadline=None)
def test_any_data_is_a_task_or_gives_one_sentence(name: str, value: Any) -> None:
    assert "\n" not in said_of(lambda: from_plain({name: value}))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"task": "cath"}, "no sample task 'cath'; did you mean catch"),
        ({"grade": 7}, "catch has grades from 1 to 6"),
        ({"bodies": 2}, "catch is for 1"),
        ({"task": "three-pills", "bodies": 7}, "three-pills is for 3 to 6"),
        ({"actions": "wishes"}, "it must be one of forces"),
        ({"rights": ("0:flies",)}, "no right of a seat"),
    ],
)
def test_parameters_that_make_no_world_are_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(MensuraError, match=why):
        Pagi(**given)


def test_a_description_goes_through_json_and_only_tasks_are_taken() -> None:
    world = Pagi(task="balance-beam")
    description = world.sample(4)
    assert world.describe_from_json(description.to_json()) == description
    broken = description.to_json()
    broken["setup"]["solved"] = "beam.wings"
    with pytest.raises(MensuraError):
        world.describe_from_json(broken)


def test_complexities_can_be_asked_for() -> None:
    world = Pagi(task="two-soldiers")
    for steps in range(1, 5):
        found = world.sample(steps, ("causal_steps", steps, steps))
        assert world.complexity(found, "causal_steps") == steps
    assert world.complexity_bounds("causal_steps") == (1.0, 4.0)
    assert world.complexity(world.sample(0), "objects") >= 6
    assert world.complexity(world.sample(0), "description_length") > 1000


@pytest.mark.parametrize("actions", ["forces", "discrete"])
def test_who_is_assessed_sees_only_what_the_body_senses(actions: Any) -> None:
    """Whatever is beyond the senses changes the picture of the room, and not that of a seat."""
    pictures = {}
    for x in (3.0, 60.0, 70.0):
        objects = [
            {"kind": "ground", "name": "ground", "x": 0, "y": -2, "width": 300},
            {"kind": "wallBlock", "name": "secret", "x": x, "y": 1.3},
        ]
        world = Pagi(task=from_plain({"name": "x", "objects": objects}).canonical, actions=actions)
        environment = world.build(world.sample(0))
        environment.reset(1)
        pictures[x] = [as_svg(environment.picture(seat)) for seat in (None, 0)]
    assert pictures[60.0][0] != pictures[70.0][0]
    assert pictures[60.0][1] == pictures[70.0][1]
    assert pictures[3.0][1] != pictures[60.0][1], "what is near is sensed"
    assert all("secret" not in seat for _, seat in pictures.values())
