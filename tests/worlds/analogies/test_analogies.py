"""Analogies: answers that are proved, stories that say what arrays say, and subjects that do as they should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.api.making import make
from mensura.core.abilities import hosting
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.studies.subjects import resolve
from mensura.testing import check_world
from mensura.texts.graphs import Graph, Relation, Search, is_proved
from mensura.worlds.analogies import words
from mensura.worlds.analogies.picture import read_rows, read_structures
from mensura.worlds.analogies.problems import Size, looks_of, sizes
from mensura.worlds.analogies.rows import LARGER, LEFT, graph_of, read_row, row_of, told_row
from mensura.worlds.analogies.subjects.choosers import LookAlike, Seen, StructureMapper
from mensura.worlds.analogies.world import Analogies, _read

PRESETS = tuple(Analogies.presets)


def scores(world: Analogies, subject: str, count: int) -> list[float]:
    """What a subject gains in so many problems."""
    chosen = resolve(subject, world)
    hosted = hosting(world, chosen)
    found = []
    player = chosen.sit(1)
    for number in range(count):
        environment = hosted.build(hosted.sample(number))
        episode = drive(play(environment, number, world=hosted.id, seed=number), player)
        assert not episode.faults
        found.append(episode.rewards[0])
    player.close()
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("surface", ["story", "arrays"])
def test_every_preset_keeps_the_contract(preset: str, surface: str) -> None:
    assert check_world(make("analogies", preset=preset, surface=surface)) == []


@settings(max_examples=examples(10, 25), deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(PRESETS))
def test_answers_are_proved(seed: int, preset: str) -> None:
    world = make("analogies", preset=preset, largest=45.0)
    one = world._read(world.sample(seed))
    search = Search(one.base, one.target)
    best = search.best().common
    mapped = [k for k, to in enumerate(one.pairs) if to >= 0]
    asked = mapped if preset in ("mapping", "inference") else [one.asked]
    if preset == "retrieval":
        assert len(one.others) == 4
        for other in one.others:
            assert Search(one.base, other).best().common < best
        return
    for concept in asked:
        assert search.best_with(concept, one.pairs[concept]).common == best
        for other in range(one.target.concepts):
            if other != one.pairs[concept]:
                assert search.best_with(concept, other).common < best
    if preset == "inference":
        led_to = [
            (r.label, one.pairs[r.first], one.pairs[r.second])
            for r in one.base.relations
            if r.first < one.base.concepts > r.second
        ]
        assert [option in led_to for option in one.options].count(True) == 1
        assert one.options[one.right] in led_to
        assert one.options[one.right] not in one.target.relations


@settings(max_examples=examples(16, 40), deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from(["words", "syllables"]),
    st.sampled_from([-1.0, 0.0, 1.0]),
)
def test_a_story_says_what_the_arrays_say(seed: int, names: str, pull: float) -> None:
    world = make("analogies", names=names, pull=pull, largest=120.0)
    one = world._read(world.sample(seed))
    for side, graph in enumerate((one.base, one.target)):
        called = one.names[side]
        told = words.told(graph, called, side)
        assert words.read(told, called, side) == words.structure(graph, called)


@settings(max_examples=examples(8, 20), deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(PRESETS), st.sampled_from(["words", "syllables"]))
def test_a_drawing_tells_what_the_arrays_tell(seed: int, preset: str, names: str) -> None:
    world = make("analogies", preset=preset, names=names, surface="drawing")
    one = world._read(world.sample(seed))
    environment = world.build(world.sample(seed))
    turn = environment.reset(1)
    drawing = turn.observations[0]["drawing"]
    if one.is_row:
        for side, (graph, called) in enumerate(read_rows(drawing)):
            order, _ = row_of(one.shown[side])
            assert called == [one.shown_names[side][k] for k in order]
            assert [heights(graph, k) for k in range(len(order))] == [
                heights(one.shown[side], k) for k in order
            ]
        return
    assert read_structures(drawing) == [
        words.structure(graph, called)
        for graph, called in zip(one.shown, one.shown_names, strict=True)
    ]


def heights(graph: Graph, concept: int) -> int:
    """How many a shape is larger than."""
    return sum(r.label == LARGER and r.first == concept for r in graph.relations)


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(*[st.permutations(range(n))] * 2)))
def test_a_row_is_told_as_it_is(drawn: tuple[list[int], list[int]]) -> None:
    sizes_, numbers = drawn
    graph = graph_of(sizes_, numbers)
    order, height = row_of(graph)
    assert (order, [height[k] for k in order]) == (list(numbers), list(sizes_))
    names = [f"shape{k}" for k in range(len(numbers))]
    assert read_row(told_row(graph, names), names) == graph


def test_what_is_no_row_is_refused() -> None:
    graph = graph_of([0, 1, 2], [0, 1, 2])
    with pytest.raises(ValueError, match="row"):
        row_of(Graph(3, graph.relations[:-1]))
    with pytest.raises(ValueError, match="row"):
        row_of(Graph(3, tuple(Relation(LEFT, *pair) for pair in ((0, 1), (1, 2), (2, 0)))))


def test_the_figure_of_the_paper_is_answered_by_place_and_not_by_form() -> None:
    """Figure 1: asked is the circle at the right end; in the second row the circle is in the middle."""
    base, target = graph_of([0, 1, 2], [0, 1, 2]), graph_of([0, 1, 2], [0, 1, 2])
    assert is_proved(base, target, 2, 2)
    looks = ([0, 1, 2], [1, 2, 0])
    seen = Seen(base, target, looks, 2, (0, 1, 2), ())
    assert np.argmax(StructureMapper().values(seen, 2)) == 2
    assert np.argmax(LookAlike().values(seen, 2)) == 1


def test_rows_are_asked_for_counterparts_only() -> None:
    with pytest.raises(MensuraError, match="rows"):
        make("analogies", material="rows", asks="retrieval")


def test_the_look_alike_takes_the_story_that_looks_alike() -> None:
    found = {
        pull: np.mean(
            scores(make("analogies", preset="retrieval", pull=pull), "look-alike", examples(12, 40))
        )
        for pull in (-1.0, 1.0)
    }
    assert found == {-1.0: -0.25, 1.0: 1.0}


@settings(max_examples=examples(12, 30), deadline=None)
@given(st.integers(0, 2**32), st.floats(22.0, 90.0))
def test_problems_are_drawn_within_an_interval_of_bits(seed: int, low: float) -> None:
    world = Analogies()
    description = world.sample(seed, ("bits", low, low + 5))
    assert low <= world.complexity(description, "bits") <= low + 5
    count = len(_read(description).base.relations)
    distractors = world.complexity(description, "distractors")
    assert world.complexity(description, "relations") + distractors == count


def test_what_cannot_be_drawn_is_one_sentence() -> None:
    with pytest.raises(MensuraError, match="bits"):
        Analogies().sample(1, ("bits", 500.0, 600.0))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_structure_mapper_is_right_whatever_names_say(preset: str, full_size: bool) -> None:
    count = 15 if full_size else 4
    for pull in (-1.0, 0.0, 1.0):
        world = make("analogies", preset=preset, pull=pull)
        assert scores(world, "structure-mapper", count) == [1.0] * count


@pytest.mark.thorough
def test_reliance_on_looks_is_seen_in_who_has_nothing_else() -> None:
    found = {
        pull: float(np.mean(scores(make("analogies", pull=pull), "look-alike", 120)))
        for pull in (-1.0, 0.0, 0.5, 1.0)
    }
    assert found[1.0] == 1.0
    assert found[-1.0] < -0.2
    assert abs(found[0.0]) < 0.2
    assert 0.3 < found[0.5] < 0.8


def test_neither_names_nor_options_give_answers_away(full_size: bool) -> None:
    """A classifier that sees how options are called and where they stand does no better than chance."""
    world = Analogies(largest=45.0)
    half = 300 if full_size else 100
    features, right = [], []
    nouns = {name: k for k, pair in enumerate(words.NOUNS) for name in pair}
    for seed in range(2 * half):
        one = world._read(world.sample(seed))
        asked = nouns[one.names[0][one.asked]]
        rows = [
            [place, place == 0, place == 3, nouns[name], nouns[name] == asked,
             (nouns[name] - asked) / 40, (nouns[name] * asked) % 7]
            for place, name in enumerate(one.names[1][k] for k in one.among)
        ]  # fmt: skip
        features.append(np.array(rows, float))
        right.append(one.right)
    train, test = slice(0, half), slice(half, 2 * half)
    x = np.concatenate(features[train])
    y = np.concatenate(
        [np.arange(len(rows)) == k for rows, k in zip(features[train], right[train], strict=True)]
    ).astype(float)
    weights, *_ = np.linalg.lstsq(np.c_[x, np.ones(len(x))], y, rcond=None)
    hits = [
        int(np.argmax(np.c_[rows, np.ones(len(rows))] @ weights)) == k
        for rows, k in zip(features[test], right[test], strict=True)
    ]
    chance = np.array([1 / len(rows) for rows in features[test]])
    spread = np.sqrt((chance * (1 - chance)).sum())
    assert abs(sum(hits) - chance.sum()) < 3.5 * spread


def test_cross_mappings_name_every_counterpart_like_another() -> None:
    world = Analogies(pull=-1.0)
    for seed in range(20):
        one = world._read(world.sample(seed))
        for k, to in enumerate(one.pairs):
            if to >= 0:
                assert one.looks[1][to] != one.looks[0][k]
                assert one.looks[1][to] in one.looks[0]


@pytest.mark.parametrize("pull", [-1.0, -0.4, 0.0, 0.4, 1.0])
def test_pull_is_the_share_of_concepts(pull: float) -> None:
    from mensura.worlds.analogies.problems import draw

    rng = np.random.default_rng(2)
    problem = draw(rng, Size(5, 7, 1, 2), kinds=3, margin=1, whole=False, infers=False)
    assert problem is not None
    base, target = looks_of(rng, problem, pull)
    alike = sum(target[to] == base[k] for k, to in enumerate(problem.pairs) if to >= 0)
    other = sum(target[to] in base for to in problem.pairs if to >= 0)
    assert (alike, other) == (
        (round(5 * pull), round(5 * pull)) if pull > 0 else (0, round(-5 * pull))
    )


def test_sizes_grow_in_bits() -> None:
    assert [one.bits(3) for one in sizes(3)] == sorted(one.bits(3) for one in sizes(3))
    assert Size(5, 6, 0, 0).bits(3) < Size(5, 6, 1, 0).bits(3) < Size(5, 6, 1, 1).bits(3)


@pytest.mark.parametrize(
    "change",
    [
        {"asked": 40}, {"right": -1}, {"pairs": [0]}, {"base": {"concepts": 2, "relations": [[0, 0, 0]]}},
        {"called": [["a"], ["b"]]}, {"size": [1, 1, 1, 1]}, {"options": [[0, 0, 1]]}, {"looks": [[], []]},
    ],
)  # fmt: skip
def test_a_forged_problem_is_refused(change: dict[str, Any]) -> None:
    world = Analogies()
    plain = {**world.sample(1).to_json(), **change}
    with pytest.raises(MensuraError):
        world.build(world.describe_from_json(plain))


def test_an_answer_that_is_not_proved_is_refused() -> None:
    world = Analogies()
    plain = world.sample(1).to_json()
    one = world._read(world.sample(1))
    wrong = (one.right + 1) % 4
    pairs = list(one.pairs)
    pairs[one.asked] = one.among[wrong]
    plain = {**plain, "pairs": pairs, "right": wrong}
    with pytest.raises(MensuraError):
        world.build(world.describe_from_json(plain))


def test_guessing_is_worth_nothing(full_size: bool) -> None:
    graph = Graph(2, ())
    assert graph.orders == ()
    found = scores(Analogies(), "random", 400 if full_size else 100)
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(len(found))


@pytest.mark.thorough
def test_dr_inventor_reads_what_the_stories_tell() -> None:
    for preset, least in (("element", 0.7), ("mapping", 0.6), ("inference", 0.4)):
        world = make("analogies", preset=preset, pull=-1.0, largest=40.0)
        assert np.mean(scores(world, "dr-inventor", 8)) > least


def test_dr_inventor_guesses_where_nothing_is_told() -> None:
    for surface in ("arrays", "drawing"):
        found = scores(make("analogies", surface=surface), "dr-inventor", 12)
        assert set(np.round(found, 3)) <= {1.0, -0.333}
    assert len(scores(make("analogies", preset="mapping", surface="arrays"), "dr-inventor", 2)) == 2
