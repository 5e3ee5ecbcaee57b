"""Commands in both generations, their answers, and whatever is wrong with them."""

import json
import math
import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds.pagi.small_room import SmallRoom

from mensura.agent.errors import MensuraError
from mensura.worlds.pagi.contract import STEPS, Controls, Event, Room, Sight, Touch
from mensura.worlds.pagi.protocol import comma, limits, messages
from mensura.worlds.pagi.protocol.controls import Manner, SeatControls
from mensura.worlds.pagi.protocol.values import WrongExpression, expression, now

pytestmark = pytest.mark.quick

ALL = frozenset({"arranges", "names"})
HOT = Touch(True, 70.0, (0.1, 0.2, 0.3, 0.4), -2.0, "hotPlate")


def frame(controls: Controls, room: Room, text: str = "") -> list[str]:
    """One interaction: what the seat is told in it."""
    controls.take(text, room)
    for _ in range(STEPS):
        controls.act(room)
        room.step()
    return controls.answers(room).splitlines()


def told(text: str, room: SmallRoom | None = None, rights: frozenset[str] = ALL,
         manner: Manner = "paper") -> list[str]:  # fmt: skip
    """What a fresh seat is told about commands."""
    return frame(SeatControls(0, rights, manner), room or SmallRoom(), text)


def message(kind: str, name: str = "", amount: float = 0.0, x: float = 0.0, y: float = 0.0,
            others: tuple[str, ...] = (), actions: str = "[]") -> str:  # fmt: skip
    rest = f'"vectorContent":{{"x":{x},"y":{y}}},"otherStrings":{json.dumps(others)},"messages":{actions}}}\n'
    return f'{{"messageType":"{kind}","stringContent":{json.dumps(name)},"floatContent":{amount},{rest}'


# Answers ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("sensorRequest,B5", "B5,1,70,0.1,0.2,0.3,0.4,-2,hotPlate"),
        ("sensorRequest,L0", "L0,0,0,0,0,0,0,0,"),
        ("sensorRequest,V3.4", "V3.4,1,0.5,0,0.25,apple,apple 1"),
        ("sensorRequest,P15.10", "P15.10,0,0,0,0,,"),
        ("sensorRequest,S", "S,0,0"),
        ("sensorRequest,BP", "BP,3,-4.5"),
        ("sensorRequest,LP", "LP,-1,0.5"),
        ("sensorRequest,RP", "RP,1,0.5"),
        ("sensorRequest,A", "A,0.25"),
        ("findObj,apple 1,D", "findObj,apple 1,V3.4,V4.0"),
        ("findObj,apple 1,P", "findObj,apple 1,P1.1"),
        ("findObj,apple 1,PD", "findObj,apple 1,V3.4,V4.0,P1.1"),
        ("findObj,nobody,PD", "findObj,nobody"),
        ("addForce,BMH,10", "BMH,1"),
        ("addForce,LHvec,1,2", "LHvec,1"),
        ("addForce,J,1000", "J,1"),
        ("addForce,LHG,1", "LHG,1"),
        ("addForce,RHR,1", "RHR,0"),
        ("getActiveStates", "activeStates,(none)"),
        ("getActiveReflexes", "activeReflexes,(none)"),
        ("dropItem,apple,1,2", "dropItem,apple,OK"),
        ("dropItem,unicorn,1,2,note, with commas", "dropItem,unicorn,FAILED:obj_not_found"),
        ("createItem,box,a.png,1,2,3,4,0.5,6,5", "createItem,box,OK"),
        ("createItem,box,missing.png,1,2,3,4,0.5,6,5", "createItem,box,FAILED,fileNotFound"),
        ("addForceToItem,cat,1,2,3", "addForceToItem,cat,OK"),
        ("addForceToItem,dog,1,2,3", "addForceToItem,dog,ERR:Item_Name_Not_Found"),
        ("destroyItem,cat", "destroyItem,cat,OK"),
        ("destroyItem,dog", "destroyItem,dog,ERR:Item_Name_Not_Found"),
        ("getInfoAboutItem,cat", "getInfoAboutItem,cat,1,2,3,4"),
        ("getInfoAboutItem,dog", "getInfoAboutItem,dog,ERR:Item_Name_Not_Found"),
        ("say,cat,hello, world,2,0,1", "say,cat,OK"),
        ("say,dog,hello,2,0,1", "say,dog,ERR:Item_Name_Not_Found"),
        ("print,some, text", "print,OK"),
        ("loadTask,hero.tsk", "loadTask,hero.tsk,OK"),
        ("loadTask,other.tsk", "loadTask,other.tsk,ERR,there is no such file; here"),
        ("removeReflex,r", "removedReflex,r,FAILED"),
    ],
)
def test_a_command_of_the_comma_generation_is_answered_as_the_reference_says(
    line: str, answer: str
) -> None:
    room = SmallRoom()
    room.touched["B", 5] = HOT
    apple = Sight((1.0, 0.5, 0.0, 0.25), "apple", "apple 1")
    room.seen = {("V", 3, 4): apple, ("V", 4, 0): apple, ("P", 1, 1): apple}
    assert told(f"{line}\n", room)[0] == answer


