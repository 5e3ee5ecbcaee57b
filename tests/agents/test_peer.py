"""Whole exchanges with programs that say anything at any time: every ask gets its answer."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents.toy import ACTION, OBSERVATION, Toy, write_agent

from mensura.agent import protocol
from mensura.agent.asks import Ask
from mensura.agent.errors import MensuraError
from mensura.agent.task import Limits, Seat, Task
from mensura.agents.address import parse
from mensura.agents.peer import Channel, Ended, Flooded, Lines, Peer
from mensura.agents.process import ProcessSubject

pytestmark = pytest.mark.quick

KINDS = {"raised", "late", "illegal", "died", "garbled"}

PIECES = st.one_of(
    st.binary(max_size=30),
    st.sampled_from(
        [b"\n", b"{}", b'{"id":1', b',"value":2}\n', b'{"id":99,"value":1}\n', b"null\n"]
    ),
    st.integers(0, 12).map(lambda number: b'{"id":%d,"value":2}\n' % number),
    st.integers(0, 12).map(lambda number: b'{"id":%d,"error":"no"}\n' % number),
    st.sampled_from([Ended, Flooded, None]),
)


class Scripted:
    """A program that says what a list says, piece by piece; then nothing."""

    def __init__(self, script: list[Any]) -> None:
        self._script = script
        self._lines = Lines()
        self._greeted = False
        self.closed = 0

    def send(self, data: bytes) -> None:
        pass

    def lines(self, until: float) -> list[bytes]:
        if not self._greeted:
            self._greeted = True
            return [b'{"id":0,"value":{"version":1}}']
        while self._script:
            piece = self._script.pop(0)
            if piece is None:
                return []
            if not isinstance(piece, bytes):
                raise piece
            if lines := self._lines.cut(piece):
                return lines
        return []

    def epitaph(self) -> str:
        self.closed += 1
        return "it is gone"

    def close(self, patience: float = 0.0) -> None:
        self.closed += 1

    def cpu_seconds(self) -> float:
        return 0.0


def ask(kind: Any, seat: int) -> Ask:
    task = Task("toy-v0", Seat(seat), 2, OBSERVATION, ACTION, horizon=4)
    seen = None if kind == "begin" else Toy().observe(seat)
    return Ask(kind, seat, seen, deadline=60.0, task=task if kind == "begin" else None)


@given(st.lists(PIECES, max_size=30), st.integers(1, 3))
def test_whatever_comes_every_ask_has_an_answer(script: list[Any], seats: int) -> None:
    opened: list[Scripted] = []

    def open_one() -> Channel:
        opened.append(Scripted(script))
        return opened[-1]

    peer = Peer("the program", open_one, seats)
    for kind in ("begin", "act", "act", "end"):
        asks = [ask(kind, seat) for seat in range(seats)]
        answers = peer.answer(asks)
        assert len(answers) == len(asks)
        for answer in answers:
            assert answer.fault is None or answer.fault[0] in KINDS
            assert answer.seconds >= 0.0
    peer.close()
    peer.close()
    assert len(opened) <= 2  # it is opened anew once
    assert all(one.closed == 1 for one in opened)


@given(st.permutations(range(4)), st.data())
def test_answers_in_any_order_and_cut_anywhere_are_those_of_their_asks(
    order: list[int], data: st.DataObject
) -> None:
    text = b"".join(b'{"id":%d,"value":%d}\n' % (number + 1, number) for number in order)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    peer = Peer("the program", lambda: Scripted(pieces), 4)
    answers = peer.answer([ask("act", seat) for seat in range(4)])
    assert [answer.value for answer in answers] == [0, 1, 2, 3]
    peer.close()


# Memory ---------------------------------------------------------------------------


class Answering(Scripted):
    """A program that answers each ask with what a function says."""

    def __init__(self, answer: Callable[[dict[str, Any]], bytes]) -> None:
        super().__init__([])
        self._answer = answer
        self.asked: list[dict[str, Any]] = []

    def send(self, data: bytes) -> None:
        for line in data.splitlines():
            self.asked.append(json.loads(line))
            if self.asked[-1].get("ask") == "save":
                self._script.append(self._answer(self.asked[-1]) + b"\n")


def test_what_a_program_saved_is_told_to_it_in_another_sitting() -> None:
    one = Answering(lambda message: b'{"id":%d,"value":"all I know"}' % message["id"])
    peer = Peer("the program", lambda: one, 1)
    assert "memory" not in one.asked[0]
    assert peer.save() == b"all I know"
    peer.close()
    other = Answering(lambda message: b"")
    Peer("the program", lambda: other, 1, memory=b"all I know").close()
    assert other.asked[0]["memory"] == "all I know"


def test_a_program_may_have_nothing_to_save() -> None:
    peer = Peer("the program", lambda: Answering(lambda m: b'{"id":%d,"value":null}' % m["id"]), 1)
    assert peer.save() is None
    peer.close()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b'{"id":1,"error":"the disk is full"}', "the disk is full"),
        (b'{"id":1,"value":7}', "7 is not a text"),
        (b"nonsense", "is not a JSON object"),
    ],
)
def test_what_cannot_be_saved_is_told_in_a_sentence(answer: bytes, why: str) -> None:
    peer = Peer("the program", lambda: Answering(lambda _: answer), 1)
    with pytest.raises(MensuraError, match=f"^the program cannot save what it knows: .*{why}"):
        peer.save()
    peer.close()


def test_who_does_not_answer_has_not_saved() -> None:
    peer = Peer("the program", lambda: Scripted([]), 1, Limits(seconds_to_start=0.01))
    with pytest.raises(MensuraError, match=r"there was no answer after 0.01 s"):
        peer.save()
    peer.close()


class Clocked(Scripted):
    """Answers question after question, each so many seconds after the one before."""

    def __init__(self, clock: list[float], pauses: list[float]) -> None:
        super().__init__(
            [b'{"id":%d,"value":2}\n' % number for number in range(1, 1 + len(pauses))]
        )
        self._clock, self._pauses = clock, list(pauses)

    def lines(self, until: float) -> list[bytes]:
        if self._greeted:
            self._clock[0] += self._pauses.pop(0)
        return super().lines(until)


@given(st.lists(st.integers(0, 500).map(lambda n: n / 64), min_size=1, max_size=4))
def test_the_time_of_an_answer_runs_from_the_one_before_it(pauses: list[float]) -> None:
    clock = [0.0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mensura.agents.peer.perf_counter", lambda: clock[0])
        peer = Peer("timed", lambda: Clocked(clock, pauses), 4)
        answers = peer.answer([ask("act", seat) for seat in range(len(pauses))])
    assert [answer.seconds for answer in answers] == pauses
    assert all(answer.fault is None for answer in answers)


COUNTER = """
    class A:
        count = 0
        def act(self, observation, reward):
            self.count += 1
            return self.count
        def save(self):
            return bytes([self.count]) * {times}
        def load(self, memory):
            self.count = memory[0]
"""


def test_our_client_saves_and_goes_on(tmp_path: Path) -> None:
    (part,) = parse(write_agent(tmp_path, COUNTER.format(times=3_000_000)) + ":A")

    def sit(memory: bytes | None = None) -> Peer:
        return ProcessSubject(part).sit(2, memory)

    with closing(sit()) as peer:
        for seat in (0, 1, 1):
            peer.answer([ask("begin", seat), ask("act", seat)])
        memory = peer.save()
        assert memory is not None
        assert len(memory) > protocol.LONGEST
        assert peer.answer([ask("act", 0)])[0].value == 2  # it can still be asked
    with closing(sit(memory)) as peer:
        answers = peer.answer([ask("begin", 0), ask("begin", 1), ask("act", 0), ask("act", 1)])
        assert [answer.value for answer in answers[2:]] == [2, 3]
    with pytest.raises(MensuraError, match="of 1 members and this subject has 2"):
        sit(b"[null]")


def test_the_last_word_is_one_line_that_asks_for_no_answer() -> None:
    message = protocol.decode(protocol.last_word("too\nmuch"))
    assert message == {"ask": "error", "error": "too much"}
