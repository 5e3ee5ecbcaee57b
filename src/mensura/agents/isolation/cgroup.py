"""A control group of its own for a sitting: all its memory, the kernel's on its behalf included, has one limit.

Version 2 only (https://docs.kernel.org/admin-guide/cgroup-v2.html). A group that has processes cannot switch
controllers on for its children, and ours has. So the sitting's group is made beside ours: below the nearest group above
us that we may write to and that has the controllers switched on for its children, as systemd does for sessions and
services. The root of all groups is the exception, where processes do no harm.

Descriptors are held and no paths, since the launcher changes its root.
"""

from __future__ import annotations

import os
import time

NEEDED = ("memory", "pids")
"""The controllers without which there is no use in a group."""

SECONDS_TO_EMPTY = 2.0
"""How long the killed processes of a group may take to leave it."""


class Group:
    """One group, made for one sitting; OSError where there can be none."""

    def __init__(
        self, parent: str, name: str, memory: int | None = None, processes: int | None = None
    ) -> None:
        """``memory``, in bytes, and ``processes`` are the most that may be in it; None is no limit."""
        os.mkdir(os.path.join(parent, name), 0o755)
        self._name = name
        self._parent = os.open(parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._folder = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._parent)
        self._entrance = -1
        try:
            if processes is not None:
                self._write("pids.max", str(processes))
            if memory is not None:
                self._write("memory.max", str(memory))
                for more, value in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
                    try:
                        self._write(more, value)
                    except OSError:  # a kernel without swap, or before 4.19
                        pass
            self._entrance = self._open("cgroup.procs", os.O_WRONLY)
            self._try_to_enter()
        except OSError:
            self.end()
            raise

    def _try_to_enter(self) -> None:
        """Let a child of ours enter it: one may be let make a group and not let put anybody into it."""
        pid = os.fork()
        if not pid:
            try:
                self.enter()
                os._exit(0)
            finally:
                os._exit(1)
        if os.waitpid(pid, 0)[1]:
            raise OSError(1, "nobody can enter the group")

    def enter(self) -> None:
        """Put the process that calls this into the group; it may have left our tree of files."""
        os.write(self._entrance, b"0")

    def ran_out(self) -> bool:
        """Whether the kernel has killed in it for want of memory."""
        try:
            words = self._read("memory.events").split()
        except OSError:
            return False
        counts = dict(zip(words[::2], words[1::2], strict=False))
        return int(counts.get("oom_kill", 0)) > 0

    def processor_seconds(self) -> float:
        """The processor time of all that is and was in it."""
        try:
            words = self._read("cpu.stat").split()
        except OSError:
            return 0.0
        counts = dict(zip(words[::2], words[1::2], strict=False))
        return int(counts.get("usage_usec", 0)) / 1e6

    def end(self) -> None:
        """Kill all that is in it, and remove it."""
        if self._folder < 0:
            return
        try:
            self._write("cgroup.kill", "1")
        except OSError:  # before Linux 5.14; the launcher kills one by one
            pass
        until = time.monotonic() + SECONDS_TO_EMPTY
        while True:
            try:
                os.rmdir(self._name, dir_fd=self._parent)
                break
            except OSError as error:
                if (
                    error.errno != 16 or time.monotonic() > until
                ):  # EBUSY: somebody is about to leave
                    break
                time.sleep(0.001)
        for one in (self._entrance, self._folder, self._parent):
            if one >= 0:
                os.close(one)
        self._entrance = self._folder = self._parent = -1

    def _open(self, name: str, how: int) -> int:
        return os.open(name, how | os.O_CLOEXEC, dir_fd=self._folder)

    def _write(self, name: str, text: str) -> None:
        descriptor = self._open(name, os.O_WRONLY)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)

    def _read(self, name: str) -> str:
        descriptor = self._open(name, os.O_RDONLY)
        try:
            return os.read(descriptor, 4096).decode()
        finally:
            os.close(descriptor)


def place_for_groups(proc: str = "/proc/self") -> str:
    """The folder of the nearest group in which we may make others that are limited; nothing where there is none.

    ``proc`` has the files ``cgroup`` and ``mountinfo`` of a process.
    """
    try:
        top, ours = _mounted(proc), _own_group(proc)
    except (OSError, ValueError):
        return ""
    if not top or ".." in ours.split("/"):
        return ""
    here = os.path.normpath(f"{top}/{ours}")
    if here == top and _is_root(top) and _may_make(top) and _switch_on(top):
        return top
    while here != top:
        here = os.path.dirname(here)
        if _may_make(here) and _has(here, "cgroup.subtree_control"):
            return here
    return ""


def _mounted(proc: str) -> str:
    """Where the groups of version 2 are mounted."""
    with open(f"{proc}/mountinfo") as file:
        for line in file:
            before, _, after = line.partition(" - ")
            if after.split()[:1] == ["cgroup2"]:
                return before.split()[4]
    return ""


def _own_group(proc: str) -> str:
    with open(f"{proc}/cgroup") as file:
        for line in file:
            if line.startswith("0::"):
                return line[3:].strip().strip("/")
    raise ValueError("no group of version 2")


def _is_root(folder: str) -> bool:
    """Whether it is the root of all groups, and not only of those that we see: that one has no type."""
    return not os.path.exists(f"{folder}/cgroup.type")


def _may_make(folder: str) -> bool:
    return os.access(folder, os.W_OK) and os.access(f"{folder}/cgroup.procs", os.W_OK)


def _has(folder: str, name: str) -> bool:
    try:
        with open(f"{folder}/{name}") as file:
            return set(NEEDED) <= set(file.read().split())
    except OSError:
        return False


def _switch_on(folder: str) -> bool:
    """Have the controllers for the children of the root."""
    if _has(folder, "cgroup.subtree_control"):
        return True
    if not _has(folder, "cgroup.controllers"):
        return False
    try:
        with open(f"{folder}/cgroup.subtree_control", "w") as file:
            file.write(" ".join(f"+{one}" for one in NEEDED))
    except OSError:
        return False
    return True
