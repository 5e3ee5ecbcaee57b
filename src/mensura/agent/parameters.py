"""The parameters of registered agents: what an address may set, checked before anything is played.

A registered agent whose class is a dataclass has its fields as parameters. The text below a field says what it means,
and its metadata what it may be::

    @dataclass(kw_only=True, eq=False)
    class Mine:
        alpha: float = number(0.1, 0.0, 1.0)
        \"\"\"How far a value moves towards what was found.\"\"\"

        def __post_init__(self) -> None:
            check(self, "mine")
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.meanings import meanings


@dataclass(frozen=True)
class Parameter:
    """One parameter of an agent, as lists and forms show it."""

    name: str
    default: Any
    meaning: str = ""
    low: float = -math.inf
    high: float = math.inf


def number(default: float, low: float, high: float) -> Any:
    """A field that is a number from low to high; a whole one where the default is."""
    return field(default=default, metadata={"low": low, "high": high})


def parameters_of(agent: Any) -> tuple[Parameter, ...]:
    """The parameters of a registered agent, in order; none where its class is no dataclass."""
    if not is_dataclass(agent):
        return ()
    texts = meanings(agent if isinstance(agent, type) else type(agent))
    return tuple(
        Parameter(
            one.name,
            one.default,
            one.metadata.get("meaning") or texts.get(one.name, ""),
            one.metadata.get("low", -math.inf),
            one.metadata.get("high", math.inf),
        )
        for one in fields(agent)
        if one.init
    )


def training_asked(agent: Any) -> int:
    """The training episodes that a registered agent asks for by its parameter ``training``; 0 where it has none.

    An attribute of that name alone says nothing: every network of PyTorch has one.
    """
    if all(one.name != "training" for one in parameters_of(agent)):
        return 0
    training = agent.training
    return training if type(training) is int and training > 0 else 0


def check(agent: Any, name: str) -> None:
    """Raise if a parameter of an agent is not a number within its bounds."""
    for one in parameters_of(agent):
        value = getattr(agent, one.name)
        whole = isinstance(one.default, int)
        kinds = (int,) if whole else (int, float)
        if (
            isinstance(value, bool)
            or not isinstance(value, kinds)
            or not one.low <= value <= one.high
        ):
            what = "a whole number" if whole else "a number"
            raise MensuraError(
                f"{one.name} of {name} is {value!r}; it must be {what} from {one.low:g} to {one.high:g}."
            )
