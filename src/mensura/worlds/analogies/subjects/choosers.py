"""Subjects that give every pair of concepts a value, and choose by it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mensura.agent.spaces import Record
from mensura.agent.task import Task
from mensura.texts.graphs import Graph, Relation, Search


class Seen(NamedTuple):
    """What is observed, as graphs."""

    base: Graph
    target: Graph
    looks: tuple[list[int], list[int]]
    asked: int
    among: tuple[int, ...]
    options: tuple[Relation, ...]
    stories: tuple[tuple[Graph, list[int]], ...] = ()
    """Structures and looks, where one chooses among them."""


def seen_of(observation: Any) -> Seen:
    """Read an observation of a seat that sees the structures."""
    base, base_looks = _structure(observation, "base")
    names = observation.keys() if isinstance(observation, dict) else observation.dtype.names
    stories: list[tuple[Graph, list[int]]] = []
    while f"story{len(stories) + 1}" in names:
        stories.append(_structure(observation, f"story{len(stories) + 1}"))
    target, target_looks = stories[0] if stories else _structure(observation, "target")
    options = np.asarray(observation["options"]).reshape(-1, 3).astype(int).tolist()
    return Seen(
        base,
        target,
        (base_looks, target_looks),
        int(observation["asked"]),
        tuple(np.asarray(observation["among"]).astype(int).tolist()),
        tuple(Relation(*one) for one in options),
        tuple(stories),
    )


def _structure(observation: Any, name: str) -> tuple[Graph, list[int]]:
    table = np.asarray(observation[name]).reshape(-1, 3).astype(int)
    relations = tuple(Relation(*one) for one in table.tolist())
    looks = np.asarray(observation[f"{name}_looks"]).astype(int).tolist()
    return Graph(int(observation[f"{name}_concepts"]), relations), looks


class Chooser(ABC):
    """Chooses what it values most, ties evenly."""

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Get ready for a problem."""
        self._rng = rng
        self._space = task.action_space

    @abstractmethod
    def values(self, seen: Seen, concept: int) -> Sequence[float]:
        """What each concept of the target is worth as the counterpart of one of the base."""

    def act(self, observation: Any, reward: float) -> Any:
        """The number of an option, or one for each concept that is asked about."""
        seen = seen_of(observation)
        if seen.stories:
            return 1 + self._best(
                [
                    self.alike(seen._replace(target=graph, looks=(seen.looks[0], looks)))
                    for graph, looks in seen.stories
                ]
            )
        if seen.options:
            return 1 + self._best([self.inferred(seen, one) for one in seen.options])
        if isinstance(self._space, Record):
            return {
                name: 1 + self._best(self.values(seen, concept))
                for concept, (name, _) in enumerate(self._space.fields)
            }
        values = self.values(seen, seen.asked)
        return 1 + self._best([values[one] for one in seen.among])

    def alike(self, seen: Seen) -> float:
        """What a whole structure is worth as the one that is analogous: each concept's best counterpart in it."""
        return sum(max(self.values(seen, one)) for one in range(seen.base.concepts))

    def inferred(self, seen: Seen, option: Relation) -> float:
        """What a relation of the target is worth as one that should hold there: its best original in the base."""
        best = -np.inf
        for one in seen.base.relations:
            if one.label == option.label and one.first < seen.base.concepts > one.second:
                first = self.values(seen, one.first)[option.first]
                best = max(best, first + self.values(seen, one.second)[option.second])
        return float(best)

    def _best(self, values: Sequence[float]) -> int:
        array = np.asarray(values, float)
        able = np.flatnonzero(array >= array.max() - 1e-9)
        return int(able[int(self._rng.integers(len(able)))])


class StructureMapper(Chooser):
    """Maps one structure onto the other, exactly: as many relations in common as there can be. It sees no names."""

    def values(self, seen: Seen, concept: int) -> Sequence[float]:
        """The most relations that mappings with the pair have in common."""
        search = Search(seen.base, seen.target)
        return [
            float(search.best_with(concept, other).common) for other in range(seen.target.concepts)
        ]

    def alike(self, seen: Seen) -> float:
        """The most relations in common."""
        return float(Search(seen.base, seen.target).best().common)

    def inferred(self, seen: Seen, option: Relation) -> float:
        """1 for what a relation of the base leads to under the best mapping."""
        pairs = Search(seen.base, seen.target).best().pairs
        return float(
            any(
                option == (one.label, pairs[one.first], pairs[one.second])
                for one in seen.base.relations
                if one.first < seen.base.concepts > one.second
            )
        )


class LookAlike(Chooser):
    """Chooses what looks alike, whatever the relations are."""

    def values(self, seen: Seen, concept: int) -> Sequence[float]:
        """1 for the same look."""
        look = seen.looks[0][concept]
        return [float(look == other) for other in seen.looks[1]]


class BagOfRelations(Chooser):
    """Compares which relations two concepts take part in and how, but not with whom."""

    def values(self, seen: Seen, concept: int) -> Sequence[float]:
        """How many roles they share."""
        mine = _roles(seen.base)[concept]
        return [float(sum((mine & other).values())) for other in _roles(seen.target)]


def _roles(graph: Graph) -> list[Counter[tuple[int, int]]]:
    found: list[Counter[tuple[int, int]]] = [Counter() for _ in range(graph.concepts)]
    for one in graph.relations:
        for role, node in enumerate(one[1:]):
            if node < graph.concepts:
                found[node][one.label, role] += 1
    return found
