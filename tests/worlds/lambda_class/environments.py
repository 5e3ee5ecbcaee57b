"""Environments for tests of how they look."""

from __future__ import annotations

from typing import Any

from mensura.worlds.lambda_class.behaviors import Pattern
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.space import Space
from mensura.worlds.lambda_class.world import Lambda

FIGURE_4_1 = Space.parse("1+2++3|1+23-|1+23|1+2--3-")
PATTERN = Pattern(tuple(map(int, "20122220022222200222222002")))
DEFAULTS: dict[str, Any] = {"space": FIGURE_4_1, "good_and_evil": PATTERN, "starts": (0, 1, 3)}


def made(**changes: Any) -> LambdaEnvironment:
    """An environment of figure 4.1: Good on cell 1, Evil on cell 2, the subject on cell 4."""
    environment = LambdaEnvironment(Description(**{**DEFAULTS, **changes}))
    environment.reset(1)
    return environment


def sampled(seed: int = 3, preset: str = "thesis", **parameters: Any) -> LambdaEnvironment:
    """An environment that is drawn."""
    world = Lambda.preset(preset, **parameters)
    environment = world.build(world.sample(seed))
    environment.reset(seed)
    return environment
