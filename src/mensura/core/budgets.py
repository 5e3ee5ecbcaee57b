"""Quality under budgets of communication: how a world tells it and assessments read it, as measures of an episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

Talk: TypeAlias = Literal["messages", "numbers"]
"""What is counted of what agents tell each other."""

BUDGETS = tuple(2**k for k in range(11))
"""For each agent, spaced evenly on a logarithmic scale."""


def quality_at(budget: int, talk: Talk) -> str:
    """The measure under which an episode tells the quality that was reached within a budget."""
    return f"quality_at_{budget}_{talk}"


def qualities(measures: Mapping[str, float], talk: Talk) -> list[float]:
    """The quality that an episode reached within each budget; none where it tells none."""
    names = [quality_at(budget, talk) for budget in BUDGETS]
    return [measures[name] for name in names] if all(one in measures for one in names) else []
