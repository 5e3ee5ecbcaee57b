"""What the processes of a subject use, as /proc tells it.

Imports are few: see :mod:`mensura.agents.isolation.launcher`, which this is a part of.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

LIKELY_BUFFERS = 64
"""So many sockets and so many pipes anybody may have; what more of them can hold is counted as memory."""

SOCKET_BYTES = 2 * 212_992
"""What a local socket can hold: twice the usual most that may be asked for (net.core.wmem_max)."""

PIPE_BYTES = 1 << 16
"""What a pipe holds; that it is made larger is refused (linux.filter_calls)."""


def memory(processes: Sequence[str], enough: int, *, own_network: bool) -> int:
    """The bytes of memory that processes have in use, and that the kernel may hold for them.

    At least what they use where that is not above ``enough``; exactly what they use where it is. ``own_network``: in a
    namespace of their own, which tells of all their sockets.
    """
    held = sum(_status_bytes(name, of) for name in processes for of in ("VmPTE", "HugetlbPages"))
    sockets: set[str] = set()
    pipes: set[str] = set()
    for name in processes:
        _find_buffers(name, sockets, pipes)
    count = len(sockets)
    if own_network:  # also those that are on the way between two processes
        count = max(count, _lines_of("/proc/1/net/unix") - 1)
    held += max(0, count - LIKELY_BUFFERS) * SOCKET_BYTES
    held += max(0, len(pipes) - LIKELY_BUFFERS) * PIPE_BYTES
    # What several share is in this once for each, and nothing is in it too little: mostly it is enough to know.
    most = sum(_status_bytes(name, "VmRSS") for name in processes)
    if held + most <= enough:
        return held + most
    return held + sum(_shared_out(name) for name in processes)


def parent(name: str) -> int:
    """The number of the parent of a process; 0 where the process has just gone."""
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def children(name: str) -> list[str]:
    """The numbers of the children of a process, of all its threads."""
    try:
        threads = os.listdir(f"/proc/{name}/task")
        found: list[str] = []
        for thread in threads:
            with open(f"/proc/{name}/task/{thread}/children") as file:
                found += file.read().split()
        return found
    except OSError:
        return [one for one in os.listdir("/proc") if one.isdigit() and parent(one) == int(name)]


def _status_bytes(name: str, field: str) -> int:
    """A size in /proc/PID/status; 0 where the process has just gone."""
    try:
        with open(f"/proc/{name}/status", "rb") as file:
            return int(file.read().partition(f"\n{field}:".encode())[2].split()[0]) << 10
    except (OSError, IndexError, ValueError):
        return 0


def _shared_out(name: str) -> int:
    """The bytes of a process, of what it shares only its part; all of it where that is not told."""
    try:
        with open(f"/proc/{name}/smaps_rollup", "rb") as file:
            return int(file.read().partition(b"\nPss:")[2].split()[0]) << 10
    except (OSError, IndexError, ValueError):
        return _status_bytes(name, "VmRSS")


def _find_buffers(name: str, sockets: set[str], pipes: set[str]) -> None:
    """Add the sockets and pipes that a process has open."""
    try:
        descriptors = os.listdir(f"/proc/{name}/fd")
    except OSError:
        return
    for one in descriptors:
        try:
            said = os.readlink(f"/proc/{name}/fd/{one}")
        except OSError:
            continue
        if said.startswith("socket:"):
            sockets.add(said)
        elif said.startswith("pipe:"):
            pipes.add(said)


def _lines_of(path: str) -> int:
    try:
        with open(path, "rb") as file:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 16), b""))
    except OSError:
        return 0


def tasks_of(user: int) -> int:
    """How many threads a user has; the kernel counts them all against the limit on processes."""
    count = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}").st_uid == user:
                    count += len(os.listdir(f"/proc/{name}/task"))
            except OSError:
                continue
    return count
