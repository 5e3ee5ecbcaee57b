"""Rows of shapes, after figure 1 of Hurley et al. (2016): what is left of what, and what is larger than what.

A row is a structure of two relations that hold for all pairs: of places and of sizes. The target has the same row among
further shapes, so neither the place of a shape nor its size tells alone what corresponds to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from numpy.random import Generator

from mensura.texts.graphs import Graph, Relation, is_proved
from mensura.worlds.analogies.problems import OPTIONS, TRIES, Problem, Size

LEFT, LARGER = 0, 1
"""The labels of the two relations."""
MOST = 8
"""Shapes of a row."""


@cache
def row_sizes() -> tuple[Size, ...]:
    """All sizes of rows, the smallest first; what has no counterpart is counted in shapes."""
    found = [
        Size(c, c * (c - 1), 0, d) for c in range(3, 7) for d in range(5) if OPTIONS <= c + d <= MOST
    ]  # fmt: skip
    return tuple(sorted(found, key=row_bits))


def row_bits(size: Size) -> float:
    """log2 of the number of orders of sizes, and of where and how large what has no counterpart is, in both rows."""
    c, d = size.concepts, size.distractors
    more = 2 * math.log2(math.comb(c + d, d)) + math.log2(math.factorial(d))
    return math.log2(math.factorial(c)) + 2 * more


def draw_row(rng: Generator, size: Size, *, margin: int, whole: bool) -> Problem | None:
    """A problem of a size; None where none was found."""
    c, d = size.concepts, size.distractors
    for _ in range(TRIES):
        heights = rng.permutation(c).tolist()
        base, places = _among(rng, heights, d)
        target, others = _among(rng, heights, d)
        # Numbers of concepts tell nothing of places.
        numbers = [rng.permutation(c + d).tolist() for _ in range(2)]
        pairs = [-1] * (c + d)
        for one, other in zip(places, others, strict=True):
            pairs[numbers[0][one]] = numbers[1][other]
        asked = numbers[0][places[int(rng.integers(c))]]
        problem = Problem(
            graph_of(base, numbers[0]), graph_of(target, numbers[1]), tuple(pairs), asked
        )
        mapped = [k for k, to in enumerate(pairs) if to >= 0]
        if all(
            is_proved(problem.base, problem.target, k, pairs[k], margin)
            for k in (mapped if whole else (asked,))
        ):
            return problem
    return None


def _among(rng: Generator, heights: Sequence[int], more: int) -> tuple[list[int], list[int]]:
    """Sizes of a row in which these are, in this order, among more; and their places in it."""
    count = len(heights) + more
    places = sorted(rng.permutation(count)[: len(heights)].tolist())
    ranks = sorted(rng.permutation(count)[: len(heights)].tolist())
    row = [-1] * count
    for place, height in zip(places, heights, strict=True):
        row[place] = ranks[height]
    left = [rank for rank in rng.permutation(count).tolist() if rank not in ranks]
    for place in range(count):
        if row[place] < 0:
            row[place] = left.pop()
    return row, places


def graph_of(row: Sequence[int], numbers: Sequence[int]) -> Graph:
    """The structure of a row of sizes, where the shape at each place has this number."""
    found = []
    for one in range(len(row)):
        for other in range(one + 1, len(row)):
            found.append(Relation(LEFT, numbers[one], numbers[other]))
            large, small = (one, other) if row[one] > row[other] else (other, one)
            found.append(Relation(LARGER, numbers[large], numbers[small]))
    return Graph(len(row), tuple(sorted(found)))


def row_of(graph: Graph) -> tuple[list[int], list[int]]:
    """The shapes from left to right, and the size of each shape from 0; ValueError where it is no row."""
    after = [0] * graph.concepts
    size = [0] * graph.concepts
    for one in graph.relations:
        if one.label == LEFT:
            after[one.second] += 1
        else:
            size[one.first] += 1
    everyone = list(range(graph.concepts))
    if sorted(after) != everyone or sorted(size) != everyone:
        raise ValueError("it is no row")
    order = sorted(everyone, key=lambda k: after[k])
    numbers = [size[k] for k in order]
    if graph_of(numbers, order) != Graph(graph.concepts, tuple(sorted(graph.relations))):
        raise ValueError("it is no row")
    return order, size


def told_row(graph: Graph, names: Sequence[str]) -> str:
    """The row in words."""
    order, size = row_of(graph)
    each = [f"a {names[k]} of size {size[k] + 1}" for k in order]
    return f"From left to right: {', '.join(each)}."


def read_row(text: str, names: Sequence[str]) -> Graph:
    """The structure that words tell."""
    numbers = {name: k for k, name in enumerate(names)}
    row, order = [], []
    for one in text.removeprefix("From left to right: ").rstrip(".").split(", "):
        name, _, size = one.removeprefix("a ").partition(" of size ")
        order.append(numbers[name])
        row.append(int(size) - 1)
    return graph_of(row, order)
