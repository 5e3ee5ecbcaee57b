"""Items and seats as bodies of the physics engine.

Everything here is built in the order of creation, so that a room that is rebuilt from its plain numbers goes on the
same to the bit, in any process.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pymunk
from pymunk import batch
from pymunk._chipmunk_cffi import ffi, lib

from mensura.worlds.pagi.anatomy import (
    BODY_FRICTION,
    GRAVITY,
    HAND_DRAG,
    HAND_MASS,
    MASS,
    RADIUS,
    ROPE,
    SHOULDERS,
    WRIST,
)
from mensura.worlds.pagi.contract import STEP
from mensura.worlds.pagi.items import Item
from mensura.worlds.pagi.kinds import MATERIALS

_DRAG = HAND_DRAG * HAND_MASS
_NO_FORCE = (0.0, 0.0)
BREAKING_LOAD = 15.0
"""The force at which the halves of a large kit part."""
FRICTIONS = {"pivoted wall": 200.0, "beam": 5.0}
"""The torque below which something on a pivot stays as it is: a wall as it was turned, a beam that is in balance."""
_THINGS, _WATER = 1, 2
"""Layers: things and bodies collide with each other, what is fixed or on a pivot with water too, hands with nothing."""
_LETS_WATER = pymunk.ShapeFilter(categories=_THINGS, mask=_THINGS)
_HOLDS_WATER = pymunk.ShapeFilter(categories=_THINGS, mask=_THINGS | _WATER)
_IS_WATER = pymunk.ShapeFilter(categories=_WATER, mask=_WATER | _THINGS)
SLOP = 0.01
"""How far things may sink into each other."""
_DULL = 0.01
"""The engine multiplies the bounces of two that touch. With this for what does not bounce, and the bounce divided by
this for what does, their product is the larger one, which is to count, without a call of Python's at every step."""
_BOUNCE = 0.75
_BOUNCING, _REACTING, _BOTH = 1, 2, 3
"""Collision types: what bounces, what something happens to when it is touched, and what is both."""
REACTING = frozenset({"kit", "soldier", "dynamite", "key", "locked box", "breaking box"})
"""Roles of what something happens to when it is touched; food is another."""
_FIELDS = batch.BodyFields.POSITION | batch.BodyFields.ANGLE | batch.BodyFields.VELOCITY
_READ_BODY = ffi.addressof(lib, "pmSpaceBodyGetIteratorFuncBatched")
_WIDTH = 5
"""Numbers of these fields."""


@dataclass
class Hand:
    """A hand, and what it holds."""

    body: pymunk.Body
    rope: pymunk.SlideJoint
    force: tuple[float, float] = (0.0, 0.0)
    """What pushes it in the coming step."""
    grip: pymunk.Constraint | None = None
    held: int = -1
    """The number of the item that it holds."""
    anchors: tuple[float, float] = (0.0, 0.0)
    """Where it holds the item, in the item's frame."""


@dataclass
class Figure:
    """The body of a seat with its hands."""

    body: pymunk.Body
    angle: float = 0.0
    """As it was turned: contacts never turn it."""
    force: tuple[float, float] = (0.0, 0.0)
    """What pushes it in the coming step."""
    hands: dict[str, Hand] = field(default_factory=dict)

    def push(self, x: float, y: float) -> None:
        """Add a force for the coming step."""
        self.force = (self.force[0] + x, self.force[1] + y)


def _bounce(arbiter: Any, space: Any, data: Any) -> None:
    """Two that bounce do so as one of them would."""
    arbiter.restitution = _BOUNCE


