"""Linux's means to confine a process, called without any library but C's: namespaces, Landlock, seccomp, capabilities.

Every function says what it could not do with an OSError. The numbers are those of the kernel's headers and the same on
all machines, but for the system calls that seccomp looks at.

Landlock: https://docs.kernel.org/userspace-api/landlock.html; seccomp: seccomp(2); the calls for mounts: open_tree(2),
mount_setattr(2), move_mount(2).
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

_libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
_ANY_NAMESPACE = 0x7E020000
"""Every flag of clone(2) that makes a namespace."""


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _call(number: int, what: str, *arguments: int | bytes | None) -> int:
    """A system call by its number, for those that the C library has no function for."""
    passed = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *passed), what)


def _prctl(option: int, *arguments: int) -> int:
    passed = [ctypes.c_ulong(one) for one in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(_libc.prctl(option, *passed), f"prctl {option}")


# What a process may do to itself ------------------------------------------------


def forbid_looking_in() -> None:
    """PR_SET_DUMPABLE 0: nobody without privileges can read our memory, nor does a crash write it to a file."""
    _prctl(4, 0)


def allow_looking_in() -> None:
    """PR_SET_DUMPABLE 1: as every process begins."""
    _prctl(4, 1)


def die_with_parent() -> None:
    """PR_SET_PDEATHSIG: be killed when the thread that made this process ends."""
    _prctl(1, 9)


def adopt_orphans() -> None:
    """PR_SET_CHILD_SUBREAPER: descendants whose parent died become children of this process."""
    _prctl(36, 1)


def gain_nothing() -> None:
    """PR_SET_NO_NEW_PRIVS: no program that is executed from here on has more rights, not even a setuid one."""
    _prctl(38, 1)


def drop_capabilities() -> None:
    """Give up every capability of root, for good: also the bounding set, so that no program brings one back."""
    for capability in range(64):
        try:
            _prctl(24, capability)
        except OSError:  # there are no more of them, or we may not
            break
    _prctl(47, 4)  # PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL


def drop_permitted() -> None:
    """Give up the capabilities that this process has itself; the last step, since the others may need them."""
    header = struct.pack("=Ii", 0x20080522, 0)
    _checked(_libc.capset(header, bytes(24)), "capset")


# Namespaces ---------------------------------------------------------------------


def unshare(flags: int) -> None:
    """Leave namespaces for new ones; that of processes is entered by the children from now on."""
    _checked(_libc.unshare(flags), "unshare")


def be_the_same_user_inside() -> None:
    """After a new namespace of users: inside, be who one was outside."""
    user, group = os.geteuid(), os.getegid()
    unshare(CLONE_NEWUSER)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


READ_ONLY, NO_SETUID, NO_DEVICES, NO_PROGRAMS = 1, 2, 4, 8
"""The first four flags of a mount, alike in mount(2) and mount_setattr(2)."""

_HERE = -100
_EMPTY_PATH = 0x1000
_RECURSIVE = 0x8000


def mount(kind: str, target: str, flags: int, options: str = "") -> None:
    """Mount a new file system of a kind."""
    result = _libc.mount(
        kind.encode(),
        os.fsencode(target),
        kind.encode(),
        ctypes.c_ulong(flags),
        options.encode(),
    )
    _checked(result, f"mount {kind}")


def keep_mounts_to_ourselves() -> None:
    """Let no mount of this namespace be seen in another."""
    private = 1 << 18 | 1 << 14
    _checked(_libc.mount(None, b"/", None, ctypes.c_ulong(private), None), "mount /")


def taken(path: str, flags: int = 0) -> int:
    """A copy of the mount of a path, with all below it, that hangs nowhere yet; with further flags."""
    mounted = _call(428, f"open_tree {path}", _HERE, os.fsencode(path), 1 | 0o2000000 | _RECURSIVE)
    if not flags:
        return mounted
    try:
        _set_flags(mounted, b"", _EMPTY_PATH | _RECURSIVE, flags)
    except OSError:
        os.close(mounted)
        raise
    return mounted


def hang(mounted: int, target: str) -> None:
    """Hang what :func:`taken` gave at a path."""
    _call(429, f"move_mount {target}", mounted, b"", _HERE, os.fsencode(target), 4)
    os.close(mounted)


def unmount(target: str) -> None:
    """Let go of what is mounted at a path."""
    _checked(_libc.umount2(os.fsencode(target), 2), f"umount2 {target}")


def make_read_only(target: str) -> None:
    """Let nothing be written to a mount any more; not to those below it."""
    _set_flags(_HERE, os.fsencode(target), 0, READ_ONLY | NO_SETUID | NO_DEVICES)


def _set_flags(folder: int, path: bytes, how: int, flags: int) -> None:
    attributes = struct.pack("=4Q", flags, 0, 0, 0)
    _call(442, "mount_setattr", folder, path, how, attributes, len(attributes))


def change_root(folder: str) -> None:
    """Make a mounted folder the root of this namespace, and let go of the old one."""
    os.chdir(folder)
    _checked(_libc.pivot_root(b".", b"."), "pivot_root")
    _checked(_libc.umount2(b".", 2), "umount2")
    os.chdir("/")


# Landlock -----------------------------------------------------------------------

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
REFER, TRUNCATE, DEVICE_CALLS = 1 << 13, 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
USE_DEVICE = READ_FILE | WRITE_FILE | TRUNCATE | DEVICE_CALLS
EVERYTHING = (1 << 16) - 1
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CALLS
"""The rights that a rule on a file, and not a folder, may have."""


def landlock_version() -> int:
    """The version of Landlock that the kernel offers; 0 where it has none."""
    try:
        return _call(444, "landlock", None, 0, 1)
    except OSError:
        return 0


def confine(rules: Iterable[tuple[str, int]], network: bool) -> None:
    """Open nothing from here on but these paths, with what lies below them, each with its rights.

    Where the kernel knows how, also send no signal and reach no abstract socket outside, and without ``network`` use no
    TCP. Paths that are not there are left out.
    """
    version = landlock_version()
    if version < 1:
        raise OSError(38, "the kernel has no Landlock")
    files = EVERYTHING
    for since, right in ((2, REFER), (3, TRUNCATE), (5, DEVICE_CALLS)):
        if version < since:
            files &= ~right
    words = [files]
    if version >= 4:
        words.append(0 if network else 3)
    if version >= 6:
        words.append(3)
    attributes = struct.pack(f"={len(words)}Q", *words)
    ruleset = _call(444, "landlock", attributes, len(attributes), 0)
    for path, rights in rules:
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        allowed = rights & files
        if os.fstat(opened).st_mode & 0o170000 != 0o040000:  # no folder
            allowed &= _OF_FILES
        if allowed:
            _call(445, f"landlock {path}", ruleset, 1, struct.pack("=Qi", allowed, opened), 0)
        os.close(opened)
    _call(446, "landlock", ruleset, 0)
    os.close(ruleset)


# seccomp ------------------------------------------------------------------------

_NEVER = (
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "kcmp",
    "pidfd_getfd",
    "add_key",
    "request_key",
    "keyctl",
    "bpf",
    "userfaultfd",
    "perf_event_open",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "unshare",
    "setns",
    "mount",
    "umount2",
    "pivot_root",
    "open_by_handle_at",
)
"""Calls that look into other processes, or that an agent needs for nothing and that kernels were broken by."""

_ABSENT = (
    # Memory that belongs to no process, so that nobody counts it, and that without namespaces outlives the sitting.
    "memfd_create",
    "memfd_secret",
    "shmget",
    "msgget",
    "semget",
    "mq_open",
    "vmsplice",
    # What others have done to files that all may read: which pages are in memory, who has them locked or opened.
    "mincore",
    "cachestat",
    "io_setup",
    "flock",
    "inotify_init",
    "inotify_init1",
    "fanotify_init",
)
"""Calls that this machine is said not to have, so that programs look for another way."""

_MODES = ("chmod", "fchmod", "fchmodat", "fchmodat2", "utime", "utimes", "futimesat", "utimensat")
"""Calls that change the modes and times of files; Landlock does not look at them."""

_OWNERS = ("chown", "fchown", "lchown", "fchownat")
_ATTRIBUTES = (
    *("setxattr", "lsetxattr", "fsetxattr", "setxattrat"),
    *("removexattr", "lremovexattr", "fremovexattr", "removexattrat"),
)

_LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1026)
"""Of fcntl: to set locks, leases and notices on a file, and to ask for them (F_GETLK to F_NOTIFY)."""

_SIZES_AND_HINTS = (1031, 1036, 1038)
"""Of fcntl: to make a pipe larger, and to leave a hint with a file that others can read there."""

_COLD, _PAGE_OUT = 20, 21
"""Of madvise: to have pages of a file leave memory."""

_NO_WAIT = 8
"""Of preadv2: to read only what is in memory."""

_NEW = {
    "memfd_secret": 447,
    "cachestat": 451,
    "fchmodat2": 452,
    "setxattrat": 463,
    "removexattrat": 466,
    "pidfd_getfd": 438,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "clone3": 435,
}
_NUMBERS: dict[str, dict[str, int]] = {
    "x86_64": _NEW
    | {
        "ptrace": 101,
        "process_vm_readv": 310,
        "process_vm_writev": 311,
        "kcmp": 312,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "bpf": 321,
        "userfaultfd": 323,
        "perf_event_open": 298,
        "unshare": 272,
        "setns": 308,
        "mount": 165,
        "umount2": 166,
        "pivot_root": 155,
        "open_by_handle_at": 304,
        "socket": 41,
        "clone": 56,
        "memfd_create": 319,
        "shmget": 29,
        "msgget": 68,
        "semget": 64,
        "mq_open": 240,
        "mincore": 27,
        "io_setup": 206,
        "flock": 73,
        "inotify_init": 253,
        "inotify_init1": 294,
        "fanotify_init": 300,
        "fcntl": 72,
        "madvise": 28,
        "fadvise64": 221,
        "preadv2": 327,
        "mmap": 9,
        "chmod": 90,
        "fchmod": 91,
        "chown": 92,
        "fchown": 93,
        "lchown": 94,
        "utime": 132,
        "setxattr": 188,
        "lsetxattr": 189,
        "fsetxattr": 190,
        "removexattr": 197,
        "lremovexattr": 198,
        "fremovexattr": 199,
        "utimes": 235,
        "fchownat": 260,
        "futimesat": 261,
        "fchmodat": 268,
        "utimensat": 280,
        "vmsplice": 278,
    },
    "aarch64": _NEW
    | {
        "ptrace": 117,
        "process_vm_readv": 270,
        "process_vm_writev": 271,
        "kcmp": 272,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "bpf": 280,
        "userfaultfd": 282,
        "perf_event_open": 241,
        "unshare": 97,
        "setns": 268,
        "mount": 40,
        "umount2": 39,
        "pivot_root": 41,
        "open_by_handle_at": 265,
        "socket": 198,
        "clone": 220,
        "memfd_create": 279,
        "shmget": 194,
        "msgget": 186,
        "semget": 190,
        "mq_open": 180,
        "mincore": 232,
        "io_setup": 0,
        "flock": 32,
        "inotify_init1": 26,
        "fanotify_init": 262,
        "fcntl": 25,
        "madvise": 233,
        "fadvise64": 223,
        "preadv2": 286,
        "mmap": 222,
        "fchmod": 52,
        "fchmodat": 53,
        "fchownat": 54,
        "fchown": 55,
        "setxattr": 5,
        "lsetxattr": 6,
        "fsetxattr": 7,
        "removexattr": 14,
        "lremovexattr": 15,
        "fremovexattr": 16,
        "utimensat": 88,
        "vmsplice": 75,
    },
}
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_SHARED_OF_NOBODY = 0x21
"""Of mmap: pages that are shared and of no file. They stay when they are no longer mapped, and nobody counts them."""

_AND, _LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x54, 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _ARGUMENT_SIZE = 0, 4, 16, 8
_DONE, _EPERM, _EACCES, _EFAULT, _ENOLCK, _ENOSYS, _EOPNOTSUPP = 0, 1, 13, 14, 37, 38, 95
_AF_UNIX = 1


def has_filter() -> bool:
    """Whether the kernel takes filters, and we know the system calls of this machine by their numbers.

    PR_SET_SECCOMP without a program: a kernel that takes filters looks for it (EFAULT), another knows no such mode.
    """
    try:
        _prctl(22, 2, 0)
    except OSError as error:
        return error.errno == _EFAULT and os.uname().machine in _ARCHITECTURES
    return False


def filter_calls(network: bool, own_tree: bool, shared_memory: bool) -> None:
    """Refuse the system calls in ``_NEVER`` and ``_ABSENT`` from here on, locks on files, and new namespaces.

    Locks are refused on all files, since a filter does not see whether one is its own. Without ``network`` also every
    socket, but for local ones where the process has an ``own_tree`` of files; where it has none, also changes of modes,
    times, owners and attributes of files. Without ``shared_memory`` also memory that is shared and belongs to no file.
    """
    install_filter(filter_program(os.uname().machine, network, own_tree, shared_memory))


def install_filter(program: Iterable[tuple[int, int, int, int]]) -> None:
    """PR_SET_SECCOMP: have a program of instructions look at every system call from here on."""
    program = [*program]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *one) for one in program))
    told = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    _prctl(22, 2, ctypes.addressof(told))


def filter_program(
    machine: str, network: bool, own_tree: bool, shared_memory: bool
) -> list[tuple[int, int, int, int]]:
    """The instructions of :func:`filter_calls`, for a machine."""
    numbers = _NUMBERS[machine]
    program: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _REFUSE | _ENOSYS),
        (_LOAD, 0, 0, _NUMBER),
    ]

    def refuse(test: int, value: int, error: int) -> None:
        program.extend([(test, 0, 1, value), (_RETURN, 0, 0, _REFUSE | error)])

    def look_at(name: str, argument: int, test: int, values: Iterable[int], error: int) -> None:
        """Refuse a call by one of its arguments; all these are of 32 bits."""
        tests: list[tuple[int, int, int, int]] = []
        for value in values:
            tests += [(test, 0, 1, value), (_RETURN, 0, 0, _REFUSE | error)]
        place = _FIRST_ARGUMENT + _ARGUMENT_SIZE * argument
        program.append((_EQUAL, 0, len(tests) + 2, numbers[name]))
        program.extend([(_LOAD, 0, 0, place), *tests, (_LOAD, 0, 0, _NUMBER)])

    if machine == "x86_64":
        # The same calls again, under other numbers: with a bit set, and on older kernels from 512 on.
        refuse(_AT_LEAST, 512, _ENOSYS)
    for name in _NEVER:
        refuse(_EQUAL, numbers[name], _EPERM)
    for name in _ABSENT:
        if name in numbers:  # ARM 64 has no old ones
            refuse(_EQUAL, numbers[name], _ENOSYS)
    # Who says that pages can leave memory is believed, and nothing is done.
    refuse(_EQUAL, numbers["fadvise64"], _DONE)
    look_at("madvise", 2, _EQUAL, (_COLD, _PAGE_OUT), _DONE)
    look_at("fcntl", 1, _EQUAL, _LOCKS, _ENOLCK)
    look_at("fcntl", 1, _EQUAL, _SIZES_AND_HINTS, _EPERM)
    look_at("preadv2", 5, _ANY_BIT, (_NO_WAIT,), _EOPNOTSUPP)
    # Its flags lie in memory, where a filter cannot look; C libraries then fall back on clone.
    refuse(_EQUAL, numbers["clone3"], _ENOSYS)
    program += [
        (_EQUAL, 0, 3, numbers["clone"]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_BIT, 0, 1, _ANY_NAMESPACE),
        (_RETURN, 0, 0, _REFUSE | _EPERM),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if not own_tree:
        for names, error in ((_MODES, _DONE), (_OWNERS, _EPERM), (_ATTRIBUTES, _EOPNOTSUPP)):
            for name in names:
                if name in numbers:
                    refuse(_EQUAL, numbers[name], error)
    if not shared_memory:
        program += [
            (_EQUAL, 0, 5, numbers["mmap"]),
            (_LOAD, 0, 0, _FIRST_ARGUMENT + 3 * _ARGUMENT_SIZE),
            (_AND, 0, 0, _SHARED_OF_NOBODY),
            (_EQUAL, 0, 1, _SHARED_OF_NOBODY),
            (_RETURN, 0, 0, _REFUSE | _EPERM),
            (_LOAD, 0, 0, _NUMBER),
        ]
    if not network:
        allowed = [(_EQUAL, 1, 0, _AF_UNIX)] if own_tree else []
        program += [
            (_EQUAL, 0, 2 + len(allowed), numbers["socket"]),
            (_LOAD, 0, 0, _FIRST_ARGUMENT),
            *allowed,
            (_RETURN, 0, 0, _REFUSE | _EACCES),
        ]
    program.append((_RETURN, 0, 0, _ALLOW))
    return program
