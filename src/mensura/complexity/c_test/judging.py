"""Judge the enumerated series once, and write down the items that are unquestionable (`bank.py` has them).

Judging an item takes from milliseconds (k up to 10) to seconds (k of 12 and more), too long for who draws thousands.
Of k up to 10 all series are tried with every number of letters; of larger k a part of them, chosen evenly::

    python -m mensura.complexity.c_test.judging

takes a quarter of an hour and writes `items.txt` beside this module: the same lines on every machine.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mensura.complexity.c_test.instructions import read_program
from mensura.complexity.c_test.items import (
    LONGEST,
    LONGEST_PROGRAM,
    SHORTEST,
    SPREAD,
    CTestItem,
    judged_item,
)
from mensura.complexity.c_test.pool import Pool, pool_of

PLACE = Path(__file__).parent / "items.txt"
LEAST_K, MOST_K = 7, 13
WHOLE = 10
"""Up to this k all series are tried."""
TRIED = {11: 1500, 12: 500, 13: 200}
"""Of larger k so many draws of a series and of how much of it is shown."""
SEED = 1998


def draws(pool: Pool, k: int, abduction: bool) -> Iterator[tuple[int, int, int]]:
    """The series that are tried: the row, how many letters are shown, and which place is asked for."""
    rng = np.random.default_rng([SEED, k, abduction])
    rows = np.flatnonzero((pool.k == k) & (pool.least > 0) & (pool.least <= LONGEST))
    if k > WHOLE:
        rows = rng.permutation(rows)[: TRIED[k]]
    for row in rows.tolist():
        first = max(int(pool.least[row]), SHORTEST)
        counts = np.arange(first, min(first + SPREAD, LONGEST) + 1)
        for shown in counts.tolist() if k <= WHOLE else [int(rng.choice(counts))]:
            yield row, shown, int(rng.integers(1, shown - 1)) if abduction else shown


def lines(k: int, abduction: bool) -> Iterator[str]:
    """A line for each item of a k: program, letters shown, blank or -, runner-up or -; then what was thrown away."""
    pool = pool_of(LONGEST_PROGRAM)
    thrown_away: Counter[str] = Counter()
    found = set()
    for row, shown, blank in draws(pool, k, abduction):
        item = judged_item(pool, row, shown, blank, (k, k))
        if not isinstance(item, CTestItem):
            thrown_away[item] += 1
            continue
        digits = "".join(map(str, read_program(item.program)))
        place = str(blank) if abduction else "-"
        found.add(f"{digits} {shown} {place} {item.runner_up or '-'}")
    yield from sorted(found, key=lambda line: (len(line.split()[0]), line))
    for reason, count in sorted(thrown_away.items()):
        yield f"# k {k}, {'abduction' if abduction else 'prediction'}: {count} thrown away: {reason}"


def main() -> None:
    """Write the file."""
    parts = [
        line
        for abduction in (False, True)
        for k in range(LEAST_K, MOST_K + 1)
        for line in lines(k, abduction)
    ]
    PLACE.write_text("".join(f"{line}\n" for line in parts), encoding="ascii")
    sys.stdout.write(f"{PLACE}: {len(parts)} lines\n")


if __name__ == "__main__":
    main()
