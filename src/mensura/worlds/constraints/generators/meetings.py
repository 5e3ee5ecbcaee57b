"""Scheduling of meetings with private preferences: an agent has a variable for each meeting that it attends.

Its value is the slot. Those who attend a meeting agree with its first one on the slot, two meetings of one agent are
at different times, and slots at which an agent is busy are forbidden to it. What slots cost is known to their agent
alone. (A variable for each attendance, as in the models with private events of Maheswaran et al., 2004.)
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.generators.family import Family, Parameter, number, whole
from mensura.worlds.constraints.generators.tables import not_equal
from mensura.worlds.constraints.problem import Constraint, Problem, Relation, Variable


def draw(
    rng: np.random.Generator,
    agents: int,
    meetings: int,
    attendees: int,
    slots: int,
    busy: float,
    dislike: int,
    planted: bool = False,
) -> Problem:
    """Everybody attends equally often, by one; round(busy * slots) slots of each are taken; costs from 0 to dislike."""
    if attendees > agents or meetings * attendees < agents:
        raise MensuraError(
            f"{meetings} meetings of {attendees} cannot be held by {agents} agents, all of whom attend at least one."
        )
    taken = round(busy * slots)
    attending = deal(rng, agents, meetings, attendees)
    hidden = (
        plan(rng, attending, agents, slots, taken) if planted else [set() for _ in range(agents)]
    )
    variables: list[Variable] = []
    own: list[list[int]] = [[] for _ in range(agents)]
    constraints: list[tuple[tuple[int, ...], int]] = []
    dislikes = rng.integers(dislike + 1, size=(agents, slots)).tolist()
    for meeting, people in enumerate(attending.tolist()):
        first = len(variables)
        for agent in people:
            own[agent].append(len(variables))
            costs = tuple(map(float, dislikes[agent])) if dislike else ()
            variables.append(Variable(f"m{meeting}_a{agent}", tuple(range(slots)), agent, costs))
        constraints += [((first, other), 0) for other in range(first + 1, len(variables))]
    relations = [
        Relation(
            np.where(np.eye(slots, dtype=bool), 0.0, math.inf), '0 if x0 == x1 else float("inf")'
        ),
        not_equal(slots),
    ]
    for agent, mine in enumerate(own):
        constraints += [(pair, 1) for pair in itertools.combinations(mine, 2)]
        if taken:
            open_slots = np.array([slot for slot in range(slots) if slot not in hidden[agent]])
            costs_of_slots = np.zeros(slots)
            costs_of_slots[rng.choice(open_slots, taken, replace=False)] = math.inf
            constraints += [((variable,), len(relations)) for variable in mine]
            relations.append(Relation(costs_of_slots))
    return Problem(
        f"{meetings} meetings of {agents} agents",
        tuple(f"a{i}" for i in range(agents)),
        tuple(variables),
        tuple(relations),
        tuple(Constraint(f"c{i}", *one) for i, one in enumerate(constraints)),
    )


def deal(
    rng: np.random.Generator, agents: int, meetings: int, attendees: int
) -> npt.NDArray[np.int64]:
    """(meetings, attendees): who attends, nobody twice, as from a pack of cards that is shuffled when it is used up."""
    rounds = [rng.permutation(agents)]
    left = agents
    for _ in range(math.ceil(meetings * attendees / agents) - 1):
        pack = rng.permutation(agents)
        rest = rounds[-1][agents - left % attendees :] if left % attendees else pack[:0]
        again = np.isin(pack, rest)
        rounds.append(np.concatenate([pack[~again], pack[again]]))
        left += agents
    return np.concatenate(rounds)[: meetings * attendees].reshape(meetings, attendees)


def plan(
    rng: np.random.Generator, attending: npt.NDArray[np.int64], agents: int, slots: int, taken: int
) -> list[set[int]]:
    """By agent, the slots of its meetings in a plan that works."""
    used: list[set[int]] = [set() for _ in range(agents)]
    for people in attending.tolist():
        possible = sorted(set(range(slots)).difference(*(used[agent] for agent in people)))
        if not possible:
            raise MensuraError(
                f"No plan of {len(attending)} meetings in {slots} slots was found; take more slots or fewer meetings."
            )
        slot = possible[int(rng.integers(len(possible)))]
        for agent in people:
            used[agent].add(slot)
    most = max(map(len, used))
    if most + taken > slots:
        raise MensuraError(
            f"An agent with {most} meetings that is busy in {taken} of {slots} slots has no time for them."
        )
    return used


MEETINGS = Family(
    "meetings",
    "meetings whose slots are agreed on, with private preferences",
    {
        "agents": Parameter(6, "Those who attend.", whole(1)),
        "meetings": Parameter(5, "Meetings.", whole(1)),
        "attendees": Parameter(3, "How many attend each meeting.", whole(1, 1000)),
        "slots": Parameter(6, "Times at which a meeting can be.", whole(1, 1000)),
        "busy": Parameter(0.2, "Share of the slots at which an agent cannot come.", number(0, 1)),
        "dislike": Parameter(
            9,
            "The largest cost of a slot to an agent; 0: whether a plan works is all.",
            whole(0, 1_000_000),
        ),
    },
    draw,
    plants=True,
)
