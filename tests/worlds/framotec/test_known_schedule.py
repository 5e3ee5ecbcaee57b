"""Behavior held against a schedule that is known to be good."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.api.naming import named
from mensura.api.profile_parts import measure_behavior
from mensura.core.abilities import optimum
from mensura.worlds.framotec.known_schedule import KnownSchedule

WORLD = ms.make("framotec")


def watched(subject: str, world: Any = WORLD) -> Any:
    setup: Any = SimpleNamespace(
        world=world, size=SimpleNamespace(watched=1), is_asked=lambda one: False
    )
    (one,) = named(subject)
    return measure_behavior(setup, one, [1])


def test_who_plays_the_schedule_is_not_away_from_it() -> None:
    found = watched("optimal?leisure=0")
    assert found.kind == "schedule"
    assert found.costs.max() < 1e-9
    assert found.first is None


def test_whoever_acts_at_random_is_away_from_it() -> None:
    found = watched("random")
    assert 0.1 < found.mean_cost.value <= 1.0
    assert found.costs.max() <= 1.0


def test_an_action_is_as_far_as_its_powers_are() -> None:
    description = WORLD.sample(1)
    known = optimum(WORLD, description)
    assert isinstance(known, KnownSchedule)
    environment = WORLD.build(description)
    environment.reset(0)
    moment = known.moment(environment)
    full, back, still = (
        known.regrets([moment], [np.array([share])])[0] for share in (1.0, -1.0, 0.0)
    )
    assert full + back == pytest.approx(1.0), "the powers of a motor span all that there is"
    assert still == pytest.approx(0.5), "the quickest schedule begins with all its power"


def test_levels_leave_other_motors_as_they_are() -> None:
    world = ms.make("framotec", task="locking-plotter", actions="three")
    description = world.sample(1)
    environment = world.build(description)
    environment.reset(0)
    environment.step([1])
    _, second = environment.asked_powers(0)
    environment.step([4])
    first, later = environment.asked_powers(0)
    assert (second, first > 0.0, later > 0.0) == (0.0, True, True)


def test_where_no_schedule_is_known_behavior_is_not_known() -> None:
    world = ms.make("framotec", task="locking-plotter", subjects=2)
    assert optimum(world, world.sample(1)) is None
    with pytest.raises(MensuraError, match="is not known, so behavior cannot be held against it"):
        watched("random", world)
