"""One subject at play, compiled: what it gets by some ways to act, and whether a coin was tossed.

For what cannot be computed, since the states of an environment are too many or unknown.
"""

from mensura.core.compiled import choice, door, fold, rule
from mensura.worlds.lambda_class.kernels.interaction import (
    ACTIONS,
    AIM,
    CELL,
    CONSUMED_AFTER,
    EVIL,
    FIRST_OBJECT,
    GOOD,
    OBJECTS,
    SUBJECTS,
    interact,
    open_row,
)

# Ways to act: to stay, to go where Good (or Evil) will leave its reward, or actions drawn beforehand.
STAY, TO_GOOD, TO_EVIL, RANDOMLY = range(4)

_FAR = 2**30


@rule
def find_ways(arrows, ways, far):
    """Fill ways[c, to] with the first action of a shortest path, and far[c, to] with its length."""
    n_c, n_a = arrows.shape
    for c in range(n_c):
        for to in range(n_c):
            far[c, to] = 0 if c == to else _FAR
            ways[c, to] = 0
    grown = True
    while grown:
        grown = False
        for c in range(n_c):
            for a in range(1, n_a):
                via = arrows[c, a]
                for to in range(n_c):
                    if far[via, to] + 1 < far[c, to]:
                        far[c, to] = far[via, to] + 1
                        ways[c, to] = a
                        grown = True


@door
def ways_door(arrows, ways, far):
    """`find_ways` for a space."""
    find_ways(arrows, ways, far)


@rule
def tossed(r):
    """Whether a coin decides which of Good and Evil moves in this interaction."""
    aim = r.state[GOOD, AIM]
    return aim == r.state[EVIL, AIM] and aim != r.state[GOOD, CELL] and aim != r.state[EVIL, CELL]


@door
def play_door(w, policy, key, n, ways, sums):
    """Play n interactions from where a row stands: sums[m] is what the first seat got in m + 1 of them.

    `key` draws its actions, where they are drawn; those of the other seats are drawn under the row's own key, by the
    stream after that of the initial junk. Returns whether a coin was tossed.
    """
    r = open_row(w)
    total = 0.0
    coins = False
    aim = AIM if r.head[CONSUMED_AFTER] == 1 else CELL
    others = fold(r.key[0], FIRST_OBJECT + r.head[OBJECTS] + 1)
    for m in range(n):
        for j in range(1, r.head[SUBJECTS]):
            r.action[j] = choice(others, m, j, r.head[ACTIONS])
        if policy == STAY:
            r.action[0] = 0
        elif policy == RANDOMLY:
            r.action[0] = choice(key, m, 0, r.head[ACTIONS])
        else:
            r.action[0] = ways[r.place[0], r.state[GOOD if policy == TO_GOOD else EVIL, aim]]
        coins = coins or tossed(r)
        interact(r)
        total += r.reward[0]
        sums[m] = total
    return coins
