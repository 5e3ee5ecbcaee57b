"""What commands print, ours and those of worlds: tables, sentences, and where files went."""

from __future__ import annotations

import logging
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from mensura.core.visible import visible, visible_line
from mensura.terminal import paper

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderableType

WIDEST = 400
"""No table needs more columns of characters."""

SOON = 2.0
"""Seconds after which it is said what takes long, where there is no terminal."""


class PlainConsole(Console):
    """A console that takes text as it is: no markup, no emoji, and nothing that would command the terminal."""

    def __init__(self, *, width: int | None = None, stderr: bool = False) -> None:
        super().__init__(width=width, stderr=stderr, highlight=False, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """What is to be written: text made visible, and the console's own commands."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)


def console() -> Console:
    """The console for results; beside tables for a paper, all else is an aside."""
    if paper.wanted() is not None:
        return aside()
    return PlainConsole(width=None if sys.stdout.isatty() else 110)


def aside() -> Console:
    """The console for progress and notes, so that results can be piped."""
    return PlainConsole(stderr=True)


_live: list[Console] = []
"""The consoles that move something in the terminal now, the innermost last: notes have to go through them."""


@contextmanager
def live(out: Console) -> Iterator[None]:
    """While this console moves something in the terminal."""
    _live.append(out)
    try:
        yield
    finally:
        _live.remove(out)


def note(line: str) -> None:
    """Print a note on standard error, above what moves there."""
    (_live[-1] if _live else aside()).print(line, style="dim", soft_wrap=True)


@contextmanager
def status(what: str) -> Iterator[Callable[[str], None]]:
    """Say what is done while it is: by a sign that moves in a terminal, elsewhere by a line if it takes long.

    Gives a function that says what is done now instead.
    """
    out = aside()
    if not out.is_terminal:
        latest = [what]
        timer = Timer(SOON, lambda: complain(f"{latest[0]} ..."))
        timer.daemon = True
        timer.start()
        try:
            yield lambda now: latest.__setitem__(0, now)
        finally:
            timer.cancel()
    elif _live:  # there is one already
        yield lambda now: None
    else:
        # As text, since of a string Rich would read markup and emoji, whatever the console says.
        with out.status(Text(f"{what} ...")) as moving, live(out):
            yield lambda now: moving.update(Text(f"{now} ..."))


@contextmanager
def working(what: str) -> Iterator[None]:
    """:func:`status` of one thing."""
    with status(what):
        yield


def table(title: str, columns: Sequence[tuple[str, bool]], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; columns are (heading, is a number)."""
    lines = [[visible_line(cell) for cell in row] for row in rows]
    columns = [(visible_line(heading), number) for heading, number in columns]
    written = paper.wanted()
    if written is not None:
        sys.stdout.write(written(visible_line(title), columns, lines))
        return
    sheet = Table(title=visible(title), title_justify="left", title_style="bold")
    for at, (heading, number) in enumerate(columns):
        # Numbers and names are never cut; other words are wrapped.
        whole = number or at == 0
        needed = max(len(heading), *(len(line[at]) for line in lines)) if whole and lines else None
        sheet.add_column(
            heading, justify="right" if number else "left", no_wrap=whole, min_width=needed
        )
    for line in lines:
        sheet.add_row(*line)
    out = console()
    # Better a line that is too long than a number that is not there.
    roomy = out.options.update(width=WIDEST)
    out.width = max(out.width, out.measure(sheet, options=roomy).minimum)
    out.print(sheet)


class Files:
    """Where the results of a command go; every place is checked before the work begins."""

    def __init__(self, **paths: Path | None) -> None:
        from mensura.core.private_files import make_private
        from mensura.records.results import check_writable

        self.paths = {name: path for name, path in paths.items() if path is not None}
        for path in self.paths.values():
            check_writable(path)
            make_private(path)

    def json(self, data: Any) -> None:
        """Write the table as JSON where that was asked for."""
        from mensura.records.results import write_json

        path = self.paths.get("json")
        if path is not None:
            write_json(path, data)
            say_where("The table as data", path)


def say(sentence: str) -> None:
    """Print a sentence as it is, on one line."""
    console().print(sentence, soft_wrap=True)


def write(text: str) -> None:
    """Print a text that has its own lines, such as a file."""
    sys.stdout.write(visible(text))


def complain(line: str) -> None:
    """Print a line on standard error."""
    sys.stderr.write(visible(line) + "\n")


class VisibleFormatter(logging.Formatter):
    """Formats what libraries log, which may quote a name or an answer."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, with its traceback."""
        return visible(super().format(record))


def make_troubles_visible() -> None:
    """Let what Python itself prints of errors and warnings, and what libraries log, command no terminal."""
    sys.excepthook = _print_error
    warnings.formatwarning = _warning
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(VisibleFormatter())


def _print_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    complain("".join(traceback.format_exception(kind, error, trace)).rstrip("\n"))


def _warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    return visible_line(f"{filename}:{lineno}: {category.__name__}: {message}") + "\n"


def say_where(what: str, path: Path) -> None:
    """Say where a file went."""
    say(f"{what}: {path.resolve()}")
