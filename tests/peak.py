"""How much memory a process had at most, for tests and benchmarks."""

from __future__ import annotations

import resource
from pathlib import Path


def peak() -> float:
    """The most memory that this process had, in megabytes.

    Where the system tells it of the program that runs now: else it is also that of whoever started the process, until
    it became this program.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (one for one in status.read_text().splitlines() if one.startswith("VmHWM:"))
        return int(line.split()[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # in bytes on macOS
