"""Tasks that tell subjects apart."""

from __future__ import annotations

import json
from typing import Any

import pytest

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.studies.choosing import candidates


@pytest.fixture(scope="module")
def found() -> ms.Choice:
    world = ms.make("lambda-star", subjects=1, horizon=10, rows=4, cols=4)
    return ms.choose(["random", "oracle"], world, episodes=10, most=4, seed=1)


def test_candidates_are_ranked_and_the_best_comes_first(found: ms.Choice) -> None:
    bits = [one.bits.value for one in found.candidates]
    assert bits == sorted(bits, reverse=True)
    assert len(bits) == 4
    assert found.best.bits.value > 0.3
    assert {one.candidate.manner for one in found.candidates} == {"construct", "adapt", "select"}


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_bits(found: ms.Choice) -> None:
    world = ms.make("lambda-star", subjects=1, horizon=10, rows=4, cols=4)
    again = ms.choose(["random", "oracle"], world, episodes=10, most=4, seed=1)
    assert [one.bits for one in again.candidates] == [one.bits for one in found.candidates]
    assert [one.means for one in again.candidates] == [one.means for one in found.candidates]


def test_what_was_found_is_shown(found: ms.Choice) -> None:
    assert "bits per minute" in str(found)
    assert "tells random and oracle apart best" in found.sentences[0]
    data = json.loads(json.dumps(found.to_json()))
    assert data["candidates"][0]["bits"] == found.best.bits.value


@pytest.mark.parametrize("about", ["robustness", "learning"])
def test_other_things_can_be_asked_about(about: str) -> None:
    world = ms.make("echo", longest=0, horizon=8)
    told = ms.choose(["random", "q-learning"], world, about, episodes=6, most=2, training=3, seed=1)
    assert len(told.candidates) == 2
    assert told.about == about


@pytest.mark.thorough
def test_processes_find_the_same_as_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {"episodes": 6, "most": 3, "seed": 1}
    subjects = ["random", "q-learning"]
    by_threads = ms.choose(subjects, "echo", "robustness", **given)
    monkeypatch.setattr("mensura.api.choosing.WORTH_PROCESSES", 0.0)
    by_processes = ms.choose(subjects, "echo", "robustness", **given)
    assert [one.bits for one in by_processes.candidates] == [
        one.bits for one in by_threads.candidates
    ]
    assert by_processes.candidates[0].means == by_threads.candidates[0].means


def test_about_robustness_noise_is_no_candidate_beside_the_world_as_it_is() -> None:
    world = ms.make("echo")
    names = [one.name for one in candidates(world, {}, 40, "robustness")]
    assert "observation-noise 0.3" not in names
    assert "observation-noise 0.3" in [one.name for one in candidates(world, {}, 40)]


def test_a_class_of_ones_own_takes_part() -> None:
    class Mine:
        def act(self, observation: Any, reward: float) -> int:
            return 0

    told = ms.choose([Mine, "random"], ms.make("echo", horizon=5), episodes=5, most=1, seed=1)
    assert told.subjects == ("Mine", "random")


def test_sample_tasks_perturbations_and_parameters_are_candidates() -> None:
    names = {one.name for one in candidates(ms.make("framotec"), {}, 40)}
    assert {"as it is", "task=parking", "observation-noise 0.3", "horizon=480"} <= names
    assert "preset authors-2016" in names
    assert "task=car-race" not in names  # as it is


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"between": ["random"]}, "name two or more"),
        ({"about": "robustnes"}, "Nothing is known about 'robustnes'; did you mean robustness"),
        ({"episodes": 2}, "2 episodes are too few; at least 5 are needed"),
        ({"most": 0}, "0 candidates are too few"),
        ({"between": ["random", "nobody"]}, "There is no subject 'nobody'"),
        ({"between": ["random", "openai:toy"]}, "costs much"),
    ],
)
def test_bad_input_is_one_sentence(given: dict[str, Any], why: str) -> None:
    usual: dict[str, Any] = {"between": ["random", "planner"], "world": "lambda", "seed": 1}
    with pytest.raises(MensuraError, match=why):
        ms.choose(**{**usual, **given})
