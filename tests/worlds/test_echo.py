"""Echo: a whole world in one file."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from mensura.agent.in_process import InProcess
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.pictures.film import Film
from mensura.pictures.svg import as_svg
from mensura.pictures.text import as_text
from mensura.pictures.view import view_of
from mensura.testing import check_world
from mensura.worlds.echo import Echo

pytestmark = pytest.mark.quick


class Perfect:
    """Remembers what it was shown."""

    def __init__(self, lag: int) -> None:
        self.lag = lag
        self.seen: list[int] = []

    def act(self, observation: int, reward: float) -> int:
        self.seen.append(observation)
        return self.seen[max(0, len(self.seen) - 1 - self.lag)]


@pytest.mark.parametrize(
    "preset",
    [
        pytest.param(one, marks=[pytest.mark.thorough] if one == "long" else [])
        for one in Echo.presets
    ],
)
def test_echo_keeps_the_contract(preset: str) -> None:
    assert check_world(Echo.preset(preset), balance=100) == []


def test_whoever_remembers_far_enough_is_always_right() -> None:
    world = Echo()
    description = world.sample(3, ("lag", 4, 4))
    for lag, right in ((4, True), (3, False)):
        subject: Any = InProcess("perfect", lambda lag=lag: Perfect(lag))  # type: ignore[misc]
        episode = drive(play(world.build(description), 7, world=world.id, seed=1), subject.sit(1))
        assert (episode.mean_reward == 1.0) == right


def test_a_golden_episode() -> None:
    """What was played once is played so for ever; other rules are another version."""
    world = Echo(horizon=6)
    assert (
        json.dumps(world.sample(2).to_json())
        == '{"symbols": 4, "longest": 6, "horizon": 6, "lag": 4}'
    )
    environment = world.build(world.describe_from_json({"lag": 2}))
    turn = environment.reset(5)
    shown = [turn.observations[0]]
    rewards = []
    while turn.ended is None:
        turn = environment.step([len(shown) % 4], [0.0])
        shown.append(turn.observations[0])
        rewards.append(round(turn.rewards[0], 3))
    assert shown == [2, 1, 3, 1, 0, 3, 1]
    assert rewards == [-0.333, 1.0, -0.333, -0.333, -0.333, -0.333]


def test_a_seat_does_not_see_what_is_wanted_of_it() -> None:
    world = Echo()
    environment = world.build(world.describe_from_json({"lag": 1}))
    environment.reset(1)
    environment.step([0], [0.0])
    assert "the right answer" in as_svg(environment.picture())
    assert "the right answer" not in as_svg(environment.picture(0))
    assert len(environment.picture(0).shapes) == 1


def test_echo_is_shown_as_text_and_filmed(tmp_path: Path) -> None:
    world = Echo()
    environment = world.build(world.describe_from_json({"lag": 1}))
    view = view_of(world)
    film = Film(view.picture, width=300)
    drive(
        play(environment, 5, world=world.id, seed=1, observers=[view, film]),
        InProcess("perfect", lambda: Perfect(1)).sit(1),  # type: ignore[arg-type,return-value]
    )
    turn = environment.restore(environment.snapshot())
    text = view.text(environment, turn)
    assert "++++" in text.replace(str(environment.state.shown[-2]), "+")
    assert text.endswith("+ the right answer\ninteraction 50 of 50   truncated   rewards +1.00")
    assert as_text(environment.picture(0)) == str(environment.state.shown[-1]).rjust(21)
    for name in ("film.gif", "film.svg"):
        film.save(tmp_path / name)
    with Image.open(tmp_path / "film.gif") as image:
        assert image.n_frames == 51
    svg = (tmp_path / "film.svg").read_text()
    assert len(svg) < 50_000
    assert ElementTree.fromstring(svg).attrib["aria-label"].startswith("Echo, showing")


def test_many_environments_are_drawn_as_one_by_one() -> None:
    world = Echo()
    drawn = world.sample_many(range(5), ("lag", 2, 3))
    assert drawn == [world.sample(key, ("lag", 2, 3)) for key in range(5)]
    assert {one.lag for one in drawn} <= {2, 3}
