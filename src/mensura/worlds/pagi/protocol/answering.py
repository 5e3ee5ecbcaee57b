"""What commands other than those about states and reflexes do in the room, and what is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from mensura.worlds.pagi.contract import Field, Room
from mensura.worlds.pagi.protocol.commands import FIELDS_SEARCHED, SILENT, Command
from mensura.worlds.pagi.protocol.sensors import (
    EFFECTORS,
    FIELDS,
    PAIRS,
    Grip,
    NamesCode,
    Push,
    SightCode,
    TouchCode,
    sensor,
)
from mensura.worlds.pagi.protocol.telling import plain
from mensura.worlds.pagi.protocol.values import WrongCommand, now

NOT_FOUND = "ERR:Item_Name_Not_Found"


class Tell(Protocol):
    """How an answer is given: its fields, and what the JSON generation has in their place."""

    def __call__(
        self, *fields: str, kind: str = "update", data: Mapping[str, Any] | None = None
    ) -> None: ...


class Answering:
    """The commands of a seat that only the room is needed for."""

    def __init__(self, seat: int, names: bool, tell: Tell) -> None:
        self._seat = seat
        self._names = names
        """Whether it may read what things are called."""
        self._tell = tell
        self._verbs: dict[str, Callable[[Command, Room], None]] = {
            "sensorRequest": self._sense,
            "findObj": self._find,
            "addForce": self._force,
            "say": self._say,
            "print": self._print,
            "dropItem": self._drop,
            "createItem": self._create,
            "destroyItem": self._destroy,
            "addForceToItem": self._push_item,
            "getInfoAboutItem": self._item,
            "loadTask": self._load,
        }

    def answer(self, command: Command, room: Room) -> None:
        """Carry out a command and answer it; WrongCommand where that cannot be."""
        if command.verb not in SILENT:
            self._verbs[command.verb](command, room)

    # Senses ---------------------------------------------------------------------

    def _sense(self, command: Command, room: Room) -> None:
        code, found = command.name, sensor(command.name)
        if isinstance(found, TouchCode):
            self._touch(code, found, room)
        elif isinstance(found, SightCode):
            self._look(code, found, room)
        elif isinstance(found, NamesCode):
            self._check_names()
            names = [_field(name) for name in room.names(self._seat, found.field)]
            content = "".join([f"{name}," for name in names])
            self._tell(code, *names, data={"type": code, "content": content})
        elif code == "A":
            angle = room.rotation(self._seat)
            self._tell(code, plain(angle), data={"type": code, "x": angle, "y": 0.0})
        else:
            x, y = PAIRS[code](room, self._seat)
            self._tell(code, plain(x), plain(y), data={"type": code, "x": x, "y": y})

    def _touch(self, code: str, at: TouchCode, room: Room) -> None:
        touch = room.touch(self._seat, at.part, at.number)
        name = _field(touch.name) if self._names else ""
        self._tell(
            code,
            str(int(touch.touches)),
            plain(touch.temperature),
            *map(plain, touch.texture),
            plain(touch.endorphins),
            name,
            data={
                "sensorCode": code,
                "p": int(touch.touches),
                "temp": touch.temperature,
                "texture": list(touch.texture),
                "endorphins": touch.endorphins,
            },
        )

    def _look(self, code: str, at: SightCode, room: Room) -> None:
        sight = room.look(self._seat, at.field, at.x, at.y)
        kind, name = (_field(sight.type), _field(sight.name)) if self._names else ("", "")
        data = {"sensorCode": code, "vq": list(sight.qualities), "type": kind, "name": name}
        if self._names and not sight.type and not sight.name:
            data |= {"type": "defaultType", "name": "Background"}
        self._tell(code, *map(plain, sight.qualities), kind, name, data=data)

    def _find(self, command: Command, room: Room) -> None:
        self._check_names()
        places = []
        for field in FIELDS_SEARCHED[command.texts[0]]:
            names = room.names(self._seat, cast(Field, field))
            width, height = FIELDS[field]
            places += [
                f"{field}{x}.{y}"
                for x in range(width)
                for y in range(height)
                if names[y * width + x] == command.name
            ]
        data = {"type": "object", "content": ",".join(places)}
        self._tell("findObj", command.name, *places, data=data)

    def _check_names(self) -> None:
        if not self._names:
            raise WrongCommand("this seat has no right to read names.")

    # Effectors ------------------------------------------------------------------

    def _force(self, command: Command, room: Room) -> None:
        seat, effector = self._seat, EFFECTORS[command.name]
        done = True
        if isinstance(effector, Push):
            values = [now(one, room, seat) for one in command.values]
            x = values[0] if "x" in effector.axes else 0.0
            y = values[-1] if "y" in effector.axes else 0.0
            room.push(seat, effector.part, x, y)
        elif isinstance(effector, Grip):
            act = room.grip if effector.closes else room.release
            done = act(seat, effector.side)
        elif effector == "turn":
            room.turn(seat, now(command.values[0], room, seat))
        else:
            done = room.jump(seat)
        self._tell(command.name, str(int(done)))

    def _say(self, command: Command, room: Room) -> None:
        speaker, text = command.texts
        seconds, x, y = (now(one, room, self._seat) for one in command.values)
        found = room.say(self._seat, speaker, text, seconds, x, y)
        if speaker not in ("P", "N"):
            self._tell("say", speaker, "OK" if found else NOT_FOUND)

    def _print(self, command: Command, room: Room) -> None:
        room.console(self._seat, command.texts[0])
        self._tell("print", "OK")

    # Arranging ------------------------------------------------------------------

    def _drop(self, command: Command, room: Room) -> None:
        x, y = self._numbers(command, room)
        dropped = room.drop(command.name, x, y, command.texts[0])
        self._tell("dropItem", command.name, "OK" if dropped else "FAILED:obj_not_found")

    def _create(self, command: Command, room: Room) -> None:
        x, y, mass, material, radians, endorphins, kind = self._numbers(command, room)
        why = room.create(
            command.name, command.texts[0], x, y, mass, int(material), radians, endorphins, int(kind)
        )  # fmt: skip
        self._tell("createItem", command.name, *(("FAILED", _field(why)) if why else ("OK",)))

    def _destroy(self, command: Command, room: Room) -> None:
        found = room.destroy(command.name)
        self._tell("destroyItem", command.name, "OK" if found else NOT_FOUND)

    def _push_item(self, command: Command, room: Room) -> None:
        found = room.push_item(command.name, *self._numbers(command, room))
        self._tell("addForceToItem", command.name, "OK" if found else NOT_FOUND)

    def _item(self, command: Command, room: Room) -> None:
        found = room.item(command.name)
        if found is None:
            self._tell("getInfoAboutItem", command.name, NOT_FOUND)
            return
        data = {"name": command.name, **dict(zip(("x", "y", "vx", "vy"), found, strict=True))}
        self._tell("getInfoAboutItem", command.name, *map(plain, found), data=data)

    def _load(self, command: Command, room: Room) -> None:
        why = room.load(self._seat, command.name)
        self._tell("loadTask", command.name, *(("ERR", _field(why)) if why else ("OK",)))

    def _numbers(self, command: Command, room: Room) -> list[float]:
        return [now(one, room, self._seat) for one in command.values]


def _field(text: str) -> str:
    """A text as one field of a line."""
    return text.replace(",", ";")
