"""Subjects in a process of their own: alike to those in ours, and harmless when they break."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from tests.agents.toy import ACTION, OBSERVATION, Toy, episode, write_agent

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.agent.protocol import LONGEST
from mensura.agent.spaces import Box, Record, Space
from mensura.agent.task import Limits, Seat, Task
from mensura.agents.address import load, parse
from mensura.agents.isolation import launching
from mensura.agents.isolation.cage import for_command
from mensura.agents.process import Child, ProcessPlayer, ProcessSubject
from mensura.core.mixed import Mixed

# Lets the coverage of the client be measured, where it is.
MEASURED = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}

LIMITS = Limits()
"""Patient: a machine that is busy with other tests must not make a good subject late."""

FREE = Limits(isolation=False)
"""For subjects that tell us something by other ways than their answers."""

Sit = Callable[..., ProcessPlayer]


@pytest.fixture(scope="module", autouse=True)
def _nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One for all tests, there before the first: to start another takes a fifth of a second."""
    code = "class A:\n    def act(self, observation, reward):\n        return 1"
    (part,) = parse(write_agent(tmp_path_factory.mktemp("first"), code) + ":A")
    ProcessSubject(part).sit(1).close()
    yield
    launching._nursery.close()


@pytest.fixture(autouse=True)
def _nothing_stays_behind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test may leave a descriptor open or a child unburied."""
    started = []

    class Noted(subprocess.Popen[Any]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    before = set(os.listdir("/dev/fd"))
    yield
    assert set(os.listdir("/dev/fd")) <= before
    assert [process.args for process in started if process.returncode is None] == []


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    """Write an agent called A and sit it down in a process."""
    players = []

    def sit(
        code: str, seats: int = 1, limits: Limits = LIMITS, address: str = ":A"
    ) -> ProcessPlayer:
        (part,) = parse(write_agent(tmp_path, code) + address)
        if MEASURED:  # a caged client has no place to leave its measurements
            limits = replace(limits, isolation=False)
        player = ProcessSubject(part, limits, environment=MEASURED).sit(seats)
        players.append(player)
        return player

    yield sit
    for player in players:
        player.close()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Sit]:
    """Sit down a program that speaks the protocol by itself, as one in another language would."""
    players = []

    def program(code: str, seats: int = 1, limits: Limits = LIMITS) -> ProcessPlayer:
        path = write_agent(tmp_path, dedent(SPEAKER) + dedent(code), "program.py")
        player = ProcessPlayer("the program", [sys.executable, path], seats, limits)
        players.append(player)
        return player

    yield program
    for player in players:
        player.close()


SPEAKER = """
    import json, os, sys, time

    def hear():
        line = sys.stdin.readline()
        if not line:
            sys.exit()
        return json.loads(line)

    def say(text):
        sys.stdout.write(text + "\\n")
        sys.stdout.flush()

    def greet():
        hear()
        say('{"id":0,"value":{"version":1}}')

    def answer(message, value):
        say(json.dumps({"id": message["id"], "value": value}))
"""


def begin(seat: int = 0, space: Space = OBSERVATION, action: Space = ACTION) -> Ask:
    task = Task("toy-v0", Seat(seat), 1, space, action, horizon=4)
    return Ask("begin", seat, task=task, key=4)


def act(seat: int = 0, deadline: float = 60.0) -> Ask:
    return Ask("act", seat, Toy().observe(seat), 0.0, deadline=deadline)


def ask(player: ProcessPlayer, asked: Ask) -> Answer:
    (answer,) = player.answer([asked])
    return answer


def kinds(answers: list[Answer]) -> list[str]:
    return [answer.fault[0] if answer.fault else "fine" for answer in answers]


# The same in both -------------------------------------------------------------

CURIOUS = """
    import numpy as np

    class A:
        def __init__(self, bias=0):
            self.bias = bias
            self.sum = 0.0

        def begin(self, task, rng):
            self.task, self.rng = task, rng
            assert task.seats == 2 and task.world == "toy-v0" and task.horizon == 4

        def act(self, observation, reward):
            assert isinstance(observation, np.void)
            self.sum += reward + observation["noise"].sum() + observation["clock"]
            shift = int(1e6 * self.sum) + self.bias
            return np.int64(1 + (shift + self.rng.integers(4)) % 4)

        def end(self, observation, reward, terminated):
            self.sum += reward + observation["noise"][0] + terminated
