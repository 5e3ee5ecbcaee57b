"""How much memory something would take, and how much there is: asked before a study is run, not found out in it.

A world can tell if it has a method ``room(subject, description, interactions)`` that returns a :class:`Room`: what one
sitting of the subject takes in an environment, which has so many interactions of each seat. It raises MensuraError
where that is more than it can ever use.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple


class Room(NamedTuple):
    """What something takes."""

    bytes: int
    advice: str
    """What would take less, as the words before "would fit"."""


LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""What a container may use, by the two versions of control groups."""


def available(meminfo: str = "/proc/meminfo", limits: tuple[str, ...] = LIMITS) -> int:
    """Bytes of memory that this process could use now; where the system does not tell, all that the machine has."""
    found = [int(text) for text in map(_text, limits) if text.isdigit()]
    for line in _text(meminfo).splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            found.append(int(value.split()[0]) << 10)
    return min(found, default=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def gibibytes(count: int) -> str:
    """Bytes as people read them.

    >>> gibibytes(3 << 29), gibibytes(671 << 30)
    ('1.5 GiB', '671 GiB')
    """
    size = count / 2**30
    return f"{size:.1f} GiB" if size < 10 else f"{size:,.0f} GiB"


def _text(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
