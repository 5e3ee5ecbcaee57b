"""The generator that worlds in Python draw from: NumPy's, over SHAKE128 of a key."""

import copy
import hashlib
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mensura.core.chance import WORDS, Shake, generator, generator_at

pytestmark = pytest.mark.quick

KEYS = st.integers(0, 2**64 - 1)
DRAWS: list[Any] = [
    lambda rng: rng.random(),
    lambda rng: rng.integers(9),
    lambda rng: rng.integers(2**40),
    lambda rng: rng.normal(size=3).tolist(),
    lambda rng: rng.permutation(5).tolist(),
    lambda rng: rng.choice(["a", "b", "c"]),
    lambda rng: rng.standard_normal(dtype=np.float32),
    lambda rng: rng.bytes(5),
]


def drawn(rng: np.random.Generator, places: list[int]) -> list[Any]:
    return [DRAWS[place](rng) for place in places]


SOME = st.lists(st.integers(0, len(DRAWS) - 1), max_size=40)


def test_its_words_are_those_of_shake128() -> None:
    key = 0x0123456789ABCDEF
    name = b"mensura: chance" + key.to_bytes(8, "little") + bytes(8)
    block = hashlib.shake_128(name).digest(8 * WORDS)
    words = np.frombuffer(block, "<u8")[::-1]
    assert generator(key).integers(2**64, size=WORDS, dtype=np.uint64).tolist() == words.tolist()


@given(KEYS, SOME, SOME)
def test_a_copy_or_a_state_goes_on_as_the_generator_does(
    key: int, before: list[int], after: list[int]
) -> None:
    rng = generator(key)
    drawn(rng, before)
    others = [
        copy.deepcopy(rng),
        pickle.loads(pickle.dumps(rng)),
        generator_at(dict(rng.bit_generator.state)),
    ]
    wanted = drawn(rng, after)
    assert all(drawn(other, after) == wanted for other in others)


@given(KEYS, KEYS)
def test_other_keys_give_other_numbers(key: int, other: int) -> None:
    same = generator(key).random(2).tolist() == generator(other).random(2).tolist()
    assert same == (key == other)


def test_numbers_are_even_and_deviates_normal() -> None:
    assert stats.kstest(generator(1).random(20_000), "uniform").pvalue > 0.001
    assert stats.kstest(generator(2).normal(size=20_000), "norm").pvalue > 0.001
    counts = np.bincount(generator(3).integers(7, size=21_000))
    assert stats.chisquare(counts).pvalue > 0.001


def test_its_children_have_streams_of_their_own() -> None:
    child, other = generator(5).spawn(2)
    assert child.random(3).tolist() != other.random(3).tolist()
    assert isinstance(child.bit_generator, Shake)


@pytest.mark.parametrize(
    "change",
    [
        {"key": -1},
        {"key": 2**64},
        {"left": WORDS},
        {"left": -1},
        {"block": 0, "left": 3},
        {"block": 2**64},
        {"half": 2**32},
        {"half": "a"},
        {"key": None},
    ],
)
def test_what_is_no_state_is_refused(change: dict[str, Any]) -> None:
    rng = generator(5)
    rng.integers(9)
    state = {**rng.bit_generator.state, **change}
    with pytest.raises((TypeError, ValueError)):
        generator_at(state)
