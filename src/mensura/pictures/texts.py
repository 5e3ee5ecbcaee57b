"""What the texts of all worlds share: numbers as words, and lists that stop before they are too long."""

from __future__ import annotations

from collections.abc import Sequence

NAMED = 20
"""So many subjects are listed one by one below a text."""

_COUNTS = ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def count_word(number: int) -> str:
    """A number at the beginning of a sentence."""
    return _COUNTS[number - 1] if 1 <= number <= len(_COUNTS) else str(number)


def listed(head: str, items: Sequence[str]) -> str:
    """A line of items; of many, the first and how many more."""
    more = f"   and {len(items) - NAMED} more" if len(items) > NAMED else ""
    return f"{head}  {'   '.join(items[:NAMED])}{more}"
