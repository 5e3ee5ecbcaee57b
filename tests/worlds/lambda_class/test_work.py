"""The work of responses: what objects take to decide, counted by the kernel, and the measures made of it."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mensura.worlds.lambda_class.behaviors import STILL, Attached, Markov, Pattern, Random
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.kernels import interaction as kernel
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.measures import complexity, work
from mensura.worlds.lambda_class.space import ring
from mensura.worlds.lambda_class.world import Lambda

pytestmark = [pytest.mark.bounds]

keys = st.integers(0, 2**64 - 1)


def counted(d: Description, key: int = 1) -> tuple[int, int]:
    environment = LambdaEnvironment(d)
    environment.reset(key)
    for t in range(d.horizon):
        environment.step([t % d.space.actions])
    clock = environment._parts.clock
    return int(clock[kernel.WORK]), int(clock[kernel.HARDEST])


@pytest.mark.parametrize(
    ("parameters", "each"),
    [
        ({"good_and_evil": STILL}, 4),
        ({"good_and_evil": Random(), "objects": (STILL, Attached())}, 8),
        ({"good_and_evil": Random(), "least_moves": 5}, 12),
        ({"good_and_evil": Pattern((1, 2, 1)), "moves": "pattern"}, 8),
        # Two rules and no move for both of Good and Evil; one rule and a move for the object.
        (
            {
                "good_and_evil": Markov(Program.parse("π -> x\nx ->. y")),
                "objects": (Markov(Program.parse("π ->. a_2a_2")),),
            },
            2 * (1 + 2) + (1 + 1 + 1),
        ),
        # Good and Evil do all that their program says; one that has to be stopped counts for all its steps.
        ({"good_and_evil": Markov(Program.parse("->. a_2a_2a_3"))}, 2 * (1 + 1 + 3)),
        ({"good_and_evil": Markov(Program.parse("->")), "steps": 30}, 2 * (1 + 30)),
        ({"good_and_evil": Markov(Program.parse("-> ⊙")), "longest": 20}, 2 * (1 + 1000)),
    ],
)
def test_a_response_takes_a_decision_of_each_its_rules_and_its_moves(
    parameters: dict[str, Any], each: int
) -> None:
    d = Description(space=ring(4), horizon=7, **parameters)
    assert counted(d) == (7 * each, each)
    assert work(d) == (7 * each, each)


def test_the_initial_junk_is_no_part_of_an_episode() -> None:
    d = Description(space=ring(4), good_and_evil=STILL, horizon=5, junk=50)
    assert counted(d) == (20, 4)


@given(keys)
@settings(max_examples=20)
def test_numbers_of_moves_that_are_drawn_count_as_they_are(key: int) -> None:
    some: dict[str, Any] = {"moves": "geometric", "most_moves": 6, "horizon": 30}
    d = Description(space=ring(4), good_and_evil=Random(), **some)
    total, hardest = counted(d, key)
    assert 30 * 4 <= total <= 30 * 14
    assert 4 < hardest <= 14
    assert work(d)[1] == 14


@given(keys, st.sampled_from(["thesis", "theory"]))
@settings(max_examples=20)
def test_kt_is_the_description_and_the_logarithm_of_the_work(key: int, preset: str) -> None:
    world = Lambda.preset(preset, objects=1, horizon=50)
    d = world.sample(key)
    length = complexity(d, "description_length")
    assert complexity(d, "kt") == length + math.log2(50 * 6)
    assert complexity(d, "kt_max") == length + math.log2(6)


def test_the_work_of_programs_that_react_is_the_most_that_was_found() -> None:
    """A rule more where the subject is on the cell of who decides, which some of the sequences find."""
    rules = "π⊙A_1 -> xxxx\nxxx ->. a_2"
    d = Description(space=ring(3), good_and_evil=Markov(Program.parse(rules)), horizon=20)
    total, hardest = work(d)
    assert hardest > 2
    assert total < 20 * hardest
    assert work(d) == (total, hardest)


def test_programs_have_the_complexities_of_their_texts() -> None:
    short, long = (
        Description(space=ring(3), good_and_evil=Markov(Program.parse(rules)))
        for rules in ("π ->. a_2", "π ->. a_2\n⊙A_1 -> a_1a_3\nA_2A_3⊙ ->. ∇Δ")
    )
    for measure in Lambda.measures:
        assert complexity(short, measure) < complexity(long, measure)
