"""A world whose seats have different spaces, of texts, lists and images, goes through all that plays worlds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import letters
from tests.letters import GUESS, INBOX, SHOWN, WORDS, Letters, LettersWorld

from mensura.agent.asks import Answer, Ask
from mensura.agent.in_process import InProcess
from mensura.agent.random import RandomAgent
from mensura.agent.spaces import Box, Discrete, Record
from mensura.agents.address import Part, parse
from mensura.agents.isolation import launching
from mensura.agents.language_model.player import LanguageModel
from mensura.agents.language_model.services.reply import Reply
from mensura.agents.language_model.settings import Settings
from mensura.agents.process import ProcessSubject
from mensura.assessments.battery import Battery
from mensura.core.contract import Episode, Turn
from mensura.core.journaled import Journal, Journaled
from mensura.core.loop import play
from mensura.core.players import Player, drive
from mensura.records.cell import Cell
from mensura.records.journal import pack, unpack
from mensura.studies.place import Place
from mensura.studies.replay import FromJournal
from mensura.studies.stepped import step
from mensura.testing.worlds import check_world


@pytest.fixture(scope="module", autouse=True)
def _nursery() -> Iterator[None]:
    """Whoever started processes for agents ends with the tests."""
    yield
    launching._nursery.close()


class Watch:
    """All that is seen and done, with the types of it."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def started(self, environment: Any, turn: Turn) -> None:
        self.seen.append(repr(turn))

    def stepped(self, environment: Any, actions: list[Any], turn: Turn) -> None:
        self.seen.append(repr((actions, turn)))


def played(player: Player, swapped: bool = False) -> tuple[Episode, list[str]]:
    world = LettersWorld(swapped=swapped)
    watch = Watch()
    episode = drive(
        play(
            world.build(world.sample(1)),
            7,
            world=world.id,
            seed=3,
            speakers=player.speakers,
            observers=[watch],
        ),
        player,
    )
    return episode, watch.seen


def speller() -> Any:
    names: dict[str, Any] = {}
    exec(letters.AGENT, names)
    return names["Speller"]()


# The loop ---------------------------------------------------------------------


def test_the_toy_world_keeps_the_contract() -> None:
    assert check_world(LettersWorld()) == []


class Lenient(Letters):
    """Takes whatever has the right type."""

    def legal(self, seat: int, action: Any) -> bool:
        return isinstance(action, str if seat == self.writer else dict)


class Careless(Letters):
    """Looks at actions without looking whether it can."""

    def legal(self, seat: int, action: Any) -> bool:
        return len(action) >= 0 and super().legal(seat, action)


@pytest.mark.parametrize(
    ("environment", "problems"),
    [
        (Lenient, ["'aaaaaaaaaa", "'\\ud800' is legal", "'': 0} is legal and not in the action"]),
        (Careless, ["legal raised for None where it should say no"]),
    ],
)
def test_a_world_that_takes_too_much_is_found_out(environment: Any, problems: list[str]) -> None:
    broken = type("Broken", (LettersWorld,), {"build": lambda self, given: environment(given)})()
    found = "\n".join(check_world(broken))
    assert all(problem in found for problem in problems)


def test_random_agents_play_it_without_a_fault() -> None:
    for swapped in (False, True):
        episode, seen = played(InProcess("random", RandomAgent).sit(2), swapped)
        assert episode.faults == ()
        assert len(seen) == 6


def test_every_seat_is_told_its_own_spaces() -> None:
    world = LettersWorld()
    asks = next(play(world.build(world.sample(1)), 7, world=world.id, seed=3))
    spaces = [(ask.task.observation_space, ask.task.action_space) for ask in asks if ask.task]
    assert spaces == [(SHOWN, WORDS), (INBOX, GUESS)]


