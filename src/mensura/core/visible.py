"""Text of others made fit for a terminal, a log or a page: what cannot be seen, or moves what can, is written out.

Names, last words and answers come from subjects, models, files and people. In a terminal an escape character can
overwrite what stands above it, and a character that turns the direction of writing can make a line read as another.
"""

from __future__ import annotations

import re

_HIDDEN = (
    "\x00-\x08\x0b-\x1f"  # what commands terminals
    "\x7f-\x9f"  # the same, in one byte of another range
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"  # no width, or direction
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"  # ends of lines, direction, no width
    "\ud800-\udfff"  # halves of characters: bytes of a file's name that are no text
    "\U000e0000-\U000e0fff"  # tags, which show nothing at all
)
_IN_LINES = re.compile(f"[{_HIDDEN}]")
_IN_A_LINE = re.compile(f"[\t\n{_HIDDEN}]")


def visible(text: object) -> str:
    r"""The text with control and invisible characters as Python writes them; lines and tabs stay.

    >>> visible("a\x1b[2J\nb\u202ec")
    'a\\x1b[2J\nb\\u202ec'
    """
    return _IN_LINES.sub(_written, str(text))


def visible_line(text: object) -> str:
    r"""The same on one line: ends of lines and tabs are written out too.

    >>> visible_line("a\nb")
    'a\\nb'
    """
    return _IN_A_LINE.sub(_written, str(text))


def _written(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")
