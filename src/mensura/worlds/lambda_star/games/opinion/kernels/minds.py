"""Those who say what they think, or do not: honest, conformist, herder, zealot, contrarian.

They go by what those in sight said last time, and move as strategies do; ``noise`` is the probability of saying the
contrary of what one means to say.
"""

import math

from mensura.core.compiled import draw, int64, rule, unit
from mensura.core.group import Kind, Range
from mensura.worlds.lambda_star.memory import FIRST_OPINION, OWN_RATE, RANGE, TASK_SLOT
from mensura.worlds.lambda_star.minds import minds_of
from mensura.worlds.lambda_star.row import (
    DONE,
    FIXED,
    ITERATION,
    LOOKS_DEEDS,
    MOVES_OF_ONE,
    OTHERS,
    PLANES,
)
from mensura.worlds.lambda_star.strategies import COMMON, NOISE, walk

HONEST, CONFORMIST, HERDER, ZEALOT, CONTRARIAN = range(FIRST_OPINION, FIRST_OPINION + 5)

# Parameters after the common ones, in the order in which kinds list them.
_FIRST = OWN_RATE + len(COMMON)
_THRESHOLD = _FIRST
_CERTAINTY, _TRUST = _FIRST, _FIRST + 1
_OPINION = _FIRST

_SLOT_NOISE = TASK_SLOT + 6


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

KINDS = {
    "honest": Kind(HONEST, "says what it believes", COMMON),
    "conformist": Kind(
        CONFORMIST,
        "says what it believes unless more than a share of those in sight contradict",
        {**COMMON, "threshold": 0.5},
    ),
    "herder": Kind(
        HERDER,
        "weighs its belief against what it hears, by Bayes",
        {**COMMON, "certainty": 0.7, "trust": 0.6},
    ),
    "zealot": Kind(ZEALOT, "says the same always: no, or yes", {**COMMON, "opinion": 0.0}),
    "contrarian": Kind(CONTRARIAN, "says the contrary of what most in sight say", COMMON),
}
RANGES = {
    "threshold": Range(0.0, 1.0),
    "certainty": Range(0.01, 0.99),
    "trust": Range(0.01, 0.99),
    "opinion": Range(0.0, 1.0, whole=True),
}
LOOKS = {kind.code: LOOKS_DEEDS for kind in KINDS.values()}
