"""Orders of conditions: every position and every succession equally often."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from mensura.studies.orders import balanced_orders


@pytest.mark.parametrize("count", range(1, 12))
def test_every_condition_is_in_every_position_and_follows_every_other_equally_often(
    count: int,
) -> None:
    rows = balanced_orders(count)
    assert len(rows) == (count if count % 2 == 0 or count == 1 else 2 * count)
    assert all(sorted(row) == list(range(count)) for row in rows)
    for position in range(count):
        assert len(set(Counter(row[position] for row in rows).values())) == 1
    successions = Counter(pair for row in rows for pair in pairwise(row))
    assert len(successions) == count * (count - 1)
    assert len(set(successions.values())) <= 1
