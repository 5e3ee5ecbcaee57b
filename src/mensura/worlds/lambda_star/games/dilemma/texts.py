"""What is said of a dilemma: to subjects, and to somebody who was not there."""

from __future__ import annotations

from mensura.worlds.lambda_star.games.dilemma.parameters import Parameters
from mensura.worlds.lambda_star.games.dilemma.payoffs import as_rewards, complexity

TOLD = (
    "With each action you may also press a button that you carry, and so may everybody. What you get depends "
    "on whether you press it, and on how many of those near you press theirs and how many do not. While "
    "nobody is near you get 0."
)


def explained(d: Parameters) -> tuple[str, ...]:
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
