"""Orders of conditions for participants who go through all of them: Latin squares, balanced for what came before.

The squares are those of Williams (1949, Experimental designs balanced for the estimation of residual effects of
treatments): each condition stands in each position equally often, and follows each other one equally often.
"""

from __future__ import annotations


def balanced_orders(count: int) -> tuple[tuple[int, ...], ...]:
    """The orders of so many conditions: as many as there are conditions, or twice as many where that is odd."""
    first = [0]
    low, high = 1, count - 1
    while low <= high:
        first.append(low)
        if low < high:
            first.append(high)
        low, high = low + 1, high - 1
    rows = [tuple((one + shift) % count for one in first) for shift in range(count)]
    if count % 2 and count > 1:
        rows += [tuple(reversed(row)) for row in rows]
    return tuple(rows)
