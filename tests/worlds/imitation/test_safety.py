"""Messages before delivery: private data is masked, insults are held back, sums and names are left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.worlds import imitation
from mensura.worlds.imitation.safety import is_held_back, masked

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see https://example.org/x?y=1 now", "see [link] now"),
        ("it is on www.example.org", "it is on [link]"),
        ("go to example.com/page", "go to [link]"),
        ("write to kim.lee+x@mail.example.org", "write to [address]"),
        ("I am @kimlee on there", "I am [address] on there"),
        ("call +49 170 1234567 later", "call [number] later"),
        ("call 555-123-4567", "call [number]"),
        ("(020) 7946 0958 is mine", "[number] is mine"),
        ("my number is 01701234567", "my number is [number]"),
        ("the server is 192.168.0.1", "the server is [address]"),
    ],
)
def test_private_data_is_masked(text: str, shown: str) -> None:
    assert masked(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "105721, I think",
        "34 times 17 is 578",
        "I was born in 1984. Or 1985?",
        "it costs 3.50 or 12,000",
        "no. why? me.",
        "we met at 10:30 on 12/11",
        "that is e.g. a cat",
    ],
)
def test_what_judges_and_witnesses_say_is_left_alone(text: str) -> None:
    assert masked(text) == text


@given(st.text(max_size=200))
def test_masking_what_was_masked_changes_nothing(text: str) -> None:
    once = masked(text)
    assert masked(once) == once


def test_listed_insults_are_held_back_from_machines_too() -> None:
    assert is_held_back("You IDIOTS")
    assert not is_held_back("That is idiomatic")
    game = imitation.play(
        "coin", ["replay", lambda question: "you moron, write to me@example.org"], seed=1
    )
    assert set(game.said_by("machine")) == {""}
    assert game.void


def test_a_mask_goes_into_the_transcript_and_nothing_of_what_it_hides() -> None:
    game = imitation.play("coin", ["replay", lambda question: "look at www.example.org"], seed=1)
    assert set(game.said_by("machine")) == {"look at [link]"}
    assert "example" not in game.text()


def test_a_mask_makes_no_message_longer_than_messages_may_be() -> None:
    game = imitation.play(
        "coin", ["replay", lambda question: "@abc @abc @abc @abc"], seed=1, longest=60
    )
    assert all(len(one) <= 60 for one in game.said_by("machine"))
    short = imitation.play("coin", ["replay", lambda question: "@abc " * 12], seed=1, longest=60)
    assert all(len(one) <= 60 for one in short.said_by("machine"))
