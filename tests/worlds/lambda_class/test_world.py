"""The world Lambda: the contract, the thesis's generator, complexities and sampling by them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_class.spaces import draw_spaces

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Discrete
from mensura.complexity import lempel_ziv_76, zlib_length
from mensura.testing import check_world
from mensura.worlds.lambda_class import world as lambda_world
from mensura.worlds.lambda_class.behaviors import Markov, Pattern, Random
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.sampling import most_bytes, most_bytes_of_space, most_components
from mensura.worlds.lambda_class.space import Space, ring
from mensura.worlds.lambda_class.world import Lambda

keys = st.integers(0, 2**64 - 1)


@pytest.fixture
def little_work(monkeypatch: pytest.MonkeyPatch, full_size: bool) -> None:
    """A search that finds nothing ends after a tenth of its work."""
    if not full_size:
        monkeypatch.setattr(lambda_world, "_WORK", lambda_world._WORK / 10)


@pytest.mark.thorough
@pytest.mark.parametrize("preset", list(Lambda.presets))
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {
            "subjects": 3,
            "objects": 2,
            "observability": "partial",
            "future": (1,),
            "p_stop": 0.1,
            "sieves": (),
        },
    ],
    ids=["alone", "social"],
)
def test_both_presets_keep_the_contract(
    preset: str, parameters: dict[str, Any], full_size: bool, little_work: None
) -> None:
    horizon = 20 if full_size else 8
    world = Lambda.preset(preset, horizon=horizon, junk_limit=50, **parameters)
    assert world.promises == {"bounded", "balanced"}
    episodes, balance = (3, 400) if full_size else (1, 60)
    assert check_world(world, episodes=episodes, balance=balance) == []


@pytest.mark.thorough
def test_a_world_in_which_good_and_evil_drop_unlike_rewards_promises_no_balance() -> None:
    world = Lambda(good_drops=(1.0,), evil_drops=(0.5,), horizon=20, sieves=())
    assert world.promises == {"bounded"}
    assert check_world(world) == []


def test_every_switch_reaches_the_environments() -> None:
    parameters = {**Lambda.presets["theory"], "subjects": 2, "shared": True, "moves": "geometric"}
    world = Lambda(**parameters, most_moves=3, horizon=7)
    d = world.sample(1)
    assert d.switches() == world.switches()
    assert world.build(d).description is d
    assert world.describe_from_json(d.to_json()) == d


# The generator ------------------------------------------------------------------


def moves(d: Description) -> tuple[int, ...]:
    assert isinstance(d.good_and_evil, Pattern)
    return d.good_and_evil.moves


@pytest.mark.thorough
def test_patterns_have_geometric_lengths_and_even_actions() -> None:
    world = Lambda(p_stop=0.25, cells=3, actions=3)
    patterns = [moves(world.sample(key)) for key in range(2000)]
    lengths = Counter(map(len, patterns))
    for n in range(1, 6):
        expected = 2000 * 0.25 * 0.75 ** (n - 1)
        assert abs(lengths[n] - expected) < 5 * expected**0.5
    actions = Counter(a for pattern in patterns for a in pattern)
    assert set(actions) == {0, 1, 2}
    assert max(actions.values()) < 1.1 * min(actions.values())


def test_a_pattern_has_at_least_one_action() -> None:
    assert {len(moves(Lambda(p_stop=1).sample(key))) for key in range(50)} == {1}


def test_cells_and_actions_are_as_asked() -> None:
    world = Lambda(cells=[3, 9], actions=3, topology="weak", objects=2)  # type: ignore[arg-type]
    for key in range(50):
        d = world.sample(key)
        assert 3 <= d.space.cells <= 9
        assert d.space.actions == 3
        assert d.space.weakly_connected
        assert all(isinstance(behavior, Pattern) for behavior in d.objects)
        assert len({d.good_and_evil, *d.objects}) > 1


@given(keys)
def test_the_same_key_draws_the_same_environment(key: int) -> None:
    assert Lambda().sample(key) == Lambda().sample(key)


# Complexities -------------------------------------------------------------------


def test_the_complexities_are_those_of_chapters_5_and_6() -> None:
    space = Space.parse("1+2++3|1+23-|1+23|1+2--3-")
    pattern = Pattern(tuple(map(int, "20122220022222200222222002")))
    d = Description(space=space, good_and_evil=pattern)
    world = Lambda()
    assert world.complexity(d, "zlib_pattern") == 19
    together = "1+2++3|1+23-|1+23|1+2--3-20122220022222200222222002"
    assert world.complexity(d, "zlib_space_pattern") == zlib_length(together) * 26
    assert world.complexity(d, "lempel_ziv") == lempel_ziv_76("20122220022222200222222002")


def test_an_environment_without_a_pattern_has_none_of_these_complexities() -> None:
    d = Description(space=ring(3), good_and_evil=Random())
    with pytest.raises(MensuraError, match="is that of a pattern or a program, and Good and Evil"):
        Lambda().complexity(d, "lempel_ziv")


@given(keys, st.sampled_from(list(Lambda.measures)), keys)
@settings(max_examples=examples(16, 40))
def test_sampling_within_an_interval_gives_such_a_complexity(
    key: int, measure: str, like: int
) -> None:
    world = Lambda(p_stop=0.05)
    value = world.complexity(world.sample(like), measure)
    found = world.complexity(world.sample(key, (measure, 0.9 * value, 1.1 * value)), measure)
    assert 0.9 * value <= found <= 1.1 * value


@pytest.mark.thorough
def test_patterns_drawn_within_an_interval_are_as_likely_as_among_all(full_size: bool) -> None:
    """Skipping lengths that could not fit changes no probabilities."""
    world = Lambda(p_stop=0.2, cells=3, actions=2)
    among_all = [world.sample(key) for key in range(3000 if full_size else 900)]
    wanted = [d for d in among_all if 3 <= world.complexity(d, "lempel_ziv") <= 4]
    drawn = [world.sample(key, ("lempel_ziv", 3, 4)) for key in range(1000 if full_size else 300)]
    means = [float(np.mean([len(moves(d)) for d in some])) for some in (wanted, drawn)]
    error = np.std([len(moves(d)) for d in drawn]) * (1 / len(wanted) + 1 / len(drawn)) ** 0.5
    assert abs(means[0] - means[1]) < 5 * error


@pytest.mark.parametrize(
    ("measure", "low", "high"),
    [(measure, 1e9, 1e9 + 1) for measure in Lambda.measures]
    + [pytest.param(measure, -5, -1, marks=pytest.mark.thorough) for measure in Lambda.measures]
    + [(next(iter(Lambda.measures)), 20.2, 20.3)]
    + [
        pytest.param(measure, 20.2, 20.3, marks=pytest.mark.thorough)
        for measure in list(Lambda.measures)[1:4]
    ],
)
def test_what_is_out_of_reach_gets_a_sentence_at_once(
    measure: str, low: float, high: float
) -> None:
    with pytest.raises(
        MensuraError, match=r"out of reach with p_stop = 0.01; 100 samples lie from"
    ):
        Lambda().sample(1, (measure, low, high))


@pytest.mark.parametrize(
    ("measure", "value"),
    [("zlib_space_pattern", 10**6), ("lempel_ziv", 400), ("zlib_pattern", 560)],
)
def test_what_is_hardly_ever_found_gets_a_sentence_soon(
    measure: str, value: int, little_work: None
) -> None:
    with pytest.raises(MensuraError, match=r"was not found in \d+ tries"):
        Lambda(cells=2).sample(1, (measure, value, value))


def test_no_sequence_has_more_components_than_the_bound() -> None:
    rng = np.random.default_rng(1)
    for symbols in (2, 3, 9):
        for n in (1, 2, 3, 10, 50, 300):
            bound = int(most_components(np.array([n]), symbols)[0])
            for _ in range(30):
                assert lempel_ziv_76(rng.integers(0, symbols, n)) <= bound <= n


def test_no_random_text_takes_more_bytes_than_the_bounds() -> None:
    rng = np.random.default_rng(1)
    for symbols in (2, 3, 9, 20):
        for n in (1, 5, 30, 100, 400, 3000):
            bound = int(most_bytes(np.array([n]), symbols)[0])
            for _ in range(20):
                assert zlib_length("".join(map(str, rng.integers(0, symbols, n)))) < bound
    for n_c, n_a in ((2, 2), (9, 2), (9, 9), (30, 20)):
        bound = most_bytes_of_space(n_c, n_a)
        for space in draw_spaces(range(50), cells=n_c, actions=n_a):
            assert zlib_length(space.text()) < bound


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"p_stop": 0}, "p_stop is 0; it is from 0.0001"),
        ({"p_stop": "never"}, "p_stop is 'never'; it is a number"),
        ({"cells": 1}, "A space has at least 2 cells, not 1"),
        ({"cells": (2, 3, 4)}, r"cells is \(2, 3, 4\); it is a number, or the least and the most"),
        ({"cells": (5, 3)}, "The least number of cells, 5, is above the most, 3"),
        ({"actions": 5000}, "5000 actions are too many"),
        ({"topology": "knotted"}, "topology is 'knotted'"),
        ({"objects": -1}, "objects is -1"),
        ({"division": 0}, "division is 0"),
        ({"generator": "blind"}, "generator is 'blind'"),
        ({"sieves": ("fair",)}, "'fair' is no sieve"),
        ({"sieves": 3}, "sieves is 3; it is a list of reward-sensitive and balanced"),
        ({"sensitive_within": 0}, "sensitive_within is 0"),
        ({"sensitive_by": -0.5}, "sensitive_by is -0.5"),
        ({"evil_drops": (0.5,)}, "Nothing passes the sieve balanced where good_drops"),
        ({"generator": "universal", "moves": "geometric"}, "The universal generator draws progr"),
    ],
)
def test_impossible_parameters_get_a_sentence(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Lambda(**parameters)


def test_unknown_names_get_a_sentence() -> None:
    with pytest.raises(MensuraError, match=r"'thesys' is no preset of Lambda; .*thesis"):
        Lambda.preset("thesys")
    with pytest.raises(MensuraError, match="Lambda has no complexity 'zlib'"):
        Lambda().sample(1, ("zlib", 1, 2))
    with pytest.raises(MensuraError, match="The interval of lempel_ziv from 3 to 2 is empty"):
        Lambda().sample(1, ("lempel_ziv", 3, 2))


def test_a_space_and_a_pattern_can_be_given() -> None:
    text = "1+2++3|1+23-|1+23|1+2--3-"
    world = Lambda(space=text, pattern="2012")
    one = world.sample(1)
    assert one == world.sample(2)
    assert one.space.text("thesis") == text
    assert one.good_and_evil == Pattern((2, 0, 1, 2))
    assert world.largest_spaces()[2] == Discrete(4)
    assert {Lambda(space=text).sample(key).space for key in range(5)} == {one.space}
    drawn = [Lambda(actions=3, pattern="0 1 2").sample(key) for key in range(5)]
    assert {d.good_and_evil for d in drawn} == {Pattern((0, 1, 2))}
    assert len({d.space for d in drawn}) > 1


def test_good_and_evil_may_be_given_a_program(little_work: None) -> None:
    rules = "(⊙|π|:|A_1|A_2) ->\nF ->. a_2\n-> F"
    world = Lambda(space="1+|1+|1+", pattern=rules, sieves=(), objects=1)
    one, two = (world.sample(key) for key in (1, 2))
    assert one.good_and_evil == two.good_and_evil == Markov(Program.parse(rules))
    assert one.objects != two.objects
    bits = world.complexity(one, "lempel_ziv")
    assert world.sample(3, ("lempel_ziv", bits, bits)).good_and_evil == one.good_and_evil
    with pytest.raises(MensuraError, match="lempel_ziv"):
        world.sample(3, ("lempel_ziv", bits + 1, bits + 2))
    # Both go forth in each interaction, by both doors.
    environment = world.build(one)
    environment.reset(7)
    before = environment.positions()
    environment.step([0])
    after = environment.positions()
    for who in ("good", "evil"):
        assert after[who] == (before[who] + 1) % 3


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"pattern": "2012"}, "The pattern has the action 2, and spaces here may have only"),
        ({"pattern": "01x"}, "pattern is '01x'; it is actions in a row"),
        ({"space": "1+2|1"}, "The space "),
        ({"space": "1+|1-|1-"}, "is not strongly connected"),
        ({"generator": "universal", "pattern": "01"}, "neither space nor pattern can be given"),
    ],
)
def test_a_space_or_a_pattern_that_cannot_be_played_gets_a_sentence(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Lambda(**given)


def test_a_given_environment_has_the_complexity_it_has() -> None:
    world = Lambda(space="1+|1+", pattern="01")
    told = world.complexity(world.sample(1), "zlib_pattern")
    assert world.sample(1, ("zlib_pattern", told, told)) == world.sample(1)
    with pytest.raises(MensuraError, match="was not found in 1 tries"):
        world.sample(1, ("zlib_pattern", told + 1, told + 2))
