"""Vectors of environments beside single ones, and beside a vector of a well-known small environment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import gymnasium
from measure import Figure, best_rate

import mensura.adapters.gymnasium  # noqa: F401
from mensura.adapters.vector import WorldVector, make_vector

ENVIRONMENTS = 4096
WORLDS = {
    "LambdaStar-v2": ("lambda-star", {}, 10e6),
    "Lambda-v1": ("lambda", {}, 10e6),
    "Bf-v1": ("bf", {}, None),
    "Framotec-v1": ("framotec", {"dt": 0.01}, 2e6),
}
"""By Gymnasium's name: the world, its parameters, the goal. FraMoTEC runs 25 steps of physics for an action."""


def stepping(envs: Any, steps: int) -> float:
    """Environment steps a second from Python, with resets as they come."""
    envs.reset(seed=1)
    actions = [envs.action_space.sample() for _ in range(8)]

    def work() -> int:
        for step in range(steps):
            envs.step(actions[step % 8])
        return steps * envs.num_envs

    work()
    return best_rate(work, clock=time.process_time)


def alone(name: str, steps: int, **parameters: Any) -> float:
    """Steps a second of the single environment."""
    env = gymnasium.make(f"mensura/{name}", disable_env_checker=True, **parameters).unwrapped
    env.reset(seed=1)
    action: Any = env.action_space.sample()

    def work() -> int:
        for _ in range(steps):
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return steps

    return best_rate(work, clock=time.process_time)


def vectors(quick: bool = False) -> Iterator[Figure]:
    """All on one core, by its time: the same environments again and again, and new ones for every episode."""
    steps = 20 if quick else 200
    cart = gymnasium.make_vec(
        "CartPole-v1", num_envs=ENVIRONMENTS, vectorization_mode="vector_entry_point"
    )
    pole = stepping(cart, steps)
    for name, (world, parameters, goal) in WORLDS.items():
        for redraw in (False, True):
            if redraw and world != "lambda-star":
                continue
            envs = make_vector(
                world, ENVIRONMENTS, redraw=redraw, copy=False, threads=1, **parameters
            )
            assert isinstance(envs, WorldVector)
            rate = stepping(envs, steps)
            what = "a new environment each episode" if redraw else "the same environments"
            yield Figure(
                f"vector of {ENVIRONMENTS}, {name}, {what}",
                rate,
                "steps/s",
                None if redraw else goal,
            )
            if not redraw:
                yield Figure(
                    f"vector over single, {name}", rate / alone(name, 2_000, **parameters), "x"
                )
                if name != "Framotec-v1":
                    yield Figure(f"vector over CartPole's, {name}", rate / pole, "x", 1.0)
            envs.close()
    yield Figure(f"vector of {ENVIRONMENTS}, CartPole-v1 of Gymnasium", pole, "steps/s")


PARTS = (vectors,)
