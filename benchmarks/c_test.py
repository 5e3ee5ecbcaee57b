"""What the C-test costs: all programs enumerated, a series explained, an item drawn."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from measure import Figure


def c_test_enumeration(quick: bool) -> Iterator[Figure]:
    """Seconds for all programs up to a length, without a series."""
    from mensura.complexity.c_test.pool import enumerate_programs

    enumerate_programs(3)
    for length, goal in ((6, None),) if quick else ((8, 60.0), (9, None)):
        start = time.perf_counter()
        count = len(enumerate_programs(length))
        taken = time.perf_counter() - start
        unit = f"s, {count:,} series"
        yield Figure(f"C-test: programs up to {length} instructions", taken, unit, goal, False)


def c_test_search(quick: bool) -> Iterator[Figure]:
    """Seconds for the cheapest programs of published series, up to length 10."""
    from mensura.complexity.c_test.search import explain

    explain("a b", length=3)
    for series in ("adgj", "acbdce") if quick else ("adgj", "acbdce", "aazcyex", "azbdcegf"):
        start = time.perf_counter()
        explain(series)
        taken = time.perf_counter() - start
        yield Figure(f"C-test: {series} explained", taken, "s", 60.0, False)


def c_test_items(quick: bool) -> Iterator[Figure]:
    """Seconds for a fresh item, by k; the mean of some draws."""
    from mensura.complexity.c_test.items import draw_item

    for k in (8,) if quick else (8, 10, 11, 12):
        draw_item(np.random.default_rng(0), k, k)  # enumerates, or reads what is kept
        rng = np.random.default_rng(1)
        start = time.perf_counter()
        count = 10
        for _ in range(count):
            draw_item(rng, k, k)
        taken = (time.perf_counter() - start) / count
        yield Figure(f"C-test: an item with k = {k}", taken, "s", None, False)


PARTS = (c_test_enumeration, c_test_search, c_test_items)