def test_names_of_a_whole_field_go_by_rows_from_the_bottom() -> None:
    room = SmallRoom()
    room.seen = {
        ("P", 1, 0): Sight((0.0,) * 4, "apple", "a"),
        ("P", 0, 1): Sight((0.0,) * 4, "b", "b"),
    }  # type: ignore[arg-type]
    [line] = told("sensorRequest,MPN", room)
    fields = line.split(",")
    assert (fields[0], len(fields), fields[2], fields[17]) == ("MPN", 177, "a", "b")
    assert len(told("sensorRequest,MDN")[0].split(",")) == 652


def test_forces_go_where_they_are_sent() -> None:
    room = SmallRoom()
    room.moving = (2.0, 3.0)
    forces = ("BMH,5", "BMV,6", "BMvec,1,2", "LHH,7", "RHvec,[2*Sx],[Sy^2-1]", "BR,90")
    assert told("".join(f"addForce,{one}\n" for one in forces), room) == [
        "BMH,1",
        "BMV,1",
        "BMvec,1",
        "LHH,1",
        "RHvec,1",
        "BR,1",
    ]
    assert room.done == [
        ("push", "B", 5.0, 0.0),
        ("push", "B", 0.0, 6.0),
        ("push", "B", 1.0, 2.0),
        ("push", "L", 7.0, 0.0),
        ("push", "R", 4.0, 8.0),
        ("turn", 90.0),
    ]


def test_a_json_message_is_answered_in_json() -> None:
    room = SmallRoom()
    room.touched["B", 0] = HOT
    room.seen["V", 0, 3] = Sight((1.0, 0.0, 0.0, 0.5), "apple", "a")
    asks = "".join(
        message("sensorRequest", code) for code in ("B0", "V0.3", "V0.4", "S", "A", "MDN")
    )
    touch, sight, nothing, speed, angle, names = map(json.loads, told(asks, room))
    texture = [0.1, 0.2, 0.3, 0.4]
    assert touch == {
        "sensorCode": "B0",
        "p": 1,
        "temp": 70.0,
        "texture": texture,
        "endorphins": -2.0,
    }
    assert sight == {"sensorCode": "V0.3", "vq": [1.0, 0.0, 0.0, 0.5], "type": "apple", "name": "a"}
    assert (nothing["type"], nothing["name"]) == ("defaultType", "Background")
    assert speed == {"type": "S", "x": 0.0, "y": 0.0}
    assert angle["x"] == 0.25
    assert names["type"] == "MDN"
    assert names["content"].count(",") == 651
    rest = (
        message("getInfoAboutItem", "cat")
        + message("findObj", "a", others=("PD",))
        + message("setState", "s", -1)
        + message("getStates")
        + message("addForceToItem", "dog", 3, 1, 2)
        + message("establishConnection")
    )
    assert [json.loads(one) for one in told(rest, room)] == [
        {"name": "cat", "x": 1.0, "y": 2.0, "vx": 3.0, "vy": 4.0},
        {"type": "object", "content": "V0.3"},
        {"type": "update", "content": "stateUpdated,s"},
        {"type": "update", "content": "activeStates,s"},
        {"type": "update", "content": "addForceToItem,dog,ERR:Item_Name_Not_Found"},
    ]


