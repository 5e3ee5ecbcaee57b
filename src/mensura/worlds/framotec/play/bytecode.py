"""Expressions of a task as bytecode: what its names mean that are no places in the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mensura.core.expressions.bytecode import READ, SET, Operand, Writer
from mensura.core.expressions.language import Name, Node
from mensura.worlds.framotec.model.expression import LANGUAGE


class Sensed(NamedTuple):
    """A name that is the reading of a sensor."""

    sensor: int


class Power(NamedTuple):
    """A name that is the power of a motor: where what it gives is read, and which motor is set."""

    given: int
    motor: int


Found = int | Sensed | Power
"""What a name stands for: a place in the row, a sensor, or the power of a motor."""


class TaskWriter(Writer):
    """Writes the instructions of a task, some of whose names are sensors and motors."""

    def __init__(self, find: Callable[[str], Found]) -> None:
        super().__init__(LANGUAGE, self._place)
        self._meant = find

    def _place(self, path: str) -> int:
        """Where in the row a name stands; a power, where what the motor gives does."""
        found = self._meant(path)
        assert not isinstance(found, Sensed)
        return found.given if isinstance(found, Power) else found

    def read(self, name: Name, into: Operand | None) -> Operand:
        """Where the value of a name is; a sensor is read anew."""
        found = self._meant(name.path)
        if not isinstance(found, Sensed):
            return super().read(name, into)
        result = into or self.temporary()
        self.emit(READ, result, Operand("number", found.sensor), at=name.at)
        return result

    def change(self, target: Name, value: Node, guard: int | None) -> None:
        """Give what a name stands for another value; a motor is asked for another power."""
        found = self._meant(target.path)
        if isinstance(found, Power):
            asked = self.value(value)
            self.emit(SET, Operand("number", found.motor), asked, at=target.at)
        else:
            super().change(target, value, guard)
