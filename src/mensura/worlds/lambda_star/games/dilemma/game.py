"""The prisoner's dilemma, as one game of the torus (section 6.3 of the paper)."""

from __future__ import annotations

from mensura.core.doors import doors_of
from mensura.worlds.lambda_star.games.dilemma import payoffs, texts
from mensura.worlds.lambda_star.games.dilemma.kernels import minds, rules
from mensura.worlds.lambda_star.games.dilemma.minds import SUBJECTS
from mensura.worlds.lambda_star.games.dilemma.parameters import Parameters, check
from mensura.worlds.lambda_star.torus.drawing import Look
from mensura.worlds.lambda_star.torus.game import Drawn, Game
from mensura.worlds.lambda_star.torus.parameters import names_of

TALLY = {
    "cooperation": rules.WHOLE,
    "early_cooperation": rules.COOPERATED,
    "middle_cooperation": rules.COOPERATED + 1,
    "late_cooperation": rules.COOPERATED + 2,
    "pay_of_cooperators": rules.PAID_COOPERATORS,
    "pay_of_defectors": rules.PAID_DEFECTORS,
    "price_of_defection": rules.PRICE,
    "partners": rules.PARTNERS,
}
"""What is told of an episode.

Cooperation: the share of cooperation among all that was done, in the episode and in its thirds. Pay of cooperators and
of defectors: the mean reward of those who had partners while they did so; not told where nobody did. Price of
defection: what universal cooperation would have paid those who had partners, minus what they got. Partners: how many a
subject played with, on average.
"""


GAME = Game(
    "dilemma",
    doors_of(rules.RULES, minds.MINDS),
    SUBJECTS,
    # The pay-offs as rewards add up to 0, and a random subject meets each of the four as often among its like.
    balanced=lambda _: True,
    measures=payoffs.MEASURES,
    explained=texts.explained,
    look=Look(),
    deed="press",
    told=texts.TOLD,
    options=names_of(Parameters),
    check=check,
    dials=payoffs.as_rewards,
    tally=lambda _: TALLY,
    drawn=Drawn(payoffs.sample, payoffs.content, payoffs.pattern, payoffs.complexity),
    usual_assessment="battery",
)