def test_plain_forces_of_json_stand_in_the_vector_and_expressions_in_the_strings() -> None:
    room = SmallRoom()
    told(
        message("addForce", "LHV", x=1, y=2)
        + message("addForce", "LHH", x=1, y=2)
        + message("addForce", "BMvec", x=1, y=2)
        + message("addForce", "BMV", others=("2*BPy",))
        + message("addForce", "BMvec", x=7, others=("", "[BPx]"))
        + message("addForce", "BR", x=5),
        room,
    )
    assert room.done == [
        ("push", "L", 0.0, 2.0),
        ("push", "L", 1.0, 0.0),
        ("push", "B", 1.0, 2.0),
        ("push", "B", 0.0, -9.0),
        ("push", "B", 7.0, 3.0),
        ("turn", 5.0),
    ]


def test_what_happens_is_told_unasked() -> None:
    events = [Event("RD", ("10", "3")), Event("TB", ("box", "LE")), Event("SC", ("hello, you",))]
    for text, manner, expected in (
        ("print,x", "paper", ["RD,10,3", "TB,box,LE", "SC,hello, you"]),
        (message("print"), "paper", [
            '{"type":"update","content":"RD,10,3"}',
            '{"type":"trigger","content":"TB,box,LE"}',
            '{"type":"update","content":"SC,hello, you"}',
        ]),
        (message("print"), "authors", ["RD,10,3", '{"type":"trigger","content":"TB,box,LE"}', "SC,hello, you"]),
    ):  # fmt: skip
        room = SmallRoom()
        room.events = list(events)
        assert told(text, room, manner=manner)[1:] == expected  # type: ignore[arg-type]


def test_clients_that_wait_for_the_name_of_their_command_get_it() -> None:
    lines = "setState,s,100\nsetReflex,r,s\nremoveReflex,r"
    assert told(lines)[:6] == [
        "stateUpdated,s", "setState,s,OK", "reflexUpdated,r", "setReflex,r,OK",
        "removedReflex,r,OK", "removeReflex,r,OK",
    ]  # fmt: skip
    assert told(lines, manner="authors")[:3] == ["stateUpdated,s", "reflexUpdated,r", "removedReflex,r,OK"]  # fmt: skip


# Rights -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "dropItem,apple,1,2",
        "createItem,box,a.png,1,2,3,4,0.5,6,5",
        "destroyItem,cat",
        "addForceToItem,cat,1,2,3",
        "getInfoAboutItem,cat",
        "loadTask,hero.tsk",
        "setReflex,r,s,dropItem|bacon|0|0",
    ],
)
def test_who_may_not_arrange_the_world_is_told_so_and_nothing_is_done(line: str) -> None:
    room = SmallRoom()
    [answer] = told(line, room, frozenset({"names"}))
    assert answer.startswith("ERR: While processing message of type ")
    assert "no right" in answer
    assert room.done == []
    assert "cat" in room.items


def test_who_may_not_read_names_senses_the_rest() -> None:
    room = SmallRoom()
    room.touched["B", 0] = HOT
    room.seen["V", 0, 0] = Sight((1.0, 0.0, 0.0, 0.0), "apple", "a")
    lines = told("sensorRequest,B0\nsensorRequest,V0.0\nsensorRequest,MDN\nfindObj,a,D", room, frozenset())  # fmt: skip
    assert lines[:2] == ["B0,1,70,0.1,0.2,0.3,0.4,-2,", "V0.0,1,0,0,0,,"]
    assert all("no right to read names" in line for line in lines[2:])
    assert len(lines) == 4
    sight = json.loads(told(message("sensorRequest", "V0.0"), room, frozenset())[0])
    assert sight["type"] == sight["name"] == ""


# Bad input ----------------------------------------------------------------------

