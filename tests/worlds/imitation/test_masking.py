"""When messages come tells nobody apart: delays of people and of machines, with masking and without."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from mensura.worlds.imitation.records import SAY, action
from mensura.worlds.imitation.world import Imitation

ANSWERS = ("fine", "toast with jam, and tea", "I would rather not say what that was, to be honest")


def delays(games: int, person: Any, machine: Any, *, typing: bool = True) -> dict[str, list[float]]:
    """How long answers take to come, each over its typing time, if witnesses write them in so many seconds."""
    rng = np.random.default_rng(1)
    found: dict[str, list[float]] = {"person": [], "machine": []}
    world = Imitation(seated="all", exchange="open", minutes=60.0, typing=typing)
    for game in range(games):
        environment = world.build(world.sample(game))
        environment.reset(game)
        labels = {label: place for place, label in world.labels(environment.description).items()}
        now = 0.0
        for _ in range(5):
            for channel, place in sorted(labels.items()):
                environment.speak(0, action(SAY, channel=channel, text="And you?"), now)
                asked = environment.next_event() if typing else now
                environment.pass_time(asked)
                role = "person" if place == 1 else "machine"
                text = ANSWERS[int(rng.integers(len(ANSWERS)))]
                own = float((person if role == "person" else machine)(text, rng))
                environment.speak(place, text, asked + own)
                while len(environment.state.on_the_way):
                    environment.pass_time(environment.next_event())
                now = float(environment.state.messages[-1]["at"])
                found[role].append((now - asked) / (2.0 + 0.15 * len(text)))
                now += 1.0
    return found


def told_apart(found: dict[str, list[float]]) -> float:
    """How often the slower of a person's and a machine's message is the person's; 1/2 is chance."""
    one, other = np.array(found["person"])[:, None], np.array(found["machine"])[None, :]
    return float((one > other).mean() + 0.5 * (one == other).mean())


def types(slowness: float) -> Any:
    """Somebody who thinks and types, with moods."""

    def takes(text: str, rng: Any) -> float:
        return (3.0 + 0.2 * slowness * len(text)) * math.exp(0.3 * rng.standard_normal()) * slowness

    return takes


def at_once(text: str, rng: Any) -> float:
    return 0.0


def as_a_service(text: str, rng: Any) -> float:
    return 1.0 + 0.02 * len(text) + float(rng.exponential(0.5))


@pytest.mark.parametrize(
    "machine", [pytest.param(at_once, marks=pytest.mark.thorough), as_a_service]
)
@pytest.mark.parametrize(
    "slowness",
    [0.8, *(pytest.param(one, marks=pytest.mark.thorough) for one in (1.0, 1.3))],
)
def test_with_masking_delays_tell_people_from_machines_no_better_than_chance(
    slowness: float, machine: Any
) -> None:
    masked = told_apart(delays(40, types(slowness), machine))
    assert 0.42 <= masked <= 0.58
    bare = told_apart(delays(40, types(slowness), machine, typing=False))
    assert bare > 0.95, "without it anybody can tell"
