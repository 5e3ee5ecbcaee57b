"""Answers to probes, read strictly: what is none raises a sentence, and is a fault of that answer alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.numbers import is_number
from mensura.core.phenomena import System, Variable
from mensura.statistics.understanding import Edge
from mensura.studies.probe_questions import Form

MOST_NUMBERS = 1000
"""So many likely numbers an answer may list."""
SUM = 0.01
"""Probabilities may miss the sum 1 by their rounding."""


def shown(value: Any) -> str:
    """An answer in a few characters; one may fail even at this."""
    try:
        text = repr(value)
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def read_prediction(
    form: Form, value: Any, variable: Variable | None
) -> dict[float, float] | list[float]:
    """A prediction as probabilities by value, or as a sample of likely numbers."""
    if form == "probability":
        if not is_number(value) or not 0.0 <= value <= 1.0:
            raise MensuraError(f"{shown(value)} is no probability; it is a number from 0 to 1.")
        return {1.0: float(value), 0.0: 1.0 - float(value)}
    if form == "value" and variable is not None:
        return _read_values(value, variable)
    numbers = value if isinstance(value, list | tuple) else [value]
    if not 1 <= len(numbers) <= MOST_NUMBERS or not all(map(is_number, numbers)):
        raise MensuraError(
            f"{shown(value)} is no prediction; it is a number, or a list of 1 to {MOST_NUMBERS} likely ones."
        )
    return [float(one) for one in numbers]


def _read_values(value: Any, variable: Variable) -> dict[float, float]:
    given = value if isinstance(value, Mapping) else {value: 1.0} if is_number(value) else {}
    span = f"{variable.low:g} to {variable.high:g}"
    wanted = f"it is a whole number from {span}, or an object with a probability for each"
    found: dict[float, float] = {}
    for name, probability in given.items():
        try:
            number = float(name)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not (variable.low <= number <= variable.high and number == round(number)):
            raise MensuraError(f"{shown(name)} is no value of {variable.name}; {wanted}.")
        if not is_number(probability) or not 0.0 <= probability <= 1.0:
            raise MensuraError(
                f"{shown(probability)} is no probability; it is a number from 0 to 1."
            )
        found[number] = found.get(number, 0.0) + float(probability)
    if not found:
        raise MensuraError(f"{shown(value)} is no value of {variable.name}; {wanted}.")
    total = sum(found.values())
    if abs(total - 1.0) > SUM:
        raise MensuraError(f"The probabilities of {variable.name} sum to {total:g}; they sum to 1.")
    return {number: share / total for number, share in found.items()}


def read_plan(value: Any, system: System, is_legal: Callable[[Any], bool]) -> list[Any]:
    """A plan as so many actions as a sequence has; one that is shorter does nothing in the end."""
    if not isinstance(value, list | tuple) or len(value) > system.length:
        raise MensuraError(
            f"{shown(value)} is no plan; it is a list of up to {system.length} actions."
        )
    for at, action in enumerate(value, 1):
        if not is_legal(action):
            raise MensuraError(
                f"{shown(action)} in place {at} of the plan is no action of the task."
            )
    return [*value, *[system.actions[0]] * (system.length - len(value))]


def read_explanation(value: Any, parts: Sequence[str], cases: int) -> tuple[list[Edge], list[bool]]:
    """An explanation as signed pairs, and yes or no for each case."""
    if not isinstance(value, Mapping) or not isinstance(value.get("causes"), list | tuple):
        raise MensuraError(
            f"{shown(value)} is no explanation; it is an object with the lists causes and without."
        )
    edges = [_read_edge(one, parts) for one in value["causes"]]
    without = value.get("without", [])
    if (
        not isinstance(without, list | tuple)
        or len(without) != cases
        or not all(isinstance(one, bool) for one in without)
    ):
        raise MensuraError(
            f"{shown(without)} does not say what would have happened without; it is a list of {cases} times true or "
            "false, one for each case."
        )
    return edges, list(without)


def _read_edge(value: Any, parts: Sequence[str]) -> Edge:
    names = ("cause", "effect", "sign")
    triple = [value.get(one) for one in names] if isinstance(value, Mapping) else value
    if not isinstance(triple, list | tuple) or len(triple) != 3:
        raise MensuraError(f"{shown(value)} is no cause; it is a list of cause, effect and sign.")
    cause, effect, sign = triple
    for one in (cause, effect):
        if not isinstance(one, str) or one not in parts:
            raise MensuraError(
                f"{shown(one)} is no part of the task; {neighbors(str(one)[:60], list(parts))}"
            )
    if isinstance(sign, bool) or sign not in (-1, 0, 1):
        raise MensuraError(f"{shown(sign)} is no sign; it is 1, -1 or 0.")
    return cause, effect, int(sign)


def read_model(value: Any, system: System) -> str:
    """A model that describes an environment."""
    if not isinstance(value, str):
        raise MensuraError(f"{shown(value)} is no model; it is a text.")
    system.environment(value)
    return value