class Bodies:
    """The space of the engine with the bodies of items and seats."""

    def __init__(self, gravity: float = GRAVITY) -> None:
        self.gravity = gravity
        self.space = pymunk.Space()
        self.space.gravity = (0.0, -gravity)
        self.space.collision_slop = SLOP
        for one, other in ((_BOUNCING, _BOUNCING), (_BOUNCING, _BOTH), (_BOTH, _BOTH)):
            self.space.on_collision(one, other, pre_solve=_bounce)
        for kind in (_REACTING, _BOTH):
            self.space.on_collision(kind, None, begin=self._touched)
        self.touches: set[tuple[int, int, float, float, float]] = set()
        """Who began to touch whom: :meth:`take_touches`."""
        self.of: dict[int, pymunk.Body] = {}
        self.figures: list[Figure] = []
        self.kits: dict[tuple[int, int], list[pymunk.Constraint]] = {}
        """The joints of large kits, by the numbers of their halves."""
        self.ropes: dict[tuple[int, int], tuple[float, bool, pymunk.Constraint]] = {}
        """Length, whether it is stiff, and joint, by the numbers of what is tied; -1 is the first seat."""
        self.water: list[pymunk.Body] = []
        self._water_ids: list[int] = []
        self._locks: dict[int, pymunk.Constraint] = {}
        self._pivots: dict[int, list[pymunk.Constraint]] = {}
        self._buffer = batch.Buffer()
        self._poses: npt.NDArray[np.float64] = np.zeros((1, _WIDTH))
        self._rows: dict[int, int] | None = None
        self._water_rows: npt.NDArray[np.intp] = np.zeros(0, np.intp)
        self._owner: dict[int, int] = {}
        self._composed()

    # Making and removing

    def add(self, item: Item) -> None:
        """Put an item into the space."""
        if item.fixed or not item.solid:  # what nothing holds up would fall for ever
            body = pymunk.Body(body_type=pymunk.Body.STATIC)
        else:
            body = pymunk.Body(item.mass, self._moment(item))
        body.position, body.angle = (item.x, item.y), item.angle
        parts: list[Any] = [body]
        if item.solid:
            disc = item.outline == "disc"
            shape = pymunk.Circle(body, item.width / 2) if disc else pymunk.Poly(body, item.corners)
            shape.friction, bounce = MATERIALS[item.material]
            shape.elasticity = bounce / _DULL if bounce else _DULL
            reacts = item.eaten or item.endorphins or item.role in REACTING
            shape.collision_type = (_BOUNCING if bounce else 0) + (_REACTING if reacts else 0)
            shape.filter = _HOLDS_WATER if item.fixed or item.pivot else _LETS_WATER
            parts.append(shape)
        self.space.add(*parts)
        if body.body_type == pymunk.Body.DYNAMIC:
            body.velocity, body.angular_velocity = (item.vx, item.vy), item.spin
        self.of[item.number] = body
        self._owner[body.id] = item.number
        if item.pivot and body.body_type == pymunk.Body.DYNAMIC:
            self._hang(item, body)
        self._composed()

    def _moment(self, item: Item) -> float:
        if item.upright:
            return math.inf
        if item.outline == "disc":
            return float(pymunk.moment_for_circle(item.mass, 0, item.width / 2))
        return float(pymunk.moment_for_poly(item.mass, item.corners))

    def _hang(self, item: Item, body: pymunk.Body) -> None:
        """Let an item turn about its pivot."""
        place = (item.pivot_x, item.pivot_y)
        joints: list[pymunk.Constraint] = [
            pymunk.PivotJoint(self.space.static_body, body, place, body.world_to_local(place))
        ]
        if item.swing:
            most = math.radians(item.swing)
            joints.append(pymunk.RotaryLimitJoint(self.space.static_body, body, -most, most))
        if item.role in FRICTIONS:
            brake = pymunk.SimpleMotor(self.space.static_body, body, 0.0)
            brake.max_force = FRICTIONS[item.role]
            joints.append(brake)
        self.space.add(*joints)
        self._pivots[item.number] = joints
        if item.locked:
            self.lock(item)

    def lock(self, item: Item) -> None:
        """Hold an item at its angle."""
        body = self.of[item.number]
        if item.number in self._locks or body.body_type != pymunk.Body.DYNAMIC:
            return
        joint = pymunk.RotaryLimitJoint(self.space.static_body, body, body.angle, body.angle)
        self.space.add(joint)
        self._locks[item.number] = joint

    def unlock(self, item: Item) -> None:
        """Let it turn again."""
        joint = self._locks.pop(item.number, None)
        if joint is not None:
            self.space.remove(joint)

    def remove(self, number: int) -> None:
        """Take an item out, with all that ties it to others."""
        body = self.of.pop(number)
        del self._owner[body.id]
        for figure in self.figures:
            for hand in figure.hands.values():
                if hand.held == number:
                    self.let_go(hand)
        for pair in [one for one in self.kits if number in one]:
            self.part(pair)
        for pair in [one for one in self.ropes if number in one]:
            self.untie(pair)
        lock = self._locks.pop(number, None)
        joints = [*self._pivots.pop(number, []), *([lock] if lock else [])]
        self.space.remove(*joints, *body.shapes, body)
        self._composed()

    def add_figure(self, x: float, y: float, angle: float = 0.0) -> Figure:
        """A body with its hands, which hang at its sides."""
        body = pymunk.Body(MASS, math.inf)
        body.position, body.angle = (x, y), angle
        shape = pymunk.Circle(body, RADIUS)
        shape.friction, shape.elasticity = BODY_FRICTION, _DULL
        shape.filter = _LETS_WATER
        self.space.add(body, shape)
        figure = Figure(body, angle)
        for side, (dx, dy) in SHOULDERS.items():
            hand = pymunk.Body(HAND_MASS, math.inf)
            hand.position = body.local_to_world((dx, dy - 0.5))
            hand.angle = angle
            rope = pymunk.SlideJoint(body, hand, (dx, dy), WRIST, 0.0, ROPE)
            self.space.add(hand, rope)
            figure.hands[side] = Hand(hand, rope)
        self._owner[body.id] = -1 - len(self.figures)
        self.figures.append(figure)
        self._composed()
        return figure

    def hold(self, hand: Hand, number: int, anchor: tuple[float, float]) -> None:
        """Let a hand hold an item, at a place in the item's frame."""
        joint = pymunk.PivotJoint(hand.body, self.of[number], (0.0, 0.0), anchor)
        joint.collide_bodies = False
        self.space.add(joint)
        hand.grip, hand.held, hand.anchors = joint, number, anchor

    def let_go(self, hand: Hand) -> None:
        """Let a hand release what it holds."""
        if hand.grip is not None:
            self.space.remove(hand.grip)
        hand.grip, hand.held, hand.anchors = None, -1, (0.0, 0.0)

    def join(self, left: Item, right: Item) -> None:
        """Make the halves of a large kit one; each half's middle is a width from the other's."""
        a, b = self.of[left.number], self.of[right.number]
        w, h = left.width / 2, left.height / 2
        joints = [pymunk.PivotJoint(a, b, (w, y), (-w, y)) for y in (-h, h)]
        for one in joints:
            one.collide_bodies = False
        self.space.add(*joints)
        self.kits[left.number, right.number] = list(joints)

    def part(self, pair: tuple[int, int]) -> None:
        """Break a large kit."""
        self.space.remove(*self.kits.pop(pair))

    def tie(self, one: int, other: int, length: float, stiff: bool) -> None:
        """Tie two items by a rope, or by a stiff wire."""
        a, b = self.of[one], self.of[other]
        joint: pymunk.Constraint
        if stiff:
            joint = pymunk.SlideJoint(a, b, (0, 0), (0, 0), length, length)
        else:
            joint = pymunk.SlideJoint(a, b, (0, 0), (0, 0), 0.0, length)
        self.space.add(joint)
        self.ropes[one, other] = (length, stiff, joint)
        self.changed = True

    def untie(self, pair: tuple[int, int]) -> None:
        """Cut a rope."""
        self.space.remove(self.ropes.pop(pair)[2])
        self.changed = True

    def add_water(
        self, x: float, y: float, radius: float, vx: float = 0.0, vy: float = 0.0
    ) -> None:
        """A disc of water."""
        body = pymunk.Body(math.pi * radius * radius, math.inf)
        body.position, body.velocity = (x, y), (vx, vy)
        shape = pymunk.Circle(body, radius)
        shape.friction = 0.0
        shape.filter = _IS_WATER
        self.space.add(body, shape)
        self.water.append(body)
        self._water_ids.append(body.id)
        self._composed()

    def remove_water(self, bodies: list[pymunk.Body]) -> None:
        """Let discs of water drain away."""
        for body in bodies:
            self.space.remove(*body.shapes, body)
            self.water.remove(body)
            self._water_ids.remove(body.id)
        self._composed()

    # Time and what is where

    def step(self) -> None:
        """One step; hands are free of gravity and slowed by drag."""
        lift = self.gravity * HAND_MASS
        # By the engine's own functions, which pymunk has no public names for: setting a property of its Python classes
        # looks at all their attributes first, and takes four times as long.
        for figure in self.figures:
            if figure.force != _NO_FORCE:
                lib.cpBodySetForce(figure.body._body, figure.force)
                figure.force = _NO_FORCE
            for hand in figure.hands.values():
                handle = hand.body._body
                x, y = hand.force
                speed = lib.cpBodyGetVelocity(handle)
                lib.cpBodySetForce(handle, (x - _DRAG * speed.x, y + lift - _DRAG * speed.y))
                hand.force = _NO_FORCE
        self.space.step(STEP)

    def broken(self) -> list[tuple[int, int]]:
        """The large kits whose joints bear more than they can."""
        most = BREAKING_LOAD * STEP
        return [
            pair for pair, joints in self.kits.items() if sum(one.impulse for one in joints) > most
        ]

    def poses(self) -> npt.NDArray[np.float64]:
        """Place, angle and velocity of every body, and a row of zeros for what is not tied to any.

        It is the same memory every time.
        """
        if self._rows is None:
            self.rows()
        # As batch.get_space_bodies does, without making its arguments anew every time.
        self._batch.floatArray.num = 0
        lib.cpSpaceEachBody(self.space._space, _READ_BODY, self._batch)
        return self._poses

    def _composed(self) -> None:
        """Bodies came or went."""
        self.changed = True
        self._rows = None

    def rows(self) -> dict[int, int]:
        """The row of each body among the poses, by its id."""
        if self._rows is None:
            buffer = batch.Buffer()
            batch.get_space_bodies(self.space, batch.BodyFields.BODY_ID, buffer)
            numbers = np.frombuffer(buffer.int_buf(), np.uintp).tolist()
            self._rows = {one: row for row, one in enumerate(numbers)}
            # The engine writes into this array, which has to be large enough.
            self._poses = np.zeros((len(numbers) + 1, _WIDTH))
            self._buffer.set_float_buf(self._poses)
            self._batch = ffi.new("pmBatchedData *")
            self._batch.fields = _FIELDS.value
            self._batch.floatArray = self._buffer._float_arr
            self._batch.intArray = self._buffer._int_arr
            self._water_rows = np.array([self._rows[one] for one in self._water_ids], np.intp)
        return self._rows

    @property
    def water_rows(self) -> npt.NDArray[np.intp]:
        """The rows of the discs of water among the poses."""
        self.rows()
        return self._water_rows

    def water_places(self) -> npt.NDArray[np.float64]:
        """Where the discs of water are."""
        return np.ascontiguousarray(self.poses()[self.water_rows, :2])

    def _touched(self, arbiter: Any, space: Any, data: Any) -> None:
        """Note who begins to touch whom."""
        a, b = (self._owner.get(body.id) for body in arbiter.bodies)
        points = arbiter.contact_point_set.points
        if a is not None and b is not None and points:
            place = points[0].point_a
            one, other = arbiter.bodies
            speed = abs(one.velocity - other.velocity)
            self.touches.add((min(a, b), max(a, b), place.x, place.y, speed))

    def take_touches(self) -> list[tuple[int, int, float, float, float]]:
        """Who began to touch whom since this was asked last: items by number, seats as -1 - seat, where, and how fast.

        The engine tells them in an order of its own.
        """
        found = sorted(self.touches)
        self.touches.clear()
        return found
