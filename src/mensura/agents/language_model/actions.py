"""Actions as a model answers them: by a call of one function, in one line of text, or as an object; read strictly.

In words an action is one line ``ACTION: value``, the only one of its kind, or the value is the whole answer. An object
has the value as ``action``, as the arguments of a call have. The value is JSON: a whole number, a number, a list of
numbers, a text in double quotes, or an object or a list of these, as the action space is. Nothing is guessed: what is
not an action in this form is none.

A model that keeps notes may rewrite them with an action: as ``notes`` beside ``action``, or in words after ``NOTES:``
and before the line with the action. One that may hold an action says for how many interactions: as ``hold`` beside
``action``, or in words in one line ``HOLD: number``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text, from_plain
from mensura.agents.language_model.holding import LONGEST_HOLD
from mensura.agents.language_model.text import space_in_words
from mensura.core.observation_words import number

FUNCTION = "act"

_LINE = re.compile(r"^[ \t>*`]*ACTION[ \t]*:[ \t]*(.*?)[ \t*`]*$", re.IGNORECASE | re.MULTILINE)
_NOTES = re.compile(r"^[ \t>*`]*NOTES[ \t]*:[ \t*`]*", re.IGNORECASE | re.MULTILINE)
_HOLD = re.compile(r"^[ \t>*`]*HOLD[ \t]*:[ \t]*(.*?)[ \t*`]*$", re.IGNORECASE | re.MULTILINE)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_SHOWN = 120


class NoActionError(Exception):
    """An answer that holds no action, and why, in a sentence for whoever gave it."""

    def __init__(self, kind: Literal["garbled", "illegal"], sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.sentence = sentence


def function(space: Space, *, notes: bool = False, hold: bool = False) -> dict[str, Any]:
    """The function that a model calls to act, as the chat-completions API describes functions."""
    properties = {"action": schema(space)}
    if hold:
        properties["hold"] = {
            "type": "integer",
            "minimum": 1,
            "maximum": LONGEST_HOLD,
            "description": "For how many interactions to take the action; 1 if left out.",
        }
    if notes:
        properties["notes"] = {"type": "string", "description": "Your notes, if they change."}
    return {
        "type": "function",
        "function": {
            "name": FUNCTION,
            "description": "Take an action in the environment.",
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": ["action"],
                "additionalProperties": False,
            },
        },
    }


def schema(space: Space) -> dict[str, Any]:
    """The JSON schema of an action."""
    if isinstance(space, Discrete):
        return {
            "type": "integer",
            "minimum": space.start,
            "maximum": space.start + space.n - 1,
            "description": space_in_words(space),
        }
    if isinstance(space, Box):
        inner: dict[str, Any] = {"type": "integer" if space.dtype == "uint8" else "number"}
        inner |= {"minimum": space.low} if math.isfinite(space.low) else {}
        inner |= {"maximum": space.high} if math.isfinite(space.high) else {}
        for length in reversed(space.shape):
            inner = {"type": "array", "items": inner, "minItems": length, "maxItems": length}
        return {**inner, "description": space_in_words(space)}
    if isinstance(space, Text):
        text = {"type": "string", "maxLength": space.longest, "description": space_in_words(space)}
        if space.characters is None:
            return text
        listed = re.sub(r"([\\\]^-])", r"\\\1", space.characters)
        return {**text, "pattern": f"^[{listed}]*$"}
    if isinstance(space, Several):
        return {
            "type": "array",
            "items": schema(space.space),
            "maxItems": space.most,
            "description": space_in_words(space),
        }
    return {
        "type": "object",
        "properties": {name: schema(one) for name, one in space.fields},
        "required": [name for name, _ in space.fields],
        "additionalProperties": False,
    }


def example(space: Space) -> str:
    """What an action looks like, without recommending one."""
    if isinstance(space, Discrete):
        return "N"
    if isinstance(space, Box):
        text = "X"
        for length in reversed(space.shape):
            text = f"[{', '.join([text] * min(length, 3))}{', ...' if length > 3 else ''}]"
        return text
    if isinstance(space, Text):
        return '"..."'
    if isinstance(space, Several):
        return f"[{example(space.space)}, ...]"
    return (
        "{" + ", ".join(f"{json.dumps(name)}: {example(one)}" for name, one in space.fields) + "}"
    )


def response_format(function: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function as the form of a whole answer, as the API describes forms."""
    named = function["function"]
    # A strict schema has no optional fields: notes that stay as they are, and a hold that is none, are null.
    parameters = {**named["parameters"], "required": list(named["parameters"]["properties"])}
    for name in ("notes", "hold"):
        if name in parameters["properties"]:
            field = parameters["properties"][name]
            field = {**field, "type": [field["type"], "null"]}
            parameters["properties"] = {**parameters["properties"], name: field}
    schema = {"name": named["name"], "schema": parameters, "strict": True}
    return {"type": "json_schema", "json_schema": schema}


