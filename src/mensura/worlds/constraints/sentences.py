"""The problem of a seat and its letters in sentences, for subjects who read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

from mensura.agent.spaces import Discrete
from mensura.agent.task import Task
from mensura.core.observation_words import number
from mensura.worlds.constraints.agent_base.algorithm import OPEN
from mensura.worlds.constraints.picking_sentences import picking

PICKING = (
    "Each agent knows its own variables and the constraints that touch them. Together you look for values of all "
    "variables that break no constraint, or cost as little as possible. At every turn you pick one of your values that "
    "are open; letters to the others are written for you. You may keep your value."
)
"""What is told to somebody who only picks values."""
MOST_TUPLES = 400
"""Of a longer table, only so many tuples are told."""


class Sentences:
    """The words of the world."""

    beside_picture = True
    """People read what their seat observes beside its picture."""

    def rules(self, task: Task) -> str:
        """What is to be done, and how letters are written."""
        if isinstance(task.action_space, Discrete):
            return (
                f"There are {task.seats} agents, numbered from 0; you are agent {task.seat.index}. In a room "
                f"player 1 is agent 0, player 2 is agent 1, and so on. {PICKING} You answer with the number of "
                "a value. After each turn you gain how good the values of all are: 1 at best, 0 where they are as good "
                "as chance."
            )
        return (
            f"There are {task.seats} agents, numbered from 0; you are agent {task.seat.index}. Each knows its own "
            "variables and the constraints that touch them. Together you look for values of all variables that break "
            "no constraint, or cost as little as possible. At every turn you are told your values and the letters "
            "that have arrived. You answer with the values of your variables, each the number of a value counted "
            "from 0, and with letters. A letter is a line: the number of the receiver, a kind in lower case, and "
            'words, as "3 value 2"; those that you read begin with the number of the sender. "#5" in a letter names '
            "agent 5. You may write to your neighbors, to whoever wrote to you and to agents whom a letter has named. "
            'Neighbors that run the algorithm DSA understand "round 2" for "my value is number 2". The line "claim no '
            'solution" ends the episode: say it only if it is so. After each turn you gain how good the values of all '
            "are: 1 at best, 0 where they are as good as chance. Letters are counted, so write few."
        )

    def observation(self, task: Task, observation: Any) -> str:
        """What it may know, at the first turn; its values; its letters. Who only picks values is told all each time."""
        if OPEN in observation:
            return "\n".join(picking(observation))
        lines = list(_problem(observation["problem"])) if observation["problem"] else []
        lines += [f"{name} is now value {value}." for name, value in observation["value"].items()]
        mail = observation["mail"]
        lines.append("Letters:" if mail else "There are no letters.")
        return "\n".join([*lines, *mail])


def _problem(text: str) -> Iterator[str]:
    told = json.loads(text)
    seat = told["seat"]
    names = [one["name"] for one in told["variables"]]
    for one in told["variables"]:
        values = ", ".join(f"{at}: {value}" for at, value in enumerate(one["values"]))
        costs = one.get("costs")
        extra = f" They cost {', '.join(map(_cost, costs))}." if costs else ""
        yield f"Your variable {one['name']} has the values {values}.{extra}"
    neighbors = ", ".join(told["neighbors"])
    yield f"Your neighbors are the agents {neighbors}." if neighbors else "You have no neighbors."
    for one in told["constraints"]:
        table = told["tables"][one["table"]]
        scope = [
            names[at] if agent == seat else f"variable {at} of agent {agent}"
            for agent, at in one["scope"]
        ]
        rows = list(zip(product(*map(range, table["shape"])), table["costs"], strict=True))
        bad = [values for values, cost in rows if cost is None]
        paid = [(values, cost) for values, cost in rows if cost]
        yield f"Constraint {one['name']} is between {' and '.join(scope)}."
        if bad:
            yield f"  Forbidden: {_tuples(bad)}."
        if paid:
            some = "; ".join(f"{_tuple(at)} costs {number(c)}" for at, c in paid[:MOST_TUPLES])
            yield f"  {some}{_more(paid)}; all others cost 0."


def _cost(cost: float | None) -> str:
    return "too much" if cost is None else number(cost)


def _tuple(values: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, values))})"


def _tuples(rows: list[tuple[int, ...]]) -> str:
    return ", ".join(map(_tuple, rows[:MOST_TUPLES])) + _more(rows)


def _more(rows: list[Any]) -> str:
    return f" and {len(rows) - MOST_TUPLES} more" if len(rows) > MOST_TUPLES else ""
