"""Families of problems: counts are exact, planted problems are solvable, and what makes no problem is refused."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mensura.core.errors import MensuraError
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.generators.graphs import (
    configuration,
    distinct_pairs,
    pairs_across,
    power_law_degrees,
)
from mensura.worlds.constraints.problem import Problem


def draw(family: str, seed: int = 1, *, planted: bool = False, **parameters: Any) -> Problem:
    return FAMILIES[family].problem(np.random.default_rng(seed), planted=planted, **parameters)


def solutions(problem: Problem) -> list[tuple[int, ...]]:
    """All of them, by looking at every assignment."""
    return [
        one
        for one in itertools.product(*(range(len(v.values)) for v in problem.variables))
        if problem.allowed(one)
    ]


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_draws_the_same_problem_from_the_same_seed_and_says_what_its_parameters_are(
    name: str,
) -> None:
    family = FAMILIES[name]
    assert family.name == name
    one, again = draw(name, 7), draw(name, 7)
    assert one.digest == again.digest
    assert one.agents
    assert not one.places or len(one.places) == len(one.agents)
    for parameter in family.parameters.values():
        assert parameter.help.endswith(".")
        assert parameter.check(parameter.default) == ""
        assert parameter.check([]) != ""
    for constraint in one.constraints:
        sizes = tuple(len(one.variables[v].values) for v in constraint.scope)
        assert one.relations[constraint.relation].costs.shape == sizes


def test_queens_have_their_known_numbers_of_solutions() -> None:
    assert [len(solutions(draw("queens", n=n))) for n in range(1, 6)] == [1, 0, 0, 2, 10]


def test_tables_of_many_queens_take_little_memory() -> None:
    problem = draw("queens", n=300)
    assert len(problem.constraints) == 44_850
    assert problem.relations[6].costs.base is not None
    assert math.isinf(problem.relations[6].costs[10, 17])
    assert problem.relations[6].costs[10, 16] == 0


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(2, 8),
    m=st.integers(2, 4),
    p1=st.floats(0, 1),
    p2=st.floats(0, 0.9),
    planted=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_random_binary_counts_are_exact(
    n: int, m: int, p1: float, p2: float, planted: bool, seed: int
) -> None:
    if planted and round(p2 * m * m) == m * m:
        return
    problem = draw("random-binary", seed, n=n, m=m, p1=p1, p2=p2, planted=planted)
    assert len({one.scope for one in problem.constraints}) == round(p1 * n * (n - 1) / 2)
    for one in problem.relations:
        assert np.isinf(one.costs).sum() == round(p2 * m * m)
    if planted and m**n < 3000:
        assert solutions(problem)


@settings(max_examples=25, deadline=None)
@given(n=st.integers(3, 8), share=st.floats(0, 1), seed=st.integers(0, 1000))
def test_planted_colorings_are_solvable_with_any_number_of_links_there_can_be(
    n: int, share: float, seed: int
) -> None:
    sizes = [len(range(color, n, 3)) for color in range(3)]
    possible = n * (n - 1) // 2 - sum(size * (size - 1) // 2 for size in sizes)
    links = round(share * possible)
    problem = draw("coloring", seed, nodes=n, links=links, planted=True)
    assert len({one.scope for one in problem.constraints}) == links
    assert solutions(problem)


def test_pairs_are_drawn_evenly() -> None:
    rng = np.random.default_rng(3)
    groups = np.array([0, 0, 1, 1, 2, 2] * 4)
    for possible, drawn in (
        (276, lambda: distinct_pairs(rng, 24, 20)),
        (192, lambda: pairs_across(rng, groups, 20)),
        (192, lambda: pairs_across(rng, groups, 100)),
    ):
        counts = np.zeros((24, 24))
        for _ in range(1000):
            pairs = drawn()
            assert (pairs[:, 0] < pairs[:, 1]).all()
            counts[pairs[:, 0], pairs[:, 1]] += 1
        seen = counts[counts > 0]
        assert len(seen) == possible
        assert seen.max() / seen.min() < 3


def test_degrees_follow_their_law() -> None:
    """As computed for the paper's networks: 8.2 at n = 500 and gamma 1.8, 8.4 at n = 1000 and gamma 2.1."""
    rng = np.random.default_rng(1)
    for n, gamma, mean in ((500, 1.8, 8.2), (1000, 2.1, 8.4)):
        degrees = [power_law_degrees(rng, n, 4, math.isqrt(n), gamma) for _ in range(60)]
        assert np.mean(degrees) == pytest.approx(mean, abs=0.1)
        assert np.min(degrees) == 4
        assert np.max(degrees) == math.isqrt(n)


def test_a_grown_graph_has_the_least_degree_that_was_asked_for() -> None:
    problem = draw("scale-free", n=200, md=3, m=3, graph="barabasi-albert")
    assert len(problem.constraints) == 3 * 197
    assert min(map(len, problem.neighbors_of)) == 3
    assert max(map(len, problem.neighbors_of)) > 15


def test_large_problems_are_drawn_without_a_table_of_all_pairs() -> None:
    problem = draw("coloring", nodes=20_000, links=80_000, planted=True)
    assert len(problem.constraints) == 80_000
    assert len(problem.relations) == 1


@pytest.mark.parametrize(
    ("family", "parameters", "sentence"),
    [
        ("coloring", {"nodes": 3, "links": 4}, "at most 3 links; coloring was asked for 4"),
        ("coloring", {"node": 3}, "no parameter 'node'; did you mean nodes"),
        ("queens", {"n": 0}, "n of queens is 0; it must be a whole number from 1"),
        ("random-binary", {"p1": math.nan}, "p1 of random-binary is nan"),
        (
            "scale-free",
            {"n": 10, "md": 4},
            "No graph of 10 nodes is drawn with degrees from 4 to 3",
        ),
        ("scale-free", {"graph": "tree"}, "power-law or barabasi-albert"),
        ("scale-free", {"n": 3, "md": 3, "graph": "barabasi-albert"}, "at most 2 neighbors"),
    ],
)
def test_what_makes_no_problem_is_refused_in_a_sentence(
    family: str, parameters: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        draw(family, **parameters)


def test_what_forbids_everything_cannot_be_planted() -> None:
    with pytest.raises(MensuraError, match="forbids all 4 tuples"):
        draw("random-binary", m=2, p2=1.0, planted=True)


def test_degrees_that_no_graph_has_are_refused() -> None:
    with pytest.raises(MensuraError, match="No graph has these degrees"):
        configuration(np.random.default_rng(1), np.array([1, 1, 1]))
    with pytest.raises(MensuraError, match="the sum of degrees is even"):
        power_law_degrees(np.random.default_rng(1), 9, 3, 3, 2.0)
