"""What agents may be asked beside playing: by their methods, and over the protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mensura.agent import Probes, client, protocol
from mensura.agent.asks import PROBES, Ask
from mensura.agent.in_process import Agents
from mensura.agent.task import Limits
from mensura.agents.address import parse
from mensura.agents.process import ProcessSubject
from mensura.core.players import probes_of

QUESTION = {"text": "How many?", "start": {"x": 1.5}}
AGENT = '''
from mensura.agent import Probes


class Knowing(Probes):
    """Predicts what it is asked, and plans nothing."""

    def act(self, observation, reward):
        return 0

    def probes(self):
        return self

    def predict(self, question):
        return question["start"]["x"]

    def explain(self, phenomenon):
        raise RuntimeError("I cannot say")
'''


class Knowing(Probes):
    """The same in this process."""

    def act(self, observation: Any, reward: float) -> int:
        return 0

    def probes(self) -> Probes:
        return self

    def predict(self, question: Any) -> Any:
        return question["start"]["x"]

    def explain(self, phenomenon: Any) -> Any:
        raise RuntimeError("I cannot say")


class Mute:
    """Only acts."""

    def act(self, observation: Any, reward: float) -> int:
        return 0


@pytest.mark.quick
def test_an_agent_is_asked_what_its_probes_have_methods_for() -> None:
    player = Agents([Knowing()])
    assert probes_of(player) == {"predict", "explain"}
    (answer,) = player.answer([Ask("predict", 0, question=QUESTION)])
    assert answer.value == 1.5
    (answer,) = player.answer([Ask("explain", 0, question=QUESTION)])
    assert answer.fault is not None
    assert "I cannot say" in answer.fault[1]
    assert probes_of(Agents([Mute()])) == frozenset()
    assert probes_of(Agents([Knowing(), Mute()])) == frozenset()


def test_a_program_is_asked_the_same(tmp_path: Path) -> None:
    file = tmp_path / "knowing.py"
    file.write_text(AGENT)
    (part,) = parse(f"{file}:Knowing")
    player = ProcessSubject(part, Limits(seconds_per_action=60.0)).sit(1)
    try:
        assert probes_of(player) == {"predict", "explain"}
        predicted, explained = player.answer(
            [Ask(kind, 0, question=QUESTION) for kind in ("predict", "explain")]
        )
        assert predicted.value == 1.5
        assert explained.fault is not None
        assert "I cannot say" in explained.fault[1]
    finally:
        player.close()


@pytest.mark.quick
def test_a_client_of_before_is_asked_nothing() -> None:
    line = b'{"id":0,"value":{"version":1,"speakers":[]}}'
    assert protocol.greeting(line, 1) == (1, frozenset(), frozenset())


@pytest.mark.quick
def test_only_probes_that_there_are_count() -> None:
    line = b'{"id":0,"value":{"version":1,"probes":["plan","dream"]}}'
    assert protocol.greeting(line, 1)[2] == {"plan"}
    with pytest.raises(ValueError, match="list"):
        protocol.greeting(b'{"id":0,"value":{"version":1,"probes":"plan"}}', 1)


@pytest.mark.quick
@pytest.mark.parametrize("kind", PROBES)
def test_a_probe_goes_over_the_wire_and_back(kind: Any) -> None:
    line = protocol.request(7, Ask(kind, 2, question=QUESTION))
    message = json.loads(line)
    assert list(message)[:3] == ["id", "ask", "seat"]
    assert protocol.ask_from_json(message, None) == Ask(kind, 2, question=QUESTION)


@pytest.mark.quick
def test_the_python_client_says_what_it_answers_only_where_there_is_something(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for agent, told in ((Knowing(), ["explain", "predict"]), (Mute(), None)):
        monkeypatch.setattr(client, "seat_agents", lambda address, hello, a=agent: Agents([a]))
        said: list[bytes] = []
        client.serve("any", iter([protocol.hello(1)]), said.append)
        assert json.loads(said[0])["value"].get("probes") == told
