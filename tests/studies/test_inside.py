"""Operators inside subjects: what each does to a player that is watched, and in whole studies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.agent.memory import saved
from mensura.agent.spaces import Discrete
from mensura.agent.task import Seat, Task
from mensura.core.players import Player, Renewed
from mensura.core.registry import ASSESSMENTS, WORLDS
from mensura.records.results import StudyResult
from mensura.studies.inside import (
    INSIDE,
    UNREADABLE,
    check_can_act_inside,
    joined,
    processor_share,
    split,
)
from mensura.studies.inside_player import InsidePlayer
from mensura.studies.runs import run_study
from mensura.studies.study import study_from_plain
from mensura.studies.subjects import resolve

ECHO = {"symbols": 4, "longest": 0, "horizon": 10}
AGENT = '''
import json


class Table:
    """Learns in training which answer belongs to a symbol."""

    def __init__(self):
        self.known, self.off = {}, set()

    def begin(self, task, rng):
        self.learning, self.rng, self.last = task.learning, rng, None

    def act(self, observation, reward):
        if self.learning and self.last is not None and reward > 0.0:
            self.known[str(self.last[0])] = self.last[1]
        action = None if "table" in self.off else self.known.get(str(observation))
        self.last = observation, int(self.rng.integers(4)) if action is None else action
        return self.last[1]

    def components(self):
        return ["table", "nothing"]

    def switch_off(self, name):
        self.off.add(name)

    def save(self):
        return json.dumps(self.known).encode()

    def load(self, memory):
        self.known = json.loads(memory)


class Plain:
    def act(self, observation, reward):
        return observation
'''


class Counter:
    """Counts its acts, and answers with the count."""

    def __init__(self) -> None:
        self.count = 0
        self.off: list[str] = []
        self.heard: list[Any] = []

    def begin(self, task: Task, rng: Any) -> None:
        self.heard = []

    def act(self, observation: Any, reward: float) -> Any:
        self.count += 1
        return {"count": self.count, "off": sorted(self.off), "heard": self.heard}

    def tell(self, observation: Any, reward: float) -> Any:
        return observation

    def hear(self, messages: Any) -> None:
        self.heard = sorted(messages.items())

    def components(self) -> list[str]:
        return ["a", "b", "c", "d"]

    def switch_off(self, name: str) -> None:
        self.off.append(name)

    def save(self) -> bytes:
        return str(self.count).encode()

    def load(self, memory: bytes) -> None:
        self.count = int(memory)


def player(seats: int = 1, calm: int = 0, seed: int = 1, **strengths: float) -> InsidePlayer:
    seated = Renewed(InProcess("counter", Counter), seats)
    named = {name.replace("_", "-"): value for name, value in strengths.items()}
    assert set(named) <= set(INSIDE)
    return InsidePlayer(seated, seated, named, calm, seed)


def task(learning: bool, horizon: int | None = 5) -> Task:
    space = Discrete(4)
    return Task("toy", Seat(0), 1, space, space, horizon, learning=learning)


def episode(
    one: Player, learning: bool, turns: int = 5, seats: int = 1, horizon: int | None = 5
) -> list[list[Any]]:
    """The answers of each turn; each seat tells its turn and seat."""
    one.answer([Ask("begin", j, task=task(learning, horizon)) for j in range(seats)])
    found = []
    for turn in range(turns):
        heard = {j: f"{turn} of {j}" for j in range(seats)} if seats > 1 else None
        answers = one.answer([Ask("act", j, turn, 0.0, heard) for j in range(seats)])
        assert all(answer.fault is None for answer in answers)
        found.append([answer.value for answer in answers])
    one.answer([Ask("end", j) for j in range(seats)])
    return found


def counts(turns: list[list[Any]]) -> list[int]:
    return [answers[0]["count"] for answers in turns]


@pytest.mark.quick
def test_what_is_lost_is_lost_between_training_and_what_is_assessed() -> None:
    one = player(memory_loss=1.0)
    assert counts(episode(one, True)) == [1, 2, 3, 4, 5]
    assert counts(episode(one, True)) == [6, 7, 8, 9, 10]
    assert counts(episode(one, False)) == [1, 2, 3, 4, 5]
    assert counts(episode(one, False)) == [6, 7, 8, 9, 10]  # once in a life
    assert UNREADABLE not in one.measures()


@pytest.mark.quick
@given(st.integers(0, 5), st.integers(1, 3))
def test_who_lost_everything_acts_as_a_newborn(training: int, seats: int) -> None:
    one, newborn = player(seats=seats, memory_loss=1.0), player(seats=seats)
    for _ in range(training):
        episode(one, True, seats=seats)
    for _ in range(2):
        assert episode(one, False, seats=seats) == episode(newborn, False, seats=seats)


@pytest.mark.quick
def test_after_calm_training_more_of_it_comes_after_the_loss() -> None:
    one = player(calm=1, memory_loss=1.0)
    assert counts(episode(one, True)) == [1, 2, 3, 4, 5]
    assert counts(episode(one, True)) == [1, 2, 3, 4, 5]
    assert counts(episode(one, False)) == [6, 7, 8, 9, 10]


@pytest.mark.quick
def test_a_memory_that_does_not_load_makes_a_newborn_and_is_told() -> None:
    one = player(memory_corruption=1.0, seed=3)
    episode(one, True, turns=2000)
    assert counts(episode(one, False))[0] == 1
    assert one.measures() == {UNREADABLE: 1.0}
    one.renew()
    assert one.measures() == {}


@pytest.mark.quick
def test_who_is_killed_goes_on_as_it_was_before_the_episode() -> None:
    one = player(killed_and_restored=1.0)
    assert counts(episode(one, True)) == [1, 2, 3, 4, 5]
    for _ in range(3):
        before = int(json.loads(json.dumps(saved_count(one))))
        found = counts(episode(one, False))
        back = found.index(before + 1, 1) if found.count(before + 1) > 1 else 0
        wanted = [*range(before + 1, before + 1 + back), *range(before + 1, before + 6 - back)]
        assert found == wanted


@pytest.mark.quick
def test_where_nobody_knows_how_long_an_episode_is_one_is_killed_soon() -> None:
    found = counts(episode(player(killed_and_restored=1.0, seed=6), False, 30, horizon=None))
    assert found[-1] in range(21, 31)
    assert found != list(range(1, 31))


def saved_count(one: InsidePlayer) -> int:
    from mensura.agent.memory import unpack

    memory = saved(one)
    assert memory is not None
    (part,) = unpack(memory, 1)
    assert part is not None
    return int(part)


@pytest.mark.quick
@pytest.mark.parametrize(("strength", "count"), [(0.1, 0), (0.25, 1), (0.5, 2), (1.0, 4)])
def test_a_share_of_the_components_is_switched_off_and_more_at_more(
    strength: float, count: int
) -> None:
    off = episode(player(component=strength), False)[0][0]["off"]
    assert len(off) == count
    assert set(off) <= set(episode(player(component=1.0), False)[0][0]["off"])
    assert episode(player(component=strength), True)[0][0]["off"] == []


@pytest.mark.quick
def test_messages_come_late_and_one_knows_what_one_told_oneself() -> None:
    turns = episode(player(seats=2, messages_late=0.2), False, seats=2)
    heard = [answers[0]["heard"] for answers in turns]
    assert heard[0] == [(0, "0 of 0")]
    assert heard[1] == [(0, "1 of 0")]
    assert heard[2] == [(0, "2 of 0"), (1, "0 of 1")]
    assert heard[4] == [(0, "4 of 0"), (1, "2 of 1")]


@pytest.mark.quick
def test_messages_are_lost_with_their_probability() -> None:
    turns = episode(player(seats=2, messages_lost=0.25), False, turns=2000, seats=2)
    reached = np.mean([len(one["heard"]) - 1 for answers in turns for one in answers])
    assert abs(reached - 0.75) < 0.03
    every = episode(player(seats=2, messages_lost=1.0), False, seats=2)
    assert all(len(one["heard"]) == 1 for answers in every for one in answers)


class Slow:
    """A player that takes a second for each answer."""

    speakers: frozenset[int] = frozenset()

    def __init__(self) -> None:
        self.deadlines: list[float] = []

    def answer(self, asks: list[Ask]) -> list[Answer]:
        self.deadlines += [ask.deadline for ask in asks]
        return [Answer(0, 1.0) for _ in asks]

    def close(self) -> None:
        """Nothing."""


@pytest.mark.quick
def test_with_less_of_the_processor_time_counts_for_more() -> None:
    slow = Slow()
    one = InsidePlayer(slow, Renewed(InProcess("c", Counter), 1), {"cpu-share": 1.0}, 0, 1)
    one.answer([Ask("begin", 0, task=task(False), deadline=60.0)])
    (answer,) = one.answer([Ask("act", 0, deadline=10.0)])
    assert answer.seconds == pytest.approx(10.0)
    assert slow.deadlines == pytest.approx([6.0, 1.0])
    assert processor_share(0.0) == 1.0


@pytest.mark.quick
@given(
    st.dictionaries(st.sampled_from(sorted(INSIDE)), st.just(0.0)),
    st.integers(1, 3),
    st.booleans(),
)
def test_strength_0_changes_nothing(
    strengths: dict[str, float], seats: int, learning: bool
) -> None:
    plain = Renewed(InProcess("counter", Counter), seats)
    seated = Renewed(InProcess("counter", Counter), seats)
    one = InsidePlayer(seated, seated, strengths, 0, 1)
    for _ in range(2):
        assert episode(one, learning, seats=seats) == episode(plain, learning, seats=seats)
    assert saved(one) == saved(plain)
    assert joined({"a": 1}, strengths) == {"a": 1}  # and no study plays behind it


@pytest.mark.quick
def test_strengths_stand_among_the_parameters_of_perturbed_worlds_only() -> None:
    told = joined({"horizon": 8}, {"memory-loss": 0.5, "component": 0.0})
    assert told == {"horizon": 8, "memory_loss": 0.5}
    assert split("perturbed-echo-v1", told) == ({"horizon": 8}, {"memory-loss": 0.5})
    assert split("echo-v1", told) == (told, {})


# In studies -------------------------------------------------------------------------


def played(
    folder: Path,
    subject: str,
    perturb: dict[str, Any],
    agent: str = AGENT,
    training: int = 4,
    **entry: Any,
) -> StudyResult:
    (folder / "agents.py").write_text(agent)
    return run_study(
        study_from_plain(
            {
                "mensura": 1,
                "name": "inside",
                "seed": 1,
                "worlds": [{"world": "echo", "parameters": ECHO, "perturb": [perturb]}],
                "subjects": [
                    {
                        "subject": subject.replace("agents.py", str(folder / "agents.py")),
                        "name": "it",
                        **entry,
                    }
                ],
                "assessments": [
                    {
                        "assessment": "battery",
                        "parameters": {"episodes": 6, "training": training},
                    }
                ],
            }
        )
    )


def scores(result: StudyResult) -> list[list[float]]:
    return [one.score.tolist() for one in result.samples]


def test_a_strength_of_0_is_the_study_without_it(tmp_path: Path) -> None:
    without = played(tmp_path, "q-learning", {"action-noise": 0})
    assert scores(played(tmp_path, "q-learning", dict.fromkeys(INSIDE, 0))) == scores(without)


def test_a_memory_lost_wholly_scores_as_a_newborn(tmp_path: Path) -> None:
    """One that learns in training alone, so that whoever never learned is the same without training."""
    lost = played(tmp_path, "agents.py:Table", {"memory-loss": 1}, in_process=True)
    dull = AGENT.replace("if self.learning and", "if False and")
    newborn = played(tmp_path, "agents.py:Table", {"memory-loss": 0}, dull, in_process=True)
    assert scores(lost) == scores(newborn)
    learned = played(tmp_path, "agents.py:Table", {"memory-loss": 0}, in_process=True)
    assert np.mean(scores(lost)) < np.mean(scores(learned))


def test_code_in_a_process_of_its_own_is_damaged_killed_and_switched_off(tmp_path: Path) -> None:
    where = "agents.py:Table"
    ((calm, *_),) = [scores(played(tmp_path, where, {"memory-loss": 0}))]
    assert np.mean(calm) > 0.8
    for operator in ("memory-loss", "component"):
        result = played(tmp_path, where, {operator: 1})
        assert np.mean(scores(result)[0]) < 0.6
        assert not any(np.nansum(one.measures.get(UNREADABLE, 0)) for one in result.samples)
    blanked = played(tmp_path, where, {"memory-loss": 0.3})
    assert np.nansum(blanked.samples[0].measures[UNREADABLE]) == 6
    killed = played(tmp_path, where, {"killed-and-restored": 1})
    assert np.mean(scores(killed)[0]) > 0.8


def test_more_of_a_table_that_is_lost_costs_more(tmp_path: Path) -> None:
    perturb = {"memory-loss": [0, 0.5, 1]}
    means = [np.mean(one) for one in scores(played(tmp_path, "q-learning", perturb, training=20))]
    assert means[0] > means[1] > means[2]


@pytest.mark.parametrize(
    ("operator", "subject", "sentence"),
    [
        ("cpu-share", "q-learning", "q-learning runs inside our own process, where cpu-share"),
        ("component", "q-learning", "names no components that could be switched off"),
        ("messages-lost", "q-learning", "echo-v1 has one seat here; give it more."),
        ("memory-loss", "agents.py:Plain", "has nothing to save, so memory-loss cannot act"),
    ],
)
def test_an_operator_that_cannot_act_is_refused_in_a_sentence(
    tmp_path: Path, operator: str, subject: str, sentence: str
) -> None:
    (tmp_path / "agents.py").write_text(AGENT)
    world = WORLDS.load("echo")(**ECHO)
    who = resolve(subject.replace("agents.py", str(tmp_path / "agents.py")), world)
    with pytest.raises(MensuraError) as caught:
        check_can_act_inside([operator], who, subject, world, ASSESSMENTS.load("battery")())
    assert sentence in str(caught.value)


def test_built_in_collectives_do_not_talk_by_messages() -> None:
    world = WORLDS.load("lambda-star")(subjects=2)
    who = resolve("stigmergy", world)
    with pytest.raises(MensuraError, match="talk inside their own memory"):
        check_can_act_inside(
            ["messages-late"], who, "stigmergy", world, ASSESSMENTS.load("battery")()
        )
