"""Attempts at a task in a report: by time and energy, early and late, and what was measured of them, in numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from mensura.reports import attempt_figures
from mensura.reports.number_words import FEWEST, UNKNOWN, percent, plain, some, whole
from mensura.statistics.attempts import (
    Attempts,
    mean_energy,
    mean_time,
    ratio,
    solved_share,
)
from mensura.statistics.interval import Estimate
from mensura.statistics.series import Asked

Panel = dict[str, Any]


def panels(entry: Asked, name: str) -> Iterator[Panel]:
    """For each subject in each world: the attempts of its first sitting, and how all sittings went on."""
    several_worlds = len({one.world for one in entry.attempts}) > 1
    for i, one in enumerate(made(entry)):
        who = f"{one.subject}, {one.world}" if several_worlds else one.subject
        yield {
            "name": who,
            "svg": attempt_figures.by_time_and_energy(
                one,
                f"{name}-{i}",
                f"Attempts of {who} by time and energy, early ones light and late ones dark",
            ),
            "caption": _caption(one),
        }
        yield {
            "name": f"{who}, as attempts go on",
            "svg": attempt_figures.as_they_go_on(
                one, f"{name}-{i}-course", f"Share solved, time and energy of {who} along attempts"
            ),
            "caption": f"{_of_all(one)}; {_bands(one)}.",
        }


def made(entry: Asked) -> list[Attempts]:
    """Those who made attempts at all."""
    return [one for one in entry.attempts if one.solved.size]


def _bands(one: Attempts) -> str:
    if len(one) < FEWEST:
        return f"there are no bands, since {some(len(one), 'sitting')} {_are(len(one))} too few for intervals"
    return "bands are 95% intervals over sittings, where at least five solved something"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _of_all(one: Attempts) -> str:
    if len(one) == 2:
        return "Both sittings"
    return f"All {some(len(one), 'sitting')}" if len(one) > 1 else "The one sitting"


def _caption(one: Attempts) -> str:
    solved, attempts = int(one.solved[0].sum()), one.solved.shape[1]
    which = "the first sitting" if len(one) > 1 else "the one sitting"
    shown = (
        f"The {whole(solved)} solved of {some(attempts, 'attempt')} of {which}"
        if solved
        else f"None of {some(attempts, 'attempt')} of {which} was solved"
    )
    front = one.frontier
    if front is None:
        return f"{shown}."
    return (
        f"{shown}. Blue: the least energy for each time. {front.how} Red: what the motors can spend at most in that "
        "time."
    )


# In numbers ----------------------------------------------------------------------


def table(entry: Asked) -> dict[str, Any]:
    """How many attempts were solved, what these cost, and what changed from early to late ones."""
    lines = [*rows(entry), *_ratios(entry)]
    several = len({one.world for one in made(entry)}) > 1
    hidden = {"sittings", "attempts", *(() if several else ("world",))}
    return {
        "note": _note(entry),
        "head": [name for name in _COLUMNS if name not in hidden],
        "rows": [
            [_cell(line.get(name, "")) for name in _COLUMNS if name not in hidden] for line in lines
        ],
    }


def _note(entry: Asked) -> str:
    """What stands in the table, as far as there is something."""
    counts = sorted({(len(one), one.solved.shape[1]) for one in made(entry)})
    if not counts:
        return "Nobody made an attempt."
    number = " and ".join(f"{some(n, 'sitting')} of {some(m, 'attempt')}" for n, m in counts)
    fewest, most = counts[0][0], counts[-1][0]
    around = "with 95% intervals over sittings"
    if most < FEWEST:
        around = f"without intervals, for which {some(most, 'sitting')} {_are(most)} too few"
    elif fewest < FEWEST:
        around += f" where there are at least {FEWEST}"
    return (
        f"Of {number}: the share of attempts that were solved, and the mean time and energy of these, {around}; how "
        "far times and energies scatter within a sitting (standard deviation); and by how much the last quarter of "
        "attempts, at least one, differs from the first. Times and energies are of sittings that solved something."
    )


_COLUMNS = (
    "subject",
    "world",
    "sittings",
    "attempts",
    "solved",
    "time [s]",
    "scatter [s]",
    "energy [J]",
    "scatter [J]",
    "late minus early: solved",
    "late minus early: time [s]",
    "late minus early: energy [J]",
)


def rows(entry: Asked) -> Iterator[dict[str, Any]]:
    """The numbers of each subject in each world, by column."""
    for one in made(entry):
        values = (
            one.subject,
            one.world,
            len(one),
            one.solved.shape[1],
            one.share(),
            one.cost(one.time),
            one.spread(one.time),
            one.cost(one.energy),
            one.spread(one.energy),
            one.change(solved_share),
            one.change(mean_time),
            one.change(mean_energy),
        )
        yield dict(zip(_COLUMNS, values, strict=True))


def _ratios(entry: Asked) -> Iterator[dict[str, Any]]:
    """How many times as much the second has as the first, where there are two."""
    if len(made(entry)) != 2:
        return
    first, second = made(entry)
    same = first.subject == second.subject
    yield {
        "subject": f"{first.subject}: ratio" if same else f"{second.subject} / {first.subject}",
        "world": f"{second.world} / {first.world}" if same else first.world,
        "solved": ratio(solved_share, first, second),
        "time [s]": ratio(mean_time, first, second),
        "energy [J]": ratio(mean_energy, first, second),
    }


def data(entry: Asked) -> list[dict[str, Any]]:
    """The same as plain data."""
    return [
        {name: _plain(value) for name, value in line.items()}
        for line in (*rows(entry), *_ratios(entry))
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, Estimate):
        return {"measured": value.value, "low": value.low, "high": value.high}
    return value


def _cell(value: Any) -> str:
    if not isinstance(value, Estimate):
        return str(value)
    if not math.isfinite(value.value):
        return UNKNOWN  # nothing was solved that would tell; "none" would read as no difference
    digits = 0 if abs(value.value) >= 100 else 2
    if value.n < FEWEST or not math.isfinite(value.low):
        return plain(value.value, digits)
    return f"{plain(value.value, digits)} [{plain(value.low, digits)}, {plain(value.high, digits)}]"


def words(entry: Asked) -> Iterator[str]:
    """What came out, a sentence for each figure."""
    told = []
    for one in made(entry):
        share, time, energy = one.share(), one.cost(one.time), one.cost(one.energy)
        some_only = (
            f", over the {whole(time.n)} of {some(len(one), 'sitting')} that solved something"
            if time.n < len(one)
            else ""
        )
        cost = (
            f", in {plain(time.value, 1)} s and {whole(energy.value)} J on average{some_only}"
            if time.n
            else ""
        )
        count = some(len(one), "sitting")
        share_of = f"{percent(share.value)} of attempts" if share.value else "no attempt"
        told.append(f"{one.subject} ({one.world}) solved {share_of} in {count}{cost}")
    if told:
        yield f"{entry.title}: {'; '.join(told)}."
