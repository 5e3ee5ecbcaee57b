"""The universal generator: what is drawn has the probability 2^-length, and is an environment."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.complexity.integers import log_star_shares
from mensura.worlds.lambda_class import world as lambda_world
from mensura.worlds.lambda_class.behaviors import Markov
from mensura.worlds.lambda_class.description_length import (
    Writer,
    code_space_program,
    decode,
    description_length,
    encode,
)
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.kernels.programs import ANYTHING
from mensura.worlds.lambda_class.markov import Program, programmed_space
from mensura.worlds.lambda_class.paper import ACTIONS, CORRIDOR
from mensura.worlds.lambda_class.sieves import random_episodes
from mensura.worlds.lambda_class.space import Space, grid
from mensura.worlds.lambda_class.universal import LARGEST_NUMBER, draw_space_programs
from mensura.worlds.lambda_class.world import Lambda

keys = st.integers(0, 2**64 - 1)
WORLD = Lambda(generator="universal")


# Spaces that programs write -------------------------------------------------------


def test_the_corridor_is_what_its_program_writes() -> None:
    assert programmed_space(CORRIDOR, 6, ACTIONS) == grid(6)


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ("->. a_2+", "1+2|1+2|1+2|1+2"),
        ("->. a_2+:a_3-", "1+2|12-|1+2|12-"),
        ("->. a_2+:::", "1+2|1+2|1+2|1+2"),
        ("->. a_2+a_1-a_2--a_3++-", "1+2+|1+2+|1+2+|1+2+"),
        ("->. xa_2x+:a_3+:a_2-:a_3-:a_2+:a_2++", "1+2|12+|1-2|12-"),
        ("-> a_2+", "1" + "+" * 1 + "2|1+2|1+2|1+2"),
    ],
)
def test_what_is_written_is_repeated_round_and_completed(rules: str, text: str) -> None:
    actions = ("a_1", "a_2", "a_3")
    assert programmed_space(Program.parse(rules), 4, actions).text() == text
    assert Space.parse(text, topology="unrestricted").cells == 4


def test_a_program_that_names_no_action_writes_no_space() -> None:
    with pytest.raises(MensuraError, match="names no action"):
        programmed_space(Program.parse("->. ++:"), 3, ("a_1", "a_2"))
    with pytest.raises(MensuraError, match="lead back to it"):
        programmed_space(Program.parse("->. a_2"), 3, ("a_1", "a_2"))


# Probabilities --------------------------------------------------------------------


@pytest.mark.thorough
def test_programs_are_drawn_with_the_probability_of_their_length(full_size: bool) -> None:
    """Before any sieve, short programs against 2^-length: a chi-square over the 30 shortest."""
    actions = ("a_1", "a_2")
    count = 20_000 if full_size else 8_000
    drawn: Counter[Program] = Counter()
    for program in draw_space_programs(311, actions, ANYTHING):
        drawn[program] += 1
        if drawn.total() == count:
            break
    lengths = {}
    for program in drawn:
        writer = Writer()
        code_space_program(writer, program, actions)
        # Plain rules and no subscripts are not left to chance.
        given_bits = len(program.rules) + 1.5185
        lengths[program] = writer.bits - given_bits if _all_new(program) else float("inf")
    short = sorted(lengths, key=lambda program: lengths[program])[:30]
    chances = [2.0 ** -lengths[program] for program in short]
    # All that is drawn at all is likelier by one factor, which the empty programs tell exactly.
    factor = drawn[short[0]] / chances[0] / count
    assert 1 < factor < 6
    total = sum(drawn[program] for program in short)
    expected = [total * chance / sum(chances) for chance in chances]
    chi_square = sum(
        (drawn[program] - e) ** 2 / e for program, e in zip(short, expected, strict=True)
    )
    assert min(expected) > 5
    assert chi_square < 65  # 29 degrees of freedom: exceeded once in 10,000 times


def _all_new(program: Program) -> bool:
    return len(set(program.rules)) == len(program.rules)


def test_numbers_above_all_that_are_drawn_are_a_fifth() -> None:
    assert 0.79 < float(log_star_shares(LARGEST_NUMBER)[-1]) < 0.81


@given(keys, st.sampled_from([0, 2]))
@settings(max_examples=examples(6, 25))
def test_the_length_of_a_sample_is_what_was_drawn(key: int, objects: int) -> None:
    world = Lambda(generator="universal", objects=objects)
    d = world.sample(key)
    code = encode(d)
    assert decode(code.choices, d.switches()) == d
    assert world.complexity(d, "description_length") == description_length(d)
    assert world.complexity(d, "kt_max") >= description_length(d)
    assert world.complexity(d, "kt") >= world.complexity(d, "kt_max")


# Samples --------------------------------------------------------------------------


def test_samples_are_programs_that_halt_in_sieved_environments() -> None:
    world = Lambda(generator="universal", objects=3, cells=(2, 6))
    numbers: Counter[int] = Counter()
    for key in range(examples(12, 30)):
        d = world.sample(key)
        assert d.space_program is not None
        assert 2 <= d.space.cells <= 6
        assert d.space.actions <= d.space.cells
        assert all(isinstance(b, Markov) for b in (d.good_and_evil, *d.objects))
        _, work = random_episodes(d, 1)
        assert work[0, 1] < d.steps
        assert world.passes(d)
        LambdaEnvironment(d).reset(key)
        numbers[len(d.objects)] += 1
    assert {0, 1} <= set(numbers) <= {0, 1, 2, 3}


@pytest.mark.thorough
def test_simple_environments_are_the_most_frequent(full_size: bool) -> None:
    count = 60 if full_size else 30
    lengths = sorted(description_length(WORLD.sample(key)) for key in range(count))
    assert lengths[0] < 40
    assert lengths[count // 2] < 80


def test_the_same_key_draws_the_same_environment() -> None:
    assert WORLD.sample(5) == Lambda(generator="universal").sample(5)
    assert WORLD.sample(5) != WORLD.sample(6)


def test_samples_have_the_wanted_complexity() -> None:
    d = WORLD.sample(3, ("description_length", 60, 70))
    assert 60 <= description_length(d) <= 70
    d = Lambda.preset("theory", generator="universal").sample(3, ("kt_max", 60, 80))
    assert 60 <= WORLD.complexity(d, "kt_max") <= 80


@pytest.mark.thorough
def test_what_is_out_of_reach_gets_a_sentence_soon(
    monkeypatch: pytest.MonkeyPatch, full_size: bool
) -> None:
    tries = 100 if full_size else 4
    monkeypatch.setattr(lambda_world, "_WORK", lambda_world._WORK * tries / 100)
    with pytest.raises(MensuraError, match=f"not found in {tries} tries with the universal gener"):
        WORLD.sample(1, ("description_length", 5000, 5001))
