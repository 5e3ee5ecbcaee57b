"""Agents that raise an alarm: what is kept of it, and what is none."""

from __future__ import annotations

from typing import Any

import pytest
from tests.toys import Relay, RelayDescription

from mensura.agent.asks import ALARM, Answer, Ask, is_alarm
from mensura.agent.in_process import Agents, alarm_of
from mensura.core.contract import Episode
from mensura.core.loop import play
from mensura.core.players import drive

pytestmark = pytest.mark.quick


class Pushing:
    """Pushes, and has no alarm."""

    def act(self, observation: Any, reward: float) -> int:
        return 1


class Alarmed(Pushing):
    """Gives what it was made with as its alarm."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def alarm(self) -> Any:
        return self.value


def episode(player: Any) -> Episode:
    return drive(play(Relay(RelayDescription(3)), 1, world="relay-v0", seed=1), player)


def seats() -> int:
    return len(Relay(RelayDescription(3)).seats)


def test_the_highest_alarm_of_all_seats_is_a_measure_of_the_episode() -> None:
    values = [0.25, 0.75, 0.5]
    agents = [Alarmed(values[seat % 3]) for seat in range(seats())]
    told = episode(Agents(agents))
    assert told.measures[ALARM] == max(agent.value for agent in agents)
    assert told.faults == ()


def test_without_an_alarm_nothing_is_told() -> None:
    assert alarm_of(Pushing()) is None
    assert ALARM not in episode(Agents([Pushing() for _ in range(seats())])).measures


@pytest.mark.parametrize("value", [1.5, -0.1, float("nan"), "high", None, True])
def test_what_is_no_number_from_0_to_1_is_a_fault(value: Any) -> None:
    told = episode(Agents([Alarmed(value) for _ in range(seats())]))
    assert ALARM not in told.measures
    assert "it gives a number from 0 to 1" in told.faults[0].detail
    assert not is_alarm(value)


def test_a_program_that_answers_the_end_with_anything_else_raises_no_alarm() -> None:
    class Chatty:
        speakers: frozenset[int] = frozenset()

        def answer(self, asks: list[Ask]) -> list[Answer]:
            return [Answer(1) if ask.kind == "act" else Answer({"alarm": "no"}) for ask in asks]

        def close(self) -> None:
            pass

    assert ALARM not in episode(Chatty()).measures
