"""Words of messages, for machines that look at nothing else."""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in small letters, without marks."""
    return tuple(one.lower() for one in WORD.findall(text))
