"""The lazy search: the published table, brute force, and laws of Kt."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.complexity.c_test.instructions import LETTERS, WRITE, read_program
from mensura.complexity.c_test.machine import STEPS, Machine, run, scale_value
from mensura.complexity.c_test.pool import enumerate_programs
from mensura.complexity.c_test.search import Explanation, explain, least_steps, read_series

pytestmark = pytest.mark.bounds

ROWS = [
    ("a b c d", "e", "W + LOOPTOP", 6.32, 7),
    ("y y x w w v", "u", "W W - W - LOOPTOP", 9.32, 9),
    ("a d g j", "m", "W + + + LOOPTOP", 9.00, 9),
    ("a a z c y e x", "g", "A<-C W A<-B W + + B<-A LOOPTOP", 12.70, 12),
    ("a _ a z a y a", "a", "", 9.0, 8),
    ("a x _ v w t u", "y", "", 11.5, 11),
    ("a y w _ w u w u s", "y", "", 14.8, 14),
]
"""What is shown, the answer, the cheapest program, Kt and k."""

FURTHER = {
    "ababab": ("a", 8.7),
    "acbdce": ("d", 10.0),
    "aczbya": ("x", 10.1),
    "aazzyy": ("x", 7.3),
    "aaabbbc": ("c", 8.5),
    "azbdcegf": ("h", 13.4),
    "aaaabbbbc": ("c", 9.7),
    "aacyawy": ("u", 13.8),
    "abdeg": ("h", 9.7),
    "aabbzabb": ("y", 11.9),
    "zayxxuw": ("r", 15.0),
    "zaxava": ("t", 11.3),
    "abazaayza": ("x", 11.3),
    "aaazbby": ("c", 12.2),
    "aadazca": ("y", 13.2),
    "azbzzyby": ("y", 14.2),
}
"""Further series of the published sheet: the cheapest continuation and Kt."""

QUICK_KT = 12.75
"""Of a series whose search takes less than a second."""


def one_decimal(kt: float) -> set[float]:
    """A figure that was rounded, halves either way."""
    return {round(kt - 1e-9, 1), round(kt + 1e-9, 1)}


def letter_of(found: Explanation) -> str:
    assert found.answer is not None
    return LETTERS[found.answer]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].replace(" ", ""))
def test_the_published_items_have_these_programs(
    row: tuple[str, str, str, float, int], full_size: bool
) -> None:
    series, answer, program, kt, k = row
    if kt > QUICK_KT and not full_size:
        pytest.skip("a minute: give --full-size")
    machine = Machine(start="y") if series.startswith("y") else Machine()
    found = explain(series, margin=0, machine=machine)
    assert found.cheapest is not None
    assert letter_of(found) == answer
    assert found.cheapest.k == k
    if program:
        assert found.cheapest.text == program
        assert round(found.cheapest.kt, 2) == kt
    else:
        assert kt in one_decimal(found.cheapest.kt)


def test_an_item_that_starts_at_y_is_longer_from_a() -> None:
    found = explain("y y x w w v", margin=0)
    assert found.cheapest is not None
    assert (len(found.cheapest.program), found.cheapest.k, letter_of(found)) == (8, 11, "u")


@pytest.mark.parametrize("series", FURTHER)
def test_further_series_have_this_continuation(series: str, full_size: bool) -> None:
    letter, kt = FURTHER[series]
    if kt > QUICK_KT and not full_size:
        pytest.skip("a minute: give --full-size")
    found = explain(series, margin=0)
    assert letter_of(found) == letter
    assert found.kt is not None
    assert kt in one_decimal(found.kt)


def test_the_third_item_of_figure_2_has_a_cheaper_rival() -> None:
    shown = read_series("c a b d b c c e c d")
    program = read_program("C<-A + + W A<-C W + W LOOPTOP W LOOPTOP")
    ran = run(program, letters=11)
    assert ran.letters[:10] == shown
    assert LETTERS[ran.letters[10]] == "f"
    assert round(len(program) + math.log2(ran.times[9]), 1) == 15.8
    assert scale_value(program) == 15


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_cheaper_program_prints_the_third_item_of_figure_2() -> None:
    program = read_program("C<-A + + W A<-C W + W LOOPTOP W LOOPTOP")
    found = explain("c a b d b c c e c d", length=12, margin=2, known=program)
    best, second = found.candidates[:2]
    assert (LETTERS[best.letter or 0], len(best.program), round(best.kt, 1), best.k) == (
        "f",
        11,
        15.8,
        15,
    )
    assert (LETTERS[second.letter or 0], len(second.program), round(second.kt, 1), second.k) == (
        "d",
        12,
        17.6,
        16,
    )


Costs = dict[tuple[tuple[int, ...], int | None], int]


@pytest.fixture(scope="module")
def brute_force() -> Costs:
    """The least cost of every series and next letter (None: any or none), over all programs up to length 4."""
    costs: Costs = {}
    for length in range(1, 5):
        for program in itertools.product(range(10), repeat=length):
            if WRITE not in program:
                continue
            ran = run(program, letters=7)
            for shown in range(1, len(ran.letters) + 1):
                cost = ran.times[shown - 1] << length
                following = ran.letters[shown] if shown < len(ran.letters) else None
                for letter in {None, following}:
                    key = (ran.letters[:shown], letter)
                    costs[key] = min(costs.get(key, cost), cost)
    return costs


def test_brute_force_agrees_with_the_lazy_search(brute_force: Costs, full_size: bool) -> None:
    series = sorted({shown for shown, _ in brute_force if len(shown) <= 6})
    count = len(series) if full_size else 150
    for at in np.random.default_rng(2).permutation(len(series))[:count]:
        shown = series[at]
        found = explain(shown, length=4, margin=20)
        assert found.cheapest is not None
        assert found.cheapest.cost == brute_force[shown, None]
        expected = {
            letter: brute_force[shown, letter]
            for letter in range(26)
            if (shown, letter) in brute_force
        }
        assert {one.letter: one.cost for one in found.candidates} == expected


def test_brute_force_agrees_on_blanks(brute_force: Costs) -> None:
    whole = sorted({shown for shown, _ in brute_force if len(shown) == 6})
    for at in np.random.default_rng(3).permutation(len(whole))[:40]:
        blank = int(at) % 5
        series = tuple(-1 if place == blank else one for place, one in enumerate(whole[at]))
        expected: dict[int | None, int] = {}
        for shown in whole:
            if shown[:blank] + shown[blank + 1 :] == series[:blank] + series[blank + 1 :]:
                expected[shown[blank]] = brute_force[shown, None]
        found = explain(series, length=4, margin=20)
        assert {one.letter: one.cost for one in found.candidates} == expected


@settings(max_examples=examples(12, 30))
@given(st.lists(st.sampled_from([0, 1, 2, 25]), min_size=2, max_size=7))
def test_complexity_never_falls_when_a_letter_is_added(series: list[int]) -> None:
    shorter, longer = (explain(shown, length=6).kt for shown in (series[:-1], series))
    assert (shorter or math.inf) <= (longer or math.inf)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(1, 10), st.integers(-1, 9))
def test_no_program_is_quicker_than_the_least_steps(
    program: list[int], shown: int, blank: int
) -> None:
    ran = run(program, letters=shown)
    letters = tuple(-1 if at == blank else letter for at, letter in enumerate(ran.letters))
    assert all(
        least_steps(letters)[at] <= ran.times[-1] - (ran.times[at - 1] if at else 0)
        for at in range(len(letters))
    )


def test_nothing_as_cheap_as_a_program_at_hand_is_missed(full_size: bool) -> None:
    """The tightest limit there is: what costs as much as the program itself is still to be found."""
    pool = enumerate_programs(7 if full_size else 5)
    for at in range(len(pool)):
        program = pool.program(at)
        ran = run(program, 200, letters=11)
        for shown in range(2, 11) if full_size else (4, 7):
            if ran.times[shown] > STEPS:
                continue
            series = ran.letters[:shown]
            found = explain(series, length=len(program), margin=0, known=program)
            assert found.candidates, (series, program)
            assert found.candidates[0].cost <= ran.times[shown - 1] << len(program)


def test_a_program_that_is_known_changes_nothing_but_the_time() -> None:
    first = explain("a c b d c e")
    again = explain("a c b d c e", known=first.candidates[0].program)
    assert (again.cheapest, again.candidates) == (first.cheapest, first.candidates)


def test_the_margin_says_how_much_more_other_letters_cost() -> None:
    found = explain("a a b")
    costs = [one.kt for one in found.candidates]
    assert costs == sorted(costs)
    assert found.margin == costs[1] - costs[0]
    assert found.cheapest is not None
    assert found.cheapest.letter is None  # W W + W ends there
    assert found.continuation(6) == ()


def test_a_search_whose_time_is_up_says_how_far_it_got(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mensura.complexity.c_test.search.WORK", 1000)
    seen: list[int] = []
    found = explain("a q c", seconds=0.0, progress=lambda length, _: seen.append(length))
    assert not found.finished
    assert found.length == seen[-1] - 1 < 10
    assert found.bound == pytest.approx(found.length + 1 + math.log2(5))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a b 3", "letters from a to z"),
        ("", "is empty"),
        ("_", "is empty"),
        ("a _ _ b", "several blanks"),
        ("a" * 27, "27 letters"),
    ],
)
def test_what_is_no_series_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        explain(text)


def test_lengths_and_margins_have_bounds() -> None:
    for wrong in ({"length": 0}, {"length": 17}, {"margin": -1}):
        with pytest.raises(ValueError, match="from"):
            explain("a b", **wrong)


def test_series_are_read_with_and_without_what_stands_between_letters() -> None:
    assert read_series("A, b,c …") == read_series("abc") == (0, 1, 2)


def test_a_machine_that_reads_needs_no_more_than_one_that_does_not() -> None:
    """Every program without the further instruction is one of its programs, too."""
    reading = Machine(reads=True)
    for text in ("a b c d", "a a z z y y", "a b a b a b"):
        assert explain(text, machine=reading).kt <= explain(text).kt
    with_it = run(read_program("W + + W A<-O - LOOPTOP"), machine=reading)
    assert with_it.text.startswith("a c b d c e")


def test_brute_force_agrees_with_the_search_of_a_machine_that_reads() -> None:
    reading = Machine(reads=True)
    costs: dict[tuple[int, ...], int] = {}
    for length in range(1, 5):
        for program in itertools.product(range(11), repeat=length):
            ran = run(program, 60, 5, reading)
            if len(ran.letters) == 5:
                cost = ran.times[3] << length
                shown = ran.letters[:4]
                costs[shown] = min(cost, costs.get(shown, cost))
    assert len(costs) > 20
    for shown, cost in list(costs.items())[:60]:
        found = explain(shown, length=4, steps=60, machine=reading)
        assert found.cheapest is not None
        assert found.cheapest.kt <= math.log2(cost) + 1e-9
