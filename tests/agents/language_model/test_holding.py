"""Actions that are taken again without a request: held by the model, or since an episode is decided."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Server, completion

from mensura.agent.asks import Ask
from mensura.agent.in_process import Agents
from mensura.agent.spaces import Discrete
from mensura.agent.task import Limits
from mensura.agents.address import parse
from mensura.agents.language_model import from_model
from mensura.agents.language_model.actions import (
    NoActionError,
    from_call,
    from_text,
    function,
    hold_in_object,
    hold_in_text,
    response_format,
)
from mensura.agents.language_model.holding import LONGEST_HOLD, Holding
from mensura.agents.language_model.player import LanguageModel, ModelPlayer
from mensura.core.journaled import Journal, Journaled
from mensura.core.loop import play
from mensura.core.observation_words import number
from mensura.core.players import Unanswered, drive
from mensura.core.usage import HELD, REQUESTS
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.replay import replay
from mensura.studies.study import study_from_plain
from mensura.studies.transcripts import blocks, listed, transcript
from mensura.worlds.framotec.world import Framotec
from mensura.worlds.lambda_class.world import Lambda

SPACE = Discrete(5)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("openai")  # here, since it takes a second
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


def holding(*answers: dict[str, Any]) -> Any:
    """A model that gives these arguments one after another, and the last ever after; being checked does not count."""
    left = list(answers)

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if request["max_tokens"] == 16:
            return completion(calls=[("act", '{"action": 0}')])
        said = left.pop(0) if len(left) > 1 else left[0]
        return completion(calls=[("act", json.dumps(said))])

    return answer


def model(server: Server, world: Any, more: str = "") -> LanguageModel:
    (part,) = parse(f"openai:toy?base_url={server.url}&retries=0{more}")
    made = from_model(part, world, Limits(seconds_per_action=60.0))
    assert isinstance(made, LanguageModel)
    return made


RACE = Framotec(horizon=30)
"""No power at all: nothing moves, and the rewards are the same."""


def played(player: Any, world: Any = RACE, key: int = 1) -> Any:
    return drive(play(world.build(world.sample(key)), 1, world=world.id, seed=2), player)


# How a hold is answered --------------------------------------------------------------


def test_a_hold_is_read_from_every_kind_of_answer() -> None:
    assert from_call(SPACE, '{"action": 3, "hold": 7}', hold=True) == 3
    assert hold_in_object('{"action": 3, "hold": 7}') == 7
    assert hold_in_object('{"action": 3, "hold": null}') == hold_in_object('{"action": 3}') == 1
    assert from_call(SPACE, '{"action": 3, "hold": 2, "notes": "a"}', hold=True, notes=True) == 3
    text = "<think>HOLD: 3</think>I wait.\n**HOLD: 12**\nACTION: 3"
    assert from_text(SPACE, text, hold=True) == 3
    assert hold_in_text(text) == 12
    assert hold_in_text("ACTION: 3") == 1


@pytest.mark.parametrize("hold", ["0", "101", "1.5", "true", '"2"', "[1]"])
def test_a_hold_that_is_none_makes_no_action(hold: str) -> None:
    with pytest.raises(NoActionError, match="must be a whole number from 1 to 100"):
        from_call(SPACE, f'{{"action": 3, "hold": {hold}}}', hold=True)
    with pytest.raises(NoActionError, match="must be a whole number from 1 to 100"):
        from_text(SPACE, f"HOLD: {hold}\nACTION: 3", hold=True)


def test_two_holds_and_a_hold_where_there_is_none_make_no_action() -> None:
    with pytest.raises(NoActionError, match="2 lines that begin with HOLD:"):
        from_text(SPACE, "HOLD: 2\nHOLD: 3\nACTION: 3", hold=True)
    with pytest.raises(NoActionError, match='needs one field called "action"'):
        from_call(SPACE, '{"action": 3, "hold": 2}')
    with pytest.raises(NoActionError, match='fields "action" and "hold" and no other'):
        from_call(SPACE, '{"action": 3, "wait": 2}', hold=True)


def test_the_function_and_the_form_offer_it() -> None:
    offered = function(SPACE, hold=True)
    field = offered["function"]["parameters"]["properties"]["hold"]
    assert (field["type"], field["minimum"], field["maximum"]) == ("integer", 1, LONGEST_HOLD)
    assert offered["function"]["parameters"]["required"] == ["action"]
    form = response_format(offered)["json_schema"]["schema"]
    assert form["required"] == ["action", "hold"]
    assert form["properties"]["hold"]["type"] == ["integer", "null"]
    assert "hold" not in function(SPACE)["function"]["parameters"]["properties"]


# What comes of it --------------------------------------------------------------------


@pytest.mark.parametrize("more", ["", "&answer=json", "&answer=text"])
def test_it_is_offered_where_the_world_allows_it(server: Server, more: str) -> None:
    def system(world: Any, extra: str = "") -> str:
        player = model(server, world, more + extra).retelling(1)
        played_by = play(world.build(world.sample(1)), 1, world=world.id, seed=2)
        for ask in next(played_by):
            player._answer(ask)
        return player._seats[0].conversation.system

    assert "held for several interactions" in system(RACE)
    assert "A hold ends early only with the episode" in system(RACE)
    assert "held" not in system(RACE, "&hold=false")
    assert "held" not in system(Lambda())


def test_a_held_action_needs_no_request_and_the_next_prompt_tells_what_came_of_it(
    server: Server,
) -> None:
    server.answerer = holding({"action": [0.0], "hold": 10}, {"action": [0.0], "hold": 100})
    player = model(server, RACE).sit(1)
    episode = played(player)
    _, first, second = server.requests
    assert episode.interactions == (30,)
    assert episode.faults == ()
    measures = player.measures()
    assert (measures[REQUESTS], measures[HELD]) == (2, 28)
    reward = episode.rewards[0] / 30
    told = second["messages"][-1]["content"]
    assert told.startswith(f"Your action was taken 10 times, with rewards of {number(10 * reward)}")
    assert "Reward of your last action" in told
    assert "time: 2.5 s" in told
    assert "hold" in first["tools"][0]["function"]["parameters"]["properties"]
    # The same as if it had been asked each time.
    server.answerer = holding({"action": [0.0]})
    assert played(model(server, RACE, "&hold=false").sit(1)).rewards == episode.rewards


def test_a_hold_ends_with_the_episode(server: Server) -> None:
    server.answerer = holding({"action": [0.0], "hold": 100})
    player = model(server, RACE).sit(1)
    played(player)
    played(player)
    assert len(server.requests) == 1 + 2
    told = server.requests[-1]["messages"][-1]["content"]
    assert "Your action was taken 30 times" in told
    assert told.index("Your action was taken") < told.index("A new episode begins.")


def test_a_hold_ends_when_another_seat_tells_something() -> None:
    def again(heard: Any, left: int = 5) -> bool:
        return Holding(1, known=True, left=left).again(Ask("act", 0, heard=heard), 0) is not None

    assert again(None)
    assert again({0: "mine", 1: None})
    assert not again({1: "go"})
    assert not again(None, left=0)


def test_an_answer_that_is_no_action_is_not_held(server: Server) -> None:
    server.answerer = holding({"action": "left", "hold": 5}, {"action": "left", "hold": 5})
    player = model(server, RACE).sit(1)
    episode = played(player)
    assert len(episode.faults) == 3
    assert HELD not in player.measures()


def test_where_time_is_in_seconds_nothing_is_held(server: Server) -> None:
    server.answerer = holding({"action": [0.0]})
    player = model(server, RACE).sit(1)
    now = [0.0]

    def clock() -> float:
        now[0] += 0.1
        return now[0]

    environment = RACE.build(RACE.sample(1))
    drive(play(environment, 1, world=RACE.id, seed=2, seconds=1.0, clock=clock), player)
    assert "held" not in server.requests[-1]["messages"][0]["content"]
    assert "hold" not in server.requests[-1]["tools"][0]["function"]["parameters"]["properties"]


def test_nobody_is_asked_once_an_episode_is_decided(server: Server) -> None:
    """Full power solves the race; what comes then is the same whatever is answered."""
    race = Framotec()
    server.answerer = holding({"action": [1.0]})
    player = model(server, race, "&hold=false").sit(1)
    episode = played(player, race)
    requests = len(server.requests) - 1

    class Full:
        def act(self, observation: Any, reward: float) -> Any:
            return race.build(race.sample(1)).spaces(0)[1].array([1.0])

    asked = played(Agents([Full()]), race)
    assert asked.rewards == episode.rewards
    assert asked.interactions == episode.interactions
    assert asked.measures == episode.measures
    assert asked.measures["solved"] == 1.0
    assert requests < 30 < 240 == episode.interactions[0]
    assert player.measures()[HELD] == 240 - requests


def test_a_sitting_goes_on_in_the_middle_of_a_hold(server: Server, tmp_path: Path) -> None:
    server.answerer = holding({"action": [0.0], "hold": 12}, {"action": [0.5], "hold": 100})
    whole = played(model(server, RACE).sit(1))
    server.answerer = holding({"action": [0.0], "hold": 12}, {"action": [0.5], "hold": 100})

    class Interrupted(Journaled):
        """Is ended after so many answers."""

        left = 6

        def asking(self, asks: list[Ask]) -> Any:
            self.left -= 1
            if not self.left:
                raise Unanswered("ended")
            return (yield from super().asking(asks))

    subject = model(server, RACE)
    first = Interrupted(subject.sit(1), Journal(tmp_path / "journal"))
    with pytest.raises(Unanswered):
        played(first)
    first.close()
    before = len(server.requests)
    again = Journaled(subject.sit(1), Journal(tmp_path / "journal"))
    episode = played(again)
    assert episode.rewards == whole.rewards
    assert len(server.requests) - before == 1  # the second answer; what was held goes on
    assert again.measures()[HELD] == 28
    again.close()
    told = server.requests[-1]["messages"]
    assert "Your action was taken 12 times" in told[-1]["content"]


def study(server: Server, **more: Any) -> Any:
    parameters = {"base_url": server.url, "retries": 0, **more}
    return study_from_plain(
        {
            "mensura": 1,
            "name": "held",
            "seed": 7,
            "subjects": [{"subject": "openai:toy", "parameters": parameters}],
            "worlds": [{"world": "framotec-v1", "parameters": {"horizon": 20}}],
            "assessments": [{"assessment": "battery", "parameters": {"episodes": 2}}],
        }
    )


def test_records_replays_and_transcripts_tell_of_it(server: Server, tmp_path: Path) -> None:
    server.answerer = holding({"action": [0.0], "hold": 10})
    with open_store(tmp_path / "store.db") as store:
        run = runs.begin(store, study(server))
        result = runs.resume(store, run)
        (subject,) = result.conditions[0].subjects
        assert subject.measures[REQUESTS].mean == 2
        assert subject.measures[HELD].mean == 18
        assert replay(store, run, 0).identical
        assert [(one.answers, one.faults) for one in listed(store, run)] == [(2, 0), (2, 0)]
        said = transcript(store, run, 0)
    assert said.identical
    assert said.steps == 20
    requests = [len(exchange.requests) for one in said.interactions for exchange in one.exchanges]
    assert requests == [1, *[0] * 9, 1, *[0] * 9]
    shown = [blocks(one)[0] for one in said.interactions]
    assert [what for what, _ in shown[0]] == ["system", "told", "answer"]
    assert shown[1] == [("answer", "(held: the last action was taken again, without a request)")]
    assert "Your action was taken 10 times" in said.interactions[10].prompt
    assert said.interactions[1].prompt == ""


def test_a_run_that_began_without_holds_goes_on_without(server: Server) -> None:
    plain = model(server, RACE, "&hold=false")
    later = model(server, RACE, f"&prompt_hash={plain.prompts.hash}")
    assert later.prompts == plain.prompts
    assert isinstance(later.sit(1), ModelPlayer)
    assert model(server, RACE).prompts != plain.prompts
