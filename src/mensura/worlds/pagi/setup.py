"""One task as data: what is in the room, who is in it, what happens by itself, and when it is solved.

A file may have ranges in the place of numbers (``x: {from: -3, to: 3}``); :func:`concrete` draws from them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.worlds.pagi import criteria
from mensura.worlds.pagi.anatomy import GRAVITY
from mensura.worlds.pagi.room import PagiRoom
from mensura.worlds.pagi.seat_state import Forces
from mensura.worlds.pagi.water import RADIUS as WATER_RADIUS


@dataclass(frozen=True)
class Trigger:
    """Something that happens when a condition holds: once, or at every interaction while it does."""

    when: str
    do: tuple[str, ...]
    once: bool = True

    def to_plain(self) -> dict[str, Any]:
        """As a file has it."""
        return {"when": self.when, "do": list(self.do), **({} if self.once else {"once": False})}


@dataclass(frozen=True)
class Setup:
    """A task."""

    name: str
    instructions: str = ""
    horizon: int = 200
    """Interactions of an episode."""
    gravity: float = GRAVITY
    forces: Forces = field(default_factory=Forces)
    bodies: tuple[tuple[float, float], ...] = ((0.0, 1.14),)
    words: tuple[str, ...] = ()
    """What can be said by other actions than commands."""
    objects: tuple[Mapping[str, Any], ...] = ()
    ropes: tuple[Mapping[str, Any], ...] = ()
    water: tuple[tuple[float, float, float, float], ...] = ()
    """Boxes that are full of water at the beginning: x and y of the middle, width, height."""
    triggers: tuple[Trigger, ...] = ()
    reflexes: tuple[str, ...] = ()
    """Reflexes and states that every body begins with, as commands of the comma generation."""
    solved: str = "false"
    solved_for: float = 0.0
    """For how many seconds it has to hold."""
    failed: str = "false"
    reward: str = "0"
    """What an interaction brings beside being solved (1) or failed (-1)."""
    family: str = ""
    grade: int = 0
    causal_steps: int = 1
    """Changes of the world that are needed."""

    def to_plain(self) -> dict[str, Any]:
        """As a file has it: what is as usual is left out."""
        plain: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name != "name" and value == getattr(USUAL, one.name):
                continue
            if isinstance(value, Forces):
                value = value._asdict()
            elif one.name == "triggers":
                value = [trigger.to_plain() for trigger in value]
            elif isinstance(value, tuple):
                value = [
                    dict(item) if isinstance(item, Mapping) else _listed(item) for item in value
                ]
            plain[one.name] = value
        return plain

    @property
    def is_concrete(self) -> bool:
        """Whether there are no ranges left to draw from."""
        return not any(isinstance(value, Mapping) for one in self.objects for value in one.values())

    @cached_property
    def canonical(self) -> str:
        """One line of JSON, the same for equal tasks."""
        return json.dumps(self.to_plain(), sort_keys=True, separators=(",", ":"))

    @cached_property
    def criteria(self) -> dict[str, criteria.Criterion]:
        """Its expressions as functions of a room, by what they are for."""
        sources = {"solved": self.solved, "failed": self.failed, "reward": self.reward}
        sources |= {f"trigger {k}": one.when for k, one in enumerate(self.triggers)}
        parse = criteria.LANGUAGE.parse_expression
        return {name: criteria.compile_criterion(parse(source)) for name, source in sources.items()}

    @cached_property
    def minds_heat(self) -> bool:
        """Whether somebody has to measure how long hot things are touched."""
        sources = (self.solved, self.failed, self.reward, *(one.when for one in self.triggers))
        return any(
            criteria.uses(criteria.LANGUAGE.parse_expression(one), ".hot") for one in sources
        )

    def build(self, key: int, preset: str) -> PagiRoom:
        """The room at the beginning."""
        room = PagiRoom(
            self.bodies, preset=preset, gravity=self.gravity, forces=self.forces, key=key
        )
        for one in self.objects:
            values = {
                name: value
                for name, value in one.items()
                if name not in ("kind", "name", "degrees")
            }
            if "degrees" in one:
                values["angle"] = math.radians(one["degrees"])
            room.put(one["kind"], one.get("name", ""), **values)
        for one in self.ropes:
            first, second = (room.find(name) for name in one["ties"])
            if first is None or second is None:
                raise MensuraError("A rope ties what is not there.")
            room.bodies.tie(first.number, second.number, one["length"], one.get("stiff", False))
        for x, y, width, height in self.water:
            room.water.pour(discs(x, y, width, height))
        return room


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def discs(
    x: float, y: float, width: float, height: float
) -> list[tuple[float, float, float, float]]:
    """Discs of water that fill a box, row by row, every other row set off."""
    step = 2 * WATER_RADIUS
    columns, rows = max(int(width / step), 1), max(int(height / step), 1)
    return [
        (
            x - width / 2 + WATER_RADIUS + i * step + (j % 2) * 0.01,
            y - height / 2 + WATER_RADIUS + j * step,
            0.0,
            0.0,
        )
        for j in range(rows)
        for i in range(columns)
    ]


USUAL = Setup("")
FIELDS = tuple(one.name for one in fields(Setup))


def concrete(setup: Setup, rng: Any) -> Setup:
    """The task with a number drawn from each range."""
    if setup.is_concrete:
        return setup
    objects = tuple(
        {
            name: round(float(rng.uniform(value["from"], value["to"])), 4)
            if isinstance(value, Mapping)
            else value
            for name, value in one.items()
        }
        for one in setup.objects
    )
    return replace(setup, objects=objects)
