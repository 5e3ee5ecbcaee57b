"""The tree of files that a subject with namespaces of its own lives in: what it may read, and constant counters.

Imports are few: see :mod:`mensura.agents.isolation.launcher`, which this is a part of.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from mensura.agents.isolation import linux

COPIES_MB = 256
"""So much of an agent's files is copied where the subject's user could not read them in their place."""

LOOKED_AT = 5_000
"""So many files of an agent are looked at to find out whether the subject's user can read them."""

FILES_PER_MB = 64
"""So many files a subject may have for each megabyte of its temporary files: one without content takes memory too."""

STREAMS = (
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
)
SHOWN_OF_PROC = frozenset(
    [
        "acpi",
        "asound",
        "bootconfig",
        "bus",
        "cmdline",
        "config.gz",
        "consoles",
        "cpuinfo",
        "crypto",
        "device-tree",
        "devices",
        "dma",
        "dynamic_debug",
        "execdomains",
        "fb",
        "filesystems",
        "iomem",
        "ioports",
        "misc",
        "mounts",
        "mtrr",
        "net",
        "partitions",
        "scsi",
        "self",
        "sys",
        "tty",
        "thread-self",
        "version",
    ]
)
"""Of /proc in a namespace, what is as it is, since it does not change; the numbers of processes too."""

HIDDEN_OF_SYS = ("fs", "kernel/pty", "kernel/random")


class CannotCopy(Exception):
    """The subject's own files can neither be read by its user nor be copied for it."""


def build_tree(wanted: dict[str, Any], user: int, devices: Iterable[str]) -> None:
    """In a namespace of mounts: a root of its own, with nothing in it but what the subject may read, each at its path.

    ``user``: of the subject, 0 where it is ours. :class:`CannotCopy` where its files can neither be read nor copied.
    """
    limited = linux.NO_SETUID | linux.NO_DEVICES
    flags = {
        **dict.fromkeys(wanted["readable"], limited | linux.READ_ONLY),
        **dict.fromkeys(wanted["own"], limited | linux.READ_ONLY),
        **dict.fromkeys(devices, linux.NO_SETUID),
    }
    own = frozenset(wanted["own"])
    linux.keep_mounts_to_ourselves()
    os.umask(0o022)
    # All is taken hold of first: the new root covers a folder in which some of it may lie.
    taken: list[tuple[str, bool, int | None, bool]] = []
    hidden = frozenset(wanted["hidden"])
    for path in sorted({*flags, *hidden}, key=lambda path: path.count("/")):
        if not os.path.exists(path):
            continue
        if path in hidden:
            taken.append((path, os.path.isdir(path), None, False))
            continue
        copied = bool(user) and path in own and not _all_may_read(path)
        mounted = os.open(path, os.O_PATH) if copied else linux.taken(path, flags[path])
        taken.append((path, os.path.isdir(path), mounted, copied))
    root = wanted["temporary"]
    linux.mount("tmpfs", root, limited, f"size={COPIES_MB}m,mode=755")
    _mount_temporary(root, limited, wanted["disk_mb"])
    for path, is_folder, held, copied in taken:
        if held is None:
            _hide(root + path, is_folder)
            continue
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        if copied:
            _copy_for_all(path, held, root + path)
            continue
        if is_folder:
            os.makedirs(root + path, exist_ok=True)
        elif not os.path.lexists(root + path):
            os.close(os.open(root + path, os.O_CREAT | os.O_WRONLY, 0o644))
        linux.hang(held, root + path)
    for path in hidden:
        if os.path.isdir(path):
            linux.make_read_only(root + path)
    os.makedirs(root + wanted["folder"], exist_ok=True)
    # Links come last: as long as the old root is there, they would lead into it.
    for path, target in (*STREAMS, *wanted["links"]):
        if not os.path.lexists(root + path):
            try:
                os.makedirs(os.path.dirname(root + path), exist_ok=True)
                os.symlink(target, root + path)
            except OSError:
                continue
    for name in os.listdir(root + "/tmp"):  # what is shown there is not the subject's to change
        path = f"{root}/tmp/{name}"
        if not os.path.islink(path):
            linux.hang(linux.taken(path, limited | linux.READ_ONLY), path)
    os.makedirs(root + "/proc", exist_ok=True)
    try:
        linux.mount("proc", root + "/proc", limited | linux.NO_PROGRAMS | linux.READ_ONLY)
    except OSError:  # in a container that hides a part of /proc; then there is none
        pass
    else:
        _hide_counters(root, bool(user or os.geteuid()))
    linux.change_root(root)
    linux.make_read_only("/")


def _hide(path: str, is_folder: bool) -> None:
    """Put an empty folder, in which something may be shown later, or a file that nobody can open over what is there."""
    limited = linux.NO_SETUID | linux.NO_DEVICES
    if is_folder:
        linux.mount("tmpfs", path, limited, "size=1m,mode=755")
    else:
        linux.hang(linux.taken(os.devnull, limited | linux.READ_ONLY), path)


