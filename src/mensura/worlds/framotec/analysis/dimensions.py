"""Which dimensions of a task stand alone, what reaching the goals in each costs, and how they wait for one another.

Where every object with a goal has motors of its own and no transition changes how it moves, a task falls into legs
(:mod:`~mensura.worlds.framotec.analysis.legs`). Two ties are understood: a goal on the velocity in the same place, and
an object that locks another once it has passed a place. What else ties dimensions only makes a task harder, so the legs
are then a bound and no longer the exact cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mensura.agent.errors import MensuraError
from mensura.core.expressions.language import (
    Assignment,
    Binary,
    Name,
    Number,
)
from mensura.worlds.framotec.analysis.combination import Handover, Held, Part, Together
from mensura.worlds.framotec.analysis.legs import Leg, Stop
from mensura.worlds.framotec.model.blocks import PHYSICAL, Goal, Motor, Object, Range, Value
from mensura.worlds.framotec.model.expression import parse_assignment
from mensura.worlds.framotec.model.names import attribute_path
from mensura.worlds.framotec.model.task import Task


class Entangled(Exception):
    """The task does not fall into dimensions; the text says why."""


@dataclass(frozen=True)
class Drive:
    """A motor that moves an object, with the sign of its power towards the goal."""

    motor: str
    sign: float
    power: float
    """Watts that it is asked for at most, towards the goal."""
    brake: float
    """Watts against the motion."""


@dataclass(frozen=True)
class Move:
    """One object's way to its goal."""

    object: Object
    goal: Goal
    way: Leg | Stop
    drives: tuple[Drive, ...]
    waits: bool
    """Whether it stays where it starts as long as it gets no power."""

    @property
    def leg(self) -> Leg:
        """The leg, however it ends."""
        return self.way.leg if isinstance(self.way, Stop) else self.way


@dataclass(frozen=True)
class Locking:
    """A move that, once it has passed a place, locks others, which have to be done by then."""

    by: Move
    locked: tuple[Move, ...]
    handover: Handover


@dataclass(frozen=True)
class Dimensions:
    """A task taken apart."""

    part: Part
    alone: tuple[Move, ...]
    locking: tuple[Locking, ...]
    together: bool
    """Whether all moves have to end at the same time, since goals require others to hold now."""
    doubts: tuple[str, ...] = field(default=())
    """Why the task may cost more than its legs; none, where they tell its cost exactly."""


_Rule: TypeAlias = tuple[Assignment, bool]
"""An assignment, and whether it is made under a condition."""


def number(value: Value) -> float:
    """A number of a concrete task."""
    assert not isinstance(value, Range)
    return float(value)


def dimensions(task: Task) -> Dimensions:
    """Take a concrete task apart; raises :class:`Entangled` where that is impossible."""
    return _Anatomy(task.flat).found()


