"""Letter series by periods and relations, after Simon and Kotovsky (1963).

A period is found first: the shortest after which one relation holds between each place and the same place of the
period before, or between neighbors. Then the relations of all places go on. Their four variants differed in what they
knew; here a variant knows

1. same and next, between periods
2. and prior
3. and next twice
4. and relations between neighbors

Departures: their programs wrote down a pattern description and printed from it, and were limited by how many lists
they could hold; here relations are tried directly. Numbers are letters of an alphabet that goes round, where they are
below 26.
"""

from __future__ import annotations

from collections.abc import Sequence

from mensura.worlds.items.families.family import Part
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.chooser import LETTERS, Solver, series_of

LONGEST_PERIOD = 4
RELATIONS = {1: (0, 1), 2: (0, 1, -1), 3: (0, 1, -1, 2), 4: (0, 1, -1, 2)}
"""Steps by variant, the simplest first."""


def induced(series: Sequence[int], variant: int) -> int | None:
    """The next letter, by the shortest period that explains the series."""
    for period in range(1, min(LONGEST_PERIOD, len(series) // 2) + 1):
        places = [_related(series, period, place, variant) for place in range(period)]
        following = len(series) % period
        if all(one is not None for one in places):
            found = places[following]
            assert found is not None
            back, step = found
            return (series[-back] + step) % LETTERS
    return None


def _related(
    series: Sequence[int], period: int, place: int, variant: int
) -> tuple[int, int] | None:
    """How far back a place of a period looks, and the step from there that holds throughout."""
    looks = [period, *([1] if variant == 4 and period > 1 else [])]
    for back in looks:
        later = [k for k in range(place, len(series), period) if k >= back]
        for step in RELATIONS[variant]:
            if len(later) > (back == 1) and all(
                (series[k] - series[k - back] - step) % LETTERS == 0 for k in later
            ):
                return back, step
    return None


class PatternInducer(Solver):
    """Finds a period and relations in series of letters, after Simon and Kotovsky (1963)"""

    def __init__(self, variant: float = 4) -> None:
        super().__init__()
        self.variant = int(variant)

    def written(self, seen: Seen) -> Part | None:
        """The next letter."""
        series = series_of(seen)
        if series is None or any(part[0] >= LETTERS for part in (*seen.shown, *seen.options)):
            return None
        found = induced(series, self.variant)
        return None if found is None else (found,)
