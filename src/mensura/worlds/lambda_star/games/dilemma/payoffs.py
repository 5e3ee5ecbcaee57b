"""The pay-offs of the prisoner's dilemma: how they become rewards, and how hard it is to cooperate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.core.contract import Measure
from mensura.worlds.lambda_star.games.dilemma.parameters import Parameters
from mensura.worlds.lambda_star.torus.patterns import Patterns

MEASURES = {
    "hardness": Measure(
        "hardness",
        "1 - (R - P) / (T - S), one minus Rapoport's index of cooperation, the same for all environments",
        "%",
    ),
}


def as_rewards(options: Parameters) -> tuple[float, float, float, float]:
    """T, R, P and S as rewards: their mean becomes 0, and the farthest from it 1 or -1.

    So two who toss coins expect 0, as does one who has no partner.
    """
    four = np.array([options.temptation, options.reward, options.punishment, options.sucker])
    four = four - four.mean()
    t, r, p, s = (four / np.abs(four).max()).tolist()
    return t, r, p, s


def complexity(options: Parameters, _: str = "hardness") -> float:
    """How hard it is to cooperate, in per cent, by the index of Rapoport and Chammah (1965).

    In per cent since records count complexities by whole numbers.
    """
    index = (options.reward - options.punishment) / (options.temptation - options.sucker)
    return 100.0 * (1.0 - index)


def sample(
    world: Parameters,
    keys: npt.NDArray[np.uint64],
    measure: str,
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
) -> Patterns:
    """Environments in which nothing is drawn; all are equally hard."""
    found = complexity(world)
    # A hair's breadth against rounding, where the interval is a single value.
    outside = np.flatnonzero(~((low - 1e-9 <= found) & (found <= high + 1e-9)))
    if len(outside):
        ends = float(low[outside[0]]), float(high[outside[0]])
        raise MensuraError(
            f"Every environment of this dilemma has a hardness of {found:g} %, which is not within "
            f"[{ends[0]:g}, {ends[1]:g}]; other pay-offs would have another."
        )
    return Patterns(np.zeros((len(keys), 1), np.int64), np.full(len(keys), found))


def content(_: Parameters, row: npt.NDArray[np.int64]) -> tuple[float, ...]:
    """The parameters say it all."""
    return ()


def pattern(_: Parameters) -> npt.NDArray[np.int64]:
    """Nothing is drawn."""
    return np.zeros(1, np.int64)
