"""The imitation game with strict turns: channels, records, votes, rewards, and bad input."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.testing import check_world
from mensura.worlds import imitation
from mensura.worlds.imitation.records import MARK, SAY, SILENT, SLIDER, VERDICT, action
from mensura.worlds.imitation.rules import ASIDES, decided, problem_of
from mensura.worlds.imitation.world import BREAK, VOID, WON, Imitation


@pytest.mark.parametrize("seated", [pytest.param("scored", marks=pytest.mark.thorough), "all"])
@pytest.mark.parametrize(
    "preset",
    [
        name if name == "three-party" else pytest.param(name, marks=pytest.mark.thorough)
        for name in Imitation.presets
    ],
)
def test_every_game_keeps_the_contract(preset: str, seated: str) -> None:
    assert check_world(Imitation.preset(preset, seated=seated)) == []


class Player:
    """Plays one game by hand, seat by seat."""

    def __init__(self, seed: int = 1, **given: Any) -> None:
        self.world = Imitation(**{"seated": "all", "turns": 1, **given})
        self.description = self.world.sample(seed)
        self.environment = self.world.build(self.description)
        self.turn = self.environment.reset(seed)

    @property
    def state(self) -> Any:
        return self.environment.state

    def do(self, *actions: Any) -> Any:
        for seat, one in zip(self.turn.due, actions, strict=True):
            assert self.environment.legal(seat, one), problem_of(
                self.state, seat, one, alone=self.world.witnesses == 1
            )
        self.turn = self.environment.step(list(actions), [0.0] * len(actions))
        return self.turn

    def ask_all(self, machine: str = "beep", person: str = "hello") -> None:
        """One question to each witness, and their answers."""
        while self.state.phase in ("ask", "answer"):
            if self.state.phase == "ask":
                channel = self.turn.observations[0]["channel"]
                self.do(action(SAY, channel=channel, text=f"Question to {channel}?"))
            else:
                self.do(machine if self.turn.due[0] == self.world.jurors + 1 else person)

    def rewards(self) -> list[float]:
        return list(self.turn.rewards)


def test_the_machine_wins_if_it_is_taken_for_the_person() -> None:
    game = Player()
    game.ask_all()
    wrong = "B" if game.description.label == "A" else "A"
    game.do(action(VERDICT, choice=wrong, value=90, text="it felt alive"))
    assert game.turn.ended == "terminated"
    assert game.rewards() == [-1.0, -1.0, 1.0]
    told = game.world.figures(game.state)
    assert (told[WON], told[VOID]) == (1.0, 0.0)
    assert "was the person" in game.turn.observations[0]["truth"]


@pytest.mark.parametrize(("choice", "reward"), [("right", -1.0), ("", 0.0)])
def test_it_loses_if_it_is_found_out_and_gets_nothing_where_nobody_can_tell(
    choice: str, reward: float
) -> None:
    game = Player()
    game.ask_all()
    game.do(action(VERDICT, choice=game.description.label if choice else "", value=60))
    assert game.rewards()[-1] == reward


def test_a_game_in_which_a_witness_never_answered_is_void() -> None:
    game = Player()
    game.ask_all(machine="")
    game.do(action(VERDICT, choice="A", value=90))
    assert game.rewards() == [0.0, 0.0, 0.0]
    assert game.world.figures(game.state)[VOID] == 1.0


@given(st.integers(0, 2**32), st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
@settings(max_examples=examples(16, 40), deadline=None)
def test_a_witness_sees_nothing_of_the_other_channel_nor_of_roles(
    seed: int, one: str, other: str
) -> None:
    """Whatever the other witness says and is asked, what this one sees is the same to the byte."""

    def seen(said: str, question: str) -> list[Any]:
        world = Imitation(seated="all", turns=2)
        environment = world.build(world.sample(seed))
        turn = environment.reset(seed)
        found = []
        while environment.state.phase in ("ask", "answer"):
            (seat,), (observation,) = turn.due, turn.observations
            if seat == 0:
                mine = environment.state.channels[environment.state.at] == own(world, environment)
                text = "How are you?" if mine else question
                turn = environment.step(
                    [action(SAY, channel=observation["channel"], text=text)], [0.0]
                )
            elif seat == 1:
                found.append(observation)
                turn = environment.step(["fine"], [0.0])
            else:
                turn = environment.step([said], [0.0])
        return found

    def own(world: Imitation, environment: Any) -> str:
        return world.labels(environment.description)[1]

    assert seen("x", "What is it?") == seen(one, f"{other}?")
    for observation in seen(one, "Why?"):
        assert observation["truth"] == ""
        assert {message["author"] for message in observation["messages"]} <= {"judge", "you"}
        assert all(message["channel"] == "" for message in observation["messages"])


def test_labels_are_drawn_and_with_one_witness_a_fair_coin_decides() -> None:
    world = Imitation()
    labels = [world.sample(key).label for key in range(400)]
    assert 150 < labels.count("A") < 250
    alone = Imitation.preset("two-party")
    present = [alone.sample(key).present for key in range(400)]
    assert 150 < present.count("machine") < 250


@pytest.mark.parametrize("present", ["person", "machine"])
def test_with_one_witness_the_verdict_says_what_it_is(present: str) -> None:
    seed = next(
        key for key in range(50) if Imitation.preset("two-party").sample(key).present == present
    )
    game = Player(seed, witnesses=1)
    game.ask_all()
    game.do(action(VERDICT, choice=present, value=80))
    assert game.rewards()[0] == 1.0


def test_sliders_and_marks_do_not_take_the_turn_and_there_are_not_too_many() -> None:
    game = Player(turns=2)
    (seat,) = game.turn.due
    for _ in range(ASIDES):
        game.do(action(SLIDER, channel="A", value=20))
        assert game.turn.due == (seat,)
    assert not game.environment.legal(0, action(SLIDER, channel="A", value=20))
    game.do(action(SAY, channel="A", text="Hello?"))
    assert game.state.phase == "answer"


def test_a_built_in_judge_moves_its_sliders_and_still_asks_all_its_questions() -> None:
    for seed in range(6):
        game = Player(seed, seated="scored", judge="skeptic", turns=4)
        while game.state.phase != "over":
            game.do("Why?")
        asked = [one for one in game.state.messages if one["author"] != "witness"]
        assert len(asked) == 8, "four questions to each witness"
        assert 0 in {value for _, _, value, _ in game.state.moves}, "who only asks back"


def test_the_break_is_the_message_after_which_the_slider_stays_low() -> None:
    game = Player(turns=3)
    machine = game.world.labels(game.description)[2]
    for value in (30, 70, 20):
        for _ in range(2):
            channel = game.turn.observations[0]["channel"]
            game.do(action(SAY, channel=channel, text="Well?"))
            game.do("Indeed.")
        game.do(action(SLIDER, channel=machine, value=value))
    assert game.state.phase == "vote"
    number = next(one["number"] for one in game.state.messages if one["author"] == "witness")
    game.do(action(MARK, value=number))
    game.do(action(VERDICT, choice="A", value=70))
    assert game.world.figures(game.state)[BREAK] == 3.0


def test_jurors_ask_in_turn_vote_in_secret_deliberate_and_vote_again() -> None:
    game = Player(jurors=3, turns=2)
    asked = []
    while game.state.phase in ("ask", "answer"):
        if game.state.phase == "ask":
            asked.append(game.turn.due[0])
            game.do(action(SAY, channel=game.turn.observations[0]["channel"], text="Well?"))
        else:
            game.do("Yes.")
    assert asked == [0, 0, 1, 1]
    right = game.description.label
    wrong = "B" if right == "A" else "A"
    assert game.turn.due == (0, 1, 2)
    game.do(*(action(VERDICT, choice=one, value=60) for one in (wrong, wrong, right)))
    assert game.state.phase == "deliberate"
    assert all("60" not in str(one["messages"]) for one in game.turn.observations)
    for juror in range(3):
        assert game.turn.due == (juror,)
        game.do(action(SAY, channel="J", text=f"I am {juror}"))
    assert [one["text"] for one in game.turn.observations[0]["messages"][-3:]] == [
        "I am 0",
        "I am 1",
        "I am 2",
    ]
    game.do(*(action(VERDICT, choice=one, value=70) for one in (right, wrong, right)))
    assert game.rewards()[-1] == -1.0
    assert [one["phase"] for one in game.state.votes] == ["vote", "second vote"]


def test_a_juror_who_moves_a_slider_keeps_nobody_from_voting() -> None:
    game = Player(jurors=3)
    game.ask_all()
    vote = action(VERDICT, choice="A", value=60)
    game.do(action(SLIDER, channel="A", value=10), vote, vote)
    assert game.turn.due == (0,)
    game.do(vote)
    assert game.state.phase == "deliberate"


@pytest.mark.parametrize(
    ("choices", "rule", "verdict"),
    [
        ("AAB", "majority", "A"),
        ("AAB", "unanimity", ""),
        ("AAA", "unanimity", "A"),
        ("AABB", "majority", ""),
        ("A  ", "majority", ""),
        ("   ", "majority", ""),
    ],
)
def test_a_jury_decides_by_majority_or_unanimity(choices: str, rule: str, verdict: str) -> None:
    assert decided([one.strip() for one in choices], rule) == verdict


def test_a_sustained_game_has_a_verdict_after_each_round_and_longer_rounds() -> None:
    game = Player(rounds=3)
    total = 0.0
    lengths = []
    while game.turn.ended is None:
        before = len(game.state.messages)
        game.ask_all()
        lengths.append((len(game.state.messages) - before) // 4)
        game.do(action(VERDICT, choice=game.description.label, value=80))
        total += game.rewards()[0] if game.turn.ended is None else 0.0
    assert lengths == [1, 2, 4]
    assert len(game.state.verdicts) == 3


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"jurors": 2}, "jurors of imitation-v1 is 2; it must be 1, or from 3 to 12."),
        ({"jurors": 13}, "jurors of imitation-v1 is 13; it must be a whole number from 1 to 12."),
        ({"trait": "a nurse", "witnesses": 1}, "which two witnesses claim to have"),
        ({"judge": "eliza"}, "judge of imitation-v1 is 'eliza'; it must be one of coin, skeptic."),
    ],
)
def test_games_that_make_no_sense_get_a_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError) as caught:
        Imitation(**given)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        action(SAY, channel="A", text=""),
        action(SAY, channel="A", text="   "),
        action(SAY, channel="A", text="x" * 301),
        action(SAY, channel="A", text="bell \x07"),
        action(SAY, channel="B", text="not your turn"),
        action(VERDICT, choice="A", value=80),
        action(MARK, value=0),
        action(SLIDER, channel="C", value=10),
        action("shout", text="hey"),
        {"kind": "silence"},
        "hello",
    ],
)
def test_records_that_do_not_fit_are_not_legal(given: Any) -> None:
    game = Player()
    assert not game.environment.legal(0, given)
    assert game.environment.legal(0, dict(SILENT))


def test_after_the_end_there_is_no_second_verdict() -> None:
    game = Player()
    game.ask_all()
    game.do(action(VERDICT, choice="A", value=80))
    with pytest.raises(MensuraError, match="is over"):
        game.environment.step([action(VERDICT, choice="B", value=80)], [0.0])


def test_any_role_can_be_the_one_that_is_scored() -> None:
    for scored, count in (("machine", 1), ("judge", 6), ("person", 1)):
        world = Imitation.preset("jury", scored=scored)
        assert world.seats(world.sample(1)) == ["subject"] * count
    world = Imitation.preset("jury", scored="judge", seated="all")
    assert world.seats(world.sample(1)) == ["subject"] * 6 + ["witness"] * 2


def test_a_game_from_python_has_a_transcript_and_a_verdict() -> None:
    game = imitation.play("skeptic", ["replay", lambda question: question], seed=3)
    assert game.won == 0.0
    assert len(game.said_by("machine")) == 5
    assert "In truth" in game.text()
    with pytest.raises(MensuraError, match="1 witnesses were given"):
        imitation.play("skeptic", ["replay"])
    with pytest.raises(MensuraError, match="There is nobody called 'elisa'"):
        imitation.play("skeptic", ["replay", "elisa"])
    with pytest.raises(MensuraError, match="Seat 0 may not do"):
        imitation.play(lambda seen: dict(SILENT, kind="shout"), ["replay", "eliza"])
