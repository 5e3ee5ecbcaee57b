"""The prisoner's dilemma (section 6.3 of the paper): spatial and repeated, between all who are near each other.

In each interaction everybody moves and cooperates or, as the deed, defects. Every two within the radius of each other
play: T for one who defects alone, R for both who cooperate, P for both who defect, S for one who cooperates alone
(Axelrod, 1984; Nowak and May, 1992, put it on a grid). A subject gets the mean over its partners, and 0 without any.
:mod:`~mensura.worlds.lambda_star.games.dilemma.payoffs` says how pay-offs become rewards.
"""

import numpy as np

from mensura.core.compiled import rule
from mensura.worlds.lambda_star.torus.kernels.interaction import rules_of, show_company
from mensura.worlds.lambda_star.torus.kernels.row import (
    COLS,
    FIXED,
    GAME_DIAL,
    GAME_TALLY,
    HORIZON,
    LOOKS_REWARDS,
    RADIUS,
    RANGE,
    ROWS,
    SUBJECTS,
    TIME,
    distance,
)

TEMPTATION, REWARD, PUNISHMENT, SUCKER = range(GAME_DIAL, GAME_DIAL + 4)
"""The pay-offs as rewards."""

# The tally: who cooperated, by thirds of the episode; what those who had partners got, and how many they were.
COOPERATED = GAME_TALLY
WHOLE, PAID_COOPERATORS, PAID_DEFECTORS, PRICE, PARTNERS, COOPERATORS, DEFECTORS = range(
    GAME_TALLY + 3, GAME_TALLY + 10
)


@rule
def prepare(r, pattern, key):
    """Nothing is drawn but where subjects start."""


@rule
def pay(r):
    """Everybody gets the mean pay-off of the games with all who are near."""
    m = r.head[ROWS]
    n = r.head[COLS]
    seats = r.head[SUBJECTS]
    radius = r.head[RADIUS]
    cooperated = 0.0
    for j in range(seats):
        partners = 0
        defectors = 0
        for other in range(seats):
            if other != j and radius >= distance(
                r.cell[j, 0], r.cell[j, 1], r.cell[other, 0], r.cell[other, 1], m, n
            ):
                partners += 1
                defectors += r.deed[other]
        reward = 0.0
        if partners > 0:
            with_cooperator = r.dial[TEMPTATION] if r.deed[j] else r.dial[REWARD]
            with_defector = r.dial[PUNISHMENT] if r.deed[j] else r.dial[SUCKER]
            reward = with_cooperator * (partners - defectors) + with_defector * defectors
            reward /= partners
            r.tally[PAID_DEFECTORS if r.deed[j] else PAID_COOPERATORS] += reward
            r.tally[DEFECTORS if r.deed[j] else COOPERATORS] += 1.0
            r.tally[PARTNERS] += partners
        r.reward[j] = reward
        cooperated += 1 - r.deed[j]
    r.tally[COOPERATED + (r.head[TIME] - 1) * 3 // r.head[HORIZON]] += cooperated


@rule
def show(r, j):
    """A cell is worth nothing by itself."""
    show_company(r, j)
    if r.looks[j] & LOOKS_REWARDS:
        width = 2 * r.head[RANGE] + 1
        for i in range(width * width):
            r.obs[j, FIXED + i] = 0.0


@rule
def conclude(r, out):
    """Counts as shares and sums as means; nan, for not told, where there is nothing to take the mean of."""
    t = r.head[TIME]
    horizon = r.head[HORIZON]
    seats = r.head[SUBJECTS]
    whole = 0.0
    for third in range(3):
        first = (third * horizon + 2) // 3
        last = ((third + 1) * horizon + 2) // 3
        done = float(max(min(t, last) - first, 0) * seats)
        out[COOPERATED + third] = r.tally[COOPERATED + third] / done if done > 0.0 else np.nan
        whole += r.tally[COOPERATED + third]
    out[WHOLE] = whole / (t * seats) if t > 0 else np.nan
    paid = r.tally[PAID_COOPERATORS] + r.tally[PAID_DEFECTORS]
    cooperators = r.tally[COOPERATORS]
    defectors = r.tally[DEFECTORS]
    out[PAID_COOPERATORS] = r.tally[PAID_COOPERATORS] / cooperators if cooperators > 0.0 else np.nan
    out[PAID_DEFECTORS] = r.tally[PAID_DEFECTORS] / defectors if defectors > 0.0 else np.nan
    met = cooperators + defectors
    out[PRICE] = r.dial[REWARD] - paid / met if met > 0.0 else np.nan
    out[PARTNERS] = r.tally[PARTNERS] / (t * seats) if t > 0 else np.nan


RULES = rules_of(prepare, pay, show, conclude)
