"""What triggers of a task do, as short sentences: ``release beam``, ``put apple food 3 1``, ``drive 1 800 0``."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.pagi.contract import Event
from mensura.worlds.pagi.kinds import KINDS

if TYPE_CHECKING:
    from mensura.worlds.pagi.room import PagiRoom


class Deed(NamedTuple):
    """What can be done, and with what."""

    takes: tuple[str, ...]
    """object, kind, name, seat, number, or text (all the rest)."""
    do: Callable[..., None]


def _release(room: PagiRoom, name: str) -> None:
    item = room.find(name)
    if item is not None and item.locked:
        item.locked = False
        room.bodies.unlock(item)


def _lock(room: PagiRoom, name: str) -> None:
    item = room.find(name)
    if item is not None and not item.locked and item.pivot:
        item.locked = True
        room.bodies.lock(item)


def _remove(room: PagiRoom, name: str) -> None:
    item = room.find(name)
    if item is not None:
        room.remove(item)


def _put(room: PagiRoom, kind: str, name: str, x: float, y: float) -> None:
    if room.find(name) is None:
        room.put(kind, name, x=x, y=y)


def _switch(on: bool) -> Callable[..., None]:
    def do(room: PagiRoom, name: str) -> None:
        item = room.find(name)
        if item is not None:
            item.on = on

    return do


def _push(room: PagiRoom, name: str, x: float, y: float) -> None:
    room.push_item(name, x, y, 0.0)


def _throw(room: PagiRoom, name: str, x: float, y: float) -> None:
    item = room.find(name)
    if item is not None and not item.fixed and item.solid:
        room.bodies.of[item.number].velocity = (x, y)


def _drive(room: PagiRoom, seat: int, x: float, y: float) -> None:
    room.seats[seat].drive = (x, y)


def _feel(room: PagiRoom, seat: int, endorphins: float) -> None:
    room.feel(seat, endorphins, 0)


def _dumb(room: PagiRoom, seat: int) -> None:
    room.seats[seat].dumb = True


def _ask(room: PagiRoom, text: str) -> None:
    for seat in range(len(room.seats)):
        room.tell(seat, Event("SC", (text,)))
    room.spoken.append((-1, text))


DEEDS: dict[str, Deed] = {
    "release": Deed(("object",), _release),
    "lock": Deed(("object",), _lock),
    "remove": Deed(("object",), _remove),
    "put": Deed(("kind", "name", "number", "number"), _put),
    "start": Deed(("object",), _switch(True)),
    "stop": Deed(("object",), _switch(False)),
    "push": Deed(("object", "number", "number"), _push),
    "throw": Deed(("object", "number", "number"), _throw),
    "drive": Deed(("seat", "number", "number"), _drive),
    "feel": Deed(("seat", "number"), _feel),
    "dumb": Deed(("seat",), _dumb),
    "ask": Deed(("text",), _ask),
}


def _read(deed: str) -> tuple[Deed, list[str]]:
    verb, _, rest = deed.strip().partition(" ")
    known = DEEDS.get(verb)
    if known is None:
        raise MensuraError(f"{deed!r:.60} cannot be done; {neighbors(verb, list(DEEDS))}")
    values = [rest.strip()] if known.takes == ("text",) else rest.split()
    if len(values) != len(known.takes) or not all(values):
        raise MensuraError(f"{deed!r:.60} cannot be done; {verb} takes {', '.join(known.takes)}.")
    return known, values


def check_deed(deed: str, names: Collection[str], seats: int) -> None:
    """Raise with a sentence where it cannot be done."""
    known, values = _read(deed)
    for kind, value in zip(known.takes, values, strict=True):
        if kind == "object" and value not in names:
            raise MensuraError(f"{deed!r:.60} names no object; {neighbors(value, list(names))}")
        if kind == "kind" and value not in KINDS:
            raise MensuraError(
                f"{deed!r:.60} names no kind of object; {neighbors(value, list(KINDS))}"
            )
        if kind == "seat" and not (value.isdecimal() and 1 <= int(value) <= seats):
            raise MensuraError(
                f"{deed!r:.60} names no seat; it must be a number from 1 to {seats}."
            )
        if kind == "number":
            _number(deed, value)


def _number(deed: str, value: str) -> float:
    try:
        found = float(value)
    except ValueError:
        found = float("nan")
    if not abs(found) <= 1e6:
        raise MensuraError(
            f"{deed!r:.60} has {value!r:.30} for a number; it must be one from -1e6 to 1e6."
        )
    return found


def do_deed(room: PagiRoom, deed: str) -> None:
    """Do it."""
    known, values = _read(deed)
    given: list[str | float | int] = []
    for kind, value in zip(known.takes, values, strict=True):
        if kind == "number":
            given.append(_number(deed, value))
        else:
            given.append(int(value) - 1 if kind == "seat" else value)
    known.do(room, *given)
