"""Models of the literature: each solves what its original is known to solve, and fails where that fails."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mensura.agent.errors import MensuraError
from mensura.worlds.items.families.family import Item, Part
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.generator import generate
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.analogy import Analogy
from mensura.worlds.items.subjects.chooser import Chooser
from mensura.worlds.items.subjects.ensemble import BEST, Ensemble, measured
from mensura.worlds.items.subjects.kt_search import KtSearch, cheapest
from mensura.worlds.items.subjects.mapping import Scene, best_mapping
from mensura.worlds.items.subjects.raven import BETTER, FAIR, Raven, predicted
from mensura.worlds.items.subjects.series_synthesis import synthesized
from mensura.worlds.items.subjects.string_changes import applied, descriptions
from mensura.worlds.items.subjects.terraced_scan import TerracedScan, answers


def letters(text: str) -> Part:
    return tuple(ord(one) - ord("a") for one in text)


def chosen(subject: Chooser, family: str, shown: Sequence[str], options: Sequence[str]) -> str:
    """The option that a subject values most."""
    kind = FAMILIES[family]
    seen = Seen(kind, tuple(map(kind.read, shown)), tuple(map(kind.read, options)))
    values = subject.values(seen)
    assert values is not None
    assert sorted(values)[-1] > sorted(values)[-2]
    return options[values.index(max(values))]


# Series


@pytest.mark.parametrize(
    ("series", "following"),
    [
        ([2, 4, 6, 8], 10),
        ([1, 2, 4, 8, 16], 32),
        ([1, 1, 2, 3, 5, 8], 13),
        ([1, 3, 6, 10, 15, 21], 28),
        ([1, 1, 2, 6, 24, 120], 720),
        ([3, 7, 15, 31, 63], 127),
        ([5, 10, 6, 11, 7, 12, 8], 13),
        ([64, 32, 16, 8, 4], 2),
        ([1, 2, 2, 4, 8, 32], 256),
    ],
)
def test_a_recursive_function_is_read_off_a_series(series: list[int], following: int) -> None:
    found = synthesized(series, 3)
    assert found is not None
    assert found.following == following


def test_a_function_can_be_read_and_a_shallow_one_finds_less() -> None:
    found = synthesized([1, 3, 6, 10, 15], 3)
    assert found is not None
    assert found.text == "x(n-1) + x(n-1) + 1"
    assert synthesized([1, 3, 6, 10, 15], 1) is None
    assert synthesized([7, 3, 1, 4, 1, 5, 9, 2], 3) is None


def test_letters_go_round_in_functions() -> None:
    found = synthesized(letters("wxyza"), 3, 26)
    assert found is not None
    assert found.following == 1


def test_the_remainder_of_a_division_is_beyond_synthesis() -> None:
    """It is no part of the background knowledge."""
    squares_modulo_11 = [1, 4, 9, 5, 3, 3, 5, 9]
    found = synthesized(squares_modulo_11, 3)
    assert found is None or found.following != 4


@pytest.mark.parametrize(
    ("series", "instructions", "letter"),
    [("abcd", 3, "e"), ("adgj", 5, "m"), ("yyxwwv", 6, "u"), ("a_azaya", 5, "a")],
)
def test_the_cheapest_program_within_a_budget_answers_published_items(
    series: str, instructions: int, letter: str
) -> None:
    """From the table of the C-test: the same programs as its cheapest ones, and not with one instruction less."""
    numbers = tuple(-1 if one == "_" else ord(one) - ord("a") for one in series)
    assert cheapest(numbers, instructions, 90) == ord(letter) - ord("a")
    assert cheapest(numbers, instructions - 1, 90) is None


def test_more_budget_finds_more() -> None:
    items = generate("letter-series", 40, 11).items
    found = [_ideas(KtSearch(budget), "letter-series", items) for budget in (3, 5)]
    assert 0 < found[0] < found[1]


def _ideas(subject: Chooser, family: str, items: Sequence[Item]) -> int:
    seen = [Seen(FAMILIES[family], one.shown, one.options) for one in items]
    return sum(subject.values(one) is not None for one in seen)


# Analogies


def test_a_mapping_prefers_relations_to_attributes() -> None:
    base = Scene(((1, 1), (2, 2)), frozenset({("above", 0, 1)}))
    same_relation = Scene(((2, 9), (8, 2)), frozenset({("above", 0, 1)}))
    assert best_mapping(base, same_relation).pairs == ((0, 0), (1, 1))
    turned = Scene(((2, 2), (1, 1)), frozenset({("above", 1, 0)}))
    assert best_mapping(base, turned).pairs == ((0, 1), (1, 0))
    assert best_mapping(base, Scene(((2, 2),))).of(0) is None


SQUARE_IN_CIRCLE = "inside: large white circle turned 0, small gray square turned 0, nothing"
GONE = "inside: large white circle turned 0, nothing, nothing"
STAR_ABOVE_CROSS = "above: small gray star turned 0, medium light cross turned 90, nothing"
STAR_ALONE = "above: small gray star turned 0, nothing, nothing"


@pytest.mark.parametrize("strategy", [1, 2])
def test_both_strategies_remove_the_second_figure_as_evans_did(strategy: int) -> None:
    options = [
        STAR_ABOVE_CROSS,
        STAR_ALONE,
        "above: nothing, medium light cross turned 90, nothing",
        "above: medium gray star turned 0, nothing, nothing",
    ]
    shown = [SQUARE_IN_CIRCLE, GONE, STAR_ABOVE_CROSS]
    assert chosen(Analogy(strategy), "geometric-analogies", shown, options) == STAR_ALONE


@pytest.mark.parametrize("strategy", [1, 2])
def test_both_strategies_see_a_mirror(strategy: int) -> None:
    shown = [
        "left: small light triangle turned 90, large light square turned 180, nothing",
        "left: large light square turned 180, small light triangle turned 270, nothing",
        "above: small gray star turned 270, small light cross turned 90, nothing",
    ]
    right = "above: small gray star turned 90, small light cross turned 270, nothing"
    options = [
        "above: small light cross turned 270, small gray star turned 90, nothing",
        right,
        "above: small gray star turned 270, small light cross turned 90, nothing",
        "above: small gray star turned 90, small light cross turned 90, nothing",
    ]
    assert chosen(Analogy(strategy), "geometric-analogies", shown, options) == right


def test_who_infers_writes_the_answer_and_who_compares_needs_options() -> None:
    kind = FAMILIES["geometric-analogies"]
    seen = Seen(kind, tuple(map(kind.read, (SQUARE_IN_CIRCLE, GONE, STAR_ABOVE_CROSS))), ())
    assert Analogy(1).written(seen) is None
    assert Analogy(2).written(seen) == kind.read(STAR_ALONE)


def test_what_cannot_be_inferred_is_inserted_and_compared() -> None:
    """No option is as inferred; the one that differs from C most as B differs from A is taken."""
    shown = ["abc", "abd", "ijk"]
    kind = FAMILIES["letter-analogies"]
    seen = Seen(
        kind, tuple(map(letters, shown)), tuple(map(letters, ("jjk", "ijj", "iijk", "kji")))
    )
    values = Analogy(2).values(seen)
    assert values is not None
    assert max(values) == values[0]  # a letter goes up by one there too, though another
    assert Analogy(1).values(seen) is None


@pytest.mark.parametrize(
    ("before", "after", "asked", "answer"),
    [
        ("abc", "abd", "ijk", "ijl"),
        ("abc", "cba", "mnop", "ponm"),
        ("aabbcc", "aabb", "xyz", "xy"),
        ("abc", "abcc", "xyz", "xyzz"),
        ("abc", "bcd", "mm", "nn"),
        ("abc", "acb", "pqr", "prq"),
    ],
)
def test_changes_of_strings_go_by_role(before: str, after: str, asked: str, answer: str) -> None:
    first = descriptions(letters(before), letters(after))[0]
    assert applied(first, letters(asked)) == letters(answer)


def test_a_description_turns_the_first_string_into_the_second() -> None:
    for item in generate("letter-analogies", 100, 4).items:
        before, after, _ = item.shown
        for one in descriptions(before, after):
            assert applied(one, before) == after


PUBLISHED = {
    "ijk": {"ijl": 96, "ijd": 4},
    "ijkk": {"ijll": 47, "ijkl": 44, "ijkkk": 7, "ijkd": 2},
}
"""Answers of Copycat to abc is to abd as this is to what, in percent, from the tests of a public Python version."""


@pytest.mark.thorough
@pytest.mark.parametrize("asked", PUBLISHED)
def test_answers_are_distributed_roughly_as_published(asked: str) -> None:
    found = answers("abc", "abd", asked, runs=1000)
    ours = {one: 100 * count / found.total() for one, count in found.items()}
    published = PUBLISHED[asked]
    apart = sum(abs(ours.get(one, 0.0) - published.get(one, 0)) for one in {*ours, *published}) / 2
    told = ", ".join(f"{one} {ours.get(one, 0.0):.1f} ({published[one]})" for one in published)
    assert apart < 12.0, f"{apart:.1f}% of the runs would have to answer otherwise: {told}"
    assert max(ours, key=lambda one: ours[one]) in list(published)[:2]


def test_a_snag_leads_elsewhere() -> None:
    """After z comes nothing, so that a rule which names the letter itself takes over."""
    found = answers("abc", "abd", "xyz", runs=200)
    assert found.most_common(1)[0][0] == "xyd"
    assert not any(len(one) != 3 for one in found)


def test_several_changed_letters_are_beyond_the_scan() -> None:
    assert not answers("abc", "cba", "xyz", runs=5)
    with pytest.raises(MensuraError, match="small letters"):
        answers("abc", "ABD", "ijk")


def test_a_scan_follows_from_its_key() -> None:
    first, again, other = (answers("abc", "abd", "ijkk", runs=50, key=key) for key in (1, 1, 2))
    assert first == again
    assert first != other


# Matrices


def cell(number: int = 1, place: int = 0, form: int = 0, size: int = 0, fill: int = 0) -> Part:
    return number, place, form, size, fill


def grid(attribute: str, values: Sequence[int]) -> list[Part]:
    return [cell(**{attribute: value}) for value in values]


@pytest.mark.parametrize(
    ("attribute", "values", "missing"),
    [
        ("form", (0, 0, 0, 2, 2, 2, 4, 4), 4),
        ("number", (1, 2, 3, 4, 5, 6, 3, 4), 5),
        ("number", (1, 2, 3, 2, 2, 4, 5, 1), 6),
        ("number", (5, 2, 3, 6, 1, 5, 4, 2), 2),
        ("form", (0, 1, 2, 1, 2, 0, 2, 0), 1),
        ("place", (7, 8, 0, 3, 4, 5, 8, 0), 1),
    ],
)
def test_both_variants_know_four_rules(attribute: str, values: Sequence[int], missing: int) -> None:
    place = ("number", "place", "form", "size", "fill").index(attribute)
    for variant in (FAIR, BETTER):
        assert predicted(grid(attribute, values), variant)[place] == missing


def test_only_the_better_variant_knows_distribution_of_two_values() -> None:
    cells = grid("form", (0, 0, 3, 0, 3, 0, 3, 0))
    assert 2 not in predicted(cells, FAIR)
    assert predicted(cells, BETTER)[2] == 0


def test_only_the_better_variant_holds_five_rules() -> None:
    rows = [(1, 2, 3), (3, 4, 5), (5, 6)]
    cells = [(n, n, n % 2, n % 3, n % 3) for row in rows for n in row]
    cells = [(n, n, [0, 1, 2][k % 3], k % 3, k % 3) for k, (n, *_) in enumerate(cells)]
    assert len(predicted(cells, BETTER)) == 5
    assert sorted(predicted(cells, FAIR)) == [0, 1, 2]


def test_the_fair_variant_is_worse_where_rules_are_many_or_of_two_values() -> None:
    batch = generate("matrices", 200, 8)
    right = {}
    for variant in (FAIR, BETTER):
        seen = [Seen(FAMILIES["matrices"], one.shown, one.options) for one in batch.items]
        right[variant] = [
            values is not None
            and values[item.right] == max(values)
            and values.count(max(values)) == 1
            for item, one in zip(batch.items, seen, strict=True)
            for values in [Raven(variant).values(one)]
        ]
    two = [any(one[0] == "two" for one in drawn.rule) for drawn in batch.drawn]
    assert all(right[BETTER])
    assert not any(
        fair
        for fair, has, drawn in zip(right[FAIR], two, batch.drawn, strict=True)
        if has and sum(one[0] == "two" for one in drawn.rule) > 2
    )
    assert 0.4 < sum(right[FAIR]) / len(two) < 0.9


# All together


@pytest.mark.thorough
def test_the_table_of_the_ensemble_is_what_is_measured() -> None:
    """On fewer items than it was made of: nobody else is better by more than chance allows."""
    found = measured({family: generate(family, 120, 1).items for family in BEST})
    for family, shares in found.items():
        assert shares[BEST[family]] > max(shares.values()) - 0.05


def test_an_ensemble_asks_others_where_its_best_has_no_idea() -> None:
    kind = FAMILIES["letter-analogies"]
    odd = Seen(kind, (), tuple(map(letters, ("abc", "abd", "xyz"))))
    values = Ensemble().values(odd)
    assert values is not None
    assert values.index(max(values)) == 2


def test_a_scan_has_no_idea_of_other_families() -> None:
    for family in FAMILIES:
        if family != "letter-analogies":
            assert _ideas(TerracedScan(), family, generate(family, 10, 3).items) == 0
