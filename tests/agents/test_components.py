"""Components that a program switches off, what it saved after damage, and its sudden end, over the protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent import client, protocol
from mensura.agent.asks import Ask
from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents
from mensura.agent.memory import Corruption, Loss, unpack
from mensura.agent.spaces import Discrete, Text
from mensura.agent.task import Limits, Seat, Task
from mensura.agent.waiting import finish
from mensura.agents.address import parse
from mensura.agents.peer import Peer
from mensura.agents.process import ProcessSubject
from mensura.core.players import components_of, damaged

LIMITS = Limits(seconds_per_action=60.0)
AGENT = """
class Parts:
    def __init__(self):
        self.off = []

    def components(self):
        return ["eye", "hand"]

    def switch_off(self, name):
        if name == "hand":
            raise RuntimeError("it is stuck")
        self.off.append(name)

    def act(self, observation, reward):
        if observation == "die":
            import os
            os._exit(3)
        return len(self.off)

    def save(self):
        return b"what I know"

    def load(self, memory):
        pass
"""


@pytest.fixture
def subject(tmp_path: Path) -> ProcessSubject:
    file = tmp_path / "parts.py"
    file.write_text(AGENT)
    (part,) = parse(f"{file}:Parts")
    return ProcessSubject(part, LIMITS)


def acted(player: Any, observation: str = "") -> Any:
    (answer,) = player.answer([Ask("act", 0, observation, deadline=60.0)])
    return answer


def test_a_component_stays_off_also_when_the_program_is_started_again(
    subject: ProcessSubject,
) -> None:
    player = subject.sit(1)
    try:
        assert components_of(player) == ("eye", "hand")
        task = Task("toy", Seat(0), 1, Text(10), Discrete(4), None)
        assert player.answer([Ask("begin", 0, task=task)])[0].fault is None
        assert acted(player).value == 0
        finish(player.switching_off(["eye"]))
        assert acted(player).value == 1
        assert acted(player, "die").fault[0] == "died"
        assert acted(player).value == 1
        with pytest.raises(MensuraError, match=r"could not switch off hand: .*it is stuck"):
            finish(player.switching_off(["hand"]))
    finally:
        player.close()


def test_who_is_killed_is_gone_at_once(subject: ProcessSubject) -> None:
    player = subject.sit(1)
    player.kill()
    assert acted(player).fault[0] == "died"


def test_what_each_agent_of_the_python_client_saved_is_damaged(subject: ProcessSubject) -> None:
    player = subject.sit(2)
    try:
        memory = player.save()
        assert memory is not None
        assert damaged(player, memory, Loss(0.0, 1)) == memory
        half = unpack(damaged(player, memory, Loss(0.5, 1)), 2)
        assert [one.count(0) for one in half if one] == [6, 6]
    finally:
        player.close()


@given(st.text(), st.floats(0.0, 1.0))
def test_a_text_that_a_program_saved_stays_a_text(text: str, probability: float) -> None:
    peer: Any = object.__new__(Peer)  # no program is needed to read its memory
    peer._seats = 1
    memory = ("=" + text).encode()
    assert peer.damaged(memory, Loss(0.0, 1)) == memory
    assert peer.damaged(memory, Loss(1.0, 1)) == b" " * len(memory)
    assert isinstance(peer.damaged(memory, Corruption(probability, 1)).decode(), str)


@pytest.mark.quick
def test_names_of_components_are_read_strictly() -> None:
    def named(value: Any) -> tuple[str, ...]:
        line = json.dumps({"id": 0, "value": {"version": 1, "components": value}}).encode()
        return protocol.components_named(line)

    assert named(["a", "b", "a"]) == ("a", "b")
    assert protocol.components_named(b'{"id":0,"value":{"version":1}}') == ()
    for wrong in ("a", [1], {"a": 1}):
        with pytest.raises(ValueError, match="names"):
            named(wrong)
    assert json.loads(protocol.switch_off(7, 'a"b')) == {
        "id": 7,
        "ask": "switch_off",
        "component": 'a"b',
    }


class Parts:
    """Two parts, in this process."""

    def act(self, observation: Any, reward: float) -> int:
        return 0

    def components(self) -> list[str]:
        return ["eye"]

    def switch_off(self, name: str) -> None:
        self.off = name


@pytest.mark.quick
def test_the_python_client_names_components_and_switches_them_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent = Parts()
    monkeypatch.setattr(client, "seat_agents", lambda address, hello: Agents([agent]))
    said: list[bytes] = []
    client.serve("any", iter([protocol.hello(1), protocol.switch_off(1, "eye")]), said.append)
    assert json.loads(said[0])["value"]["components"] == ["eye"]
    assert json.loads(said[1]) == {"id": 1, "value": None}
    assert agent.off == "eye"
