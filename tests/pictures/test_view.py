"""The plain view: every environment that keeps the contract is shown, with a picture of its own or without."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.toys import Relay, RelayWorld

from mensura.agent.spaces import Box, Discrete
from mensura.pictures.picture import Disc, Picture
from mensura.pictures.scenes import Choice, Controls, Knob
from mensura.pictures.view import PlainView, controls_of, view_of

pytestmark = pytest.mark.quick


def shown(environment: Any = None) -> tuple[Any, Any, Any]:
    world = RelayWorld()
    environment = environment or world.build(world.sample(1))
    return view_of(world), environment, environment.reset(1)


def test_an_environment_without_a_picture_is_shown_by_what_seats_observe() -> None:
    view, environment, _ = shown()
    turn = environment.step([1, 0], [0.0, 0.0])
    assert view.text(environment, turn) == "seat 0 observes 1.0\ndue seat 0   rewards -0.02"
    (words,) = view.picture(environment, turn).shapes
    assert words.text == "seat 0 observes 1.0"


def test_an_environments_own_picture_is_shown() -> None:
    class Drawn(Relay):
        def picture(self, seat: int | None = None) -> Picture:
            return Picture([Disc((0.5, 0.5), label=f"for {seat}")], (1, 1))

    view, environment, turn = shown(Drawn(RelayWorld().sample(1)))
    assert view.picture(environment, turn).shapes[0].label == "for None"
    assert view.text(environment, turn).splitlines()[-2:] == ["o for None", "rewards +0.00  +0.00"]


def test_a_world_explains_itself_by_its_docstring() -> None:
    view, environment, _ = shown()
    assert view.explain(environment) == (
        "All relays; the distance of the goal is their complexity.",
    )


def test_what_seats_can_do_follows_from_their_spaces_and_from_what_is_legal() -> None:
    view, environment, _ = shown()
    assert [one.action for one in view.controls(environment)[1].choices] == [-1, 0, 1]
    environment.legal = lambda seat, action: action != seat
    assert [one.action for one in view.controls(environment)[1].choices] == [-1, 0]
    assert controls_of(Box(-1, float("inf"), (1,))) == Controls(knobs=(Knob("0", -1, 1e9),))
    assert controls_of(Discrete(1000)) == Controls()
    assert controls_of(Discrete(1, 5)) == Controls((Choice(5, "5"),))


def test_tables_show_seats_and_the_state_where_it_can_be_read() -> None:
    view, environment, _ = shown()
    (seats,) = view.tables(environment)
    assert [row[0] for row in seats.rows] == [0, 1]
    environment.state = SimpleNamespace(description=None, lever=3)
    assert view.tables(environment)[1].rows == (("lever", "3"),)


def test_a_view_of_a_worlds_own_comes_first() -> None:
    class Own(PlainView):
        pass

    assert isinstance(view_of(SimpleNamespace(view=lambda: Own(None))), Own)
    assert type(view_of(RelayWorld())) is PlainView


def test_a_view_that_observes_an_episode_tells_how_far_it_is() -> None:
    view, environment, turn = shown()
    view.started(environment, turn)
    assert "interaction 0   rewards" in view.text(environment, turn)
    turn = environment.step([1, 0], [0.0, 0.0])
    view.stepped(environment, [1, 0], turn)
    assert "interaction 1   due seat 0" in view.text(environment, turn)
