"""The parameters of a dilemma."""

from __future__ import annotations

from dataclasses import dataclass

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_star.torus.parameters import OnTorus, check_number


@dataclass(frozen=True, kw_only=True)
class Parameters(OnTorus):
    """What may be asked of a dilemma."""

    temptation: float = 5.0
    """Of a dilemma: T, the pay-off of one who defects while the other cooperates."""
    reward: float = 3.0
    """Of a dilemma: R, the pay-off of both who cooperate."""
    punishment: float = 1.0
    """Of a dilemma: P, the pay-off of both who defect."""
    sucker: float = 0.0
    """Of a dilemma: S, the pay-off of one who cooperates while the other defects."""


def check(options: Parameters) -> None:
    """Raise if the four numbers make no dilemma, or if partners could not be seen."""
    for name in ("temptation", "reward", "punishment", "sucker"):
        check_number(name, getattr(options, name), -1e6, 1e6)
    t, r, p, s = options.temptation, options.reward, options.punishment, options.sucker
    if not t > r > p > s:
        raise MensuraError(
            f"A temptation of {t:g}, a reward of {r:g}, a punishment of {p:g} and a sucker's pay-off of {s:g} make no "
            "dilemma; each must be more than the next."
        )
    if not 2 * r > t + s:
        raise MensuraError(
            f"With a temptation of {t:g}, a reward of {r:g} and a sucker's pay-off of {s:g}, taking turns to "
            "defect pays as much as cooperation; twice the reward must be more than the sum of the others."
        )
    radius, sight = options.radius, options.range
    if radius > sight:
        raise MensuraError(
            f"radius is {radius} and range is {sight}; in a dilemma partners are seen, so radius is at most range."
        )
