"""Mappings of skeletons: laws, agreement with trying everything, and what follows from a mapping."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.texts.drawn import renumbered, rewired, skeleton

from mensura.agent.errors import MensuraError
from mensura.texts.mapping import Likeness, Mapping, Options, map_skeletons
from mensura.texts.skeleton_files import from_yaml
from mensura.texts.skeletons import Concept, Skeleton
from mensura.texts.solving import Effort, Problem, solve
from mensura.texts.structure import Structure

SOLAR = from_yaml(
    """
name: solar system
relations:
  - {id: pull, subject: sun, verb: attract, object: planet}
  - {id: turn, subject: planet, verb: revolve around, object: sun}
  - {id: heavy, subject: sun, verb: outweigh, object: planet}
  - [sun, warm, planet]
links:
  - [turn, because, pull]
""",
    "solar.yaml",
)
ATOM = from_yaml(
    """
name: atom
relations:
  - {id: turn, subject: electron, verb: revolve around, object: nucleus}
  - {id: pull, subject: nucleus, verb: attract, object: electron}
  - [nucleus, outweigh, electron]
  - [electron, repel, cloud]
links:
  - [turn, because, pull]
""",
    "atom.yaml",
)


def pairs_by_name(mapping: Mapping) -> dict[str, str]:
    return {
        mapping.source.told(one.source): mapping.target.told(one.target) for one in mapping.pairs
    }


@st.composite
def skeletons(draw: Any, most: int = 13) -> Skeleton:
    seed = draw(st.integers(0, 2**32 - 1))
    return small(np.random.default_rng(seed), most)


def small(rng: Any, most: int) -> Skeleton:
    """One of at most so many nodes."""
    concepts = int(rng.integers(2, max(3, most // 2)))
    relations = int(rng.integers(1, most - concepts + 1))
    links = int(rng.integers(0, max(1, min(3, relations - 1)))) if relations > 2 else 0
    return skeleton(rng, concepts, relations - links, links)


def most_in_common(one: Skeleton, two: Skeleton) -> int:
    """By trying all pairs of relations: the definition."""
    first, other = len(one.concepts), len(two.concepts)

    def search(k: int, image: dict[int, int]) -> int:
        if k == len(one.relations):
            return 0
        best = search(k + 1, image)
        taken = set(image.values())
        ends = (one.relations[k].subject, one.relations[k].object)
        for n, relation in enumerate(two.relations):
            if other + n in taken:
                continue
            more: dict[int, int] | None = {first + k: other + n}
            for a, b in zip(ends, (relation.subject, relation.object), strict=True):
                known = image.get(a)
                if (known is None and (a >= first or b >= other or b in taken)) or (
                    known is not None and known != b
                ):
                    more = None
                if more is None:
                    break
                more[a] = b
            if more is not None:
                best = max(best, 1 + search(k + 1, image | more))
        return best

    return search(0, {})


# Laws


@settings(max_examples=examples(15, 60), deadline=None)
@given(skeletons(30))
def test_a_skeleton_maps_onto_itself_in_all_it_has(one: Skeleton) -> None:
    found = map_skeletons(one, one)
    assert found.proved
    assert found.score == found.jaccard == found.semantic == 1.0
    assert found.inferences == ()


@settings(max_examples=examples(15, 60), deadline=None)
@given(skeletons(20), skeletons(20))
def test_scores_are_the_same_both_ways(one: Skeleton, two: Skeleton) -> None:
    forth, back = map_skeletons(one, two), map_skeletons(two, one)
    assert (forth.jaccard, forth.semantic, forth.score) == (back.jaccard, back.semantic, back.score)
    assert forth.image == {b: a for a, b in back.image.items()}


@settings(max_examples=examples(15, 60), deadline=None)
@given(skeletons(), skeletons(), st.integers(0, 2**32 - 1))
def test_numbers_of_nodes_change_nothing(one: Skeleton, two: Skeleton, seed: int) -> None:
    rng = np.random.default_rng(seed)
    effort = Options(effort=Effort(steps=1_000_000))
    found = map_skeletons(one, two, effort)
    other = map_skeletons(renumbered(rng, one), renumbered(rng, two), effort)
    assert found.proved
    assert other.proved
    assert found.common == other.common
    assert found.jaccard == other.jaccard
    assert found.score == pytest.approx(other.score, abs=1e-9)


@settings(max_examples=examples(15, 60), deadline=None)
@given(skeletons(30), skeletons(30))
def test_pairs_are_one_to_one_and_keep_roles(one: Skeleton, two: Skeleton) -> None:
    found = map_skeletons(one, two)
    image = found.image
    assert len(set(image.values())) == len(image) == len(found.pairs)
    assert found.common <= found.bound
    assert found.common == sum(k >= len(one.concepts) for k in image)
    for a, b in image.items():
        assert (a < len(one.concepts)) == (b < len(two.concepts))
        if a >= len(one.concepts):
            verb, other = one.node(a), two.node(b)
            assert image[verb.subject] == other.subject  # type: ignore[union-attr]
            assert image[verb.object] == other.object  # type: ignore[union-attr]
    assert all(0.0 <= pair.lin <= 1.0 for pair in found.pairs)


@settings(max_examples=examples(20, 80), deadline=None)
@given(skeletons(6), skeletons(6))
def test_trying_everything_finds_as_many_relations_in_common(one: Skeleton, two: Skeleton) -> None:
    found = map_skeletons(one, two)
    assert found.proved
    assert found.common == found.bound == most_in_common(one, two)


def anytime_and_exact(rng: Any, count: int) -> tuple[int, int]:
    """How often the search without a proof reaches the size of the exact one; and how often it claims more."""
    reached = more = 0
    for _ in range(count):
        one, two = Structure(small(rng, 13)), Structure(small(rng, 13))
        tables = Likeness(one.skeleton, two.skeleton, "common")
        problem = Problem(one, two, tables.concepts, tables.relations)
        anytime = solve(problem, Effort(steps=0))
        exact = solve(problem, Effort(steps=10_000_000))
        assert exact.proved
        assert anytime.bound >= exact.common
        reached += anytime.common == exact.common
        more += anytime.common > exact.common
    return reached, more


def test_the_anytime_search_reaches_the_exact_size_and_never_claims_more(full_size: bool) -> None:
    count = 200 if full_size else 70
    reached, more = anytime_and_exact(np.random.default_rng(1), count)
    assert reached >= 0.97 * count
    assert more == 0


@pytest.mark.thorough
def test_on_99_percent_of_10000_pairs_the_anytime_search_reaches_the_exact_size() -> None:
    reached, more = anytime_and_exact(np.random.default_rng(2), 10_000)
    assert reached >= 9_900
    assert more == 0


# Clones and likenesses


@pytest.mark.parametrize("words", [True, False])
def test_clones_of_300_nodes_are_mapped_as_a_whole(words: bool) -> None:
    rng = np.random.default_rng(5)
    for _ in range(3):
        one = skeleton(rng, 120, 165, 15, words=words)
        found = map_skeletons(one, renumbered(rng, one, words), Options(semantics=float(words)))
        assert found.proved
        assert found.jaccard == 1.0
        assert found.score == 1.0 or not words


def test_what_two_large_skeletons_share_is_found_by_their_words() -> None:
    rng = np.random.default_rng(5)
    one = skeleton(rng, 120, 165, 15)
    two = rewired(rng, one, 0.3)
    hidden = Problem(
        Structure(one), Structure(two), np.zeros((120, 120)), np.zeros((180, 180))
    ).extended(np.arange(120))
    found = map_skeletons(one, renumbered(rng, two))
    assert found.common >= int((hidden[120:] >= 0).sum())


def test_relations_that_are_alike_lead_where_no_concept_has_the_same_name() -> None:
    rng = np.random.default_rng(7)
    one = skeleton(rng, 120, 180)
    two = rewired(rng, one, 0.3)
    hidden = Problem(
        Structure(one), Structure(two), np.zeros((120, 120)), np.zeros((180, 180))
    ).extended(np.arange(120))
    other = renumbered(rng, two)
    unnamed = Skeleton(tuple(Concept(f"xyz_{k}") for k in range(120)), other.relations)
    share = map_skeletons(one, unnamed).common / int((hidden[120:] >= 0).sum())
    assert share > 0.9
    without = map_skeletons(one, unnamed, Options(semantics=0.0)).common
    assert without < share * int((hidden[120:] >= 0).sum()), "nothing but structure leads less far"


def test_with_more_effort_a_mapping_is_never_worse() -> None:
    rng = np.random.default_rng(3)
    little = Effort(steps=0, swaps=2_000, restarts=2, starts=1)
    better = 0
    for _ in range(3):
        one = skeleton(rng, 40, 70, words=False)
        two = renumbered(rng, rewired(rng, one, 0.3), words=False)
        common = [
            map_skeletons(one, two, Options(semantics=0.0, effort=little.times(k))).common
            for k in (1, 8)
        ]
        assert common[1] >= common[0]
        better += common[1] > common[0]
    assert better


# What a mapping says


def test_the_sun_is_the_nucleus() -> None:
    found = map_skeletons(SOLAR, ATOM)
    pairs = pairs_by_name(found)
    assert pairs["sun"] == "nucleus"
    assert pairs["planet"] == "electron"
    assert found.common == 4
    assert found.proved
    assert found.gap == 0
    assert found.jaccard == 6 / (7 + 8 - 6)
    assert found.relational == 1.0
    assert found.score == found.jaccard * found.semantic
    assert [one.sentence for one in found.inferences] == ["nucleus warm electron"]
    assert [found.target.told(k) for k in found.left_in_target] == ["cloud", "electron repel cloud"]


def test_structure_outvotes_words_unless_they_are_given_more_weight() -> None:
    one = from_yaml("relations: [[dog, chase, cat], [cat, believe, idea]]", "a.yaml")
    two = from_yaml(
        "relations: [[stone, melt, water], [water, weigh, noise], [dog, chase, cat]]", "b.yaml"
    )
    assert pairs_by_name(map_skeletons(one, two))["dog"] == "stone"
    heavy = map_skeletons(one, two, Options(semantics=50.0))
    assert pairs_by_name(heavy)["dog"] == "dog"
    assert heavy.common == 1


def test_words_decide_where_structure_does_not() -> None:
    one = from_yaml("relations: [[dog, chase, cat], [king, rule, land]]", "a.yaml")
    two = from_yaml("relations: [[queen, govern, country], [wolf, follow, lion]]", "b.yaml")
    pairs = pairs_by_name(map_skeletons(one, two))
    assert (pairs["dog"], pairs["king"]) == ("wolf", "queen")


def test_the_generic_space_is_what_both_words_are() -> None:
    one = from_yaml("relations: [[dog, chase, mouse]]", "a.yaml")
    two = from_yaml("relations: [[cat, chase, bird]]", "b.yaml")
    found = map_skeletons(one, two)
    generic = {one.told(pair.source): pair.generic for pair in found.pairs}
    assert generic["dog"] == "carnivore"
    assert generic["dog chase mouse"] == "chase"


def test_required_pairs_are_kept() -> None:
    found = map_skeletons(SOLAR, ATOM, Options(required={"sun": "electron"}))
    assert pairs_by_name(found)["sun"] == "electron"
    assert found.common < 4


@pytest.mark.parametrize(
    ("required", "sentence"),
    [
        ({"son": "nucleus"}, r"'son' is no concept of the source; did you mean sun\?"),
        ({"sun": "attract"}, "'attract' is no concept of the target"),
        ([("sun", "nucleus"), ("sun", "electron")], "the same concept"),
    ],
)
def test_a_required_pair_that_cannot_be_is_refused(required: Any, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        map_skeletons(SOLAR, ATOM, Options(required=required))


def test_what_is_about_something_without_a_counterpart_is_said_to_be() -> None:
    found = map_skeletons(ATOM, SOLAR)
    assert [one.sentence for one in found.inferences] == ["planet repel something like cloud"]
    assert not found.inferences[0].grounded


def test_a_skeleton_without_a_relation_is_refused() -> None:
    with pytest.raises(MensuraError, match="has no relation"):
        map_skeletons(Skeleton((), ()), ATOM)
