"""The signs of causes: whether an effect rises or falls with its cause, read off motors, expressions and goals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce

from mensura.core.expressions.language import Binary, Name, Node, Unary
from mensura.core.phenomena import Cause, Sign
from mensura.worlds.framotec.analysis.causal import causal_graph
from mensura.worlds.framotec.model.expression import names_in, parse_assignment, parse_expression
from mensura.worlds.framotec.model.task import Task

_NO_CAUSES = ("controller", "sensor")
"""Kinds of nodes that only pass on what others cause."""


def signed_causes(task: Task) -> tuple[Cause, ...]:
    """The arrows of the causal graph among motors, objects, transitions and goals, each with its sign, once a pair.

    A locked object is hindered. Several ties between the same two parts with different signs make "it depends".
    """
    graph = causal_graph(task)
    kinds = {node.name: node.kind for node in graph.nodes}
    signs: dict[tuple[str, str], list[Sign]] = {}
    for edge in graph.edges:
        if kinds[edge.cause] in _NO_CAUSES or kinds[edge.effect] in _NO_CAUSES:
            continue
        if kinds[edge.effect] == "transition":
            sign = _sign_in(_trees(task.flat, edge.effect), f"{edge.cause}.{edge.why}")
        elif kinds[edge.cause] == "motor":
            sign = _sign_of_motor(task.flat, edge.cause, edge.effect)
        elif edge.why in ("locked", "resets"):
            sign = -1
        else:
            sign = 1
        signs.setdefault((edge.cause, edge.effect), []).append(sign)
    return tuple(Cause(*pair, reduce(_both, found)) for pair, found in signs.items())


def _sign_of_motor(flat: Task, motor: str, target: str) -> Sign:
    (factor,) = [
        factor
        for one in flat.motors
        if one.name == motor
        for name, factor in one.targets
        if name == target
    ]
    return 1 if factor > 0 else -1


def _trees(flat: Task, transition: str) -> list[Node]:
    """All that a transition works out; its node may have been given a longer name."""
    found: list[Node] = []
    for one in flat.transitions:
        if transition not in (one.name, f"{one.name} (transition)"):
            continue
        for source in one.assignments:
            tree = parse_assignment(source)
            found += [tree.value, *([tree.condition] if tree.condition else [])]
        if one.when:
            found.append(parse_expression(one.when))
    return found


def _sign_in(trees: Iterable[Node], path: str) -> Sign:
    signs = [_slope(tree, path) for tree in trees if path in {one.path for one in names_in(tree)}]
    return reduce(_both, signs) if signs else 0


def _both(one: Sign, two: Sign) -> Sign:
    return one if one == two else 0


def _slope(node: Node, path: str) -> Sign:
    """Whether an expression rises or falls with what a path names, as far as its form tells."""
    if isinstance(node, Name):
        return 1
    if isinstance(node, Unary):
        return _negative(_slope(node.operand, path))
    if isinstance(node, Binary):
        return reduce(_both, _slopes(node, path))
    return 0


def _slopes(node: Binary, path: str) -> Iterator[Sign]:
    """The slopes of both sides of an operator, of those in which the path is."""
    for at, side in enumerate((node.left, node.right)):
        if path not in {one.path for one in names_in(side)}:
            continue
        own = _slope(side, path)
        if node.operator in ("+", "and", "or"):
            yield own
        elif node.operator in ("-", ">", ">="):
            yield own if at == 0 else _negative(own)
        elif node.operator in ("<", "<="):
            yield _negative(own) if at == 0 else own
        else:
            yield 0


def _negative(sign: Sign) -> Sign:
    return -1 if sign == 1 else 1 if sign == -1 else 0
