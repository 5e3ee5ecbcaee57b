"""Language models in transfer and the learn rate: estimated first, asked once, their conversation their memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Act, Server, error

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.agents.language_model.services import patience as service_module
from mensura.cli.main import main
from mensura.records.store import open_store
from mensura.studies import spending
from mensura.studies.phases import TrainingTask
from mensura.studies.spending import learners_outlay
from mensura.studies.stages import Stages
from mensura.studies.transfer import TransferStudy

WORLD = ms.make("lambda", cells=4, actions=2, horizon=4)
SMALL: dict[str, Any] = {"interactions": 6, "learners": 1, "episodes": 1, "seed": 1}
TRAINED, TESTS = 2 * 6, 2 + 2 * 2
"""Of raw transfer among two tasks: interactions of training; tests of a newborn, and of each who was trained."""
ASKED = TRAINED + TESTS * 4


class Lowest:
    """Always does its lowest action, as the model does."""

    def act(self, observation: Any, reward: float) -> int:
        return 0


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    monkeypatch.setattr(service_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    monkeypatch.delenv("MENSURA_STORE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


def model(server: Server, **more: float) -> str:
    prices = "".join(f"&{name}={value}" for name, value in more.items())
    return f"openai:m?base_url={server.url}{prices}"


def asked(server: Server) -> list[str]:
    """What was asked, without whether it answers at all."""
    found = [json.dumps(one["messages"]) for one in server.requests]
    return [one for one in found if "Are you there?" not in one]


def raw(server: Server, **more: Any) -> Any:
    return ms.transfer(model(server), [(WORLD, 1), (WORLD, 2)], **SMALL, **more)


def test_what_was_said_in_training_is_there_in_tests(server: Server) -> None:
    found = raw(server, name="conversations")
    assert len(asked(server)) == ASKED, "a task is trained once for a whole row"
    answers = [
        sum(message["role"] == "assistant" for message in request["messages"])
        for request in server.requests
    ]
    assert sorted(answers)[-4:] == [9] * 4, "each of 4 tests goes on after 6 interactions"
    assert found.result.is_kept
    assert found.name == "conversations"
    with open_store(create=False) as store:
        (measures,) = store.measured(store.find("conversations"))
    assert measures["requests"] == ASKED
    assert measures["tokens_in"] == 100 * len(server.requests)


@pytest.mark.thorough
def test_nobody_is_asked_twice_after_an_interruption(server: Server) -> None:
    server.script = [Act()] * 12 + [Act(status=401, body=error("no"))]
    with pytest.raises(MensuraError, match="mensura study resume"):
        raw(server)
    found = raw(server)
    again = [one for one in set(asked(server)) if asked(server).count(one) > 1]
    assert len(asked(server)) == ASKED + 1, "only the question that was refused"
    assert len(again) == 1
    assert found.result.count.faults == 0
    assert not list(Path().rglob("*.jsonl"))


def test_what_it_takes_is_estimated_from_a_rehearsal_of_the_training(server: Server) -> None:
    address = model(server, price_in=1, price_out=2)
    tasks = tuple(TrainingTask(str(one), WORLD, one) for one in (1, 2))
    study = TransferStudy(address, tasks, 6, learners=3, episodes=1)
    found = learners_outlay(study, Stages(address, tasks))
    assert found is not None
    assert found.requests == 3 * ASKED
    assert found.cost == pytest.approx((found.tokens_in + 2 * found.tokens_out) / 1e6)
    assert not server.requests


def test_nobody_else_is_estimated() -> None:
    tasks = tuple(TrainingTask(str(one), WORLD, one) for one in (1, 2))
    assert learners_outlay(TransferStudy("random", tasks, 6), Stages("random", tasks)) is None


def test_much_has_to_be_confirmed_before_the_first_request(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spending, "MOST_REQUESTS", 50)
    pairs = [(WORLD, 1), (WORLD, 2)]
    with pytest.raises(MensuraError, match="have to be confirmed: pass confirm=True"):
        ms.transfer(model(server), pairs, interactions=50, learners=1)
    with pytest.raises(MensuraError, match="have to be confirmed: pass confirm=True"):
        ms.learn_rate(model(server), WORLD, tasks=6, interactions=10, learners=1)
    assert not server.requests


@pytest.mark.thorough
def test_a_limit_ends_a_run_that_can_go_on(server: Server) -> None:
    priced = model(server, price_in=1000, price_out=1000)
    few: dict[str, Any] = {**SMALL, "name": "dear"}
    with pytest.raises(MensuraError, match="max_cost"):
        ms.transfer(priced, [(WORLD, 1), (WORLD, 2)], **few, max_cost=2.0)
    before = len(asked(server))
    assert 0 < before < ASKED
    ms.transfer(priced, [(WORLD, 1), (WORLD, 2)], **few, max_cost=1000.0)
    assert len(asked(server)) == ASKED


def test_limits_are_of_language_models() -> None:
    with pytest.raises(MensuraError, match="are of language models, and none is assessed"):
        ms.transfer("random", [(WORLD, 1), (WORLD, 2)], **SMALL, max_cost=1.0)


@pytest.mark.thorough
def test_the_learn_rate_of_a_language_model(server: Server) -> None:
    few: dict[str, Any] = {"tasks": 6, "interactions": 4, "learners": 1, "level": 1.0, "seed": 1}
    found = ms.learn_rate(model(server), WORLD, **few)
    lowest = ms.learn_rate(Lowest, WORLD, **few, in_process=True)
    assert found.rate == lowest.rate, "it always does its lowest action"
    assert len(asked(server)) == 6 * (4 + 2 * 4)
    assert ms.learn_rate(model(server), WORLD, **few).to_json() == found.to_json()
    assert len(asked(server)) == 6 * (4 + 2 * 4), "what was kept is not asked again"


@pytest.mark.thorough
def test_the_commands_say_what_it_takes(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def typed(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["mensura", *words])
        with pytest.raises(SystemExit) as end:
            main()
        captured = capsys.readouterr()
        return int(end.value.code or 0), " ".join(f"{captured.out} {captured.err}".split())

    for count in (2, 6):
        entries = [
            f"  - {{name: t{one}, environment: {one}, world: lambda, parameters: {{cells: 4, actions: 2, horizon: 1}}}}"
            for one in range(1, count + 1)
        ]
        Path(f"f{count}.yaml").write_text("\n".join(["mensura: 1", "tasks:", *entries, ""]))
    few = ["--interactions", "1", "--learners", "1", "--episodes", "1", "--seed", "1"]
    own = ["openai:m", "--base-url", server.url]
    status, said = typed("transfer", *own, "--family", "f2.yaml", *few)
    assert status == 0, said
    assert "is going to take about 8 requests" in said
    assert "kept as the run transfer-" in said
    status, said = typed("learn-rate", *own, "--family", "f6.yaml", *few, "--level", "1")
    assert status == 0, said
    assert "is going to take about 18 requests" in said
    status, said = typed("transfer", *own, "--family", "f6.yaml")
    assert status == 2
    assert "add --yes" in said
