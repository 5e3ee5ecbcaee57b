"""Static orders of agents, the highest priority first: those that section 3 of Muscalagiu, Popa and Vidal names.

All work on the graph of agents that share constraints; ties go to the lower index.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.constraints.problem import Problem

Order = tuple[int, ...]


def by_index(problem: Problem) -> Order:
    """As the problem lists them."""
    return tuple(range(len(problem.agents)))


def by_degree(problem: Problem) -> Order:
    """Those with most neighbors first."""
    around = problem.neighbors_of
    return tuple(sorted(range(len(around)), key=lambda agent: -len(around[agent])))


def by_max_cardinality(problem: Problem) -> Order:
    """Next is always who has most neighbors among those before; of equals, who has most neighbors.

    Maximum cardinality search (Tarjan and Yannakakis, 1984).
    """
    around = problem.neighbors_of
    before = [0] * len(around)
    queue = [(0, -len(others), agent) for agent, others in enumerate(around)]
    heapq.heapify(queue)
    chosen: dict[int, None] = {}
    while queue:
        count, _, agent = heapq.heappop(queue)
        if agent in chosen or -count != before[agent]:
            continue
        chosen[agent] = None
        for other in around[agent]:
            if other not in chosen:
                before[other] += 1
                heapq.heappush(queue, (-before[other], -len(around[other]), other))
    return tuple(chosen)


def by_min_width(problem: Problem) -> Order:
    """Last is always who has fewest neighbors among those that are left: an order of least width (Freuder, 1982)."""
    around = problem.neighbors_of
    left = [len(others) for others in around]
    queue = [(count, -agent) for agent, count in enumerate(left)]
    heapq.heapify(queue)
    removed: dict[int, None] = {}
    while queue:
        count, agent = heapq.heappop(queue)
        agent = -agent
        if agent in removed or count != left[agent]:
            continue
        removed[agent] = None
        for other in around[agent]:
            if other not in removed:
                left[other] -= 1
                heapq.heappush(queue, (left[other], -other))
    return tuple(reversed(removed))


ORDERS: Mapping[str, Callable[[Problem], Order]] = {
    "index": by_index,
    "max-cardinality": by_max_cardinality,
    "degree": by_degree,
    "min-width": by_min_width,
}


def order(problem: Problem, name: str) -> Order:
    """The agents in the order of this name."""
    if name not in ORDERS:
        raise MensuraError(f"There is no order {name!r}; {neighbors(name, list(ORDERS))}")
    return ORDERS[name](problem)


def width(problem: Problem, agents: Order) -> int:
    """The most neighbors that an agent has among those before it."""
    place = {agent: i for i, agent in enumerate(agents)}
    return max(
        (
            sum(place[other] < place[agent] for other in others)
            for agent, others in enumerate(problem.neighbors_of)
        ),
        default=0,
    )