class _Anatomy:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.objects = {one.name: one for one in task.objects}
        self.goals = {goal.name: goal for goal in task.goals}
        self.doubts: list[str] = []
        self.rules: dict[str, list[_Rule]] = {}
        for transition in task.transitions:
            for source in transition.assignments:
                tree = parse_assignment(source)
                guarded = bool(transition.when) or tree.condition is not None
                self.rules.setdefault(tree.target.path, []).append((tree, guarded))

    def found(self) -> Dimensions:
        if not self.task.goals:
            raise MensuraError(f"The task {self.task.name!r} has no goal, so it costs nothing.")
        places = self._places()
        moves = {name: self._move(self.objects[name], goals) for name, goals in places.items()}
        self._look_at_the_rest()
        lockings = self._lockings(moves)
        tied = {one.object.name for lock in lockings for one in (lock.by, *lock.locked)}
        alone = tuple(move for name, move in moves.items() if name not in tied)
        parts = [self._held(move) for move in alone] + [lock.handover for lock in lockings]
        not_before = max((goal.after or 0.0 for goal in self.task.goals), default=0.0)
        together = any(
            goal.prerequisite == "now"
            and any(self._owner(other) != self._owner(goal) for other in self._prior(goal))
            for goal in self.task.goals
        )
        if (together or not_before) and not all(move.waits for move in moves.values()):
            self._doubt("not every object stays where it is until it is driven")
        return Dimensions(
            Together(tuple(parts), not_before), alone, tuple(lockings), together, (*self.doubts,)
        )

    def _doubt(self, why: str) -> None:
        if why not in self.doubts:
            self.doubts.append(why)

    def _prior(self, goal: Goal) -> list[Goal]:
        return [self.goals[name] for name in goal.prerequisites]

    def _owner(self, goal: Goal) -> str:
        return attribute_path(goal.of, self.objects).rpartition(".")[0]

    def _attribute(self, goal: Goal) -> str:
        return attribute_path(goal.of, self.objects).rpartition(".")[2]

    # Goals

    def _places(self) -> dict[str, list[Goal]]:
        """The goals on the value of each object; those on velocities have to be tied to one of them."""
        found: dict[str, list[Goal]] = {}
        for goal in self.task.goals:
            if goal.reset_when:
                self._doubt(f"goal {goal.name!r} can be reset")
            if goal.since:
                self._doubt(f"goal {goal.name!r} has times since another goal")
            if self._attribute(goal) == "value":
                found.setdefault(self._owner(goal), []).append(goal)
            elif self._attribute(goal) != "velocity" or self._owner(goal) not in self.objects:
                raise Entangled(f"goal {goal.name!r} is on {goal.of!r}, which is no place")
        for goal in self.task.goals:
            if self._attribute(goal) == "velocity" and self._owner(goal) not in found:
                raise Entangled(f"goal {goal.name!r} is on a velocity wherever the object is")
        return found

    def _held(self, move: Move) -> Part:
        longest = max(
            (goal.hold for goal in self.task.goals if self._owner(goal) == move.object.name),
            default=0.0,
        )
        if longest <= self.task.dt:
            return move.way
        self._doubt(f"goals on {move.object.name!r} have to hold for {longest:g} s")
        return Held(move.way, longest)

    # Objects

    def _move(self, one: Object, goals: Sequence[Goal]) -> Move:
        for name in PHYSICAL:
            if f"{one.name}.{name}" in self.rules:
                raise Entangled(f"a transition sets {one.name}.{name}")
        if number(one.drag):
            raise Entangled(f"{one.name!r} has drag")
        start = number(one.value)
        goal, distance, farthest, turn = self._farthest(one, goals, start)
        if one.locked and f"{one.name}.locked" not in self.rules and distance > 0.0:
            raise MensuraError(f"Object {one.name!r} is locked for ever, so {goal.name!r} fails.")
        speed = turn * number(one.velocity)
        if speed < 0.0:
            raise Entangled(f"{one.name!r} moves away from its goal at first")
        along = number(one.gravity) * math.sin(number(one.angle))
        across = max(number(one.gravity) * math.cos(number(one.angle)), 0.0)
        slowing = turn * along + number(one.mu_k) * across
        drives, factor, price = self._drives(one, turn)
        power = factor * sum(drive.power for drive in drives)
        brake = factor * sum(drive.brake for drive in drives)
        mass = number(one.mass)
        if power > 0.0 and slowing > 0.0 and speed >= power / (mass * slowing):
            raise Entangled(f"{one.name!r} moves faster at first than its motors can drive it")
        leg = Leg(mass, power, slowing, distance, speed, price)
        if not leg.possible:
            raise MensuraError(
                f"Goal {goal.name!r} cannot be reached: no motor drives {one.name!r} there."
            )
        held = number(one.mu_s) * across >= abs(along)
        low, high = one.bounds or (-math.inf, math.inf)
        held = held or (along > 0.0 and start <= low) or (along < 0.0 and start >= high)
        cap = self._cap(one, goal, turn, number(one.velocity))
        way = leg if cap is None or leg.easy else Stop(leg, cap, farthest, brake)
        return Move(one, goal, way, drives, held and speed == 0.0)

    def _farthest(
        self, one: Object, goals: Sequence[Goal], start: float
    ) -> tuple[Goal, float, float, float]:
        """The goal that is farthest away, the distances to its near and far end, and the direction."""
        low, high = one.bounds or (-math.inf, math.inf)
        found: list[tuple[float, float, float, Goal]] = []
        for goal in goals:
            middle, tolerance = number(goal.value), number(goal.tolerance)
            turn = 1.0 if middle >= start else -1.0
            near = max(abs(middle - start) - tolerance, 0.0)
            if near > (high - start if turn > 0.0 else start - low):
                raise MensuraError(
                    f"Goal {goal.name!r} cannot be reached: it is out of the bounds of {one.name!r}."
                )
            limit = high - start if turn > 0.0 else start - low
            found.append((near, min(abs(middle - start) + tolerance, limit), turn, goal))
        found.sort(key=lambda one: one[0])
        near, far, turn, goal = found[-1]
        if any(other[0] > 0.0 and other[2] != turn for other in found):
            raise Entangled(f"goals on {one.name!r} lie to both sides of its start")
        if any(other[3].prerequisites for other in found[:-1]):
            self._doubt(f"several goals on {one.name!r} require others")
        if goal.prerequisite == "now" and any(other[3] in self._prior(goal) for other in found):
            self._doubt(f"goals on {one.name!r} have to hold at the same time")
        return goal, near, far, turn

    def _drives(self, one: Object, turn: float) -> tuple[tuple[Drive, ...], float, float]:
        """The motors of an object, the share of their power that it gets, and the joules that count for one."""
        drives: list[Drive] = []
        kinds: set[tuple[float, bool]] = set()
        for motor in self.task.motors:
            targets = {name: factor for name, factor in motor.targets if factor}
            if one.name not in targets:
                continue
            if len(targets) > 1:
                raise Entangled(f"motor {motor.name!r} drives several objects")
            if not motor.exposed and f"{motor.name}.power" not in self.rules:
                continue
            drives.append(_drive(motor, targets[one.name], turn))
            kinds.add((abs(targets[one.name]), motor.counted))
        if len(kinds) > 1:
            raise Entangled(f"the motors of {one.name!r} give different work for their energy")
        factor, counted = kinds.pop() if kinds else (1.0, True)
        return tuple(drives), factor, 1.0 / factor if counted else 0.0

    def _cap(self, one: Object, goal: Goal, turn: float, velocity: float) -> float | None:
        """The highest speed at the end, where a goal limits it."""
        cap: float | None = None
        for other in self.task.goals:
            if self._owner(other) != one.name or self._attribute(other) != "velocity":
                continue
            middle, tolerance = turn * number(other.value), number(other.tolerance)
            first, then = (other, goal) if other.name in goal.prerequisites else (goal, other)
            tied = first.name in then.prerequisites and then.prerequisite == "now"
            if tied:
                if not middle - tolerance <= 0.0 <= middle + tolerance:
                    raise Entangled(f"goal {other.name!r} wants a speed in a place")
                cap = min(cap if cap is not None else math.inf, middle + tolerance)
            elif not abs(turn * velocity - middle) <= tolerance:
                raise Entangled(f"goal {other.name!r} is on a velocity wherever the object is")
        return cap

    # Ties

    def _look_at_the_rest(self) -> None:
        for path in self.rules:
            owner, _, attribute = path.rpartition(".")
            if attribute == "power" and owner not in self.objects:
                self._doubt("transitions set the power of motors")

    def _lockings(self, moves: dict[str, Move]) -> list[Locking]:
        """The locks that are understood; others are doubts."""
        locked: dict[str, list[tuple[Move, float]]] = {}
        for name, move in moves.items():
            rules = self.rules.get(f"{name}.locked")
            if rules is None:
                continue
            found = self._lock(move, rules, moves)
            if found is None:
                self._doubt(f"{name!r} is locked at times")
            else:
                locked.setdefault(found[0], []).append((move, found[1]))
        lockings = []
        for name, several in locked.items():
            ways = {way for _, way in several}
            by = moves[name]
            if (
                len(ways) > 1
                or name in {one.object.name for one, _ in several}
                or name
                in {other for other in locked if other != name and name in _names(locked[other])}
            ):
                self._doubt(f"{name!r} locks in several ways")
                continue
            parts = Together(tuple(self._held(one) for one, _ in several))
            assert isinstance(by.way, Leg)
            self._held(by)
            handover = Handover(parts, by.way, ways.pop(), slack=2.0 * self.task.dt)
            lockings.append(Locking(by, tuple(one for one, _ in several), handover))
        return lockings

    def _lock(
        self, move: Move, rules: Sequence[_Rule], moves: dict[str, Move]
    ) -> tuple[str, float] | None:
        """Who locks an object, and after what distance, if it is done by a place that is passed before a goal."""
        tree, guarded = rules[0]
        if len(rules) > 1 or guarded or not isinstance(tree.value, Binary):
            return None
        sign, left, right = tree.value.operator, tree.value.left, tree.value.right
        if isinstance(left, Number):
            left, right = right, left
            sign = sign.translate(str.maketrans("<>", "><"))
        if not isinstance(left, Name) or not isinstance(right, Number) or sign[0] not in "<>":
            return None
        name = left.path.removesuffix(".value")
        by = moves.get(name)
        if by is None or left.path != f"{name}.value" or not isinstance(by.way, Leg) or by.leg.easy:
            return None
        turn = 1.0 if number(by.goal.value) >= number(by.object.value) else -1.0
        way = turn * (right.value - number(by.object.value))
        requires = move.goal.name in by.goal.prerequisites and by.goal.prerequisite == "now"
        if (sign[0] == ">") != (turn > 0.0) or not 0.0 < way < by.leg.distance or not requires:
            return None
        return name, way


def _names(several: Sequence[tuple[Move, float]]) -> set[str]:
    return {move.object.name for move, _ in several}


def _drive(motor: Motor, factor: float, turn: float) -> Drive:
    sign = turn if factor > 0.0 else -turn
    forth = motor.power if sign > 0.0 or motor.reversible else 0.0
    back = motor.power if sign < 0.0 or motor.reversible else 0.0
    return Drive(motor.name, sign, forth, back)
