"""What the parts of a task call one another: paths of attributes, what they are, and what has to come first."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from mensura.core.expressions.language import Kind
from mensura.worlds.framotec.model.blocks import GLOBAL_NAMES, PHYSICAL, Goal, TaskParts


def capital(text: str) -> str:
    """The beginning of a sentence."""
    return text[:1].upper() + text[1:]


def attribute_path(path: str, objects: Container[str]) -> str:
    """The attribute that a path names: an object alone stands for its value."""
    return f"{path}.value" if path in objects else path


def readings(flat: TaskParts) -> dict[str, list[tuple[float, float]]]:
    """Of a task without systems: the error and the latency of each sensor of an attribute, through all layers."""
    known = {sensor.name: sensor for sensor in flat.sensors}
    objects = {one.name for one in flat.objects}
    found: dict[str, list[tuple[float, float]]] = {}
    for sensor in flat.sensors:
        error = latency = 0.0
        one = sensor
        while True:
            error += one.distortion + (0.0 if one.digits is None else 0.5 * 10.0**-one.digits)
            latency += one.latency
            if one.source not in known:
                break
            one = known[one.source]
        found.setdefault(attribute_path(one.source, objects), []).append((error, latency))
    return found


def attribute_kinds(task: TaskParts) -> dict[str, Kind]:
    """Everything that an expression of a task without systems can read, and of what kind it is."""
    kinds: dict[str, Kind] = dict.fromkeys(GLOBAL_NAMES, "number")
    for one in task.objects:
        for name in (*PHYSICAL, *(name for name, _ in one.attributes)):
            kinds[f"{one.name}.{name}"] = "number"
        kinds[f"{one.name}.locked"] = "boolean"
    for motor in task.motors:
        kinds[f"{motor.name}.power"] = "number"
    for sensor in task.sensors:
        kinds[f"{sensor.name}.value"] = "number"
    for goal in task.goals:
        kinds[f"{goal.name}.distance"] = "number"
        kinds[f"{goal.name}.satisfied"] = "boolean"
    return kinds


def assignable(task: TaskParts, path: str) -> bool:
    """Whether transitions may change what a path names."""
    owner = path.rpartition(".")[0]
    return any(owner == one.name for one in task.objects) or any(
        owner == motor.name for motor in task.motors
    )


def ordered(prior: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """Names such that whatever one depends on comes before it; and a cycle, where there is one."""
    done: dict[str, None] = {}
    for start in prior:
        path: dict[str, Iterator[str]] = {}
        current: str | None = start if start not in done else None
        while current is not None:
            if current not in path:
                path[current] = iter(prior[current])
            following = next((one for one in path[current] if one not in done), None)
            if following is None:
                done[current] = None
                path.pop(current)
                current = next(reversed(path), None)
            elif following in path:
                names = list(path)
                return list(done), names[names.index(following) :]
            else:
                current = following
    return list(done), []


def goal_order(task: TaskParts) -> list[Goal]:
    """The goals of a task without systems, each after those that it depends on."""
    goals = {goal.name: goal for goal in task.goals}
    order, _ = ordered({goal.name: depends_on(goal) for goal in task.goals})
    return [goals[name] for name in order]


def depends_on(goal: Goal) -> tuple[str, ...]:
    """The goals that have to be asserted before this one."""
    return (*goal.prerequisites, *((goal.since,) if goal.since else ()))
