"""What the second doors of worlds share that play single plans: beginnings as the one loop makes them, and the end."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter, thread_time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents
from mensura.agent.keys import Key, fold
from mensura.agent.task import Task
from mensura.core.abilities import clock_of, instructions_for, measures_of
from mensura.core.contract import DIMINISHED, Environment, Episode, Plan


class Begun(NamedTuple):
    """An episode that has begun."""

    length: int
    """How many interactions it has."""
    wall: float
    cpu: float
    """What the clocks showed."""


def begin_all(environment: Environment, world: str, plan: Plan, seed: Key, player: Agents) -> Begun:
    """Let all minds begin an episode, each with the task and the key that the one loop would give it."""
    wall, cpu = perf_counter(), thread_time()
    length = plan.interactions or environment.horizon
    if plan.seconds is not None or length is None:
        raise MensuraError(
            "The second door plays so many interactions; a slot of seconds goes through the one loop."
        )
    for place, mind in zip(environment.seats, player.agents, strict=True):
        observation_space, action_space = environment.spaces(place.index)
        task = Task(
            world=world,
            seat=place,
            seats=len(environment.seats),
            observation_space=observation_space,
            action_space=action_space,
            horizon=environment.horizon if plan.interactions is None else None,
            clock=clock_of(environment),
            learning=plan.learning,
            instructions=instructions_for(environment, place.index),
        )
        mind.begin_with_key(task, fold(seed, place.index))
    return Begun(length, wall, cpu)


def episode_of(
    environment: Environment,
    plan: Plan,
    begun: Begun,
    rewards: Sequence[float] | npt.NDArray[np.float64],
    player: Agents,
) -> Episode:
    """The episode that sums of rewards by seat stand for; its seconds are those of the whole, in equal parts."""
    seats = len(environment.seats)
    wall, cpu = perf_counter() - begun.wall, thread_time() - begun.cpu
    measures: dict[str, float] = {}
    if player.speakers:
        measures["messages"] = len(player.speakers) * begun.length
    measures |= measures_of(environment)
    episode = Episode(
        rewards=tuple(float(reward) for reward in rewards),
        interactions=(begun.length,) * seats,
        scored=tuple(place.index for place in environment.seats if place.group == "subject"),
        seconds=(wall / seats,) * seats,
        cpu=cpu,
        measures=measures,
        slot=plan.slot,
        elapsed=0.0 if plan.slot is None else plan.slot,
    )
    if plan.diminishing:
        measures[DIMINISHED] = episode.mean_reward
    return episode
