"""What a deep Q-network is trained by: the settings of Mnih et al. (2015), and smaller ones for small worlds."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from mensura.agent.errors import MensuraError


@dataclass(frozen=True)
class Settings:
    """How a network is trained. As they are, those of Mnih et al.: Human-level control through deep reinforcement
    learning (2015), with exploration four times as long as Hosu and Rebedea (2016) have it."""

    interactions: int = 12_500_000
    """Of all training; four frames each in Atari, so that these are 50 million."""
    discount: float = 0.99
    rate: float = 0.00025
    decay: float = 0.95
    """Of the averages of gradients and of their squares in RMSProp."""
    least: float = 0.01
    """What is added to the variance of a gradient, which is summed over a batch."""
    batch: int = 32
    every: int = 4
    """Interactions for each update."""
    memory: int = 1_000_000
    """Transitions that are kept."""
    fill: int = 50_000
    """Interactions before the first update."""
    copied: int = 10_000
    """Updates after which the target network is copied."""
    exploration: int = 1_000_000
    """Interactions over which epsilon falls from 1 to its end."""
    epsilon: float = 0.1
    limit: int | None = None
    """An episode is cut off after so many interactions: 450 are 30 seconds of Atari."""
    environments: int = 14
    """So many are played side by side."""
    hidden: int = 64
    """Units of each of two layers, where what is seen is a row of numbers."""

    def __post_init__(self) -> None:
        """Raise where a setting is none."""
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in ("discount", "decay", "epsilon"):
                right = 0.0 <= value <= 1.0
                said = "from 0 to 1"
            elif one.name in ("rate", "least"):
                right, said = 0.0 < value < 1e6, "above 0"
            else:
                right, said = value is None or value >= 1, "at least 1"
            if not right:
                raise MensuraError(f"{one.name} is {value!r} in training; it has to be {said}.")
        if self.memory < 8 * self.environments:
            raise MensuraError(
                f"A memory of {self.memory} transitions is too small for {self.environments} environments side by "
                f"side; {8 * self.environments} is the least."
            )

    @property
    def added(self) -> float:
        """What RMSProp adds to the root of the variance of the mean gradient of a batch.

        Mnih et al. add ``least`` to the variance of a sum over the batch, below the root; a loss that is the mean has
        gradients that are smaller by the size of the batch.
        """
        return float(self.least**0.5 / self.batch)

    def epsilon_at(self, interaction: int) -> float:
        """The chance of a random action."""
        share = min(interaction / self.exploration, 1.0)
        return 1.0 + share * (self.epsilon - 1.0)


SMALL: dict[str, Any] = {
    "rate": 0.001,
    "memory": 50_000,
    "fill": 500,
    "copied": 250,
    "exploration": 5_000,
    "environments": 4,
    "interactions": 20_000,
}
"""For worlds whose observations are short rows of numbers."""
