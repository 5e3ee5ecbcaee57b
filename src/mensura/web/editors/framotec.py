"""What the editor of FraMoTEC tasks asks the server: tasks as YAML, checked with the line, operations, fronts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, Any, get_type_hints

from fastapi import APIRouter, Path

from mensura.agent.errors import MensuraError, neighbors
from mensura.web.phrases import Phrases
from mensura.web.refusals import Refused
from mensura.web.research.access import API, OpenVisits, Say, VisitName
from mensura.web.research.editors import Editor
from mensura.web.research.models import (
    FrontShown,
    Operating,
    OperationForm,
    ParameterForm,
    TaskShown,
    TasksShown,
    TaskText,
)
from mensura.web.research.parameters import kinds, plain, read_value, words
from mensura.worlds.framotec.analysis import front_drawing, pareto
from mensura.worlds.framotec.environment import FramotecEnvironment
from mensura.worlds.framotec.exploring import MOST_OBJECTS
from mensura.worlds.framotec.model.files import canonical, parse_task, task_to_yaml
from mensura.worlds.framotec.model.operations import OPERATIONS
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.play.simulation import Simulation
from mensura.worlds.framotec.samples import shipped

PLACE = "the task"

router = APIRouter()


@router.get(f"{API}/visits/{{name}}/front")
def front_of_visit(name: VisitName, visits: OpenVisits, say: Say) -> FrontShown:
    """The Pareto plot of a FraMoTEC task, with the time and energy of the episode so far."""
    with visits.at(name) as visit:
        environment = visit.environment
        if not isinstance(environment, FramotecEnvironment):
            raise MensuraError(f"Environments of {visit.home.id} have no front of time and energy.")
        simulation = environment.simulation
        return _said(front(visit.description.task, (simulation.time, simulation.energy)), say)


@router.get(f"{API}/framotec/tasks/{{name}}")
def framotec_sample(name: Annotated[str, Path(max_length=100)]) -> TaskText:
    """The file of a sample task."""
    return TaskText(text=sample_text(name))


@router.post(f"{API}/framotec/tasks")
def framotec_check(asked: TaskText, visits: OpenVisits, say: Say) -> TaskShown:
    """Check a task; what is wrong with it is said with its line."""
    with visits.working():
        return _told(shown(checked(asked.text)), say)


@router.get(f"{API}/framotec/operations")
def framotec_operations(say: Say) -> list[OperationForm]:
    """What can be done with tasks."""
    return [one.model_copy(update={"about": say(one.about)}) for one in operations()]


@router.post(f"{API}/framotec/operations")
def framotec_operate(asked: Operating, visits: OpenVisits, say: Say) -> TasksShown:
    """Change a task by an operation."""
    with visits.working():
        made = operate(asked.text, asked.operation, asked.arguments)
        return TasksShown(tasks=[_told(shown(one), say) for one in made])


@router.post(f"{API}/framotec/front")
def framotec_front(asked: TaskText, visits: OpenVisits, say: Say) -> FrontShown:
    """The Pareto plot of a task; of one with ranges, that of the middle of them."""
    with visits.working():
        task = checked(asked.text)
        return _said(front(task if task.concrete else task.middle), say)


def _told(task: TaskShown, say: Phrases) -> TaskShown:
    return task.model_copy(update={"sentence": say(task.sentence)})


def _said(front: FrontShown, say: Phrases) -> FrontShown:
    told = {"sentence": say(front.sentence), "svg": say.picture(front.svg)}
    return front.model_copy(update=told)


# Tasks --------------------------------------------------------------------------------


def sample_text(name: str) -> str:
    """The file of a sample task, comments and all."""
    known = shipped()
    if name not in known:
        raise Refused(404, f"There is no sample task {name!r}; {neighbors(name, list(known))}")
    return known[name].read_text(encoding="utf-8")


def sample_names() -> list[str]:
    """The sample tasks."""
    return list(shipped())


def checked(text: str) -> Task:
    """The task of a text, YAML or JSON, after it has run for a controller step; errors say the line."""
    task = parse_task(text, PLACE)
    if len(task.flat.objects) > MOST_OBJECTS:
        raise MensuraError(
            f"The task has {len(task.flat.objects)} objects; the research view takes at most {MOST_OBJECTS}."
        )
    Simulation(task).tick()
    return task


def shown(task: Task) -> TaskShown:
    """A task with a sentence on what it holds."""
    flat = task.flat
    counts = ", ".join(
        f"{len(parts)} {kind if len(parts) != 1 else kind[:-1]}"
        for kind in ("objects", "motors", "sensors", "transitions", "goals")
        if (parts := getattr(flat, kind)) or kind in ("objects", "goals")
    )
    family = "one task" if task.concrete else "a family of tasks, with ranges"
    return TaskShown(
        name=task.name,
        text=task_to_yaml(task),
        task=canonical(task),
        concrete=task.concrete,
        sentence=f"{task.name!r}, {family}: {counts}.",
    )


# Operations ---------------------------------------------------------------------------


def operations() -> list[OperationForm]:
    """What can be done with a task."""
    found = []
    for name, function in OPERATIONS.items():
        hints = get_type_hints(function)
        arguments = _arguments(function)
        about = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
        found.append(
            OperationForm(
                name=name,
                about=about.replace("``", ""),
                arguments=[
                    ParameterForm(
                        name=word,
                        kinds=["task"] if one.name == "b" else kinds(hints[one.name]),
                        words=words(hints[one.name]),
                        default=None
                        if one.default is inspect.Parameter.empty
                        else plain(one.default),
                    )
                    for word, one in arguments.items()
                ],
                needed=[
                    word
                    for word, one in arguments.items()
                    if one.default is inspect.Parameter.empty
                ],
            )
        )
    return found


def operate(text: str, operation: str, given: Mapping[str, Any]) -> list[Task]:
    """The tasks that an operation makes of one."""
    if operation not in OPERATIONS:
        raise MensuraError(
            f"There is no operation {operation!r}; {neighbors(operation, list(OPERATIONS))}"
        )
    function = OPERATIONS[operation]
    known = _arguments(function)
    hints = get_type_hints(function)
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise MensuraError(f"{operation} takes no {name!r}; {neighbors(name, list(known))}")
        own = known[name].name
        values[own] = _other(value) if own == "b" else read_value(name, value, hints[own])
    for name, one in known.items():
        if one.default is inspect.Parameter.empty and one.name not in values:
            raise MensuraError(f"{operation} needs {name}.")
    made = function(checked(text), **values)
    return list(made) if isinstance(made, tuple) else [made]


def _arguments(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """What an operation can be told, beside the task; the other task of two is given as ``with``."""
    _, *rest = inspect.signature(function).parameters.values()
    return {"with" if one.name == "b" else one.name: one for one in rest}


def _other(value: Any) -> Task:
    """Another task: a sample by its name, or a text."""
    if not isinstance(value, str):
        raise MensuraError("The other task is the name of a sample, or a task as YAML.")
    return checked(sample_text(value) if value in shipped() else value)


# Fronts -------------------------------------------------------------------------------


def front(task: Task, spent: tuple[float, float] | None = None) -> FrontShown:
    """The least energy for every time, with what an episode has spent so far."""
    found = _front(task)
    times = found.times.tolist()
    every = max(len(times) // 10, 1)
    return FrontShown(
        svg=front_drawing.front_svg(task, found, "front", spent),
        sentence=found.how,
        rows=[
            (times[i], float(found.energies[i]), found.most_at(times[i]))
            for i in sorted({*range(0, len(times), every), len(times) - 1})
        ],
    )


@lru_cache(maxsize=32)
def _front(task: Task) -> pareto.Front:
    return pareto.front(task)


EDITOR = Editor("/static/editors/framotec.js", router, lambda: {"tasks": sample_names()})
