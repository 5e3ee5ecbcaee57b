"""Understanding as an assessment: study files name it, a store keeps it, and it gives what the command gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Act, Server, completion, error

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold
from mensura.agents.language_model.services import patience as service_module
from mensura.core.yaml_text import Misfit
from mensura.records.store import Store, open_store
from mensura.studies.files import parse_study
from mensura.studies.inquiry import Inquiry
from mensura.studies.layout import Layout, lay_out
from mensura.studies.replay import replay
from mensura.studies.runs import Manner, begin, resume
from mensura.studies.spending import outlays
from mensura.studies.understanding import understand
from mensura.studies.understanding_assessment import UnderstandingAssessment

STUDY = """
mensura: 1
name: insight
seed: 3
subjects: [{subjects}]
worlds:
  - {{world: lambda, parameters: {{cells: 4, actions: 2}}}}
assessments:
  - {{assessment: understand, parameters: {{{parameters}}}}}
{more}
"""
FEW = "phenomenon: good, questions: 2, sittings: 2"

GUESSER = '''
from mensura.agent import Probes


class Guesser(Probes):
    """Says one half to all that is a probability, and something wrong else."""

    def act(self, observation, reward):
        return 1

    def probes(self):
        return self

    def predict(self, question):
        return 0.5 if question["answer"] == "probability" else 0

    def plan(self, goal):
        return ["fly"]

    def explain(self, phenomenon):
        return {"causes": [["sun", "moon", 1]], "without": []}

    def model(self, phenomenon):
        return "no model at all"
'''


def laid(subjects: str = "random", parameters: str = FEW, more: str = "") -> Layout:
    text = STUDY.format(subjects=subjects, parameters=parameters, more=more)
    return lay_out(parse_study(text).study)


def played(store: Store, layout: Layout) -> Any:
    run = begin(store, layout)
    assert resume(store, run, manner=Manner("threads", 1), layout=layout).status == "finished"
    return run


def test_a_sitting_is_what_the_same_questions_give_elsewhere(tmp_path: Path) -> None:
    layout = laid("random, q-learning")
    with open_store(tmp_path / "s.db") as store:
        run = played(store, layout)
        for place in layout.places:
            for item in range(2):
                cell, _, batch = store.sitting(run, 2 * place.cell.number + item)
                inquiry = Inquiry(
                    place.world, "good", fold(place.root, item), 2, 0, place.cell.limits
                )
                found = understand(cell.name, place.subject, inquiry, inquiry.examination())
                assert batch is not None
                assert float(batch.score[0]) == found.minimum
                told = {row.name: row.value for row in batch.measures}
                assert told["achieve"] == found.achieve.value
                assert "predict" not in told, "who cannot predict is not measured, which is no 0"
                assert "achieve: cause" in told or "achieve: set" in told


def test_all_subjects_are_asked_about_the_same(tmp_path: Path) -> None:
    one, two = laid("random, q-learning").places
    assert one.root == two.root


def test_bad_answers_are_faults_of_these_answers_alone(tmp_path: Path) -> None:
    path = tmp_path / "guesser.py"
    path.write_text(GUESSER)
    layout = laid(f"{{subject: '{path}:Guesser', in_process: true}}", FEW.replace("2", "1"))
    with open_store(tmp_path / "s.db") as store:
        run = played(store, layout)
        _, _, batch = store.sitting(run, 0)
    assert batch is not None
    assert float(batch.score[0]) == 0.0
    told = [row.detail for row in batch.faults]
    assert any("'fly' in place 1 of the plan is no action" in one for one in told)
    assert any("'sun' is no part of the task" in one for one in told)
    assert {row.name for row in batch.measures} >= {"predict", "achieve", "explain", "recreate"}
    assert all(one.endswith(".") for one in told)


def test_a_sitting_can_be_replayed(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db") as store:
        run = played(store, laid())
        again = replay(store, run, 1)
        with pytest.raises(MensuraError, match="no interactions to look at"):
            replay(store, run, 1, look=True)
    assert again.recorded == again.replayed


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ("phenomenon: godo", "good"),
        ("questions: 0", "0 questions of each kind are impossible; 1 to 50 are"),
        ("training_episodes: -1", "-1 episodes of training are impossible"),
        ("sittings: 0", "0 sittings are too few"),
    ],
)
def test_bad_parameters_are_one_sentence(parameters: str, sentence: str) -> None:
    with pytest.raises(Misfit, match=sentence):
        laid(parameters=parameters)


def test_no_phases_come_before_it() -> None:
    with pytest.raises(Misfit, match="let subjects learn with training_episodes"):
        laid(more="phases: [{name: first, interactions: 10}]")


def test_a_world_without_phenomena_is_refused() -> None:
    with pytest.raises(MensuraError, match="offers no phenomena"):
        UnderstandingAssessment().check(ms.make("echo"))


# Language models -------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    pytest.importorskip("openai")
    monkeypatch.setattr(service_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        name = request["tools"][0]["function"]["name"]
        return completion(calls=[(name, json.dumps({"answer": 0}))])

    with Server(answer).running() as running:
        yield running


def asked(server: Server) -> list[str]:
    found = [json.dumps(one["messages"]) for one in server.requests]
    return [one for one in found if "Are you there?" not in one]


def test_a_language_model_is_estimated_and_never_asked_twice(
    server: Server, tmp_path: Path
) -> None:
    layout = laid(f'"openai:m?base_url={server.url}"', FEW.replace("sittings: 2", "sittings: 1"))
    (outlay,) = outlays(layout.places)
    assert not server.requests
    server.script = [Act()] * 4 + [Act(status=401, body=error("no"))]
    with open_store(tmp_path / "s.db") as store:
        run = begin(store, layout)
        with pytest.raises(MensuraError, match="mensura study resume insight"):
            resume(store, run, manner=Manner("threads", 1), layout=layout)
        done = resume(store, store.find("insight"), manner=Manner("threads", 1))
        (measures,) = store.measured(run)
    assert done.status == "finished"
    assert len(asked(server)) == outlay.requests + 1, "only the question that was refused"
    assert measures["requests"] == outlay.requests
