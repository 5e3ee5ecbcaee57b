"""What the members of a protocol hear where it carries only so far, and what is overheard of them.

What is told at a place is heard up to a distance from it: a message, where its teller stands; a field in the space, on
the cells near the one who reads it. What is overheard is where each sees most, or that all looks alike to it; the
entropy of that is how much a protocol has to say.
"""

import math

import numpy as np

from mensura.core.compiled import below, draw, int64, rule
from mensura.worlds.lambda_star.torus.kernels.memory import (
    COLS,
    HEARING,
    ROWS,
    SEATS,
    SLOT_FIELD,
    approach,
)
from mensura.worlds.lambda_star.torus.kernels.row import FIXED, OWN_COL, OWN_ROW, gap

# What a seat keeps: where it told from, and the best bid that it has heard in the episode.
_ROW, _COL, _HEARD, _BID, _BID_ROW, _BID_COL = range(6)


@rule
def speak_from(mind, j, o):
    """Tell where one stands."""
    mind.kept[j, _ROW] = o[OWN_ROW]
    mind.kept[j, _COL] = o[OWN_COL]


@rule
def hears(mind, j, i):
    """Whether seat j hears what seat i told."""
    far = mind.head[HEARING]
    if far == 0:
        return True
    y = gap(mind.kept[j, _ROW], mind.kept[i, _ROW], mind.head[ROWS])
    x = gap(mind.kept[j, _COL], mind.kept[i, _COL], mind.head[COLS])
    return max(y, x) <= far


@rule
def follow_bids(mind, j, o, kind, key, t):
    """Go where the highest bid points that one has heard so far, the later of equals."""
    kept = mind.kept[j]
    for i in range(mind.head[SEATS]):
        higher = kept[_HEARD] == 0.0 or mind.offer[i] >= kept[_BID]
        if mind.kind[i] == kind and higher and hears(mind, j, i):
            kept[_HEARD] = 1.0
            kept[_BID] = mind.offer[i]
            kept[_BID_ROW] = mind.target[i, 0]
            kept[_BID_COL] = mind.target[i, 1]
    return approach(mind, o, int64(kept[_BID_ROW]), int64(kept[_BID_COL]), key, t)


@rule
def hears_the_first(mind, j, kind):
    """Whether seat j hears the first member of its protocol."""
    heard = False
    for i in range(mind.head[SEATS]):
        if mind.kind[i] == kind and mind.rank[i] == 0:
            heard = hears(mind, j, i)
    return heard


@rule
def follow_field(mind, j, o, key, t):
    """Go to the best cell of the crowd's field within hearing, ties drawn evenly."""
    m = mind.head[ROWS]
    n = mind.head[COLS]
    far = mind.head[HEARING]
    y = int64(o[OWN_ROW])
    x = int64(o[OWN_COL])
    top = -np.inf
    ties = 0
    for i in range(mind.crowd.size):
        if max(gap(y, i // n, m), gap(x, i % n, n)) <= far:
            v = mind.crowd[i]
            if v > top:
                top = v
                ties = 1
            elif v == top:
                ties += 1
    left = below(draw(key, t, SLOT_FIELD), ties)
    cell = y * n + x
    for i in range(mind.crowd.size):
        if mind.crowd[i] == top and max(gap(y, i // n, m), gap(x, i % n, n)) <= far:
            if left == 0:
                cell = i
                break
            left -= 1
    return approach(mind, o, cell // n, cell % n, key, t)


@rule
def overhear(mind, o, size):
    """Count what somebody tells: the place that looks best to it, the first of several, or that all look alike."""
    best = 0
    alike = True
    for i in range(1, size):
        if o[FIXED + i] != o[FIXED]:
            alike = False
        if o[FIXED + i] > o[FIXED + best]:
            best = i
    mind.said[size if alike else best] += 1


@rule
def said_entropy(mind):
    """Shannon's entropy of what was told in the episode, all members together, in bits; 0 where nothing was."""
    total = 0
    for i in range(mind.said.size):
        total += mind.said[i]
    entropy = 0.0
    for i in range(mind.said.size):
        if mind.said[i] > 0:
            share = mind.said[i] / total
            entropy -= share * math.log2(share)
    return entropy
