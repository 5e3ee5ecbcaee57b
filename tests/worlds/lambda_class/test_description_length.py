"""One prefix code for environments: it can be read back, probabilities sum to 1, what is shared counts once."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.complexity import log_star
from mensura.complexity.integers import log_star_shares
from mensura.worlds.lambda_class.behaviors import (
    STILL,
    Attached,
    Behavior,
    Markov,
    Pattern,
    Random,
    Shy,
    Startled,
)
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.description_length import (
    KINDS,
    decode,
    description_length,
    encode,
    pattern_bits,
    whole,
)
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.paper import ACTIONS, CORRIDOR, GOOD_AND_EVIL, RUNAWAY
from mensura.worlds.lambda_class.space import Space, grid, ring
from mensura.worlds.lambda_class.world import Lambda

keys = st.integers(0, 2**64 - 1)


# Whole numbers ------------------------------------------------------------------


def test_numbers_have_the_lengths_of_rissanens_code() -> None:
    log_c = math.log2(2.865064)
    assert log_star(1) == log_c
    assert math.isclose(log_star(2), log_c + 1)
    assert math.isclose(log_star(16), log_c + 4 + 2 + 1)
    assert math.isclose(
        log_star(1000), log_c + sum((9.96578, 3.31700, 1.72988, 0.79067)), abs_tol=1e-4
    )
    with pytest.raises(ValueError, match="from 1 on, not 0"):
        log_star(0)


def test_the_probabilities_of_numbers_sum_to_less_than_one() -> None:
    shares = log_star_shares(100_000)
    assert (shares[1:] > shares[:-1]).all()
    assert 0.8 < shares[-1] < 1


# Reading back -------------------------------------------------------------------

BLOCKS = ["a_1", "a_2", "A_1", "π", "⊙", ":", "x_1", "x_2"]
sides = st.lists(st.sampled_from(BLOCKS), max_size=3).map("".join)
extended = st.sampled_from(
    [
        "(π|⊙)_1 -> (π|⊙)_1",
        "χ ->. a_2",
        "(χ_1∉{π, :})A_1 -> χ_1",
        "[π]a_1^Δ ->",
        "⊙(a_1|[A_1π])^Δ -> ∇",
    ]
)
plain = st.builds(
    lambda left, right, mark, end: f"{left} {'->.' if end else '->'} {right}{mark}",
    sides,
    sides,
    st.sampled_from(["", "", "Δ", "∇", "∇∇Δ"]),
    st.booleans(),
)
programs = st.builds(
    lambda rules, match: Program.parse("\n".join(rules), (), match),
    st.lists(plain | extended, max_size=4),
    st.sampled_from(["leftmost", "rightmost"]),
)
behaviors = st.one_of(
    programs.map(Markov),
    st.lists(st.integers(0, 1), min_size=1, max_size=12).map(lambda moves: Pattern(tuple(moves))),
    st.builds(Startled, st.integers(0, 1), st.integers(0, 1)),
    st.sampled_from([Random(), Shy(), Attached()]),
)


@given(st.lists(behaviors, min_size=1, max_size=3), st.integers(2, 5), st.booleans())
@settings(max_examples=examples(24, 60))
def test_every_description_is_read_back_from_its_choices(
    some: list[Behavior], cells: int, placed: bool
) -> None:
    starts = (0, 1, *[cells - 1] * len(some)) if placed else ()
    d = Description(
        space=ring(cells, ways=1), good_and_evil=some[0], objects=tuple(some[1:]), starts=starts
    )
    code = encode(d)
    again = decode(code.choices, d.switches())
    assert encode(again) == code
    assert again.space.arrows == d.space.arrows
    assert again.starts == d.starts
    named = any("x_" in str(b.program) for b in some if isinstance(b, Markov))
    for one, other in zip((again.good_and_evil, *again.objects), some, strict=True):
        assert type(one) is type(other)
        if isinstance(one, Markov) and isinstance(other, Markov):
            # Symbols of its own may have got other names, in their order.
            assert [len(rule.symbols()) for rule in one.program.rules] == [
                len(rule.symbols()) for rule in other.program.rules
            ]
            assert one.program.match == other.program.match
            if not named:
                assert one.program.rules == other.program.rules
        else:
            assert one == other


def test_the_environment_of_figure_3_3_is_read_back() -> None:
    d = Description(
        space=grid(6),
        space_program=CORRIDOR,
        good_and_evil=Markov(GOOD_AND_EVIL),
        objects=(Markov(RUNAWAY),),
        action_names=ACTIONS,
    )
    code = encode(d)
    again = decode(code.choices, d.switches())
    assert again.space == d.space
    assert encode(again) == code
    assert description_length(d) == 1094


@given(keys)
def test_no_description_begins_another_one(key: int) -> None:
    d = Lambda(p_stop=0.2).sample(key)
    choices = encode(d).choices
    for end in range(len(choices)):
        with pytest.raises(MensuraError, match="ends before its choice"):
            decode(choices[:end], d.switches())
    with pytest.raises(MensuraError, match="ends after"):
        decode([*choices, 0], d.switches())


def test_choices_out_of_range_get_a_sentence() -> None:
    with pytest.raises(MensuraError, match="Choice 1 of the description is 1; it is from 2 to inf"):
        decode([1], Lambda().switches())


def test_probabilities_of_all_small_environments_sum_to_less_than_one() -> None:
    """Kraft's inequality, on all that two cells, two actions, no objects and short patterns allow."""
    total = 0.0
    spaces = [Space.from_arrows([[0, a], [1, b]]) for a, b in [(1, 0)]]
    some: list[Behavior] = [Random(), Shy(), Attached()]
    some += [Startled(a, b) for a, b in itertools.product((0, 1), repeat=2)]
    for n in range(1, 9):
        some += [Pattern(moves) for moves in itertools.product((0, 1), repeat=n)]
    for space in spaces:
        for behavior in some:
            for starts in ((), *((g, 1 - g, p) for g in (0, 1) for p in (0, 1))):
                d = Description(space=space, good_and_evil=behavior, starts=starts)
                total += 2.0 ** -encode(d).bits
    # What these choices leave: two of four spaces' arrows, no program, patterns of up to 8 actions.
    sizes = 2.0 ** -(3 * log_star(1)) * 0.5 / 4
    expected = sizes * (4 + float(log_star_shares(8)[-1])) / len(KINDS)
    assert math.isclose(total, expected)
    assert total < 1


