"""What matters, alone and together: the page of a study with factors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mensura.agent.errors import MensuraError
from mensura.reports import drawing, experiment_figures
from mensura.reports.number_words import ends, interval, listed, percent, plain, signed, some, whole
from mensura.reports.page import fill
from mensura.statistics.factorial import TwoWay
from mensura.statistics.interval import Estimate, span
from mensura.statistics.multiple import corrected


@dataclass(frozen=True)
class Factor:
    """Something that may matter, as a figure needs it."""

    name: str
    axis: str
    """The label of an axis, with its unit."""
    labels: Sequence[str]
    """How its levels are called."""
    values: Sequence[float | None]
    """Where they stand on an axis; None for a level without a number."""
    baseline: int
    """The place of the level that holds while other factors vary."""


Pair = tuple[str, str]
"""The names of two factors: that of the rows, then that of the columns."""


def render_factors(
    title: str,
    source: str,
    notes: Sequence[str],
    factors: Sequence[Factor],
    alone: Mapping[str, Sequence[Estimate]],
    pairs: Mapping[Pair, Sequence[Sequence[Estimate]]],
    effects: Mapping[Pair, TwoWay],
    command: str = "",
) -> str:
    """A panel for each factor, a matrix of interactions, and a table of scores for each pair.

    ``alone`` has the score at each level of a factor; ``pairs`` those of each pair, a row for each level of the
    first and a column for each of the second; ``effects`` the shares of each pair.
    """
    if not factors or not any(alone.values()):
        raise MensuraError(
            "This experiment has no cells, so there is nothing to report; run it first."
        )
    by_name = {factor.name: factor for factor in factors}
    points = [point for cells in alone.values() for point in cells]
    counts = {point.n for point in points}
    shares = {pair: (effect.interaction, effect.significant) for pair, effect in effects.items()}
    return fill(
        "factors.html",
        [
            ("what", "What was run"),
            ("alone", "Each factor alone"),
            *(
                [("interactions", "Which factors interact"), ("pairs", "Pairs of factors")]
                if pairs
                else []
            ),
            ("again", "How to reproduce"),
        ],
        {
            "alone": [
                _panel(by_name[name], cells, drawing.score_range(points), i)
                for i, (name, cells) in enumerate(alone.items())
            ],
            "matrix": experiment_figures.interactions([factor.name for factor in factors], shares)
            if shares
            else "",
            "pairs": [
                {
                    "name": f"{one} and {other}",
                    "svg": experiment_figures.table_of_pair(
                        _ticks(by_name[one]),
                        _ticks(by_name[other]),
                        [[cell.value for cell in row] for row in grid],
                        by_name[one].axis,
                        by_name[other].axis,
                        f"pair-{i}",
                        f"Scores at each level of {one} and {other}",
                    ),
                    "caption": _shares(one, other, effects[one, other]),
                }
                for i, ((one, other), grid) in enumerate(pairs.items())
            ],
        },
        title=title,
        meta=f"{some(len(factors), 'factor')}, {some(len(pairs), 'pair')}",
        found=[*_matters(alone, by_name), *_interact(effects)],
        source=source,
        notes=notes,
        episodes=f"Each cell is {' to '.join(whole(n) for n in sorted({min(counts), max(counts)}))} episodes.",
        effects=[
            {
                "pair": f"{one} and {other}",
                "first": percent(effect.rows),
                "second": percent(effect.columns),
                "interaction": percent(effect.interaction),
                "significant": "yes" if effect.significant else "no",
            }
            for (one, other), effect in sorted(effects.items(), key=lambda e: -e[1].interaction)
        ],
        again=(
            "The same version of Mensura gives the same scores on any machine with this command:"
            if command
            else "The seed that the command printed gives the same scores again."
        ),
        command=command,
    )


def _ticks(factor: Factor) -> list[str]:
    """Levels as short as an axis with its own label allows."""
    return [
        f"{value:g}" if value is not None else label
        for value, label in zip(factor.values, factor.labels, strict=True)
    ]


def _panel(
    factor: Factor, cells: Sequence[Estimate], score_range: tuple[float, float], i: int
) -> dict[str, str]:
    low, high = _ends(cells)
    return {
        "name": factor.name,
        "svg": experiment_figures.factor_alone(
            factor.labels,
            factor.values,
            cells,
            factor.baseline,
            factor.axis,
            score_range,
            f"factor-{i}",
            f"Scores at each level of {factor.name}",
        ),
        "caption": f"From {_cell(factor, cells, low)} to {_cell(factor, cells, high)}.",
    }


def _ends(cells: Sequence[Estimate]) -> tuple[int, int]:
    """The places of the lowest and the highest score."""
    values = [cell.value for cell in cells]
    return values.index(min(values)), values.index(max(values))


def _cell(factor: Factor, cells: Sequence[Estimate], at: int) -> str:
    cell = cells[at]
    return f"{signed(cell.value)} {ends(cell)} at {factor.labels[at]}"


def _matters(
    alone: Mapping[str, Sequence[Estimate]], by_name: Mapping[str, Factor]
) -> Iterator[str]:
    """Which factors move the score most, by the distance between their lowest and their highest level."""
    spans = {name: span(cells) for name, cells in alone.items()}
    p = corrected([one for _, one in spans.values()]).tolist()
    sure = [name for name, value in zip(spans, p, strict=True) if value <= 0.05]
    still = [name for name in spans if name not in sure]
    moved = sorted(((spans[name][0].value, name) for name in sure), reverse=True)
    if moved:
        _, most = moved[0]
        cells, factor = alone[most], by_name[most]
        low, high = _ends(cells)
        yield (
            f"Alone, {most} moves the score most, by {_by(spans[most][0])} between its lowest and its highest level: "
            f"from {signed(cells[low].value)} at {factor.labels[low]} to {signed(cells[high].value)} at "
            f"{factor.labels[high]}."
        )
        if moved[1:]:
            yield f"Then {listed([f'{name} (by {_by(spans[name][0])})' for _, name in moved[1:]])}."
    if still:
        yield f"No difference beyond what chance explains: {listed(still)}."


def _by(reach: Estimate) -> str:
    return f"{plain(reach.value, 3)}, 95% interval {interval(reach.low, reach.high)}"


def _interact(effects: Mapping[Pair, TwoWay]) -> Iterator[str]:
    """Which pairs cannot be understood one factor at a time."""
    if not effects:
        return
    strong = sorted(
        ((effect.interaction, pair) for pair, effect in effects.items() if effect.significant),
        reverse=True,
    )
    if not strong:
        yield f"None of {some(len(effects), 'pair')} interacts beyond noise: the effects of factors add up."
        return
    named = [f"{one} with {other} ({percent(share)})" for share, (one, other) in strong[:3]]
    yield (
        f"{len(strong)} of {some(len(effects), 'pair')} interact beyond noise, so that the effect of one factor "
        f"depends on the other. The largest shares of interaction in the differences between cells: {listed(named)}."
    )
    apart = [
        f"{one} with {other}" for (one, other), effect in effects.items() if not effect.significant
    ]
    if apart:
        yield f"Their effects add up, as far as this experiment can tell: {listed(apart)}."


def _shares(one: str, other: str, effect: TwoWay) -> str:
    beyond = "beyond noise" if effect.significant else "not beyond noise"
    return (
        f"Of the differences, {percent(effect.rows)} belong to {one}, {percent(effect.columns)} to {other} and "
        f"{percent(effect.interaction)} to their interaction ({beyond})."
    )