def test_an_agent_in_a_process_of_its_own_plays_as_in_ours(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(letters.AGENT)
    (part,) = parse(f"{tmp_path / 'agent.py'}:Speller")
    player = ProcessSubject(part).sit(2)
    try:
        there = played(player)
    finally:
        player.close()
    here = played(InProcess("speller", speller).sit(2))
    assert there[0].faults == here[0].faults == ()
    assert there[0].rewards == here[0].rewards
    assert there[0].rewards[0] > 0
    assert there[1] == here[1]


class Wrong:
    """Answers what is not in its space, although it has nearly the form of it."""

    def begin(self, task: Any, rng: Any) -> None:
        self.writes = task.action_space == WORDS

    def act(self, observation: Any, reward: float) -> Any:
        return "half \ud83d" if self.writes else {"guess": [9], "because": "", "sure": None}


def test_answers_outside_a_space_are_faults_of_their_seat() -> None:
    episode, _ = played(InProcess("wrong", Wrong).sit(2))
    assert {(fault.seat, fault.kind) for fault in episode.faults} == {
        (0, "illegal"),
        (1, "illegal"),
    }


# Journals and replay ----------------------------------------------------------


class Nobody:
    """Must not be asked."""

    speakers: frozenset[int] = frozenset()

    def answer(self, asks: list[Ask]) -> list[Answer]:
        raise AssertionError("asked again")

    def close(self) -> None:
        pass


@pytest.mark.parametrize("agent", [speller, RandomAgent, Wrong])
def test_journaled_answers_are_played_again_exactly(tmp_path: Path, agent: Any) -> None:
    path = tmp_path / "journal"
    plain = played(InProcess("agent", agent).sit(2))
    with Journal(path) as journal:
        first = played(Journaled(InProcess("agent", agent).sit(2), journal))
    with Journal(path) as journal:
        again = played(Journaled(Nobody(), journal))
    assert first[1] == again[1] == plain[1]
    assert again[0].faults == plain[0].faults


@pytest.mark.parametrize("agent", [speller, RandomAgent, Wrong])
def test_a_recorded_sitting_is_replayed_from_its_answers(agent: Any) -> None:
    world, subject, battery = LettersWorld(), InProcess("agent", agent), Battery(2)
    cell = Cell(0, "", world.id, {}, "", {}, "agent", "agent", 3, battery.sittings, ask_once=True)
    home = Place(cell, world, subject, battery)
    first = step(home, 0)
    pages = [unpack(pack(page)) for page in first.journals]
    again = step(home, 0, player=FromJournal(pages, home))
    assert again.score == first.score
    assert [(e.rewards, e.faults) for _, e, _ in again.episodes] == [
        (e.rewards, e.faults) for _, e, _ in first.episodes
    ]


# Language models --------------------------------------------------------------


class Scripted:
    """A service whose model does as it is told, in words."""

    def __init__(self) -> None:
        self.requests: list[Any] = []

    def check(self, tools: Any) -> None:
        pass

    def hurry(self) -> None:
        pass

    def complete(self, messages: Any, tools: Any, deadline: float) -> Reply:
        self.requests.append((messages, tools))
        writes = "The action is a text of at most 30 characters" in messages[0]["content"]
        value: Any = "one\n*two*"
        if not writes:
            value = {"guess": [2], "because": "a", "sure": {"low": 1, "high": [0, 0.5]}}
        return Reply(f"Well.\nACTION: {json.dumps(value)}")


def test_a_language_model_writes_texts_and_reads_letters() -> None:
    service = Scripted()
    settings = Settings(model="toy", base_url="http://nowhere", answer="text")
    model = LanguageModel(Part("openai:toy"), settings, LettersWorld(), service=service)
    episode, seen = played(model.sit(2))
    assert episode.faults == ()
    assert "'one\\n*two*'" in seen[1]
    (writer, _), (reader, _) = service.requests[2:4]
    assert 'ACTION: "..."' in writer[0]["content"]
    assert "screen: [[" in writer[1]["content"]
    assert '"because": "..."' in reader[0]["content"]
    assert '{"from": 0, "words": "one\\n*two*", "age": 0}' in reader[-1]["content"]


# Views ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gym() -> Any:
    from mensura.adapters import gymnasium

    return gymnasium


@pytest.mark.parametrize("swapped", [False, True])
def test_gymnasiums_view_of_either_seat_passes_its_check(gym: Any, swapped: bool) -> None:
    from gymnasium.utils.env_checker import check_env

    env = gym.WorldEnv(LettersWorld(swapped=swapped), others="random")
    check_env(env, skip_render_check=True)
    observation, _ = env.reset(seed=1)
    over = False
    while not over:
        assert env.observation_space.contains(observation)
        observation, _, _, over, _ = env.step(env.action_space.sample())
    assert env.observation_space.contains(observation)


def test_gymnasiums_view_plays_what_it_is_given(gym: Any) -> None:
    env = gym.WorldEnv(LettersWorld(swapped=True), others="random")
    env.reset(seed=1)
    action = {"guess": (1,), "because": "", "sure": {"low": 0.5, "high": [0.0, 1.0]}}
    assert env.step(action)[1] == 0.0
    for wrong in (None, 1, "a", {**action, "guess": (5,)}, {**action, "more": 1}, {"guess": ()}):
        with pytest.raises(ValueError, match="is not an action now; actions are in Dict"):
            env.step(wrong)


def test_pettingzoos_view_has_the_spaces_of_each_seat_and_passes_its_check() -> None:
    from gymnasium import spaces
    from pettingzoo.test import parallel_api_test

    from mensura.adapters.pettingzoo import parallel_env

    env = parallel_env(LettersWorld())
    parallel_api_test(env, num_cycles=50)
    assert isinstance(env.action_space("subject_0"), spaces.Text)
    assert isinstance(env.observation_space("subject_1"), spaces.Sequence)
    env.reset(seed=1)
    guess = {"guess": (1,), "because": "", "sure": {"low": 0.5, "high": [0.0, 1.0]}}
    observations, *_ = env.step({"subject_0": "Größe", "subject_1": guess})
    assert observations["subject_1"] == ({"from": 0, "words": "Größe", "age": np.array(0.0)},)
    assert observations["subject_0"]["screen"].dtype == np.uint8
    with pytest.raises(ValueError, match="is not an action of subject_0; actions are in AnyText"):
        env.step({"subject_0": "\x1b", "subject_1": guess})
    with pytest.raises(ValueError, match="is not an action of subject_1; actions are in Dict"):
        env.step({"subject_0": "", "subject_1": {**guess, "because": "d"}})


def test_what_a_view_shows_is_the_learners_own() -> None:
    from mensura.adapters.conversion import to_gymnasium

    for kind in ("float64", "float32", "uint8"):
        seen = {"screen": np.zeros(2, kind)}
        shown = to_gymnasium(Record((("screen", Box(0, 9, (2,), kind)),)), seen)
        assert not np.shares_memory(shown["screen"], seen["screen"])


def test_views_without_structure_are_rows_as_before() -> None:
    from mensura.adapters.conversion import action_space, observation_space

    flat = Record((("a", Box(0, 1)), ("b", Box(-1, 1, (2,)))))
    assert observation_space(flat).shape == (3,)
    assert observation_space(Discrete(3, 1)).shape == (1,)
    assert action_space(Discrete(3, 1)).start == 0  # type: ignore[attr-defined]
    assert action_space(Box(0, 1, (2,), "float32")).dtype == np.float32


def test_a_model_of_stable_baselines_is_told_that_it_cannot_play(tmp_path: Path) -> None:
    import zipfile

    from mensura.agent.errors import MensuraError
    from mensura.studies.subjects import resolve

    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        archive.writestr("data", json.dumps({"clip_range": 0}))
    seen = {
        False: "are number, a whole number from 1 to 4; screen",
        True: "are a list of at most 3 items",
    }
    for swapped, sentence in seen.items():
        with pytest.raises(MensuraError, match=f"Observations in letters-v0 {sentence}"):
            resolve(f"sb3:{tmp_path / 'model.zip'}", LettersWorld(swapped=swapped))
