"""The pay-offs of the prisoner's dilemma: what makes four numbers one, how they become rewards, how hard it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mensura.core.contract import Measure
from mensura.core.errors import MensuraError

if TYPE_CHECKING:
    from mensura.worlds.lambda_star.environment import Description
    from mensura.worlds.lambda_star.parameters import Options
    from mensura.worlds.lambda_star.world import LambdaStar, Patterns

MEASURES = {
    "hardness": Measure(
        "hardness",
        "1 - (R - P) / (T - S), one less Rapoport's index of cooperation, the same for all environments",
        "%",
    ),
}


def check(options: Options) -> None:
    """Refuse four numbers that make no dilemma, and partners that could not be seen."""
    from mensura.worlds.lambda_star.parameters import check_number

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
    radius, sight = getattr(options, "radius", 1), getattr(options, "range", 1)
    if radius > sight:
        raise MensuraError(
            f"radius is {radius} and range is {sight}; in a dilemma partners are seen, so radius is at most range."
        )


def explained(d: Description) -> tuple[str, ...]:
    """The game, for somebody who was not there."""
    t, r, p, s = as_rewards(d)
    near = "on the same cell" if d.radius == 0 else f"at most {d.radius} apart"
    return (
        "With each move an agent cooperates or, as it is told, presses a button: that is to defect. Every two that are "
        f"{near} then play the prisoner's dilemma with what they did. One who defects alone gets {t:.3g}, both who "
        f"cooperate {r:.3g}, both who defect {p:.3g}, and one who cooperates alone {s:.3g}; an agent gets the mean "
        "over its partners, and 0 without any. Whatever the others do, it pays more at once to defect; all are better "
        "off if all cooperate.",
        f"How hard it is to cooperate is told by the hardness, {complexity(d):.3g} % here: the smaller R - P is "
        "against T - S, the harder.",
    )


def as_rewards(options: Options) -> tuple[float, float, float, float]:
    """T, R, P and S as rewards: their mean becomes 0, and the farthest from it 1 or -1.

    So two who toss coins expect 0, as does one who has no partner.
    """
    four = np.array([options.temptation, options.reward, options.punishment, options.sucker])
    four = four - four.mean()
    t, r, p, s = (four / np.abs(four).max()).tolist()
    return t, r, p, s


def complexity(options: Options | Description, _: str = "hardness") -> float:
    """How hard it is to cooperate, in per cent, by the index of Rapoport and Chammah (1965).

    In per cent since records count complexities by whole numbers.
    """
    index = (options.reward - options.punishment) / (options.temptation - options.sucker)
    return 100.0 * (1.0 - index)


def sample(
    world: LambdaStar,
    keys: npt.NDArray[np.uint64],
    measure: str,
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
) -> Patterns:
    """Environments in which nothing is drawn; all are equally hard."""
    from mensura.worlds.lambda_star.world import Patterns

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


def describe(template: Description, _: npt.NDArray[np.int64]) -> Description:
    """The description says it all."""
    return template


def pattern(_: Description) -> npt.NDArray[np.int64]:
    """Nothing is drawn."""
    return np.zeros(1, np.int64)
