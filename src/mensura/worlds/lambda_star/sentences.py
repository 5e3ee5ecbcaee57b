"""Lambda Star in words, for subjects who read; Good and Evil are a star and a diamond, which tells nothing of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.spaces import Discrete, Record
from mensura.agent.task import Task
from mensura.core.observation_words import counted, number
from mensura.worlds.lambda_star.games.table import GAMES
from mensura.worlds.lambda_star.torus.space import ACTION_NAMES

NAMES = {
    "good": "The star",
    "evil": "The diamond",
    "guide": "The guide",
    "others": "Others",
    "deeds": "Of them did it last time",
}
OF_SEARCH = ("good", "evil", "guide")


def rules(task: Task) -> str:
    """What a seat finds itself in."""
    boxes = task.observation_space.boxes if isinstance(task.observation_space, Record) else {}
    reach = boxes["rewards"].shape[0] // 2
    company = ""
    if task.seats > 1:
        company = f"There are {task.seats} subjects there; you have seat {task.seat.index}. "
    names = list(ACTION_NAMES)
    if isinstance(task.action_space, Discrete) and task.action_space.n > len(names):
        names += [f"{name} and {_deed(task)}" for name in ACTION_NAMES]
    actions = ", ".join(f"{number} {name}" for number, name in enumerate(names, 1))
    travel = "A star and a diamond travel on the grid. " if _searched(task) else ""
    return (
        f"You stand on a cell of a grid that has no border: whoever leaves it on one side comes in on the opposite "
        f"one. Rows and columns are numbered from 0, rows downwards. You see the cells up to {reach} away in each "
        f"direction. {travel}{company}The actions are {actions}. After "
        "each action you get a reward from -1 to 1."
    )


def observation(task: Task, observation: Any) -> str:
    """What a seat observes: where it is, what the cells around it are worth, and who is there."""
    row, column = (number(x) for x in observation["position"].tolist())
    told = [
        f"{counted(int(observation['iteration']), 'interaction')} so far. You are on row {row}, column {column}.",
    ]
    ahead = observation["future"].tolist()
    if max(ahead) >= 0:
        told.append(f"The star will go to row {number(ahead[0])}, column {number(ahead[1])}.")
    told.append("What the cells around you are worth, row by row, with your own in the middle:")
    told += [" ".join(map(number, line)) for line in observation["rewards"].tolist()]
    searched = _searched(task)
    for field, name in NAMES.items():
        if field not in observation.dtype.names or (field in OF_SEARCH and not searched):
            continue
        # There is a guide in few environments only, of which nobody else needs to hear.
        if field != "guide" or observation[field].any():
            told.append(f"{name}: {_places(observation[field])}.")
    if "signal" in observation.dtype.names:
        told.append(f"Your private signal: {number(float(observation['signal']))}.")
    return "\n".join(told)


def _deed(task: Task) -> str:
    """What the second verb of the game is."""
    return next(
        (game.deed for game in GAMES.values() if game.told and game.told in task.instructions),
        "act",
    )


def _searched(task: Task) -> bool:
    """Whether the game is search: of the others subjects are told what they are."""
    return not any(game.told in task.instructions for game in GAMES.values() if game.told)


def _places(plane: npt.NDArray[np.float64]) -> str:
    """Where a plane is not empty, as seen from its middle, and how many are there if not one."""
    middle = plane.shape[0] // 2
    found = []
    for y, x in np.argwhere(plane != 0).tolist():
        many = "" if plane[y, x] == 1 else f" ({number(plane[y, x])})"
        found.append(_way(y - middle, x - middle) + many)
    return ", ".join(found) or "not in sight"


def _way(down: int, right: int) -> str:
    """A cell as seen from one's own.

    >>> _way(0, 0), _way(-1, 2)
    ('on your cell', '1 up 2 right')
    """
    steps = []
    if down:
        steps.append(f"{abs(down)} {'down' if down > 0 else 'up'}")
    if right:
        steps.append(f"{abs(right)} {'right' if right > 0 else 'left'}")
    return " ".join(steps) or "on your cell"
