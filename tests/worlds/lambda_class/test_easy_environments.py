"""Example 3.1.1 of Insa-Cabrera (2011): three environments with a high K that are easy all the same."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.agent.keys import below, draw
from mensura.worlds.lambda_class.behaviors import STILL, Markov, Pattern
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.measures import MEASURES, complexity
from mensura.worlds.lambda_class.paper import mu_1, mu_2, mu_3

keys = st.integers(0, 2**64 - 1)


def played(d: Description, actions: list[int], key: int) -> list[Any]:
    """Where everybody is at each decision of the subject."""
    environment = LambdaEnvironment(d)
    environment.reset(key)
    seen = [environment.positions()]
    for action in actions:
        environment.step([action])
        seen.append(environment.positions())
    return seen


def randomly(n: int, actions: int, key: int) -> list[int]:
    return [below(draw(key, t, 0), actions) for t in range(n)]


# mu_1 ---------------------------------------------------------------------------


def test_the_first_repeats_a_thousand_moves_without_a_pattern() -> None:
    d = mu_1()
    assert isinstance(d.good_and_evil, Pattern)
    moves = d.good_and_evil.moves
    assert len(moves) == 1000
    assert all(140 < moves.count(action) < 260 for action in range(5))
    # More than two bits a move are needed, and the whole can be learned by heart in one round.
    simple = Description(space=d.space, good_and_evil=STILL)
    assert complexity(d, "description_length") - complexity(simple, "description_length") > 2300
    assert complexity(d, "zlib_pattern") > 300


# mu_2 ---------------------------------------------------------------------------


def hashed(cells: list[int]) -> int:
    h = 0
    for cell in cells:
        h = (2 * h + cell) % 3
    return h


@given(keys, keys)
def test_in_the_second_good_and_evil_move_at_powers_of_two_by_all_that_the_subject_did(
    key: int, subject: int
) -> None:
    d = mu_2(horizon=70)
    seen = played(d, randomly(70, 3, subject), key)
    arrows = d.space.arrows
    moved = []
    for i, (before, after) in enumerate(itertools.pairwise(seen), 1):
        action = 0
        if i & (i - 1) == 0:
            action = hashed([at["subjects"][0] for at in seen[:i]])
        good, evil = (arrows[before[who]][action] for who in ("good", "evil"))
        assert (after["good"], after["evil"]) == (good, evil)
        moved += [i] if after["good"] != before["good"] else []
    assert set(moved) <= {1, 2, 4, 8, 16, 32, 64}


def test_in_the_second_what_is_to_be_seen_is_what_was_seen_but_for_ten_in_a_thousand() -> None:
    seen = played(mu_2(horizon=1000), randomly(1000, 3, 7), 11)
    changes = [
        a["good"] != b["good"] or a["evil"] != b["evil"] for a, b in itertools.pairwise(seen)
    ]
    assert 1 <= sum(changes) <= 10


# mu_3 ---------------------------------------------------------------------------


def thue_morse(n: int) -> int:
    return n.bit_count() % 2


@settings(max_examples=examples(15, 100))
@given(st.lists(st.integers(0, 1), min_size=1, max_size=6), keys)
def test_in_the_third_one_sequence_of_actions_sets_good_and_evil_going(
    sequence: list[int], key: int
) -> None:
    d = mu_3(sequence, horizon=60)
    more = randomly(60 - len(sequence), 2, key)
    seen = played(d, sequence + more, key)
    for i, (before, after) in enumerate(itertools.pairwise(seen)):
        forth = thue_morse(i - len(sequence)) if i >= len(sequence) else 0
        # They go at the same time, and so never meet.
        for who in ("good", "evil"):
            assert after[who] == (before[who] + forth) % 4


@settings(max_examples=examples(15, 100))
@given(st.lists(st.integers(0, 1), min_size=5, max_size=5), keys)
def test_in_the_third_every_other_sequence_sees_what_a_still_environment_shows(
    actions: list[int], key: int
) -> None:
    """So with a probability of (2^n - 1) / 2^n nothing tells it from a simple one."""
    sequence = [1, 1, 0, 1, 0]
    plan = actions + randomly(40, 2, key)
    still = Description(space=mu_3().space, good_and_evil=STILL, horizon=45)
    seen = [played(d, plan, key) for d in (mu_3(sequence, horizon=45), still)]
    assert (seen[0] == seen[1]) == (actions != sequence)


def test_of_all_32_sequences_of_five_actions_one_opens_the_third() -> None:
    sequence = (0, 1, 1, 1, 0)
    still = 0
    for actions in itertools.product((0, 1), repeat=5):
        seen = played(mu_3(sequence, horizon=9), [*actions, 0, 0, 0, 0], 3)
        still += all(at["good"] == seen[0]["good"] for at in seen)
    assert still == 31


def test_a_sequence_of_other_actions_gets_a_sentence() -> None:
    with pytest.raises(MensuraError, match=r"The sequence is \(2,\); it is of actions 0 and 1"):
        mu_3([2])


# Their measures -----------------------------------------------------------------


@pytest.mark.parametrize("mu", [mu_1, mu_2, mu_3])
def test_all_three_are_complex_by_every_measure_of_descriptions(mu: Any) -> None:
    d = mu(horizon=200)
    simple = Description(space=d.space, good_and_evil=STILL, horizon=200)
    for measure in MEASURES:
        assert complexity(d, measure) > 2 * complexity(simple, measure)
    if isinstance(d.good_and_evil, Markov):
        # The rules take hundreds of bits, the work of the hardest response some rules for each symbol that is read.
        extra = complexity(d, "kt_max") - complexity(d, "description_length")
        assert 5 < extra < 10
