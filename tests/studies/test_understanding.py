"""Understanding measured: subjects of known understanding are told apart, and bad answers cost themselves alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import mensura as ms
from mensura.agent import Probes
from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.core.abilities import phenomena
from mensura.statistics.understanding import Understanding
from mensura.studies.examination import Examination
from mensura.studies.inquiry import Inquiry
from mensura.studies.known_understanding import KNOWN
from mensura.studies.understanding import understand, understand_known

ASKED: dict[str, tuple[dict[str, Any], str]] = {
    "framotec": ({"task": "locking-plotter"}, "plot_it"),
    "lambda": ({}, "good"),
    "lambda-star": ({"rows": 5, "cols": 5}, "good"),
}


def inquiry(world: str, seed: int = 1, questions: int = 4, **more: Any) -> Inquiry:
    parameters, phenomenon = ASKED[world]
    return Inquiry(ms.make(world, **parameters), phenomenon, seed, questions, **more)


@pytest.fixture(scope="module")
def examinations() -> dict[str, Examination]:
    return {world: inquiry(world).examination() for world in ASKED}


def known(name: str, examination: Examination) -> Understanding:
    return understand_known(name, KNOWN[name], examination)


@pytest.mark.parametrize(
    "world", [pytest.param("framotec", marks=pytest.mark.thorough), "lambda", "lambda-star"]
)
def test_whoever_has_the_rules_has_1_on_all_four(
    world: str, examinations: dict[str, Examination]
) -> None:
    found = known("oracle-model", examinations[world])
    assert {name: probe.value for name, probe in found.probes.items()} == dict.fromkeys(
        ("predict", "achieve", "explain", "recreate"), 1.0
    )
    assert found.minimum == 1.0
    assert found.faults == ()


@pytest.mark.thorough
@pytest.mark.parametrize("world", ASKED)
def test_the_probes_tell_who_knows_causes_from_who_knows_what_occurs_together(
    world: str,
) -> None:
    found = known("correlator", inquiry(world, questions=16).examination())
    predict, explain = found.predict.value, found.explain.value
    assert predict is not None
    assert explain is not None
    assert predict > 0.7
    assert explain < 0.3
    assert found.recreate.value is None
    assert found.minimum == min(explain, found.achieve.value or 0.0)


@pytest.mark.parametrize("world", ["lambda", "lambda-star"])
def test_the_same_seed_asks_the_same(world: str, examinations: dict[str, Examination]) -> None:
    one, two = examinations[world], inquiry(world).examination()
    assert [question.plain for question in one.questions] == [q.plain for q in two.questions]
    assert [goal.plain for goal in one.goals] == [goal.plain for goal in two.goals]
    assert one.plain_explanation() == two.plain_explanation()
    assert one.held_out == two.held_out
    other = inquiry(world, seed=2).examination()
    assert [q.plain for q in one.questions] != [q.plain for q in other.questions]


def test_no_question_tells_a_key_or_the_truth(examinations: dict[str, Examination]) -> None:
    for examination in examinations.values():
        for question in examination.questions:
            assert str(question.course.start) not in str(question.plain)
            assert "truth" not in question.plain
        rules = examination.system.rules
        assert rules not in str(examination.plain_model())


def test_all_kinds_of_questions_and_goals_are_asked(examinations: dict[str, Examination]) -> None:
    examination = examinations["framotec"]
    assert {one.kind for one in examination.questions} == {"when", "later", "missing", "related"}
    assert {one.kind for one in examination.goals} == {"cause", "prevent", "set"}
    assert {one.happened for one in examination.cases} == {True, False}
    assert len(examination.held_out) == 100


def test_near_models_are_worse_than_the_true_one_and_better_than_none(
    examinations: dict[str, Examination],
) -> None:
    examination = examinations["lambda-star"]
    nothing = examination.error_of_nothing(examination.held_out)
    errors = [examination.error(one, examination.held_out) for one in examination.system.near]
    assert min(errors) > 0.0
    assert min(errors) < nothing


class Agent(Probes):
    """Acts, and answers as its subclass says."""

    def act(self, observation: Any, reward: float) -> int:
        return 5

    def probes(self) -> Probes:
        return self


def measured(agent: type[Any], **more: Any) -> Understanding:
    own = inquiry("lambda-star", **more)
    return understand("mine", InProcess("mine", agent), own, own.examination())


def test_whoever_cannot_is_not_measured_and_never_0() -> None:
    found = measured(Agent)
    assert found.predict.value is None
    assert found.explain.value is None
    assert found.recreate.value is None
    assert found.predict.why == "its probes have no predict()"
    assert found.achieve.value is not None  # by acting
    assert found.minimum == found.achieve.value


def test_bad_answers_are_faults_of_these_answers() -> None:
    class Bad(Agent):
        def predict(self, question: Any) -> Any:
            return "soon"

        def plan(self, goal: Any) -> Any:
            return [99]

        def explain(self, phenomenon: Any) -> Any:
            return {"causes": [["the moon", "reward", 1]], "without": []}

        def model(self, phenomenon: Any) -> Any:
            return "{"

    found = measured(Bad)
    assert [probe.value for probe in found.probes.values()] == [0.0] * 4
    told = "\n".join(found.faults)
    assert "'soon' is no" in told
    assert "99 in place 1 of the plan is no action" in told
    assert "'the moon' is no part of the task" in told
    assert "The model is not JSON" in told
    assert all(one.endswith((".", "?")) for one in found.faults)


def test_an_agent_that_raises_costs_itself_alone() -> None:
    class Raising(Agent):
        def predict(self, question: Any) -> Any:
            if question["kind"] == "when":
                raise RuntimeError("no idea")
            return 0.5 if question["answer"] == "probability" else question["start"]["reward"]

    found = measured(Raising)
    assert found.predict.value is not None
    assert any("no idea" in one for one in found.faults)


def test_whoever_models_nearly_all_is_above_who_models_less(
    examinations: dict[str, Examination],
) -> None:
    standing_still, one_move_wrong, *_ = examinations["lambda-star"].system.near

    class Little(Agent):
        def model(self, phenomenon: Any) -> str:
            return standing_still

    class Much(Agent):
        def model(self, phenomenon: Any) -> str:
            return one_move_wrong

    less, more = measured(Little).recreate.value, measured(Much).recreate.value
    assert less is not None
    assert more is not None
    assert 0.0 < less < more < 1.0


def test_training_comes_before_questions_and_goals() -> None:
    learned: list[bool] = []

    class Watching(Agent):
        def begin(self, task: Any, rng: Any) -> None:
            learned.append(task.learning)

        def predict(self, question: Any) -> float:
            return 0.0

    measured(Watching, training=2)
    assert learned[:3] == [True, True, False]
    without = len([one for one in learned if one])
    assert without >= 4


def test_a_phenomenon_that_never_happens_is_refused() -> None:
    found = phenomena(ms.make("lambda-star"))
    never = replace(found[0], happens=lambda state: False)
    with pytest.raises(MensuraError, match="good never happened in 60 sequences"):
        Examination(never, found, 1)
