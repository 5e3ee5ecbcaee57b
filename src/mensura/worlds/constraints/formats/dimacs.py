"""DIMACS graphs (.col): ``p edge n m`` and ``e u v`` with nodes from 1; links that are there twice are read once.

A graph says nothing of colors. How many there are is a parameter, or a comment ``c colors k`` as written here.
"""

from __future__ import annotations

import re

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.formats.builder import located
from mensura.worlds.constraints.generators.graphs import simple
from mensura.worlds.constraints.generators.tables import binary_problem, not_equal
from mensura.worlds.constraints.problem import Problem

COLORS = 3
"""Where neither the file nor anybody else says how many."""
MOST_NODES = 1_000_000
MOST_COLORS = 2000
_COLORS = re.compile(r"c\s+colors\s+([0-9]{1,6})\s*")


def read_dimacs(text: str, place: str, colors: int | None = None) -> Problem:
    """The coloring of the graph in a text; ``place`` is how errors call the file."""
    nodes: int | None = None
    links: list[tuple[int, int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words:
            continue
        with located(place, number):
            if words[0] == "c":
                comment = _COLORS.fullmatch(line)
                if comment is not None and colors is None:
                    colors = int(comment[1])
            elif words[0] == "p":
                if nodes is not None:
                    raise MensuraError("There are two lines that begin with p; a graph has one.")
                nodes = _nodes(words)
            elif words[0] == "e":
                if nodes is None:
                    raise MensuraError("A link stands before the line p edge NODES LINKS.")
                links.append(_link(words, nodes))
            elif words[0] != "n":
                raise MensuraError(f"A line begins with c, p, e or n, not with {words[0][:20]!r}.")
    with located(place, 1):
        if nodes is None:
            raise MensuraError("There is no line p edge NODES LINKS.")
        colors = COLORS if colors is None else colors
        if not 1 <= colors <= MOST_COLORS:
            raise MensuraError(f"There are {colors} colors; there are from 1 to {MOST_COLORS}.")
    pairs = simple(np.array(links, np.int64).reshape(-1, 2), nodes)
    return binary_problem(
        f"coloring of {nodes} nodes with {colors} colors",
        [tuple(range(colors))] * nodes,
        pairs,
        [not_equal(colors)],
        [0] * len(pairs),
    )


def _nodes(words: list[str]) -> int:
    right = len(words) == 4 and words[1] in ("edge", "edges", "col")
    if not right or not all(re.fullmatch(r"[0-9]{1,12}", word) for word in words[2:]):
        raise MensuraError("The line that begins with p is p edge NODES LINKS.")
    nodes = int(words[2])
    if not 1 <= nodes <= MOST_NODES:
        raise MensuraError(f"There are {nodes} nodes; there are from 1 to {MOST_NODES}.")
    return nodes


def _link(words: list[str], nodes: int) -> tuple[int, int]:
    if len(words) != 3 or not all(re.fullmatch(r"[0-9]{1,12}", word) for word in words[1:]):
        raise MensuraError("A link is e NODE NODE.")
    one, other = int(words[1]), int(words[2])
    for node in (one, other):
        if not 1 <= node <= nodes:
            raise MensuraError(f"There is no node {node}; nodes are 1 to {nodes}.")
    if one == other:
        raise MensuraError(f"Node {one} is linked to itself, so that it has no color.")
    return one - 1, other - 1


def write_dimacs(problem: Problem) -> str:
    """The graph of a problem that is a coloring: one domain, and nothing but neighbors that must differ."""
    sizes = {len(one.values) for one in problem.variables}
    values = {one.values for one in problem.variables}
    plain = len(sizes) == len(values) == 1 and not any(one.costs for one in problem.variables)
    if plain:
        differ = not_equal(len(problem.variables[0].values)).costs
        used = {one.relation for one in problem.constraints}
        plain = all(np.array_equal(problem.relations[one].costs, differ) for one in used)
    if not plain:
        raise MensuraError(
            f"{problem.name} is not a coloring, and a DIMACS graph can be nothing else; write it as YAML."
        )
    pairs = sorted({tuple(sorted(one.scope)) for one in problem.constraints})
    lines = [f"c colors {sizes.pop()}", f"p edge {len(problem.variables)} {len(pairs)}"]
    lines += [f"e {one + 1} {other + 1}" for one, other in pairs]
    return "\n".join(lines) + "\n"
