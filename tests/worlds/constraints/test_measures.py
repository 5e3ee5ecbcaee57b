"""Measures and static orders: by hand where a person can, as properties where a law holds."""

import dataclasses
import itertools
import math

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from tests.sizes import examples
from tests.worlds.constraints.problems import problems

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints import measures
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.generators.tables import binary_problem, not_equal
from mensura.worlds.constraints.orders import ORDERS, order, width
from mensura.worlds.constraints.problem import Problem


def coloring(links: list[tuple[int, int]], colors: int = 3) -> Problem:
    n = 1 + max(map(max, links))
    return binary_problem(
        "by hand",
        [tuple(range(colors))] * n,
        np.array(links),
        [not_equal(colors)],
        [0] * len(links),
    )


TRIANGLE_AND_TAIL = coloring([(0, 1), (0, 2), (1, 2), (2, 3)])


def test_measures_of_a_small_graph() -> None:
    problem = TRIANGLE_AND_TAIL
    assert measures.size(problem) == pytest.approx(4 * math.log2(3))
    assert measures.tightness(problem) == pytest.approx(1 / 3)
    assert measures.density(problem) == pytest.approx(4 / 6)
    kappa = 4 * -math.log2(2 / 3) / (4 * math.log2(3))
    assert measures.constrainedness(problem) == pytest.approx(kappa)
    assert measures.induced_width(problem) == 2


def test_constrainedness_of_the_papers_networks_is_as_computed_before() -> None:
    """0.88 for n = 500, gamma 1.8, t = 0.4, with 10 values."""
    family = FAMILIES["scale-free"]
    found = [
        measures.constrainedness(
            family.problem(np.random.default_rng(seed), n=500, m=10, t=0.4, md=4, gamma=1.8)
        )
        for seed in range(examples(2, 5))
    ]
    assert np.mean(found) == pytest.approx(0.88, abs=0.02)


@pytest.mark.parametrize("fill", [0, 1000])
def test_induced_widths_of_known_graphs(fill: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "MIN_FILL", fill)
    cycle = [(i, (i + 1) % 9) for i in range(9)]
    tree = [(i // 2, i) for i in range(1, 15)]
    clique = list(itertools.combinations(range(7), 2))
    for links, expected in ((cycle, 2), (tree, 1), (clique, 6)):
        assert measures.induced_width(coloring(links)) == expected


def test_widths_of_large_graphs_stay_an_upper_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = FAMILIES["coloring"].problem(np.random.default_rng(1), nodes=300, links=900)
    exact = measures.induced_width(problem)
    graph = networkx.Graph([one.scope for one in problem.constraints])
    assert exact <= 1.2 * networkx.approximation.treewidth_min_degree(graph)[0]
    monkeypatch.setattr(measures, "MOST_LINKS", 1000)
    assert exact <= measures.induced_width(problem) < 300


def test_description_lengths_grow_with_what_there_is_to_describe() -> None:
    rng = np.random.default_rng(1)
    family = FAMILIES["random-binary"]
    lengths = [measures.description_length(family.problem(rng, n=n)) for n in (5, 10, 20)]
    assert lengths == sorted(lengths)
    problem = TRIANGLE_AND_TAIL
    assert measures.description_length(problem) < lengths[0] + 300
    assert measures.description_length(dataclasses.replace(problem, description_bits=3.5)) == 3.5


@settings(max_examples=examples(16, 40), deadline=None)
@given(problems())
def test_every_measure_is_a_number_and_every_order_has_every_agent_once(problem: Problem) -> None:
    for measure, _ in measures.MEASURES.values():
        assert measure(problem) >= 0
    for name in ORDERS:
        assert sorted(order(problem, name)) == list(range(len(problem.agents)))


def test_orders_of_a_small_graph() -> None:
    problem = coloring([(0, 3), (1, 3), (2, 3), (1, 2), (3, 4)])
    assert order(problem, "index") == (0, 1, 2, 3, 4)
    assert order(problem, "degree") == (3, 1, 2, 0, 4)
    assert order(problem, "max-cardinality") == (3, 1, 2, 0, 4)
    assert width(problem, order(problem, "min-width")) == 2
    with pytest.raises(MensuraError, match="did you mean degree"):
        order(problem, "degrees")


@settings(max_examples=examples(8, 20), deadline=None)
@given(problems())
def test_the_order_of_least_width_has_the_least_of_all(problem: Problem) -> None:
    least = min(width(problem, one) for one in itertools.permutations(range(len(problem.agents))))
    assert width(problem, order(problem, "min-width")) == least
