"""Conversations keep within their budget, never lose instructions, and stay well formed."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mensura.agents.language_model.conversation import Conversation, Said, characters

TEXTS = st.text("abc ", max_size=300)
SAID = st.builds(Said, TEXTS, st.none() | st.just('{"action": 1}'))
TURNS = st.lists(st.tuples(TEXTS, SAID), max_size=40)


@given(TURNS, TEXTS, st.integers(200, 2000), st.floats(0.5, 8))
def test_a_request_is_within_the_budget_unless_nothing_can_be_left_out(
    turns: list[tuple[str, Said]], told: str, budget: int, ratio: float
) -> None:
    conversation = Conversation(budget, "the instructions", characters_per_token=ratio)
    for text, said in turns:
        conversation.messages(text)
        conversation.add(text, said)
    messages = conversation.messages(told)
    assert messages[0] == {"role": "system", "content": "the instructions"}
    assert messages[-1]["content"].endswith(told)
    fits = conversation.estimate(messages) <= budget
    # The note on what is missing is not counted beforehand.
    assert fits or not conversation.turns or conversation.estimate(messages) <= budget + 60 / ratio
    assert conversation.dropped + len(conversation.turns) == len(turns)
    assert conversation.turns == turns[len(turns) - len(conversation.turns) :]


@given(TURNS, TEXTS)
def test_messages_alternate_and_results_follow_their_calls(
    turns: list[tuple[str, Said]], told: str
) -> None:
    conversation = Conversation(500, "x")
    for text, said in turns:
        conversation.messages(text)
        conversation.add(text, said)
    messages = conversation.messages(told)[1:]
    assert [m["role"] == "assistant" for m in messages] == [
        i % 2 == 1 for i in range(len(messages))
    ]
    for before, message in pairwise(messages):
        if message["role"] == "tool":
            (call,) = before["tool_calls"]
            assert message["tool_call_id"] == call["id"]
        elif message["role"] == "user":
            assert "tool_calls" not in before
    assert messages[0]["role"] == "user"


def test_turns_are_left_out_down_to_half_of_the_budget_so_that_beginnings_last() -> None:
    conversation = Conversation(1000, "x" * 100, characters_per_token=1.0)
    beginnings = []
    for number in range(60):
        messages = conversation.messages("y" * 40)
        beginnings.append((conversation.dropped, messages[1]["content"]))
        conversation.add("y" * 40, Said("z" * 8))
        assert number < 5 or conversation.dropped or characters(messages) <= 1000
    assert conversation.dropped > 20
    assert len({dropped for dropped, _ in beginnings}) < 10
    note = conversation.messages("?")[1]["content"].splitlines()[0]
    assert note == f"({conversation.dropped} earlier turns are left out.)"


def test_lengths_are_estimated_from_what_the_service_counted() -> None:
    conversation = Conversation(1000, "x" * 588)
    messages = conversation.messages("y" * 88)
    assert conversation.estimate(messages) == characters(messages) / 3
    conversation.counted(messages, 350)
    assert conversation.estimate(messages) == 350


def test_a_conversation_that_is_too_long_for_the_service_is_halved() -> None:
    conversation = Conversation(10_000, "x")
    for number in range(8):
        conversation.add(str(number), Said("a"))
    assert conversation.halve()
    assert [text for text, _ in conversation.turns] == ["4", "5", "6", "7"]
    for _ in range(3):
        assert conversation.halve()
    assert not conversation.halve()


def test_a_window_holds_the_last_turns_and_says_how_many_are_missing() -> None:
    conversation = Conversation(10_000, "x", most=2)
    for number in range(5):
        conversation.messages(str(number))
        conversation.add(str(number), Said("a"))
    contents = [message["content"] for message in conversation.messages("5")]
    assert contents == ["x", "(3 earlier turns are left out.)\n\n3", "a", "4", "a", "5"]


def test_notes_stand_before_what_is_told_and_count() -> None:
    conversation = Conversation(10_000, "x", notes="Your notes:\nn")
    conversation.add("1", Said("a"))
    messages = conversation.messages("2")
    assert [one["content"] for one in messages] == ["x", "1", "a", "Your notes:\nn\n\n2"]
