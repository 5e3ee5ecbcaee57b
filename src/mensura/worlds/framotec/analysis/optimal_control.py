"""Fronts by numerical optimal control, for tasks whose dimensions are tied in smooth ways.

The motion is written down for N intervals of time (direct transcription) and handed to CasADi (Andersson et al. 2019),
whose interior-point solver IPOPT (Wächter and Biegler 2006) finds powers that spend least, or take least time, under
it. With q = v |v| / 2 an interval of h seconds obeys

    q' - q = h (P / m - mu_k g cos(angle) v - g sin(angle) |v| - c |v|^2 v / m),    x' - x = h v,

with v the mean of both ends, so work and energy agree exactly for every N and only time is approximate. What is
found is an optimum among its neighbors; that there is no better one elsewhere is not proven.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.core.expressions.language import (
    CONSTANTS,
    Assignment,
    Binary,
    Boolean,
    Call,
    Choice,
    Name,
    Node,
    Number,
    Unary,
)
from mensura.worlds.framotec.analysis.dimensions import Entangled, dimensions, number
from mensura.worlds.framotec.analysis.legs import Numbers
from mensura.worlds.framotec.model.blocks import PHYSICAL, Goal, Object
from mensura.worlds.framotec.model.expression import names_in, parse_assignment
from mensura.worlds.framotec.model.names import attribute_path
from mensura.worlds.framotec.model.task import Task

INTERVALS = 120
SLOWEST = 1.6
"""Fronts go as far as so many times the least time."""
MARGIN = 0.005
"""Times of a numerical front are shortened by this share: more than the intervals make them uncertain."""
_ROUND = 1e-3
"""The speed below which |v| is rounded off."""
_SOLVED = ("Solve_Succeeded", "Solved_To_Acceptable_Level")


def _casadi() -> Any:
    try:
        import casadi
    except ModuleNotFoundError:
        raise MensuraError(
            "Optimal control needs the extra control: pip install 'mensura[control]'"
        ) from None
    return casadi


# What can be written down -------------------------------------------------------------

_SMOOTH = frozenset(
    {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log"}
) | {*("abs", "hypot", "min", "max", "clip", "wave")}


def _refuse_what_is_not_smooth(task: Task) -> None:
    for transition in task.transitions:
        where = f"transition {transition.name!r}"
        if transition.when:
            raise Entangled(f"{where} has a condition")
        for source in transition.assignments:
            tree = parse_assignment(source)
            _refuse_assignment(tree, task, where)
    for goal in task.goals:
        if goal.reset_when or goal.since or goal.hold > task.dt:
            raise Entangled(f"goal {goal.name!r} has resets, times since another or a time to hold")
        owner, _, attribute = attribute_path(goal.of, {o.name for o in task.objects}).rpartition(
            "."
        )
        if attribute not in ("value", "velocity") or owner not in {o.name for o in task.objects}:
            raise Entangled(f"goal {goal.name!r} is on {goal.of!r}")


def _refuse_assignment(tree: Assignment, task: Task, where: str) -> None:
    if tree.condition is not None:
        raise Entangled(f"{where} has a condition")
    path = tree.target.path
    attribute = path.rpartition(".")[2]
    if attribute in ("locked", "value"):
        raise Entangled(f"{where} sets {path}")
    known = {f"{o.name}.{a}" for o in task.objects for a in PHYSICAL}
    known |= {f"{o.name}.{a}" for o in task.objects for a, _ in o.attributes}
    known |= {f"{motor.name}.power" for motor in task.motors} | {"time", "dt"}
    for name in names_in(tree.value):
        if name.path not in known or name.path == path:
            raise Entangled(f"{where} depends on {name.path}")
    _refuse_node(tree.value, where)


def _refuse_node(node: Node, where: str) -> None:
    if isinstance(node, Boolean | Choice) or (isinstance(node, Unary) and node.operator == "not"):
        raise Entangled(f"{where} makes choices")
    if isinstance(node, Binary) and node.operator not in "+-*/^":
        raise Entangled(f"{where} makes choices or counts")
    if isinstance(node, Call) and node.function not in _SMOOTH:
        raise Entangled(f"{where} calls {node.function}")
    for child in node.children():
        _refuse_node(child, where)


def _symbolic(node: Node, values: Mapping[str, Any], ca: Any) -> Any:
    """An expression over what CasADi can differentiate."""
    match node:
        case Number(value):
            return value
        case Name(path):
            return CONSTANTS[path] if path in CONSTANTS else values[path]
        case Unary(_, operand):
            return -_symbolic(operand, values, ca)
        case Binary(operator, left, right):
            a, b = _symbolic(left, values, ca), _symbolic(right, values, ca)
            operations: dict[str, Callable[[], Any]] = {
                "+": lambda: a + b,
                "-": lambda: a - b,
                "*": lambda: a * b,
                "/": lambda: a / b,
                "^": lambda: a**b,
            }
            return operations[operator]()
        case Call(function, arguments):
            given = [_symbolic(one, values, ca) for one in arguments]
            return _called(function, given, values, ca)
    raise AssertionError(node)


def _called(function: str, given: list[Any], values: Mapping[str, Any], ca: Any) -> Any:
    own: dict[str, Callable[..., Any]] = {
        "abs": ca.fabs,
        "atan2": ca.atan2,
        "hypot": lambda x, y: ca.sqrt(x * x + y * y),
        "clip": lambda x, low, high: ca.fmin(ca.fmax(x, low), high),
        "wave": lambda period: ca.sin(2.0 * math.pi * values["time"] / period),
    }
    if function in ("min", "max"):
        fold = ca.fmin if function == "min" else ca.fmax
        result = given[0]
        for one in given[1:]:
            result = fold(result, one)
        return result
    return own.get(function, getattr(ca, function, None))(*given)  # type: ignore[misc]


# The program --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Found:
    """An optimum: its time and energy, and the power of each exposed motor in each interval."""

    time: float
    energy: float
    powers: Numbers
    """(intervals, exposed motors)."""
    all: Numbers
    """Everything that was varied, to begin a neighboring search with."""


class _Program:
    """A task for N intervals, ready to be solved for any time."""

    def __init__(self, task: Task, intervals: int = INTERVALS) -> None:
        self.task = task.flat
        _refuse_what_is_not_smooth(self.task)
        self.ca = _casadi()
        self.n = intervals
        self._variables: list[Any] = []
        self._low: list[float] = []
        self._high: list[float] = []
        self._start: list[float] = []
        self._equal: list[Any] = []
        self._over: list[Any] = []
        self.driven = {name for motor in self.task.motors for name, f in motor.targets if f}
        self._write()

    def _vary(self, name: str, count: int, low: Any, high: Any, start: Any) -> Any:
        symbol = self.ca.SX.sym(name, count)
        self._variables.append(symbol)
        for store, value in ((self._low, low), (self._high, high), (self._start, start)):
            store.extend(np.broadcast_to(np.asarray(value, np.float64), (count,)).tolist())
        return symbol

    # Writing it down

    def _write(self) -> None:
        ca, n = self.ca, self.n
        guess = self._guess()
        self.time = self._vary("T", 1, 1e-6, np.inf, guess)
        self.h = self.time / n
        states: dict[str, tuple[Any, Any]] = {}
        for one in self.task.objects:
            states[one.name] = self._states(one, guess)
        values: dict[str, Any] = {"time": self.h * (ca.DM(range(n)) + 0.5), "dt": self.task.dt}
        for one in self.task.objects:
            x, v = states[one.name]
            for name in PHYSICAL:
                values[f"{one.name}.{name}"] = number(getattr(one, name))
            values[f"{one.name}.value"] = 0.5 * (x[1:] + x[:-1])
            values[f"{one.name}.velocity"] = 0.5 * (v[1:] + v[:-1])
            for name, value in one.attributes:
                values[f"{one.name}.{name}"] = number(value)
        spent = self._motors(values)
        ruled = self._transitions(values)
        for motor in self.task.motors:
            path = f"{motor.name}.power"
            if path in ruled:
                self._limit(values[path], motor.power, motor.reversible)
                if motor.counted:
                    used = self._vary(f"|{path}|", n, 0.0, np.inf, motor.power)
                    self._over += [used - values[path], used + values[path]]
                    spent += ca.sum1(used)
        self.energy = spent * self.h
        for one in self.task.objects:
            self._motion(one, states[one.name], values, ruled)
        self._goals(states)

    def _guess(self) -> float:
        """About how long it may take."""
        try:
            return 1.3 * max(dimensions(self.task).part.fastest, 1e-3)
        except Entangled:
            return 0.3 * (self.task.limits.time or 100.0)

    def _wanted(self, one: Object, attribute: str) -> list[Goal]:
        paths = (f"{one.name}.{attribute}", *((one.name,) if attribute == "value" else ()))
        return [goal for goal in self.task.goals if goal.of in paths]

    def _turn(self, one: Object) -> float:
        """The way that an object only moves in, towards its goals; 0 where it may move both ways."""
        start = number(one.value)
        sides = {
            math.copysign(1.0, number(goal.value) - start)
            for goal in self._wanted(one, "value")
            if abs(number(goal.value) - start) > number(goal.tolerance)
        }
        moves = number(one.velocity)
        return sides.pop() if len(sides) == 1 and moves * min(sides, default=0.0) >= 0.0 else 0.0

    def _states(self, one: Object, guess: float) -> tuple[Any, Any]:
        n, turn = self.n, self._turn(one)
        start, speed = number(one.value), number(one.velocity)
        low, high = one.bounds or (-np.inf, np.inf)
        goals = self._wanted(one, "value")
        end = number(goals[-1].value) if goals else start
        x_low, x_high = np.full(n + 1, low), np.full(n + 1, high)
        x_low[0] = x_high[0] = start
        v_low = np.full(n + 1, 0.0 if turn > 0.0 else -np.inf)
        v_high = np.full(n + 1, 0.0 if turn < 0.0 else np.inf)
        v_low[0] = v_high[0] = speed
        mean = (end - start) / guess
        begin = np.linspace(start, end, n + 1)
        v = np.full(n + 1, mean if mean else 0.01)
        v[0] = speed
        return (
            self._vary(f"{one.name}.x", n + 1, x_low, x_high, begin),
            self._vary(f"{one.name}.v", n + 1, v_low, v_high, v),
        )

    def _motors(self, values: dict[str, Any]) -> Any:
        """The powers of motors; returns the sum of what counts over all intervals."""
        spent: Any = 0.0
        set_by_rules = {
            parse_assignment(source).target.path
            for transition in self.task.transitions
            for source in transition.assignments
        }
        self.exposed: list[Any] = []
        for motor in self.task.motors:
            path = f"{motor.name}.power"
            if not motor.exposed:
                values[path] = 0.0
                continue
            forth = self._vary(f"{path}+", self.n, 0.0, motor.power, 0.5 * motor.power)
            back: Any = 0.0
            if motor.reversible:
                back = self._vary(f"{path}-", self.n, 0.0, motor.power, 0.0)
            values[path] = forth - back
            self.exposed.append(values[path])
            if motor.counted and path not in set_by_rules:
                spent += self.ca.sum1(forth + back)
            elif not motor.counted and motor.reversible:
                # Nobody gains by driving it both ways at once.
                spent += 1e-9 * self.ca.sum1(forth + back)
        return spent

    def _transitions(self, values: dict[str, Any]) -> set[str]:
        ruled = set()
        for transition in self.task.transitions:
            for source in transition.assignments:
                tree = parse_assignment(source)
                found = _symbolic(tree.value, values, self.ca)
                path = tree.target.path
                if path.endswith(".velocity"):
                    self._equal.append(values[path] - found)
                else:
                    values[path] = found
                ruled.add(path)
        return ruled

    def _limit(self, power: Any, most: float, reversible: bool) -> None:
        self._over += [most - power, power + (most if reversible else 0.0)]

    def _motion(
        self, one: Object, states: tuple[Any, Any], values: dict[str, Any], ruled: set[str]
    ) -> None:
        ca, h = self.ca, self.h
        x, v = states
        mean = 0.5 * (v[1:] + v[:-1])
        self._equal.append(x[1:] - x[:-1] - h * mean)
        if f"{one.name}.velocity" in ruled:
            return
        own = {name: values[f"{one.name}.{name}"] for name in PHYSICAL}
        push: Any = 0.0
        for motor in self.task.motors:
            push += sum(
                f * values[f"{motor.name}.power"] for name, f in motor.targets if name == one.name
            )
        still = one.name not in self.driven and not number(one.velocity)
        if still and not number(one.gravity) * math.sin(number(one.angle)):
            self._equal.append(v[1:])
            return
        turn = self._turn(one)
        if turn:
            q, size = 0.5 * turn * v * v, turn * mean
        else:
            q = 0.5 * v * ca.sqrt(v * v + _ROUND**2)
            size = ca.sqrt(mean * mean + _ROUND**2)
        across = ca.fmax(own["gravity"] * ca.cos(own["angle"]), 0.0)
        along = own["gravity"] * ca.sin(own["angle"])
        gain = push / own["mass"] - own["mu_k"] * across * mean - along * size
        gain -= own["drag"] / own["mass"] * size * size * mean
        self._equal.append(q[1:] - q[:-1] - h * gain)

    def _goals(self, states: Mapping[str, tuple[Any, Any]]) -> None:
        """All goals hold at the end; one on a velocity that holds at the start and is tied to no other is free."""
        for one in self.task.objects:
            x, v = states[one.name]
            for attribute, state in (("value", x), ("velocity", v)):
                for goal in self._wanted(one, attribute):
                    middle, tolerance = number(goal.value), number(goal.tolerance)
                    tied = goal.prerequisites or any(
                        goal.name in other.prerequisites for other in self.task.goals
                    )
                    begun = number(getattr(one, attribute))
                    if not tied and abs(begun - middle) <= tolerance:
                        continue
                    far = state[-1] - middle
                    self._over += [tolerance - far, tolerance + far]

    # Solving it

    def solve(
        self, time: float | None, begin: Numbers | None = None, latest: float = math.inf
    ) -> Found | None:
        """The least energy in a time, or the least time of all; none where the solver finds none."""
        ca = self.ca
        varied = ca.vertcat(*self._variables)
        equal, over = ca.vertcat(*self._equal), ca.vertcat(*self._over)
        if not hasattr(self, "_solvers"):
            options = {
                "ipopt.print_level": 0,
                "ipopt.sb": "yes",
                "print_time": False,
                "ipopt.max_iter": 1500,
                "ipopt.tol": 1e-7,
                "ipopt.acceptable_tol": 1e-5,
            }
            scale = max(self._scale(), 1e-9)
            self._solvers = [
                ca.nlpsol(
                    "least",
                    "ipopt",
                    {"x": varied, "f": goal, "g": ca.vertcat(equal, over)},
                    options,
                )
                for goal in (self.time, self.energy / scale)
            ]
            self._read = ca.Function("read", [varied], [self.energy, ca.horzcat(*self.exposed)])
        low, high = np.array(self._low), np.array(self._high)
        start = np.array(self._start) if begin is None else begin.copy()
        if time is not None:
            low[0] = high[0] = start[0] = time
        else:
            high[0] = latest
        zeros = np.zeros(equal.numel() + over.numel())
        top = np.concatenate([np.zeros(equal.numel()), np.full(over.numel(), np.inf)])
        solver = self._solvers[0 if time is None else 1]
        answer = solver(x0=start, lbx=low, ubx=high, lbg=zeros, ubg=top)
        if solver.stats()["return_status"] not in _SOLVED:
            return None
        x = np.array(answer["x"]).reshape(-1)
        energy, powers = self._read(x)
        return Found(float(x[0]), float(energy), np.array(powers).reshape(self.n, -1), x)

    def _scale(self) -> float:
        return sum(motor.power for motor in self.task.motors if motor.counted) * self._guess()


@lru_cache(maxsize=16)
def _program(task: Task) -> _Program:
    return _Program(task)


@lru_cache(maxsize=16)
def _quickest(task: Task) -> Found:
    found = _program(task).solve(None)
    if found is None:
        raise MensuraError(
            f"No way to solve the task {task.name!r} was found by optimal control; there may be none."
        )
    return found


def possible(task: Task) -> bool:
    """Whether a task can be written down for optimal control."""
    try:
        _refuse_what_is_not_smooth(task.flat)
    except Entangled:
        return False
    return True


@lru_cache(maxsize=16)
def curve(task: Task, points: int) -> tuple[Numbers, Numbers]:
    """Times, rising, and the least energies for them, of a concrete task.

    Raises :class:`Entangled` where it cannot be written down for optimal control.
    """
    program = _program(task)
    first = _quickest(task)
    last = min(SLOWEST * first.time, max(task.limits.time or math.inf, first.time))
    # In the least time itself the powers that have no part in it are left to chance.
    begin, grid = 1.0002 * first.time, np.linspace(0.0, 1.0, points) ** 2
    times: list[float] = []
    energies: list[float] = []
    guess = first.all
    for time in begin + max(last - begin, 0.0) * grid:
        found = program.solve(float(time), guess)
        if found is not None:
            times.append(found.time)
            energies.append(min([found.energy, *energies]))
            guess = found.all
    if not times:
        raise MensuraError(f"Optimal control of the task {task.name!r} came to no end.")
    shared = np.array(times), np.array(energies)
    for one in shared:
        one.setflags(write=False)
    return shared


def drafts(task: Task, time: float) -> list[Numbers]:
    """Schedules of controller steps that should solve a task in about a time, with some steps to spare."""
    program, first = _program(task), _quickest(task)
    found = []
    for share in (1.0, 1.005, 1.01, 1.02):
        own = program.solve(max(share * time, first.time * 1.0005), first.all) or first
        step = task.controller_step
        steps = math.ceil(1.03 * own.time / step) + 8
        edges = np.linspace(0.0, own.time, program.n + 1)
        for stretch in (1.0, 1.003, 1.01, 1.02):
            sums = np.vstack([np.zeros((1, own.powers.shape[1])), np.cumsum(own.powers, axis=0)])
            sums *= own.time / program.n
            ends = np.arange(steps + 1) * step / stretch
            columns = [np.interp(ends, edges, column) for column in sums.T]
            powers = np.diff(np.stack(columns, axis=1), axis=0) * stretch / step
            # What was wanted in the end goes on until the task is solved.
            powers[int(own.time * stretch / step) :] = own.powers[-1]
            found.append(powers)
    return found
