"""The grammars of the families: rules by hand, and enumerators against trying every rule."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mensura.worlds.items.families import geometric_analogies as geometric
from mensura.worlds.items.families import letter_analogies as analogies
from mensura.worlds.items.families import letter_series as letters
from mensura.worlds.items.families import matrices
from mensura.worlds.items.families import number_series as numbers
from mensura.worlds.items.families import odd_one_out as odd
from mensura.worlds.items.families.family import MARGIN, Dice
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.generator import generate

pytestmark = pytest.mark.quick


def test_a_letter_series_is_written_by_pointers() -> None:
    rule = (1, ((0, 1), (1, 0)))
    series = letters.written(rule, [2, 0], 8)
    assert "".join(FAMILIES["letter-series"].text((one,)) for one in series) == "cadaeafa"


def test_the_bits_of_a_letter_series_are_counted_by_hand() -> None:
    told = FAMILIES["letter-series"].complexities((1, ((0, 1), (1, 0))))
    assert told["bits"] == pytest.approx(2 + np.log2(3) + 1 + 2 * (2 + 1))


def test_rivals_of_letter_series_are_those_that_trying_every_rule_finds() -> None:
    family = FAMILIES["letter-series"]
    still = [(1, tuple((owner, 0) for owner in owners)) for owners in letters.PARTITIONS]
    for item in generate("letter-series", 6, 4).items:
        series = [part[0] for part in item.shown]
        found: dict[int, float] = {}
        for rule in (*family.rules.rules, *still):
            places = rule[1]
            starts: dict[int, int] = {}
            zero = letters.written(rule, [0, 0, 0], len(series) + 1)
            for i, letter in enumerate(series):
                starts.setdefault(places[i % len(places)][0], (letter - zero[i]) % 26)
            made = letters.written(rule, [starts.get(i, 0) for i in range(3)], len(series) + 1)
            if made[:-1] == series:
                bits = family.complexities(rule)["bits"]
                found[made[-1]] = min(bits, found.get(made[-1], bits))
        assert letters.rivals(series) == pytest.approx(found)


@pytest.mark.parametrize(
    ("terms", "answer"),
    [
        ([3, 5, 7, 9, 11, 13, 15, 17], 19),
        ([1, 1, 2, 3, 5, 8, 13, 21], 34),
        ([2, 3, 5, 9, 17, 33, 65, 129], 257),
        ([1, 10, 2, 20, 3, 40, 4, 80, 5, 160], 6),
    ],
)
def test_the_cheapest_rule_of_a_number_series_is_the_one_people_see(
    terms: list[int], answer: int
) -> None:
    found = numbers.rivals(terms, 60.0)
    assert min(found, key=found.__getitem__) == answer


def test_rivals_of_number_series_are_those_that_trying_every_tree_finds() -> None:
    family = FAMILIES["number-series"]
    trees = numbers.bank()
    two = [tree for group in trees.two for tree in numbers._listed(group, trees.small)]
    for item in generate("number-series", 4, 4).items:
        terms = [part[0] for part in item.shown]
        found: dict[int, float] = {}
        for tree in (*trees.small, *two):
            made = numbers.function_of(tree)
            count = len(terms)
            if all(made(i + 1, terms[i - 1], terms[i - 2]) == terms[i] for i in range(2, count)):
                answer, bits = made(count + 1, terms[-1], terms[-2]), numbers.bits_of(tree)
                found[answer] = min(bits, found.get(answer, bits))
        assert numbers.fits(terms, 2, 100.0) == pytest.approx(found)
    assert family.complexities(("+", "previous", 1))["operations"] == 1


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        (("letter", "last", "successor"), "ijkl"),
        (("group", "last", "successor"), "ijll"),
        (("group", "last", "drop"), "ij"),
        (("group", "all", "double"), "ijkkkk"),
        (("letter", 2, "predecessor"), "iikk"),
        (("whole", "all", "reverse"), "kkji"),
        (("letter", "first", "swap"), "jikk"),
    ],
)
def test_a_change_is_made_by_role(change: tuple[str, str | int, str], answer: str) -> None:
    family = FAMILIES["letter-analogies"]
    made = analogies.changed(family.read("ijkk"), change)
    assert made is not None
    assert family.text(made) == answer


def test_abc_abd_has_two_answers_for_ijkk() -> None:
    family = FAMILIES["letter-analogies"]
    found = analogies.rivals(*map(family.read, ("abc", "abd", "ijkk")), 9.0)
    assert {"ijkl", "ijll"} <= {family.text(one) for one in found}


def test_a_row_of_a_matrix_follows_its_relation() -> None:
    dice = Dice(3)
    for attribute in range(5):
        for relation in matrices.relations(attribute):
            rows = matrices.values_of(relation, attribute, dice)
            found = matrices.rivals(attribute, [rows[0], rows[1], rows[2][:2]])
            assert rows[2][2] in found
    assert matrices.rivals(matrices.NUMBER, [[0, 1, 2], [2, 0, 3], [1, 1]]) == {
        3: pytest.approx(np.log2(6))
    }


def test_a_scene_is_mirrored() -> None:
    family = FAMILIES["geometric-analogies"]
    scene = family.read("left: small white star turned 90, large gray cross turned 0, nothing")
    assert family.text(geometric.applied((("mirror",),), scene)) == (
        "left: large gray cross turned 0, small white star turned 270, nothing"
    )
    copied = geometric.applied((("add", "second"), ("remove", "first")), scene)
    assert family.text(copied) == (
        "left: nothing, large gray cross turned 0, large gray cross turned 0"
    )


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["letter-analogies", "geometric-analogies"])
def test_no_kept_analogy_has_another_answer_within_the_margin(name: str) -> None:
    family = FAMILIES[name]
    batch = generate(name, 20, 9)
    for one, item in zip(batch.drawn, batch.items, strict=True):
        bits = family.complexities(one.rule)["bits"]
        for rule in family.rules.rules:
            if family.complexities(rule)["bits"] < bits + MARGIN - 1e-9:
                if name == "letter-analogies":
                    made = [
                        analogies.applied(rule, part) for part in (item.shown[0], item.shown[2])
                    ]
                else:
                    made = [
                        geometric.applied(rule, part) for part in (item.shown[0], item.shown[2])
                    ]
                assert made[0] != item.shown[1] or made[1] in (item.answer, None)


def test_pairs_that_rules_single_out_are_those_that_trying_every_rule_finds() -> None:
    """Rules of two parts that are drawn, and those that only are rivals."""
    differs = [("differs", attribute) for attribute in odd.ATTRIBUTES]
    two = [(kind, *pair) for pair in combinations(odd.ATOMS, 2) for kind in ("iff", "xor")]
    for item in generate("odd-one-out", 12, 4).items:
        found: dict[int, float] = {}
        for rule in (*odd.ATOMS, *differs, *two):
            truths = [odd.holds(rule, pair) for pair in item.options]
            if sum(truths) == len(truths) - 1:
                number, bits = truths.index(False), odd.bits_of(rule)
                found[number] = min(bits, found.get(number, bits))
        assert odd.singled_out(item.options) == pytest.approx(found)
        others = [bits for number, bits in found.items() if number != item.right]
        assert min(others, default=99.0) >= found[item.right] + MARGIN - 1e-9


def test_the_bits_of_an_odd_one_out_are_counted_by_hand() -> None:
    family = FAMILIES["odd-one-out"]
    same = family.complexities(("same", "form"))
    assert same["bits"] == pytest.approx(1 + np.log2(3) + np.log2(3))
    both = family.complexities(("iff", ("same", "form"), ("same", "size")))
    assert both["bits"] == pytest.approx(2 + 4 * np.log2(3))
    assert both["kt"] == pytest.approx(both["bits"] + np.log2(3))


def test_kt_is_bits_and_the_logarithm_of_operations() -> None:
    told = FAMILIES["letter-series"].complexities((1, ((0, 1), (1, -1))))
    assert told["kt"] == pytest.approx(told["bits"] + 1)


@pytest.mark.parametrize("count", [2, 4])
def test_options_of_letter_analogies_are_the_answers_of_rules_that_could_be_asked_for(
    count: int,
) -> None:
    batch = generate("letter-analogies", 30, 8, None, count)
    for one, item in zip(batch.drawn, batch.items, strict=True):
        answers = set()
        for rule in analogies._block_of()[one.rule]:
            lowest = min(item.shown[2])
            asked = tuple(letter - lowest for letter in item.shown[2])
            made = analogies.applied(rule, asked)
            if made is not None:
                answers.add(tuple(letter + lowest for letter in made))
        assert set(item.options) <= answers
