"""The strategies of the prisoner's dilemma: always the same, tit for tat, generous, win-stay lose-shift.

Partners are anonymous. Who has several in sight draws one of them and answers what that one did last, which is the
known strategy wherever there is one partner. All cooperate at first, and while nobody is in sight.

Each has a probability ``noise`` of doing the contrary of what it means to do (it knows then what it did), and moves as
:mod:`~mensura.worlds.lambda_star.torus.kernels.walking` says.
"""

from mensura.core.compiled import draw, int64, rule, unit
from mensura.worlds.lambda_star.torus.kernels.memory import (
    GAME_SLOT,
    RANGE,
)
from mensura.worlds.lambda_star.torus.kernels.minds import minds_of
from mensura.worlds.lambda_star.torus.kernels.row import (
    DONE,
    FIXED,
    ITERATION,
    MOVES_OF_ONE,
    OTHERS,
)
from mensura.worlds.lambda_star.torus.kernels.walking import NOISE, OTHER_RATE, walk

# Kinds of minds, by numbers that no other game has.
ALWAYS_COOPERATE, ALWAYS_DEFECT, TIT_FOR_TAT, GENEROUS, WIN_STAY_LOSE_SHIFT = range(60, 65)

# The parameter after those of walking.
_GENEROSITY = OTHER_RATE

# What a mind keeps: what it did last, 1 for having defected.
_DID = 0

# Slots of the draws.
_SLOT_PARTNER, _SLOT_FORGIVE, _SLOT_NOISE = range(GAME_SLOT, GAME_SLOT + 3)


@rule
def tell(mind, j, o):
    """Strategies are silent."""


@rule
def act(mind, j, o, reward):
    """The action of seat j: a move, and what it does to its partners."""
    kind = mind.kind[j]
    key = mind.key[j]
    t = int64(o[ITERATION])
    own = mind.kept[j]
    deed = 0
    if kind == ALWAYS_DEFECT:
        deed = 1
    elif kind != ALWAYS_COOPERATE:
        betrayed = was_betrayed(mind, o, key, t)
        if kind == WIN_STAY_LOSE_SHIFT:
            # Who was betrayed got P or S, the two that count as losses (Nowak and Sigmund, 1993).
            deed = int64(own[_DID])
            if betrayed:
                deed = 1 - deed
        elif betrayed:
            deed = 1
            if kind == GENEROUS and unit(draw(key, t, _SLOT_FORGIVE)) < mind.rate[j, _GENEROSITY]:
                deed = 0
    if unit(draw(key, t, _SLOT_NOISE)) < mind.rate[j, NOISE]:
        deed = 1 - deed
    own[_DID] = deed
    return walk(mind, j, o, key, t) + MOVES_OF_ONE * deed


@rule
def was_betrayed(mind, o, key, t):
    """Whether one of those in sight, drawn evenly, defected last time."""
    width = 2 * mind.head[RANGE] + 1
    size = width * width
    others = 0.0
    defectors = 0.0
    for i in range(size):
        others += o[FIXED + OTHERS * size + i]
        defectors += o[FIXED + DONE * size + i]
    return unit(draw(key, t, _SLOT_PARTNER)) * others < defectors


MINDS = minds_of(tell, act, 2 * MOVES_OF_ONE)
