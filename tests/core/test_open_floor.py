"""An open floor: whoever speaks first is heard, who waits is asked again, and a game is made again from its journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.core.journaled import Journal, Journaled
from mensura.core.loop import play
from mensura.core.open_floor import OPEN, arrival, is_later
from mensura.worlds.kit import BaseDescription, BaseWorld, Ended, Generator, Space, State, Text

pytestmark = pytest.mark.quick


class Chat(BaseWorld):
    """Two seats say whatever they like until the bell rings at 100 seconds."""

    id = "chat-v0"
    content = "generated afresh"
    subjects: int = 2

    def opens_floor(self, description: BaseDescription) -> bool:
        return True

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        return Text(1000), Text(20)

    def start(self, state: State, rng: Generator) -> None:
        state.said, state.now = [], 0.0

    def observe(self, state: State, seat: int) -> Any:
        return " ".join(f"{who}:{text}" for _, who, text in state.said)

    def advance(self, state: State, actions: Mapping[int, Any], rng: Generator) -> Sequence[float]:
        for seat, text in actions.items():
            state.said.append([state.now, seat, text])
        return [float(seat in actions) for seat in range(2)]

    def next_event(self, state: State) -> float:
        return 100.0

    def pass_time(self, state: State, at: float) -> None:
        state.now = at

    def ended(self, state: State) -> Ended | None:
        return "terminated" if state.now >= 100.0 else None


def heard(
    turns: dict[int, list[tuple[float, Any]]], stop: float = 100.0
) -> tuple[list[Any], list[Ask]]:
    """What is said if seats answer so, each after so many seconds; and all asks."""
    world = Chat()
    environment = world.build(world.sample(1))
    asking = play(environment, 1, world=world.id, seed=1)
    asked: list[Ask] = []
    asks = next(asking)
    left = {seat: list(some) for seat, some in turns.items()}
    try:
        while True:
            answers = []
            for ask in asks:
                if ask.kind != "act":
                    answers.append(Answer())
                    continue
                asked.append(ask)
                seconds, value = left[ask.seat].pop(0) if left[ask.seat] else (0.0, {"later": None})
                answers.append(Answer(value, seconds, None, at=0.0))
            asks = asking.send(answers)
    except StopIteration:
        return environment.state.said, asked


def test_whoever_speaks_first_is_heard_while_others_think() -> None:
    said, asked = heard({0: [(10.0, "slow")], 1: [(1.0, "a"), (2.0, "b"), (3.0, "c")]})
    assert said == [[1.0, 1, "a"], [3.0, 1, "b"], [6.0, 1, "c"], [10.0, 0, "slow"]]
    # Who thinks is not asked again meanwhile; who is asked sees what is new.
    assert [(ask.seat, ask.observation) for ask in asked[:4]] == [
        (0, ""),
        (1, ""),
        (1, "1:a"),
        (1, "1:a 1:b"),
    ]


def test_who_has_nothing_to_say_is_asked_again_later_or_when_somebody_speaks() -> None:
    _, asked = heard({0: [(0.0, {"later": 30.0}), (0.0, "x")], 1: [(50.0, "y")]})
    said, _ = heard({0: [(0.0, {"later": 30.0}), (0.0, "x")], 1: [(50.0, "y")]})
    assert said == [[30.0, 0, "x"], [50.0, 1, "y"]]
    said, _ = heard({0: [(0.0, {"later": None}), (1.0, "x")], 1: [(50.0, "y")]})
    assert said == [[50.0, 1, "y"], [51.0, 0, "x"]]
    assert [ask.seat for ask in asked[:3]] == [0, 1, 0]


def live(arrivals: list[tuple[float, int, str]]) -> tuple[list[Any], list[Ask]]:
    """What is said if both seats take real time and do this, at these times; and all asks."""
    world = Chat()
    environment = world.build(world.sample(1))
    asking = play(environment, 1, world=world.id, seed=1)
    asked: list[Ask] = []
    asks = next(asking)
    left = list(arrivals)
    try:
        while True:
            asked += asks
            answers = []
            for ask in asks:
                if ask.kind == "wait" and left and left[0][0] <= ask.deadline:
                    at, seat, said = left.pop(0)
                    answers.append(Answer(arrival(seat, said), at=at))
                else:
                    answers.append(Answer(dict(OPEN) if ask.kind == "act" else None))
            asks = asking.send(answers)
    except StopIteration:
        return environment.state.said, asked


def test_an_ask_stays_open_and_time_goes_on_only_as_the_driver_says() -> None:
    said, asked = live([(1.0, 1, "a"), (3.5, 1, "b"), (10.0, 0, "slow"), (101.0, 0, "too late")])
    assert said == [[1.0, 1, "a"], [3.5, 1, "b"], [10.0, 0, "slow"]]
    waits = [ask.deadline for ask in asked if ask.kind == "wait"]
    assert waits == [100.0] * 4
    assert [ask.seat for ask in asked if ask.kind == "act"] == [0, 1, 1, 1, 0]


def test_what_nobody_may_do_comes_to_nothing_however_it_arrives() -> None:
    said, _ = live([(1.0, 1, "x" * 50), (2.0, 0, 7), (3.0, 0, "fine")])  # type: ignore[list-item]
    assert said == [[3.0, 0, "fine"]]


def test_what_comes_after_the_end_is_not_heard() -> None:
    said, _ = heard({0: [(99.0, "in time")], 1: [(101.0, "too late")]})
    assert said == [[99.0, 0, "in time"]]


def test_an_action_that_is_none_costs_its_seat_and_nobody_else() -> None:
    said, _ = heard({0: [(1.0, "x" * 50)], 1: [(2.0, "fine")]})
    assert said == [[1.0, 0, ""], [2.0, 1, "fine"]]


def test_who_has_too_many_faults_is_not_asked_again_and_the_conversation_ends() -> None:
    broken = [(1.0, 7)] * 40
    said, asked = heard({0: broken, 1: []})
    assert [ask.seat for ask in asked].count(0) == 3
    assert said == [[1.0, 0, ""], [2.0, 0, ""], [3.0, 0, ""]]


@given(
    st.lists(st.tuples(st.floats(0.3, 40.0), st.text("ab", max_size=3)), max_size=6),
    st.lists(st.tuples(st.floats(0.3, 40.0), st.text("cd", max_size=3)), max_size=6),
)
@settings(max_examples=examples(24, 60), deadline=None)
def test_messages_come_in_the_order_of_their_times(
    one: list[tuple[float, str]], other: list[tuple[float, str]]
) -> None:
    said, _ = heard({0: list(one), 1: list(other)})
    times = [at for at, _, _ in said]
    assert times == sorted(times)
    for seat, turns in ((0, one), (1, other)):
        # Every seat speaks after as long as it took, from its last message on, and nothing is lost or doubled.
        own = [(at, text) for at, who, text in said if who == seat]
        at = 0.0
        expected = []
        for seconds, text in turns:
            at += seconds
            if at < 100.0:
                expected.append((pytest.approx(at), text))
        assert own == expected


class Talker:
    """Says something twice, and then waits."""

    speakers: frozenset[int] = frozenset()

    def __init__(self) -> None:
        self.asked = 0

    def answer(self, asks: list[Ask]) -> list[Answer]:
        return [self._one(ask) for ask in asks]

    def _one(self, ask: Ask) -> Answer:
        if ask.kind != "act":
            return Answer()
        self.asked += 1
        count = ask.observation.count(f"{ask.seat}:")
        value: Any = f"n{count}" if count < 2 else {"later": None}
        return Answer(value, 3.0 + 4.0 * ask.seat)

    def close(self) -> None:
        pass


def sitting(player: Any) -> list[Any]:
    world = Chat()
    environment = world.build(world.sample(1))
    asking = play(environment, 1, world=world.id, seed=1)
    asks = next(asking)
    try:
        while True:
            asks = asking.send(player.answer(asks))
    except StopIteration:
        return list(environment.state.said)


def test_a_conversation_is_made_again_from_its_journal_and_nobody_is_asked_twice(
    tmp_path: Path,
) -> None:
    talker = Talker()
    player = Journaled(talker, Journal(tmp_path / "journal"))
    said = sitting(player)
    player.close()
    assert [one[1:] for one in said] == [[0, "n0"], [0, "n1"], [1, "n0"], [1, "n1"]]
    again = Talker()
    second = Journaled(again, Journal(tmp_path / "journal"))
    assert sitting(second) == said
    assert again.asked == 0
    second.close()
    # Killed in between: what is there counts, and only the rest is asked for.
    lines = (tmp_path / "journal").read_bytes().splitlines(keepends=True)
    (tmp_path / "half").write_bytes(b"".join(lines[: len(lines) // 2]))
    third = Talker()
    player = Journaled(third, Journal(tmp_path / "half"))
    assert [one[1:] for one in sitting(player)] == [one[1:] for one in said]
    assert 0 < third.asked < talker.asked
    player.close()


@pytest.mark.parametrize(
    ("value", "later"),
    [
        ({"later": None}, True),
        ({"later": 2}, True),
        ({"later": 2.5}, True),
        ({"later": -1}, False),
        ({"later": "soon"}, False),
        ({"later": True}, False),
        ({"later": float("inf")}, False),
        ({"later": 1, "more": 2}, False),
        ("later", False),
    ],
)
def test_what_says_later(value: Any, later: bool) -> None:
    assert is_later(value) is later


def test_a_slot_of_seconds_gets_a_sentence() -> None:
    world = Chat()
    asking = play(world.build(world.sample(1)), 1, world=world.id, seed=1, seconds=5.0)
    asks = next(asking)
    with pytest.raises(MensuraError, match="A conversation has a time of its own"):
        asking.send([Answer() for _ in asks])
