"""Profiles from Python: what is measured, what is said of it, and that the same seed gives the same page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.reports.reading import check

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.api import profiling
from mensura.api.naming import named
from mensura.api.profile_sizes import FULL, QUICK, Size, expected_seconds, work
from mensura.api.profiling import measure, set_up
from mensura.statistics.transfer import NORMS

SMALL = Size(24, 2, 16, 2, 1, 6, 16, (0.0, 1.0), 4, False, 1, 3)


TINY = Size(8, 2, 16, 1, 1, 6, 16, (0.0, 1.0), 2, False, 1, 1)
"""Too little to tell anything, but with every part."""


class Idle:
    """Does nothing, whatever happens."""

    def act(self, observation: Any, reward: float) -> int:
        return 0


def small(subjects: Any, world: Any = "lambda", size: Size = SMALL, **given: Any) -> ms.Profile:
    setup = set_up(named(subjects, True), ms.make(world), size, seed=1, **given)
    return measure(setup, given.get("level"), quick=True, tell=lambda part: None)


@pytest.fixture(scope="module")
def found() -> ms.Profile:
    return small(["q-learning", Idle], references=["sarsa", "follower", "oracle"])


@pytest.fixture(scope="module")
def tiny() -> ms.Profile:
    return small("q-learning", size=TINY, references=["sarsa"])


def test_a_tiny_profile_has_every_part_and_says_so(tiny: ms.Profile) -> None:
    (one,) = tiny.profiles
    assert one.table is not None
    assert one.breakdowns
    assert one.understanding is not None
    assert one.behavior is not None
    assert one.behavior.costs.shape == (1, 100)
    assert one.performance.best_name == "sarsa"
    assert any(said.startswith("The strongest points of q-learning: ") for said in tiny.sentences)
    data = json.loads(json.dumps(tiny.to_json()))
    assert data["profiles"][0]["understanding"]["predict"]["value"] is None
    assert "not measured" in str(tiny)


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_tiny_profile(tiny: ms.Profile) -> None:
    assert small("q-learning", size=TINY, references=["sarsa"]).to_json() == tiny.to_json()


@pytest.mark.usefixtures("words_only")
def test_the_page_of_a_tiny_profile_has_all_sections(tiny: ms.Profile, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    text = tiny.report(tmp_path / "p.html").read_text(encoding="utf-8")
    check(text)
    for anchor in ("points", "transfer", "forgetting", "robustness", "understanding", "behavior"):
        assert f'<h2 id="{anchor}">' in text


@pytest.mark.thorough
def test_every_part_is_there(found: ms.Profile) -> None:
    one = found.profiles[0]
    assert one.table is not None
    assert len(one.losses) == len(one.pairs) == 2
    assert one.breakdowns
    assert one.understanding is not None
    assert one.behavior is not None
    assert one.behavior.costs.shape == (3, 100)
    assert one.performance.best_name == "oracle"
    assert one.trust is not None
    assert {point.against for point in one.points} >= {"the median reference", "no training"}


@pytest.mark.thorough
def test_the_paragraph_tells_points_with_their_probability(found: ms.Profile) -> None:
    text = " ".join(found.sentences)
    assert "The strongest points of q-learning: " in text
    assert "(probability " in text
    assert "In the same environments the performance of q-learning is above that of Idle" in text


@pytest.mark.thorough
def test_who_does_nothing_did_not_try(found: ms.Profile) -> None:
    tried, idle = (one.motivation for one in found.profiles)
    assert tried is not None
    assert tried.tried
    assert idle is not None
    assert not idle.tried
    assert any(sentence.startswith("Idle did not try") for sentence in found.sentences)


@pytest.mark.thorough
def test_what_cannot_be_measured_is_said_and_is_no_0(found: ms.Profile) -> None:
    idle = found.profiles[1]
    assert idle.understanding is not None
    data = json.loads(json.dumps(found.to_json()))
    assert data["profiles"][1]["understanding"]["predict"]["value"] is None
    assert "not measured" in str(found)


@pytest.mark.thorough
def test_a_page_has_all_sections_and_is_the_same_again(found: ms.Profile, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    text = found.report(tmp_path / "p.html").read_text(encoding="utf-8")
    page = check(text)
    for anchor in ("points", "transfer", "split", "forgetting", "robustness", "understanding"):
        assert f'<h2 id="{anchor}">' in text
    assert "<strong>Idle did not try.</strong>" in text
    assert text == found.page()
    assert page.tables is not None


@pytest.mark.thorough
def test_the_same_seed_gives_the_same() -> None:
    one, two = (small("q-learning", references=["sarsa"]) for _ in range(2))
    assert one.to_json() == two.to_json()


@pytest.mark.thorough
def test_time_and_energy_count_where_a_world_has_them() -> None:
    tiny = Size(4, 2, 16, 2, 1, 6, 16, (0.0, 1.0), 2, False, 1, 1)
    world = ms.make("framotec")
    setup = set_up(
        named("plotter"), world, tiny, seed=1, weights=(0.5, 0.25, 0.25), references=["coasting"]
    )
    one = profiling.parts.measure_performance(setup)
    plain = profiling.parts.measure_performance(set_up(
        named("plotter"), world, tiny, seed=1, references=["coasting"]))  # fmt: skip
    assert not (one.p["plotter"] == plain.p["plotter"]).all()
    assert {"time", "energy"} <= set(profiling.parts.performance_of(setup, one, "plotter").measures)
    with pytest.raises(MensuraError, match="The least time of these episodes is not known"):
        profiling.parts.measure_performance(
            set_up(named("q-learning"), ms.make("lambda"), tiny, seed=1, weights=(0.5, 0.5, 0.0))
        )


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"subjects": ["random", "q-learning", "sarsa"]}, "3 subjects were named"),
        ({"level": 1.5}, "1.5"),
        ({"weights": (0.5, 0.2, 0.2)}, "their sum is 1"),
        (
            {"norm": "taxi"},
            "'taxi' is no distance between tasks; manhattan, euclidean, chebyshev are.",
        ),
        ({"references": ["random"]}, "random cannot be a reference"),
        ({"subjects": "nobody"}, "nobody"),
    ],
)
def test_bad_input_is_one_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        ms.profile(**{"subjects": "q-learning", "quick": True, "seed": 1, **given})


def test_more_is_more_work() -> None:
    quick, full = work(QUICK, 8), work(FULL, 14)
    assert all(full[part] > quick[part] for part in quick)


def test_the_time_is_foretold_from_what_beginning_takes_and_what_more_takes() -> None:
    def seconds(size: Size) -> dict[str, float]:
        return {part: 2.0 + 0.001 * much for part, much in work(size, 14).items()}

    foretold = expected_seconds(FULL, 14, seconds)
    assert foretold == pytest.approx(sum(seconds(FULL).values()))
    assert sum(seconds(FULL).values()) > 100 * 2.0 * len(seconds(FULL))


def test_distances_are_by_the_norm_that_is_asked_for() -> None:
    tiny = replace(SMALL, tasks=3)
    far: dict[str, Any] = {}
    for norm in NORMS:
        setup = set_up(named("random"), ms.make("lambda"), tiny, norm=norm, seed=1)
        table = profiling.parts.measure_transfer(setup, "random", "raw").table
        far[norm] = table.apart
    assert (far["manhattan"] >= far["euclidean"]).all()
    assert (far["euclidean"] >= far["chebyshev"]).all()
    assert far["manhattan"].max() > far["chebyshev"].max()
