"""Task files of the authors' program, ``.tsk``: what is in them, and the same as a task of ours.

A ``.tsk`` has poses, objects with a number of their kind, a place, an angle and a name, gravity and speed. The angle of
an object is written as z of a quaternion, the sine of half of it. It has no criterion: ours is solved when all food is
eaten that does good, where there is any.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.numbers import is_number
from mensura.worlds.pagi.kinds import KINDS
from mensura.worlds.pagi.published.binary_format import LARGEST, Thing, read_stream

NUMBERS = {
    1: "apple", 2: "bacon", 3: "poison", 5: "leftRamp", 7: "horizontalWall", 8: "verticalWall", 9: "floatingRightRamp",
    10: "floatingLeftRamp", 11: "floatingHorizontalWall", 12: "floatingVerticalWall", 13: "floatingWallBlock",
    14: "blueDynamite", 15: "greenDynamite", 16: "redDynamite", 17: "blueWall", 18: "greenWall", 19: "redWall",
    20: "steak", 21: "bluePill", 22: "redPill", 23: "medkit", 24: "largeMedkit", 25: "soldier", 26: "triggerBox",
    27: "lavaBlock", 28: "iceBlock",
}  # fmt: skip
"""Kinds by their numbers in the authors' program, where a name says nothing."""
FAR = 1000.0
"""What is farther away had fallen out of the room when the file was saved."""
_OTHER_NAMES = {"soldier_injured": "soldier", "soldier_healthy": "soldier"}


@dataclass(frozen=True)
class SavedObject:
    """An object of a file."""

    name: str
    number: int
    """Of its kind."""
    x: float
    y: float
    degrees: float

    @property
    def kind(self) -> str | None:
        """Its kind among ours; None where there is none like it."""
        first, *rest = self.name.split() or [""]
        name = first + "".join(f"{word[0].upper()}{word[1:]}" for word in rest)
        name = _OTHER_NAMES.get(name, name)
        return name if name in KINDS else NUMBERS.get(self.number)


@dataclass(frozen=True)
class SavedTask:
    """What a file holds."""

    description: str
    body: tuple[float, float]
    degrees: float
    objects: tuple[SavedObject, ...]
    gravity: tuple[float, float] = (0.0, -9.81)
    speed: float = 1.0


def read_tsk(data: bytes) -> SavedTask:
    """The task of a file's bytes; MensuraError with the reason where they are none."""
    root = read_stream(data)
    if not isinstance(root, Thing) or root.name != "FileSaving":
        raise MensuraError("It holds something else than a task of PAGI World.")
    members = root.members
    description = members.get("taskDescriptor")
    return SavedTask(
        description if isinstance(description, str) else "",
        (_number(members, "bodyX"), _number(members, "bodyY")),
        _number(members, "bodyRotation"),
        tuple(_object(one) for one in _listed(members.get("worldObjects"))),
        (_number(members, "gravityX", 0.0), _number(members, "gravityY", -9.81)),
        _number(members, "gameSpeed", 1.0),
    )


def _listed(value: Any) -> list[Any]:
    """The elements of a List: those of its array that it counts."""
    if not isinstance(value, Thing):
        raise MensuraError("It has no list of objects.")
    items, size = value.members.get("_items"), value.members.get("_size")
    if not isinstance(items, list) or not isinstance(size, int) or not 0 <= size <= len(items):
        raise MensuraError("Its list of objects has another length than it says.")
    return items[:size]


def _object(one: Any) -> SavedObject:
    if not isinstance(one, Thing):
        raise MensuraError("Its list of objects holds something else.")
    name = one.members.get("objName")
    number = one.members.get("prefabID")
    return SavedObject(
        name if isinstance(name, str) else "",
        number if isinstance(number, int) else 0,
        _number(one.members, "positionX"),
        _number(one.members, "positionY"),
        _degrees(_number(one.members, "rotation", 0.0)),
    )


def _degrees(turned: float) -> float:
    """The angle of an object; beyond what a quaternion can have it is in degrees already."""
    return round(2 * math.degrees(math.asin(turned)), 3) if abs(turned) <= 1 else turned


def _number(members: Mapping[str, Any], name: str, usual: float | None = None) -> float:
    value = members.get(name, usual)
    if not is_number(value) or abs(value) > 1e5:
        raise MensuraError(f"Its {name} is {value!r:.40}; it must be a number up to 100,000.")
    return round(float(value), 4)


# As a task of ours --------------------------------------------------------------


def import_tsk(file: Path) -> str:
    """A task of a file that the authors' program saved; what has no counterpart is named in a comment."""
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except OSError as error:
        raise MensuraError(f"{file} cannot be read: {error.strerror}.") from None
    try:
        saved = read_tsk(data)
    except MensuraError as error:
        raise MensuraError(f"{file} cannot be imported. {error}") from None
    return as_yaml(saved, file.stem)


def as_yaml(saved: SavedTask, name: str) -> str:
    """The text of a task file of ours."""
    import yaml

    objects, left_out, eaten = _named(saved)
    plain: dict[str, Any] = {"name": name}
    described = " ".join(saved.description.split())
    if described and described != "Default task descriptor":
        plain["instructions"] = described
    gravity = -saved.gravity[1]
    if not math.isclose(gravity, 9.81, abs_tol=1e-3):
        plain["gravity"] = gravity
    plain["bodies"] = [list(saved.body)]
    plain["objects"] = objects
    if eaten:
        plain["solved"] = " and ".join(f"{one}.gone" for one in eaten)
    comments = [f"# Imported from {_shown(name)}.tsk."]
    if saved.gravity[0]:
        comments.append(f"# Left out: gravity to the side ({saved.gravity[0]:g}).")
    if saved.degrees:
        comments.append(f"# Left out: the body is turned by {saved.degrees:g} degrees.")
    if saved.speed != 1:
        comments.append(
            f"# The file's speed is {saved.speed:g}; give it to whoever plays the task."
        )
    comments += [
        f"# Left out: {_shown(one.name)!r} (number {one.number}) at {one.x:g}, {one.y:g}: "
        + ("no such kind." if one.kind is None else "it has fallen out of the room.")
        for one in left_out
    ]
    if not eaten:
        comments.append(
            "# Nothing in it says when it is solved: add a line such as `solved: time > 10`."
        )
    text: str = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=110)
    return "\n".join(comments) + "\n" + text


def _named(saved: SavedTask) -> tuple[list[dict[str, Any]], list[SavedObject], list[str]]:
    """The objects of ours, each with a name of its own; those that have no counterpart; and the good food."""
    objects: list[dict[str, Any]] = []
    left_out: list[SavedObject] = []
    eaten: list[str] = []
    counts: dict[str, int] = {}
    for one in saved.objects:
        kind = one.kind
        if kind is None or max(abs(one.x), abs(one.y)) > FAR:
            left_out.append(one)
            continue
        counts[kind] = counts.get(kind, 0) + 1
        name = kind if counts[kind] == 1 else f"{kind}_{counts[kind]}"
        given: dict[str, Any] = {"kind": kind, "name": name, "x": one.x, "y": one.y}
        if one.degrees:
            given["degrees"] = one.degrees
        objects.append(given)
        if KINDS[kind].eaten and KINDS[kind].endorphins > 0:
            eaten.append(name)
    return objects, left_out, eaten


def _shown(text: str) -> str:
    """A text of a file in a comment: one line of it, short."""
    return re.sub(r"[^\x20-\x7e]", "?", text)[:60]
