"""Starts in all worlds: episodes go on from them to the bit, and forged states are refused in a sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.agent.keys import key
from mensura.agent.spaces import Record
from mensura.core.abilities import make, parameters
from mensura.core.contract import Turn, World
from mensura.core.loop import play
from mensura.core.players import Absent, drive
from mensura.core.registry import WORLDS
from mensura.testing.trials import random_actions, shown

NAMES = [*WORLDS.names(), "perturbed-lambda-v1"]

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in NAMES),
    ("lambda-v1", {"generator": "universal", "objects": 1, "subjects": 2}),
    *(
        ("lambda-star-v2", {"task": task, "subjects": 3})
        for task in ("landscape", "commons", "dilemma", "opinion")
    ),
    ("lambda-star-v2", {"good_reacts": "flees", "guided": True, "track": True, "subjects": 3}),
    ("lambda-star-v2", {"guided": True, "subjects": 2}),
    ("lambda-star-v2", {"task": "landscape", "landscape_reacts": "follows", "drift": 0.5}),
    ("framotec-v1", {"clock": "simulated"}),
]
"""Worlds, and settings of them whose states have other parts."""

FEW = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@cache
def made(number: int) -> World:
    name, given = SETTINGS[number]
    kind = WORLDS.load(name)
    short = {"horizon": 30} if "horizon" in parameters(kind) else {}
    if name == "constraints-v1":
        short = {"n": 4, "horizon": 30}
    return make(kind, None, **{**short, **given})


def reached(world: World, seed: int, most: int) -> tuple[Any, bytes, Turn, np.random.Generator]:
    """An environment after some interactions of a random subject, its state and turn, and the subject's draws."""
    environment = world.build(world.sample(key(seed, "environment")))
    rng = np.random.default_rng(seed)
    turn = environment.reset(key(seed, "reset"))
    for _ in range(most):
        before = environment.snapshot(), turn
        turn = environment.step(*acting(environment, turn, rng))
        if turn.ended is not None:
            state, turn = before
            environment.restore(state)
            break
    return environment, environment.snapshot(), turn, rng


def acting(environment: Any, turn: Turn, rng: np.random.Generator) -> tuple[list[Any], list[float]]:
    """Actions of the seats that are due, drawn where that is quick, and the time that they took."""
    flat = not isinstance(environment.spaces(turn.due[0])[1], Record) if turn.due else True
    actions = (
        random_actions(environment, turn, rng)
        if flat
        else [environment.default(seat) for seat in turn.due]
    )
    return actions, [0.0] * len(actions)


ALL = pytest.mark.parametrize(
    "number", range(len(SETTINGS)), ids=[f"{name} {given}" for name, given in SETTINGS]
)


@ALL
@settings(FEW, max_examples=examples(3, 8))
@given(seed=st.integers(0, 1000), most=st.integers(0, 25))
def test_an_episode_goes_on_from_its_start_to_the_bit(number: int, seed: int, most: int) -> None:
    world = made(number)
    environment, state, turn, rng = reached(world, seed, most)
    other = world.build(environment.description)
    other.reset(key(seed, "another reset"))
    again = other.restore(state)
    assert shown(again) == shown(turn)
    assert other.snapshot() == state
    for _ in range(6):
        if turn.ended is not None:
            break
        actions = acting(environment, turn, rng)
        turn = environment.step(*actions)
        again = other.step(*actions)
        assert shown(again) == shown(turn)
    assert other.snapshot() == environment.snapshot()
    # What was restored leaves nothing behind in the next episode.
    turns = other.reset(key(seed, "next")), environment.reset(key(seed, "next"))
    for _ in range(3):
        assert shown(turns[0]) == shown(turns[1])
        if turns[0].ended is not None:
            break
        actions = acting(environment, turns[0], rng)
        turns = other.step(*actions), environment.step(*actions)


WORDS = st.one_of(
    st.integers(-3, 40),
    st.sampled_from([-1, 1 << 31, 1 << 62, -(1 << 62), 100, 255, -200]),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.floats().map(lambda value: int(np.array(value).view(np.int64))),
    st.sampled_from([0.5, 1e308, -7.0, np.nan, np.inf]).map(
        lambda value: int(np.array(value).view(np.int64))
    ),
)
"""What forgers write into a place of a state: numbers near those that are right, and far from them."""


def rights_in(environment: Any) -> set[int]:
    """The places of rights in a state; what becomes of them has a test of its own."""
    rights = getattr(environment, "_rights", slice(0, 0))
    return set(range(rights.start, rights.stop))