"""


def test_a_class_earns_the_same_in_its_process_as_in_ours(sit: Sit, tmp_path: Path) -> None:
    player = sit(CURIOUS, seats=2, address=":A?bias=3")
    (part,) = parse(f"{tmp_path}/agent.py:A?bias=3")
    ours = InProcess(part.label, load(part)).sit(2)
    for seed in range(5):
        environments = Toy(subjects=2), Toy(subjects=2)
        theirs = episode(player, environments[0], seed=seed)
        mine = episode(ours, environments[1], seed=seed)
        assert theirs.faults == mine.faults == ()
        assert theirs.rewards == mine.rewards
        assert environments[0].last == environments[1].last


def test_it_plays_lambda_star_as_in_our_process() -> None:
    from mensura.core.loop import play
    from mensura.core.players import drive
    from mensura.worlds.lambda_star.world import LambdaStar

    world = LambdaStar(rows=5, cols=5, subjects=2, horizon=20)
    (part,) = parse("mensura.agent.random:RandomAgent")
    rewards = []
    for subject in (ProcessSubject(part), InProcess("random", load(part))):
        with closing(subject.sit(2)) as player:
            environment = world.build(world.sample(1))
            played = drive(play(environment, 2, world=world.id, seed=3), player)
            assert played.faults == ()
            rewards.append(played.rewards)
    assert rewards[0] == rewards[1]


def test_each_seat_has_an_agent_of_its_own_and_remembers_between_episodes(sit: Sit) -> None:
    player = sit(
        """
        class A:
            def __init__(self):
                self.count = 0
            def act(self, observation, reward):
                self.count += 1
                return 1 + self.count % 4
        """,
        seats=2,
    )
    environment = Toy(horizon=3, subjects=2)
    episode(player, environment)
    assert environment.last == [4, 4]
    episode(player, environment)
    assert environment.last == [3, 3]


def test_a_new_sitting_remembers_nothing(sit: Sit) -> None:
    code = """
        COUNT = []
        class A:
            def act(self, observation, reward):
                COUNT.append(1)
                return len(COUNT)
    """
    for _ in range(2):
        player = sit(code)
        ask(player, begin())
        assert ask(player, act()).value == 1


TALKATIVE = """
    class A:
        def begin(self, task, rng):
            self.seat = task.seat.index
            self.heard = {}
        def tell(self, observation, reward):
            return {"from": self.seat, "clock": observation["clock"]}
        def hear(self, messages):
            self.heard = messages
        def act(self, observation, reward):
            fine = all(
                seat == told["from"] and told["clock"] == observation["clock"]
                for seat, told in self.heard.items()
            )
            return len(self.heard) if fine else 4
