"""A room with bodies and objects: the physical half of PAGI World, as the controls of seats see it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.worlds.pagi import arranging, effectors
from mensura.worlds.pagi.anatomy import GRAVITY
from mensura.worlds.pagi.arranging import LONGEST_SPEECH
from mensura.worlds.pagi.contract import STEP, Event, Field, Side, Sight, Touch
from mensura.worlds.pagi.happenings import ACTING, HOT, happen
from mensura.worlds.pagi.items import Item, make_item
from mensura.worlds.pagi.kinds import KINDS
from mensura.worlds.pagi.seat_state import USUAL_FORCES, Bubble, Forces, SeatState
from mensura.worlds.pagi.senses import FIRST_SENSOR, HANDS, Senses
from mensura.worlds.pagi.water import RADIUS as WATER_RADIUS
from mensura.worlds.pagi.water import Water

if TYPE_CHECKING:
    from mensura.worlds.pagi.space import Bodies

MOST_ITEMS = 400
"""No room has more objects; water is counted apart."""
MOST_EVENTS = 1000
"""So many are kept for a seat that does not ask."""


def _bodies(gravity: float) -> Bodies:
    """The bodies of the engine, which is an extra."""
    try:
        from mensura.worlds.pagi.space import Bodies
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "mensura":
            raise
        raise MensuraError("PAGI World needs the extra pagi: pip install 'mensura[pagi]'") from None
    return Bodies(gravity)


class PagiRoom:
    """One room. What it is made of is plain data at any time between two steps (:mod:`mensura.worlds.pagi.frames`)."""

    def __init__(
        self,
        places: Sequence[tuple[float, float]] = ((0.0, 1.14),),
        *,
        preset: str = "paper",
        gravity: float = GRAVITY,
        forces: Forces = USUAL_FORCES,
        key: Key = 0,
    ) -> None:
        self.bodies = _bodies(gravity)
        self.preset = preset
        self.forces = forces
        self.key = key
        self.steps = 0
        self.next_number = 0
        self.items: dict[int, Item] = {}
        self.bubbles: list[Bubble] = []
        self.seats: list[SeatState] = []
        self.names_of_seats: list[str] = []
        self.inside: dict[int, list[tuple[str, str]]] = {}
        """Who is in which trigger box."""
        self.with_roles: list[Item] = []
        """The items that are looked after at every step."""
        self.printed: list[tuple[int, str]] = []
        """What seats printed since somebody looked."""
        self.spoken: list[tuple[int, str]] = []
        """What seats said since somebody looked; items are -1."""
        self.minds_heat = False
        """Whether somebody wants to know how long hot things are touched."""
        self.solved = False
        self.felt = 0.0
        """Endorphins of the present seat in the last interaction, for rewards."""
        self.pushed: dict[tuple[int, str], tuple[float, float]] = {}
        """The forces and turns of the coming step so far, by seat and part."""
        self.jumped: set[int] = set()
        self.loader: Callable[[int, str], str] | None = None
        self.pictures: Callable[[str], tuple[float, float] | str] | None = None
        """The size of a picture of the task's folder, or why there is none."""
        self.water_radius = WATER_RADIUS
        self.water = Water(self)
        for x, y in places:
            self.add_seat(x, y)
        self.senses = Senses(self, preset)

    def add_seat(self, x: float, y: float, angle: float = 0.0) -> None:
        """A body for another seat."""
        self.bodies.add_figure(x, y, angle)
        self.names_of_seats.append("agent" if not self.seats else f"agent{len(self.seats) + 1}")
        self.seats.append(SeatState())

    # Items

    def put(self, kind: str, name: str = "", **changes: Any) -> Item:
        """Put an object of a kind into the room; a sentence where there cannot be one."""
        if kind == "largeMedkit":
            return self._put_large_kit(name or self._free_name(kind), changes)
        return self._add(make_item(kind, name or self._free_name(kind), **changes))

    def _put_large_kit(self, name: str, changes: dict[str, Any]) -> Item:
        x, own = changes.pop("x", 0.0), KINDS["halfMedkit"].width
        left = self._add(make_item("halfMedkit", name, x=x - own / 2, **changes))
        right = self._add(
            make_item("halfMedkit", self._free_name(f"{name}Half"), x=x + own / 2, **changes)
        )
        self.bodies.join(left, right)
        return left

    def _free_name(self, kind: str) -> str:
        taken = {one.name for one in self.items.values()}
        if kind not in taken:
            return kind
        number = 2
        while f"{kind}{number}" in taken:
            number += 1
        return f"{kind}{number}"

    def _add(self, item: Item) -> Item:
        if self.is_full:
            raise MensuraError(f"The room holds {MOST_ITEMS} objects already; remove one first.")
        if self.find(item.name) is not None:
            raise MensuraError(
                f"There is an object {item.name!r:.60} already; names are different."
            )
        item.number = self.next_number
        self.next_number += 1
        self.enter(item)
        return item

    def enter(self, item: Item) -> None:
        """Let an item with a number of its own be in the room."""
        self.items[item.number] = item
        self.bodies.add(item)
        if item.role in ACTING:
            self.with_roles.append(item)
        self.water.look_for(item)

    def remove(self, item: Item) -> None:
        """Take an object out of the room."""
        if self.items.pop(item.number, None) is None:
            return
        self.bodies.remove(item.number)
        self.bubbles = [one for one in self.bubbles if one.owner != item.number]
        self.inside.pop(item.number, None)
        self.water.forget(item)
        if item in self.with_roles:
            self.with_roles = [one for one in self.with_roles if one is not item]

    @property
    def is_full(self) -> bool:
        """Whether there is no room for more objects."""
        return len(self.items) >= MOST_ITEMS

    def find(self, name: str) -> Item | None:
        """The object of a name."""
        for item in self.items.values():
            if item.name == name:
                return item
        return None

    def is_held(self, name: str) -> bool:
        """Whether a hand holds the object of a name."""
        item = self.find(name)
        if item is None:
            return False
        return any(
            hand.held == item.number for one in self.bodies.figures for hand in one.hands.values()
        )

    def is_joined(self, name: str) -> bool:
        """Whether the object of a name is a half of a large kit that is whole."""
        item = self.find(name)
        return item is not None and any(item.number in pair for pair in self.bodies.kits)

    # What happens to seats

    def _burn(self) -> None:
        """Measure how long each sensor touches something hot."""
        for seat, state in enumerate(self.seats):
            hot = (self.senses.touched(seat)[:, 1] > HOT).tolist()
            state.burning = [
                count + 1 if one else 0 for count, one in zip(state.burning, hot, strict=True)
            ]
            state.hot = max(state.hot, max(state.burning) * STEP)

    def tell(self, seat: int, event: Event) -> None:
        """Let a seat know something unasked."""
        events = self.seats[seat].events
        if len(events) < MOST_EVENTS:
            events.append(event)

    def feel(self, seat: int, endorphins: float, sensor: int) -> None:
        """Let a body feel good or bad."""
        self.seats[seat].endorphins += endorphins
        self.tell(seat, Event("RD", (f"{endorphins:g}", str(sensor))))

    def take_events(self, seat: int) -> list[Event]:
        """What happened since this was asked last."""
        state = self.seats[seat]
        events, state.events = state.events, []
        return events

    # Sensors

    @property
    def seconds(self) -> float:
        """Simulated time since the beginning."""
        return self.steps * STEP

    def touch(self, seat: int, part: Literal["B", "L", "R"], index: int) -> Touch:
        """B0 to B7, L0 to L4, R0 to R4."""
        return self.senses.touch(seat, FIRST_SENSOR[part] + index)

    def aspects(self, seat: int) -> npt.NDArray[np.float64]:
        """All readings of touch and the pose, in a row."""
        return self.senses.aspects(seat)

    def look(self, seat: int, field: Field, x: int, y: int) -> Sight:
        """One point of a visual field."""
        return self.senses.look(seat, field, x, y)

    def names(self, seat: int, field: Field) -> Sequence[str]:
        """Names at all points, rows from the bottom, x fastest; empty for nothing."""
        return self.senses.names(seat, field)

    def velocity(self, seat: int) -> tuple[float, float]:
        """S."""
        x, y = self.bodies.figures[seat].body.velocity
        return x, y

    def place(self, seat: int) -> tuple[float, float]:
        """BP."""
        x, y = self.bodies.figures[seat].body.position
        return x, y

    def hand(self, seat: int, side: Side) -> tuple[float, float]:
        """LP, RP."""
        at = HANDS[side]
        x, y = self.senses.aspects(seat)[at : at + 2].tolist()
        return x, y

    def rotation(self, seat: int) -> float:
        """A, in radians."""
        return float(self.bodies.figures[seat].body.angle)

    def holds(self, seat: int, side: Side) -> Item | None:
        """What a hand holds."""
        return self.items.get(self.bodies.figures[seat].hands[side].held)

    # Effectors

    def push(self, seat: int, part: Literal["B", "L", "R"], x: float, y: float) -> None:
        """A force for the coming physics step, in the frame of the body; limited by the task."""
        effectors.push(self, seat, part, x, y)

    def turn(self, seat: int, degrees: float) -> None:
        """BR."""
        effectors.turn(self, seat, degrees)

    def jump(self, seat: int) -> bool:
        """J; whether there was something to jump from."""
        return effectors.jump(self, seat)

    def grip(self, seat: int, side: Side) -> bool:
        """LHG, RHG; whether there was something to grip."""
        return effectors.grip(self, seat, side)

    def release(self, seat: int, side: Side) -> bool:
        """LHR, RHR; whether something was held."""
        return effectors.release(self, seat, side)

    def say(self, seat: int, speaker: str, text: str, seconds: float, x: float, y: float) -> bool:
        """P is the seat itself, N nobody, else an item; whether there is such a speaker."""
        return arranging.say(self, seat, speaker, text, seconds, x, y)

    def console(self, seat: int, text: str) -> None:
        """What the seat prints."""
        if len(self.printed) < MOST_EVENTS:
            self.printed.append((seat, text[:LONGEST_SPEECH]))

    # Arranging

    def drop(self, name: str, x: float, y: float, note: str) -> bool:
        """An object of a kind; whether there is such a kind."""
        if name not in KINDS or not (math.isfinite(x) and math.isfinite(y)):
            return False
        try:
            self.put(name, "", x=x, y=y, note=note)
        except MensuraError:
            return False
        return True

    def create(self, name: str, image: str, x: float, y: float, mass: float, material: int, radians: float,
               endorphins: float, kind: int) -> str:  # fmt: skip
        """An item with a picture; why not, or nothing."""
        values = {
            "x": x,
            "y": y,
            "mass": mass,
            "material": material,
            "angle": radians,
            "endorphins": endorphins,
        }
        return arranging.create(self, name, image, kind, values)

    def destroy(self, name: str) -> bool:
        """Whether there was such an item."""
        item = self.find(name)
        if item is not None:
            self.remove(item)
        return item is not None

    def push_item(self, name: str, x: float, y: float, torque: float) -> bool:
        """Whether there is such an item."""
        return arranging.push_item(self, name, x, y, torque)

    def item(self, name: str) -> tuple[float, float, float, float] | None:
        """Its place and velocity."""
        item = self.find(name)
        if item is None:
            return None
        body = self.bodies.of[item.number]
        return (*body.position, *body.velocity)

    def load(self, seat: int, file: str) -> str:
        """Begin another task of the task's folder; why not, or nothing."""
        return "tasks are not loaded here" if self.loader is None else self.loader(seat, file)

    # Time

    def step(self) -> None:
        """One physics step, with the forces that were added since the last."""
        for seat, state in enumerate(self.seats):
            if state.drive != (0.0, 0.0):
                self.bodies.figures[seat].push(*state.drive)
        if self.water.there:
            self.water.lift()
        self.bodies.step()
        self.steps += 1
        if self.pushed:
            self.pushed.clear()
        if self.jumped:
            self.jumped.clear()
        self.senses.forget()
        happen(self)
        if self.minds_heat:
            self._burn()
        if self.water.there:
            self.water.flow()
        if self.bubbles and any(one.until <= self.steps for one in self.bubbles):
            self.bubbles = [one for one in self.bubbles if one.until > self.steps]
            self.bodies.changed = True
