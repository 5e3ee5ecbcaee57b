"""Which environments are hard, for whom, in a report: tables, figures, sentences and data of four kinds of figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from mensura.reports import series_figures
from mensura.reports.number_words import interval, listed, number, percent, signed, some
from mensura.statistics.difficulty import (
    ALL,
    LEVEL,
    Agreement,
    Dependence,
    Standing,
    agreements,
    dependences,
    solved_by_level,
    standings,
    telling,
)
from mensura.statistics.interval import Estimate
from mensura.statistics.series import Asked, Axis

Panel = dict[str, Any]
Table = dict[str, Any]

KINDS = frozenset({"profile", "solved", "difficulty", "agreement"})

OF_WHOM = "Of subjects that are above guessing there beyond noise and do not solve everything."

PROFILE_NOTE = (
    "The mean score, where guessing is worth 0 and solving everything 1, with half of its 95% interval; * above "
    "guessing beyond noise (Holm). In brackets, where a subject tells it, the share of environments about which it had "
    "an idea; about others it guessed."
)
DIFFICULTY_NOTE = (
    "Logistic regression: what a standard deviation of a complexity within its world adds to the log-odds of solving "
    "while the others are held, with 95% intervals that allow for several subjects in one environment; * beyond noise "
    f"(Holm). {OF_WHOM} Each has a constant in each world. Right guesses are counted as solved, which draws effects "
    "towards 0. Not separable: it does not vary there, or follows from those before it."
)
AGREEMENT_NOTE = (
    "Spearman's correlation of the scores of two subjects over environments that both met, with 95% intervals; * "
    f"beyond noise (Holm). {OF_WHOM} A single score is right or wrong and may be a guess, so that even subjects of one "
    "mind have correlations below 1."
)


def table(entry: Asked) -> Table | None:
    """What stands in numbers below a figure of these kinds; None where there is nothing to say."""
    tables: Mapping[str, Callable[[Asked], Table | None]] = {
        "profile": _profile_table,
        "difficulty": _difficulty_table,
        "agreement": _agreement_table,
    }
    return tables[entry.kind](entry) if entry.kind in tables else None


# Who is above guessing, where ---------------------------------------------------------


def _profile_table(entry: Asked) -> Table | None:
    found = standings(entry.series)
    if not found:
        return None
    worlds = list(dict.fromkeys(one.world for one in found))
    rows = []
    for subject, own in _by_subject(found).items():
        cells = [_profile_cell(own[world]) if world in own else "" for world in worlds]
        above = sum(one.above for one in own.values())
        rows.append([subject, *cells, f"{above} of {len(own)}"])
    return {"note": PROFILE_NOTE, "head": ["subject", *worlds, "above guessing"], "rows": rows}


def _by_subject(found: Sequence[Standing]) -> dict[str, dict[str, Standing]]:
    by_subject: dict[str, dict[str, Standing]] = {}
    for one in found:
        by_subject.setdefault(one.subject, {})[one.world] = one
    return by_subject


def _profile_cell(one: Standing) -> str:
    known = math.isfinite(one.score.half_width)
    around = f" \N{PLUS-MINUS SIGN}{number(one.score.half_width, 2)}" if known else ""
    idea = f" ({percent(one.idea)})" if math.isfinite(one.idea) else ""
    return f"{signed(one.score.value, 2)}{'*' if one.above else ''}{around}{idea}"


def profile_words(found: Sequence[Standing]) -> Iterator[str]:
    """Who generalizes over worlds."""
    worlds = len({one.world for one in found})
    if worlds < 2:
        return
    above = {
        subject: [one.world for one in own.values() if one.above]
        for subject, own in _by_subject(found).items()
    }
    groups = [
        ("in none", [name for name, own in above.items() if not own]),
        ("in one", [name for name, own in above.items() if len(own) == 1]),
        ("in several but not all", [n for n, own in above.items() if 1 < len(own) < worlds]),
        (f"in all {worlds}", [name for name, own in above.items() if len(own) == worlds]),
    ]
    parts = [f"{where}: {listed(names, 20)}" for where, names in groups if names]
    yield (
        f"Who generalizes over the {worlds} worlds, by where its score is above guessing beyond noise: "
        f"{'; '.join(parts)}."
    )


# Along complexity ----------------------------------------------------------------------


def solved_panels(
    entry: Asked, name: str, looks: Mapping[str, int], measure: str
) -> Iterator[Panel]:
    """The share solved along complexity: a panel for each world."""
    by_world: dict[str, dict[str, list[tuple[float, Estimate]]]] = {}
    for one in telling(entry.series):
        points = solved_by_level(one)
        if points:
            by_world.setdefault(one.world, {})[one.subject] = points
    for i, (world, lines) in enumerate(by_world.items()):
        label = f"complexity {measure}".strip()
        yield {
            "name": world,
            "svg": series_figures.curves(
                lines,
                looks,
                Axis(label, label, {}),
                (-0.02, 1.02),
                f"{name}-{i}",
                f"Share solved by {len(lines)} subjects along complexity, {world}",
                logarithmic=False,
                height="share solved",
            ),
            "caption": f"{OF_WHOM} Bands are 95% intervals.",
        }


# What it depends on ----------------------------------------------------------------------


def _short(measure: str) -> str:
    return measure.removeprefix("complexity ")


def _difficulty_table(entry: Asked) -> Table | None:
    found = dependences(entry.series)
    if not found:
        return None
    names = list(dict.fromkeys(name for one in found for name in (*one.measures, *one.left_out)))
    rows = []
    for one in found:
        cells = dict(zip(one.measures, one.fitted.effects, strict=True))
        p = dict(zip(one.measures, one.corrected, strict=True))
        rows.append(
            [
                one.world,
                *(
                    _effect_cell(cells[name], p[name]) if name in cells else "not separable"
                    for name in names
                ),
                str(one.fitted.observations),
                str(one.fitted.clusters),
            ]
        )
    return {
        "note": DIFFICULTY_NOTE,
        "head": ["world", *map(_short, names), "sittings", "environments"],
        "rows": rows,
    }


def _effect_cell(effect: Estimate, p: float) -> str:
    known = math.isfinite(effect.low)
    around = f" {interval(effect.low, effect.high, 2)}" if known else ""
    return f"{signed(effect.value, 2)}{'*' if p <= LEVEL else ''}{around}"


def difficulty_words(found: Sequence[Dependence]) -> Iterator[str]:
    """What solving depends on, over all worlds together where there are several."""
    if not found:
        return
    one = found[0]
    told = list(zip(map(_short, one.measures), one.fitted.effects, one.corrected, strict=True))
    falls = [_odds(name, e) for name, e, p in told if p <= LEVEL and e.value < 0]
    rises = [_odds(name, e) for name, e, p in told if p <= LEVEL and e.value > 0]
    rest = [name for name, _, p in told if p > LEVEL]
    parts = [
        f"{words} {listed(names)}"
        for words, names in (
            ("fall with", falls),
            ("rise with", rises),
            ("show no effect beyond noise of", rest),
            ("cannot be told apart for", [_short(name) for name in one.left_out]),
        )
        if names
    ]
    where = "all worlds together" if one.world == ALL else one.world
    yield (
        f"What difficulty depends on ({where}): with the other complexities held, "
        f"the odds of solving {'; they '.join(parts)}. Factors are for a standard deviation within a world."
    )


def _odds(name: str, effect: Estimate) -> str:
    low, high = (math.exp(end) for end in (effect.low, effect.high))
    return (
        f"{name} (times {number(math.exp(effect.value), 2)} [{number(low, 2)}, {number(high, 2)}])"
    )


# Who agrees ----------------------------------------------------------------------------


def _agreement_table(entry: Asked) -> Table | None:
    found = agreements(entry.series)
    if not found:
        return None
    return {
        "note": AGREEMENT_NOTE,
        "head": ["world", "subject", "subject", "correlation", "environments"],
        "rows": [
            [
                one.world,
                one.one,
                one.other,
                _effect_cell(one.correlation, one.corrected),
                str(one.correlation.n),
            ]
            for one in found
        ],
    }


def agreement_words(found: Sequence[Agreement]) -> Iterator[str]:
    """How many pairs agree on which environments are hard."""
    if not found:
        return
    sure = [one for one in found if one.corrected <= LEVEL]
    agree = [one for one in sure if one.correlation.value > 0]
    oppose = [one for one in sure if one.correlation.value < 0]
    middle = median(one.correlation.value for one in found)
    counted = some(len(found), "pair of subjects in a world", "pairs of subjects in a world")
    yield (
        f"How far subjects agree on which environments are hard: of {counted}, {len(agree)} agree beyond noise, "
        f"{len(oppose)} disagree, and of {len(found) - len(sure)} neither is shown; the median correlation of ranks is "
        f"{signed(middle, 2)}."
    )


def words(entry: Asked) -> list[str]:
    """What a figure of these kinds says, in sentences that are true of whatever it shows."""
    if entry.kind == "profile":
        return list(profile_words(standings(entry.series)))
    if entry.kind == "difficulty":
        return list(difficulty_words(dependences(entry.series)))
    if entry.kind == "agreement":
        return list(agreement_words(agreements(entry.series)))
    return []


def data(entry: Asked) -> list[dict[str, Any]]:
    """The same as plain data."""
    if entry.kind == "profile":
        return [
            {
                "subject": one.subject,
                "world": one.world,
                **_plain(one.score),
                "solved": one.solved.value,
                "above_guessing": one.above,
                "idea": one.idea if math.isfinite(one.idea) else None,
            }
            for one in standings(entry.series)
        ]
    if entry.kind == "difficulty":
        return [
            {"world": one.world, "complexity": _short(name), **_plain(effect), "corrected_p": p}
            for one in dependences(entry.series)
            for name, effect, p in zip(one.measures, one.fitted.effects, one.corrected, strict=True)
        ]
    if entry.kind == "agreement":
        return [
            {
                "world": one.world,
                "one": one.one,
                "two": one.other,
                **_plain(one.correlation),
                "corrected_p": one.corrected,
            }
            for one in agreements(entry.series)
        ]
    return [
        {"world": one.world, "subject": one.subject, "complexity": x, **_plain(share)}
        for one in telling(entry.series)
        for x, share in solved_by_level(one)
    ]


def _plain(estimate: Estimate) -> dict[str, Any]:
    ends = {
        name: value if math.isfinite(value) else None
        for name, value in (("low", estimate.low), ("high", estimate.high))
    }
    return {"measured": estimate.value, **ends, "n": estimate.n}