# Lengths ------------------------------------------------------------------------


def test_a_pattern_costs_its_length_and_its_actions() -> None:
    short, long = (Description(space=ring(4), good_and_evil=Pattern((1,) * n)) for n in (10, 50))
    more = encode(long).bits - encode(short).bits
    assert math.isclose(more, 40 * math.log2(3) + log_star(50) - log_star(10))
    assert math.isclose(encode(short).bits, pattern_bits(4, 3, [10]))
    assert description_length(short) == whole(encode(short).bits)
    assert 0 <= description_length(short) - encode(short).bits < 1


def test_switches_and_names_cost_nothing() -> None:
    some: dict[str, Any] = {"space": ring(3), "good_and_evil": STILL}
    lengths = {
        description_length(Description(**some)),
        description_length(Description(**some, action_names=("s", "l", "r"))),
        description_length(Description(**some, **Lambda.presets["theory"])),
        description_length(Description(**some, subjects=5, horizon=7)),
    }
    assert len(lengths) == 1


def test_placed_starts_cost_a_cell_each() -> None:
    some: dict[str, Any] = {"space": ring(8), "good_and_evil": STILL}
    drawn, placed = Description(**some), Description(**some, starts=(1, 7, 3))
    more = encode(placed).bits - encode(drawn).bits
    assert math.isclose(more, 3 + math.log2(7) + 3)


def of_objects(*programs: Program) -> float:
    objects = tuple(map(Markov, programs))
    return encode(Description(space=ring(3), good_and_evil=STILL, objects=objects)).bits


def test_rules_that_objects_share_count_once() -> None:
    """What a further object costs that shares all its rules is a bit and a reference for each of them."""
    rules = ["π ->. a_2", "A_1A_2 -> a_1", "⊙ ->. a_3a_3a_3"]
    one, other = Program.parse("\n".join(rules)), Program.parse("\n".join(reversed(rules)))
    # The kind, how many rules and which match; a bit and one of three, thrice. The third object makes the alphabet
    # larger by its own symbol, and its number longer.
    twice = of_objects(one, one)
    thrice = of_objects(one, one, other)
    symbols = sum(len(rule.left) + len(rule.right) for rule in one.rules)
    letters = 3 + 3 + 2 + 3 + 1
    shared = math.log2(6) + log_star(4) + 1 + 3 * (1 + math.log2(3))
    assert thrice - twice < shared + symbols * math.log2(letters / (letters - 1)) + 1
    # One that shares nothing costs its symbols.
    fresh = Program.parse("π ->. a_1\nA_3A_2 -> a_2\n⊙ ->. a_3a_3a_2")
    assert of_objects(one, one, fresh) - thrice > 2 * symbols


def test_extended_rules_count_as_written() -> None:
    short = Program.parse("(A_1|A_2|A_3)(π|⊙)(π|⊙) ->")
    spelled = Program.parse(
        "\n".join(f"{a}{b}{c} ->" for a in ("A_1", "A_2", "A_3") for b in "π⊙" for c in "π⊙")
    )
    assert spelled.plain == short.plain
    assert of_objects(short) < of_objects(spelled) / 1.5


def test_a_space_of_alike_cells_is_short_as_a_program() -> None:
    """Section 3.6.6: a hundred times the same cell is not a hundred times as complex."""
    program = Program.parse("->. a_2+")
    space = ring(100, ways=1)
    literal = Description(space=space, good_and_evil=STILL)
    written = Description(space=space, space_program=program, good_and_evil=STILL)
    assert description_length(literal) > 600
    assert description_length(written) < 60
    assert Description.from_json(written.to_json()) == written


def test_a_program_has_to_write_the_space_that_is_given() -> None:
    with pytest.raises(MensuraError, match="writes another space than is given"):
        Description(
            space=ring(4, ways=1), space_program=Program.parse("->. a_2-"), good_and_evil=STILL
        )