def from_call(space: Space, arguments: str, *, notes: bool = False, hold: bool = False) -> Any:
    """The action in the arguments of a call, or in an object that is an answer.

    There may be ``notes`` and a ``hold`` beside it.
    """
    value = _json(arguments, "The object")
    optional = [name for name, may_be in (("hold", hold), ("notes", notes)) if may_be]
    if not isinstance(value, dict) or "action" not in value or set(value) - {"action", *optional}:
        if optional and isinstance(value, dict) and "action" in value:
            fields = " and ".join(f'"{name}"' for name in ("action", *optional))
            raise NoActionError("garbled", f"The object may have the fields {fields} and no other.")
        raise NoActionError("garbled", 'The object needs one field called "action" and no other.')
    if not isinstance(value.get("notes"), str | None):
        raise NoActionError("garbled", "The notes are not a text.")
    _interactions(value.get("hold"))
    return checked(space, value["action"])


def from_text(space: Space, text: str, *, notes: bool = False, hold: bool = False) -> Any:
    """The action in an answer in words. What a model thought aloud in <think> before it does not count."""
    said = _THOUGHT.sub("", text).strip()
    lines = _LINE.findall(said)
    if notes:
        _check_notes(said)
    if hold:
        hold_in_text(said)
    if len(lines) > 1:
        raise NoActionError(
            "garbled", f"The answer has {len(lines)} lines with an action; one is right."
        )
    if lines:
        quoted = " A text is written in double quotes." if isinstance(space, Text) else ""
        return checked(space, _json(lines[0], "What follows ACTION:", quoted))
    if not said:
        raise NoActionError("garbled", "The answer is empty.")
    try:
        value = _json(said, "The answer")
    except NoActionError:
        raise NoActionError("garbled", "The answer has no line that begins with ACTION:.") from None
    return checked(space, value)


def probabilities(
    space: Space, tokens: Sequence[tuple[str, Sequence[tuple[str, float]]]], action: Any
) -> dict[int, float]:
    """What an answer in words gives to each action of a numbered space, by the tokens in the place of its number.

    Shares of what such tokens have together; empty where none can be told.
    """
    if not isinstance(space, Discrete):
        return {}
    begins = any("ACTION" in token for token, _ in tokens)
    said = ""
    for token, likeliest in tokens:
        if token.strip() == str(action) and (not begins or "ACTION" in said):
            found: dict[int, float] = {}
            for one, logarithm in likeliest:
                if one.strip().isdecimal() and space.contains(int(one)):
                    found[int(one)] = found.get(int(one), 0.0) + math.exp(min(logarithm, 0.0))
            total = sum(found.values())
            return {number: share / total for number, share in found.items()} if total else {}
        said += token
    return {}


def hold_in_object(said: str) -> int:
    """For how many interactions an object that is an answer holds its action."""
    value = _json(said, "The object")
    return _interactions(value.get("hold") if isinstance(value, dict) else None)


def hold_in_text(said: str) -> int:
    """For how many interactions an answer in words holds its action."""
    found = _HOLD.findall(_THOUGHT.sub("", said))
    if len(found) > 1:
        raise NoActionError(
            "garbled", f"The answer has {len(found)} lines that begin with HOLD:; one is right."
        )
    return _interactions(_json(found[0], "What follows HOLD:") if found else None)


def _interactions(value: Any) -> int:
    """For how many interactions an action is held; for one where nothing is said."""
    if value is None:
        return 1
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LONGEST_HOLD:
        raise NoActionError(
            "garbled",
            f"{_shown(value)} is no hold. It must be a whole number from 1 to {LONGEST_HOLD}.",
        )
    return value


