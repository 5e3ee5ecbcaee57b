"""From the one string that names a subject to the subject, for a given world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.in_process import InProcess
from mensura.agent.loading import bind
from mensura.agent.parameters import training_asked
from mensura.agent.task import Limits
from mensura.agents.address import Part, is_code, load, parse
from mensura.agents.process import ProcessSubject, forbid_looking_in, isolation_here
from mensura.core.abilities import (
    demo,
    group,
    is_asked_once,
    make,
    members_of,
    presets,
    settled_part,
    subject_names,
    summary_of,
    waits_of,
)
from mensura.core.contract import World
from mensura.core.mixed import Mixed
from mensura.core.players import Subject
from mensura.core.registry import AGENTS, SCHEMES, WORLDS
from mensura.records.cell import PEOPLE, PEOPLE_IN_WORDS, Cell


def resolve(
    address: str,
    world: World,
    *,
    in_process: bool = False,
    limits: Limits | None = None,
) -> Subject:
    """The subject that an address names.

    A built-in subject of the world comes first, then the agents that make sense in every world, then code:
    ``file.py:Class`` and ``package.module:Class`` run in a process of their own unless ``in_process``. A scheme, as
    "tcp" in ``tcp://host:port``, is a function ``(part, world, limits) -> Subject`` that is registered under
    ``mensura.schemes``. Parts joined by "+" make a heterogeneous collective.
    """
    parts = parse(address)
    built_in = subject_names(world)
    if all(part.name in built_in for part in parts):
        own: Subject = group(world, [(one.name, one.parameters, one.count or 1) for one in parts])
        return own
    if len(parts) == 1 and parts[0].count is None:
        return _one(parts[0], world, built_in, in_process, limits)
    return Mixed(
        [(_one(part, world, built_in, in_process, limits), part.count or 1) for part in parts]
    )


def _one(
    part: Part,
    world: World,
    built_in: Any,
    in_process: bool,
    limits: Limits | None,
) -> Subject:
    if part.name in built_in:
        own: Subject = group(world, [(part.name, part.parameters, 1)])
        return own
    if part.scheme:
        forbid_looking_in()
        made: Subject = SCHEMES.load(part.scheme)(part, world, limits or Limits())
        return made
    if part.name == PEOPLE and part.count is not None:
        people = InProcess("people", load(part))
        people.is_person = True
        return people
    if is_code(part):
        if in_process:
            return InProcess(part.label, load(part))
        return ProcessSubject(part, limits or Limits())
    known = AGENTS.names()
    if part.name in known:
        factory = bind(AGENTS.load(part.name), part.name, part.parameters)
        training = training_asked(factory())  # made once now, to hear of bad parameters
        return InProcess(part.label, factory, training=training)
    homes = dict(_homes_of(part.name))
    if world.id in homes:
        raise MensuraError(
            f"There is no subject {part.name!r} for {world.id} as it is set; there is one under --preset "
            f"{homes[world.id]}."
        )
    if homes:
        ways = " or ".join(
            f"--world {home}{f' --preset {preset}' if preset else ''}"
            for home, preset in homes.items()
        )
        which = "that world" if len(homes) == 1 else "one of these worlds"
        raise MensuraError(
            f"There is no subject {part.name!r} for {world.id}; it is one of {' and of '.join(homes)}: "
            f"name {which}, as {ways}."
        )
    raise MensuraError(
        f"There is no subject {part.name!r} for {world.id}; "
        f"{neighbors(part.name, [*built_in, *known])} Your own agent is named file.py:Class."
    )


def demonstrated(world: World) -> tuple[str, ...]:
    """Whom a demonstration of a world shows: those that it names, or the reference subjects that can play in it."""
    from mensura.assessments.calibration import references_for  # with what calibrates tests

    return demo(world) or references_for(world)


def parts_of(subject: Subject) -> list[Subject]:
    """The parts of a mixed collective, or the subject alone."""
    if isinstance(subject, Mixed):
        return [one for part, _ in subject.parts for one in parts_of(part)]
    return [subject]


def asks_once(subject: Subject) -> bool:
    """Whether an answer of it costs so much, or is so rare, that it must be safe before it is used."""
    return any(map(is_asked_once, parts_of(subject)))


def waits(subject: Subject) -> int:
    """How many sittings of it are worth having under way at once, because it mostly waits; 1 for one that works."""
    return max(map(waits_of, parts_of(subject)))


def settled_address(address: str, subject: Subject) -> str:
    """The address with what fixes the files that it names, where a part of it tells (``settled``), else as it is."""
    parts = parse(address)
    own = (
        [one for one, _ in subject.parts] if isinstance(subject, Mixed) else [subject] * len(parts)
    )
    if len(own) != len(parts) or all(settled_part(one) is None for one in own):
        return address
    return "+".join(
        str(replace(settled_part(one) or part, count=part.count))
        for part, one in zip(parts, own, strict=True)
    )


def _homes_of(subject: str) -> Iterator[tuple[str, str]]:
    """The worlds that have a subject of that name, each with the preset under which it has; "" for the usual one."""
    for name, kind in WORLDS.all():
        for preset in presets(kind) or (None,):
            # Not one that cannot even be made.
            with suppress(Exception):
                if subject in subject_names(make(kind, preset)):
                    yield name, preset or ""
                    break


def isolation_of(cells: Iterable[Cell]) -> str:
    """How far foreign code is isolated on this machine, in a few words; nothing where no cell starts any."""
    for cell in cells:
        if cell.in_process or not any(_is_started(part) for part in named(cell)):
            continue
        if not cell.limits.isolation:
            return "no isolation of foreign code"
        return isolation_here()
    return ""


def _is_started(part: Part) -> bool:
    return is_code(part) or part.scheme in ("cmd", "sb3")


def named(cell: Cell) -> tuple[Part, ...]:
    """The parts of the address of a subject; none of one that was made in Python, which may be called anything."""
    try:
        return parse(cell.subject)
    except MensuraError:
        return ()


def first_line(thing: Any) -> str:
    """What a class says that it is, in a line without its full stop."""
    return ((thing.__doc__ or "").strip().splitlines() or [""])[0].rstrip(".")


def summary(subject: Subject, world: World) -> str:
    """A line on what a subject is, for tables."""
    own = summary_of(subject)
    if own:
        return own
    names = {one.name.partition("?")[0] for one in members_of(subject)} or {
        subject.name.partition("?")[0]
    }
    if len(names) > 1 or isinstance(subject, Mixed):
        return "a heterogeneous collective"
    name = names.pop()
    if name == PEOPLE:
        return PEOPLE_IN_WORDS
    line = subject_names(world).get(name)
    if line is None and name in AGENTS.names():
        line = first_line(AGENTS.load(name))
    return line or "code of your own"
