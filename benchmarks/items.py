"""What items cost: 10,000 of each family, beyond question."""

from __future__ import annotations

import time
from collections.abc import Iterator

from measure import Figure


def items_drawn(quick: bool) -> Iterator[Figure]:
    """Seconds for 10,000 fresh items of each family that draws them."""
    from mensura.worlds.items.families.table import FAMILIES
    from mensura.worlds.items.generator import generate

    count = 500 if quick else 10_000
    for name, family in FAMILIES.items():
        if not family.fresh:
            continue
        generate(name, 10, 1)
        start = time.perf_counter()
        generate(name, count, 2)
        taken = (time.perf_counter() - start) * 10_000 / count
        yield Figure(f"items: 10,000 of {name}", taken, "s", 10.0, False)


PARTS = (items_drawn,)
