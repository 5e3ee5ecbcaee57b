"""The kept enumeration, and fresh items drawn from it."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mensura.complexity.c_test import pool as pools
from mensura.complexity.c_test.instructions import LETTERS, WRITE, read_program
from mensura.complexity.c_test.items import draw_item, options_of
from mensura.complexity.c_test.judgment import judge
from mensura.complexity.c_test.machine import run, scale_value
from mensura.complexity.c_test.pool import LETTERS_KEPT, STEPS, Pool, enumerate_programs, pool_of
from mensura.complexity.c_test.search import explain

pytestmark = pytest.mark.bounds


@pytest.fixture(scope="module")
def pool() -> Pool:
    return enumerate_programs(6)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """An empty cache folder, in this process too."""
    monkeypatch.setattr(pools, "cache_folder", lambda: tmp_path / "mensura")
    pool_of.cache_clear()
    yield tmp_path / "mensura"
    pool_of.cache_clear()


def test_brute_force_agrees_with_the_enumeration() -> None:
    costs: dict[tuple[int, ...], int] = {}
    for length in range(1, 5):
        for program in itertools.product(range(10), repeat=length):
            if WRITE not in program:
                continue
            ran = run(program, STEPS, LETTERS_KEPT)
            if len(ran.letters) == LETTERS_KEPT:
                cost = ran.times[-1] << length
                costs[ran.letters] = min(costs.get(ran.letters, cost), cost)
    pool = enumerate_programs(4)
    enumerated = {}
    for at in range(len(pool)):
        ran = run(pool.program(at), STEPS, LETTERS_KEPT)
        assert ran.letters == tuple(pool.letters[at])
        enumerated[ran.letters] = ran.times[-1] << len(pool.program(at))
    assert enumerated == costs
    assert list(enumerated.values()) == sorted(enumerated.values())


def test_the_enumeration_is_that_of_its_version() -> None:
    """Items are drawn by the row: whoever changes the rows raises VERSION, and then this."""
    pool = enumerate_programs(5)
    digest = hashlib.sha256(b"".join(a.tobytes() for a in (pool.letters, pool.codes))).hexdigest()
    assert (pools.VERSION, len(pool), digest[:16]) == (1, 96, "32bbc79eff9ad6ec")


def test_programs_too_long_to_be_kept_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="1 to 10"):
        enumerate_programs(11)
    monkeypatch.setattr(pools, "TABLE", 64)
    with pytest.raises(ValueError, match="more series than can be kept"):
        enumerate_programs(5)


def test_the_enumeration_is_kept_and_read_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = pool_of(4)
    assert [path.name for path in cache.iterdir()] == ["c-test-1-4.npz"]
    pool_of.cache_clear()
    monkeypatch.setattr(pools, "enumerate_programs", None)  # nobody enumerates again
    again = pool_of(4)
    for name in vars(first):
        assert np.array_equal(getattr(first, name), getattr(again, name))


def test_a_damaged_file_is_made_again(cache: Path) -> None:
    pool_of(3)
    path = cache / "c-test-1-3.npz"
    path.write_bytes(path.read_bytes()[:100])
    pool_of.cache_clear()
    assert len(pool_of(3)) == len(enumerate_programs(3))


def test_a_folder_that_cannot_be_written_to_costs_only_time(cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    assert len(pool_of(3)) == len(enumerate_programs(3))


@pytest.mark.parametrize("abduction", [False, True])
def test_items_are_unquestionable_and_within_the_interval(
    pool: Pool, abduction: bool, full_size: bool
) -> None:
    rng = np.random.default_rng(4)
    for _ in range(60 if full_size else 8):
        item = draw_item(rng, 7, 9, abduction=abduction, pool=pool)
        assert 7 <= item.k <= 9
        assert item.series.count("_") == abduction
        assert item.blank == (item.series.index("_") if abduction else len(item.series))
        assert len(set(item.options)) == 5
        assert item.answer in item.options
        found = explain(item.series, length=12)
        assert judge(found, length=12).unquestionable
        assert found.cheapest is not None
        assert (found.cheapest.text, found.kt) == (item.program, item.kt)
        assert scale_value(read_program(item.program)) == item.k
        written = run(read_program(item.program), letters=len(item.series) + 1).letters
        whole = "".join(LETTERS[letter] for letter in written)
        assert whole[item.blank] == item.answer


def test_the_same_generator_gives_the_same_item(pool: Pool) -> None:
    first, again = (draw_item(np.random.default_rng(5), 8, 9, pool=pool) for _ in range(2))
    assert first == again


def test_what_is_thrown_away_is_counted_by_its_reason(pool: Pool) -> None:
    rng = np.random.default_rng(6)
    reasons: set[str] = set()
    for _ in range(12):
        reasons |= set(draw_item(rng, 8, 9, pool=pool).thrown_away)
    assert reasons
    assert reasons <= {
        "goes on",
        "no rival",
        "stable",
        "no exceptions",
        "k is outside the interval",
    }


def test_an_interval_without_items_is_refused(pool: Pool) -> None:
    with pytest.raises(ValueError, match="no items with k from 40 to 50"):
        draw_item(np.random.default_rng(7), 40, 50, pool=pool)


def test_options_are_the_answer_the_runner_up_a_neighbor_the_last_and_a_frequent_letter() -> None:
    options = options_of([0, 0, 25, 2, 24, 4, 23], 6, [10], np.random.default_rng(8))
    assert len(options) == 5
    assert {6, 10, 23, 0} < set(options)
    assert set(options) & {5, 7}


def test_options_are_five_however_few_letters_are_shown() -> None:
    assert len(set(options_of([0, 0, 0, 0], 0, [], np.random.default_rng(9)))) == 5