BAD = [
    "nonsense",
    "sensorRequest,Merr",
    "sensorRequest,B8",
    "sensorRequest,L5",
    "sensorRequest,V31.0",
    "sensorRequest,P0.11",
    "sensorRequest",
    "sensorRequest,B0,B1",
    "addForce,XYZ,1",
    "addForce,BMH",
    "addForce,BMH,nan",
    "addForce,BMH,inf",
    "addForce,BMH,1e999",
    "addForce,BMH,[1/0]",
    "addForce,BMH,[2^99999]",
    "addForce,BMH,[(0-1)^0.5]",
    "addForce,BMH,[nosuch]",
    "addForce,BMH,[sin(1)]",
    "addForce,BMH,[1 if Sx > 0 else 2]",
    "addForce,BMH,[__import__('os')]",
    "addForce,BMH,[]",
    "addForce,LHvec,1",
    "findObj,apple,X",
    "findObj,apple",
    "setState,s",
    "setState,s,-2",
    "setState,s,nan",
    "setState,,5",
    "setState,a|b,5",
    "setReflex,r",
    "setReflex,r,",
    "setReflex,r,Sx|>|1|2",
    "setReflex,r,Sx|>",
    "setReflex,r,Sx|~|1",
    "setReflex,r,Sq|>|1",
    "setReflex,r,s,setReflex|q|s",
    "setReflex,r,s,addForce|BMH|nan",
    "setReflex,r,s,nonsense",
    "createItem,box,a.png,1,2,0,4,0.5,6,5",
    "createItem,box,a.png,1,2,1,6,0.5,6,5",
    "createItem,box,a.png,1,2,1,4.5,0.5,6,5",
    "createItem,box,a.png,1,2,1,4,0.5,6,7",
    "createItem,box,../a.png,1,2,1,4,0.5,6,5",
    "createItem,box,/etc/passwd,1,2,1,4,0.5,6,5",
    "loadTask,../../secret.tsk",
    "loadTask,C:\\secret.tsk",
    "say,P,hello",
    "say,P,hello,nan,0,0",
    "dropItem,apple,1",
    "getInfoAboutItem",
    f"print,{'x' * 70_000}",
    f"setState,{'s' * 300},5",
]


@pytest.mark.parametrize("line", BAD)
def test_a_wrong_command_gets_one_error_and_does_nothing(line: str) -> None:
    room = SmallRoom()
    controls = SeatControls(0, ALL)
    [answer] = frame(controls, room, f"{line}\n")
    assert answer.startswith("ERR: While processing message of type ")
    assert [one for one in room.done if one[0] != "console"] == []
    assert not controls.states
    assert not controls.reflexes
    assert frame(controls, room, "sensorRequest,S\n") == ["S,0,0"]


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{]}",
        '{"messageType": 3}',
        '{"messageType":"sensorRequest","stringContent":7}',
        '{"messageType":"sensorRequest","stringContent":"Merr"}',
        '{"messageType":"addForce","stringContent":"BMH","vectorContent":{"x":NaN}}',
        '{"messageType":"addForce","stringContent":"BMH","vectorContent":{"x":1e999}}',
        '{"messageType":"addForce","stringContent":"BMH","vectorContent":{"x":1' + "0" * 400 + "}}",
        '{"messageType":"addForce","stringContent":"BMH","vectorContent":[1,2]}',
        '{"messageType":"addForce","stringContent":"BMH","otherStrings":["1+"]}',
        '{"messageType":"setState","stringContent":"s","floatContent":"5"}',
        '{"messageType":"setState","stringContent":"a\\nb","floatContent":5}',
        '{"messageType":"setReflex","stringContent":"r","otherStrings":["a|b|c|d"]}',
        '{"messageType":"setReflex","stringContent":"r","otherStrings":["s"],"messages":["x"]}',
        '{"messageType":"setReflex","stringContent":"r","otherStrings":["s"],"messages":[{"messageType":"setReflex"}]}',
        '{"messageType":"createItem","stringContent":"a","floatContent":1,"otherStrings":["cat,1"]}',
        "{" + '"a":[' * 5000 + "]" * 5000 + "}",
        '{"messageType":"pri\nnt"}',
    ],
)
def test_a_wrong_message_gets_an_error_in_json_and_the_next_one_is_read(text: str) -> None:
    room = SmallRoom()
    controls = SeatControls(0, ALL)
    answers = [json.loads(one) for one in frame(controls, room, f"{text}\n")]
    assert answers
    assert all(one["type"] == "errorMsg" for one in answers)
    assert [one for one in room.done if one[0] != "console"] == []
    assert not controls.states
    assert not controls.reflexes
    assert len(frame(controls, room, message("sensorRequest", "S"))) == 1


