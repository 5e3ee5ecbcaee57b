"""Worlds around worlds: one that changes nothing changes no bit, and what it does not say is as inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from tests.testing.guessing import GuessingWorld
from tests.toys import RelayWorld

from mensura.assessments.battery import Battery
from mensura.core import abilities
from mensura.core.around import Around, DescriptionAround, EnvironmentAround, innermost
from mensura.core.contract import Turn
from mensura.core.registry import WORLDS
from mensura.core.sitting import sit
from mensura.testing import check_world

WORLD_NAMES = WORLDS.names()


def score(world: Any, subject: Any, seats: int) -> tuple[float, Any]:
    player = subject.sit(seats)
    sitting = sit(Battery(3, training=1), world, player, 5, 6)
    return sitting.score, [episode.rewards for _, episode in sitting.episodes]


@pytest.mark.parametrize("name", WORLD_NAMES)
def test_a_world_around_that_changes_nothing_changes_no_bit(name: str) -> None:
    given = {"horizon": 6} if "horizon" in abilities.parameters(WORLDS.load(name)) else {}
    world: Any = abilities.make(WORLDS.load(name), **given)
    from mensura.studies.subjects import resolve

    subject = resolve("random", world)
    host = abilities.hosting(world, subject)
    seats = abilities.seats(host)
    assert score(Around(host), subject, seats) == score(host, subject, seats)


@pytest.mark.parametrize("world", [GuessingWorld(), RelayWorld()], ids=["guessing", "relay"])
def test_a_world_around_keeps_the_contract(world: Any) -> None:
    assert check_world(Around(world), episodes=1, balance=30) == []


@dataclass(frozen=True)
class Doubled(Around):
    """Twice the rewards."""

    times: float = 2.0

    def build(self, description: Any) -> EnvironmentAround:
        return DoubledEnvironment(self.world.build(description.inner), description, self.times)


class DoubledEnvironment(EnvironmentAround):
    def __init__(self, inner: Any, description: Any, times: float) -> None:
        super().__init__(inner, description)
        self.times = times

    def step(self, actions: Any, seconds: Any) -> Turn:
        turn = super().step(actions, seconds)
        return turn._replace(rewards=[self.times * reward for reward in turn.rewards])


def test_what_a_world_around_says_is_changed_and_all_else_is_as_inside() -> None:
    world: Any = Doubled(GuessingWorld())
    assert world.id == "guessing-v0"
    assert abilities.seats(world) == 2
    environment = world.build(world.sample(3))
    plain = environment.inner
    assert innermost(environment) is plain
    assert innermost(environment.description) is plain.description
    assert innermost(world) is world.world
    environment.reset(1)
    doubled = environment.step([1, 2], [0.0, 0.0])
    plain.reset(1)
    assert list(doubled.rewards) == [2 * one for one in plain.step([1, 2], [0.0, 0.0]).rewards]


class Quicker(GuessingWorld):
    """A world with an ability that nobody has heard of."""

    horizon = 7

    def play_quickly(self) -> int:
        return 1


def test_what_nobody_stated_is_not_handed_on() -> None:
    around: Any = Around(Quicker())
    assert around.horizon == 7
    assert not hasattr(around, "play_quickly")


def test_a_world_around_stays_around_what_a_subject_needs() -> None:
    from mensura.studies.subjects import resolve

    world: Any = WORLDS.load("lambda-star-v2")()
    hosted: Any = abilities.hosting(Around(world), resolve("oracle", world))
    assert isinstance(hosted, Around)
    assert hosted.world == world.hosting(resolve("oracle", world))


def test_second_doors_are_not_taken_over() -> None:
    world: Any = WORLDS.load("lambda-star-v2")()
    around: Any = Around(world)
    assert isinstance(world, abilities.Bulk)
    assert not isinstance(around, abilities.Bulk | abilities.Planned | abilities.InBlocks)
    assert not abilities.is_readable(around)
    assert abilities.subject_names(around) == abilities.subject_names(world)
    assert around.sample(1) == DescriptionAround(world.sample(1))
