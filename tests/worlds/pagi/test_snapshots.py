"""Snapshots of PAGI World: exact to the bit at every step, and a sentence for what is none."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.core.contract import Turn
from mensura.worlds.pagi.environment import KEYFRAME, PagiEnvironment
from mensura.worlds.pagi.world import Pagi

COMMANDS = (
    "addForce,BMH,700\nsensorRequest,BP\n",
    "setState,go,500\n",
    "",
    "addForce,J,1\nsensorRequest,B4\n",
)


def told(turn: Turn) -> tuple[Any, ...]:
    seen = [one.tobytes() if hasattr(one, "tobytes") else one for one in turn.observations]
    return turn.due, seen, list(turn.rewards), turn.ended


def actions(environment: PagiEnvironment, turn: Turn, rng: np.random.Generator) -> list[Any]:
    if environment.description.actions == "commands":
        return [COMMANDS[int(rng.integers(len(COMMANDS)))] for _ in turn.due]
    return [environment.spaces(seat)[1].sample(rng) for seat in turn.due]


def played(environment: PagiEnvironment, turns: int) -> list[tuple[bytes, tuple[Any, ...]]]:
    """Snapshots and turns, one after the other."""
    rng = np.random.default_rng(3)
    turn = environment.reset(7)
    found = [(environment.snapshot(), told(turn))]
    for number in range(turns):
        if turn.ended is not None:
            break
        turn = environment.step(
            actions(environment, turn, rng), [0.01 * (number % 7)] * len(turn.due)
        )
        found.append((environment.snapshot(), told(turn)))
    return found


SETTINGS: list[dict[str, Any]] = [
    {"task": "catch", "clock": "simulated", "sees": "nothing"},
    {"task": "two-soldiers", "grade": 3, "sees": "vision", "rights": ("0:names",)},
    {"task": "catch", "actions": "commands"},
    {"task": "three-pills", "actions": "discrete", "sees": "nothing"},
    {"task": "hot-objects", "sees": "nothing"},
    {"task": "balance-beam", "grade": 6, "actions": "discrete", "sees": "nothing"},
    {"task": "catch", "grade": 4},
]
"""The oddest first."""


@pytest.mark.parametrize(
    "given",
    [SETTINGS[0], *(pytest.param(one, marks=pytest.mark.thorough) for one in SETTINGS[1:])],
    ids=lambda one: "-".join(map(str, one.values())),
)
def test_a_snapshot_goes_on_exactly_at_every_step(given: dict[str, Any]) -> None:
    world = Pagi(**given)
    environment = world.build(world.sample(5))
    turns = KEYFRAME // 5 + 8  # beyond the first keyframe
    history = played(environment, turns)
    other = world.build(world.sample(5))
    assert other.room.steps == 0
    assert environment.room.steps > KEYFRAME
    for state, turn in history:
        assert told(other.restore(state)) == turn
        assert other.snapshot() == state
    # From the middle, on to the end.
    start = len(history) // 2
    turn = other.restore(history[start][0])
    rng = np.random.default_rng(3)
    for number in range(len(history) - 1):
        played_now = (
            actions(other, turn, rng)
            if number >= start
            else actions(other, told_turn(history[number]), rng)
        )
        if number >= start:
            turn = other.step(played_now, [0.01 * (number % 7)] * len(turn.due))
            assert told(turn) == history[number + 1][1]


def told_turn(entry: tuple[bytes, tuple[Any, ...]]) -> Turn:
    due, _, rewards, ended = entry[1]
    return Turn(due, [None] * len(due), rewards, ended)


def test_water_goes_on_exactly_too() -> None:
    world = Pagi(task="water-diversion", grade=2, sees="periphery")
    environment = world.build(world.sample(1))
    history = played(environment, 56)
    other = world.build(world.sample(1))
    for state, turn in history[::11]:
        assert told(other.restore(state)) == turn


def test_copies_and_pickles_go_on_alike() -> None:
    world = Pagi(sees="nothing")
    environment = world.build(world.sample(0))
    turn = environment.reset(1)
    rng = np.random.default_rng(0)
    for _ in range(5):
        turn = environment.step(actions(environment, turn, rng), [0.0])
    action = actions(environment, turn, rng)
    copies = [copy.deepcopy(environment), pickle.loads(pickle.dumps(environment))]
    after = told(environment.step(action, [0.0]))
    assert all(told(one.step(action, [0.0])) == after for one in copies)


def test_a_snapshot_is_data() -> None:
    environment = Pagi().build(Pagi().sample(0))
    environment.reset(0)
    assert set(json.loads(environment.snapshot())) == {"key", "frame", "since"}
    with pytest.raises(MensuraError, match="reset"):
        Pagi().build(Pagi().sample(0)).snapshot()


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [
            path,
            *(one for name, inner in value.items() for one in leaves(inner, (*path, name))),
        ]
    if isinstance(value, list):
        return [path, *(one for k, inner in enumerate(value) for one in leaves(inner, (*path, k)))]
    return [path]


FORGED = Pagi(sees="nothing", task="two-soldiers", grade=3)
STATE = json.loads(played(FORGED.build(FORGED.sample(2)), 6)[-1][0])
PLACES = [one for one in leaves(STATE) if one]


@given(
    place=st.sampled_from(PLACES),
    value=st.one_of(
        st.none(),
        st.integers(-(10**12), 10**12),
        st.floats(allow_nan=True, allow_infinity=True),
        st.text(max_size=3),
        st.booleans(),
        st.just([]),
        st.just({}),
    ),
)
@settings(max_examples=examples(24, 60), deadline=None)
def test_a_forged_snapshot_gives_one_sentence_or_a_state(
    place: tuple[Any, ...], value: Any
) -> None:
    forged = copy.deepcopy(STATE)
    inside = forged
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = value
    environment = FORGED.build(FORGED.sample(2))
    try:
        turn = environment.restore(json.dumps(forged).encode())
    except MensuraError as error:
        said = str(error)
        assert environment.reset(0).ended is None, "it can be used again"
    else:
        said = ""
        space = environment.spaces(0)[0]
        assert space.contains(turn.observations[0])
        assert environment.step([environment.default(0)], [0.0]).due == (0,)
    assert "\n" not in said


@pytest.mark.parametrize(
    "state", [b"", b"{}", b"[]", b"\xff", b'{"key": 1, "frame": {}, "since": []}']
)
def test_what_is_no_snapshot_gives_one_sentence(state: bytes) -> None:
    with pytest.raises(MensuraError, match="no state"):
        FORGED.build(FORGED.sample(2)).restore(state)