def _check_notes(said: str) -> None:
    """Raise if it is not plain which part of an answer in words is notes."""
    found, action = list(_NOTES.finditer(said)), _LINE.search(said)
    if len(found) > 1:
        raise NoActionError(
            "garbled", f"The answer has {len(found)} lines that begin with NOTES:; one is right."
        )
    if found and action is not None and action.start() < found[0].start():
        raise NoActionError("garbled", "NOTES: comes before the line with the action.")


def notes_in_object(said: str) -> tuple[str, str | None]:
    """An object that is an answer without the notes in it, and the notes; None where there are none."""
    try:
        value = _json(said, "The object")
    except NoActionError:
        return said, None
    if not isinstance(value, dict) or not isinstance(value.get("notes"), str):
        return said, None
    notes = value.pop("notes")
    return json.dumps(value), notes


def notes_in_text(said: str) -> tuple[str, str | None]:
    """An answer in words without the notes in it, and the notes; None where there are none."""
    thought = _THOUGHT.match(said)
    begun = _NOTES.search(said, thought.end() if thought else 0)
    if begun is None:
        return said, None
    action = _LINE.search(said, begun.end())
    if action is None:
        return said, None
    return said[: begun.start()] + said[action.start() :], said[
        begun.end() : action.start()
    ].strip()


def checked(space: Space, value: Any) -> Any:
    """The value as an action of the space."""
    wanted = f"It must be {space_in_words(space)}."
    if isinstance(space, Discrete):
        if isinstance(value, bool) or not isinstance(value, int):
            raise NoActionError("garbled", f"{_shown(value)} is not a whole number. {wanted}")
        if not space.contains(value):
            raise NoActionError("illegal", f"{_shown(value)} is out of range. {wanted}")
        return value
    if isinstance(space, Record):
        names = [name for name, _ in space.fields]
        if not isinstance(value, dict) or set(value) != set(names):
            raise NoActionError("garbled", f"{_shown(value)} has not the right fields. {wanted}")
        return from_plain(space, {name: checked(one, value[name]) for name, one in space.fields})
    if isinstance(space, Text):
        if not isinstance(value, str):
            raise NoActionError("garbled", f"{_shown(value)} is not a text. {wanted}")
        if len(value) > space.longest:
            raise NoActionError("illegal", f"The text has {len(value)} characters. {wanted}")
        if not space.contains(value):
            raise NoActionError(
                "illegal",
                f"{_shown(json.dumps(value))} has characters that are not allowed. {wanted}",
            )
        return value
    if isinstance(space, Several):
        if not isinstance(value, list):
            raise NoActionError("garbled", f"{_shown(value)} is not a list. {wanted}")
        if len(value) > space.most:
            raise NoActionError("illegal", f"The list has {len(value)} items. {wanted}")
        return [checked(space.space, one) for one in value]
    if not _numbers(value, space.shape):
        raise NoActionError("garbled", f"{_shown(value)} has not the right form. {wanted}")
    try:
        array = space.array(value)
    except (ValueError, OverflowError):
        raise NoActionError("illegal", f"{_shown(value)} is out of range. {wanted}") from None
    if not space.contains(array):
        raise NoActionError("illegal", f"{_shown(value)} is out of range. {wanted}")
    return array


def written(value: Any) -> str:
    """An action as JSON, as the model would have written it."""
    return json.dumps(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return float(number(value)) if isinstance(value, float) else value


def _numbers(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether a value is a number, or lists of this shape of numbers."""
    if not shape:
        return not isinstance(value, bool) and isinstance(value, int | float) and abs(value) < 1e300
    return (
        isinstance(value, list)
        and len(value) == shape[0]
        and all(_numbers(item, shape[1:]) for item in value)
    )


def _json(text: str, what: str, hint: str = "") -> Any:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        return json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        raise NoActionError(
            "garbled", f"{what} {_shown(text)} cannot be read as JSON.{hint}"
        ) from None


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    text = " ".join(text.split())
    return f"{text[:_SHOWN]}..." if len(text) > _SHOWN else text