"""


def test_members_of_a_collective_hear_each_other(sit: Sit) -> None:
    player = sit(TALKATIVE, seats=3)
    assert player.speakers == {0, 1, 2}
    environment = Toy(subjects=3)
    assert episode(player, environment).faults == ()
    assert environment.last == [3, 3, 3]


def test_they_hear_members_of_other_kinds_too(tmp_path: Path) -> None:
    class Ours:
        def tell(self, observation: Any, reward: float) -> Any:
            return {"from": 1, "clock": observation["clock"]}

        def act(self, observation: Any, reward: float) -> int:
            return 1

    (part,) = parse(write_agent(tmp_path, TALKATIVE) + ":A")
    mixed = Mixed([(ProcessSubject(part), 1), (InProcess("ours", Ours), 1)])
    with closing(mixed.sit(2)) as player:
        environment = Toy(subjects=2)
        assert episode(player, environment).faults == ()
        assert environment.last == [2, 1]


def test_who_has_nothing_to_tell_is_not_asked_to(sit: Sit) -> None:
    player = sit("class A:\n    def act(self, observation, reward): return 1", seats=2)
    assert player.speakers == frozenset()


@pytest.mark.parametrize(
    ("space", "value"),
    [
        (Box(0, 1, (2,)), "np.array([0.5, 1.0])"),
        (Box(0, 1), "np.array(0.5)[()]"),
        (
            Record((("push", Box(0, 1)), ("turn", Box(0, 1, (2,))))),
            "self.task.action_space.sample(self.rng)",
        ),
    ],
    ids=["array", "number", "record"],
)
def test_actions_come_back_as_the_action_space_has_them(sit: Sit, space: Space, value: str) -> None:
    player = sit(
        f"""
        import numpy as np
        class A:
            def begin(self, task, rng):
                self.task, self.rng = task, rng
            def act(self, observation, reward):
                return {value}
        """
    )
    ask(player, begin(action=space))
    answer = ask(player, act())
    assert answer.fault is None
    assert space.contains(answer.value)


def test_numbers_of_numpy_become_pythons(sit: Sit) -> None:
    player = sit(
        """
        import numpy as np
        class A:
            def act(self, observation, reward):
                return np.int32(3)
        """
    )
    ask(player, begin())
    assert type(ask(player, act()).value) is int


def test_the_time_of_each_seat_is_measured(sit: Sit) -> None:
    player = sit(
        """
        import time
        class A:
            def begin(self, task, rng):
                self.seat = task.seat.index
            def act(self, observation, reward):
                time.sleep(0.4 * self.seat)
                return 1
        """,
        seats=3,
    )
    player.answer([begin(seat) for seat in range(3)])
    seconds = [answer.seconds for answer in player.answer([act(seat) for seat in range(3)])]
    # An answer that is read late, on a busy machine, takes from the time of the next one.
    assert sum(seconds) >= 1.2
    assert seconds[0] < seconds[2]


# What misbehaving agents get --------------------------------------------------


def test_an_agent_that_raises_is_reported_in_one_line_and_asked_again(sit: Sit) -> None:
    player = sit(
        """
        class A:
            def act(self, observation, reward):
                if observation["clock"] < 2:
                    raise ValueError("no idea\\nat all")
                return 2
        """
    )
    played = episode(player, Toy())
    assert [fault.kind for fault in played.faults] == ["raised", "raised"]
    assert re.fullmatch(r"ValueError: no idea at all \(\w+\.py, line 5\)", played.faults[0].detail)
    assert played.defaults == (2,)
    assert played.rewards == (0.25 + 0.25 + 0.5 + 0.5,)


def test_a_late_answer_is_a_fault_and_does_not_answer_the_next_question(sit: Sit) -> None:
    player = sit(
        """
        import time
        class A:
            def __init__(self):
                self.count = 0
            def act(self, observation, reward):
                self.count += 1
                if self.count == 1:
                    time.sleep(1.0)
                return self.count
        """
    )
    ask(player, begin())
    late = ask(player, act(deadline=0.2))
    assert late.fault == ("late", "no answer after 0.2 s")
    assert late.seconds >= 0.2
    assert ask(player, act()).value == 2


def test_an_agent_that_hangs_costs_itself_its_score_and_the_run_goes_on(sit: Sit) -> None:
    player = sit(
        """
        class A:
            def act(self, observation, reward):
                while True:
                    pass
        """
    )
    played = episode(player, Toy(horizon=20), Limits(seconds_per_action=0.1))
    assert [fault.kind for fault in played.faults] == ["late"] * 3
    assert played.interactions == (20,)


def test_a_seat_that_hangs_does_not_take_the_answers_before_it(sit: Sit) -> None:
    player = sit(
        """
        import time
        class A:
            def begin(self, task, rng):
                self.seat = task.seat.index
            def act(self, observation, reward):
                if self.seat == 1:
                    time.sleep(60)
                return 1
        """,
        seats=3,
    )
    player.answer([begin(seat) for seat in range(3)])
    answers = player.answer([act(seat, deadline=2.0) for seat in range(3)])
    assert kinds(answers) == ["fine", "late", "late"]


def test_the_clock_of_each_seat_starts_with_the_answer_before_it(sit: Sit) -> None:
    player = sit(
        """
        import time
        class A:
            def act(self, observation, reward):
                time.sleep(0.2)
                return 1
        """,
        seats=12,
    )
    player.answer([begin(seat) for seat in range(12)])
    answers = player.answer([act(seat, deadline=2.0) for seat in range(12)])
    assert sum(answer.seconds for answer in answers) > 2.0
    assert kinds(answers) == ["fine"] * 12


@pytest.mark.parametrize(
    ("deed", "detail"),
    [
        ("os._exit(3)", "exit status 3"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "signal SIGSEGV"),
        ("sys.exit('it is\\ntoo much')", "exit status 1; its last words: too much"),
        ("os.write(2, b'oh no\\n\\n'); os._exit(0)", "exit status 0; its last words: oh no"),
        ("os.closerange(3, 100); time.sleep(9)", "it closed its standard output"),
    ],
)
def test_an_agent_that_dies_is_reported_with_its_last_words(
    sit: Sit, deed: str, detail: str
) -> None:
    player = sit(
        f"""
        import os, signal, sys, time
        class A:
            def act(self, observation, reward):
                {deed}
        """
    )
    ask(player, begin())
    assert ask(player, act()).fault == ("died", detail)


FRAGILE = """
    import os
    class A:
        def begin(self, task, rng):
            self.seat = task.seat.index
            self.draw = int(rng.integers(1, 5))
            self.count = 0
        def act(self, observation, reward):
            self.count += 1
            if observation["clock"] in {crashes} and self.seat == 1:
                os._exit(7)
            return self.draw if self.count < 9 else 1
