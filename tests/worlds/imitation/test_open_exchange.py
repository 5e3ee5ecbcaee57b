"""An open exchange: typing times, the clock, early verdicts, and games between built-in subjects."""

from __future__ import annotations

from typing import Any

import pytest
from tests.sizes import examples

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold
from mensura.testing import check_world
from mensura.worlds.imitation.records import SAY, VERDICT, action
from mensura.worlds.imitation.talking import typing_time
from mensura.worlds.imitation.world import Imitation


@pytest.mark.thorough
def test_an_open_exchange_keeps_the_contract() -> None:
    assert check_world(Imitation(seated="all", exchange="open")) == []


@pytest.fixture
def game() -> Any:
    world = Imitation(seated="all", exchange="open")
    environment = world.build(world.sample(3))
    environment.reset(3)
    return environment


def test_a_message_is_delivered_when_it_is_typed_and_who_types_waits(game: Any) -> None:
    turn = game.speak(0, action(SAY, channel="A", text="Hello, who are you?"), 1.0)
    assert 0 not in turn.due
    at = game.next_event()
    takes = 2.0 + 0.15 * len("Hello, who are you?")
    assert 1.0 + 0.8 * takes <= at <= 1.0 + 1.2 * takes
    assert all(not one["messages"] for one in turn.observations)
    turn = game.pass_time(at)
    assert 0 in turn.due
    seen = {seat: one["messages"] for seat, one in zip(turn.due, turn.observations, strict=True)}
    own = next(seat for seat, label in game.rules.labels(game.description).items() if label == "A")
    other = next(seat for seat in (1, 2) if seat != own)
    assert len(seen[own]) == 1
    assert seen[other] == []


def test_typing_takes_the_same_time_whoever_types() -> None:
    times = [typing_time("hello there", fold(key, 1)) for key in range(200)]
    assert min(times) >= 0.8 * (2.0 + 0.15 * 11)
    assert max(times) <= 1.2 * (2.0 + 0.15 * 11)
    assert max(times) - min(times) > 0.5


def test_the_time_is_over_five_minutes_after_the_first_question(game: Any) -> None:
    game.speak(0, action(SAY, channel="A", text="Hello?"), 10.0)
    turn = game.pass_time(310.0)
    assert game.state.phase == "vote"
    assert turn.due == (0,)


def test_a_judge_may_decide_earlier_and_without_answers_the_game_is_void(game: Any) -> None:
    turn = game.speak(0, action(VERDICT, choice="A", value=80), 5.0)
    assert turn.ended == "terminated"
    assert list(turn.rewards) == [0.0, 0.0, 0.0]


def test_a_sustained_conversation_goes_on_after_each_verdict_for_twice_as_long() -> None:
    world = Imitation.preset("sustained", seated="all", exchange="open", typing=False)
    game = world.build(world.sample(1))
    game.reset(1)
    begins = 10.0
    for number, minutes in enumerate((5.0, 10.0, 20.0, 40.0)):
        for channel in "AB":
            game.speak(0, action(SAY, channel=channel, text="And now?"), begins)
        for place in (1, 2):
            game.speak(place, "the same as before", begins + 1.0)
        page = world.talk(game, 0)
        assert (page["phase"], page["round"], page["rounds"]) == ("talk", number + 1, 4)
        assert page["verdict"] is None
        assert page["closes"] == game.next_event() == begins + 60.0 * minutes
        begins += 60.0 * minutes
        game.pass_time(begins)
        assert world.talk(game, 1)["phase"] == "closed"
        turn = game.speak(0, action(VERDICT, choice="A", value=80), begins + 7.0)
        begins += 7.0
        assert len(game.state.verdicts) == number + 1
        assert (turn.ended == "terminated") == (number == 3)
    assert world.talk(game, 0)["verdict"] == "A"
    assert {one["round"] for one in game.state.messages} == {0, 1, 2, 3}


def test_a_jury_deliberates_in_every_round() -> None:
    world = Imitation(jurors=3, rounds=2, seated="all", exchange="open", typing=False)
    game = world.build(world.sample(1))
    game.reset(1)
    for number in range(2):
        now = 3000.0 * number
        game.speak(number % 3, action(SAY, channel="A", text="And now?"), now + 1.0)
        game.pass_time(now + 900.0)
        for _ in range(2):
            for juror in range(3):
                game.speak(juror, action(VERDICT, choice="A", value=60), now + 910.0)
            if game.state.phase == "deliberate":
                game.pass_time(game.next_event())
        assert len(game.state.verdicts) == number + 1


def test_built_in_subjects_play_it_and_the_same_seed_gives_the_same_game() -> None:
    world = Imitation(seated="all", exchange="open")
    names = ["skeptic+replay+eliza", "skeptic+replay+parrot", "skeptic+replay+silent"]
    count = examples(2, 4)
    results = [ms.assess(names, world, "games", sittings=count, seed=5) for _ in range(2)]
    scores = [{one.label: one.score for one in result.scores} for result in results]
    assert scores[0] == scores[1]
    assert scores[0]["skeptic+replay+eliza"] == -1.0
    assert scores[0]["skeptic+replay+silent"] == 0.0
    assert "fault of" not in str(results[0])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"exchange": "open"}, "in which all seats are played; seated must be all."),
    ],
)
def test_open_exchanges_that_make_no_sense_get_a_sentence(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError) as caught:
        Imitation(**given)
    assert sentence in str(caught.value)
