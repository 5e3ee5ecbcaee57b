"""Questions to a language model beside playing: what it predicts, plans, explains, and the models that it writes.

A question is asked after what was said so far, and neither it nor its answer is remembered: so no question helps with
another, and to be asked teaches nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from mensura.agent.asks import Answer, Ask
from mensura.agent.spaces import Discrete, Space
from mensura.agents.language_model.accounts import Usage
from mensura.agents.language_model.conversation import Message
from mensura.agents.language_model.exchange import Seat
from mensura.agents.language_model.services.reply import (
    LateError,
    PerhapsTooLongError,
    Reply,
    TooLongError,
)
from mensura.agents.probe_schema import WHAT, answer_schema, whole

FUNCTION = "answer"
IN_WORDS = 'Answer with a JSON object and nothing else: {"answer": ...}.'
BY_CALL = f"Answer by calling the function {FUNCTION} once."


def asked(
    seat: Seat,
    ask: Ask,
    manner: str,
    complete: Callable[[list[Message], list[dict[str, Any]], float], Reply],
) -> tuple[Answer, Usage]:
    """The answer to a probe, with what it took; ``manner`` is how the model answers: tool, json or text."""
    space: Space = Discrete(2) if seat.task is None else seat.task.action_space
    tools = [] if manner == "text" else [function(ask.kind, ask.question, space)]
    usage = Usage()
    try:
        reply = complete(
            seat.conversation.messages(told(ask.kind, ask.question, manner)), tools, ask.deadline
        )
    except LateError as error:
        usage.request_seconds += error.seconds
        usage.retries += error.retries
        usage.requests_timed_out += 1
        late = f"no answer after {ask.deadline:g} s"
        return Answer(None, usage.request_seconds, ("late", late)), usage
    except (TooLongError, PerhapsTooLongError):
        return Answer(fault=("garbled", "the question is longer than the model's context")), usage
    usage.add(Usage.of(reply))
    try:
        return Answer(read(reply), usage.request_seconds), usage
    except ValueError as error:
        return Answer(None, usage.request_seconds, ("garbled", str(error))), usage


def told(kind: str, question: Mapping[str, Any], manner: str) -> str:
    """A question in words, with its data."""
    data = {name: value for name, value in question.items() if name != "text"}
    how = BY_CALL if manner == "tool" else IN_WORDS
    return f"{question['text']}\n\n{json.dumps(data, ensure_ascii=False)}\n\n{how} {WHAT[kind]}"


def function(kind: str, question: Mapping[str, Any], space: Space) -> dict[str, Any]:
    """The function that a model calls to answer a probe."""
    answer = {**answer_schema(kind, question, space), "description": WHAT[kind]}
    return {
        "type": "function",
        "function": {
            "name": FUNCTION,
            "description": "Answer the question.",
            "parameters": whole({"answer": answer}),
        },
    }


def read(reply: Reply) -> Any:
    """The answer in a reply; ValueError with a sentence where there is none."""
    text = reply.calls[0][1] if reply.calls else reply.text
    begin, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[begin : end + 1])
        return value["answer"]
    except (ValueError, RecursionError, LookupError, TypeError):
        shown = " ".join(text.split())[:80]
        raise ValueError(f"{shown!r} has no answer as a JSON object") from None
