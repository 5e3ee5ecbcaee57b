"""How a Lambda Star environment looks: as text in a terminal, as a picture, and as a film of an episode."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO, StringIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mensura.complexity.entropy import search_space_entropy
from mensura.core import palette
from mensura.core.compiled import plain
from mensura.core.contract import Environment, Turn
from mensura.core.errors import MensuraError
from mensura.records.results import check_writable, write_whole
from mensura.worlds.lambda_star import kernel
from mensura.worlds.lambda_star.environment import Description, LambdaStarEnvironment

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Cell: TypeAlias = tuple[int, int]
"""Row and column, from 0."""

TEXT_WIDTH = 74
"""Characters for the cells of a row of text, so that a usual terminal of 80 has room for the ruler."""
TEXT_CELLS = 60
"""The largest part of a grid, in rows and columns, that is shown as text."""
GRID_LINES = 60
"""Up to so many rows and columns a drawing has lines between cells."""
BEYOND = 0.75
"""How much of a step over the border is drawn on either side, before the border cuts it at one half."""
NAMED = 20
"""So many subjects are listed one by one below a text."""

_COUNTS = ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def rewards_of(
    d: Description, good: Cell, evil: Cell, rows: npt.NDArray[Any], cols: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """What the cells at these rows and columns are worth (section 4.1.2): (len(rows), len(cols))."""

    def felt(at: Cell) -> npt.NDArray[np.float64]:
        down, along = np.abs(rows - at[0]), np.abs(cols - at[1])
        down, along = np.minimum(down, d.rows - down), np.minimum(along, d.cols - along)
        distance = np.maximum(down[:, None], along[None, :])
        return np.where(distance <= d.radius, 1.0 / (distance + 1.0), 0.0)

    return felt(good) - felt(evil)


def complexity_of(environment: LambdaStarEnvironment) -> int:
    """K: the Lempel-Ziv 76 complexity of Good's cells over the whole horizon, as in the paper's text."""
    from mensura.worlds.lambda_star.world import LambdaStar

    return int(LambdaStar().complexity(environment.description, "K"))


def explain(environment: LambdaStarEnvironment) -> tuple[str, ...]:
    """What this world is and what pays in it, in sentences for somebody who was not there."""
    d = environment.description
    count = _COUNTS[d.subjects - 1] if d.subjects <= len(_COUNTS) else str(d.subjects)
    agents = f"{count} agent walks" if d.subjects == 1 else f"{count} agents walk"
    reach = "next to it" if d.range == 1 else f"up to {d.range} cells away"
    worth = ", ".join(f"{1 / (at + 1):.2g} at distance {at}" for at in range(min(d.radius, 3) + 1))
    entropy = search_space_entropy(d.rows, d.cols)
    return (
        f"{agents} on a torus of {d.rows}x{d.cols} cells: whoever leaves it at one border comes in at the "
        f"opposite one. Two objects, Good and Evil, travel there along patterns that they repeat. In each of "
        f"{d.horizon} interactions an agent sees the cells {reach}, who is there and what they are worth, then moves "
        "to one of the eight cells around it or stays.",
        f"A cell is worth more the nearer it is to Good ({worth}, and nothing beyond distance {d.radius}), and "
        "loses as much by being near to Evil. So it pays to find Good, to keep up with it whatever way it takes, "
        "and to keep away from Evil.",
        f"How hard that is depends on two things. H, the same for all environments here, is the uncertainty about "
        f"where Good and Evil begin: {entropy:.2f} bits for this grid. K, which differs from environment to "
        "environment, is the Lempel-Ziv complexity of the path that Good takes: the number of new phrases in it. A "
        "low K is a path that is easily foreseen.",
    )


# Text -------------------------------------------------------------------------


def text(environment: LambdaStarEnvironment, rewards: Sequence[float] | None = None) -> str:
    """The environment as a person can read it in any terminal.

    A cell shows whether it pays or costs ("+", "-" or "." for neither), then G for Good, E for Evil,
    g for the guide and the numbers of the seats there; "*3" are three subjects. Large grids get a
    single sign for a cell, and of the largest only the part around Good is shown.
    """
    d = environment.description
    at = environment.positions()
    rows, cols = _window(d.rows, at["good"][0]), _window(d.cols, at["good"][1])
    worth = rewards_of(d, at["good"], at["evil"], rows, cols)
    there = _contents(at)
    width = min(9, TEXT_WIDTH // len(cols))
    wide = width >= 4 and len(cols) == d.cols
    margin = len(str(d.rows - 1)) + 1
    lines = []
    if wide:
        lines.append(" " * (margin + 1) + "".join(f"{x:<{width}}" for x in cols.tolist()).rstrip())
    else:
        digits = len(str(d.cols - 1))
        lines += [
            " " * (margin + 1) + "".join(str(x).rjust(digits)[place] for x in cols.tolist())
            for place in range(digits)
        ]
    for i, y in enumerate(rows.tolist()):
        cells = []
        for j, x in enumerate(cols.tolist()):
            names, seats = there.get((y, x), ("", ()))
            sign = "+" if worth[i, j] > 0 else "-" if worth[i, j] < 0 else "."
            if sign == "." and wide and (names or seats):
                sign = " "
            cells.append(
                _wide_cell(sign, names, seats, width) if wide else _narrow_cell(sign, names, seats)
            )
        lines.append(f"{y:>{margin}} {''.join(cells)}".rstrip())
    if len(rows) < d.rows or len(cols) < d.cols:
        lines.append(
            f"The grid of {d.rows}x{d.cols} cells is too large for a terminal: "
            f"{len(rows)} rows and {len(cols)} columns around Good are shown."
        )
    return "\n".join([*lines, "", *_status(environment, at, rewards), _legend(wide, at)])


def _window(size: int, center: int) -> npt.NDArray[np.int64]:
    """All rows or columns, or as many as fit around one of them, over the border where need be."""
    if size <= TEXT_CELLS:
        return np.arange(size)
    return (np.arange(TEXT_CELLS) + center - TEXT_CELLS // 2) % size


def _contents(at: Mapping[str, Any]) -> dict[Cell, tuple[str, tuple[int, ...]]]:
    """Who is on each cell that is not empty: letters of objects, and seats."""
    names: dict[Cell, str] = defaultdict(str)
    seats: dict[Cell, list[int]] = defaultdict(list)
    for letter, name in (("G", "good"), ("E", "evil"), ("g", "guide")):
        if at[name] is not None:
            names[at[name]] += letter
    for seat, cell in enumerate(at["subjects"]):
        seats[cell].append(seat)
    return {cell: (names[cell], tuple(seats[cell])) for cell in {*names, *seats}}


def _wide_cell(sign: str, names: str, seats: Sequence[int], width: int) -> str:
    """Sign, letters and seats in so many characters, the last one left empty."""
    room = width - 2 - len(names)
    numbers = ",".join(map(str, seats))
    if len(numbers) > room:
        numbers = f"*{len(seats)}" if len(f"*{len(seats)}") <= room else "*"
    return f"{sign}{names}{numbers}"[: width - 1].ljust(width)


def _narrow_cell(sign: str, names: str, seats: Sequence[int]) -> str:
    """One character: a lone object or subject by its own sign, several as a star."""
    if len(names) + len(seats) > 1:
        return "*"
    if seats:
        return str(seats[0]) if seats[0] < 10 else "#"
    return names or sign


def _status(
    environment: LambdaStarEnvironment, at: Mapping[str, Any], rewards: Sequence[float] | None
) -> Iterator[str]:
    """The iteration, where everybody is, and the last rewards."""
    objects = [f"Good {at['good']}", f"Evil {at['evil']}"]
    if at["guide"] is not None:
        objects.append(f"guide {at['guide']}")
    yield f"iteration {environment.iteration} of {environment.horizon}   {'   '.join(objects)}"
    yield _listed("subjects", [f"{seat} {cell}" for seat, cell in enumerate(at["subjects"])])
    if rewards is not None:
        yield _listed("rewards ", [f"{seat} {value:+.2f}" for seat, value in enumerate(rewards)])
        yield f"mean reward {sum(rewards) / max(len(rewards), 1):+.3f}"


def _listed(head: str, items: Sequence[str]) -> str:
    more = f"   and {len(items) - NAMED} more" if len(items) > NAMED else ""
    return f"{head}  {'   '.join(items[:NAMED])}{more}"


def _legend(wide: bool, at: Mapping[str, Any]) -> str:
    guide = ", g guide" if at["guide"] is not None else ""
    several = "*3 three subjects" if wide else "* several, # a subject from 10 on"
    return f"G Good, E Evil{guide}, 0 1 2 subjects, {several}; + pays, - costs"


# Pictures ---------------------------------------------------------------------


def draw(environment: LambdaStarEnvironment, path: Path) -> None:
    """Draw the environment to a file, .svg, .png or .pdf, in the manner of figure 2 of the paper."""
    kind = _suffix(path, "A picture", (".svg", ".png", ".pdf"))
    check_writable(path)
    if kind == ".svg":
        write_whole(path, figure_svg(environment, background="white") + "\n")
        return
    with palette.extra("A picture"):
        import matplotlib.style
    buffer = BytesIO()
    with matplotlib.style.context(["default", palette.STYLE]):
        metadata = {"CreationDate": None} if kind == ".pdf" else {"Software": None}
        _figure(environment).savefig(
            buffer, format=kind[1:], dpi=144, facecolor="white", metadata=metadata
        )
    _write_bytes(path, buffer.getvalue())


def figure_svg(
    environment: LambdaStarEnvironment, name: str = "environment", background: str | None = None
) -> str:
    """The picture as SVG for a page; its lines take the color of the text around it.

    ``name`` begins its ids: give each picture of a page its own.
    """
    with palette.extra("A picture"):
        import matplotlib.style
    buffer = StringIO()
    d = environment.description
    with matplotlib.style.context(["default", palette.STYLE]):
        _figure(environment).savefig(
            buffer, format="svg", facecolor=background or "none", metadata={"Date": None}
        )
    label = (
        f"A torus of {d.rows} by {d.cols} cells with the paths of Good and Evil, the cells that pay and those "
        f"that cost, and {d.subjects} numbered subjects"
    )
    return palette.tidy_svg(buffer.getvalue(), name, label)


def _figure(environment: LambdaStarEnvironment) -> Figure:
    from matplotlib.figure import Figure

    d = environment.description
    at = environment.positions()
    width, height = _picture_size(d, 400.0)
    full_width, full_height = width + 40, height + 104
    figure = Figure(figsize=(full_width / 72, full_height / 72))
    axes = figure.add_axes(
        (28 / full_width, 70 / full_height, width / full_width, height / full_height)
    )
    _frame(axes, d, width, height)
    _zones(axes, d, at["good"], at["evil"])
    path = plain(kernel.open_row)(environment.row).path
    line = max(0.7, min(1.8, 40 / max(d.rows, d.cols)))
    for name, color, style, shift in (
        ("good", palette.GOOD, "-", 0.09),
        ("evil", palette.EVIL, (0, (3, 1.6)), -0.09),
    ):
        first = 0 if name == "good" else 2
        for points in segments(path[:, first : first + 2], d.rows, d.cols):
            axes.plot(
                points[:, 1] + shift,
                points[:, 0] + shift,
                color=color,
                linestyle=style,
                linewidth=line,
                alpha=0.85,
                zorder=2,
            )
    _people(axes, d, at)
    k = complexity_of(environment)
    entropy = search_space_entropy(d.rows, d.cols)
    figure.text(
        28 / full_width,
        1 - 20 / full_height,
        f"{d.rows}x{d.cols} torus, K = {k}, H = {entropy:.2f} bits, "
        f"iteration {environment.iteration} of {d.horizon}",
        fontsize=12,
    )
    figure.legend(
        handles=_handles(d, at["guide"] is not None),
        loc="lower left",
        bbox_to_anchor=(14 / full_width, 0.0),
        ncols=3 if width > 300 else 2,
        columnspacing=1.4,
        handlelength=2.2,
    )
    return figure


def segments(path: npt.NDArray[np.int64], rows: int, cols: int) -> list[npt.NDArray[np.float64]]:
    """The path of an object as lines of (row, column) points, cut where it goes over a border.

    A step over a border leaves on one side and comes in on the other, each a little beyond the border, where the
    drawing is cut. A pattern repeats itself and may return: what was drawn before, either way, is left out.
    """
    lines: list[npt.NDArray[np.float64]] = []
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


def _picture_size(d: Description, largest: float) -> tuple[float, float]:
    """The size of the grid in pixels: square cells, unless the grid is a mere strip."""
    unit = largest / max(d.rows, d.cols)
    return max(unit * d.cols, largest * 0.4), max(unit * d.rows, largest * 0.1)


def _frame(axes: Axes, d: Description, width: float, height: float) -> None:
    """The grid with its rulers, their numbers far enough apart."""
    axes.set_xlim(-0.5, d.cols - 0.5)
    axes.set_ylim(d.rows - 0.5, -0.5)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_linestyle((0, (1, 2)))
    for axis, size, pixels in ((axes.xaxis, d.cols, width), (axes.yaxis, d.rows, height)):
        axis.set_ticks(range(0, size, max(1, math.ceil(20 * size / pixels))))
        if max(d.rows, d.cols) <= GRID_LINES:
            axis.set_ticks(np.arange(0.5, size - 1.0).tolist(), minor=True)
    axes.tick_params(which="both", length=0, labelsize=9)
    axes.grid(which="minor", linewidth=0.6)


def _zones(axes: Axes, d: Description, good: Cell, evil: Cell) -> None:
    """The cells that pay and those that cost, shaded by how much, with their worth where it can be read."""
    from matplotlib.patches import Rectangle

    worth = rewards_of(d, good, evil, np.arange(d.rows), np.arange(d.cols))
    readable = max(d.rows, d.cols) <= 14
    cells = np.argwhere(worth != 0.0).tolist()
    if len(cells) > 2000:  # an image rather than thousands of shapes
        shades = np.zeros((d.rows, d.cols, 4))
        for sign, color in ((1, palette.GOOD), (-1, palette.EVIL)):
            tint = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
            shades[sign * worth > 0, :3] = tint
        shades[..., 3] = np.where(worth != 0.0, 0.08 + 0.42 * np.abs(worth), 0.0)
        axes.imshow(shades, interpolation="nearest", aspect="auto", zorder=1)
        return
    for y, x in cells:
        value = float(worth[y, x])
        axes.add_patch(
            Rectangle(
                (x - 0.5, y - 0.5),
                1.0,
                1.0,
                facecolor=palette.GOOD if value > 0 else palette.EVIL,
                alpha=min(0.5, 0.12 + 0.3 * abs(value)),
                linewidth=0,
                zorder=1,
            )
        )
        if readable:
            axes.text(
                x - 0.45,
                y - 0.45,
                f"{value:+.2g}".replace("-", "\N{MINUS SIGN}"),
                fontsize=max(5.0, min(8.0, 80 / max(d.rows, d.cols))),
                ha="left",
                va="top",
                zorder=6,
            )


def _people(axes: Axes, d: Description, at: Mapping[str, Any]) -> None:
    """Good, Evil, the guide, and the subjects by number."""
    size = min(30.0, max(7.0, 0.72 * 400 / max(d.rows, d.cols)))
    edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": min(1.5, size / 12)}
    (gy, gx), (ey, ex) = at["good"], at["evil"]
    axes.plot(gx, gy, "o", color=palette.GOOD, markersize=size, zorder=4, **edge)
    axes.plot(ex, ey, "s", color=palette.EVIL, markersize=size * 0.86, zorder=4, **edge)
    if at["guide"] is not None:
        axes.plot(
            at["guide"][1],
            at["guide"][0],
            "^",
            color=palette.GUIDE,
            markersize=size * 0.8,
            zorder=4.5,
            **edge,
        )
    for seat, ((y, x), scale) in enumerate(_side_by_side(at["subjects"])):
        axes.plot(
            x,
            y,
            "o",
            color="white",
            markersize=size * 0.62 * scale,
            markeredgecolor="black",
            markeredgewidth=min(1.2, size / 14),
            zorder=5,
        )
        if size * scale > 13:
            axes.text(
                x,
                y,
                str(seat),
                fontsize=size * scale * (0.36 if seat < 10 else 0.29),
                ha="center",
                va="center_baseline",
                color="black",
                zorder=7,
            )


def _side_by_side(subjects: Sequence[Cell]) -> list[tuple[tuple[float, float], float]]:
    """A place and a size for each subject: smaller, side by side on a shared cell, a crowd of over nine in piles."""
    sharing: dict[Cell, list[int]] = defaultdict(list)
    for seat, cell in enumerate(subjects):
        sharing[cell].append(seat)
    places = [((0.0, 0.0), 1.0)] * len(subjects)
    for (y, x), seats in sharing.items():
        side = math.ceil(math.sqrt(min(len(seats), 9)))
        lines = math.ceil(min(len(seats), 9) / side)
        for i, seat in enumerate(seats):
            down = (i % 9 // side - (lines - 1) / 2) * (0.0, 0.46, 0.32)[side - 1]
            along = (i % 9 % side - (side - 1) / 2) * (0.0, 0.46, 0.32)[side - 1]
            places[seat] = (y + down, x + along), (1.0, 0.9, 0.64)[side - 1]
    return places


def _handles(d: Description, guided: bool) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Line2D([], [], color=palette.GOOD, marker="o", markersize=8, label="Good and its path"),
        Line2D(
            [],
            [],
            color=palette.EVIL,
            marker="s",
            markersize=7,
            linestyle=(0, (3, 1.6)),
            label="Evil and its path",
        ),
        Patch(facecolor=palette.GOOD, alpha=0.3, label="pays"),
        Patch(facecolor=palette.EVIL, alpha=0.3, label="costs"),
        Line2D(
            [],
            [],
            linestyle="none",
            marker="o",
            markersize=8,
            markerfacecolor="white",
            markeredgecolor="black",
            label="subjects" if d.subjects > 1 else "subject",
        ),
    ]
    if guided:
        handles.append(
            Line2D(
                [],
                [],
                linestyle="none",
                marker="^",
                markersize=8,
                color=palette.GUIDE,
                label="guide",
            )
        )
    return handles


def _suffix(path: Path, what: str, known: tuple[str, ...]) -> str:
    suffix = path.suffix.lower()
    if suffix not in known:
        names = f"{', '.join(known[:-1])} or {known[-1]}"
        raise MensuraError(f"{what} is written to a file that ends in {names}, not to {path.name}.")
    return suffix


def _write_bytes(path: Path, data: bytes) -> None:
    """Write a file entirely or not at all."""
    check_writable(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        raise MensuraError(f"{path} could not be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)


# Films ------------------------------------------------------------------------

CAPTION = 26
"""The height in pixels of the line below a film."""
HOLD = 6
"""How many pauses the last frame stays before a film begins again."""
FILM = 400.0
"""The longer side of the grid of a film, in pixels."""


class Film:
    """An observer of the loop that keeps where everybody was, and makes a film of it.

    A frame is one small array of positions; nothing is drawn before :meth:`save`. A new episode begins a new film.
    """

    def __init__(self) -> None:
        self._description: Description | None = None
        self._frames: list[npt.NDArray[np.int32]] = []
        self._scores: list[float] = []
        self._sum = 0.0

    def __len__(self) -> int:
        """The number of frames: one more than interactions."""
        return len(self._frames)

    def started(self, environment: Environment, turn: Turn) -> None:
        """Begin with the positions after reset."""
        self._description = cast(LambdaStarEnvironment, environment).description
        self._frames.clear()
        self._scores.clear()
        self._sum = 0.0
        self._shoot(environment)

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """Add the positions after a step, and its rewards to the score."""
        self._sum += sum(turn.rewards)
        self._shoot(environment)

    def _shoot(self, environment: Environment) -> None:
        at = cast(LambdaStarEnvironment, environment).positions()
        guide = at["guide"] or (-1, -1)
        self._frames.append(np.array([at["good"], at["evil"], guide, *at["subjects"]], np.int32))
        played = (len(self._frames) - 1) * len(at["subjects"])
        self._scores.append(self._sum / played if played else 0.0)

    def save(self, path: Path, pause: float = 0.2) -> None:
        """Write the film as a .gif, or as an .svg that moves by itself, ``pause`` seconds a frame.

        The line below tells the iteration and the score so far: the mean reward per subject and iteration.
        """
        kind = _suffix(path, "A film", (".gif", ".svg"))
        if self._description is None:
            raise MensuraError(
                "No episode was filmed; let the film observe one before it is saved."
            )
        if not pause >= 0.0:
            raise MensuraError(f"A pause of {pause} seconds is impossible; 0 or more are.")
        check_writable(path)
        if kind == ".gif":
            _write_bytes(path, self._gif(self._description, pause))
        else:
            write_whole(path, self._svg(self._description, pause))

    def _caption(self, i: int) -> tuple[str, str]:
        return f"iteration {i} of {len(self) - 1}", f"score so far {self._scores[i]:+.3f}"

    # GIF

    def _gif(self, d: Description, pause: float) -> bytes:
        """Drawn at twice the size and made smaller, for smooth edges in few colors."""
        with palette.extra("A film"):
            from PIL import Image
        stage = _Stage(d)
        colors = Image.new("P", (1, 1))
        colors.putpalette(
            [
                level
                for color in (palette.GOOD, palette.EVIL, palette.GUIDE, palette.BLACK)
                for strength in (*np.linspace(0.0, 1.0, 9).tolist(), 0.42, 0.27)
                for level in _tint(color, strength)
            ]
        )
        frames = (
            stage.image(positions, self._caption(i)).quantize(
                palette=colors, dither=Image.Dither.NONE
            )
            for i, positions in enumerate(self._frames)
        )
        # A GIF counts in hundredths of a second, and viewers slow down what asks for less than two.
        wait = max(20, round(pause * 100) * 10)
        buffer = BytesIO()
        next(frames).save(
            buffer,
            format="GIF",
            save_all=True,
            append_images=frames,
            duration=[wait] * (len(self) - 1) + [HOLD * wait],
            loop=0,
            optimize=True,
        )
        return buffer.getvalue()

    # SVG

    def _svg(self, d: Description, pause: float) -> str:
        """Shapes that jump from cell to cell by SMIL: no script, no font, no image."""
        width, height = _picture_size(d, FILM)
        sx, sy = width / d.cols, height / d.rows
        unit = max(6.0, min(sx, sy))
        turns = [*range(len(self)), *[len(self) - 1] * (HOLD - 1)]
        seconds = max(pause, 0.02) * len(turns)

        def moving(inside: str, places: Sequence[tuple[float, float]]) -> str:
            values = [f"{(x + 0.5) * sx:.4g},{(y + 0.5) * sy:.4g}" for y, x in places]
            return (
                f'<g transform="translate({values[0]})">{inside}<animateTransform '
                f'attributeName="transform" type="translate" calcMode="discrete" dur="{seconds:g}s" '
                f'repeatCount="indefinite" values="{";".join(values[i] for i in turns)}"/></g>'
            )

        def path_of(row: int) -> list[tuple[float, float]]:
            return [(float(y), float(x)) for y, x in (frame[row] for frame in self._frames)]

        good, evil = path_of(0), path_of(1)
        parts = [
            moving(_zone(d, "good", sx, sy, width, height), good),
            moving(_zone(d, "evil", sx, sy, width, height), evil),
            _grid_svg(d, sx, sy, width, height),
            moving(f'<circle r="{unit * 0.4:.4g}" fill="{palette.GOOD}"/>', good),
            moving(
                f'<rect x="{-unit * 0.36:.4g}" y="{-unit * 0.36:.4g}" width="{unit * 0.72:.4g}" '
                f'height="{unit * 0.72:.4g}" fill="{palette.EVIL}"/>',
                evil,
            ),
        ]
        if d.guides:
            side = unit * 0.34
            parts.append(
                moving(
                    f'<path d="M0 {-side:.4g}L{side:.4g} {side:.4g}H{-side:.4g}Z" '
                    f'fill="{palette.GUIDE}" stroke="#fff"/>',
                    path_of(2),
                )
            )
        shared = [_side_by_side([(y, x) for y, x in f[3:].tolist()]) for f in self._frames]
        for seat in range(d.subjects):
            label = (
                f'<text y="{unit * 0.115:.4g}" font-size="{unit * 0.32:.4g}" text-anchor="middle">'
                f"{seat}</text>"
                if unit > 18
                else ""
            )
            token = f'<circle r="{unit * 0.24:.4g}" fill="#fff" stroke="#000"/>{label}'
            sizes = [f"{frame[seat][1]:g}" for frame in shared]
            if len(set(sizes)) > 1:
                token = (
                    f'<g transform="scale({sizes[0]})">{token}<animateTransform '
                    f'attributeName="transform" type="scale" calcMode="discrete" dur="{seconds:g}s" '
                    f'repeatCount="indefinite" values="{";".join(sizes[i] for i in turns)}"/></g>'
                )
            parts.append(moving(token, [frame[seat][0] for frame in shared]))
        captions = "".join(
            f'<text x="0" y="{i * CAPTION}">{left}</text>'
            f'<text x="{width:.4g}" y="{i * CAPTION}" text-anchor="end">{right}</text>'
            for i, (left, right) in enumerate(map(self._caption, range(len(self))))
        )
        offsets = ";".join(f"0,{-i * CAPTION}" for i in turns)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 {width + 16:.4g} '
            f'{height + 16 + CAPTION:.4g}" width="{width + 16:.4g}" height="{height + 16 + CAPTION:.4g}" '
            f'font-family="sans-serif" font-size="14" role="img" aria-label="An episode of {d.subjects} '
            f'subjects on a torus of {d.rows} by {d.cols} cells">\n'
            f'<rect x="-8" y="-8" width="100%" height="100%" fill="#fff"/>\n'
            f'<clipPath id="torus"><rect width="{width:.4g}" height="{height:.4g}"/></clipPath>\n'
            f'<clipPath id="line"><rect y="{height + 4:.4g}" width="{width:.4g}" height="{CAPTION}"/>'
            "</clipPath>\n"
            f'<g clip-path="url(#torus)">\n{chr(10).join(parts)}\n</g>\n'
            f'<g clip-path="url(#line)"><g transform="translate(0 {height + CAPTION - 4:.4g})"><g>'
            f'{captions}<animateTransform attributeName="transform" type="translate" '
            f'calcMode="discrete" dur="{seconds:g}s" repeatCount="indefinite" values="{offsets}"/>'
            "</g></g></g>\n</svg>\n"
        )


def _zone(d: Description, which: str, sx: float, sy: float, width: float, height: float) -> str:
    """What is felt of an object around it, once for each side of the torus it may hang over."""
    color = palette.GOOD if which == "good" else palette.EVIL
    shapes = []
    for reach in range(min(d.radius, max(d.rows, d.cols) // 2), -1, -1):
        # Rings lie upon one another: the nearer to the object, the darker.
        across, down = min((2 * reach + 1) * sx, width), min((2 * reach + 1) * sy, height)
        opacity = 0.2 / (reach + 1)
        shapes += [
            f'<rect x="{-across / 2 + i * width:.4g}" y="{-down / 2 + j * height:.4g}" '
            f'width="{across:.4g}" height="{down:.4g}" opacity="{opacity:.2g}"/>'
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
        ]
    return f'<g fill="{color}">{"".join(shapes)}</g>'


def _grid_svg(d: Description, sx: float, sy: float, width: float, height: float) -> str:
    lines = f"M0 0H{width:.4g}V{height:.4g}H0Z"
    if max(d.rows, d.cols) <= GRID_LINES:
        lines += "".join(f"M{x * sx:.4g} 0V{height:.4g}" for x in range(1, d.cols))
        lines += "".join(f"M0 {y * sy:.4g}H{width:.4g}" for y in range(1, d.rows))
    return f'<path d="{lines}" fill="none" stroke="#bbb"/>'


class _Stage:
    """Draws frames of one film with Pillow, at twice their size."""

    def __init__(self, d: Description) -> None:
        from PIL import ImageFont

        width, height = _picture_size(d, FILM)
        self.d = d
        self.sx, self.sy = 2 * width / d.cols, 2 * height / d.rows
        self.unit = max(12.0, min(self.sx, self.sy))
        self.width, self.height = round(width) + 16, round(height) + 16 + CAPTION
        self._font = ImageFont.load_default(28)
        self._numbers = {
            scale: ImageFont.load_default(max(12, round(self.unit * 0.3 * scale)))
            for scale in (1.0, 0.9, 0.64)
        }

    def image(self, positions: npt.NDArray[np.int32], caption: tuple[str, str]) -> Image:
        """One frame."""
        from PIL import Image, ImageDraw

        image = Image.new("RGB", (2 * self.width, 2 * self.height), "white")
        pen = ImageDraw.Draw(image)
        good, evil, guide, *subjects = ((int(y), int(x)) for y, x in positions)
        self._ground(pen, good, evil)
        u = self.unit
        x, y = self._middle(good)
        pen.ellipse((x - 0.4 * u, y - 0.4 * u, x + 0.4 * u, y + 0.4 * u), fill=palette.GOOD)
        x, y = self._middle(evil)
        pen.rectangle((x - 0.36 * u, y - 0.36 * u, x + 0.36 * u, y + 0.36 * u), fill=palette.EVIL)
        if guide[0] >= 0:
            x, y = self._middle(guide)
            corners = [
                (x, y - 0.34 * u),
                (x + 0.34 * u, y + 0.34 * u),
                (x - 0.34 * u, y + 0.34 * u),
            ]
            pen.polygon(corners, fill=palette.GUIDE, outline="white")
        for seat, (place, scale) in enumerate(_side_by_side(subjects)):
            x, y = self._middle(place)
            half = 0.24 * u * scale
            box = x - half, y - half, x + half, y + half
            pen.ellipse(box, fill="white", outline="black", width=2)
            if u > 36:
                font = self._numbers[scale]
                pen.text((x, y), str(seat), fill="black", font=font, anchor="mm")
        bottom = 2 * self.height - CAPTION
        pen.text((16, bottom), caption[0], fill="black", font=self._font, anchor="lm")
        pen.text(
            (2 * self.width - 16, bottom), caption[1], fill="black", font=self._font, anchor="rm"
        )
        return image.reduce(2)

    def _middle(self, cell: tuple[float, float]) -> tuple[float, float]:
        return 16 + (cell[1] + 0.5) * self.sx, 16 + (cell[0] + 0.5) * self.sy

    def _ground(self, pen: ImageDraw, good: Cell, evil: Cell) -> None:
        """Cells that pay and cost, and the lines between cells."""
        d, sx, sy = self.d, self.sx, self.sy
        rows, cols = (
            np.array(sorted({(at[i] + step) % size for at in (good, evil) for step in reach}))
            for i, size in enumerate((d.rows, d.cols))
            for reach in (range(-min(d.radius, size), min(d.radius, size) + 1),)
        )
        worth = rewards_of(d, good, evil, rows, cols)
        for i, j in np.argwhere(worth != 0.0).tolist():
            y, x, value = int(rows[i]), int(cols[j]), float(worth[i, j])
            pen.rectangle(
                (16 + x * sx, 16 + y * sy, 16 + (x + 1) * sx, 16 + (y + 1) * sy),
                fill=_tint(palette.GOOD if value > 0 else palette.EVIL, 0.12 + 0.3 * abs(value)),
            )
        right, bottom = 16 + d.cols * sx, 16 + d.rows * sy
        if max(d.rows, d.cols) <= GRID_LINES:
            for i in range(1, d.cols):
                pen.line((16 + i * sx, 16, 16 + i * sx, bottom), fill="#cccccc", width=2)
            for i in range(1, d.rows):
                pen.line((16, 16 + i * sy, right, 16 + i * sy), fill="#cccccc", width=2)
        pen.rectangle((16, 16, right, bottom), outline="#999999", width=2)


def _tint(color: str, strength: float) -> tuple[int, int, int]:
    """A color mixed with white."""
    r, g, b = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return (
        round(255 - strength * (255 - r)),
        round(255 - strength * (255 - g)),
        round(255 - strength * (255 - b)),
    )
