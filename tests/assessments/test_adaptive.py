"""The adaptive test: one sitting asks for environments of the world, ends where it should and gives a score."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.agent.spaces import Box, Discrete, Space
from mensura.agent.task import Seat
from mensura.assessments.adaptive import Adaptive
from mensura.assessments.battery import Battery
from mensura.assessments.calibration import (
    ENVIRONMENTS,
    SEED,
    _by_steps,
    _environments,
    _records,
    calibrate,
    references_for,
    scale_of,
)
from mensura.core.contract import Episode, Measure
from mensura.core.players import Renewed
from mensura.core.scored import Scored, measures_of
from mensura.core.sitting import sit
from mensura.statistics.item_response import Scale
from mensura.statistics.item_response import calibrate as calibrate_records
from mensura.worlds.kit import BaseWorld, parameter
from mensura.worlds.lambda_class.world import Lambda
from mensura.worlds.lambda_star.world import LambdaStar

WORLD = Lambda()
MEASURE = "zlib_pattern"


def sat(name: str, item: int, adaptive: Adaptive, world: Lambda = WORLD) -> tuple[float, int]:
    subject = world.group([(name, {}, 1)])
    player = Renewed(subject, world.subjects)
    sitting = sit(adaptive, world.hosting(subject), player, fold(1, item), fold(2, item))
    return sitting.score, len(sitting.episodes)


@pytest.mark.thorough
def test_the_shipped_scale_is_the_one_that_calibration_gives(full_size: bool) -> None:
    first = next(iter(WORLD.measures))
    for measure in WORLD.measures if full_size else (first, MEASURE):
        assert scale_of(WORLD, measure) == calibrate(WORLD, measure, SEED, ENVIRONMENTS)


@pytest.mark.thorough
def test_a_world_of_another_kind_is_calibrated_when_needed() -> None:
    other = replace(WORLD, horizon=8)
    assert scale_of(other, MEASURE) != scale_of(WORLD, MEASURE)
    assert scale_of(other, MEASURE) is scale_of(other, MEASURE)


def test_both_ways_of_playing_references_agree() -> None:
    world = Lambda(horizon=30)
    complexity, rewards, _ = _records(world, MEASURE, 5, 6, ["oracle", "q-learning"])
    stepped = [world.complexity(one, MEASURE) for one in _environments(world, 5, 6)]
    assert complexity.tolist() == stepped
    for name, own in rewards.items():
        stepped = _by_steps(world, Battery(6, measure=MEASURE), name, 5)
        assert own.tolist() == pytest.approx(stepped.tolist(), abs=1e-12)


def test_a_sitting_asks_for_complexities_of_its_bands_and_never_for_the_same_environment() -> None:
    plans = Adaptive(measure=MEASURE, standard_error=1e-6, most=15).sitting(WORLD, 7)
    bands = scale_of(WORLD, MEASURE).bands
    seen = set()
    score = 0.0
    try:
        plan = next(plans)
        while True:
            complexity = WORLD.complexity(plan.description, MEASURE)
            assert any(band.low <= complexity <= band.high for band in bands)
            seen.add(plan.environment)
            plan = plans.send(Episode((0.3 * 100,), (100,), (0,)))
    except StopIteration as stop:
        score = stop.value
    assert len(seen) == 15
    assert isinstance(score, Scored)
    assert float(score) == pytest.approx(0.3, abs=0.05)
    assert measures_of(score)["environments"] == 15
    told = measures_of(score)
    assert {"ability", "standard error of ability"} <= set(told)
    assert 0.0 < told["shared standard error"] < told["standard error"]
    assert measures_of(0.5) == {}


@pytest.mark.thorough
def test_stronger_subjects_score_higher_and_the_random_one_nothing() -> None:
    adaptive = Adaptive(measure=MEASURE, standard_error=0.04)
    scores = {name: sat(name, 0, adaptive)[0] for name in ("random", "planner", "oracle")}
    assert abs(scores["random"]) < 0.16  # four standard errors
    assert scores["random"] < scores["planner"] < scores["oracle"]


@pytest.mark.thorough
def test_it_works_for_a_collective(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "mensura.assessments.adaptive.scale_of",
        lambda world, measure: calibrate(world, measure, environments=60),
    )
    world = Lambda(subjects=2, horizon=20)
    score, episodes = sat("follower", 0, Adaptive(most=12, least=5), world)
    assert 5 <= episodes <= 12
    assert -1.0 <= score <= 1.0


def test_it_works_in_another_world() -> None:
    world = LambdaStar(rows=5, cols=5, horizon=15)
    subject = world.group([("random", {}, 1)])
    sitting = sit(Adaptive(least=3, most=5), world, Renewed(subject, world.subjects), 1, 2)
    assert 3 <= len(sitting.episodes) <= 5


class NoComplexity:
    """A world that declares no complexity."""

    id = "plain-v0"
    measures: dict[str, object] = {}  # noqa: RUF012
    promises = frozenset({"bounded", "balanced"})


class Unbalanced(NoComplexity):
    """A world in which a random subject gains."""

    measures: dict[str, object] = {"K": None}  # noqa: RUF012
    promises = frozenset({"bounded"})


class NoReferences(Unbalanced):
    """A world without built-in subjects, where an action is any number."""

    promises = frozenset({"bounded", "balanced"})
    seats = (Seat(0),)

    def sample(self, key: Key, within: object = None) -> None:
        """Nothing differs."""

    def build(self, description: object) -> NoReferences:
        return self

    def spaces(self, seat: int) -> tuple[Space, Space]:
        return Discrete(2), Box(-math.inf, math.inf)


class NoSubjects:
    """Lambda for somebody who knows only the contract."""

    def __init__(self, world: Lambda) -> None:
        self.id, self.measures, self.promises = world.id, world.measures, world.promises
        self.sample, self.build, self.complexity = world.sample, world.build, world.complexity


@pytest.mark.thorough
def test_a_world_without_subjects_is_calibrated_by_the_learners_that_can_play_in_it() -> None:
    world: Any = NoSubjects(Lambda(horizon=100))
    assert references_for(world) == ("random", "linear", "q-learning", "sarsa")
    scale = calibrate(world, MEASURE, environments=24)
    assert set(scale.references) == {"random", "linear", "q-learning", "sarsa"}
    assert scale.references["q-learning"].ability > scale.references["random"].ability


@pytest.mark.parametrize(
    ("world", "adaptive", "message"),
    [
        (NoComplexity(), Adaptive(), "plain-v0 declares none"),
        (Unbalanced(), Adaptive(), "does not promise to be balanced"),
        (NoReferences(), Adaptive(), "none of the learners can play in it"),
        (WORLD, Adaptive(measure="zlib"), "no complexity 'zlib'"),
    ],
)
def test_a_world_that_cannot_be_tested_gets_a_sentence(
    world: object, adaptive: Adaptive, message: str
) -> None:
    with pytest.raises(MensuraError, match=message):
        next(adaptive.sitting(world, 1))  # type: ignore[arg-type]
    with pytest.raises(MensuraError, match=message):
        adaptive.example(world, 1)  # type: ignore[arg-type]


class Sorts(BaseWorld):
    """Two kinds of environments of the same complexities, of which one is harder."""

    id = "sorts-v0"
    horizon: int = parameter(1, "Interactions", at_least=1)
    measures = {"length": Measure("length", "the same in both kinds")}  # noqa: RUF012
    promises = frozenset({"bounded", "balanced"})

    def draw(self, rng: Any) -> dict[str, Any]:
        return {"sort": ("easy", "hard")[int(rng.integers(2))], "length": int(rng.integers(1, 9))}

    def complexity(self, description: Any, measure: str) -> float:
        return float(description.length)

    def kind_of(self, description: Any) -> str:
        return str(description.sort)

    def spaces(self, description: Any, seat: int) -> tuple[Space, Space]:
        return Discrete(2), Discrete(2)

    def observe(self, state: Any, seat: int) -> int:
        return 0

    def advance(self, state: Any, actions: Any, rng: Any) -> list[float]:
        return [0.0]


def test_where_there_are_kinds_each_band_is_of_one_and_so_is_what_is_asked_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = Sorts()
    drawn = _environments(world, 3, 400)
    kinds = [world.kind_of(one) for one in drawn]
    rewards = [0.8 if one == "easy" else 0.2 for one in kinds]
    noise = [0.1 * (i % 3 - 1) for i in range(400)]
    able = [one + more for one, more in zip(rewards, noise, strict=True)]
    complexity = [world.complexity(one, "length") for one in drawn]
    scale = calibrate_records(complexity, {"able": able, "random": noise}, kinds=kinds)
    assert {band.kind for band in scale.bands} == {"easy", "hard"}
    easy = [band.difficulty for band in scale.bands if band.kind == "easy"]
    hard = [band.difficulty for band in scale.bands if band.kind == "hard"]
    assert max(easy) < min(hard), "at the same complexity"
    assert Scale.from_json(json.loads(json.dumps(scale.to_json()))) == scale
    monkeypatch.setattr("mensura.assessments.adaptive.scale_of", lambda world, measure: scale)
    sitting = Adaptive(least=12, most=12).sitting(world, 5)
    plan = next(sitting)
    asked = []
    for _ in range(11):
        asked.append(world.kind_of(plan.description))
        plan = sitting.send(Episode((0.5,), (1,), (0,)))
    assert set(asked) == {"easy", "hard"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sittings": 0}, "at least 1 sitting"),
        ({"standard_error": 0.0}, "a number over 0"),
        ({"least": 5, "most": 4}, "is impossible"),
        ({"memory": "none"}, "memory is 'none'"),
    ],
)
def test_parameters_that_make_no_sense_get_a_sentence(
    parameters: dict[str, object], message: str
) -> None:
    with pytest.raises(MensuraError, match=message):
        Adaptive(**parameters)  # type: ignore[arg-type]
