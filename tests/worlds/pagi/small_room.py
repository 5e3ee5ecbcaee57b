"""A room without physics: it remembers what was done to it, so that the protocol can be tested alone."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from mensura.worlds.pagi.contract import STEP, Event, Sight, Touch
from mensura.worlds.pagi.protocol.sensors import POINTS

NOTHING = Touch(False, 0.0, (0.0, 0.0, 0.0, 0.0), 0.0, "")


class SmallRoom:
    def __init__(self) -> None:
        self.steps = 0
        self.done: list[tuple[Any, ...]] = []
        self.touched: dict[tuple[str, int], Touch] = {}
        self.seen: dict[tuple[str, int, int], Sight] = {}
        self.events: list[Event] = []
        self.items = {"cat": (1.0, 2.0, 3.0, 4.0)}
        self.moving = (0.0, 0.0)
        self.stands = True

    @property
    def seconds(self) -> float:
        return self.steps * STEP

    def touch(self, seat: int, part: str, index: int) -> Touch:
        return self.touched.get((part, index), NOTHING)

    def aspects(self, seat: int) -> Any:
        felt = [self.touch(seat, part, k) for part, n in POINTS.items() for k in range(n)]
        rows = [(one.touches, one.temperature, *one.texture, one.endorphins) for one in felt]
        pairs = (self.velocity(seat), self.place(seat), self.hand(seat, "L"), self.hand(seat, "R"))
        numbers = [*chain(*rows), *chain(*pairs), self.rotation(seat)]
        return np.array(numbers, np.float64)

    def look(self, seat: int, field: str, x: int, y: int) -> Sight:
        return self.seen.get((field, x, y), Sight((0.0, 0.0, 0.0, 0.0), "", ""))

    def names(self, seat: int, field: str) -> list[str]:
        width, height = (31, 21) if field == "V" else (16, 11)
        return [self.look(seat, field, x, y).name for y in range(height) for x in range(width)]

    def velocity(self, seat: int) -> tuple[float, float]:
        return self.moving

    def place(self, seat: int) -> tuple[float, float]:
        return 3.0, -4.5

    def hand(self, seat: int, side: str) -> tuple[float, float]:
        return (-1.0, 0.5) if side == "L" else (1.0, 0.5)

    def rotation(self, seat: int) -> float:
        return 0.25

    def push(self, seat: int, part: str, x: float, y: float) -> None:
        self.done.append(("push", part, x, y))

    def turn(self, seat: int, degrees: float) -> None:
        self.done.append(("turn", degrees))

    def jump(self, seat: int) -> bool:
        self.done.append(("jump",))
        return self.stands

    def grip(self, seat: int, side: str) -> bool:
        self.done.append(("grip", side))
        return True

    def release(self, seat: int, side: str) -> bool:
        self.done.append(("release", side))
        return False

    def say(self, seat: int, speaker: str, text: str, seconds: float, x: float, y: float) -> bool:
        self.done.append(("say", speaker, text, seconds, x, y))
        return speaker in ("P", "N") or speaker in self.items

    def console(self, seat: int, text: str) -> None:
        self.done.append(("console", text))

    def drop(self, name: str, x: float, y: float, note: str) -> bool:
        self.done.append(("drop", name, x, y, note))
        return name != "unicorn"

    def create(self, name: str, image: str, *rest: Any) -> str:
        self.done.append(("create", name, image, *rest))
        return "fileNotFound" if "missing" in image else ""

    def destroy(self, name: str) -> bool:
        return self.items.pop(name, None) is not None

    def push_item(self, name: str, x: float, y: float, torque: float) -> bool:
        self.done.append(("push item", name, x, y, torque))
        return name in self.items

    def item(self, name: str) -> tuple[float, float, float, float] | None:
        return self.items.get(name)

    def load(self, seat: int, file: str) -> str:
        self.done.append(("load", file))
        return "" if file == "hero.tsk" else "there is no such file, here"

    def step(self) -> None:
        self.steps += 1

    def take_events(self, seat: int) -> list[Event]:
        events, self.events = self.events, []
        return events
