"""The comma generation: a command is a line, ``addForce,LHvec,10,[2*Sx]``.

In a reflex, ``|`` stands for commas inside an action and ``;`` between actions and between conditions.
"""

from __future__ import annotations

from collections.abc import Sequence

from mensura.worlds.pagi.protocol.commands import Command, checked
from mensura.worlds.pagi.protocol.limits import MOST_ACTIONS
from mensura.worlds.pagi.protocol.values import Value, WrongCommand, number, value

_NAMED = frozenset({"sensorRequest", "removeReflex", "destroyItem", "getInfoAboutItem", "loadTask"})
_BARE = frozenset(
    {"getActiveStates", "getActiveReflexes", "establishConnection", "removeConnection"}
)


def read(line: str, separator: str = ",") -> Command:
    """The command of a line; WrongCommand where it is none."""
    verb, *fields = line.split(separator)
    verb = verb.strip()
    if verb == "setReflex":
        return checked(_reflex(fields))
    if verb == "say":
        return checked(_say(fields, separator))
    if verb == "print":
        return checked(Command(verb, texts=(separator.join(fields),)))
    if verb in _NAMED:
        return checked(Command(verb, _only(fields, 1)[0].strip()))
    if verb in _BARE:
        _only([one for one in fields if one.strip()], 0)
        return Command(verb)
    name, *rest = fields or [""]
    name = name.strip()
    if verb == "findObj":
        return checked(Command(verb, name, texts=(_only(rest, 1)[0].strip(),)))
    if verb == "addForce":
        values = tuple(value(one, f"The force of {name}") for one in rest)
        return checked(Command(verb, name, values))
    if verb == "dropItem":
        note = separator.join(rest[2:])
        return checked(Command(verb, name, _numbers(verb, rest[:2]), (note,)))
    if verb == "createItem":
        image, *rest = rest or [""]
        return checked(Command(verb, name, _numbers(verb, rest), (image.strip(),)))
    # What is left has a name and numbers, or is no command at all.
    return checked(
        Command(verb, name, _numbers(verb, rest) if verb in ("setState", "addForceToItem") else ())
    )


def _numbers(verb: str, fields: Sequence[str]) -> tuple[Value, ...]:
    return tuple(number(one, f"A number of {verb}") for one in fields)


def _only(fields: Sequence[str], count: int) -> Sequence[str]:
    if len(fields) != count:
        raise WrongCommand(f"it has {len(fields)} fields after the command; it needs {count}.")
    return fields


def _say(fields: Sequence[str], separator: str) -> Command:
    """``say,speaker,text,seconds,x,y``; the text may have commas in it."""
    if len(fields) < 5:
        raise WrongCommand("it needs a speaker; a text; seconds; x and y.")
    speaker, *text = fields[:-3]
    return Command(
        "say",
        values=_numbers("say", fields[-3:]),
        texts=(speaker.strip(), separator.join(text)),
    )


def _reflex(fields: Sequence[str]) -> Command:
    if not 2 <= len(fields) <= 3:
        raise WrongCommand(
            "a reflex has a name; conditions and maybe actions; with | for commas inside them."
        )
    conditions = tuple(one for one in fields[1].split(";") if one.strip())
    written = [one for one in (fields[2].split(";") if len(fields) == 3 else []) if one.strip()]
    if len(written) > MOST_ACTIONS:
        raise WrongCommand(f"it has {len(written)} actions; at most {MOST_ACTIONS} are allowed.")
    for one in written:
        if one.split("|")[0].strip() == "setReflex":
            raise WrongCommand("a reflex cannot set reflexes.")
    actions = tuple(read(one, "|") for one in written)
    return Command("setReflex", fields[0].strip(), texts=conditions, actions=actions)