def test_an_unreadable_expression_is_told_as_the_original_does_and_explained_on_the_console() -> (
    None
):
    room = SmallRoom()
    assert told("addForce,BMH,[1+]", room) == [
        "ERR: While processing message of type addForce (see log)"
    ]
    assert room.done[0][0] == "console"
    assert "a value is missing" in room.done[0][1]


def test_a_client_that_floods_is_cut_off_in_each_frame() -> None:
    room = SmallRoom()
    lines = told("sensorRequest,MDN\n" * 50_000, room)
    assert len(lines) == limits.MOST_COMMANDS + 1
    assert (
        lines[-1] == "ERR: 50000 commands came in one frame; those after the first 200 are ignored"
    )
    room.seen = {
        ("V", x, y): Sight((0.0,) * 4, "t", "n" * 100) for x in range(31) for y in range(21)
    }  # type: ignore[arg-type]
    text = "\n".join(told("sensorRequest,MDN\n" * 50_000, room))
    assert len(text) <= limits.LONGEST_ANSWERS
    assert "left out" in text
    controls = SeatControls(0)
    for name in "ab":
        lines = frame(controls, room, "".join(f"setState,{name}{i},-1\n" for i in range(150)))
    assert lines[-1].endswith("a seat has at most 200 states")
    assert len(controls.states) == limits.MOST_STATES


def test_a_message_that_never_ends_is_given_up() -> None:
    room = SmallRoom()
    controls = SeatControls(0)
    frame(controls, room, '{"a":\n')
    for _ in range(70):
        answers = frame(controls, room, '"' + "x" * 1000 + '",\n')
        if answers:
            break
    assert "errorMsg" in answers[0]
    assert len(frame(controls, room, message("getStates"))) == 1


# Reflexes and states ------------------------------------------------------------


def test_a_reflex_acts_at_every_physics_step_while_its_conditions_hold() -> None:
    room = SmallRoom()
    controls = SeatControls(0)
    frame(controls, room, "setReflex,hot,L0_tmp|>|50;-calm,addForce|LHvec|-10|[5*2]\n")
    assert frame(controls, room) == []
    assert room.done == []
    room.touched["L", 0] = HOT
    assert frame(controls, room) == ["reflexFired,hot", "LHvec,1"] * STEPS
    assert room.done == [("push", "L", -10.0, 10.0)] * STEPS
    assert "reflexFired,hot" not in frame(controls, room, "setState,calm,-1\n")


def test_one_transition_a_step() -> None:
    """a leads to b leads to c: each state lasts one physics step, in whatever order the reflexes were made."""
    room = SmallRoom()
    controls = SeatControls(0)
    frame(
        controls,
        room,
        "setReflex,two,b,setState|b|0;setState|c|-1\nsetReflex,one,a,setState|a|0;setState|b|-1\n",
    )
    controls.take("setState,a,-1\n", room)
    for expected in ({"b"}, {"c"}, {"c"}):
        controls.act(room)
        room.step()
        assert set(controls.states) == expected


def test_a_state_lasts_so_many_simulated_milliseconds() -> None:
    room = SmallRoom()
    controls = SeatControls(0)
    controls.take("setState,s,60\nsetState,t,-1\nsetState,u,5\nsetState,u,0\n", room)
    lasted = []
    for _ in range(5):
        controls.act(room)
        lasted.append(set(controls.states))
        room.step()
    assert lasted == [{"s", "t"}] * 3 + [{"t"}] * 2


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("Sx|<|2", False), ("Sx|<|2.01", True), ("Sx|>|2", False), ("Sx|=|2.005", True), ("Sx|=|2.02", False),
        ("Sx|!|2.005", False), ("Sx|!|2.02", True), ("Sx|{|2", True), ("Sx|}|2", True), ("Sx|}|2.01", False),
        ("Sx|=|2*Sy", True), ("Sx-Sy|>|Sy/2", True), ("1|<|[Sx]", True), ("Sx|>|1/(Sy-1)", False), ("2|=|2", True),
    ],
)  # fmt: skip
def test_conditions_compare_senses_and_expressions(condition: str, holds: bool) -> None:
    room = SmallRoom()
    room.moving = (2.0, 1.0)
    answers = told(f"setReflex,r,{condition}", room)
    assert ("reflexFired,r" in answers) is holds


