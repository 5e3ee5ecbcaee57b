"""FraMoTEC in words, for subjects who read: readings of sensors, with the units of time and energy."""

from __future__ import annotations

from typing import Any

from mensura.agent.spaces import Discrete
from mensura.agent.task import Task
from mensura.core.observation_words import counted, number

_UNITS = {"time": " s", "energy": " J"}


def rules(task: Task) -> str:
    """What a seat finds itself in."""
    company = ""
    if task.seats > 1:
        company = f" There are {task.seats} controllers; you have seat {task.seat.index}."
    if isinstance(task.action_space, Discrete):
        acts = f"An action is one of {task.action_space.n} numbers; each sets one motor to one level of its power."
    else:
        motors = counted(task.action_space.bound, "motor")
        acts = (
            f"An action sets the powers of {motors}: a number from -1 to 1 for each, "
            "a share of the most that it can give."
        )
    return (
        "You control a physical system: motors move objects, and sensors read where they are. Objects have to be "
        f"brought to their goals, in time and without wasting energy.{company} {acts} After each action you get a "
        "reward from -1 to 1."
    )


def observation(task: Task, observation: Any) -> str:
    """What a seat observes: a line for each reading."""
    return "\n".join(
        f"{name}: {number(observation[name])}{_UNITS.get(name, '')}"
        for name in observation.dtype.names
    )
