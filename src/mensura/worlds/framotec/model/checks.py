"""What is wrong with a task, in one sentence that names the part: everything that the compiled rules do not check."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, get_args

from mensura.agent.errors import neighbors
from mensura.core.expressions.language import (
    CONSTANTS,
    WORDS,
    Assignment,
    ExpressionError,
    Kind,
    Name,
    Node,
    known_names,
)
from mensura.core.yaml_text import Misfit, Where, number_hint
from mensura.worlds.framotec.model.blocks import (
    GLOBAL_NAMES,
    KINDS,
    MOST_PARTS,
    MOST_STEPS,
    PHYSICAL,
    Goal,
    Integrator,
    Limits,
    Motor,
    Object,
    Prerequisite,
    Range,
    Sensor,
    System,
    TaskParts,
    Transition,
    Value,
)
from mensura.worlds.framotec.model.expression import kind_of, parse_assignment, parse_expression
from mensura.worlds.framotec.model.names import (
    assignable,
    attribute_kinds,
    attribute_path,
    capital,
    depends_on,
    ordered,
)
from mensura.worlds.framotec.model.systems import DEEPEST_SYSTEM

_NUMBERS = ("distortion", "latency", "power", "hold", "dt", "controller_step")
_TEXTS = ("name", "source", "when", "of", "since", "reset_when", "instructions")
_BOOLEANS = ("locked", "reversible", "exposed", "counted", "reward")
_OPTIONAL = ("after", "before", "after_since", "before_since", "time", "energy")


def check_types(part: Any, where: str = "the task", at: Where = ()) -> None:
    """Every field is of its type and every expression can be read, all the way down."""
    if isinstance(part, Object | Motor | Sensor | Transition | Goal | System):
        where = f"{type(part).__name__.lower()} {part.name!r}"
    for one in fields(part):
        value, place, here = getattr(part, one.name), f"{one.name} of {where}", (*at, one.name)
        if one.name in KINDS:
            kind = KINDS[one.name]
            if not isinstance(value, tuple) or not all(isinstance(v, kind) for v in value):
                raise Misfit(
                    here,
                    f"{capital(place)} are {shown(value)}; they must be {kind.__name__} parts.",
                )
            if len(value) > MOST_PARTS:
                raise Misfit(here, f"{len(value)} {place} are too many; at most {MOST_PARTS} fit.")
            if len(here) > 3 * DEEPEST_SYSTEM:
                raise Misfit(here, f"Systems lie more than {DEEPEST_SYSTEM} deep.")
            for i, inner in enumerate(value):
                check_types(inner, at=(*here, i))
        elif one.name == "limits":
            if not isinstance(value, Limits):
                raise Misfit(here, f"{capital(place)} are {shown(value)}; they must be Limits.")
            check_types(value, "the limits", here)
        elif one.name in _TEXTS:
            if not isinstance(value, str):
                raise Misfit(here, f"{capital(place)} is {shown(value)}; it must be text.")
            if one.name in ("when", "reset_when") and value:
                _check_syntax(parse_expression, value, _part_of(one.name, where), here)
        elif one.name in _BOOLEANS:
            if not isinstance(value, bool):
                raise Misfit(here, f"{capital(place)} is {shown(value)}; it is true or false.")
        elif one.name in ("assignments", "prerequisites"):
            if not isinstance(value, tuple) or not all(isinstance(v, str) for v in value):
                raise Misfit(here, f"{capital(place)} are {shown(value)}; they must be texts.")
            for i, source in enumerate(value if one.name == "assignments" else ()):
                _check_syntax(parse_assignment, source, where, (*here, i))
        elif one.name in ("attributes", "targets"):
            _check_pairs(value, place, here, ranged=one.name == "attributes")
        elif one.name == "bounds":
            if value is not None:
                if not isinstance(value, tuple) or len(value) != 2:
                    raise Misfit(here, f"{capital(place)} are {shown(value)}; they must be two.")
                for number in value:
                    _check_number(number, place, here)
        elif one.name == "digits":
            if value is not None and (type(value) is not int or not -12 <= value <= 12):
                raise Misfit(
                    here,
                    f"{capital(place)} is {shown(value)}; it is a whole number from -12 to 12.",
                )
        elif one.name in ("integrator", "prerequisite"):
            words = get_args(Integrator if one.name == "integrator" else Prerequisite)
            if value not in words:
                raise Misfit(
                    here,
                    f"{capital(place)} is {shown(value)}; {neighbors(str(value), list(words))}",
                )
        elif one.name in _OPTIONAL:
            if value is not None:
                _check_number(value, place, here)
        elif one.name in _NUMBERS:
            _check_number(value, place, here)
        else:
            _check_number(value, place, here, ranged=True)


def _part_of(field: str, where: str) -> str:
    """What an expression is, in words."""
    return f"the {'condition' if field == 'when' else 'reset'} of {where}"


def _check_syntax(parse: Callable[[str], Any], source: str, where: str, at: Where) -> None:
    try:
        parse(source)
    except ExpressionError as error:
        raise _misplaced(error, where, at) from None


def _misplaced(error: ExpressionError, where: str, at: Where) -> Misfit:
    """What is wrong with an expression, with the line of it, for files that have one for each."""
    misfit = Misfit(at, f"{capital(where)}: {error}")
    misfit.line = error.place.line
    return misfit


def _check_pairs(value: Any, place: str, at: Where, ranged: bool) -> None:
    if not isinstance(value, tuple) or not all(
        isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) for pair in value
    ):
        raise Misfit(at, f"{capital(place)} are {shown(value)}; they are names with numbers.")
    for name, number in value:
        _check_number(number, f"{name} in the {place}", (*at, name), ranged)


def _check_number(value: Any, place: str, at: Where, ranged: bool = False) -> None:
    if ranged and isinstance(value, Range):
        for number in (value.low, value.high):
            _check_number(number, place, at)
        if value.low > value.high:
            raise Misfit(
                at,
                f"{capital(place)} ranges from {value.low:g} to {value.high:g}; the lower comes first.",
            )
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        kinds = "a number or a range" if ranged else "a number"
        hint = number_hint(value)
        raise Misfit(at, f"{capital(place)} is {shown(value)}; it must be {kinds}{hint}.")
    if abs(value) > 1e15:
        raise Misfit(at, f"{capital(place)} is {shown(value)}; numbers go up to 1e15.")


def _ends(value: Value) -> tuple[float, float]:
    return (value.low, value.high) if isinstance(value, Range) else (value, value)


class Check:
    """The checks of a task without systems whose fields have the right types.

    ``places`` tells where parts stand in plain data, by their kind and whole name.
    """

    def __init__(self, task: TaskParts, places: Mapping[tuple[str, str], Where]) -> None:
        self.task = task
        self.places = places
        self.objects = {one.name: one for one in task.objects}
        self.sensors = {one.name: one for one in task.sensors}
        self.goals = {one.name: one for one in task.goals}
        self.kinds = attribute_kinds(task)

    def all(self) -> None:
        """Raise for the first thing that is wrong."""
        self.names()
        self.times()
        for one in self.task.objects:
            self.object(one, self.places["objects", one.name])
        for motor in self.task.motors:
            self.motor(motor, self.places["motors", motor.name])
        for sensor in self.task.sensors:
            self.sensor(sensor, self.places["sensors", sensor.name])
        sources = {name: (one.source,) for name, one in self.sensors.items()}
        self.order(
            {name: one if one[0] in sources else () for name, one in sources.items()}, "sensors"
        )
        for transition in self.task.transitions:
            self.transition(transition, self.places["transitions", transition.name])
        for goal in self.task.goals:
            self.goal(goal, self.places["goals", goal.name])
        self.order({name: depends_on(goal) for name, goal in self.goals.items()}, "goals")

    def names(self) -> None:
        """Everything that an expression can name has a name of its own."""
        seen: dict[str, str] = {}
        for kind in ("objects", "motors", "sensors", "goals"):
            parts: tuple[Any, ...] = getattr(self.task, kind)
            if len(parts) > MOST_PARTS:
                raise Misfit(
                    (kind,), f"{len(parts)} {kind} are too many; at most {MOST_PARTS} fit."
                )
            for part in parts:
                noun = type(part).__name__.lower()
                at = (*self.places[kind, part.name], "name")
                _check_name(part.name, noun, at)
                if part.name in seen:
                    raise Misfit(
                        at,
                        f"The {noun} {part.name!r} has the name of another {seen[part.name]}; names differ.",
                    )
                seen[part.name] = noun
        known: set[str] = set()
        for name in [one.name for one in self.task.transitions]:
            at = (*self.places["transitions", name], "name")
            _check_name(name, "transition", at)
            if name in known:
                raise Misfit(at, f"Two transitions have the name {name!r}; names differ.")
            known.add(name)

    def object(self, one: Object, at: Where) -> None:
        where = f"Object {one.name!r}"
        if not _ends(one.mass)[0] > 0:
            raise Misfit((*at, "mass"), f"{where} has a mass of {_text(one.mass)}; it is above 0.")
        for name in ("mu_k", "mu_s", "drag"):
            if _ends(getattr(one, name))[0] < 0:
                raise Misfit(
                    (*at, name),
                    f"{where} has a {name} of {_text(getattr(one, name))}; it is 0 or more.",
                )
        low, high = _ends(one.angle)
        if not -math.pi / 2 <= low <= high <= math.pi / 2:
            raise Misfit(
                (*at, "angle"),
                f"{where} has an angle of {_text(one.angle)}; it is from -pi/2 to pi/2.",
            )
        if one.bounds is not None:
            least, most = one.bounds
            start = _ends(one.value)
            if not least < most:
                raise Misfit(
                    (*at, "bounds"),
                    f"{where} has bounds {least:g} to {most:g}; the lower is first.",
                )
            if not least <= start[0] <= start[1] <= most:
                raise Misfit(
                    (*at, "value"),
                    f"{where} starts at {_text(one.value)}, out of its bounds {least:g} to {most:g}.",
                )
        taken = {*PHYSICAL, "locked"}
        for name, _ in one.attributes:
            if name in taken or not name.isidentifier() or not name.isascii():
                raise Misfit(
                    (*at, "attributes", name),
                    f"{where} cannot have an attribute {name!r}; it is a new name of letters, digits and _.",
                )
            taken.add(name)

    def motor(self, motor: Motor, at: Where) -> None:
        where = f"Motor {motor.name!r}"
        if motor.power < 0:
            raise Misfit(
                (*at, "power"), f"{where} has a power of {motor.power:g} W; it is 0 or more."
            )
        for target, _ in motor.targets:
            if target not in self.objects:
                raise Misfit(
                    (*at, "targets"),
                    f"{where} drives {target!r}, which is no object; "
                    f"{neighbors(target, list(self.objects))}",
                )
        if len({target for target, _ in motor.targets}) < len(motor.targets):
            raise Misfit(
                (*at, "targets"), f"{where} drives an object twice; once with the sum will do."
            )

    def sensor(self, sensor: Sensor, at: Where) -> None:
        where = f"Sensor {sensor.name!r}"
        if sensor.distortion < 0:
            raise Misfit(
                (*at, "distortion"),
                f"{where} has a distortion of {sensor.distortion:g}; it is 0 or more.",
            )
        if not 0 <= sensor.latency <= MOST_STEPS * self.task.dt:
            raise Misfit(
                (*at, "latency"),
                f"{where} has a latency of {sensor.latency:g} s; it is from 0 to {MOST_STEPS} steps of dt.",
            )
        if sensor.source not in self.sensors:
            self.attribute(sensor.source, f"{where} reads", (*at, "source"))

    def attribute(self, path: str, where: str, at: Where) -> str:
        """The whole path of a number or boolean that can be read."""
        whole = attribute_path(path, self.objects)
        if whole not in self.kinds or whole.rpartition(".")[0] in self.sensors:
            raise Misfit(at, f"{where} {path!r}, which is no attribute; {self.hint(path)}")
        return whole

    def hint(self, path: str) -> str:
        """What a name that is none may have been meant to be."""
        owner, dot, _ = path.rpartition(".")
        own = [known for known in self.kinds if dot and known.rpartition(".")[0] == owner]
        return neighbors(path, own or list(self.kinds))

    def transition(self, transition: Transition, at: Where) -> None:
        where = f"transition {transition.name!r}"
        if not transition.assignments:
            raise Misfit(at, f"{capital(where)} has no assignment; it needs at least 1.")
        if transition.when:
            self.condition(transition.when, _part_of("when", where), (*at, "when"))
        for i, source in enumerate(transition.assignments):
            try:
                self.assignment(parse_assignment(source), source)
            except ExpressionError as error:
                raise _misplaced(error, where, (*at, "assignments", i)) from None

    def assignment(self, tree: Assignment, source: str) -> None:
        kind = self.look_up(source)(tree.target)
        if not assignable(self.task, tree.target.path):
            raise ExpressionError(
                f"{tree.target.path!r} can be read and not assigned.", source, tree.target.at
            )
        found = kind_of(tree.value, source, self.look_up(source))
        if found != kind:
            raise ExpressionError(
                f"{tree.target.path!r} is a {kind} and cannot become a {found}.",
                source,
                tree.value.at,
            )
        if tree.condition is not None:
            self.boolean(tree.condition, source)

    def boolean(self, condition: Node, source: str) -> None:
        if kind_of(condition, source, self.look_up(source)) != "boolean":
            raise ExpressionError(
                "a condition is true or false, not a number.", source, condition.at
            )

    def condition(self, source: str, where: str, at: Where) -> None:
        try:
            self.boolean(parse_expression(source), source)
        except ExpressionError as error:
            raise _misplaced(error, where, at) from None

    def look_up(self, source: str) -> Callable[[Name], Kind]:
        return known_names(self.kinds, source, self.hint)

    def goal(self, goal: Goal, at: Where) -> None:
        where = f"Goal {goal.name!r}"
        whole = self.attribute(goal.of, f"{where} is on", (*at, "of"))
        if whole.rpartition(".")[0] in self.goals or self.kinds[whole] == "boolean":
            raise Misfit((*at, "of"), f"{where} is on {goal.of!r}; it is on a number of an object.")
        if _ends(goal.tolerance)[0] < 0:
            raise Misfit(
                (*at, "tolerance"),
                f"{where} has a tolerance of {_text(goal.tolerance)}; it is 0 or more.",
            )
        if goal.hold < 0:
            raise Misfit((*at, "hold"), f"{where} is to hold for {goal.hold:g} s; it is 0 or more.")
        for first, last, word in (
            (goal.after, goal.before, "before"),
            (goal.after_since, goal.before_since, "before_since"),
        ):
            if last is not None and not (first or 0.0) + goal.hold <= last:
                raise Misfit(
                    (*at, word), f"{where} cannot be satisfied: {word} is {last:g} s, too early."
                )
        for field, names in (
            ("prerequisites", goal.prerequisites),
            ("since", (goal.since,) if goal.since else ()),
        ):
            for other in names:
                if other not in self.goals:
                    raise Misfit(
                        (*at, field),
                        f"{where} names the goal {other!r}, which there is not; "
                        f"{neighbors(other, list(self.goals))}",
                    )
        if not goal.since and (goal.after_since, goal.before_since) != (None, None):
            raise Misfit(at, f"{where} has times since another goal and does not say which one.")
        if goal.reset_when:
            part = _part_of("reset_when", f"goal {goal.name!r}")
            self.condition(goal.reset_when, part, (*at, "reset_when"))

    def order(self, prior: Mapping[str, Sequence[str]], kind: str) -> None:
        _, cycle = ordered(prior)
        if cycle:
            path = " -> ".join((*cycle, cycle[0]))
            noun = KINDS[kind].__name__
            raise Misfit(
                self.places[kind, cycle[0]], f"{noun} {cycle[0]!r} depends on itself: {path}."
            )

    def times(self) -> None:
        task = self.task
        if not 1e-9 <= task.dt <= 1e6:
            raise Misfit(("dt",), f"dt is {task.dt!r} s; it is from 1e-9 to 1e6.")
        steps = task.controller_step / task.dt
        if not 0.5 <= steps <= MOST_STEPS or abs(steps - round(steps)) > 1e-6 * steps:
            raise Misfit(
                ("controller_step",),
                f"controller_step is {task.controller_step!r} s; it is a multiple of dt, {task.dt!r} s, "
                f"up to {MOST_STEPS} of them.",
            )
        for name in ("time", "energy"):
            limit = getattr(task.limits, name)
            if limit is not None and not limit > 0:
                raise Misfit(("limits", name), f"The limit of {name} is {limit!r}; it is above 0.")


def _text(value: Value) -> str:
    return f"{value.low:g} to {value.high:g}" if isinstance(value, Range) else f"{value:g}"


def _check_name(name: str, noun: str, at: Where) -> None:
    parts = name.split(".")
    article = "An" if noun[0] in "aeiou" else "A"
    if not name.isascii() or not all(part.isidentifier() for part in parts):
        raise Misfit(
            at,
            f"{article} {noun} cannot be called {shown(name)}; names have letters, digits and _, with systems "
            "before dots.",
        )
    if name in WORDS | {*GLOBAL_NAMES, *CONSTANTS}:
        raise Misfit(at, f"{article} {noun} cannot be called {name!r}, which means something else.")


def shown(value: Any) -> str:
    """A value in a sentence."""
    text = repr(value) if not isinstance(value, int) or value < 2**1000 else "a huge number"
    return text if len(text) <= 60 else f"{text[:57]}..."
