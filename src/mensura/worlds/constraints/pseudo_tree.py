"""A depth-first pseudo-tree of a problem's agents: who is above whom, for algorithms that work along one.

Agents that share a constraint are on one branch, as in section 3 of Petcu and Faltings ("A Scalable Method for
Multiagent Constraint Optimization", 2005). It is made once, before an episode, and every seat is told its own place
in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from mensura.worlds.constraints.agent_base.knowledge import Place


def pseudo_tree(neighbors: Sequence[Sequence[int]]) -> tuple[Place, ...]:
    """The places of all agents: from the one with most neighbors down, always to a neighbor with most neighbors.

    Where the graph has several components there are as many trees.
    """
    count = len(neighbors)
    parent: list[int | None] = [None] * count
    depth = [-1] * count
    children: list[list[int]] = [[] for _ in range(count)]
    by_degree = sorted(range(count), key=lambda one: (-len(neighbors[one]), one))
    rank = {one: at for at, one in enumerate(by_degree)}
    for root in by_degree:
        if depth[root] >= 0:
            continue
        depth[root] = 0
        path = [(root, iter(sorted(neighbors[root], key=rank.__getitem__)))]
        while path:
            one, others = path[-1]
            for other in others:
                if depth[other] < 0:
                    depth[other] = depth[one] + 1
                    parent[other] = one
                    children[one].append(other)
                    path.append((other, iter(sorted(neighbors[other], key=rank.__getitem__))))
                    break
            else:
                path.pop()
    return tuple(
        Place(
            parent[one],
            tuple(children[one]),
            tuple(o for o in neighbors[one] if depth[o] < depth[one] and o != parent[one]),
            tuple(o for o in neighbors[one] if depth[o] > depth[one] and o not in children[one]),
            depth[one],
        )
        for one in range(count)
    )
