"""``ms.robustness``: subjects whose degradation is known, training that nothing perturbs, alarms, and bad input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.sizes import examples

import mensura as ms

ECHO: dict[str, Any] = {"symbols": 4, "longest": 0, "horizon": 24}


class Copy:
    """Says what it sees, which is right in Echo without a lag, and is alarmed by answers that were wrong."""

    def begin(self, task: Any, rng: Any) -> None:
        self.wrong = self.turns = 0

    def act(self, observation: int, reward: float) -> int:
        self.wrong += self.turns > 0 and reward < 0.0
        self.turns += 1
        return observation

    def alarm(self) -> float:
        return self.wrong / self.turns


class Learner:
    """Learns in training which answer belongs to a symbol, and nothing after it."""

    def __init__(self) -> None:
        self.known: dict[int, int] = {}

    def begin(self, task: Any, rng: Any) -> None:
        self.learning, self.rng, self.last = task.learning, rng, None

    def act(self, observation: int, reward: float) -> int:
        if self.learning and self.last is not None:
            seen, played = self.last
            if reward > 0.0:
                self.known[seen] = played
            elif self.known.get(seen) == played:
                del self.known[seen]
        action = self.known.get(observation, int(self.rng.integers(4)))
        self.last = (observation, action)
        return action


class Silent:
    """As good as Copy, without an alarm."""

    def act(self, observation: int, reward: float) -> int:
        return observation


@pytest.fixture(scope="module")
def copied() -> ms.Robustness:
    return ms.robustness(
        {"copy": Copy, "silent": Silent},
        ms.make("echo", **ECHO),
        ["observation-noise", "reward-noise"],
        episodes=examples(8, 16),
        seed=1,
        in_process=True,
    )


def found(result: ms.Robustness, subject: str, operator: str) -> Any:
    (one,) = (
        one for one in result.breakdowns if (one.subject, one.operator) == (subject, operator)
    )
    return one


@pytest.mark.thorough
def test_a_subject_that_copies_what_it_sees_loses_in_proportion(copied: ms.Robustness) -> None:
    one = found(copied, "copy", "observation-noise")
    assert one.scores[0].value == 1.0
    assert one.degradation.area.value == pytest.approx(0.5, abs=0.08)
    assert 0.5 in one.degradation.breaking
    assert one.degradation.manner == "graceful"


def test_what_a_subject_does_not_use_costs_it_nothing(copied: ms.Robustness) -> None:
    one = found(copied, "copy", "reward-noise")
    assert one.degradation.area.value == pytest.approx(1.0, abs=0.05)
    assert one.degradation.breaking.value == float("inf")
    assert "> 1 [> 1, > 1]" in str(copied)
    assert "copy does not break up to a strength of 1" in str(copied)


def test_alarms_tell_whether_a_subject_notices(copied: ms.Robustness) -> None:
    one = found(copied, "copy", "observation-noise")
    assert one.noticing.value > 0.95
    assert found(copied, "silent", "observation-noise").noticing is None
    assert "Whether silent noticed was not measured" in str(copied)


def test_the_cost_is_the_sum_of_operators_and_not_their_product(copied: ms.Robustness) -> None:
    assert len(copied.result.details.conditions) == 1 + 2 * 6


def test_it_is_data_a_frame_and_a_page(copied: ms.Robustness, tmp_path: Path) -> None:
    data = json.loads(json.dumps(copied.to_json(), allow_nan=False))
    assert [one["subject"] for one in data] == ["copy", "silent"] * 2
    assert data[2]["breaking_point"] == {"value": "> 1", "low": "> 1", "high": "> 1"}
    assert data[0]["curve"][0]["retention"]["value"] == 1.0
    assert len(copied.frame()) == 4 * 7
    assert "silent" in copied.report(tmp_path / "r.html").read_text()
    assert "<table>" in copied._repr_html_()


def test_training_is_unperturbed_and_recovery_is_what_more_of_it_brings_back() -> None:
    result = ms.robustness(
        Learner,
        ms.make("echo", **ECHO),
        "observation-distortion",
        strengths=[0, 1],
        training=3,
        recovery=6,
        episodes=examples(8, 12),
        seed=1,
        in_process=True,
    )
    (one,) = result.breakdowns
    assert one.scores[0].value > 0.9
    assert one.scores[1].value < 0.6
    assert one.recovery[0] is None
    assert one.recovery[1].value > 0.7
    assert "Recovery: the share" in str(result)


def test_a_subject_that_is_no_better_than_chance_has_no_robustness(my_agent: Any) -> None:
    result = ms.robustness(
        my_agent, ms.make("echo", **ECHO), "action-noise", strengths=[1], episodes=8, seed=1
    )
    (one,) = result.breakdowns
    assert not one.defined
    assert result.to_json()[0]["area"] is None
    assert "Not defined for MyAgent: without a perturbation its score is not told apart" in str(
        result
    )


def test_few_environments_and_two_repetitions_are_told_as_they_are() -> None:
    given: dict[str, Any] = {"strengths": [1], "seed": 1, "in_process": True}
    few = ms.robustness(Silent, ms.make("echo", **ECHO), "action-noise", episodes=2, **given)
    assert "2 environments are too few" in str(few)
    twice = ms.robustness(
        Silent, ms.make("echo", **ECHO), "action-noise", episodes=4, repetitions=2, **given
    )
    assert twice.breakdowns[0].scores[0].n == 8
    assert twice.breakdowns[0].defined


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_and_a_name_goes_on(tmp_path: Path) -> None:
    given: dict[str, Any] = {"strengths": [0.5, 1], "episodes": 6, "in_process": True}
    where = {"store": tmp_path / "runs.db", "name": "mine"}
    one = ms.robustness(Silent, ms.make("echo", **ECHO), "action-noise", **given, **where)
    again = ms.robustness(Silent, ms.make("echo", **ECHO), "action-noise", **given, **where)
    assert again.result.seed == one.result.seed
    assert again.to_json() == one.to_json()


def test_of_a_run_that_was_stopped_nothing_is_told_but_that(copied: ms.Robustness) -> None:
    details = replace(copied.result.details, status="stopped")
    stopped = ms.Robustness(ms.Result(details, copied.result.samples))
    assert stopped.breakdowns == ()
    assert str(stopped).endswith("did not come to its end; nothing is told of it.")


def test_other_assessments_measure_it_too() -> None:
    result = ms.robustness(
        Silent,
        ms.make("echo", **ECHO),
        "action-noise",
        strengths=[1],
        assessment="fixed-battery",
        count=2,
        sittings=6,
        seed=1,
        in_process=True,
    )
    assert result.breakdowns[0].scores[0].n == 6


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"perturb": "observation-nois"}, "no perturbation 'observation-nois'; did you mean obs"),
        ({"perturb": ["action-noise", "action-noise"]}, "action-noise is named twice"),
        ({"perturb": []}, "Nothing is perturbed"),
        ({"strengths": [0, 1.5]}, "The strength 1.5 is none; a strength is a number from 0 to 1"),
        ({"strengths": [0]}, "A strength above 0 is missing"),
        ({"strengths": ["much"]}, "The strength 'much' is none"),
        ({"training": 0}, "0 episodes of training are impossible"),
        ({"recovery": 2}, "say how many episodes of training"),
        ({"assessment": "anytime", "training": 2}, "anytime has no training"),
        ({"world": "items", "perturb": "action-latency"}, "needs more than one interaction"),
        ({"world": "perturbed-echo"}, "is perturbed already"),
        ({"subjects": "random"}, "Nobody but random is to be measured"),
        ({"wrong": 3}, "has no parameter 'wrong'"),
    ],
)
def test_what_cannot_be_measured_gets_a_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ms.MensuraError, match=sentence):
        ms.robustness(**{"subjects": "q-learning", "world": "echo", **given})


class Shy:
    """Says what it sees, and withdraws once it was wrong."""

    def begin(self, task: Any, rng: Any) -> None:
        self.last = task.action_space.n - 1

    def act(self, observation: int, reward: float) -> int:
        return self.last if reward < 0.0 else observation


def test_who_withdraws_is_told_apart_from_who_collapses(tmp_path: Path) -> None:
    result = ms.robustness(
        {"shy": Shy, "copy": Copy},
        ms.make("echo", **ECHO),
        "observation-noise",
        strengths=[0, 1],
        withdraw=True,
        episodes=8,
        seed=1,
        in_process=True,
    )
    shy, copy = result.breakdowns
    assert [one.share for one in shy.withdrawn] == [0.0, 1.0]
    assert shy.withdrawn[0].stayed == 1.0
    assert shy.scores[1].value == 0.0
    assert [one.share for one in copy.withdrawn] == [0.0, 0.0]
    assert copy.withdrawn[1].stayed == copy.scores[1].value < 0.5
    text = str(result)
    assert "Under observation-noise, shy withdrew from 100% of environments at 1." in text
    assert "copy never withdrew." in text
    assert "Withdrawals" in text
    data = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert [one["withdrawn"] for one in data[0]["curve"]] == [0.0, 1.0]
    assert data[0]["curve"][1]["score_where_it_stayed"] is None
    assert "withdrawals-table" in result.report(tmp_path / "r.html").read_text()


def test_subjects_of_the_world_itself_and_random_do_not_withdraw() -> None:
    found = [
        ms.robustness(
            "q-learning", perturb="action-noise", strengths=[0, 1], episodes=6, seed=1, **more
        )
        for more in ({}, {"withdraw": True})
    ]
    scores = [[one.score.tolist() for one in result.result.samples] for result in found]
    assert scores[0] == scores[1]
    assert found[1].breakdowns[0].withdrawn == ()


class Learned(Learner):
    """Can be kept."""

    def save(self) -> bytes:
        return json.dumps(list(self.known.items())).encode()

    def load(self, memory: bytes) -> None:
        self.known = dict(json.loads(memory))


@pytest.mark.thorough
def test_what_is_inside_a_subject_is_perturbed_after_training() -> None:
    result = ms.robustness(
        Learned,
        ms.make("echo", **ECHO),
        ["memory-loss", "memory-corruption", "killed-and-restored"],
        strengths=[0, 0.5, 1],
        training=4,
        recovery=4,
        episodes=6,
        seed=1,
        in_process=True,
    )
    lost, flipped, killed = result.breakdowns
    assert lost.scores[0] == flipped.scores[0] == killed.scores[0]
    assert lost.scores[0].value > 0.9
    assert lost.scores[2].value < 0.6
    assert lost.recovery[2].value > 0.8
    assert lost.unreadable == (0, 6, 0)
    assert flipped.unreadable[2] == 6
    assert killed.unreadable == ()
    assert killed.scores[2].value > 0.9
    assert (
        "Under memory-loss the memory of Learned did not load after damage, and a newborn was assessed in its place: "
        "of 6 environments, in 6 at 0.5."
    ) in " ".join(str(result).split())
