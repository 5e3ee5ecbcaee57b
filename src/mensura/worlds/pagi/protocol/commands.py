"""Commands as both generations of the protocol mean them, checked once for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from mensura.agent.errors import neighbors
from mensura.worlds.pagi.protocol.limits import LONGEST_NAME, MOST_ACTIONS
from mensura.worlds.pagi.protocol.sensors import EFFECTORS, Push, sensor
from mensura.worlds.pagi.protocol.values import (
    Expression,
    Value,
    WrongCommand,
    expression,
    finite,
    written,
)

ARRANGING = frozenset(
    {"dropItem", "createItem", "destroyItem", "addForceToItem", "getInfoAboutItem", "loadTask"}
)
"""Commands that change or reveal the world: for seats with the right ``arranges`` alone."""
SILENT = frozenset({"establishConnection", "removeConnection"})
"""Commands that are not answered."""
VERBS = (
    "sensorRequest", "findObj", "addForce", "setState", "setReflex", "removeReflex", "getActiveStates",
    "getActiveReflexes", "dropItem", "createItem", "addForceToItem", "destroyItem", "getInfoAboutItem", "say", "print",
    "loadTask", "establishConnection", "removeConnection",
)  # fmt: skip
FIELDS_SEARCHED = {"D": ("V",), "P": ("P",), "PD": ("V", "P")}
"""The visual fields of each mode of findObj."""
_NUMBERS = {
    "addForceToItem": 3,
    "createItem": 7,
    "dropItem": 2,
    "say": 3,
    "setState": 1,
}


@dataclass(frozen=True)
class Command:
    """A command; which of these each verb has is said by :func:`checked`."""

    verb: str
    name: str = ""
    values: tuple[Value, ...] = ()
    texts: tuple[str, ...] = ()
    actions: tuple[Command, ...] = ()

    def as_plain(self) -> list[Any]:
        """As data that :func:`from_plain` reads back."""
        return [
            self.verb,
            self.name,
            [written(one) for one in self.values],
            list(self.texts),
            [one.as_plain() for one in self.actions],
        ]


def from_plain(plain: Any) -> Command:
    """What ``as_plain`` gave; WrongCommand, or TypeError and ValueError where it is something else."""
    verb, name, values, texts, actions = plain
    return checked(
        Command(
            str(verb),
            str(name),
            tuple(expression(one) if isinstance(one, str) else float(one) for one in values),
            tuple(map(str, texts)),
            tuple(from_plain(one) for one in actions),
        )
    )


def checked(command: Command) -> Command:
    """The same command; WrongCommand where it cannot be one.

    ``name`` is the code of a sensor or effector, or what a state, reflex, item or file is called. ``values`` are the
    force (one, or x and y), milliseconds, x and y, what createItem has from x on, or seconds, x and y of say. ``texts``
    are the mode of findObj, the note of dropItem, the image, the speaker and the text, the text to print or the
    conditions.
    """
    verb, name, values, texts = command.verb, command.name, command.values, command.texts
    for one in values:
        if not isinstance(one, Expression):
            finite(one, f"A number of {verb}")
    if verb == "sensorRequest":
        if sensor(name) is None:
            raise WrongCommand(
                f"there is no sensor {name!r:.60}; B0 to B7; L0 to L4; R0 to R4; V0.0 to V30.20; P0.0 to P15.10; MDN; "
                "MPN; S; BP; LP; RP and A are those that there are."
            )
    elif verb == "findObj":
        if not texts or texts[0] not in FIELDS_SEARCHED:
            raise WrongCommand(
                "the fields to search must be D (detailed); P (peripheral) or PD (both)."
            )
    elif verb == "addForce":
        _check_force(name, values)
    elif verb in _NUMBERS and len(values) != _NUMBERS[verb]:
        raise WrongCommand(f"it has {len(values)} numbers; it needs {_NUMBERS[verb]}.")
    elif verb not in VERBS:
        raise WrongCommand(f"there is no such command; {_near(verb)}")
    if verb == "setState" and float(_plain(values[0])) < 0 and values[0] != -1:
        raise WrongCommand("the milliseconds of a state must be at least 0; or -1 for ever.")
    if verb == "createItem":
        _check_item(values)
    if verb in ("createItem", "loadTask"):
        within_folder(texts[0] if verb == "createItem" else name)
    if verb not in SILENT | {"print", "say", "getActiveStates", "getActiveReflexes"}:
        check_name(name)
    if verb == "setReflex":
        _check_actions(command.actions)
    return command


def check_name(name: str) -> str:
    """The same name; WrongCommand where it cannot be one in both generations."""
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or set(name) & set(",|;"):
        raise WrongCommand(
            f"{name!r:.60} is no name: a name has 1 to {LONGEST_NAME} characters; none of them a comma; | or ;"
        )
    return name


def within_folder(file: str) -> str:
    """The same file name; WrongCommand where it leads out of the folder of the task."""
    ways = (PurePosixPath(file), PureWindowsPath(file))
    if (
        not file
        or "\0" in file
        or any(one.is_absolute() or one.drive or one.root or ".." in one.parts for one in ways)
    ):
        raise WrongCommand(f"the file {file!r:.60} is not in the folder of the task.")
    return file


def _check_force(code: str, values: Sequence[Value]) -> None:
    effector = EFFECTORS.get(code)
    if effector is None:
        raise WrongCommand(
            f"there is no effector {code!r:.60}; {neighbors(code, list(EFFECTORS)).replace(',', ';')}"
        )
    wanted = 2 if isinstance(effector, Push) and effector.axes == "xy" else 1
    needs = isinstance(effector, Push) or effector == "turn"
    if len(values) != wanted and (needs or len(values) > 2):
        raise WrongCommand(f"{code} takes {wanted} numbers and not {len(values)}.")


def _check_item(values: Sequence[Value]) -> None:
    _, _, mass, material, _, _, kind = map(_plain, values)
    if mass <= 0:
        raise WrongCommand(f"the mass {mass:g} of an item must be above 0.")
    if material not in range(6):
        raise WrongCommand(f"the material {material:g} must be a whole number from 0 to 5.")
    if kind not in range(7):
        raise WrongCommand(f"the kind {kind:g} of an item must be a whole number from 0 to 6.")


def _check_actions(actions: Sequence[Command]) -> None:
    if len(actions) > MOST_ACTIONS:
        raise WrongCommand(f"it has {len(actions)} actions; at most {MOST_ACTIONS} are allowed.")
    for action in actions:
        if action.verb == "setReflex":
            raise WrongCommand("a reflex cannot set reflexes.")


def _plain(one: Value) -> float:
    if isinstance(one, Expression):
        raise WrongCommand("expressions are for forces alone.")
    return one


def _near(verb: str) -> str:
    return neighbors(verb, list(VERBS)).replace(",", ";")
