"""The sieves: definitions 3.2.1 and 3.3.4, propositions 3.6.2 to 3.6.4, proved and tried."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.core.compiled import JIT
from mensura.worlds.lambda_class import sieves
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
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.sieves import (
    balanced,
    expected_rewards,
    random_episodes,
    reward_sensitive,
    wilson,
)
from mensura.worlds.lambda_class.space import Space, ring
from mensura.worlds.lambda_class.switches import PRESETS
from mensura.worlds.lambda_class.world import Lambda

pytestmark = [pytest.mark.bounds]

keys = st.integers(0, 2**64 - 1)
THEORY: dict[str, Any] = dict(PRESETS["theory"])

simple = st.one_of(
    st.lists(st.integers(0, 2), min_size=1, max_size=5).map(lambda moves: Pattern(tuple(moves))),
    st.builds(Startled, st.integers(0, 2), st.integers(0, 2)),
    st.sampled_from([Random(), Shy(), Attached()]),
)


# Reward-sensitive -----------------------------------------------------------------


def differences(d: Description, n: int) -> tuple[int, int]:
    """Definition 3.2.1 by brute force where nothing is left to chance: states reached, and those that are insensitive.

    All sequences of actions are played from all starts, and after each all sequences of up to n more.
    """
    environment = LambdaEnvironment(d)
    n_a = d.space.actions
    period = len(d.good_and_evil.moves) if isinstance(d.good_and_evil, Pattern) else 1
    states: dict[tuple[int, ...], bytes] = {}
    for key in range(200):
        environment.reset(key)
        ends = [environment.snapshot()]
        while ends:
            environment.restore(ends.pop())
            at = environment.positions()
            state = (environment.iteration % period, at["subjects"][0], at["good"], at["evil"])
            if state in states:
                continue
            states[state] = environment.snapshot()
            for action in range(n_a):
                environment.restore(states[state])
                environment.step([action])
                ends.append(environment.snapshot())
    insensitive = 0
    for start in states.values():
        sums = {(start, 0.0)}
        for _ in range(n):
            longer = set()
            for snapshot, total in sums:
                for action in range(n_a):
                    environment.restore(snapshot)
                    turn = environment.step([action])
                    longer.add((environment.snapshot(), total + turn.rewards[0]))
            sums = longer
            if len({total for _, total in sums}) > 1:
                break
        else:
            insensitive += 1
    return len(states), insensitive


@pytest.mark.parametrize("consumed", ["before", "after"])
@pytest.mark.parametrize(
    "behavior", [STILL, Pattern((1,)), Startled(1, 2)], ids=["still", "round", "startled"]
)
@pytest.mark.parametrize("n", [1, *(pytest.param(n, marks=pytest.mark.thorough) for n in (2, 4))])
def test_verdicts_are_those_of_the_definition_played_out(
    consumed: Any, behavior: Behavior, n: int
) -> None:
    """On rings where Good and Evil cannot collide, so that nothing is left to chance."""
    d = Description(space=ring(4), good_and_evil=behavior, consumed=consumed, horizon=1000)
    verdict = reward_sensitive(d, n)
    states, insensitive = differences(d, n)
    assert verdict.exact
    assert verdict.passed == (insensitive == 0)
    assert math.isclose(verdict.low, 1 - insensitive / states)
    assert f"{states} states" in verdict.sentence


def test_what_lies_too_far_away_makes_no_difference() -> None:
    d = Description(space=ring(6, ways=1), good_and_evil=STILL)
    assert not reward_sensitive(d, 2)
    assert reward_sensitive(d, 6)
    assert not reward_sensitive(d, 6, threshold=100.0)


def test_a_subject_that_is_never_given_anything_is_insensitive() -> None:
    """After the update, and not on its cell: there is never anything where it comes."""
    d = Description(space=ring(3), good_and_evil=STILL, drops_on_subject=False)
    verdict = reward_sensitive(d, 10)
    assert (verdict.passed, verdict.exact, verdict.low) == (False, True, 0.0)


@given(
    simple, st.integers(2, 4), st.sampled_from(["none", "swap", "relocate"]), st.booleans(), keys
)
@settings(max_examples=examples(10, 40))
def test_what_is_proved_is_what_is_tried(
    behavior: Behavior, cells: int, cycle: Any, after: bool, key: int
) -> None:
    space = Space(((0, 1, -1),) * cells) if cells > 2 else Space(((0, 1, 0),) * 2)
    d = Description(
        space=space,
        good_and_evil=behavior,
        cycle=cycle,
        cycle_length=3,
        consumed="after" if after else "before",
    )
    proved = reward_sensitive(d, 8)
    tried = sieves._sensitive_by_trial(d, 8, 0.0, key)
    assert proved.exact
    assert not tried.exact
    if proved.passed:
        # Whatever chance hides in a state now and then, it does not hide in one of seven.
        assert tried.high > 0.97
    else:
        assert tried.low <= proved.high


@given(keys)
@settings(max_examples=examples(6, 15))
def test_the_environments_of_the_theory_are_sensitive_by_its_proposition_and_by_trial(
    key: int,
) -> None:
    d = Lambda.preset("theory", sieves=()).sample(key)
    verdict = reward_sensitive(d, 8)
    assert verdict.passed
    assert "3.6.2" in verdict.sentence
    assert sieves._sensitive_by_trial(d, 8, 0.0, 0).high > 0.9


def test_the_proposition_says_nothing_where_cells_are_too_far_or_rewards_too_small() -> None:
    d = Description(space=ring(8, ways=1), good_and_evil=STILL, **THEORY)
    assert reward_sensitive(d, 7).exact
    assert not reward_sensitive(d, 6).exact
    least = 0.5 / 2**6
    assert reward_sensitive(d, 7, least * 0.99).exact
    assert not reward_sensitive(d, 7, least).exact


def test_programs_are_tried() -> None:
    d = Description(space=ring(4), good_and_evil=Markov(Program.parse("π ->. a_2")))
    verdict = reward_sensitive(d, 10)
    assert (verdict.passed, verdict.exact) == (True, False)
    assert 0.6 < verdict.low < verdict.high == 1.0
    nothing = replace(d, drops_on_subject=False)
    assert not reward_sensitive(nothing, 10)


def test_impossible_questions_get_a_sentence() -> None:
    d = Description(space=ring(3), good_and_evil=STILL)
    with pytest.raises(MensuraError, match="sensitive_within is 0"):
        reward_sensitive(d, 0)
    with pytest.raises(MensuraError, match="sensitive_by is -1"):
        reward_sensitive(d, 3, -1)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_the_share_that_was_found(found: tuple[int, int]) -> None:
    low, high = wilson(*found)
    assert 0 <= low <= found[0] / found[1] <= high <= 1


# Balanced -------------------------------------------------------------------------


@given(keys, st.sampled_from(["thesis", "theory"]))
@settings(max_examples=25)
def test_a_random_subject_is_to_expect_nothing_in_sampled_environments(
    key: int, preset: str
) -> None:
    """Not by the proposition, but by the probabilities of all states."""
    world = Lambda.preset(preset, horizon=20, junk_limit=20, cells=(2, 4), p_stop=0.1)
    d = world.sample(key)
    assert balanced(d).sentence.count("3.6.3") == 1
    rewards = expected_rewards(d)
    if rewards is not None:
        assert len(rewards) == 20
        assert float(np.abs(rewards).max()) < 1e-12


@given(simple, keys, st.sampled_from([{}, THEORY]), st.data())
@settings(max_examples=examples(6, 25))
def test_what_is_expected_is_what_comes_about(
    behavior: Behavior, key: int, preset: dict[str, Any], data: Any
) -> None:
    good, evil, own = data.draw(st.permutations(range(3)))
    d = Description(
        space=ring(3),
        good_and_evil=behavior,
        starts=(good, evil, own),
        **{**preset, "good_drops": (1.0, 0.25), "horizon": 12, "junk_limit": 4},
    )
    rewards = expected_rewards(d)
    assert rewards is not None
    played, _ = random_episodes(d, 1500, key)
    error = float(played.std()) / math.sqrt(len(played))
    assert abs(float(rewards.sum()) - float(played.mean())) < 5.5 * error + 1e-9


def test_where_starts_are_placed_and_critical_there_is_no_balance() -> None:
    """Example 3.6.1: the subject never meets Good from there, and so only loses."""
    d = Description(space=ring(6), good_and_evil=Startled(1, 2), starts=(3, 2, 1), horizon=50)
    verdict = balanced(d)
    assert (verdict.passed, verdict.exact) == (False, True)
    assert verdict.low < 0
    swapped = balanced(replace(d, starts=(2, 3, 1)))
    assert math.isclose(swapped.low, -verdict.low)


def test_unlike_drops_are_not_balanced() -> None:
    d = Description(space=ring(3), good_and_evil=Random(), evil_drops=(0.5,), horizon=10)
    verdict = balanced(d)
    # On each of three equally likely cells for Good and for Evil, ten times.
    assert not verdict.passed
    assert math.isclose(verdict.low, 10 * (1 - 0.5) / 3)


def test_the_balance_of_programs_with_placed_starts_is_tried() -> None:
    program = Markov(Program.parse("A_1 ->. a_2"))
    d = Description(space=ring(3), good_and_evil=program, starts=(0, 1, 2), horizon=30)
    verdict = balanced(d)
    assert not verdict.exact
    assert verdict.low < verdict.high
    biased = balanced(replace(d, evil_drops=(0.01,)))
    assert not biased.passed


def test_what_swaps_promise_comes_about_in_the_long_run() -> None:
    """Proposition 3.6.4 by the probabilities of all states: the expectation of each reward dies out."""
    d = Description(
        space=ring(3, ways=1),
        good_and_evil=STILL,
        starts=(0, 1, 2),
        **{**THEORY, "junk": 0, "horizon": 400},
    )
    rewards = expected_rewards(d)
    assert rewards is not None
    assert float(np.abs(rewards[:5]).max()) > 1e-3
    assert float(np.abs(rewards[-50:]).max()) < 1e-9


# In the world -----------------------------------------------------------------------


def test_what_fails_the_sieve_is_not_sampled() -> None:
    world = Lambda(cells=6, actions=3, sensitive_within=3, p_stop=0.2)
    unsieved = replace(world, sieves=())
    failing = [k for k in range(40) if not reward_sensitive(unsieved.sample(k), 3)]
    assert failing
    for key in range(40):
        d = world.sample(key)
        assert reward_sensitive(d, 3)
        assert (d == unsieved.sample(key)) == (key not in failing)


def test_a_world_in_which_nothing_passes_gets_a_sentence() -> None:
    with pytest.raises(MensuraError, match=r"none passed the sieves .* with sensitive_within = 1"):
        Lambda(cells=5, actions=2, sensitive_within=1, p_stop=0.3).sample(1)
    with pytest.raises(MensuraError, match="and sensitive_by = 50"):
        Lambda(cells=3, sensitive_by=50, p_stop=0.3).sample(1, ("zlib_pattern", 1, 1000))


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_a_threshold_in_whole_numbers_compiles_nothing_anew() -> None:
    d = Lambda(cells=3, p_stop=0.3).sample(1)
    sieves._by_states(d, 5, 1.0)
    compiled: Any = sieves.sensitive_states_door
    known = list(compiled.signatures)
    assert known
    sieves._by_states(d, 5, 1)
    assert compiled.signatures == known


@given(keys)
@settings(max_examples=10)
def test_rewards_are_bounded(key: int) -> None:
    rewards, _ = random_episodes(Lambda(horizon=1).sample(key), 20, key)
    assert float(np.abs(rewards).max()) <= 1