def test_a_reflex_of_json_has_actions_that_end_in_newlines() -> None:
    room = SmallRoom()
    action = message("say", "hello world", 10, 5, -3, ("P",))
    text = message("setReflex", "r", others=("s",), actions=f"[{action},{action}]")
    assert text.count("\n") == 3
    controls = SeatControls(0)
    frame(controls, room, message("setState", "s", -1))
    lines = text.splitlines(keepends=True)
    assert frame(controls, room, lines[0]) == [] == frame(controls, room, lines[1])
    answers = [json.loads(one)["content"] for one in frame(controls, room, lines[2])]
    assert answers == ["reflexUpdated,r", *["reflexFired,r"] * STEPS]
    assert room.done == [("say", "P", "hello world", 10.0, 5.0, -3.0)] * 2 * STEPS


def test_reflexes_carry_out_so_many_actions_a_frame() -> None:
    room = SmallRoom()
    controls = SeatControls(0)
    actions = ";".join(["addForce|BMH|1"] * 32)
    frame(controls, room, "".join(f"setReflex,r{i},-never,{actions}\n" for i in range(100)))
    room.done.clear()
    answers = frame(controls, room)
    assert len(room.done) == limits.MOST_FIRED
    assert sum("further ones are ignored" in one for one in answers) == 1


# Laws ---------------------------------------------------------------------------

COMMANDS = st.sampled_from([
    "sensorRequest,B0", "addForce,BMH,[2*Sx+1]", "setState,s,50", "setState,t,-1", "setReflex,r,s;Sx|<|1,addForce|J|1",
    "removeReflex,r", "getActiveStates", "print,x", "nonsense", "addForce,BMH,nan", "",
])  # fmt: skip
MESSAGES = st.sampled_from([
    message("sensorRequest", "B0"), message("setState", "s", 50),
    message("setReflex", "r", others=("s",), actions=f"[{message('print', 'a')},{message('getStates')}\n]\n"),
    message("getReflexes"), message("print", "}{ \\ \" ]"), message("nonsense"), '{"broken"\n', "{{}\n", "x\n",
])  # fmt: skip


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")), st.booleans())
def test_whatever_a_client_sends_is_answered_by_lines(text: str, in_json: bool) -> None:
    room = SmallRoom()
    controls = SeatControls(0, ALL)
    answers = controls.answers(room)
    controls.take(("{" if in_json else "") + text, room)
    controls.act(room)
    answers = controls.answers(room)
    assert answers == "" or answers.endswith("\n")
    if in_json:
        for line in answers.splitlines():
            json.loads(line)
    plain = json.loads(json.dumps(controls.as_plain()))
    other = SeatControls(0, ALL)
    other.restore(plain)
    assert other.as_plain() == controls.as_plain()


@given(st.lists(MESSAGES, max_size=6), st.data())
def test_messages_are_the_same_wherever_their_lines_are_split_between_frames(
    sent: list[str], data: st.DataObject
) -> None:
    """A broken one is given up at the latest when the next begins, so the last of them is a whole one."""
    lines = "".join([*sent, message("getStates")]).splitlines(keepends=True)
    whole = messages.cut("".join(lines))
    rest, found = "", []
    for line in lines:
        some, rest = messages.cut(rest + line)
        found += some
    assert (found, rest) == whole


@given(st.lists(COMMANDS, max_size=8), st.integers(0, 7))
def test_a_restored_seat_goes_on_as_the_one_that_it_was_made_of(lines: list[str], at: int) -> None:
    room, other_room = SmallRoom(), SmallRoom()
    one = SeatControls(0)
    other = SeatControls(0)
    for i, line in enumerate(lines):
        if i == at:
            other.restore(json.loads(json.dumps(one.as_plain())))
        answers = frame(one, room, line)
        others = frame(other, other_room, line)
        assert i < at or answers == others


