"""The learner that tries habits: what it keeps, what it saves, and that practice at obstacles pays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.memory import sealed
from mensura.agent.task import Task
from mensura.worlds.pagi.subjects.trier import BEST, LIVES, MOVES, SHIFT, TRIALS, Trier, practiced
from mensura.worlds.pagi.world import Pagi

WORLD = Pagi(task="obstacle-gap", grade=1, actions="discrete", sees="nothing", ends=True, horizon=4)


def try_once(one: Trier, rng: np.random.Generator, learning: bool = True) -> None:
    """An episode that pays by the share of states in which the habit is to jump."""
    environment = WORLD.build(WORLD.sample(0))
    turn = environment.reset(0)
    spaces = environment.spaces(0)
    one.begin(Task(WORLD.id, environment.seats[0], 1, *spaces, 4, learning=learning), rng)
    while turn.ended is None:
        action = one.act(turn.observations[0], 0.0)
        assert spaces[1].contains(action)
        turn = environment.step([action], [0.0])
    one.end(turn.observations[0], one._habit.count(MOVES.index("jump")) / len(one._habit), False)


def test_chances_shift_to_what_the_best_habits_had_in_common() -> None:
    one, rng = Trier(), np.random.default_rng(0)
    newborn = one.chances.copy()
    for _ in range(TRIALS - 1):
        try_once(one, rng)
        assert (one.chances == newborn).all()
    best = sorted(one._trials, key=lambda trial: -trial[0])[:BEST]
    try_once(one, rng)
    assert (one.chances != newborn).any()
    assert np.allclose(one.chances.sum(axis=1), 1.0)
    assert (one.chances >= (1.0 - SHIFT) * newborn - 1e-12).all()
    assert len(best) == BEST
    for _ in range(4 * TRIALS):
        try_once(one, rng)
    assert one.chances[:, MOVES.index("jump")].mean() > 0.5, "jumping was what paid"


def test_nobody_learns_while_assessed() -> None:
    one, rng = Trier(), np.random.default_rng(0)
    for _ in range(TRIALS + 1):
        try_once(one, rng, learning=False)
    assert (one.chances == 1.0 / len(MOVES)).all()


def test_what_was_learned_is_saved_between_two_episodes() -> None:
    one, rng = Trier(), np.random.default_rng(0)
    for _ in range(TRIALS + 3):
        try_once(one, rng)
    other = Trier()
    other.load(one.save())
    assert other.save() == one.save()
    assert (other.chances == one.chances).all()


@pytest.mark.parametrize(
    "memory", ["", "[]", '{"trier": [[1]], "trials": []}', '{"trier": 3, "trials": [[0, [9]]]}']
)
def test_a_memory_of_somebody_else_is_refused(memory: str) -> None:
    with pytest.raises(MensuraError, match="not one that the trier saved"):
        Trier().load(sealed(memory.encode()))


@pytest.mark.parametrize("given", [{"actions": "forces"}, {"actions": "commands"}])
def test_who_cannot_choose_moves_does_nothing(given: Any) -> None:
    world = Pagi(task="catch", sees="nothing", **given)
    environment = world.build(world.sample(0))
    turn = environment.reset(0)
    one = Trier()
    spaces = environment.spaces(0)
    rng = np.random.default_rng(0)
    one.begin(Task(world.id, environment.seats[0], 1, *spaces, 60), rng)
    assert np.array_equal(one.act(turn.observations[0], 0.0), environment.default(0))


def solved(trier: Trier, grade: int) -> float:
    """The share of new environments of a grade in which the apple is eaten."""
    world = Pagi(task="obstacle-gap", grade=grade, actions="discrete", sees="nothing", ends=True)
    rng, shares = np.random.default_rng(1), []
    for key in range(24):
        environment = world.build(world.sample(key))
        turn = environment.reset(key)
        trier.begin(Task(world.id, environment.seats[0], 1, *environment.spaces(0), None), rng)
        while turn.ended is None:
            action = trier.act(turn.observations[0], turn.rewards[0])
            turn = environment.step([action], [0.0])
        shares.append(environment.measures()["solved"])
    return float(np.mean(shares))


@pytest.mark.thorough
def test_what_is_learned_at_low_obstacles_helps_at_new_ones_and_at_gaps() -> None:
    # Lives differ: of 32, each in 24 environments, one solved nearly all gaps and three solved none.
    for grade, gain in ((1, 0.3), (4, 0.0)):
        shares = []
        for life in range(LIVES):
            trained = Trier()
            trained.chances = practiced(200, life)
            shares.append(solved(trained, grade))
        error = np.std(shares, ddof=1) / np.sqrt(LIVES)
        untrained = solved(Trier(), grade)
        assert np.mean(shares) >= untrained + gain, shares
        assert np.mean(shares) - 2.0 * error > untrained, shares
