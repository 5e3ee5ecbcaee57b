"""What is drawn of search, like figures 2 and 5 of the paper: the paths of Good and Evil, and where they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.complexity.entropy import search_space_entropy
from mensura.pictures import tokens
from mensura.pictures.picture import Line, Place, Sample, Shape
from mensura.pictures.scenes import Table, Value
from mensura.worlds.lambda_star.games.search.parameters import Parameters
from mensura.worlds.lambda_star.torus.drawing import Grid, Look, patch
from mensura.worlds.lambda_star.torus.moment import Cell, Field, Moment, standing
from mensura.worlds.lambda_star.torus.patterns import pattern_complexity

BEYOND = 0.75
"""How much of a step over the border is drawn on either side, before the border cuts it at one half."""


@lru_cache(maxsize=16)
def complexity_of(d: Any) -> int:
    """K: the Lempel-Ziv 76 complexity of Good's cells over the whole horizon, as in the paper's text."""
    return pattern_complexity(d.pattern(), d.rows, d.cols, d.horizon)


def _lasting(d: Parameters) -> bool:
    """Whether what cells are worth changes only as Good and Evil move; else figures would only flicker."""
    return "tires" not in (d.good_reacts, d.evil_reacts)


def _paths(grid: Grid, environment: Moment, _: Field) -> Iterator[Shape]:
    """Where Good and Evil go; where subjects decide that, where they went."""
    d = environment.description
    path = environment.parts.path
    if d.moved_by_subjects:
        path = path[: environment.iteration + 1]
    width = max(0.018, min(0.045, 1.0 / max(d.rows, d.cols)))
    for first, role, shift in ((0, "good", 0.09), (2, "evil", -0.09)):
        for points in segments(path[:, first : first + 2], d.rows, d.cols):
            line = [grid.at(y + shift, x + shift) for y, x in points.tolist()]
            # A path that grows is drawn step by step, so that films have each of them once.
            for piece in pairwise(line) if d.moved_by_subjects else (line,):
                yield Line(_within(grid, piece), role, width, dashed=role == "evil")


def _within(grid: Grid, line: Sequence[Place]) -> tuple[Place, ...]:
    """A line whose ends are cut at the border."""
    first, last = _cut(grid.size, line[0], line[1]), _cut(grid.size, line[-1], line[-2])
    return first, *line[1:-1], last


def _cut(size: Place, end: Place, inside: Place) -> Place:
    """Where a line from an end to a place inside comes over the border; the end where it does not."""
    share = 1.0
    for outer, inner, side in zip(end, inside, size, strict=True):
        border = min(max(outer, 0.0), side)
        if outer != border:
            share = min(share, (border - inner) / (outer - inner))
    return inside[0] + share * (end[0] - inside[0]), inside[1] + share * (end[1] - inside[1])


def segments(path: npt.NDArray[np.int64], rows: int, cols: int) -> list[Field]:
    """The path of an object as lines of (row, column) points, cut where it goes over a border.

    A step over a border leaves on one side and comes in on the other, each a little beyond the border, where the
    drawing is cut. A pattern repeats itself and may return: what was drawn before, either way, is left out.
    """
    lines: list[Field] = []
    run: list[tuple[float, float]] = []
    seen: set[tuple[Cell, Cell]] = set()

    def finish() -> None:
        if len(run) > 1:
            lines.append(np.array(run))
        run.clear()

    for a, b in pairwise((y, x) for y, x in path.tolist()):
        step = _short(b[0] - a[0], rows), _short(b[1] - a[1], cols)
        edge = min((a, b), (b, a))
        if edge in seen or step == (0, 0):
            finish()
            continue
        seen.add(edge)
        if not run:
            run.append((a[0], a[1]))
        if (a[0] + step[0], a[1] + step[1]) == b:
            run.append((b[0], b[1]))
            continue
        run.append((a[0] + BEYOND * step[0], a[1] + BEYOND * step[1]))
        finish()
        run.extend([(b[0] - BEYOND * step[0], b[1] - BEYOND * step[1]), (b[0], b[1])])
    finish()
    return lines


def _short(step: int, size: int) -> int:
    """A step over the border as the short step that it is."""
    return step - size if 2 * step > size else step + size if 2 * step < -size else step


def _title(d: Any) -> str:
    return f"K = {complexity_of(d)}, H = {search_space_entropy(d.rows, d.cols):.2f} bits"


def _subtitles(environment: Moment) -> Iterator[str]:
    d = environment.description
    if d.company > 1:
        good, evil = environment.parts.around.tolist()
        near = f"Good {good}" if d.company_for == "good" else f"Good {good}, Evil {evil}"
        yield f"felt by {d.company} or more together; near now: {near}"


def _legend(_: Moment) -> Iterator[tuple[Sample, str]]:
    for token, role, name in (
        (tokens.good, "good", "Good and its path"),
        (tokens.evil, "evil", "Evil and its path"),
    ):
        path = Line(((-0.7, 0.0), (0.7, 0.0)), role, 0.12, dashed=role == "evil")
        yield (path, *token((0.0, 0.0), 0.45, "")), name
    yield patch("good", 0.3), "pays"
    yield patch("evil", 0.3), "costs"


def _seen_legend(d: Any) -> Iterator[tuple[Sample, str]]:
    here = (0.0, 0.0)
    yield tuple(tokens.star(here, 0.45)), "the star"
    yield tuple(tokens.diamond(here, 0.45)), "the diamond"
    if d.guides:
        yield tuple(tokens.triangle(here, 0.45)), "guide"


LOOK = Look(
    spoken="with the paths of Good and Evil, the cells that pay and those that cost",
    lasting=_lasting,
    marks=_paths,
    title=_title,
    subtitles=_subtitles,
    legend=_legend,
    seen_legend=_seen_legend,
)


def everybody(environment: Moment) -> Table:
    """Good, Evil, the guide and the subjects: where they are, and where the first two go."""
    d = environment.description
    t = environment.iteration
    path = environment.parts.path
    rows: list[tuple[Value, ...]] = []
    for name, (y, x) in standing(environment):
        move: int | None = None
        following: int | None = None
        if name in ("Good", "Evil") and t < d.horizon:
            moves = d.good_moves if name == "Good" else d.evil_moves
            first = 0 if name == "Good" else 2
            move = moves[t % len(moves)] if moves else None
            if not d.moved_by_subjects:
                ahead = path[t + 1, first : first + 2].tolist()
                following = int(ahead[0]) * d.cols + int(ahead[1]) + 1
        rows.append((name, y * d.cols + x + 1, y, x, following, move))
    columns = ("who", "cell", "row", "column", "goes to", "next move of the pattern")
    return Table("everybody", columns, tuple(rows))
