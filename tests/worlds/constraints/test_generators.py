"""Families of problems: counts are exact, planted problems are solvable, and what makes no problem is refused."""

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.expressions import parse
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.generators.exploration import STEPS
from mensura.worlds.constraints.generators.graphs import (
    configuration,
    distinct_pairs,
    pairs_across,
    power_law_degrees,
)
from mensura.worlds.constraints.generators.meetings import deal
from mensura.worlds.constraints.generators.universal import Draws, draw_program
from mensura.worlds.constraints.generators.wanted import draw_wanted
from mensura.worlds.constraints.measures import description_length
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.truth import certify


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


@settings(max_examples=examples(10, 25), deadline=None)
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


@pytest.mark.thorough
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


def test_a_family_that_cannot_plant_says_so() -> None:
    with pytest.raises(MensuraError, match="queens cannot plant a solution"):
        draw("queens", planted=True)


def test_what_forbids_everything_cannot_be_planted() -> None:
    with pytest.raises(MensuraError, match="forbids all 4 tuples"):
        draw("random-binary", m=2, p2=1.0, planted=True)


def test_degrees_that_no_graph_has_are_refused() -> None:
    with pytest.raises(MensuraError, match="No graph has these degrees"):
        configuration(np.random.default_rng(1), np.array([1, 1, 1]))
    with pytest.raises(MensuraError, match="the sum of degrees is even"):
        power_law_degrees(np.random.default_rng(1), 9, 3, 3, 2.0)


def test_robots_are_kept_from_obstacles_in_touch_and_apart() -> None:
    problem = draw("exploration", 3, n=30, p1=1.0, sr=2.0, cr=6.0, obsd=0.2)
    cells = [tuple(map(int, place)) for place in problem.places]
    assert len(set(cells)) == 30
    pairs = {
        (i, j)
        for i, j in itertools.combinations(range(30), 2)
        if math.dist(cells[i], cells[j]) <= 6
    }
    binary = [one for one in problem.constraints if len(one.scope) == 2]
    assert {tuple(sorted(one.scope)) for one in binary} == pairs
    for one in binary:
        (i, j), table = one.scope, problem.relations[one.relation].costs
        now = math.dist(cells[i], cells[j])
        for a, b in itertools.product(range(8), repeat=2):
            moved = [
                (cells[robot][0] + STEPS[way][0], cells[robot][1] + STEPS[way][1])
                for robot, way in ((i, a), (j, b))
            ]
            then = math.dist(*moved)
            wrong = then > 6 or (now < 4 and then <= now + 1e-12)
            assert math.isinf(table[a, b]) == wrong
    few = draw("exploration", 3, n=30, p1=0.5, sr=2.0, cr=6.0, obsd=0.2)
    assert sum(len(one.scope) == 2 for one in few.constraints) == round(0.5 * len(pairs))


def test_known_folds_have_their_known_energies() -> None:
    """By hand: HPPH closes a square, with one contact; HPPHPPH closes two; HHHHHH goes around a cube, with two."""
    for sequence, dimensions, side, contacts in (
        ("HPPH", 2, 2, 1),
        ("HPPHPPH", 2, 3, 2),
        ("HHHHHH", 3, 2, 2),
    ):
        problem = draw("folding", sequence=sequence, dimensions=dimensions, side=side)
        possible = sum(one.relation == 2 for one in problem.constraints)
        assert certify(problem).value == possible - contacts


def test_everybody_attends_and_nobody_twice() -> None:
    for agents, meetings, attendees in ((6, 5, 3), (7, 9, 4), (5, 5, 5), (9, 3, 3)):
        dealt = deal(np.random.default_rng(2), agents, meetings, attendees)
        assert all(len(set(people)) == attendees for people in dealt.tolist())
        counts = np.bincount(dealt.ravel(), minlength=agents)
        assert counts.max() - counts.min() <= 1
    problem = draw("meetings", agents=6, meetings=5, attendees=3, slots=6, busy=0.34)
    assert len(problem.variables) == 15
    assert max(map(len, problem.variables_of)) > 1
    assert all(len(one.costs) == 6 for one in problem.variables)
    unary = [one for one in problem.constraints if len(one.scope) == 1]
    assert {int(np.isinf(problem.relations[one.relation].costs).sum()) for one in unary} == {2}


@settings(max_examples=examples(6, 15), deadline=None)
@given(st.integers(0, 1000))
def test_planted_meetings_can_be_held(seed: int) -> None:
    problem = draw("meetings", seed, slots=5, busy=0.4, dislike=0, planted=True)
    assert certify(problem).status == "satisfiable"


def test_targets_cost_their_weight_for_each_sensor_that_is_missing() -> None:
    problem = draw("sensors", n=9, targets=20, needed=2)
    assert len(problem.constraints) == 20
    for one in problem.constraints:
        table = problem.relations[one.relation].costs
        assert table.shape == (4,) * len(one.scope)
        weight = table.max() / 2
        assert weight in range(1, 10)
        assert table.min() == weight * max(2 - len(one.scope), 0)


@settings(max_examples=examples(6, 40), deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["any", "hard", "soft"]))
def test_universal_problems_say_something_and_keep_the_length_of_their_program(
    seed: int, costs: str
) -> None:
    problem = draw("universal", seed, costs=costs)
    assert problem.description_bits is not None
    assert description_length(problem) == problem.description_bits > 5
    assert 4 <= len(problem.variables) <= 20
    assert costs == "any" or problem.satisfaction == (costs == "hard")
    assert any(len(one.scope) > 1 for one in problem.constraints)
    for one in problem.relations:
        assert one.costs.min() != one.costs.max()
        names = {f"x{i}": range(size) for i, size in enumerate(one.costs.shape)}
        assert np.array_equal(parse(one.source).table(names), one.costs)


@pytest.mark.thorough
def test_short_programs_are_the_probable_ones() -> None:
    """A program's share among many is two to the power of minus its bits, or more where it can be drawn in two ways."""
    rng = np.random.default_rng(1)
    drawn = [draw_program(Draws(rng), 2, 2, 2, 1, "hard") for _ in range(1500)]
    bits = {repr((one.sizes, one.owners, one.rules)): one.bits for one in drawn}
    counts = Counter(repr((one.sizes, one.owners, one.rules)) for one in drawn)
    text, count = counts.most_common(1)[0]
    assert math.log2(1500 / count) <= bits[text] + 0.5
    assert min(bits.values()) > 3


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("random-binary", {"n": 8, "p2": 0.5}),
        ("coloring", {"nodes": 10, "links": 20}),
        ("exploration", {"n": 6, "p1": 0.6}),
        pytest.param(
            "universal", {"costs": "hard", "least_kappa": 0.7}, marks=pytest.mark.thorough
        ),
        ("queens", {"n": 3}),
    ],
)
def test_solvable_and_unsolvable_problems_are_drawn_on_request(
    name: str, parameters: dict[str, Any]
) -> None:
    for wanted in (True, False):
        if (name, wanted) == ("queens", True):
            continue
        problem = draw_wanted(
            FAMILIES[name], np.random.default_rng(1), solvable=wanted, **parameters
        )
        verdict = certify(problem)
        assert (verdict.status == "satisfiable") == wanted
        assert (verdict.status == "unsatisfiable") != wanted


def test_what_cannot_be_had_is_said() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(MensuraError, match="nothing is drawn in it, so that another try"):
        draw_wanted(FAMILIES["queens"], rng, solvable=False, n=4)
    with pytest.raises(MensuraError, match=r"None of 50 .* is certified as unsolvable"):
        draw_wanted(FAMILIES["coloring"], rng, solvable=False, nodes=9, links=3)
