"""What assessments that ask for one environment after another have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.assessments.slots import Memory
from mensura.core.abilities import (
    measure_of,
)
from mensura.core.contract import (
    Plan,
    World,
)


def check_memory(memory: str) -> None:
    """Raise if the name of a memory is unknown."""
    if memory not in ("fresh", "continuous"):
        raise MensuraError(
            f"memory is {memory!r}; it is 'fresh' (the subject starts anew in each environment) or 'continuous'."
        )


def complexity_of(assessment: Any, world: World, name: str) -> str:
    """The complexity that an assessment chooses environments by; a sentence where the world has none of that name."""
    measure = measure_of(assessment, world)
    if not world.measures:
        raise MensuraError(
            f"{name} chooses environments by their complexity, and {world.id} declares none: "
            "take a world that does, or a battery."
        )
    if measure not in world.measures:
        raise MensuraError(
            f"{world.id} has no complexity {measure!r}; {neighbors(measure, list(world.measures))}"
        )
    return measure


def remembering(plan: Plan, memory: Memory) -> Plan:
    """The plan, with the subject seated anew before it where memory is fresh."""
    return replace(plan, fresh=memory == "fresh")
