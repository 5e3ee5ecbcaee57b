"""Atari behind the contract: screens, points, chance, snapshots, and what is said of bad parameters."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.testing import check_world
from mensura.worlds.atari import emulator
from mensura.worlds.atari.emulator import USUAL, Lines, borrow, cartridge, give_back, load
from mensura.worlds.atari.environment import ACTIONS, MARK
from mensura.worlds.atari.games import first_reward, games, measure
from mensura.worlds.atari.kernels.screens import HEIGHT, ROOM, WIDTH, shrink
from mensura.worlds.atari.world import Atari


def begun(seed: int = 1, **given: Any) -> Any:
    world = Atari(**{"game": "breakout", **given})
    environment = world.build(world.sample(0))
    environment.reset(seed)
    return environment


def played(environment: Any, count: int, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    turns = []
    for _ in range(count):
        turns.append(environment.step([int(rng.integers(len(environment.actions)))], [0.0]))
        if turns[-1].ended is not None:
            break
    return turns


def alike(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(
        np.array_equal(one[1][0], other[1][0]) and one[2:] == other[2:]
        for one, other in zip(first, second, strict=True)
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    "given",
    [
        {"horizon": 30},
        {"horizon": 30, "observation": "ram", "sticky": 0.0, "idle_frames": 30, "actions": "minimal"},
        {"horizon": 30, "observation": "rgb", "skip": 1, "life_loss_ends": True},
    ],
)  # fmt: skip
def test_it_keeps_the_contract(given: dict[str, Any]) -> None:
    assert check_world(Atari(game="breakout", **given)) == []


def test_a_screen_is_made_small_by_area() -> None:
    rng = np.random.default_rng(0)
    before, now = rng.integers(0, 256, (2, HEIGHT, WIDTH)).astype(np.uint8)
    old = rng.integers(0, 256, (84, 84, 4)).astype(np.uint8)
    out = np.zeros_like(old)
    counts = np.zeros(ROOM, np.uint16)
    shrink(before, now, counts, old.view("<u4")[..., 0], out.view("<u4")[..., 0])
    units = np.repeat(np.repeat(np.maximum(before, now).astype(np.int64), 2, 0), 21, 1)
    exact = units.reshape(84, 5, 84, 40).sum((1, 3))
    assert np.array_equal(out[..., 3], (exact + 100) // 200)
    assert np.array_equal(out[..., :3], old[..., 1:])


@pytest.mark.parametrize("count", [HEIGHT, 214, 220, 230, 250])
def test_screens_of_other_heights_are_brought_to_the_usual_one_by_area(count: int) -> None:
    screen = np.random.default_rng(count).integers(0, 256, (count, 2, 3), np.uint8)
    fitted = Lines(count).fitted(screen)
    covered = np.repeat(screen.astype(np.int64), HEIGHT, axis=0).reshape(HEIGHT, count, 2, 3)
    assert np.array_equal(fitted, (covered.sum(axis=1) + count // 2) // count)


TALL = (
    *("air_raid", "journey_escape", "keystone_kapers", "king_kong", "klax", "laser_gates", "mr_do", "pacman"),
    *("pooyan", "sir_lancelot", "space_war"),
)  # fmt: skip
"""Further games whose screens have more lines."""


@pytest.mark.parametrize(
    "game",
    ["adventure", "carnival", *(pytest.param(name, marks=pytest.mark.thorough) for name in TALL)],
)
def test_a_game_with_a_taller_screen_begins_and_goes_on(game: str) -> None:
    for observation in ("screen", "rgb"):
        world = Atari(game=game, observation=observation, horizon=4)
        environment = world.build(world.sample(1))
        turns = [environment.reset(1), environment.step([0], [0.0])]
        space, _ = environment.spaces(0)
        assert all(space.contains(turn.observations[0]) for turn in turns)
        assert np.array_equal(
            environment.restore(environment.snapshot()).observations[0], turns[1].observations[0]
        )


def test_what_is_seen_is_what_the_emulator_shows() -> None:
    environment = begun(observation="rgb", sticky=0.0)
    ale = load()
    bare = ale.ALEInterface()
    bare.setInt("random_seed", 1)
    bare.setFloat("repeat_action_probability", 0.0)
    bare.loadROM(ale.roms.get_rom_path("breakout"))
    bare.reset_game()
    known = bare.getLegalActionSet()
    for number in range(40):
        action = (number * 7) % 18
        turn = environment.step([action], [0.0])
        points = sum(bare.act(known[action]) for _ in range(4))
        assert np.array_equal(turn.observations[0], bare.getScreenRGB())
        assert turn.rewards == [max(-1.0, min(1.0, points))]


@pytest.mark.parametrize("sticky", [pytest.param(0.0, marks=pytest.mark.thorough), 0.25])
@pytest.mark.parametrize("observation", ["screen", "ram"])
def test_it_goes_on_from_a_snapshot_at_any_moment(sticky: float, observation: str) -> None:
    environment = begun(sticky=sticky, observation=observation)
    other = begun(seed=9, sticky=sticky, observation=observation)
    for moment in range(examples(5, 12)):
        state = environment.snapshot()
        there = environment.restore(state)
        onward = played(environment, 25, moment)
        assert alike([other.restore(state)], [there])
        assert alike(played(other, 25, moment), onward)
        environment.restore(state)
        played(environment, 3, moment)


def test_copies_and_pickles_go_on_alike() -> None:
    environment = begun()
    played(environment, 10)
    others = [copy.deepcopy(environment), pickle.loads(pickle.dumps(environment))]
    onward = played(environment, 20, 3)
    assert all(alike(played(one, 20, 3), onward) for one in others)


def test_consoles_come_back_whenever_garbage_is_collected() -> None:
    class Collecting(dict[Any, Any]):
        """Collects garbage in the middle of whatever looks through it."""

        def values(self) -> Any:
            gc.collect()
            return super().values()

    world = Atari(game="pong")
    description = world.sample(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emulator, "_free", Collecting())
        for _ in range(3):
            circle: list[Any] = [world.build(description)]
            circle.append(circle)
            console = circle[0].console
            del circle
            world.build(description)
            assert world.build(description).console is console


def test_sticky_frames_repeat_what_was_done_before() -> None:
    free, stuck = begun(sticky=0.0), begun(sticky=1.0)
    idle = [stuck.step([3], [0.0]).observations[0] for _ in range(20)]
    still = [free.step([0], [0.0]).observations[0] for _ in range(20)]
    assert all(np.array_equal(one, other) for one, other in zip(idle, still, strict=True))


def test_the_key_alone_is_chance() -> None:
    assert alike(played(begun(seed=5), 30), played(begun(seed=5), 30))
    starts = [begun(seed=seed, game="pong", idle_frames=60).snapshot() for seed in range(4)]
    assert len(set(starts)) > 1


def test_rewards_are_cut_and_points_are_not() -> None:
    environment = begun(game="space_invaders", horizon=examples(200, 400))
    turns = played(environment, examples(200, 400))
    assert {turn.rewards[0] for turn in turns} == {0.0, 1.0}
    assert environment.measures()["points"] > sum(turn.rewards[0] for turn in turns)
    assert environment.measures()["frames"] <= 4 * len(turns)


@pytest.mark.thorough
def test_points_before_the_start_of_an_episode_do_not_count() -> None:
    environment = begun(game="space_invaders")
    played(environment, 300)
    state, before = environment.snapshot(), environment.points
    assert before > 0
    agents = Agents([Still()])
    episode = drive(play(environment, 1, world="atari-v1", seed=2, start=state), agents)
    assert episode.measures["points"] == environment.points
    assert episode.measures["raw return"] == environment.points - before
    episode = drive(play(environment, 1, world="atari-v1", seed=2, interactions=2000), agents)
    assert (
        episode.measures["raw return"] >= episode.measures["points"]
    )  # of several games, and of the last


class Still:
    """Fires without a move."""

    def act(self, observation: Any, reward: float) -> int:
        return 1


def test_the_loss_of_a_life_may_end_it() -> None:
    """In Breakout a ball that is not hit is a life."""

    def until_the_end(**given: Any) -> Any:
        environment = begun(sticky=0.0, horizon=800, **given)
        ended = None
        while ended is None:
            ended = environment.step([1], [0.0]).ended
        return ended, environment.lives

    assert until_the_end(life_loss_ends=True) == ("terminated", 4)
    assert until_the_end() == ("terminated", 0)


def test_actions_have_the_names_of_the_emulator() -> None:
    console = borrow("pong", USUAL, USUAL)
    theirs = [str(one).partition(".")[2] for one in console.actions]
    ours = [one.replace("nothing", "noop").replace(" and ", "").replace(" ", "") for one in ACTIONS]
    assert ours == [one.lower() for one in theirs]
    give_back(console, "pong", USUAL, USUAL)


@pytest.mark.thorough
def test_the_facts_of_games_are_those_of_the_cartridges() -> None:
    ale = load()
    names = [one for one in ale.roms.get_all_rom_ids()
             if ale.ALEInterface.isSupportedROM(ale.roms.get_rom_path(one)) is not None]  # fmt: skip
    assert sorted(games()) == sorted(names)
    for game in ("alien", "kaboom"):
        assert measure(game) == games()[game]
    assert first_reward("assault", 3) < 18_000
    assert len(cartridge("montezuma_revenge")) == 8192


def test_games_are_drawn_within_an_interval() -> None:
    world = Atari(game="any")
    drawn = {world.sample(number, ("first_reward", 0, 100)).cartridge for number in range(30)}
    assert drawn <= {name for name, game in games().items() if game.first_reward <= 100}
    assert len(drawn) > 5


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"game": "montezuma"}, "did you mean montezuma_revenge?"),
        ({"game": "combat"}, "is no game of atari-v1"),
        ({"game": "any", "actions": "minimal"}, "actions=full"),
        ({"sticky": 1.5}, "sticky"),
        ({"skip": 0}, "skip"),
        ({"observation": "sound"}, "observation"),
    ],
)
def test_parameters_that_are_none_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(MensuraError, match=said.replace("?", r"\?")):
        Atari(**given)


@pytest.mark.parametrize(
    ("given", "said"),
    [({"mode": 7}, "is not a mode of breakout"), ({"difficulty": 9}, "is not a difficulty")],
)
def test_switches_that_a_game_does_not_have_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(MensuraError, match=said):
        begun(**given)


@settings(max_examples=examples(12, 30), deadline=None)
@given(st.binary(max_size=300), st.integers(0, 2000), st.integers(0, 255))
def test_a_snapshot_that_is_none_is_refused_and_changes_nothing(
    noise: bytes, place: int, byte: int
) -> None:
    environment = begun()
    played(environment, 5)
    right = environment.snapshot()
    wrong = bytearray(right)
    wrong[place % len(wrong)] ^= byte or 1
    for state in (noise, MARK + noise, right[: place % len(right)], bytes(wrong)):
        with pytest.raises(MensuraError, match="no snapshot"):
            environment.restore(state)
    assert environment.snapshot() == right
