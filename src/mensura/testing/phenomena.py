"""What the phenomena of a world have to keep: their rules run the same every time, and causes name parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mensura.agent.errors import MensuraError
from mensura.core.phenomena import Phenomenon, System, run, run_without


def problems_with(phenomena: Sequence[Phenomenon]) -> Iterator[str]:
    """What is wrong with the phenomena of an environment, a sentence for each."""
    names = [one.name for one in phenomena]
    for name in sorted({one for one in names if names.count(one) > 1}):
        yield f"two phenomena are called {name}"
    for system in {id(one.system): one.system for one in phenomena}.values():
        yield from _of_system(system)
        actions = [system.actions[-1]] * system.length
        states = run(system, system.rules, 0, actions)
        for one in phenomena:
            if one.system is system:
                told = [one.happens(state) for state in states]
                if not all(type(value) is bool for value in told):
                    yield f"the phenomenon {one.name} does not say of every state whether it happens"


def _of_system(system: System) -> Iterator[str]:
    """What is wrong with a task that phenomena are parts of."""
    parts = set(system.parts)
    for cause in system.causes:
        for name in {cause.cause, cause.effect} - parts:
            yield f"a cause names {name}, which is no part of the task"
        if cause.sign not in (-1, 0, 1):
            yield f"the sign of {cause.cause} on {cause.effect} is {cause.sign}; it is -1, 0 or 1"
    for variable in system.variables:
        if variable.part not in parts:
            yield f"the variable {variable.name} belongs to {variable.part}, which is no part"
    actions = [system.actions[at % len(system.actions)] for at in range(system.length)]
    states = run(system, system.rules, 1, actions)
    if run(system, system.rules, 1, actions) != states:
        yield "the rules of its phenomena lead elsewhere the second time"
    if any(len(state) != len(system.variables) for state in states):
        yield "a state of its phenomena has not one number for each variable"
    for part in system.removable:
        if part not in parts:
            yield f"{part} can be removed, but is no part of the task"
        run_without(system, part, 1, actions)
    for model in system.near:
        if model == system.rules:
            yield "a model that is to be nearly true is the true one"
        run(system, model, 1, actions)
    try:
        system.environment("no model at all")
    except MensuraError:
        return
    yield "a model that says nothing is taken for one; a MensuraError is right"
