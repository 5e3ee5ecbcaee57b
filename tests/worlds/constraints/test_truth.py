"""Proofs: CP-SAT and brute force agree, verdicts are kept, and what was not decided is never called unsolvable."""

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from tests.sizes import examples
from tests.worlds.constraints.problems import problems

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints import truth
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.problem import Constraint, Problem, Relation, Variable
from mensura.worlds.constraints.truth import Verdict, brute_force, certify, lowest


def soft(*costs: float) -> Problem:
    """One variable with so many values, each with its cost."""
    return Problem(
        "soft",
        ("a",),
        (Variable("v", tuple(range(len(costs))), 0),),
        (Relation(np.array(costs)),),
        (Constraint("c", (0,), 0),),
    )


@settings(max_examples=examples(24, 60), deadline=None)
@given(problems())
def test_the_solver_and_brute_force_agree(problem: Problem) -> None:
    found, expected = certify(problem), brute_force(problem)
    assert found.status == expected.status
    assert found.value == expected.value
    if found.assignment is not None:
        assert problem.allowed(found.assignment)
        assert problem.cost(found.assignment) == found.value
        assert found.value is not None
        assert lowest(problem) <= found.value


@settings(max_examples=examples(16, 40), deadline=None)
@given(problems(hard=True))
def test_a_problem_without_costs_is_satisfiable_or_not(problem: Problem) -> None:
    found = certify(problem)
    assert found.status == brute_force(problem).status
    assert found.status in ("satisfiable", "unsatisfiable")
    assert found.reference(problem) == (0.0, True)


@settings(max_examples=examples(12, 30), deadline=None)
@given(problems())
def test_as_many_tuples_are_listed_as_were_counted(problem: Problem) -> None:
    for one in problem.relations:
        assert len(truth._rows(one.costs, 10.0)[1]) == truth._listed(one.costs)


def test_queens_are_decided() -> None:
    rng = np.random.default_rng(1)
    statuses = [certify(FAMILIES["queens"].problem(rng, n=n)).status for n in (2, 3, 4, 12)]
    assert statuses == ["unsatisfiable"] * 2 + ["satisfiable"] * 2


def test_what_is_not_decided_is_unknown() -> None:
    problem = FAMILIES["scale-free"].problem(np.random.default_rng(1), n=300, t=0.36)
    verdict = certify(problem, seconds=0.01)
    assert verdict.status == "unknown"
    assert verdict.assignment is None
    assert verdict.sentence(problem).startswith("Unknown: CP-SAT did not decide")


def test_what_is_too_large_is_unknown_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truth, "MOST_TUPLES", 10)
    problem = FAMILIES["queens"].problem(np.random.default_rng(1), n=5)
    verdict = certify(problem)
    assert verdict.status == "unknown"
    assert "over 10" in verdict.sentence(problem)
    truth._decided.clear()


@pytest.mark.parametrize("step", [0.1, 1e-6, 3.0, 1e11])
def test_costs_with_few_decimals_are_exact(step: float) -> None:
    verdict = certify(soft(3 * step, step, 2 * step))
    assert verdict.value == step
    assert verdict.within == 0


def test_costs_that_must_be_rounded_say_how_far() -> None:
    problem = soft(1 / 3, 2 / 3, 1e9 / 7)
    verdict = certify(problem)
    assert verdict.value == 1 / 3
    assert 0 < verdict.within < 1e-4
    assert "by rounding" in verdict.sentence(problem)


def test_utilities_are_told_as_utilities() -> None:
    problem = dataclasses.replace(soft(-3.0, -5.0), maximize=True)
    assert certify(problem).sentence(problem) == "The largest utility is 5, proven by CP-SAT."


def test_verdicts_are_kept_in_a_folder_and_checked_when_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = soft(4.0, 2.0, 9.0)
    truth._decided.clear()
    first = certify(problem, folder=tmp_path)
    (file,) = tmp_path.iterdir()
    truth._decided.clear()
    monkeypatch.setattr(truth, "_solve", lambda *_: Verdict("unknown"))
    assert certify(problem, folder=tmp_path) == first
    data = json.loads(file.read_text())
    for damaged in (
        json.dumps({**data, "value": 1.0}),
        json.dumps({**data, "assignment": [7]}),
        "{",
        "[]",
    ):
        file.write_text(damaged)
        truth._decided.clear()
        assert certify(problem, folder=tmp_path).status == "unknown"
    truth._decided.clear()


def test_an_unknown_verdict_stands_only_for_as_much_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = soft(8.0, 6.0)
    truth._decided.clear()
    monkeypatch.setattr(truth, "_solve", lambda _, seconds, __: Verdict("unknown", seconds=seconds))
    assert certify(problem, seconds=2).seconds == 2
    assert certify(problem, seconds=1).seconds == 2
    assert certify(problem, seconds=3).seconds == 3
    truth._decided.clear()


def test_brute_force_refuses_what_it_would_not_end() -> None:
    with pytest.raises(MensuraError, match="assignments; brute force looks at no more"):
        brute_force(FAMILIES["queens"].problem(np.random.default_rng(1), n=12))


def test_without_the_extra_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    with pytest.raises(MensuraError, match=r"pip install 'mensura\[constraints\]'"):
        certify(soft(1.25, 5.0, 0.0))
