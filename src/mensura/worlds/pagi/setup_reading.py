"""A task read from plain data, as a file holds it: whatever is wrong is said in a sentence, with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.core.expressions.language import ExpressionError
from mensura.core.yaml_text import Misfit, Where
from mensura.worlds.pagi import criteria
from mensura.worlds.pagi.actions import check_deed
from mensura.worlds.pagi.anatomy import GRAVITY
from mensura.worlds.pagi.items import make_item
from mensura.worlds.pagi.kinds import KINDS
from mensura.worlds.pagi.protocol.controls import check_beginning
from mensura.worlds.pagi.protocol.values import WrongCommand
from mensura.worlds.pagi.seat_state import Forces
from mensura.worlds.pagi.setup import FIELDS, USUAL, Setup, Trigger, discs
from mensura.worlds.pagi.water import MOST as MOST_WATER
from mensura.worlds.pagi.water import RADIUS as WATER_RADIUS

MOST_BODIES = 10
MOST_OBJECTS = 200
MOST_HORIZON = 100_000
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")
_WORD = re.compile(r"[a-z][a-z-]{0,30}")


def from_plain(data: Any) -> Setup:
    """The task of plain data, as a file holds it; a Misfit says what is wrong, and where."""
    if not isinstance(data, Mapping):
        raise Misfit((), "A task is a mapping with names and values.")
    for name in data:
        if name not in FIELDS:
            raise Misfit(
                (name,), f"A task has no {name!r:.60}; {neighbors(str(name), list(FIELDS))}"
            )
    given: dict[str, Any] = {}
    for name in ("name", "instructions", "solved", "failed", "reward", "family"):
        if name in data:
            given[name] = _text(data[name], (name,))
    given.setdefault("name", "task")
    given["horizon"] = _whole(data.get("horizon", USUAL.horizon), ("horizon",), 1, MOST_HORIZON)
    for name in ("grade", "causal_steps"):
        given[name] = _whole(data.get(name, getattr(USUAL, name)), (name,), 0, 10_000)
    given["gravity"] = _number(data.get("gravity", GRAVITY), ("gravity",), 0.0, 100.0)
    given["solved_for"] = _number(data.get("solved_for", 0.0), ("solved_for",), 0.0, 1000.0)
    given["forces"] = _forces(data.get("forces", {}))
    given["bodies"] = tuple(
        (_number(_item(one, ("bodies", k), 2)[0], ("bodies", k)), _number(one[1], ("bodies", k)))
        for k, one in enumerate(
            _list(data.get("bodies", [[0.0, 1.14]]), ("bodies",), MOST_BODIES, least=1)
        )
    )
    given["words"] = tuple(
        _word(one, ("words", k))
        for k, one in enumerate(_list(data.get("words", []), ("words",), 50))
    )
    if len(set(given["words"])) < len(given["words"]):
        raise Misfit(("words",), "A word is there twice.")
    given["objects"] = _objects(_list(data.get("objects", []), ("objects",), MOST_OBJECTS))
    given["water"] = tuple(
        _box(one, ("water", k))
        for k, one in enumerate(_list(data.get("water", []), ("water",), 20))
    )
    if sum(len(discs(*one)) for one in given["water"]) > MOST_WATER:
        raise Misfit(
            ("water",), f"There is more water than {MOST_WATER} discs of radius {WATER_RADIUS:g}."
        )
    given["ropes"] = _ropes(_list(data.get("ropes", []), ("ropes",), 50), given["objects"])
    given["triggers"] = tuple(
        _trigger(one, ("triggers", k))
        for k, one in enumerate(_list(data.get("triggers", []), ("triggers",), 100))
    )
    given["reflexes"] = tuple(
        _reflex(one, ("reflexes", k))
        for k, one in enumerate(_list(data.get("reflexes", []), ("reflexes",), 100))
    )
    setup = Setup(**given)
    _check_expressions(setup)
    return setup


def _check_expressions(setup: Setup) -> None:
    """Raise where an expression is none, or something is to happen that cannot."""
    seats = len(setup.bodies)
    names = [one["name"] for one in setup.objects]
    names += [f"{one['name']}Half" for one in setup.objects if one["kind"] == "largeMedkit"]
    for trigger in setup.triggers:
        for deed in trigger.do:
            words = deed.split()
            if words[:1] == ["put"] and len(words) > 2:
                names.append(words[2])

    def check(source: str, kind: Any, where: Where) -> None:
        try:
            criteria.check(source, kind, names, seats, setup.words)
        except ExpressionError as error:
            misfit = Misfit(where, str(error))
            misfit.line = error.place.line
            raise misfit from None

    check(setup.solved, "boolean", ("solved",))
    check(setup.failed, "boolean", ("failed",))
    check(setup.reward, "number", ("reward",))
    for k, trigger in enumerate(setup.triggers):
        check(trigger.when, "boolean", ("triggers", k, "when"))
        for deed in trigger.do:
            try:
                check_deed(deed, names, seats)
            except MensuraError as error:
                raise Misfit(("triggers", k, "do"), str(error)) from None


def _objects(values: Sequence[Any]) -> tuple[Mapping[str, Any], ...]:
    found: list[Mapping[str, Any]] = []
    taken: set[str] = set()
    for k, one in enumerate(values):
        where: Where = ("objects", k)
        if not isinstance(one, Mapping) or not isinstance(one.get("kind"), str):
            raise Misfit(where, "An object is a mapping with a kind, as {kind: apple, x: 3, y: 1}.")
        name = one.get("name", one["kind"])
        if (
            not isinstance(name, str)
            or not _NAME.fullmatch(name)
            or name in ("time", "eaten", "solved", "felt")
        ):
            raise Misfit(
                where,
                f"The name of an object is {name!r:.60}; it must be letters and digits, a letter first.",
            )
        if name in taken or re.fullmatch("body[0-9]*", name):
            raise Misfit(
                where,
                f"The name {name!r} is there twice, or a body's; give each object a name of its own.",
            )
        taken.add(name)
        values_of = {
            n: _drawable(v, (*where, n)) for n, v in one.items() if n not in ("kind", "name")
        }
        trial = {
            n: v["from"] if isinstance(v, Mapping) else v
            for n, v in values_of.items()
            if n != "degrees"
        }
        degrees = values_of.get("degrees", 0.0)
        if not isinstance(degrees, Mapping):
            _number(degrees, (*where, "degrees"))
        try:
            make_item(one["kind"], name, **trial)
        except MensuraError as error:
            raise Misfit(where, str(error)) from None
        found.append({"kind": one["kind"], "name": name, **values_of})
    return tuple(found)


def _drawable(value: Any, where: Where) -> Any:
    """A value, or a range of numbers."""
    if not isinstance(value, Mapping):
        return value
    if set(value) != {"from", "to"}:
        raise Misfit(where, "A range has two numbers, as {from: -3, to: 3}.")
    low, high = (_number(value[name], (*where, name)) for name in ("from", "to"))
    if low > high:
        raise Misfit(where, f"The range from {low:g} to {high:g} is empty.")
    return {"from": low, "to": high}


def _ropes(
    values: Sequence[Any], objects: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], ...]:
    names = [one["name"] for one in objects]
    loose = {one["name"] for one in objects if _is_loose(one)}
    found: list[Mapping[str, Any]] = []
    for k, one in enumerate(values):
        rope = _rope(one, ("ropes", k), names)
        where: Where = ("ropes", k, "ties")
        if not loose & {*rope["ties"]}:
            raise Misfit(where, "A rope ties at least one object that can move.")
        if any({*rope["ties"]} == {*other["ties"]} for other in found):
            raise Misfit(where, "Two objects are tied by one rope at most.")
        found.append(rope)
    return tuple(found)


def _is_loose(one: Mapping[str, Any]) -> bool:
    """Whether an object can move."""
    kind = KINDS[one["kind"]]
    return bool(one.get("solid", kind.solid)) and not one.get("fixed", kind.fixed)


def _rope(one: Any, where: Where, names: list[str]) -> Mapping[str, Any]:
    if not isinstance(one, Mapping) or not {"ties", "length"} <= set(one) <= {
        "ties",
        "length",
        "stiff",
    }:
        raise Misfit(
            where,
            "A rope is a mapping, as {ties: [apple, hook], length: 3}; stiff: true makes it a wire.",
        )
    ties = _item(one["ties"], (*where, "ties"), 2)
    for name in ties:
        if name not in names:
            raise Misfit(
                (*where, "ties"), f"There is no object {name!r:.60}; {neighbors(str(name), names)}"
            )
    if ties[0] == ties[1]:
        raise Misfit((*where, "ties"), "A rope ties two different objects.")
    stiff = one.get("stiff", False)
    if not isinstance(stiff, bool):
        raise Misfit((*where, "stiff"), f"stiff is {stiff!r:.60}; it must be true or false.")
    return {
        "ties": list(ties),
        "length": _number(one["length"], (*where, "length"), 0.1, 1000.0),
        "stiff": stiff,
    }


def _trigger(one: Any, where: Where) -> Trigger:
    if not isinstance(one, Mapping) or not {"when", "do"} <= set(one) <= {"when", "do", "once"}:
        raise Misfit(where, "A trigger is a mapping, as {when: switch.on, do: [release beam]}.")
    deeds = [one["do"]] if isinstance(one["do"], str) else one["do"]
    once = one.get("once", True)
    if not isinstance(once, bool):
        raise Misfit((*where, "once"), f"once is {once!r:.60}; it must be true or false.")
    do = tuple(_text(deed, (*where, "do")) for deed in _list(deeds, (*where, "do"), 50))
    return Trigger(_text(one["when"], (*where, "when")), do, once)


def _reflex(one: Any, where: Where) -> str:
    text = _text(one, where)
    try:
        check_beginning(text)
    except WrongCommand as error:
        raise Misfit(where, f"{text!r:.60} is no reflex or state to begin with: {error}") from None
    return text


def _forces(given: Any) -> Forces:
    if not isinstance(given, Mapping):
        raise Misfit(
            ("forces",), "Forces are a mapping, as {body: 1000, lift: 400, hand: 200, turn: 30}."
        )
    for name in given:
        if name not in Forces._fields:
            raise Misfit(
                ("forces", name),
                f"There is no force {name!r:.60}; {neighbors(str(name), [*Forces._fields])}",
            )
    return Forces(
        **{name: _number(value, ("forces", name), 0.0, 1e6) for name, value in given.items()}
    )


def _box(one: Any, where: Where) -> tuple[float, float, float, float]:
    x, y, width, height = (_number(value, where) for value in _item(one, where, 4))
    if not (0 < width <= 200 and 0 < height <= 200):
        raise Misfit(where, "A box of water is its middle, width and height, as [10, 2, 4, 3].")
    return x, y, width, height


def _text(value: Any, where: Where) -> str:
    if not isinstance(value, str):
        value = str(value).lower() if isinstance(value, bool) else value
        value = f"{value:g}" if isinstance(value, (int, float)) else value
    if not isinstance(value, str) or len(value) > 5000:
        raise Misfit(
            where, f"{where[-1]} is {value!r:.60}; it must be a text of at most 5000 characters."
        )
    return value


def _word(value: Any, where: Where) -> str:
    if not isinstance(value, str) or not _WORD.fullmatch(value):
        raise Misfit(
            where,
            f"A word that can be said is {value!r:.60}; it must be small letters and hyphens.",
        )
    return value


def _whole(value: Any, where: Where, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise Misfit(
            where,
            f"{where[-1]} is {value!r:.60}; it must be a whole number from {least} to {most}.",
        )
    return value


def _number(value: Any, where: Where, low: float = -1e6, high: float = 1e6) -> float:
    usable = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not usable or not low <= value <= high:  # nan is neither
        raise Misfit(
            where, f"{where[-1]} is {value!r:.60}; it must be a number from {low:g} to {high:g}."
        )
    return float(value)


def _list(value: Any, where: Where, most: int, least: int = 0) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)) or not least <= len(value) <= most:
        raise Misfit(where, f"{where[0]} must be a list of {least} to {most}.")
    return value


def _item(value: Any, where: Where, length: int) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)) or len(value) != length:
        raise Misfit(where, f"{where[0]} has {value!r:.60}; it must be a list of {length}.")
    return value


@lru_cache(maxsize=64)
def from_canonical(text: str) -> Setup:
    """The task of :attr:`Setup.canonical`."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MensuraError(f"The task is not JSON: {error}.") from None
    return from_plain(data)