def _hide_counters(root: str, other: bool) -> None:
    """Put something constant over what counts what the machine does: two sittings could talk by it.

    ``other``: whether the subject is not root.
    """
    proc = root + "/proc"
    flags = linux.NO_SETUID | linux.NO_DEVICES | linux.NO_PROGRAMS | linux.READ_ONLY
    masks = root + "/masks"
    os.mkdir(masks)
    linux.mount("tmpfs", masks, flags & ~linux.READ_ONLY, "size=1m,mode=755")
    names = [one for one in os.listdir(proc) if not one.isdigit() and one not in SHOWN_OF_PROC]
    paths: list[str] = []
    for name in (*names, *(f"sys/{one}" for one in HIDDEN_OF_SYS)):
        path, mask = f"{proc}/{name}", f"{masks}/{len(paths)}"
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            continue
        if mode & 0o170000 == 0o040000:
            os.mkdir(mask, 0o555)
        elif mode & 0o170000 == 0o100000 and (mode & 0o4 or not other):
            _write(mask, _constant(name))
        else:  # a link, or closed to the subject's user in any case
            continue
        paths.append(path)
    linux.make_read_only(masks)
    held = [linux.taken(f"{masks}/{number}") for number in range(len(paths))]
    linux.unmount(masks)
    os.rmdir(masks)
    for mounted, path in zip(held, paths, strict=True):
        linux.hang(mounted, path)


def _mount_temporary(root: str, flags: int, megabytes: int) -> None:
    """The folders for temporary files: two of one file system, so that the limit is on both together."""
    places = ("/tmp", "/dev/shm")
    for path in places:
        os.makedirs(root + path)
    whole = root + places[0]
    files = min(1024 + FILES_PER_MB * megabytes, 1 << 30)
    linux.mount("tmpfs", whole, flags, f"size={megabytes}m,nr_inodes={files},mode=755")
    halves = []
    for number, path in enumerate(places):
        half = f"{whole}/{number}"
        os.mkdir(half)
        os.chmod(half, 0o1777)
        halves.append((linux.taken(half, flags), root + path))
    linux.unmount(whole)
    for half_taken, place in halves:
        linux.hang(half_taken, place)


# Files ----------------------------------------------------------------------------


def beside(path: str, hidden: Iterable[str]) -> Iterator[str]:
    """A path, or what is below it without what is hidden there, in as few paths as that takes."""
    below = [place for place in hidden if place.startswith(f"{path.rstrip('/')}/")]
    if not below:
        yield path
        return
    for entry in os.scandir(path):
        if entry.path not in below and not entry.is_symlink():
            yield from beside(entry.path, below)


def others_may_read(path: str, whole: bool) -> bool:
    """Whether a user who owns nothing may read a file or list a folder; with ``whole``, and may get there."""
    kind = os.stat(path).st_mode
    needed = 0o5 if kind & 0o170000 == 0o040000 else 0o4
    if kind & needed != needed:
        return False
    place = os.path.realpath(path)
    while whole and place != "/":
        place = os.path.dirname(place)
        if not os.stat(place).st_mode & 0o1:
            return False
    return True


def _all_may_read(path: str) -> bool:
    """Whether a user who owns nothing may read all of a file or folder, as far as we look."""
    if not others_may_read(path, whole=False):
        return False
    left = LOOKED_AT
    waiting = [path] if os.path.isdir(path) else []
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                left -= 1
                if left < 0:
                    return True
                if entry.is_symlink() or entry.name == "__pycache__":
                    continue
                folder = entry.is_dir()
                needed = 0o5 if folder else 0o4
                if entry.stat().st_mode & needed != needed:
                    return False
                if folder:
                    waiting.append(entry.path)
    return True


def _copy_for_all(path: str, held: int, target: str) -> None:
    """Put a copy that everybody can read where its owner alone can read the original."""
    try:
        _copy(f"/proc/self/fd/{held}", target)
    except OSError as error:
        raise CannotCopy(
            f"{path} is readable for its owner alone, and its copy for the subject failed ({error.strerror}; at most "
            f"{COPIES_MB} MB are copied); let others read it: chmod -R go+rX {path}"
        ) from None


def _copy(source: str, target: str) -> None:
    """Copy a file, or the files and links below a folder; the source itself may be named by a link."""
    waiting = [(source, target)]
    while waiting:
        here, there = waiting.pop()
        if here is not source and os.path.islink(here):
            os.symlink(os.readlink(here), there)
        elif os.path.isdir(here):
            os.makedirs(there, 0o755, exist_ok=True)
            waiting += [(f"{here}/{name}", f"{there}/{name}") for name in os.listdir(here)]
        elif os.path.isfile(here):
            run = os.stat(here).st_mode & 0o111
            with open(here, "rb") as read, open(there, "wb") as written:
                while chunk := read.read(1 << 20):
                    written.write(chunk)
            os.chmod(there, 0o755 if run else 0o644)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _constant(name: str) -> str:
    """What is said in place of a file of /proc that counts."""
    if name == "meminfo":
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 10
        sizes = dict.fromkeys(("MemTotal", "MemFree", "MemAvailable"), total)
        sizes |= dict.fromkeys(("Buffers", "Cached", "SwapCached", "Active", "Inactive"), 0)
        sizes |= dict.fromkeys(("SwapTotal", "SwapFree", "Shmem", "Slab"), 0)
        return "".join(f"{key + ':':<16}{value:>8} kB\n" for key, value in sizes.items())
    if name == "stat":
        cpus = ("cpu ", *(f"cpu{number}" for number in range(os.cpu_count() or 1)))
        return "".join(f"{cpu} {'0 ' * 9}0\n" for cpu in cpus) + "ctxt 0\nbtime 0\nprocesses 1\n"
    return {"loadavg": "0.00 0.00 0.00 1/1 1\n", "uptime": "1.00 1.00\n"}.get(name, "")
