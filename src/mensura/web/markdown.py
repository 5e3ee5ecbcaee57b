"""A small part of Markdown as safe HTML: headings, paragraphs, lists, emphasis, links.

Everything is escaped before anything is marked up, so that what is not known here stays text: no HTML, no scripts, no
pictures. Links lead to http and https addresses alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from markupsafe import Markup, escape

_HEADING = re.compile(r"(#{1,3})\s+(.+?)\s*#*\s*$")
_BULLET = re.compile(r"\s{0,3}[-*+]\s+(.*)$")
_NUMBERED = re.compile(r"\s{0,3}\d{1,9}[.)]\s+(.*)$")

_LINK = re.compile(r"\[([^\[\]\n]{1,500})\]\((https?://[^\s()<>\"'`]{1,1000})\)")
_STRONG = re.compile(r"\*\*(?=\S)(.{1,2000}?)(?<=\S)\*\*")
_EMPHASIS = re.compile(r"\*(?=[^\s*])([^*]{1,2000}?)(?<=[^\s*])\*")


def html_of(text: str, top: int = 2) -> Markup:
    """Markdown as HTML; a heading of the first level becomes one of the level ``top``."""
    parts: list[str] = []
    for kind, lines in _blocks(text):
        marked = [_inline(line) for line in lines]
        if kind in ("ul", "ol"):
            items = "".join(f"<li>{line}</li>\n" for line in marked)
            parts.append(f"<{kind}>\n{items}</{kind}>\n")
        elif kind == "p":
            joined = "\n".join(marked)
            parts.append(f"<p>{joined}</p>\n")
        else:
            level = f"h{min(6, top + len(kind) - 1)}"
            parts += [f"<{level}>{line}</{level}>\n" for line in marked]
    return Markup("".join(parts))


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Lines that belong together, with what they are: p, ul, ol, or the signs of a heading."""
    for kind, group in groupby(map(_kind, text.splitlines()), key=lambda one: one[0]):
        if kind:
            yield kind, [line for _, line in group]


def _kind(line: str) -> tuple[str, str]:
    if found := _HEADING.match(line):
        return found[1], found[2]
    for kind, pattern in (("ul", _BULLET), ("ol", _NUMBERED)):
        if found := pattern.match(line):
            return kind, found[1]
    return ("p", line.strip()) if line.strip() else ("", "")


def _inline(line: str) -> str:
    """A line with its links and emphasis; the address of a link is never marked up itself."""
    parts, at = [], 0
    for found in _LINK.finditer(line):
        parts.append(_emphasized(line[at : found.start()]))
        address = escape(found[2])
        parts.append(f'<a href="{address}" rel="noreferrer">{_emphasized(found[1])}</a>')
        at = found.end()
    return "".join([*parts, _emphasized(line[at:])])


def _emphasized(text: str) -> str:
    """Text escaped, with its emphasis: within strong text and around it apart, so that tags never overlap."""
    pieces = _STRONG.split(text)
    marked = [_EMPHASIS.sub(r"<em>\1</em>", str(escape(piece))) for piece in pieces]
    return "".join(f"<strong>{one}</strong>" if i % 2 else one for i, one in enumerate(marked))
