"""Scripted models: asked like language models, of the ability that they are said to have."""

from __future__ import annotations

import pytest
from tests.sizes import examples

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.agents.address import parse
from mensura.agents.language_model.scripted import Script, read_script
from mensura.core.registry import WORLDS
from mensura.studies.subjects import resolve


def assessed(*subjects: str, world: str = "lambda", episodes: int = 30) -> dict[str, float]:
    shape = {"subjects": 1} if world == "lambda-star" else {}
    result = ms.assess(
        list(subjects),
        world=ms.make(world, horizon=20, **shape),
        assessment="battery",
        episodes=episodes,
        seed=3,
    )
    return {one.label: one.score for one in result.scores}


@pytest.mark.parametrize("world", ["lambda", "lambda-star"])
def test_with_ability_1_it_scores_as_its_guide_does(world: str) -> None:
    scores = assessed("oracle", "scripted:all?ability=1", world=world, episodes=20)
    # Not to the bit: where several actions are as good, an oracle draws one, and draws are everybody's own.
    assert scores["scripted:all?ability=1"] == pytest.approx(scores["oracle"], abs=0.05)
    assert scores["oracle"] > 0.7


def test_scores_rise_with_ability() -> None:
    names = [f"scripted:a?ability={ability}" for ability in (0, 0.5, 0.9)]
    scores = assessed(*names, episodes=examples(15, 30))
    assert [scores[name] for name in names] == sorted(scores.values())
    assert scores[names[0]] == pytest.approx(0.0, abs=0.12)


def test_ability_may_rise_within_an_episode() -> None:
    script = read_script(parse("scripted:learner?ability=0&late_ability=1")[0])
    assert [script.at(at, 11) for at in (0, 5, 10, 20)] == [0.0, 0.5, 1.0, 1.0]
    assert script.at(5, None) == 0.0
    assert script.mean_ability == 0.5
    assert Script(0.3).at(5, 11) == 0.3


def test_refusals_are_faults_and_cost_a_second_request() -> None:
    result = ms.assess(
        "scripted:no?ability=1&refuses=1&price_in=1&price_out=1",
        world=ms.make("lambda", horizon=20),
        assessment="battery",
        episodes=2,
        seed=3,
    )
    (one,) = result.details.conditions[0].subjects
    assert one.faults == 6  # three in each sitting, then it is not asked again
    assert one.measures["requests"].mean == 6
    assert one.measures["cost"].mean > 0
    assert not one.valid


def test_it_says_that_it_is_scripted() -> None:
    world = WORLDS.load("lambda-v1")()
    subject = resolve("scripted:x?ability=0.5&refuses=0.2", world)
    assert getattr(subject, "summary", "") == (
        "scripted, no language model: plays well with probability 0.5, else acts at random, refuses 20% of all actions"
    )


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("scripted:x", "needs an ability"),
        ("scripted:x?ability=2", "it is a probability, from 0 to 1"),
        ("scripted:x?ability=much", "it must be a number"),
        ("scripted:x?abilty=1", "has no parameter 'abilty'"),
        ("scripted:x?ability=1&guide=nobody", "has no subject 'nobody'"),
    ],
)
def test_what_cannot_be_gets_a_sentence(address: str, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        resolve(address, WORLDS.load("lambda-v1")())


def test_a_world_without_anybody_to_follow_is_refused() -> None:
    with pytest.raises(MensuraError, match="has none of oracle, pid, planner"):
        resolve("scripted:x?ability=1", WORLDS.load("echo-v1")())
