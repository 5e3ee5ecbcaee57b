"""A task-environment as data: building blocks, and the task that ties them (4.1, Task-Environment Model).

It goes to plain data and back. A :class:`~mensura.worlds.framotec.model.blocks.Range` in the place of a number makes a
family of tasks; :meth:`Task.sample` draws a concrete one of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from functools import cached_property
from typing import Any, TypeAlias

from mensura.agent.errors import neighbors
from mensura.agent.keys import Key, key, unit
from mensura.core.yaml_text import Misfit, Where
from mensura.worlds.framotec.model.blocks import (
    KINDS,
    PARTS,
    Goal,
    Limits,
    Motor,
    Object,
    Range,
    Sensor,
    System,
    TaskParts,
    Transition,
    middle_of,
    take_lists,
    take_numbers,
)
from mensura.worlds.framotec.model.checks import Check, check_types, shown
from mensura.worlds.framotec.model.names import capital
from mensura.worlds.framotec.model.systems import DEEPEST_SYSTEM, flattened, places

__all__ = ["Goal", "Limits", "Motor", "Object", "Range", "Sensor", "System", "Task", "Transition"]

Choice: TypeAlias = Callable[[Range, tuple[str, ...]], float]
"""The number that stands for a range, which is at a place with these names."""


@dataclass(frozen=True)
class Task(TaskParts):
    """A whole task-environment (4.1, Task-Environment Model)."""

    def __post_init__(self) -> None:
        """Raise if the compiled rules, which check nothing, could not run it."""
        take_lists(self, (*PARTS, "goals"))
        take_numbers(self)
        check_types(self)
        Check(self.flat, places(self)).all()

    # Systems

    @cached_property
    def flat(self) -> Task:
        """The same task without systems: all parts have their whole names, and call one another by these."""
        if not self.systems:
            return self
        return self._with(flattened(self))

    @property
    def exposed(self) -> tuple[Motor, ...]:
        """The motors that controllers set, in their order."""
        return tuple(motor for motor in self.flat.motors if motor.exposed)

    @property
    def steps_per_action(self) -> int:
        """How many steps of dt a controller step has."""
        return round(self.controller_step / self.dt)

    # Families of tasks

    @cached_property
    def concrete(self) -> bool:
        """Whether no number is left to be drawn."""
        return not any(True for _ in _ranges(self))

    def sample(self, key: Key) -> Task:
        """A concrete task: each range is drawn from a stream of its own, named after its place."""
        if self.concrete:
            return self
        return self._chosen(lambda one, names: _drawn(one, key, names))

    @cached_property
    def middle(self) -> Task:
        """The concrete task in the middle of a family: every range becomes its middle."""
        return self if self.concrete else self._chosen(lambda one, _: middle_of(one))

    def _chosen(self, choose: Choice) -> Task:
        # Both ends of every range were checked, so what lies between them needs no check.
        return self._with(
            {
                one.name: _concrete(getattr(self, one.name), choose, (one.name,))
                for one in fields(self)
            }
        )

    def _with(self, values: Mapping[str, Any]) -> Task:
        """The task with these fields, which are known to be right."""
        task = object.__new__(Task)
        for one in fields(self):
            object.__setattr__(task, one.name, values.get(one.name, getattr(self, one.name)))
        return task

    # Plain data

    def to_json(self) -> dict[str, Any]:
        """The task as plain data; what is as it usually is, is left out."""
        plain: dict[str, Any] = _plain(self)
        return plain

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Task:
        """The task of plain data, as ``to_json`` or a person writes it."""
        task: Task = _read(cls, data, "the task")
        return task


# Ranges -----------------------------------------------------------------------------


def _ranges(part: Any) -> Iterator[Range]:
    if isinstance(part, Range):
        yield part
    elif isinstance(part, tuple):
        for one in part:
            yield from _ranges(one)
    elif isinstance(part, Object | Goal | System | Task):
        for one in fields(part):
            yield from _ranges(getattr(part, one.name))


def _drawn(one: Range, root: Key, names: tuple[str, ...]) -> float:
    return one.low + (one.high - one.low) * unit(key(root, *names))


def _concrete(part: Any, choose: Choice, names: tuple[str, ...]) -> Any:
    if isinstance(part, Range):
        return choose(part, names)
    if isinstance(part, tuple):
        if len(part) == 2 and isinstance(part[0], str):
            return part[0], _concrete(part[1], choose, (*names, part[0]))
        return tuple(_concrete(one, choose, names) for one in part)
    if isinstance(part, Object | Goal | System):
        own = (*names, part.name)
        changed = {
            one.name: _concrete(getattr(part, one.name), choose, (*own, one.name))
            for one in fields(part)
            if any(True for _ in _ranges(getattr(part, one.name)))
        }
        return replace(part, **changed) if changed else part
    return part


# Plain data -------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    if isinstance(value, Range):
        return {"low": value.low, "high": value.high}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Object | Motor | Sensor | Transition | System | Goal | Limits | Task):
        data: dict[str, Any] = {}
        for one in fields(value):
            held = getattr(value, one.name)
            if one.default is not MISSING and held == one.default:
                continue
            if one.name in ("attributes", "targets"):
                data[one.name] = {name: _plain(number) for name, number in held}
            else:
                data[one.name] = _plain(held)
        return data
    return value


def _read(kind: type[Any], data: Any, where: str, at: Where = ()) -> Any:
    """A part from plain data; a sentence with the place where it does not fit."""
    if not isinstance(data, Mapping):
        raise Misfit(at, f"{capital(where)} is {shown(data)}; it must be named fields.")
    known = {one.name: one for one in fields(kind)}
    if "name" in known and isinstance(data.get("name"), str) and kind is not Task:
        where = f"{kind.__name__.lower()} {data['name']!r} of {where}"
    for name in data:
        if name not in known:
            raise Misfit(
                (*at, name),
                f"{capital(where)} has no field {name!r}; {neighbors(str(name), list(known))}",
            )
    for name, one in known.items():
        if one.default is MISSING and name not in data:
            raise Misfit(at, f"{capital(where)} lacks {name!r}.")
    values: dict[str, Any] = {}
    for name, value in data.items():
        here = (*at, name)
        if name in KINDS:
            if not isinstance(value, list | tuple):
                raise Misfit(here, f"{name} in {where} is {shown(value)}; it must be a list.")
            if len(at) > 3 * DEEPEST_SYSTEM:
                raise Misfit(here, f"Systems lie more than {DEEPEST_SYSTEM} deep.")
            noun = KINDS[name].__name__.lower()
            values[name] = tuple(
                _read(
                    KINDS[name], one, where if _named(one) else f"{noun} {i} of {where}", (*here, i)
                )
                for i, one in enumerate(value)
            )
        elif name == "limits":
            values[name] = _read(Limits, value, f"the limits of {where}", here)
        elif name in ("attributes", "targets") and isinstance(value, Mapping):
            values[name] = {one: _number(held, where, (*here, one)) for one, held in value.items()}
        else:
            values[name] = _number(value, where, here)
    return kind(**values)


def _named(data: Any) -> bool:
    return isinstance(data, Mapping) and isinstance(data.get("name"), str)


def _number(value: Any, where: str, at: Where) -> Any:
    """A range where plain data has one; anything else as it is."""
    if not isinstance(value, Mapping):
        return value
    if set(value) != {"low", "high"}:
        raise Misfit(at, f"A range in {where} is {shown(value)}; it has low and high.")
    return Range(value["low"], value["high"])
