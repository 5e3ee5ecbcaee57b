"""The best tree over scored dependencies (Chu and Liu 1965, Edmonds 1967)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
_ONE_ROOT = 1e6
"""What a dependency on the root costs beyond its score: so a tree has one only, unless scores are as large."""


def best_tree(scores: Scores) -> list[int]:
    """The heads of words 1, 2, ... that make the tree with the highest sum, with one root.

    ``scores[d, h]`` is that of word d depending on word h, where 0 is the root; row 0 means nothing.
    """
    count = len(scores)
    if count <= 1:
        return []
    held = np.array(scores, np.float64)
    held[:, 0] -= _ONE_ROOT
    np.fill_diagonal(held, -np.inf)
    heads = _tree(held)
    return [int(one) for one in heads[1:]]


def _tree(scores: Scores) -> npt.NDArray[np.int64]:
    """Heads of the best tree; a cycle of best heads becomes one node, and the rest is solved first."""
    heads: npt.NDArray[np.int64] = scores.argmax(axis=1).astype(np.int64)
    heads[0] = 0
    cycle = _cycle(heads)
    if cycle is None:
        return heads
    places = np.array(cycle, np.int64)
    outside = np.setdiff1d(np.arange(len(scores)), places)
    kept = scores[places, heads[places]]
    node = len(outside)
    smaller = np.full((node + 1, node + 1), -np.inf)
    smaller[:node, :node] = scores[np.ix_(outside, outside)]
    # Into the cycle: breaks its dependency of the word where it enters.
    into = scores[np.ix_(places, outside)] - kept[:, None]
    enters = into.argmax(axis=0)
    smaller[node, :node] = into.max(axis=0)
    out = scores[np.ix_(outside, places)]
    leaves = out.argmax(axis=1)
    smaller[:node, node] = out.max(axis=1)
    found = _tree(smaller)
    for k, word in enumerate(outside):
        heads[word] = places[leaves[k]] if found[k] == node else outside[found[k]]
    entered = places[enters[found[node]]]
    heads[entered] = outside[found[node]]
    heads[0] = 0
    return heads


def _cycle(heads: npt.NDArray[np.int64]) -> list[int] | None:
    """The words of a cycle, or None."""
    state = [0] * len(heads)
    state[0] = 2
    for start in range(1, len(heads)):
        path = []
        word = start
        while state[word] == 0:
            state[word] = 1
            path.append(word)
            word = int(heads[word])
        if state[word] == 1:
            return path[path.index(word) :]
        for one in path:
            state[one] = 2
    return None
