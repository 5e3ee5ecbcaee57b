"""The worlds and wrappers of the law of the wrappers: small worlds, each bare and with everything put around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from tests.adapters.worlds import LineWorld
from tests.testing.guessing import GuessingWorld
from tests.toys import RelayWorld

from mensura.agent.errors import MensuraError
from mensura.assessments.company import PopulatedWorld
from mensura.core.abilities import make, parameters, presets, subject_names
from mensura.core.registry import WORLDS
from mensura.core.withdrawing import WithdrawingWorld, check_can_withdraw
from mensura.worlds.perturbed.operators import COMPILED, OPERATORS
from mensura.worlds.perturbed.world import PREFIX, perturbed

HORIZON = 12
"""Longer than anything comes late at strength 1."""

SIZES: Mapping[str, Mapping[str, Any]] = {
    "lambda-v1": {"cells": 3},
    "constraints-v1": {"n": 4},
    "framotec-v1-of-two": {"task": "locking-plotter"},
}
"""Parameters that make a world small, or have room for two, beside its horizon and its seats."""

TOYS: Mapping[str, Any] = {
    "guessing-v0": GuessingWorld,
    "line-v3": LineWorld,
    "relay-v0": RelayWorld,
}

PAIR = "-of-two"
"""Behind the name of a world that has two subjects."""

OF_PRESET = "@"
"""Between the name of a world and one of its presets, but for the first, which it has without."""

SMALL: Mapping[str, Any] = {"rows": 4, "cols": 4, "n": 4, "peaks": 2, "subjects": 2}
"""Parameters that make a world small, where its preset allows them."""


class Wrapper(NamedTuple):
    """What is put around a world."""

    name: str
    strength: float = 0.0
    perturbations: Mapping[str, float] | None = None
    """The strengths of operators by parameter; None where the world is not perturbed."""
    around: Callable[[Any], Any] | None = None
    """What is put around that."""


def _may_withdraw(world: Any) -> WithdrawingWorld:
    check_can_withdraw(world)
    return WithdrawingWorld(world)


def _alone(world: Any) -> PopulatedWorld:
    return PopulatedWorld(world, ())


def _in_company(world: Any) -> PopulatedWorld:
    names = subject_names(world)
    return PopulatedWorld(world, ("random" if "random" in names else next(iter(names), "nobody"),))


TOGETHER: Mapping[str, tuple[str, ...]] = {
    "compiled": tuple(name for name in OPERATORS if name in COMPILED),
    "distractions": ("distraction-observations", "distraction-actions", "scarcity-horizon"),
    "all": tuple(OPERATORS),
}
"""Operators that act together."""


@cache
def wrappers() -> Mapping[tuple[str, float], Wrapper]:
    """Everything that is put around a world, by name and strength; all perturbations of strength 0 are one."""
    single = {name: (name,) for name in OPERATORS}
    all_of_them = [
        Wrapper("none"),
        Wrapper("perturbed", 0.0, {}),
        Wrapper("withdrawing", 0.0, None, _may_withdraw),
        Wrapper("company", 0.0, None, _alone),
        *(
            Wrapper(
                f"{PREFIX}-{name}",
                strength,
                {OPERATORS[name].parameter: strength for name in names},
            )
            for name, names in {**single, **TOGETHER}.items()
            for strength in (0.5, 1.0)
        ),
        Wrapper("withdrawing", 1.0, None, _may_withdraw),
        Wrapper("withdrawing-from-noise", 0.5, {"observation_noise": 0.5}, _may_withdraw),
        Wrapper("company", 1.0, None, _in_company),
    ]
    return {(around.name, around.strength): around for around in all_of_them}


def of_presets() -> list[str]:
    """Every preset of every registered world but the first."""
    return [
        f"{name}{OF_PRESET}{preset}"
        for name in WORLDS.names()
        for preset in list(presets(WORLDS.load(name)))[1:]
    ]


def fitting(kind: Any, chosen: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with whatever of those wanted a world has and allows beside them, one after the other."""
    fits = dict(chosen)
    for parameter, value in wanted.items():
        if parameter in parameters(kind):
            try:
                make(kind, **fits, **{parameter: value}).sample(0)
            except MensuraError:
                continue
            fits[parameter] = value
    return fits


def world_names() -> list[str]:
    """Every registered world and the toys, and those that may have two subjects once more."""
    return [
        name + seats
        for name in (*WORLDS.names(), *TOYS)
        for seats in ("", PAIR)
        if not seats or {"subjects", "walkers"} & set(parameters(_kind(name)))
    ]


def _inside(name: str) -> str:
    """The id of a world."""
    return name.removesuffix(PAIR).partition(OF_PRESET)[0]


def _kind(name: str) -> Any:
    return TOYS[name] if name in TOYS else WORLDS.load(name)


@cache
def parameters_of(name: str) -> Mapping[str, Any]:
    """The parameters of a world of :func:`world_names` or :func:`of_presets`."""
    inside, seats = _inside(name), 2 if name.endswith(PAIR) else 1
    if OF_PRESET in name:
        preset = name.partition(OF_PRESET)[2]
        return fitting(_kind(inside), {"preset": preset}, {"horizon": HORIZON, **SMALL})
    usual = {
        "horizon": HORIZON,
        "subjects": seats,
        "walkers": seats,
        **SIZES.get(inside, {}),
        **SIZES.get(name, {}),
    }
    return {
        parameter: value
        for parameter, value in usual.items()
        if parameter in parameters(_kind(inside))
    }


@lru_cache(maxsize=8)
def world_of(name: str, wrapper: str = "none", strength: float = 0.0) -> Any:
    """A world with something around it; raises MensuraError where it cannot be."""
    what = wrappers()[wrapper, strength]
    kind = _kind(_inside(name))
    parameters = {**parameters_of(name), **(what.perturbations or {})}
    world = make(kind if what.perturbations is None else perturbed(kind), **parameters)
    return world if what.around is None else what.around(world)


def as_users_call_it(
    name: str, wrapper: str = "none", strength: float = 0.0
) -> tuple[Any, dict[str, Any]]:
    """The world by its id and its parameters where that is possible; else as an object."""
    what, inside = wrappers()[wrapper, strength], _inside(name)
    if what.around is not None or inside in TOYS:
        return world_of(name, wrapper, strength), {}
    if what.perturbations is None:
        return inside, dict(parameters_of(name))
    return f"{PREFIX}-{inside}", {**parameters_of(name), **what.perturbations}