"""


def test_a_dead_process_is_started_again_once_with_the_episode_begun(sit: Sit) -> None:
    played = episode(sit(FRAGILE.format(crashes={1}), seats=3), Toy(subjects=3))
    # Seat 0 had answered, seats 1 and 2 had not; from then on all go on as if nothing had been.
    assert [(fault.seat, fault.interaction, fault.kind) for fault in played.faults] == [
        (1, 1, "died"),
        (2, 1, "died"),
    ]
    whole = episode(sit(FRAGILE.format(crashes=set()), seats=3), Toy(subjects=3))
    assert played.rewards[0] == whole.rewards[0]
    for seat in (1, 2):
        assert played.rewards[seat] == whole.rewards[seat] * 3 / 4 + 0.25


def test_after_its_second_death_every_question_is_answered_at_once(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = sit(FRAGILE.format(crashes={0}), seats=2)
    asks = [act(0), act(1)]
    player.answer([begin(0), begin(1)])
    assert kinds(player.answer(asks)) == ["fine", "died"]
    assert kinds(player.answer(asks)) == ["fine", "died"]
    monkeypatch.delattr("mensura.agents.process.Child")  # nothing is started any more
    assert kinds(player.answer(asks)) == ["died", "died"]
    assert kinds(player.answer([begin(0), begin(1)])) == ["died", "died"]
    assert player.answer(asks)[0].fault == ("died", "exit status 7")


def test_a_process_that_cannot_start_again_is_dead(sit: Sit, tmp_path: Path) -> None:
    player = sit(FRAGILE.format(crashes={0}), seats=2)
    player.answer([begin(0), begin(1)])
    player.answer([act(0), act(1)])
    (tmp_path / "agent.py").unlink()
    (first, second) = player.answer([act(0), act(1)])
    assert first.fault == second.fault
    assert first.fault is not None
    assert first.fault[0] == "died"
    assert first.fault[1].startswith("There is no file ")


def test_who_cannot_begin_again_is_faulty_alone(sit: Sit, tmp_path: Path) -> None:
    player = sit(
        f"""
        import os
        class A:
            def begin(self, task, rng):
                self.seat = task.seat.index
                if self.seat == 1 and os.path.exists({str(tmp_path / "died")!r}):
                    raise RuntimeError("not again")
            def act(self, observation, reward):
                if self.seat == 2 and not os.path.exists({str(tmp_path / "died")!r}):
                    open({str(tmp_path / "died")!r}, "w").close()
                    os._exit(1)
                return 1
        """,
        seats=3,
        limits=FREE,
    )
    player.answer([begin(seat) for seat in range(3)])
    asks = [act(seat) for seat in range(3)]
    assert kinds(player.answer(asks)) == ["fine", "fine", "died"]
    answers = player.answer(asks)
    assert kinds(answers) == ["fine", "raised", "fine"]
    assert answers[1].fault is not None
    assert answers[1].fault[1].startswith("RuntimeError: not again (")


def test_what_an_agent_prints_does_not_reach_the_protocol(sit: Sit) -> None:
    player = sit(
        """
        import os, subprocess, sys
        print("hello from the import")
        class A:
            def act(self, observation, reward):
                print('{"id":1,"value":4}')
                sys.__stdout__.write("x" * 100_000)
                os.write(1, b"raw\\n")
                subprocess.run(["echo", "from a program"], check=True)
                sys.stderr.write("y" * 1_000_000)
                assert sys.stdin.read() == ""
                return 2
        """
    )
    played = episode(player, Toy())
    assert played.faults == ()
    assert played.rewards == (2.0,)
    player.close()
    printed = player.printed()
    assert printed.startswith('hello from the import\n{"id":1,"value":4}\n[... ')
    assert "bytes left out" in printed
    assert printed.endswith("yyy")
    assert len(printed) < 3000


def test_an_error_inside_a_library_is_told_with_the_line_that_called_it(sit: Sit) -> None:
    player = sit(
        """
        import json
        class A:
            def act(self, observation, reward):
                return self.read("{")
            def read(self, text):
                return json.loads(text)
        """
    )
    player.answer([begin(0)])
    (answer,) = player.answer([act(0)])
    assert answer.fault is not None
    assert re.search(r"^JSONDecodeError: .* \(\w+\.py, line 7\)$", answer.fault[1])


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("{1, 2}", "JSON cannot write the answer {1, 2}: TypeError: Object of type set"),
        ("object", "JSON cannot write the answer <class 'object'>"),
        ("float('nan')", "JSON cannot write the answer nan: ValueError"),
        ("LOOP", "JSON cannot write the answer [[...]]: RecursionError"),
        ("'x' * 2_000_000", f"at most {LONGEST} are allowed"),
        ("Shy()", "JSON cannot write the answer of type Shy"),
    ],
)
def test_a_message_that_json_cannot_write_is_garbled(sit: Sit, value: str, reason: str) -> None:
    player = sit(
        f"""
        LOOP = []
        LOOP.append(LOOP)
        class Shy:
            def __repr__(self):
                raise RuntimeError
        class A:
            def tell(self, observation, reward):
                return {value}
            def act(self, observation, reward):
                return 1
        """
    )
    ask(player, begin())
    fault = ask(player, act()._replace(kind="tell")).fault
    assert fault is not None
    assert fault[0] == "garbled"
    assert reason in fault[1]
    assert ask(player, act()).value == 1


def test_an_array_of_the_wrong_shape_is_garbled(sit: Sit) -> None:
    player = sit("class A:\n    def act(self, observation, reward): return [[1], [1, 2]]")
    ask(player, begin(action=Box(0, 1, (2,))))
    assert ask(player, act()).fault == ("garbled", "[[1], [1, 2]] has not the shape of an action")


# What misbehaving programs get ------------------------------------------------


def test_a_program_in_any_language_can_play(program: Sit) -> None:
    player = program(
        """
        greet()
        while True:
            message = hear()
            answer(message, 2 if message["ask"] == "act" else None)
        """,
        seats=2,
    )
    played = episode(player, Toy(subjects=2))
    assert played.faults == ()
    assert played.rewards == (2.0, 2.0)


def test_answers_may_come_in_any_order(program: Sit) -> None:
    player = program(
        """
        greet()
        for message in reversed([hear() for _ in range(3)]):
            answer(message, message["seat"])
        hear()
        """,
        seats=3,
    )
    answers = player.answer([act(seat) for seat in range(3)])
    assert [answer.value for answer in answers] == [0, 1, 2]


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        pytest.param("4", "'4' is not a JSON object", marks=pytest.mark.thorough),
        pytest.param("", "'' is not a JSON object", marks=pytest.mark.thorough),
        ('{"id": 1, "val', '\'{"id": 1, "val\' is not a JSON object'),
        ('{"id": 99, "value": 1}', '\'{"id": 99, "value": 1}\' has not the id of a question'),
        pytest.param(
            '{"id": 1}',
            "'{\"id\": 1}' has neither a value nor an error",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_a_line_that_is_no_answer_is_garbled_and_the_next_question_is_asked(
    program: Sit, line: str, detail: str
) -> None:
    player = program(
        f"""
        greet()
        message = hear()
        say({line!r})
        answer(message, 3)
        answer(hear(), 4)
        hear()
        """
    )
    assert ask(player, act()).fault == ("garbled", detail)
    assert ask(player, act()).value == 4


@pytest.mark.parametrize("end", ["\\n", ""], ids=["a line", "without end"])
def test_a_flood_is_cut_off(program: Sit, end: str) -> None:
    player = program(
        f"""
        greet()
        hear()
        while True:
            os.write(1, b"x" * {LONGEST + 2} + b"{end}")
        """
    )
    fault = ask(player, act()).fault
    assert fault == ("garbled", f"it wrote a line of over {LONGEST} bytes and was ended")


def test_a_flood_of_old_answers_does_not_hold_up_the_clock(program: Sit) -> None:
    player = program(
        """
        greet()
        message = hear()
        while True:
            answer(message, 3)
        """
    )
    assert ask(player, act()).value == 3
    assert ask(player, act(deadline=0.2)).fault == ("late", "no answer after 0.2 s")


def test_a_program_that_does_not_read_is_late_however_much_it_is_told(program: Sit) -> None:
    player = program("greet(); time.sleep(60)")
    told = {0: "x" * 3_000_000}
    for _ in range(2):
        answer = ask(player, act(deadline=0.1)._replace(heard=told))
        assert answer.fault == ("late", "no answer after 0.1 s")


def test_long_questions_and_long_answers_pass_each_other(program: Sit) -> None:
    player = program(
        """
        greet()
        while True:
            message = hear()
            answer(message, message["heard"]["0"][:500_000])
        """,
        seats=4,
    )
    told = {0: "x" * 2_000_000}
    answers = player.answer([act(seat)._replace(heard=told) for seat in range(4)])
    assert [len(answer.value) for answer in answers] == [500_000] * 4


# Sitting down -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "address"),
    [
        ("class A(:", ":A"),
        ("import no_such_library", ":A"),
        ("raise SystemExit(3)", ":A"),
        ("class B:\n    def act(self, observation, reward): return 1", ":A"),
        ("class A:\n    pass", ":A"),
        ("A = 3", ":A"),
        ("class A:\n    def act(self, observation, reward): return 1", ":A?depth=1"),
    ],
)
def test_an_address_that_cannot_be_loaded_raises_the_same_sentence_as_in_our_process(
    sit: Sit, tmp_path: Path, code: str, address: str
) -> None:
    with pytest.raises(MensuraError) as theirs:
        sit(code, address=address)
    (part,) = parse(f"{tmp_path}/agent.py{address}")
    with pytest.raises(MensuraError) as ours:
        load(part)
    assert str(theirs.value) == str(ours.value)


def test_an_agent_that_cannot_be_made_raises_a_sentence(sit: Sit) -> None:
    with pytest.raises(MensuraError, match=r"agent.py:A could not be made: OSError: no weights\."):
        sit(
            """
            class A:
                def __init__(self):
                    raise OSError("no weights")
                def act(self, observation, reward):
                    return 1
            """
        )


def test_an_agent_that_does_not_get_ready_in_time_is_refused(sit: Sit) -> None:
    with pytest.raises(MensuraError, match=r"agent.py:A was not ready after 0.3 s"):
        sit("import time; time.sleep(60)", limits=Limits(seconds_to_start=0.3))


def test_an_agent_that_dies_while_starting_is_refused(sit: Sit) -> None:
    with pytest.raises(MensuraError, match=r"A died while starting: exit status 9; .*: good bye\."):
        sit("import os; os.write(2, b'good bye'); os._exit(9)")


def test_an_interpreter_that_is_not_there_gets_a_sentence() -> None:
    (part,) = parse("agent.py:A")
    subject = ProcessSubject(part, python="no/such/python")
    with pytest.raises(MensuraError, match=r"The program no/such/python could not be started: No"):
        subject.sit(1)


def test_a_built_in_name_is_not_code() -> None:
    (part,) = parse("random")
    with pytest.raises(MensuraError, match="'random' names no code"):
        ProcessSubject(part)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (
            """say('{"id":0,"value":{"version":2}}')""",
            "the program speaks version 2 of the protocol and this Mensura version 1",
        ),
        pytest.param(
            "say('Welcome!')",
            "the program answered the handshake with 'Welcome!'; right would be",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            """say('{"id":0}')""", "answered the handshake with", marks=pytest.mark.thorough
        ),
        pytest.param(
            """say('{"id":0,"value":{"version":1,"speakers":[7]}}')""",
            "answered the handshake",
            marks=pytest.mark.thorough,
        ),
        ("os.write(1, b'x' * 2_000_000)", "answered the handshake with 'a line without end'"),
        pytest.param(
            """say('{"id":0,"error":"No licence found."}')""",
            "No licence found.",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_a_program_that_does_not_shake_hands_is_refused(
    program: Sit, code: str, sentence: str
) -> None:
    with pytest.raises(MensuraError, match=re.escape(sentence)):
        program(f"hear()\n{code}\nhear()")


# The process itself -----------------------------------------------------------

PEACEFUL = "class A:\n    def act(self, observation, reward): return 1"


def test_its_name_is_its_address_without_the_count() -> None:
    (part,) = parse("my agents/a.py:A?depth=3*2")
    assert ProcessSubject(part).name == "my agents/a.py:A?depth=3"


def test_it_sees_little_of_our_environment(
    sit: Sit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MENSURA_SECRET", "abc")
    monkeypatch.chdir(tmp_path)
    player = sit(
        """
        import os, sys
        class A:
            def act(self, observation, reward):
                names = [name for name in os.environ if not name.startswith("COVERAGE_")]
                return [os.getcwd(), sorted(names), sorted(os.listdir("/dev/fd"))]
        """
    )
    ask(player, begin())
    folder, names, open_ = ask(player, act()).value
    assert os.path.samefile(folder, tmp_path)
    assert "PATH" in names
    assert "MENSURA_SECRET" not in names
    # Its three streams, the two of the protocol, and the folder that is being listed.
    assert len(open_) == 6 or MEASURED


def test_a_file_called_as_a_module_of_pythons_does_not_stop_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_agent(tmp_path, PEACEFUL, "random.py")
    monkeypatch.chdir(tmp_path)
    (part,) = parse("random.py:A")
    with closing(ProcessSubject(part).sit(1)) as player:
        assert episode(player, Toy()).faults == ()


def test_it_starts_without_the_compiler_and_the_command_line(sit: Sit) -> None:
    player = sit(
        """
        import sys
        class A:
            def act(self, observation, reward):
                return [name for name in ("numba", "rich", "typer") if name in sys.modules]
        """
    )
    ask(player, begin())
    assert ask(player, act()).value == []


def test_it_may_say_good_bye(sit: Sit, tmp_path: Path) -> None:
    player = sit(
        f"""
        import atexit
        atexit.register(lambda: open({str(tmp_path / "good-bye")!r}, "w").close())
        {PEACEFUL.replace(chr(10), chr(10) + 8 * " ")}
        """,
        limits=FREE,
    )
    player.close()
    player.close()
    assert (tmp_path / "good-bye").exists()
    assert kinds(player.answer([act()])) == ["died"]


def test_one_that_does_not_want_to_end_is_killed_with_what_it_started(
    sit: Sit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mensura.agents.process.SECONDS_TO_TERMINATE", 0.1)
    player = sit(
        """
        import signal, subprocess, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        class A:
            def begin(self, task, rng):
                self.helper = subprocess.Popen(["sleep", "60"])
            def act(self, observation, reward):
                return self.helper.pid
            def end(self, observation, reward, terminated):
                time.sleep(60)
        """,
        limits=FREE,
    )
    ask(player, begin())
    helper = ask(player, act()).value
    assert running(helper)
    assert ask(player, act(deadline=0.1)._replace(kind="end")).fault is not None
    player.close()
    assert ends(helper)


def running(pid: int) -> bool:
    """Whether a process is there and not a zombie that waits for its burial."""
    if sys.platform == "linux":
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return False
    else:
        command = ["ps", "-o", "stat=", "-p", str(pid)]
        state = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


def ends(pid: int) -> bool:
    """Whether a process is gone within a minute."""
    until = time.monotonic() + 60
    while running(pid):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def sleeper() -> Child:
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    return Child(command, for_command(command, LIMITS))


def test_one_that_is_forgotten_does_not_stay_behind(tmp_path: Path) -> None:
    (part,) = parse(write_agent(tmp_path, PEACEFUL) + ":A")
    player = ProcessSubject(part).sit(1)
    assert ask(player, begin()).fault is None
    del player


def test_a_fork_of_ours_that_forgets_it_does_not_kill_it() -> None:
    child = sleeper()
    pid = os.fork()
    if not pid:
        child._release()
        os._exit(0)
    os.waitpid(pid, 0)
    assert running(child.pid)
    child._release()
    assert ends(child.pid)


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells a child of its parent's death"
)
def test_it_dies_with_us_even_while_it_computes(tmp_path: Path) -> None:
    path = write_agent(
        tmp_path,
        """
        import os
        class A:
            def act(self, observation, reward):
                os.write(2, b"")
                while True:
                    pass
        """,
    )
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            dedent(
                f"""
                from mensura.agents.address import parse
                from mensura.agents.process import ProcessSubject
                from tests.agents.test_process import act, begin
                player = ProcessSubject(parse({path!r} + ":A")[0]).sit(1)
                player.answer([begin()])
                player.answer([act(deadline=0.1)])
                print(player._channel.pid, flush=True)
                player.answer([act(deadline=60.0)])
                """
            ),
        ],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert running(child)
        parent.kill()
    assert ends(child)


def test_ctrl_c_in_the_terminal_reaches_us_only(sit: Sit) -> None:
    player = sit(PEACEFUL)
    child = player._channel
    assert child is not None
    assert os.getpgid(child.pid) == os.getsid(child.pid) == child.pid != os.getpgid(0)


def test_an_interrupted_wait_leaves_a_player_that_can_be_closed(sit: Sit) -> None:
    player = sit("import time\nclass A:\n    def act(self, observation, reward): time.sleep(60)")
    ask(player, begin())
    # Where the tests were started in the background, Ctrl-C is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            ask(player, act(deadline=60.0))
    finally:
        signal.signal(signal.SIGINT, before)
    player.close()


def test_a_child_is_buried_also_when_nobody_asked_it_anything() -> None:
    child = sleeper()
    child.close(0.0)
    child.close(0.0)
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)


def test_the_client_says_how_it_is_used() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mensura.agent.client"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr == "usage: python -m mensura.agent.client FILE_OR_MODULE:Class\n"


@pytest.mark.thorough
def test_observations_are_the_same_records(sit: Sit) -> None:
    player = sit(
        """
        class A:
            def act(self, observation, reward):
                return [str(observation.dtype), observation.tobytes().hex()]
        """
    )
    ask(player, begin())
    observation = Toy(key=5, time=3).observe(0)
    answer = ask(player, act()._replace(observation=observation))
    assert answer.value == [str(np.dtype(OBSERVATION.dtype)), observation.tobytes().hex()]
