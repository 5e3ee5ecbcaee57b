"""Keys are named unambiguously, follow from their names alone, and need nothing compiled."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.roots import ROOTS

from mensura.core import keys
from mensura.core.keys import fresh  # before tests share a few

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
    assert keys.fold(42, 7) == 14769051326987775908
    assert keys.draw(42, 3, 1) == 6661878802709398627
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


def test_fold_is_splitmix64() -> None:
    # The first outputs of the reference implementation for seed 1234567.
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [keys.fold(1234567, n) for n in range(3)] == published


@given(KEYS, st.integers(0, 2**16 - 1))
def test_a_draw_never_repeats_the_key_of_a_stream(key: int, n: int) -> None:
    assert keys.draw(key, 0, n) != keys.fold(key, n)


@given(KEYS, st.integers(1, 2**32 - 1))
def test_draws_stay_within_their_range(z: int, n: int) -> None:
    assert 0 <= keys.below(z, n) < n
    assert 0.0 <= keys.unit(z) < 1.0


def test_fresh_keys_differ() -> None:
    assert len({fresh() for _ in range(100)}) == 100


def test_keys_are_had_without_numba() -> None:
    program = "import sys, mensura.core.keys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@given(st.lists(KEYS, min_size=1, max_size=5), st.integers(0, 2**40), st.integers(1, 2**31))
def test_arrays_of_keys_are_folded_and_drawn_as_single_ones_are(
    some: list[int], n: int, bound: int
) -> None:
    array = np.array(some, np.uint64)
    assert keys.fold_array(array, n).tolist() == [keys.fold(k, n) for k in some]
    drawn = keys.draw_array(array, 3, 2)
    assert drawn.tolist() == [keys.draw(k, 3, 2) for k in some]
    assert keys.below_array(drawn, bound).tolist() == [keys.below(z, bound) for z in drawn.tolist()]
    assert keys.fold_array(some[0], keys.numbers(7, 3)).tolist() == [
        keys.fold(some[0], i) for i in (7, 8, 9)
    ]
