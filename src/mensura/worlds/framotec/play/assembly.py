"""A task as the kernel reads it: its program and its row at the start, and what stands where in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.core.expressions.bytecode import DO, KEEP_NOT_NEGATIVE, KEEP_POSITIVE, READ, Operand
from mensura.core.expressions.kernel import TROUBLES
from mensura.core.expressions.language import Place, quoted, spot
from mensura.worlds.framotec.model.blocks import MOST_STEPS, PHYSICAL, Goal, Range, Sensor, Value
from mensura.worlds.framotec.model.expression import parse_assignment, parse_expression
from mensura.worlds.framotec.model.names import attribute_path, goal_order
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.play.bytecode import Found, Power, Sensed, TaskWriter
from mensura.worlds.framotec.play.kernels import kernel

MOST_INSTRUCTIONS = 65_536
"""A draw of noise is named by its instruction, and there are so many names."""
LARGEST_ROW = 50_000_000

_GLOBALS = {
    "time": kernel.TIME,
    "dt": kernel.DT,
    "energy": kernel.ENERGY,
    "reward": kernel.REWARD,
}
_GUARDS = {
    "mass": KEEP_POSITIVE,
    "mu_k": KEEP_NOT_NEGATIVE,
    "mu_s": KEEP_NOT_NEGATIVE,
    "drag": KEEP_NOT_NEGATIVE,
}


@dataclass(frozen=True)
class Origin:
    """Where an instruction comes from."""

    part: str
    source: str
    place: Place
    at: tuple[str, str, *tuple[str | int, ...]]
    """The kind and the whole name of the part, and where in it the expression stands."""


class TroubleError(MensuraError):
    """What went wrong while a task ran, with the expression that it happened in, if it was one."""

    origin: Origin | None = None


@dataclass(frozen=True)
class Assembly:
    """What the kernel needs to run a task; the arrays are shared and not to be changed."""

    task: Task
    """Without systems, and concrete."""
    program: npt.NDArray[np.int64]
    row: npt.NDArray[np.float64]
    """At the start."""
    slots: dict[str, int] = field(repr=False)
    """Where the numbers stand that can be read, by their paths."""
    motors: dict[str, int] = field(repr=False)
    """The numbers of motors by name."""
    goals: dict[str, int] = field(repr=False)
    """The numbers of goals by name, in the order in which they are asserted."""
    origins: tuple[Origin, ...] = field(repr=False)
    """Where each instruction comes from."""

    def motor_slot(self, name: str, which: int = kernel.ASKED) -> int:
        """Where a number of a motor stands in the row."""
        at = int(self.program[kernel.ROW_MOTORS])
        return at + kernel.MOTOR_ROW * self.motors[name] + which

    def goal_slot(self, name: str, which: int = kernel.SATISFIED) -> int:
        """Where a number of a goal stands in the row."""
        at = int(self.program[kernel.ROW_GOALS])
        return at + kernel.GOAL_ROW * self.goals[name] + which

    def trouble(self, error: int, at: int, time: float) -> MensuraError:
        """The sentence for what went wrong while a task ran."""
        if error == kernel.RUNAWAY:
            name = self.task.objects[at].name
            return MensuraError(
                f"At {time:g} s object {name!r} has gone beyond all numbers; smaller steps of dt, drag or "
                "bounds would keep it."
            )
        origin = self.origins[at]
        words = TROUBLES[error]
        where = spot(origin.source, origin.place)
        trouble = TroubleError(
            f"At {time:g} s in {origin.part}: in {quoted(origin.source)}, {where}, {words}."
        )
        trouble.origin = origin
        return trouble


@lru_cache(maxsize=256)
def assembled(task: Task) -> Assembly:
    """The program and the row of a concrete task."""
    if not task.concrete:
        raise MensuraError(
            f"The task {task.name!r} has ranges instead of numbers; sample a concrete one of it first."
        )
    return _Assembler(task.flat).assembly()


class _Assembler:
    """Gives everything its place."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.objects = {one.name: i for i, one in enumerate(task.objects)}
        self.motors = {motor.name: i for i, motor in enumerate(task.motors)}
        self.sensors = {sensor.name: i for i, sensor in enumerate(task.sensors)}
        self.ordered = goal_order(task)
        self.goals = {goal.name: i for i, goal in enumerate(self.ordered)}
        self.at_motors = kernel.ROW_HEAD + kernel.OBJECT * len(self.objects)
        self.at_goals = self.at_motors + kernel.MOTOR_ROW * len(self.motors)
        self.at_attributes = self.at_goals + kernel.GOAL_ROW * len(self.goals)
        self.slots = dict(self._slots())
        self.origins: list[Origin] = []
        self.writer = TaskWriter(self._find)

    def _slots(self) -> Iterator[tuple[str, int]]:
        yield from _GLOBALS.items()
        at = self.at_attributes
        for i, one in enumerate(self.task.objects):
            first = kernel.ROW_HEAD + kernel.OBJECT * i
            for k, name in enumerate((*PHYSICAL, "locked")):
                yield f"{one.name}.{name}", first + k
            for name, _ in one.attributes:
                yield f"{one.name}.{name}", at
                at += 1
        for name, i in self.motors.items():
            yield f"{name}.power", self.at_motors + kernel.MOTOR_ROW * i + kernel.GIVEN
        for name, i in self.goals.items():
            yield f"{name}.distance", self.at_goals + kernel.GOAL_ROW * i + kernel.DISTANCE
            yield f"{name}.satisfied", self.at_goals + kernel.GOAL_ROW * i + kernel.SATISFIED

    def _find(self, path: str) -> Found:
        owner = path.rpartition(".")[0]
        if owner in self.sensors:
            return Sensed(self.sensors[owner])
        if owner in self.motors:
            return Power(self.slots[path], self.motors[owner])
        return self.slots[path]

    def assembly(self) -> Assembly:
        """All of it."""
        task = self.task
        transitions = self._transitions()
        factors = [self.writer.constant(f) for motor in task.motors for _, f in motor.targets]
        layers, sensors, lags = self._sensors()
        own = sum(len(one.attributes) for one in task.objects)
        self.at_constants = self.at_attributes + own
        self.at_temporaries = self.at_constants + len(self.writer.constants)
        # A reading's instruction names its sensor where others name a place, which is looked at all the same.
        size = max(self.at_temporaries + self.writer.temporaries, len(sensors))
        histories = []
        for root, lag in lags:
            histories.append((root, size, lag + 1))
            size += lag + 1
        if size > LARGEST_ROW:
            raise MensuraError(
                f"The task {task.name!r} would take {size} numbers of memory, over {LARGEST_ROW}; "
                "sensors with less latency would take fewer."
            )
        links = [
            (self.motors[motor.name], self.objects[target])
            for motor in task.motors
            for target, _ in motor.targets
        ]
        exposed = [i for i, motor in enumerate(task.motors) if motor.exposed]
        goals, prior = self._goals()
        instructions = [
            (i.operation, self._at(i.result), self._at(i.first), self._at(i.second))
            for i in self.writer.instructions
        ]
        if len(instructions) > MOST_INSTRUCTIONS:
            raise MensuraError(
                f"The transitions of {task.name!r} have {len(instructions)} instructions, over "
                f"{MOST_INSTRUCTIONS}; make them fewer or shorter."
            )
        head = [0] * kernel.PROGRAM_HEAD
        parts = list(head)
        for count, at, rows in (
            (kernel.MOTORS, kernel.AT_MOTORS, [(m.reversible, m.counted) for m in task.motors]),
            (
                kernel.LINKS,
                kernel.AT_LINKS,
                [(*link, self._at(f)) for link, f in zip(links, factors, strict=True)],
            ),
            (kernel.SENSORS, kernel.AT_SENSORS, sensors),
            (None, kernel.AT_LAYERS, layers),
            (kernel.GOALS, kernel.AT_GOALS, goals),
            (None, kernel.AT_PRIOR, [(one,) for one in prior]),
            (kernel.INSTRUCTIONS, kernel.AT_INSTRUCTIONS, instructions),
            (kernel.HISTORIES, kernel.AT_HISTORIES, histories),
            (kernel.EXPOSED, kernel.AT_EXPOSED, [(one,) for one in exposed]),
        ):
            head[at] = len(parts)
            if count is not None:
                head[count] = len(rows)
            for row in rows:
                parts.extend(int(number) for number in row)
        head[kernel.OBJECTS] = len(self.objects)
        head[kernel.AUTHORS] = task.integrator == "authors-2016"
        head[kernel.TIME_LIMIT] = self._steps(task.limits.time)
        head[kernel.ROW_MOTORS] = self.at_motors
        head[kernel.ROW_GOALS] = self.at_goals
        head[kernel.RESETS] = transitions
        targets = {
            parse_assignment(source).target.path
            for transition in task.transitions
            for source in transition.assignments
        }
        head[kernel.SETS_DRIVE] = any(path.endswith((".power", ".mass")) for path in targets)
        head[kernel.MEASURED] = self._measured(sensors)
        program = np.array([*head, *parts[len(head) :]], np.int64)
        begin = self._row(size)
        program.setflags(write=False)
        begin.setflags(write=False)
        origins = tuple(self.origins[i.statement] for i in self.writer.instructions)
        places = tuple(
            replace(origin, place=i.place)
            for origin, i in zip(origins, self.writer.instructions, strict=True)
        )
        return Assembly(task, program, begin, self.slots, self.motors, self.goals, places)

    def _at(self, operand: Operand) -> int:
        first = {
            "attribute": 0,
            "number": 0,
            "constant": self.at_constants,
            "temporary": self.at_temporaries,
        }[operand.kind]
        return first + operand.number

    def _measured(self, sensors: list[tuple[int, ...]]) -> bool:
        """Whether distances of goals are read within a tick."""
        slots = {self.slots[f"{goal}.distance"] for goal in self.goals} | {kernel.REWARD}
        read = {
            operand.number
            for one in self.writer.instructions
            for operand in (one.first, one.second)
            if operand.kind == "attribute"
        }
        senses = any(one.operation == READ for one in self.writer.instructions)
        late = {sensor[kernel.ROOT] for sensor in sensors if senses or sensor[kernel.HISTORY] >= 0}
        return bool(slots & (read | late))

    def _steps(self, seconds: float | None) -> int:
        """A time in steps of dt; -1 for none, or for one beyond all counting."""
        if seconds is None or seconds / self.task.dt > 2**53:
            return -1
        return round(seconds / self.task.dt)

    # Instructions

    def _begin(self, part: str, source: str, kind: str, name: str, *field: str | int) -> None:
        self.origins.append(Origin(part, source, Place(1, 1), (kind, name, *field)))
        self.writer.begin()

    def _transitions(self) -> int:
        """Write transitions, then resets of goals; how many instructions the first have."""
        for transition in self.task.transitions:
            part = f"transition {transition.name!r}"
            jump = None
            if transition.when:
                self._begin(
                    f"the condition of {part}",
                    transition.when,
                    "transitions",
                    transition.name,
                    "when",
                )
                jump = self.writer.jump_if_false(parse_expression(transition.when))
            for i, source in enumerate(transition.assignments):
                self._begin(part, source, "transitions", transition.name, "assignments", i)
                tree = parse_assignment(source)
                owner, _, attribute = tree.target.path.rpartition(".")
                guard = _GUARDS.get(attribute) if owner in self.objects else None
                self.writer.assignment(tree, guard)
            if jump is not None:
                self.writer.land(jump)
        transitions = len(self.writer.instructions)
        for goal in self.ordered:
            if goal.reset_when:
                self._begin(
                    f"the reset of goal {goal.name!r}",
                    goal.reset_when,
                    "goals",
                    goal.name,
                    "reset_when",
                )
                jump = self.writer.jump_if_false(parse_expression(goal.reset_when))
                self.writer.emit(DO, Operand("number", self.goals[goal.name]))
                self.writer.land(jump)
        return transitions

    # Sensors

    def _sensors(
        self,
    ) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]], list[tuple[int, int]]]:
        """The layers of all sensors, the sensors, and for each history what it keeps and for how many steps."""
        layers: list[tuple[int, ...]] = []
        rows: list[tuple[int, ...]] = []
        histories: list[tuple[int, int]] = []
        known = {sensor.name: sensor for sensor in self.task.sensors}
        for sensor in self.task.sensors:
            chain: list[Sensor] = [sensor]
            while chain[-1].source in known:
                chain.append(known[chain[-1].source])
            lag = 0
            own: list[tuple[int, ...]] = []
            for one in chain:
                lag += self._steps(one.latency)
                digits = kernel.NO_DIGITS if one.digits is None else one.digits
                spread = self.writer.constant(one.distortion)
                own.append((self.sensors[one.name], lag, digits, spread.number))
            root = self.slots[attribute_path(chain[-1].source, self.objects)]
            if lag > MOST_STEPS:
                raise MensuraError(
                    f"Sensor {sensor.name!r} lags {lag} steps of dt behind; at most {MOST_STEPS} are possible."
                )
            rows.append((root, len(histories) if lag else -1, len(layers), len(chain)))
            if lag:
                histories.append((root, lag))
            layers.extend(reversed(own))
        # Constants have their place after the attributes, which are all counted by now.
        first = self.at_attributes + sum(len(one.attributes) for one in self.task.objects)
        return [(*layer[:-1], first + layer[-1]) for layer in layers], rows, histories

    # Goals

    def _goals(self) -> tuple[list[tuple[int, ...]], list[int]]:
        rows: list[tuple[int, ...]] = []
        prior: list[int] = []
        for goal in self.ordered:
            begin = len(prior)
            prior += [self.goals[name] for name in goal.prerequisites]
            rows.append(
                (
                    self.slots[attribute_path(goal.of, self.objects)],
                    max(self._steps(goal.after), 0),
                    self._steps(goal.before),
                    self.goals[goal.since] if goal.since else -1,
                    max(self._steps(goal.after_since), 0),
                    self._steps(goal.before_since),
                    self._steps(goal.hold),
                    goal.prerequisite == "now",
                    begin,
                    len(prior),
                )
            )
        return rows, prior

    # The row

    def _row(self, size: int) -> npt.NDArray[np.float64]:
        task = self.task
        row = np.zeros(size)
        row[kernel.DT] = task.dt
        limit = task.limits.energy
        # Energy is a sum of many small parts: whoever spends just the limit is not to fail by their rounding.
        row[kernel.ENERGY_LIMIT] = np.inf if limit is None else limit * (1.0 + 1e-9)
        driven = {target for motor in task.motors for target, _ in motor.targets}
        for i, one in enumerate(task.objects):
            block = row[kernel.ROW_HEAD + kernel.OBJECT * i :][: kernel.OBJECT]
            block[: len(PHYSICAL)] = [getattr(one, name) for name in PHYSICAL]
            block[kernel.LOCKED] = one.locked
            block[kernel.LOW], block[kernel.HIGH] = one.bounds or (-np.inf, np.inf)
            block[kernel.DRIVEN] = one.name in driven
            for name, value in one.attributes:
                row[self.slots[f"{one.name}.{name}"]] = _number(value)
        for i, motor in enumerate(task.motors):
            row[self.at_motors + kernel.MOTOR_ROW * i + kernel.MOST] = motor.power
        goal: Goal
        for i, goal in enumerate(self.ordered):
            at = self.at_goals + kernel.GOAL_ROW * i
            row[at + kernel.WANTED] = _number(goal.value)
            row[at + kernel.TOLERANCE] = _number(goal.tolerance)
        for value, number in self.writer.constants.items():
            row[self.at_constants + number] = value
        return row


def _number(value: Value) -> float:
    """A number of a concrete task."""
    assert not isinstance(value, Range)
    return value
