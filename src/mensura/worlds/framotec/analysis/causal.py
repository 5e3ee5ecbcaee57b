"""The causal graph of a task: what moves what, through motors, objects, transitions, sensors and goals.

::

    graph = causal_graph(task)
    graph.edges, graph.cycles, graph.chains

An arrow from one thing to another says that the second may change because of the first: a motor drives an object, a
transition reads attributes and sets others, a sensor reads, a goal is reached by an attribute and waits for others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from mensura.worlds.framotec.model.expression import names_in, parse_assignment, parse_expression
from mensura.worlds.framotec.model.names import attribute_path
from mensura.worlds.framotec.model.task import Task

Kind: TypeAlias = Literal["controller", "motor", "object", "transition", "sensor", "goal"]
CONTROLLER = "controller"
"""The node of whoever sets the exposed motors; called so unless a part of the task is."""


@dataclass(frozen=True)
class Node:
    """A part of a task."""

    name: str
    kind: Kind
    note: str = ""
    """What it does, in a few words."""


@dataclass(frozen=True)
class Edge:
    """A cause and its effect."""

    cause: str
    effect: str
    why: str
    """The attribute that carries it, or the kind of tie."""


@dataclass(frozen=True)
class CausalGraph:
    """Nodes and edges by the names of nodes, both in the order of the task."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def effects(self) -> dict[str, tuple[str, ...]]:
        """What each node acts on at once."""
        found: dict[str, dict[str, None]] = {node.name: {} for node in self.nodes}
        for edge in self.edges:
            found[edge.cause][edge.effect] = None
        return {name: tuple(own) for name, own in found.items()}

    def reached_from(self, *names: str) -> set[str]:
        """Everything that these act on, at once or through others."""
        seen: set[str] = set()
        left = list(names)
        while left:
            for effect in self.effects[left.pop()]:
                if effect not in seen:
                    seen.add(effect)
                    left.append(effect)
        return seen

    @cached_property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """Nodes that act on one another in a circle, together; causes before effects (Tarjan 1972)."""
        return _components(self.effects)

    @cached_property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """The circles: nodes that act on themselves through others, in the order of causes."""
        own = {edge.cause for edge in self.edges if edge.cause == edge.effect}
        return tuple(
            _around(one, self.effects) for one in self.components if len(one) > 1 or one[0] in own
        )

    @cached_property
    def layers(self) -> dict[str, int]:
        """How many steps from causes to a node the longest chain has, where a circle counts as one node."""
        place = {name: i for i, one in enumerate(self.components) for name in one}
        depth = [0] * len(self.components)
        for i, one in enumerate(self.components):
            for name in one:
                for effect in self.effects[name]:
                    if place[effect] != i:
                        depth[place[effect]] = max(depth[place[effect]], depth[i] + 1)
        return {name: depth[place[name]] for name in place}

    @property
    def chains(self) -> int:
        """How many parts of the task have nothing to do with one another: its parallel causal chains."""
        return len(_islands([n for n in self.nodes if n.kind != "controller"], self.edges))

    @property
    def longest_chain(self) -> int:
        """How many arrows the longest chain has that goes through no circle twice."""
        return max(self.layers.values(), default=0)

    def to_json(self) -> dict[str, Any]:
        """The graph as plain data."""
        return {
            "nodes": [vars(node) for node in self.nodes],
            "edges": [vars(edge) for edge in self.edges],
            "cycles": [list(one) for one in self.cycles],
        }