def test_damaged_controls_are_refused_and_leave_a_seat_as_it_was() -> None:
    controls = SeatControls(0)
    controls.take("setState,s,-1\nsetReflex,r,s,print|x", SmallRoom())
    good = controls.as_plain()
    for damage in ({}, {**good, "generation": "x"}, {**good, "states": [1]}, {**good, "reflexes": [["r", ["a|b"], []]]},
                   {**good, "reflexes": [["r", ["s"], [["nonsense", "", [], [], []]]]]}):  # fmt: skip
        with pytest.raises(MensuraError, match="cannot be restored"):
            controls.restore(damage)
        assert controls.as_plain() == good


SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
NUMBERS = st.floats(-50, 50).map(lambda x: round(x, 2))


@given(st.recursive(
    NUMBERS.map(lambda x: (f"({x})" if x < 0 else str(x), x)),
    lambda inner: st.tuples(inner, st.sampled_from(list(SIGNS)), inner).map(
        lambda t: (f"({t[0][0]}{t[1]}{t[2][0]})", SIGNS[t[1]](t[0][1], t[2][1]))
    ),
    max_leaves=8,
))  # fmt: skip
def test_expressions_have_the_value_of_arithmetic(pair: tuple[str, float]) -> None:
    source, value = pair
    assert math.isclose(expression(source).value(SmallRoom(), 0), value, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("2+3*4", 14), ("2*3^2", 18), ("-2^2", -4), ("10-4-3", 3), ("12/2/3", 2), ("7%4", 3), ("-(1+2)*BPx", -9),
        ("V3.4_vq1+P0.0_vq4", 0), ("B7_e*A", 0),
    ],
)  # fmt: skip
def test_expressions_have_the_usual_precedence(source: str, value: float) -> None:
    assert now(expression(source), SmallRoom(), 0) == value


@given(st.text(max_size=40))
def test_no_text_is_evaluated(source: str) -> None:
    try:
        expression(source)
    except WrongExpression:
        pass


@pytest.mark.parametrize(
    "line",
    [
        "addForce,BMH,[2*Sx]",
        "setState,s,5",
        "setReflex,r,s;-t,print|x;addForce|J|1",
        "say,P,a,1,2,3",
    ],
)
def test_commands_are_plain_data(line: str) -> None:
    from mensura.worlds.pagi.protocol.commands import from_plain

    command = comma.read(line)
    assert from_plain(json.loads(json.dumps(command.as_plain()))) == command


NEAR_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "{": operator.le,
    "}": operator.ge,
    "=": lambda one, other: abs(one - other) <= 0.01,
    "!": lambda one, other: abs(one - other) > 0.01,
}
SOME_NUMBERS = st.one_of(
    st.floats(-1000, 1000), st.sampled_from((0.0, 37.0, 37.009, 37.01, 37.011))
)


@given(
    SOME_NUMBERS,
    st.lists(st.tuples(st.sampled_from([*NEAR_SIGNS]), SOME_NUMBERS), min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_a_reflex_fires_just_while_all_its_conditions_hold_however_they_are_looked_at(
    temperature: float, conditions: list[tuple[str, float]], apart: bool, awake: bool
) -> None:
    made = SmallRoom()
    made.touched["B", 3] = Touch(True, temperature, (0.0, 0.0, 0.0, 0.0), 0.0, "plate")
    # A plain aspect is compared by a kernel, an expression of it is worked out by itself.
    side = "B3_tmp+0" if apart else "B3_tmp"
    asked = ";".join(["awake", *(f"{side}|{sign}|{number!r}" for sign, number in conditions)])
    controls = SeatControls(0, ALL)
    frame(
        controls, made, f"setReflex,r,{asked},addForce|LHH|1\nsetState,awake,{-1 if awake else 0}"
    )
    made.done = []
    lines = frame(controls, made)
    fires = awake and all(NEAR_SIGNS[sign](temperature, number) for sign, number in conditions)
    assert lines.count("reflexFired,r") == (STEPS if fires else 0)
    assert len(made.done) == (STEPS if fires else 0)
