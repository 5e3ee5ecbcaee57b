"""Stories of which one is analogous to the first: others have as many relations of each kind, joined otherwise."""

from __future__ import annotations

from numpy.random import Generator

from mensura.texts.graphs import Graph, Relation, Search
from mensura.worlds.analogies.problems import (
    TRIES,
    VERBS,
    Problem,
    Size,
    draw_base,
    looks_of,
    with_more,
)

STORIES = 5
"""Among which one chooses."""


def draw_others(
    rng: Generator, problem: Problem, size: Size, *, kinds: int, margin: int
) -> tuple[Graph, ...] | None:
    """Stories that have fewer relations in common with the base than the target has; None where none were found."""
    most = Search(problem.base, problem.target).best().common
    own = problem.target.relations
    labels = [one.label for one in own if one.label < VERBS][: size.relations]
    links = [one.label for one in own if one.label >= VERBS]
    found: list[Graph] = []
    for _ in range(TRIES):
        drawn = draw_base(rng, size, kinds)
        if drawn is None:
            continue
        verbs = [labels[k] for k in rng.permutation(len(labels))]
        names = [*verbs, *(links[k] for k in rng.permutation(len(links)))]
        relations = tuple(
            Relation(label, one.first, one.second)
            for label, one in zip(names, drawn.relations, strict=True)
        )
        if len(set(relations)) < len(relations):
            continue
        extra = 1 if size.distractors else 0
        whole = with_more(
            rng, Graph(drawn.concepts, relations), size.concepts + extra, size.distractors, kinds
        )
        if whole is None or not is_less(problem.base, whole, most, margin):
            continue
        found.append(whole)
        if len(found) == STORIES - 1:
            return tuple(found)
    return None


def is_less(base: Graph, other: Graph, most: int, margin: int) -> bool:
    """Whether a story has at least ``margin`` relations fewer in common with the base than ``most``."""
    return Search(base, other).best(most - margin).common == most - margin


def looks_of_stories(
    rng: Generator, problem: Problem, others: tuple[Graph, ...], pull: float
) -> list[list[int]]:
    """What concepts look like, of the base, the target and the others.

    Above 0, ``pull`` is the share of the target's that look like the base's; below 0, the share of those of the first
    other story: a look-alike with other relations.
    """
    base, target = looks_of(rng, problem, max(pull, 0.0))
    looks = [base, target]
    for number, one in enumerate(others):
        mine = list(range(len(base), len(base) + one.concepts))
        if number == 0 and pull < 0:
            count = min(round(-pull * one.concepts), len(base))
            alike = rng.permutation(len(base))[:count].tolist()
            for place, look in zip(rng.permutation(one.concepts).tolist(), alike, strict=False):
                mine[place] = look
        looks.append(mine)
    return looks
