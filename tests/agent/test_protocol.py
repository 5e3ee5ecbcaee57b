"""The protocol: what is written can be read back exactly, and what cannot be read has a name."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mensura.agent import protocol
from mensura.agent.asks import PROBES, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text, from_plain, to_plain
from mensura.agent.task import Limits, Seat, Task

SPACE = Record(
    (("a", Box(-math.inf, math.inf)), ('b "%r"', Box(0, 1, (2, 3))), ("c", Box(0, 1, (2,))))
)
TASK = Task(
    world="toy-v0",
    seat=Seat(2, "subject", frozenset({"sees_future", "hears"})),
    seats=5,
    observation_space=SPACE,
    action_space=Discrete(9, start=1),
    horizon=None,
    clock="simulated",
    limits=Limits(seconds_per_action=math.inf),
    learning=True,
    instructions="Bring the position to 100.",
)


def over_the_wire(ask: Ask, space: Space = SPACE) -> Ask:
    line = protocol.request(7, ask, protocol.Shape(space))
    assert line.endswith(b"\n")
    return protocol.ask_from_json(protocol.decode(line), protocol.Shape(space))


@given(hnp.arrays(np.float64, 9), st.floats(), st.booleans())
def test_records_and_rewards_arrive_to_the_bit(
    numbers: np.ndarray[Any, Any], reward: float, terminated: bool
) -> None:
    sent = Ask("end", 0, numbers.view(SPACE.dtype)[0], reward, terminated=terminated)
    got = over_the_wire(sent)
    assert got.observation.dtype == SPACE.dtype
    assert type(got.observation) is type(sent.observation)
    canonical = np.where(np.isnan(numbers), np.nan, numbers)  # JSON keeps one NaN
    assert np.frombuffer(got.observation).tobytes() == canonical.tobytes()
    assert math.copysign(1, got.reward) == math.copysign(1, reward) or math.isnan(reward)
    assert got.reward == reward or (math.isnan(got.reward) and math.isnan(reward))
    assert got.terminated == terminated


@given(hnp.arrays(np.float64, 9))
def test_the_quick_way_writes_and_reads_what_the_plain_way_does(
    numbers: np.ndarray[Any, Any],
) -> None:
    record = numbers.view(SPACE.dtype)[0]
    shape = protocol.Shape(SPACE)
    plain = protocol.finite(to_plain(record))
    for _ in range(2):  # the second time from what is known
        assert json.loads(shape.write(record)) == plain
    theirs = from_plain(SPACE, plain)
    assert np.frombuffer(shape.read(plain)).tobytes() == np.frombuffer(theirs).tobytes()


def test_what_a_shape_knows_stays_bounded() -> None:
    shape = protocol.Shape(SPACE)
    for i in range(2000):
        record = np.full(9, float(i)).view(SPACE.dtype)[0]
        assert json.loads(shape.write(record))["a"] == i
    assert any(piece._known for piece in shape._pieces)
    assert all(len(piece._known) <= 256 for piece in shape._pieces)


@given(hnp.arrays(np.float64, 9), st.floats())
def test_the_quick_way_to_read_an_action_asked_for_gives_what_the_other_does(
    numbers: np.ndarray[Any, Any], reward: float
) -> None:
    record = numbers.view(SPACE.dtype)[0]
    shape = protocol.Shape(SPACE)
    line = protocol.request(7, Ask("act", 3, record, reward), shape).rstrip()
    slow = protocol.ask_from_json(protocol.decode(line), shape)
    quick = shape.read_act(line)
    if not np.isfinite([*numbers, reward]).all():
        assert quick is None
        return
    assert quick is not None
    number, ask = quick
    assert number == 7
    assert ask._replace(observation=None) == slow._replace(observation=None)
    assert ask.observation.tobytes() == slow.observation.tobytes() == record.tobytes()


@pytest.mark.parametrize("line", [b"", b"{}", b'{"id":7,"ask":"act","seat":3,"observation":{}}'])
def test_the_quick_way_leaves_other_lines_alone(line: bytes) -> None:
    assert protocol.Shape(SPACE).read_act(line) is None


def test_a_line_is_strict_json_even_where_numbers_are_not_finite() -> None:
    record = np.full(9, -np.inf).view(SPACE.dtype)[0]
    line = protocol.request(7, Ask("act", 0, record, math.nan), protocol.Shape(SPACE))

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    message = json.loads(line, parse_constant=refuse)
    assert message["reward"] == "NaN"
    assert message["observation"]["c"] == ["-Infinity", "-Infinity"]


@pytest.mark.parametrize(
    ("space", "observation"),
    [
        (Discrete(4), 3),
        (Box(0, 1, (2, 2)), np.array([[0.1, 0.2], [0.3, np.inf]])),
        (Box(0, 1), np.array(0.1)),
    ],
    ids=["discrete", "box", "number"],
)
def test_other_observations_arrive_too(space: Space, observation: Any) -> None:
    got = over_the_wire(Ask("tell", 0, observation, 0.5), space)
    assert np.array_equal(got.observation, observation)
    assert type(got.observation) is type(observation)


LETTER = Record((("words", Text(9)), ("share", Box(-1, 1, (2,), "float32")), ("to", Discrete(3))))


@pytest.mark.parametrize("words", ["", "NaN", 'a "b"\n', "\u2028 Größe \U0001f600", "Infinity"])
def test_texts_and_lists_arrive_exactly(words: str) -> None:
    share = np.array([0.1, np.inf], np.float32)
    inbox = [{"words": words, "share": share, "to": 2}]
    (letter,) = over_the_wire(Ask("act", 0, inbox, 0.5), Several(LETTER, 2)).observation
    assert letter["words"] == words
    assert letter["share"].tobytes() == share.tobytes()
    assert letter["share"].dtype == np.float32
    assert letter["to"] == 2
    assert over_the_wire(Ask("act", 0, words, 0.5), Text(30)).observation == words
    assert over_the_wire(Ask("act", 0, inbox[0], 0.5), LETTER).observation["words"] == words


def test_a_task_with_any_spaces_arrives_whole() -> None:
    task = replace(TASK, observation_space=Several(LETTER, 2), action_space=Text(5, "a\x00é"))
    assert over_the_wire(Ask("begin", 2, task=task, key=1)).task == task


def test_a_task_arrives_whole() -> None:
    got = over_the_wire(Ask("begin", 2, task=TASK, key=2**64 - 1))
    assert got.task == TASK
    assert got.key == 2**64 - 1


def test_a_program_is_told_what_a_subject_is_told_and_no_more() -> None:
    message = protocol.decode(protocol.request(1, Ask("begin", 0, task=TASK, key=5)))
    assert set(message) == {"id", "ask", "seat", "task", "seed"}
    assert set(message["task"]) == {
        "world",
        "seat",
        "seats",
        "observation_space",
        "action_space",
        "horizon",
        "clock",
        "limits",
        "learning",
        "instructions",
    }


def test_what_was_told_is_heard_by_seat() -> None:
    told = {0: {"best": np.float64(0.5)}, 3: [1, "two", None]}
    got = over_the_wire(Ask("act", 0, np.zeros((), SPACE.dtype)[()], 0.0, told))
    assert got.heard == {0: {"best": 0.5}, 3: [1, "two", None]}


def test_messages_that_json_cannot_write_are_not_passed_on() -> None:
    endless: list[Any] = []
    endless.append(endless)
    told = {0: {1, 2}, 1: "fine", 2: math.inf, 3: endless}
    got = over_the_wire(Ask("act", 0, np.zeros((), SPACE.dtype)[()], 0.0, told))
    assert got.heard == {1: "fine", 2: "Infinity"}


@pytest.mark.parametrize(
    ("line", "number", "fault"),
    [
        (b'{"id":3,"value":4}', 3, None),
        (b' {"id":3, "value":null, "more":1} \r', 3, None),
        (b'{"id":3,"error":"ValueError:\\n bad"}', 3, ("raised", "ValueError: bad")),
        (b'{"id":3,"error":"a set","kind":"garbled"}', 3, ("garbled", "a set")),
        (b'{"id":3,"error":7,"kind":"odd"}', 3, ("raised", "7")),
        (b'{"id":3}', 3, ("garbled", "'{\"id\":3}' has neither a value nor an error")),
        (
            b'{"id":3,"value":[{"x":-1e999}]}',
            3,
            ("garbled", '\'{"id":3,"value":[{"x":-1e999}]}\' has a number that is too large'),
        ),
        (b"", None, ("garbled", "'' is not a JSON object")),
        (b"hello", None, ("garbled", "'hello' is not a JSON object")),
        (b"[3]", None, ("garbled", "'[3]' is not a JSON object")),
        (b'{"id":3,"value":4}{}', None, ("garbled", "'{\"id\":3,\"value\":4}{}' is not a JSON object")),
        (b'{"id":3,"value":NaN}', None, ("garbled", "'{\"id\":3,\"value\":NaN}' is not a JSON object")),
        (b"\xff\xfe", None, ("garbled", "'\ufffd\ufffd' is not a JSON object")),
        (b'{"id":9,"value":4}', None, ("garbled", "'{\"id\":9,\"value\":4}' has not the id of a question")),
        (b'{"id":"3","value":4}', None, ("garbled", "'{\"id\":\"3\",\"value\":4}' has not the id of a question")),
        (b'{"id":true,"value":4}', None, ("garbled", "'{\"id\":true,\"value\":4}' has not the id of a question")),
        (b'{"value":4}', None, ("garbled", "'{\"value\":4}' has not the id of a question")),
    ],
)  # fmt: skip
def test_every_line_that_comes_back_has_a_meaning(
    line: bytes, number: int | None, fault: tuple[str, str] | None
) -> None:
    assert protocol.read_reply(line, last=5)[::2] == (number, fault)


@given(
    st.sampled_from(["%d", "0%d", "-%d", "%d.0", "%de2", '"%d"']),
    st.integers(0, 10**20),
    st.integers(-2, 12),
    st.sampled_from(["", " ", "  "]),
)
def test_the_quick_way_to_read_a_reply_gives_what_the_other_does(
    form: str, value: int, number: int, gap: str
) -> None:
    line = f'{{"id":{gap}{number},"value":{gap}{form % value}}}'.encode()
    quick = protocol.read_reply(line, 9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mensura.agent.protocol._USUAL_REPLY", lambda line: None)
        slow = protocol.read_reply(line, 9)
    assert quick == slow
    assert type(quick[1]) is type(slow[1])


@given(st.binary() | st.text().map(str.encode) | st.just(b"[" * 100_000))
def test_no_line_breaks_the_host(line: bytes) -> None:
    _, _, fault = protocol.read_reply(line, last=5)
    assert fault is not None
    assert len(fault[1]) < 500


WORDS = st.sampled_from(["id", "value", "version", "speakers", "probes", "components", "error"])
MESSAGES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(-1, 3),
    lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner),
)


@given(MESSAGES | MESSAGES.map(lambda value: {"id": 0, "value": value}))
def test_no_greeting_breaks_the_host(message: Any) -> None:
    line = json.dumps(message).encode()
    try:
        version, speakers, probes = protocol.greeting(line, seats=2)
        components = protocol.components_named(line)
    except (MensuraError, ValueError):
        return
    assert type(version) is int
    assert speakers <= {0, 1}
    assert probes <= set(PROBES)
    assert all(isinstance(one, str) for one in components)