def forged(state: bytes, data: st.DataObject, spared: set[int]) -> bytes:
    """A state of which some numbers were changed."""
    if state.startswith(b"{"):
        return forged_text(state, data)
    words = np.frombuffer(bytearray(state[: len(state) // 8 * 8]), np.int64)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(words) - 1))
        if at not in spared:
            words[at] = data.draw(WORDS)
    return words.tobytes() + state[len(words) * 8 :]


def forged_text(state: bytes, data: st.DataObject) -> bytes:
    """A state in JSON, in which a value somewhere was changed."""
    told = json.loads(state)
    here = told
    while True:
        names = list(here) if isinstance(here, dict) else list(range(len(here)))
        name = data.draw(st.sampled_from(names))
        inside = here[name]
        if not isinstance(inside, dict | list) or not inside or data.draw(st.booleans()):
            here[name] = data.draw(
                st.sampled_from(
                    [None, -1, 0, 7, 10**30, "x", [], {}, [[]], 0.5, float("nan"), True]
                )
            )
            return json.dumps(told).encode()
        here = inside


@pytest.mark.bounds
@ALL
@settings(FEW, max_examples=examples(4, 8))
@given(seed=st.integers(0, 50), most=st.integers(0, 20), data=st.data())
def test_a_forged_state_is_refused_in_a_sentence_or_one_that_can_be_played(
    number: int, seed: int, most: int, data: st.DataObject
) -> None:
    """Under `make bounds`, which checks the places that compiled rules read, none is beyond their memory."""
    world = made(number)
    environment, state, _, rng = reached(world, seed, most)
    false = forged(state, data, rights_in(environment))
    try:
        turn = environment.restore(false)
        for seat, observation in zip(turn.due, turn.observations, strict=True):
            assert environment.spaces(seat)[0].contains(observation)
        if state.startswith(b"{"):
            # Rules in Python may stumble later, which the loop tells in a sentence.
            drive(
                play(environment, 1, world=world.id, seed=1, interactions=5, start=false),
                Absent("on purpose"),
            )
        else:
            for _ in range(8):
                if turn.ended is None:
                    turn = environment.step(*acting(environment, turn, rng))
    except MensuraError:
        pass
    # Nothing of it is left in the next episode.
    other = world.build(environment.description)
    turns = environment.reset(1), other.reset(1)
    for _ in range(4):
        assert shown(turns[0]) == shown(turns[1])
        if turns[0].ended is not None:
            break
        actions = acting(environment, turns[0], rng)
        turns = environment.step(*actions), other.step(*actions)


@pytest.mark.thorough
@pytest.mark.bounds
@ALL
def test_no_single_number_that_is_changed_leads_beyond_the_memory_of_the_rules(number: int) -> None:
    """Each place of a state in turn, with numbers near the right ones and far from them."""
    world = made(number)
    environment, state, _, rng = reached(world, 3, 7)
    if state.startswith(
        (b"{", b"ATARI")
    ):  # what an emulator reads cannot be checked: its page says so
        return
    first = getattr(environment, "_fixed", 0)
    size = len(state) // 8
    near = range(first, min(first + 40, size))
    places = {*near, *np.linspace(first, size - 1, 40).astype(int).tolist()}
    for at in sorted(places - rights_in(environment)):
        for value in (-1, 1, 9, 29, 1000, -(1 << 62), 1 << 62, BITS_OF_40, BITS_OF_NAN):
            words = np.frombuffer(bytearray(state), np.int64)
            words[at] = value
            try:
                turn = environment.restore(words.tobytes())
            except MensuraError:
                continue
            for _ in range(3):
                if turn.ended is None:
                    turn = environment.step(*acting(environment, turn, rng))
            environment.reset(1)


BITS_OF_40, BITS_OF_NAN = (int(np.array(value).view(np.int64)) for value in (40.0, np.nan))


@pytest.mark.parametrize(
    "name", ["lambda-v1", pytest.param("lambda-star-v2", marks=pytest.mark.thorough)]
)
@given(seed=st.integers(0, 100), most=st.integers(0, 25))
@settings(max_examples=examples(4, 10), deadline=None)
def test_a_seat_is_shown_what_its_own_rights_allow_and_not_what_the_players_did(
    name: str, seed: int, most: int
) -> None:
    world = make(WORLDS.load(name), None, subjects=2, horizon=30)
    plain = world.sample(key(seed, "environment"))
    environments = [world.build(replace(plain, future=future)) for future in ((0,), (1,), ())]
    rng = np.random.default_rng(seed)
    turns = [one.reset(seed) for one in environments]
    for _ in range(most):
        actions = acting(environments[0], turns[0], rng)
        turns = [one.step(*actions) for one in environments]
    states = [one.snapshot() for one in environments]
    for environment, turn in zip(environments, turns, strict=True):
        for state in states:
            environment.reset(1)
            assert shown(environment.restore(state)) == shown(turn)
