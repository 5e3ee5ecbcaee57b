"""Mappings of small graphs: the search agrees with trying all of them, and what is proved is so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.texts.graphs import Graph, Relation, Search, brute_force, is_proved, is_symmetric


@st.composite
def graphs(draw: Any, most: int = 4) -> Graph:
    concepts = draw(st.integers(1, most))
    relations: list[Relation] = []
    for _ in range(draw(st.integers(0, 6))):
        node = st.integers(0, concepts + len(relations) - 1)
        one = Relation(draw(st.integers(0, 2)), draw(node), draw(node))
        if one.first != one.second and one not in relations:
            relations.append(one)
    return Graph(concepts, tuple(relations))


def renamed(graph: Graph, order: list[int]) -> Graph:
    """The same with its concepts in another order."""
    place = {old: new for new, old in enumerate(order)}

    def node(n: int) -> int:
        return place[n] if n < graph.concepts else n

    return Graph(
        graph.concepts,
        tuple(Relation(r.label, node(r.first), node(r.second)) for r in graph.relations),
    )


@settings(max_examples=examples(50, 150), deadline=None)
@given(graphs(), graphs())
def test_the_search_finds_what_trying_all_mappings_finds(one: Graph, two: Graph) -> None:
    found = Search(one, two).best()
    assert found.common == brute_force(one, two)
    used = [place for place in found.pairs if place >= 0]
    assert len(used) == len(set(used))


@settings(max_examples=60, deadline=None)
@given(graphs(6), st.randoms(use_true_random=False))
def test_names_change_nothing_and_a_graph_maps_onto_itself(graph: Graph, random: Any) -> None:
    order = list(range(graph.concepts))
    random.shuffle(order)
    other = renamed(graph, order)
    assert Search(graph, other).best().common == len(graph.relations)
    assert is_symmetric(graph) == is_symmetric(other)


@settings(max_examples=60, deadline=None)
@given(graphs(), graphs(), st.integers(0, 3), st.integers(0, 3))
def test_what_is_proved_is_so(one: Graph, two: Graph, concept: int, other: int) -> None:
    concept, other = concept % one.concepts, other % two.concepts
    search = Search(one, two)
    with_it = search.best_with(concept, other).common
    without = search.best_without(concept, other).common
    assert max(with_it, without) == search.best().common
    assert is_proved(one, two, concept, other) == (without < with_it)


def test_higher_relations_count_where_what_they_are_about_is_mapped() -> None:
    causes = Relation(2, 2, 3)
    one = Graph(2, (Relation(0, 0, 1), Relation(1, 1, 0), causes))
    assert one.orders == (1, 1, 2)
    two = Graph(2, (Relation(0, 1, 0), Relation(1, 0, 1), causes))
    assert Search(one, two).best() == (3, (1, 0))
    assert not is_symmetric(one)
    assert is_symmetric(Graph(2, (Relation(0, 0, 1), Relation(0, 1, 0))))


@pytest.mark.parametrize(
    ("concepts", "relations"),
    [
        (1, [(0, 0, 1)]),
        (2, [(0, 0, 0)]),
        (2, [(0, 0, 1), (0, 0, 1)]),
        (2, [(-1, 0, 1)]),
        (2, [(0, 0, 2)]),
    ],
)
def test_what_is_no_graph_is_refused(concepts: int, relations: list[Any]) -> None:
    with pytest.raises(ValueError, match="relation"):
        Graph(concepts, tuple(Relation(*one) for one in relations))


def test_floors_only_cut_off_what_is_not_better() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        drawn = {tuple(rng.permutation(5)[:2].tolist()) for _ in range(7)}
        graph = Graph(5, tuple(Relation(int(rng.integers(3)), a, b) for a, b in sorted(drawn)))
        best = Search(graph, graph).best().common
        assert Search(graph, graph).best(best).common == best
        assert Search(graph, graph).best(best - 1).common == best