def causal_graph(task: Task) -> CausalGraph:
    """The causal graph of a task, with whole names; ranges do not matter."""
    flat = task.flat
    objects = {one.name for one in flat.objects}
    goals = {goal.name for goal in flat.goals}
    taken = objects | goals | {m.name for m in flat.motors} | {s.name for s in flat.sensors}
    controller = CONTROLLER
    while controller in taken:
        controller += "_"
    nodes: list[Node] = []
    edges: dict[Edge, None] = {}

    def tie(cause: str, effect: str, why: str) -> None:
        edges[Edge(cause, effect, why)] = None

    if any(motor.exposed for motor in flat.motors):
        nodes.append(Node(controller, "controller", "sets the exposed motors"))
    for motor in flat.motors:
        way = "" if motor.reversible else ", one-way"
        nodes.append(Node(motor.name, "motor", f"{motor.power:g} W{way}"))
        if motor.exposed:
            tie(controller, motor.name, "power")
        for target, factor in motor.targets:
            if factor:
                tie(motor.name, target, "drives")
    nodes += [Node(one.name, "object") for one in flat.objects]
    named = _transition_names(flat, taken)
    for transition in flat.transitions:
        own = named[transition.name]
        nodes.append(Node(own, "transition", "; ".join(transition.assignments)))
        trees = [parse_assignment(source) for source in transition.assignments]
        read = [*(tree.value for tree in trees), *(t.condition for t in trees if t.condition)]
        if transition.when:
            read.append(parse_expression(transition.when))
        for node in read:
            for name in names_in(node):
                owner, _, attribute = name.path.rpartition(".")
                if owner:
                    tie(owner, own, attribute)
        for tree in trees:
            owner, _, attribute = tree.target.path.rpartition(".")
            tie(own, owner, attribute)
    for sensor in flat.sensors:
        nodes.append(Node(sensor.name, "sensor", sensor.source))
        owner = attribute_path(sensor.source, objects)
        source = sensor.source if "." not in owner else owner.rpartition(".")[0]
        if source in taken:
            tie(source, sensor.name, "reads")
        elif sensor.source == "reward":
            for goal in flat.goals:
                tie(goal.name, sensor.name, "distance")
    for goal in flat.goals:
        nodes.append(Node(goal.name, "goal", f"{goal.of}"))
        owner, _, attribute = attribute_path(goal.of, objects).rpartition(".")
        tie(owner, goal.name, attribute)
        for other in goal.prerequisites:
            tie(other, goal.name, "required")
        if goal.since:
            tie(goal.since, goal.name, "since")
        if goal.reset_when:
            for name in names_in(parse_expression(goal.reset_when)):
                owner = name.path.rpartition(".")[0]
                if owner:
                    tie(owner, goal.name, "resets")
    return CausalGraph(tuple(nodes), tuple(edges))


def _transition_names(task: Task, taken: Iterable[str]) -> dict[str, str]:
    """Names for transitions, which may have that of another part."""
    used = set(taken)
    return {
        one.name: one.name if one.name not in used else f"{one.name} (transition)"
        for one in task.transitions
    }


def _components(effects: dict[str, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Strongly connected components, causes first, without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[tuple[str, ...]] = []
    for root in effects:
        if root in index:
            continue
        work = [(root, iter(effects[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    cut = stack.index(node)
                    own, stack[cut:] = stack[cut:], []
                    on_stack.difference_update(own)
                    found.append(tuple(own))
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(effects[following])))
            elif following in on_stack:
                low[node] = min(low[node], index[following])
    return tuple(reversed(found))


def _around(component: tuple[str, ...], effects: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """A shortest circle within a component, from its first node on."""
    start, inside = component[0], set(component)
    before: dict[str, str] = {}
    left = [start]
    while left:
        following: list[str] = []
        for node in left:
            for effect in effects[node]:
                if effect == start:
                    path = [node]
                    while path[-1] != start:
                        path.append(before[path[-1]])
                    return tuple(reversed(path))
                if effect in inside and effect not in before:
                    before[effect] = node
                    following.append(effect)
        left = following
    raise AssertionError(component)


def _islands(nodes: Iterable[Node], edges: Iterable[Edge]) -> list[set[str]]:
    """Nodes that are connected, whichever way arrows point."""
    group = {node.name: {node.name} for node in nodes}
    for edge in edges:
        one, two = group.get(edge.cause), group.get(edge.effect)
        if one is None or two is None or one is two:
            continue
        one |= two
        for name in two:
            group[name] = one
    return list({id(own): own for own in group.values()}.values())
