"""Keys are named unambiguously, follow from their names alone, and need nothing compiled."""

import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.roots import ROOTS

from mensura.agent import keys
from mensura.agent.keys import fresh  # before tests share a few

stretched = keys.stretched.__wrapped__
"""Without the roots that tests know."""

KEYS = st.integers(0, 2**64 - 1)
NAMES = st.lists(st.one_of(st.text(), st.integers()), max_size=4)


@given(KEYS, NAMES)
def test_a_key_has_64_bits_and_follows_from_its_names(parent: int, names: list[str | int]) -> None:
    assert 0 <= keys.key(parent, *names) < 2**64
    assert keys.key(parent, *names) == keys.key(parent, *names)


@given(KEYS, NAMES, NAMES)
def test_different_names_give_different_keys(
    parent: int, one: list[str | int], two: list[str | int]
) -> None:
    assert (keys.key(parent, *one) == keys.key(parent, *two)) == (one == two)


def test_a_number_differs_from_its_digits_and_names_do_not_run_together() -> None:
    assert keys.key(0, 1) != keys.key(0, "1")
    assert keys.key(0, "ab", "c") != keys.key(0, "a", "bc")
    assert keys.key(0, "a") != keys.key(0, "a", "")
    assert keys.key(0, 255) != keys.key(0, -1)
    assert keys.key(0) != keys.key(1)


def test_keys_are_the_same_on_every_machine_and_in_every_release() -> None:
    assert keys.key(42, "study", 7) == 13009672554383595234
    assert keys.fold(42, 7) == 4622084503017925499
    assert keys.prf(42, 3, 1) == 13990451191496361055
    assert keys.draw(42, 3, 1) == 4487602757140583948
    assert stretched(20261) == 2988319037199996986


def test_a_boolean_a_float_or_a_key_of_65_bits_is_refused() -> None:
    with pytest.raises(TypeError, match="strings and integers"):
        keys.key(0, True)
    with pytest.raises(TypeError, match="strings and integers"):
        keys.key(0, 1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"from 0 to 2\*\*64 - 1"):
        keys.key(2**64, "study")


def test_the_root_of_a_study_follows_from_its_seed_by_scrypt_with_64_megabytes() -> None:
    salt = b"mensura: from the seed of a study to the root of its draws"
    given = {"salt": salt, "n": 2**16, "r": 8, "p": 1, "dklen": 8}
    with pytest.raises(ValueError, match="memory limit exceeded"):
        hashlib.scrypt((7).to_bytes(8, "little"), maxmem=64 << 20, **given)
    root = hashlib.scrypt((7).to_bytes(8, "little"), maxmem=65 << 20, **given)
    assert stretched(7) == int.from_bytes(root, "little")
    with pytest.raises(ValueError, match=r"from 0 to 2\*\*64 - 1"):
        keys.stretched(-1)


def test_the_roots_that_tests_know_are_right(full_size: bool) -> None:
    drawn = keys.below(keys.fresh(), len(ROOTS))
    for seed in ROOTS if full_size else [list(ROOTS)[drawn]]:
        assert keys.stretched(seed) == ROOTS[seed] == stretched(seed), seed


def test_siphash_gives_what_its_authors_published() -> None:
    # vectors_sip64 of the reference implementation: seven bytes, under the key 00 01 ... 0f.
    first, second, message = (
        int.from_bytes(bytes(part), "little") for part in (range(8), range(8, 16), range(7))
    )
    assert keys.siphash(first, second, message) == 0xAB0200F58B01D137
    arrays = (np.array([word], np.uint64) for word in (first, second, message))
    assert keys.siphash_array(*arrays).tolist() == [0xAB0200F58B01D137]


@given(KEYS, st.integers(0, 2**16 - 1))
def test_streams_and_both_kinds_of_draws_of_a_key_differ(key: int, n: int) -> None:
    assert len({keys.draw(key, 0, n), keys.fold(key, n), keys.prf(key, 0, n)}) == 3


def flipped(function: Callable[[int], int], key: int) -> Iterator[int]:
    """How many bits of a result change with each bit of a key."""
    for bit in range(64):
        yield (function(key) ^ function(key ^ (1 << bit))).bit_count()


@given(KEYS)
def test_every_bit_of_a_key_changes_about_half_the_bits_of_what_is_drawn(key: int) -> None:
    for function in (
        lambda k: keys.fold(k, 3),
        lambda k: keys.prf(k, 3, 1),
        lambda k: keys.draw(k, 3, 1),
    ):
        changes = list(flipped(function, key))
        assert min(changes) > 8
        assert 28 < sum(changes) / 64 < 36


def test_a_draw_is_no_step_on_a_cycle_that_keys_share() -> None:
    # With one round, the draws of a key from its second on were those of another key from its first on.
    start = keys.GOLDEN
    shifted = (5 + start) & keys.MASK
    draws = [keys.draw(5 ^ keys.DRAW, 0, slot) for slot in range(1, 9)]
    other = [keys.draw(shifted ^ keys.DRAW, 0, slot) for slot in range(8)]
    assert not set(draws) & set(other)


@given(KEYS, st.integers(1, 2**32 - 1))
def test_draws_stay_within_their_range(z: int, n: int) -> None:
    assert 0 <= keys.below(z, n) < n
    assert 0.0 <= keys.unit(z) < 1.0


def test_fresh_keys_differ() -> None:
    assert len({fresh() for _ in range(100)}) == 100


def test_keys_are_had_without_numba() -> None:
    program = "import sys, mensura.agent.keys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@given(st.lists(KEYS, min_size=1, max_size=5), st.integers(0, 2**40), st.integers(1, 2**31))
def test_arrays_of_keys_are_folded_and_drawn_as_single_ones_are(
    some: list[int], n: int, bound: int
) -> None:
    array = np.array(some, np.uint64)
    assert keys.fold_array(array, n).tolist() == [keys.fold(k, n) for k in some]
    drawn = keys.prf_array(array, 3, 2)
    assert drawn.tolist() == [keys.prf(k, 3, 2) for k in some]
    assert keys.prf_array(array[:1], keys.numbers(3, 2), 2).tolist() == [
        keys.prf(some[0], t, 2) for t in (3, 4)
    ]
    assert keys.below_array(drawn, bound).tolist() == [keys.below(z, bound) for z in drawn.tolist()]
    assert keys.fold_array(some[0], keys.numbers(7, 3)).tolist() == [
        keys.fold(some[0], i) for i in (7, 8, 9)
    ]
