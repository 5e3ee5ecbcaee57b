"""Who knows how Mensura draws cannot tell from what it sees what it will see, nor what others see."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from mensura.agent import keys
from mensura.agents.isolation.cheat import (
    Nothing,
    _mixed,
    _unmixed,
    find_another_seed,
    foretell_number,
)
from mensura.agents.isolation.examination import shown
from mensura.core.contract import Turn
from mensura.worlds.framotec.world import Framotec
from mensura.worlds.kit import (
    Area,
    BaseDescription,
    BaseWorld,
    Box,
    Generator,
    Picture,
    Space,
    State,
)
from mensura.worlds.lambda_star.world import LambdaStar
from mensura.worlds.perturbed.kernels.ziggurat import EDGES, LAYERS
from mensura.worlds.perturbed.world import perturbed

GOLDEN = keys.GOLDEN


def old_draw(key: int, t: int, slot: int) -> int:
    """A draw by one round of a bijection, as it was once."""
    return keys.mix((key ^ keys.DRAW) + GOLDEN * ((t << 16) + slot + 1))


def test_the_cheat_foretells_what_a_bijection_draws() -> None:
    numbers = [keys.unit(old_draw(77, at, 0)) for at in range(2)]
    assert foretell_number({"shown": numbers}) == f"the number after {numbers[0]} is {numbers[1]}"
    seeds = [keys.mix(77 + GOLDEN * (seat + 1)) for seat in range(2)]
    assert find_another_seed({"seeds": seeds}) == f"the seed of another seat is {seeds[1]}"


def test_the_cheat_foretells_nothing_of_what_is_drawn_now() -> None:
    for _ in range(3):
        there = shown()
        with pytest.raises(Nothing):
            foretell_number(there)
        with pytest.raises(Nothing):
            find_another_seed(there)
    key = keys.fresh()
    quick = [keys.unit(keys.draw(key, at, 0)) for at in range(2)]
    with pytest.raises(Nothing):
        foretell_number({"shown": quick})


# Numbers of worlds, as uniform ones from 0 to 1 in the order in which they were drawn ---------------------------


def stocks() -> list[float]:
    """Of a commons, cell by cell."""
    world = LambdaStar(task="commons", rows=3, cols=3, subjects=1, horizon=3)
    description = world.sample(keys.fresh())
    stock = np.asarray(description.to_json()["drawn_values"], float).ravel()
    low = world.initial_stock
    return ((stock - low) / (1.0 - low)).tolist()


RESTING = json.dumps(
    {
        "name": "resting",
        "limits": {"time": 60},
        "objects": [{"name": "position", "value": 20, "mass": 5}],
        "motors": [{"name": "motor", "targets": {"position": 1}, "power": 200}],
        "sensors": [{"name": "reading", "source": "position", "distortion": 0.5}],
        "goals": [{"name": "there", "of": "position", "value": 100, "tolerance": 5}],
    }
)
"""A task in which nothing moves by itself, so that what is read is the noise of its sensor."""


def sensor_noise() -> list[float]:
    """Of a task of FraMoTEC, step by step."""
    environment = Framotec(task=RESTING).build(Framotec(task=RESTING).sample(0))
    turn = environment.reset(keys.fresh())
    readings = []
    for _ in range(6):
        readings.append(float(turn.observations[0]["reading"]) - 20.0 + 0.5)
        turn = environment.step([environment.default(0)], [0.0])
    return readings


def kit_numbers() -> list[float]:
    """Of a world that is written with the kit, which shows what its generator draws."""
    environment = Shows().build(Shows().sample(0))
    turn = environment.reset(keys.fresh())
    readings = []
    while turn.ended is None:
        readings.append(float(np.asarray(turn.observations[0]).ravel()[0]))
        turn = environment.step([0.0], [0.0])
    return readings


class Shows(BaseWorld):
    """Shows what it draws."""

    id = "shows-v0"
    horizon: int = 6

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        return Box(0.0, 1.0), Box(0.0, 1.0)

    def start(self, state: State, rng: Generator) -> None:
        state.number = float(rng.random())

    def observe(self, state: State, seat: int) -> Any:
        return np.array(state.number)

    def advance(self, state: State, actions: Any, rng: Generator) -> list[float]:
        state.number = float(rng.random())
        return [0.0]

    def picture(self, state: State, seat: int | None = None) -> Picture:
        return Picture([Area.box(0, 0, 1, 1, "good")], (1, 1), "a number")


@pytest.mark.parametrize("family", [stocks, sensor_noise, kit_numbers])
def test_numbers_that_worlds_show_in_full_do_not_foretell_the_next(
    family: Callable[[], list[float]],
) -> None:
    numbers = family()
    assert len(numbers) > 4
    assert len(set(numbers)) == len(numbers)
    assert all(0.0 <= number <= 1.0 for number in numbers)
    for pair in pairwise(numbers):
        with pytest.raises(Nothing):
            foretell_number({"shown": pair})


# Noise that is a normal deviate -----------------------------------------------------------------------------------


def draws_behind(deviate: float) -> Iterator[int]:
    """All draws by which the ziggurat gives a deviate at once; the bits between place and layer are free."""
    for layer in range(LAYERS):
        if abs(deviate) < EDGES[layer]:
            place = int((deviate / EDGES[layer] + 1.0) / 2.0 * 2.0**53)
            for near in (place - 1, place, place + 1):
                for free in range(8):
                    yield near << 11 | free << 8 | layer


def states_behind(deviates: list[float], step: int) -> list[int]:
    """States of a bijective stream that the first deviate may come from, and that give the second as well."""
    states = []
    for draw in draws_behind(deviates[0]):
        state = (_unmixed(draw & keys.MASK) + GOLDEN * step) & keys.MASK
        after = _mixed(state)
        x = (2.0 * keys.unit(after) - 1.0) * float(EDGES[after % LAYERS])
        if math.isclose(x, deviates[1], rel_tol=1e-9):
            states.append(state)
    return states


def deviates_of(draw: Callable[[int, int, int], int], key: int, count: int) -> list[float]:
    z = [draw(key, t, 0) for t in range(count)]
    return [(2.0 * keys.unit(word) - 1.0) * float(EDGES[word % LAYERS]) for word in z]


def test_noise_by_a_bijection_gives_the_state_of_its_stream_away() -> None:
    assert len(states_behind(deviates_of(old_draw, 5, 2), 1 << 16)) == 1


@pytest.mark.parametrize("name", ["lambda", "lambda-star"])
def test_noise_on_rewards_gives_nothing_away(name: str) -> None:
    if name == "lambda":
        from mensura.worlds.lambda_class.world import Lambda

        world: Any = perturbed(Lambda)(cells=3, horizon=120, reward_noise=0.05)
    else:
        world = perturbed(LambdaStar)(rows=4, cols=4, subjects=1, horizon=120, reward_noise=0.05)
    environment = world.build(world.sample(keys.fresh()))
    turn: Turn = environment.reset(keys.fresh())
    deviates = []
    while turn.ended is None:
        turn = environment.step([environment.default(0)], [0.0])
        assert turn.told is not None
        noise = turn.told[0] - turn.rewards[0]
        if abs(turn.told[0]) < 1.0:
            deviates.append(noise / 0.1)
    pairs = list(pairwise(deviates))[:8]  # many rewards are at a bound, where noise is cut
    assert len(pairs) == 8
    for pair in pairs:
        for step in (1, 1 << 16):
            assert states_behind(list(pair), step) == []
