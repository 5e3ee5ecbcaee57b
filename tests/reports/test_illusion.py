"""How long the illusion held in games of imitation, by messages and seconds, and what ended it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mensura.records.conversation import Game
from mensura.reports.illusion import (
    breaks,
    by_messages,
    by_seconds,
    hazards,
    kind_of,
    lone_blunders,
    maskings,
)


def game(answers: Sequence[str], broken: int | None, *, won: float = 0.0, **more: Any) -> Game:
    """Channel A is the machine's, and each question is delivered 10 seconds before its answer, the first at 5."""
    messages: list[dict[str, Any]] = []
    for place, text in enumerate(answers):
        at = 5.0 + 20.0 * place
        for author, said, when in (("judge", f"Question {place}?", at), ("witness", text, at + 10)):
            messages.append(
                {
                    "number": len(messages),
                    "channel": "A",
                    "author": author,
                    "text": said,
                    "round": 0,
                    "at": when,
                    "waited": 4.0,
                }
            )
    return Game(
        {"A": "machine"},
        messages,
        [],
        [{"round": 0, "choice": "machine", "void": False, "won": won}],
        [],
        {"A": broken},
        bool(more.pop("lone_blunder", False)),
        machine="m",
        **more,
    )


HELD = game(["I had some tea today", "Yes"], None, won=1.0)
BROKEN = game(["I had some tea today", "Toronto is a fine city there", "Never"], 2)


def test_curves_by_messages_and_by_seconds_agree_with_a_count_by_hand() -> None:
    games = [HELD, BROKEN]
    assert by_messages(games)[1] == [["machine", "2", "50%", "35%"]]
    # The break came 35 - 5 = 30 s after the first question; the other game was watched until then too.
    assert by_seconds(games)[1] == [["machine", "30", "50%", "35%"]]


def test_games_in_strict_turns_have_no_curve_by_seconds() -> None:
    plain = [
        {key: value for key, value in one.items() if key not in ("at", "waited")}
        for one in BROKEN.messages
    ]
    turns = replace(BROKEN, messages=plain)
    assert by_seconds([turns])[1] == []
    assert by_messages([turns])[1]
    assert maskings([turns])[1][0][2:4] == ["-", "-"]


def test_people_have_a_curve_of_their_own() -> None:
    person = replace(BROKEN, labels={"A": "person"})
    assert {row[0] for row in by_messages([BROKEN, person])[1]} == {"machine", "person"}


def test_a_witness_who_speaks_before_the_judge_is_taken_in() -> None:
    early = replace(BROKEN, messages=BROKEN.messages[1:], breaks={"A": 1})
    assert by_seconds([early])[1] == [["machine", "0", "0%", "0%"]]


def test_hazard_counts_only_messages_that_were_said_while_the_illusion_held() -> None:
    rows = {row[1]: row[2:] for row in hazards([HELD, BROKEN])[1]}
    assert rows == {"other": ["3", "1", "33%"], "up to 3 words": ["1", "0", "0%"]}
    assert hazards([HELD])[1] == []


def test_kinds_of_messages_go_by_their_form() -> None:
    assert kind_of("", "Why?", []) == "nothing"
    assert kind_of("So it is", "Why?", ["So it is"]) == "said before"
    assert (
        kind_of("what is your name then", "what is your name", []) == "echo of the message before"
    )
    assert kind_of("Why do you ask?", "Hello", []) == "question"
    assert kind_of("No idea", "Hello", []) == "up to 3 words"
    assert kind_of("la " * 25, "Hello", []) == "25 words or more"
    assert kind_of("I like tea with milk", "Hello", []) == "other"


def test_messages_that_ended_it_are_quoted_where_they_may_be_shown() -> None:
    assert breaks([HELD, BROKEN])[1] == [["m", "Question 1?", "Toronto is a fine city there"]]
    assert breaks([replace(BROKEN, publishable=False)])[1] == []


def test_lone_blunders_are_a_share_of_the_games_that_a_machine_lost() -> None:
    lone = replace(BROKEN, lone_blunder=True, marks=[3])
    of_a_person = replace(BROKEN, labels={"A": "person"})
    assert lone_blunders([HELD, BROKEN, lone, of_a_person])[1] == [["m", "2", "1", "50%"]]
    assert lone_blunders([replace(HELD, marks=[3])])[1] == []
    assert lone_blunders([BROKEN])[1] == [], "nobody marked a message"


def test_what_was_masked_is_counted_by_who_said_it() -> None:
    changed = [dict(one) for one in BROKEN.messages]
    changed[1] |= {"masked": True, "waited": 7.0}
    changed[2] |= {"held_back": True, "text": ""}
    assert maskings([replace(BROKEN, messages=changed)])[1] == [
        ["machine", "3", "5.0", "7.0", "1", "0"],
        ["judge", "3", "4.0", "4.0", "0", "1"],
    ]
