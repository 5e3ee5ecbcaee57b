"""How minds move that do something to each other: to company, anywhere, or not at all.

Each has a probability ``seek`` of a step to where most others are in sight, and else ``roam`` of a step in any
direction; otherwise it stays.
"""

from mensura.core.compiled import below, draw, rule, unit
from mensura.worlds.lambda_star.torus.kernels.memory import (
    GAME_SLOT,
    OWN_RATE,
    RANGE,
    pick,
    step_to,
)
from mensura.worlds.lambda_star.torus.kernels.row import FIXED, MOVES_OF_ONE, OTHERS, STAY

# Parameters, in the order in which kinds list them; then those of the game.
NOISE, _SEEK, _ROAM, OTHER_RATE = range(OWN_RATE, OWN_RATE + 4)

# Slots of the draws: a game has those below, and from OTHER_SLOT on.
_SLOT_SEEK, _SLOT_ROAM, _SLOT_STEP, OTHER_SLOT = range(GAME_SLOT + 3, GAME_SLOT + 7)


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
