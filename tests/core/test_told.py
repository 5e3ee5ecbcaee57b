"""What players tell of their own, and what they are reminded of."""

from __future__ import annotations

import pickle
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.toys import Relay, RelayDescription

from mensura.agent.asks import Answer, Ask
from mensura.core.contract import Episode, Plan
from mensura.core.journaled import Journal, Journaled
from mensura.core.mixed import Mixed
from mensura.core.players import Renewed, Unanswered, told_measures
from mensura.core.sitting import sit

pytestmark = pytest.mark.quick


class Counting:
    """Pushes, counts its answers, and remembers what it is reminded of."""

    name = "counting"

    def __init__(self) -> None:
        self.speakers: frozenset[int] = frozenset()
        self.asked = 0
        self.recalled: list[tuple[str, int, Any]] = []
        self.fails_at = -1

    def sit(self, seats: int) -> Counting:
        return self

    def answer(self, asks: list[Ask]) -> list[Answer]:
        answers = []
        for ask in asks:
            if self.asked == self.fails_at:
                raise Unanswered("gone", answers)
            self.asked += 1
            answers.append(Answer(1 if ask.kind == "act" else None, attachment={"n": self.asked}))
        return answers

    def recall(self, ask: Ask, answer: Answer) -> None:
        self.recalled.append((ask.kind, ask.seat, answer.attachment))

    def measures(self) -> Mapping[str, float]:
        told, self.asked = {"asked": float(self.asked)}, 0
        return told

    def close(self) -> None:
        pass


class World:
    id = "relay-v0"
    content = "generated afresh"

    def build(self, description: RelayDescription) -> Relay:
        return Relay(description)


class Trained:
    """An episode of training, then two that count."""

    sittings = 1

    def sitting(self, world: Any, key: int) -> Generator[Plan, Episode, float]:
        description = RelayDescription(3)
        yield Plan(description, 1, learning=True)
        yield Plan(description, 2)
        yield Plan(description, 3, measures={"more": 1.0})
        return 0.0


def test_what_training_took_is_told_with_the_episode_after_it() -> None:
    player = Renewed(Counting(), 2)
    sitting = sit(Trained(), World(), player, 1, 2)  # type: ignore[arg-type]
    (_, first), (_, second) = sitting.episodes
    assert first.measures["asked"] == 2 * second.measures["asked"] > 0
    assert second.measures["more"] == 1.0


def test_a_table_adds_up_and_reminds_whose_answer_it_was() -> None:
    one, other = Counting(), Counting()
    table = Mixed([(one, 1), (other, 2)]).sit(3)
    table.answer([Ask("act", seat) for seat in range(3)])
    assert told_measures(table) == {"asked": 3.0}
    table.recall(Ask("act", 2), Answer(attachment="x"))
    assert other.recalled == [("act", 1, "x")]
    assert one.recalled == []


def test_a_journal_reminds_and_keeps_what_came_before_a_failure(tmp_path: Path) -> None:
    asks = [Ask("act", seat) for seat in range(3)]
    player = Counting()
    player.fails_at = 2
    journaled = Journaled(player, Journal(tmp_path / "journal"))
    with pytest.raises(Unanswered, match="gone"):
        journaled.answer(asks)
    journaled.close()
    again = Counting()
    journaled = Journaled(Renewed(again, 3), Journal(tmp_path / "journal"))
    assert [answer.value for answer in journaled.answer(asks)] == [1, 1, 1]
    journaled.close()
    assert again.recalled == [("act", 0, {"n": 1}), ("act", 1, {"n": 2})]
    assert again.asked == 1


def test_who_tells_nothing_and_cannot_be_reminded_is_left_alone() -> None:
    class Silent:
        speakers: frozenset[int] = frozenset()

    assert told_measures(Silent()) == {}  # type: ignore[arg-type]


def test_a_failure_can_cross_processes() -> None:
    error = pickle.loads(pickle.dumps(Unanswered("gone", [Answer(3)])))
    assert str(error) == "gone"
    assert error.answers == (Answer(3),)
