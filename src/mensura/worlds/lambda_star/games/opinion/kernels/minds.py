"""Those who say what they think, or do not: honest, conformist, herder, zealot, contrarian.

They go by what those in sight said last time, and move as :mod:`~mensura.worlds.lambda_star.torus.kernels.walking`
says; ``noise`` is the probability of saying the contrary of what one means to say.
"""

import math

from mensura.core.compiled import draw, int64, rule, unit
from mensura.worlds.lambda_star.torus.kernels.memory import (
    RANGE,
)
from mensura.worlds.lambda_star.torus.kernels.minds import minds_of
from mensura.worlds.lambda_star.torus.kernels.row import (
    DONE,
    FIXED,
    ITERATION,
    MOVES_OF_ONE,
    OTHERS,
    PLANES,
)
from mensura.worlds.lambda_star.torus.kernels.walking import NOISE, OTHER_RATE, OTHER_SLOT, walk

# Kinds of minds, by numbers that no other game has.
HONEST, CONFORMIST, HERDER, ZEALOT, CONTRARIAN = range(80, 85)

# Parameters after the common ones, in the order in which kinds list them.
_THRESHOLD = OTHER_RATE
_CERTAINTY, _TRUST = OTHER_RATE, OTHER_RATE + 1
_OPINION = OTHER_RATE

_SLOT_NOISE = OTHER_SLOT


@rule
def tell(mind, j, o):
    """What they tell is what they do."""


@rule
def act(mind, j, o, reward):
    """The action of seat j: a move, and what it says."""
    kind = mind.kind[j]
    key = mind.key[j]
    t = int64(o[ITERATION])
    width = 2 * mind.head[RANGE] + 1
    size = width * width
    belief = o[FIXED + (PLANES + 1) * size]
    others = 0.0
    yes = 0.0
    for i in range(size):
        others += o[FIXED + OTHERS * size + i]
        yes += o[FIXED + DONE * size + i]
    heard = 2.0 * yes - others
    says = belief
    if kind == CONFORMIST:
        # Granovetter (1978): who is contradicted by more than a share of those in sight gives in.
        against = others - yes if belief > 0.0 else yes
        if against > mind.rate[j, _THRESHOLD] * others:
            says = -belief
    elif kind == HERDER:
        # Bayes, as if every voice were a signal of its own of the accuracy ``trust`` (Bikhchandani et al., 1992).
        odds = belief * log_odds(mind.rate[j, _CERTAINTY]) + heard * log_odds(mind.rate[j, _TRUST])
        if odds * belief < 0.0:
            says = -belief
    elif kind == ZEALOT:
        says = 2.0 * mind.rate[j, _OPINION] - 1.0
    elif kind == CONTRARIAN and heard != 0.0:
        says = -1.0 if heard > 0.0 else 1.0
    if unit(draw(key, t, _SLOT_NOISE)) < mind.rate[j, NOISE]:
        says = -says
    deed = 1 if says > 0.0 else 0
    return walk(mind, j, o, key, t) + MOVES_OF_ONE * deed


@rule
def log_odds(p):
    """What a signal that is right with this probability weighs."""
    return math.log(p / (1.0 - p))


MINDS = minds_of(tell, act, 2 * MOVES_OF_ONE)
