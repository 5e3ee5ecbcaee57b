"""The strategies of the prisoner's dilemma: always the same, tit for tat, generous, win-stay lose-shift.

Partners are anonymous. Who has several in sight draws one of them and answers what that one did last, which is the
known strategy wherever there is one partner. All cooperate at first, and while nobody is in sight.

Each has a probability ``noise`` of doing the contrary of what it means to do (it knows then what it did), ``seek`` of a
step to where most others are in sight, and else ``roam`` of a step in any direction; otherwise it stays.
"""

from mensura.core.compiled import below, draw, int64, rule, unit
from mensura.core.group import Kind, Range
from mensura.worlds.lambda_star.memory import (
    FIRST_STRATEGY,
    OWN_RATE,
    RANGE,
    TASK_SLOT,
    pick,
    step_to,
)
from mensura.worlds.lambda_star.minds import minds_of
from mensura.worlds.lambda_star.row import (
    DONE,
    FIXED,
    ITERATION,
    LOOKS_DEEDS,
    MOVES_OF_ONE,
    OTHERS,
    STAY,
)

ALWAYS_COOPERATE, ALWAYS_DEFECT, TIT_FOR_TAT, GENEROUS, WIN_STAY_LOSE_SHIFT = range(
    FIRST_STRATEGY, FIRST_STRATEGY + 5
)

# Parameters, in the order in which kinds list them.
NOISE, _SEEK, _ROAM, _GENEROSITY = range(OWN_RATE, OWN_RATE + 4)

# What a mind keeps: what it did last, 1 for having defected.
_DID = 0

# Slots of the draws.
_SLOT_PARTNER, _SLOT_FORGIVE, _SLOT_NOISE, _SLOT_SEEK, _SLOT_ROAM, _SLOT_STEP = range(
    TASK_SLOT, TASK_SLOT + 6
)


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


@rule
def walk(mind, j, o, key, t):
    """A move, from 1 to 9: to company, anywhere, or none."""
    k = mind.head[RANGE]
    width = 2 * k + 1
    first = FIXED + OTHERS * width * width
    a = STAY
    if unit(draw(key, t, _SLOT_SEEK)) < mind.rate[j, _SEEK]:
        at = pick(o, first, width * width, key, t, _SLOT_STEP)
        a = step_to(at, k, width)
    elif unit(draw(key, t, _SLOT_ROAM)) < mind.rate[j, _ROAM]:
        a = 1 + below(draw(key, t, _SLOT_STEP), MOVES_OF_ONE)
    return a


MINDS = minds_of(tell, act, 2 * MOVES_OF_ONE)

COMMON = {"noise": 0.0, "seek": 0.0, "roam": 0.0}

KINDS = {
    "always-cooperate": Kind(ALWAYS_COOPERATE, "cooperates whatever happens", COMMON),
    "always-defect": Kind(ALWAYS_DEFECT, "defects whatever happens", COMMON),
    "tit-for-tat": Kind(TIT_FOR_TAT, "does what was done to it last time", COMMON),
    "generous": Kind(
        GENEROUS,
        "tit for tat that forgives now and then",
        {**COMMON, "generosity": 1 / 3},
    ),
    "win-stay-lose-shift": Kind(
        WIN_STAY_LOSE_SHIFT, "repeats what paid well, else does the contrary (Pavlov)", COMMON
    ),
}
"""The generosity is the highest that pays against defectors under 5, 3, 1, 0: min(1 - (T-R)/(R-S), (R-P)/(T-P)), of
Nowak and Sigmund (1992)."""
RANGES = {name: Range(0.0, 1.0) for name in (*COMMON, "generosity")}
LOOKS = {kind.code: LOOKS_DEEDS for kind in KINDS.values()}
