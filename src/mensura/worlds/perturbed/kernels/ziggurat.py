"""Normal deviates from keyed draws, by a ziggurat of 256 layers (Marsaglia and Tsang, 2000).

The half of the bell curve above 0 is covered by layers of the same area: 255 rectangles and a base with the tail. One
draw of 64 bits names a layer and a place in it, by bits of their own (Doornik, 2005); 99 of 100 places lie below the
curve whatever their height, and cost a product and a comparison. Others ask for further slots of the same draw.
"""

import math

import numpy as np
import numpy.typing as npt

from mensura.core.compiled import prf, rule, uint64, unit

LAYERS = 256


def height(x: float) -> float:
    """The bell curve, 1 at its top."""
    return math.exp(-0.5 * x * x)


def edges(last: float) -> list[float]:
    """Where layers of the same area end, if the base has its edge at ``last``: from there up, 255 of them.

    Where they would pass the top, edges end there with fewer.
    """
    area = last * height(last) + math.sqrt(math.pi / 2) * math.erfc(last / math.sqrt(2))
    found = [area / height(last), last]
    while len(found) < LAYERS:
        above = height(found[-1]) + area / found[-1]
        if above >= 1.0:
            break
        found.append(math.sqrt(-2.0 * math.log(above)))
    return found


def layer_edges() -> npt.NDArray[np.float64]:
    """The edges of all layers, outermost first, of which the highest ends at the top of the curve.

    The first is not an edge but the width of a rectangle of the base's area, the last is 0.
    """
    low, high = 3.0, 4.0
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return np.array([*edges(high), 0.0])
        found = edges(middle)
        # A base that ends further out makes thinner layers, which do not pass the top.
        if len(found) < LAYERS or _top(found) > 1.0:
            low = middle
        else:
            high = middle


def _top(found: list[float]) -> float:
    """Where the highest layer ends."""
    return height(found[-1]) + found[0] * height(found[1]) / found[-1]


EDGES = layer_edges()
HEIGHTS = np.array([height(x) for x in EDGES.tolist()])
BASE = float(EDGES[1])
"""Beyond it lies the tail."""

TRIES = 4000
"""How often a place above the curve is followed by another, at most, since slots of draws end at 2^16. That these are
too few has a chance below 1 in 10^1000."""


@rule
def placed(z):
    """The place in a layer that a draw names, the layer, and whether it lies below the curve whatever its height."""
    layer = z & uint64(LAYERS - 1)
    x = (2.0 * unit(z) - 1.0) * EDGES[layer]
    return x, layer, abs(x) < EDGES[layer + uint64(1)]


@rule
def normal_from(z, key, t, slot):
    """The normal deviate whose first draw is known; further ones are those of (key, iteration) after ``slot``."""
    for _ in range(TRIES):
        x, layer, inside = placed(z)
        if inside:
            return x
        if layer == 0:
            return math.copysign(tail(key, t, slot + 1), x)
        low, high = HEIGHTS[layer], HEIGHTS[layer + uint64(1)]
        if low + unit(prf(key, t, slot + 1)) * (high - low) < math.exp(-0.5 * x * x):
            return x
        slot += 2
        z = prf(key, t, slot)
    return 0.0


@rule
def normal(key, t, slot):
    """The normal deviate for (key, iteration), from slots of draws from ``slot`` on."""
    return normal_from(prf(key, t, slot), key, t, slot)


@rule
def tail(key, t, slot):
    """A deviate beyond the base (Marsaglia, 1964)."""
    for _ in range(TRIES):
        a = -math.log(1.0 - unit(prf(key, t, slot))) / BASE
        b = -math.log(1.0 - unit(prf(key, t, slot + 1)))
        if b + b > a * a:
            return BASE + a
        slot += 2
    return BASE
