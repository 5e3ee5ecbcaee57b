"""The JSON generation: a command is an object with a ``messageType``, and may come in several lines.

An action inside a reflex may end in a newline, so a newline ends a message only after its last brace. What cannot
become a message is given up where the next one may begin: at a newline inside a string, and at one after a brace that
neither a comma nor a bracket follows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from mensura.worlds.pagi.protocol.commands import Command, checked
from mensura.worlds.pagi.protocol.limits import LONGEST, MOST_ACTIONS
from mensura.worlds.pagi.protocol.sensors import EFFECTORS, Push
from mensura.worlds.pagi.protocol.values import Value, WrongCommand, expression, number

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\[^\n])*("|\\?\n|\\?\Z)|[{}]|\n')
_AFTER = re.compile(r"\s*(\S)?")
_JSON_VERBS = {"getStates": "getActiveStates", "getReflexes": "getActiveReflexes"}


def cut(text: str) -> tuple[list[str], str]:
    """The messages that a text holds, each whole or given up, and what is left of one that has not come to its end."""
    messages: list[str] = []
    start = 0
    while True:
        while start < len(text) and text[start].isspace():
            start += 1
        if start == len(text):
            return messages, ""
        end = _end(text, start)
        if end is None:
            return messages, text[start:]
        messages.append(text[start:end].strip())
        start = end


def _end(text: str, start: int) -> int | None:
    """Where the message ends that begins here; None where it has not ended yet."""
    if text[start] != "{":
        line = text.find("\n", start)
        return len(text) if line < 0 else line + 1
    depth, closed = 0, False
    for token in _TOKEN.finditer(text, start):
        sign = token[0]
        if sign == "{":
            depth, closed = depth + 1, False
        elif sign == "}":
            depth, closed = depth - 1, True
            if depth == 0:
                return token.end()
        elif sign == "\n":
            follows = _AFTER.match(text, token.end())
            if closed and follows and follows[1] and follows[1] not in ",]}":
                return token.end()
        elif token[1].endswith("\n"):
            return token.end()
        else:
            closed = False
    return None if len(text) - start <= LONGEST else len(text)


def read(text: str) -> Command:
    """The command of a message; WrongCommand where it is none."""
    if len(text) > LONGEST:
        raise WrongCommand(f"a message has at most {LONGEST} characters.")
    try:
        data = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise WrongCommand(f"{text!r:.60} is no JSON that can be read.") from None
    return _command(data)


def verb_of(text: str) -> str:
    """The type of a message that is none, for the sentence about it; nothing where it cannot be found."""
    match = re.search(r'"messageType"\s*:\s*"([A-Za-z]{1,40})"', text)
    return match[1] if match else ""


def _no_number(name: str) -> float:
    raise ValueError(name)


def _command(data: Any, inside: bool = False) -> Command:
    if not isinstance(data, Mapping):
        raise WrongCommand("a message must be an object with a messageType.")
    verb = _field(data, "messageType", str, None)
    verb = _JSON_VERBS.get(verb, verb)
    name: str = _field(data, "stringContent", str, "")
    amount = float(_field(data, "floatContent", (int, float), 0.0))
    others = _list(data, "otherStrings", str)
    vector = _field(data, "vectorContent", Mapping, {})
    x, y = (float(_field(vector, axis, (int, float), 0.0)) for axis in "xy")
    first = others[0] if others else ""
    match verb:
        case "addForce":
            return checked(Command(verb, name, _forces(name, x, y, others)))
        case "setState":
            return checked(Command(verb, name, (amount,)))
        case "findObj":
            return checked(Command(verb, name, texts=(first,)))
        case "say":
            return checked(Command(verb, values=(amount, x, y), texts=(first, name)))
        case "print":
            return checked(Command(verb, texts=(name,)))
        case "dropItem":
            return checked(Command(verb, name, (x, y), (first,)))
        case "addForceToItem":
            return checked(Command(verb, name, (x, y, amount)))
        case "createItem":
            return checked(_item(name, x, y, amount, first))
        case "setReflex":
            if inside:
                raise WrongCommand("a reflex cannot set reflexes.")
            return checked(_reflex(name, others, data))
        case "getActiveStates" | "getActiveReflexes" | "establishConnection" | "removeConnection":
            return Command(verb)
    return checked(Command(verb, name))


def _field(data: Mapping[str, Any], name: str, kind: Any, usual: Any) -> Any:
    value = data.get(name, usual)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise WrongCommand(f"{name} is {value!r:.60}; it must be of another type.")
    if isinstance(value, int) and abs(value) > 10**300:
        raise WrongCommand(f"{name} is too large for a number.")
    return value


def _list(data: Mapping[str, Any], name: str, kind: Any) -> Sequence[Any]:
    found: Sequence[Any] = _field(data, name, list, [])
    if not all(isinstance(one, kind) for one in found):
        raise WrongCommand(f"{name} is {found!r:.60}; all of it must be of another type.")
    return found


def _forces(code: str, x: float, y: float, others: Sequence[str]) -> tuple[Value, ...]:
    """Plain forces from the vector, or expressions in their place where they are given."""
    written = [one.strip().removeprefix("[").removesuffix("]") for one in others[:2]]
    along = [expression(one) if one else plain for one, plain in zip(written, (x, y), strict=False)]
    plain: list[Value] = [*along, *(x, y)[len(along) :]]
    effector = EFFECTORS.get(code)
    if isinstance(effector, Push) and effector.axes == "xy":
        return tuple(plain)
    upright = isinstance(effector, Push) and effector.axes == "y"
    if len(written) == 1 and written[0]:
        return (along[0],)
    return (plain[1 if upright else 0],)


def _item(image: str, x: float, y: float, mass: float, rest: str) -> Command:
    """createItem; the rest is ``name,material,radians,endorphins,k``."""
    name, *numbers = rest.split(",")
    if len(numbers) != 4:
        raise WrongCommand(
            "otherStrings needs name; material; radians; endorphins; kind in one string with commas."
        )
    values = [number(one, "A number of createItem") for one in numbers]
    return Command("createItem", name.strip(), (x, y, mass, *values), (image,))


def _reflex(name: str, conditions: Sequence[str], data: Mapping[str, Any]) -> Command:
    actions = _list(data, "messages", Mapping)
    if len(actions) > MOST_ACTIONS:
        raise WrongCommand(f"it has {len(actions)} actions; at most {MOST_ACTIONS} are allowed.")
    each = tuple(one for joined in conditions for one in joined.split(";") if one.strip())
    return Command(
        "setReflex", name, texts=each, actions=tuple(_command(one, True) for one in actions)
    )
