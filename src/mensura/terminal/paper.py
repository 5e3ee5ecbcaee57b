"""Tables as papers and notes take them: LaTeX (with the package booktabs) and Markdown, in the place of boxes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from mensura.agent.errors import MensuraError, neighbors

Columns: TypeAlias = Sequence[tuple[str, bool]]
"""Headings, and whether a column holds numbers."""

Writer: TypeAlias = Callable[[str, Columns, Sequence[Sequence[str]]], str]

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_NUMBER = re.compile(r"[-+]?[0-9][0-9.,]*(e[-+]?[0-9]+)?|\[[-+0-9., einf]+\]")


def latex(title: str, columns: Columns, rows: Sequence[Sequence[str]]) -> str:
    """A table of LaTeX with its caption."""
    lines = [
        r"\begin{table}",
        rf"\caption{{{_latex(title)}}}",
        rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for _, number in columns)}}}",
        r"\toprule",
        _row(heading for heading, _ in columns),
        r"\midrule",
        *(_row(row) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def markdown(title: str, columns: Columns, rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown below its title."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(_markdown(cell) for cell in cells)} |"

    ruler = ["---:" if number else "---" for _, number in columns]
    head = [line([heading for heading, _ in columns]), f"| {' | '.join(ruler)} |"]
    return "\n".join([f"**{_markdown(title)}**", "", *head, *map(line, rows), "", ""])


WRITERS: dict[str, Writer] = {"latex": latex, "markdown": markdown}
TEXT = "text"
"""Tables in boxes of characters, for people in a terminal."""

_wanted: Writer | None = None


def want(form: str) -> str:
    """Let tables be written in this form from now on."""
    global _wanted
    if form != TEXT and form not in WRITERS:
        raise MensuraError(
            f"There is no format {form!r} of tables; {neighbors(form, [TEXT, *WRITERS])}"
        )
    _wanted = WRITERS.get(form)
    return form


def wanted() -> Writer | None:
    """How tables are to be written, where not for a terminal."""
    return _wanted


def _row(cells: Iterable[str]) -> str:
    return " & ".join(_cell(cell) for cell in cells) + r" \\"


def _cell(text: str) -> str:
    return f"${text}$" if _NUMBER.fullmatch(text) else _latex(text)


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)


def _markdown(text: str) -> str:
    return re.sub(r"([\\|*_`<\[])", r"\\\1", text)
