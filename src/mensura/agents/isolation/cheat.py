"""A program that tries to get out of its cage, or to learn from there what it should not, and tells how far it came.

It reads from its standard input where there is something to be had, does each deed, and writes for each what it got,
or why it got nothing. :mod:`mensura.agents.isolation.examination` starts it; it needs nothing but Python.
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import json
import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any


class Nothing(Exception):
    """The deed was done without an error, and brought nothing."""


def attempt(deed: Callable[[dict[str, Any]], str], there: dict[str, Any]) -> dict[str, Any]:
    """What a deed brought: text, or an error."""
    try:
        return {"got": deed(there), "why": ""}
    except (OSError, Nothing) as error:
        return {"got": "", "why": str(error)}
    except Exception as error:
        # Whoever tried in vain must not be told from who could not even try.
        return {"got": f"it could not be tried: {type(error).__name__}: {error}", "why": ""}


# Looking into Mensura ---------------------------------------------------------------


def read_memory_file(there: dict[str, Any]) -> str:
    """The memory of a process, by its file."""
    with open(f"/proc/{there['pid']}/mem", "rb") as file:
        file.seek(there["address"])
        return file.read(len(there["secret"])).decode()


def read_memory(there: dict[str, Any]) -> str:
    """The memory of a process, by a system call."""
    size = len(there["secret"])
    here = ctypes.create_string_buffer(size)
    libc = ctypes.CDLL(None, use_errno=True)
    ours = (ctypes.c_void_p * 2)(ctypes.addressof(here), size)
    theirs = (ctypes.c_void_p * 2)(there["address"], size)
    _errno(libc.process_vm_readv(there["pid"], ours, 1, theirs, 1, 0))
    return here.raw.decode()


def attach(there: dict[str, Any]) -> str:
    """Attach to a process as a debugger does."""
    libc = ctypes.CDLL(None, use_errno=True)
    _errno(libc.ptrace(0x4206, ctypes.c_long(there["pid"]), None, None))  # PTRACE_SEIZE
    return "attached"


def read_command_line(there: dict[str, Any]) -> str:
    """How a process was started; a seed may stand there."""
    with open(f"/proc/{there['pid']}/cmdline", "rb") as file:
        return f"it read {len(file.read())} bytes"


def read_variables(there: dict[str, Any]) -> str:
    """The environment of a process."""
    with open(f"/proc/{there['pid']}/environ", "rb") as file:
        return f"it read {len(file.read())} bytes"


def own_variables(there: dict[str, Any]) -> str:
    """A variable of Mensura's in one's own environment."""
    if there["variable"] not in os.environ:
        raise Nothing("its environment is empty but for what it needs to run")
    return os.environ[there["variable"]]


def open_descriptors(there: dict[str, Any]) -> str:
    """Files that somebody left open."""
    found = []
    for number in range(3, 512):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            continue
    if not found:
        raise Nothing("only its three streams are open")
    return f"descriptors {found}"


def read_file(there: dict[str, Any]) -> str:
    """A file of Mensura's that every user of the machine could read."""
    with open(there["file"]) as file:
        return file.read()


def read_kept(there: dict[str, Any]) -> str:
    """A file of the run that lies in the subject's own folder."""
    with open(there["kept"]) as file:
        return file.read() or _nothing()


def read_other_store(there: dict[str, Any]) -> str:
    """A store, a report and an export of other runs in the subject's own folder, below it, and under other names."""
    _must_read(os.path.join(there["folder"], "code", "module.py"))
    return _first_read(there["records"])


def read_told(there: dict[str, Any]) -> str:
    """A store, and a hard link to a file of the run, in a folder that it was told to read."""
    _must_read(there["told"])
    return _first_read(there["in_told"])


def read_product(there: dict[str, Any]) -> str:
    """A world, a bank of items or a study of Mensura's: answers may be in it."""
    _must_read(there["visible"])
    return _first_read(there["product"])


def socket_beside(there: dict[str, Any]) -> str:
    """A socket in its own folder, and in one that it was told to read."""
    why = ""
    for path in there["sockets_beside"]:
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(2)
                line.connect(path)
                return line.recv(64).decode()
        except OSError as error:
            why = str(error)
    raise Nothing(why)


def _must_read(path: str) -> None:
    """What it may read, so that what is kept from it is not kept by an empty folder."""
    try:
        with open(path, "rb") as file:
            file.read()
    except OSError as error:
        raise RuntimeError(str(error)) from None


def _first_read(paths: list[str]) -> str:
    why = ""
    for path in paths:
        try:
            with open(path, "rb") as file:
                return f"it read {len(file.read())} bytes of {os.path.basename(path)}"
        except OSError as error:
            why = str(error)
    raise Nothing(why)


def send_signal(there: dict[str, Any]) -> str:
    """A signal to a process; 0 is none, but needs the same right."""
    os.kill(there["pid"], 0)
    return "a signal could be sent"


# Guessing the seed ------------------------------------------------------------------


def guess_seed(there: dict[str, Any]) -> str:
    """The seed of the study, from the seed that a subject is told: by trying one after the other.

    Who has it can rebuild every environment. First seeds as they are, which takes microseconds each; then as studies
    draw from them, for as long as it was told.
    """
    told = there["guessed"]
    until = time.process_time() + told["seconds"]
    for guess in range(told["quick"]):
        if _told_by(guess, told["names"]) == told["seed"]:
            return f"the seed is {guess}"
    tried = 0
    while time.process_time() < until:
        if _told_by(_stretched(tried), told["names"]) == told["seed"]:
            return f"the seed is {tried}"
        tried += 1
    raise Nothing(f"it tried {tried} seeds in {told['seconds']} s of processor time")


def foretell_number(there: dict[str, Any]) -> str:
    """The next number of a stream, from one that was shown: by undoing what may have made it.

    A float shows all but eleven bits of a draw. Each way to complete it is taken back to the state that a bijection
    would have made it of, and on to the number after it.
    """
    first, second = there["shown"]
    for low in range(1 << 11):
        draw = int(first * 2.0**53) << 11 | low
        for state in (draw, _unmixed(draw), _unmixed(_unmixed(draw))):
            for step in (1, 1 << 16):
                after = (state + _GOLDEN * step) & _WORD
                for word in (after, _mixed(after), _mixed(_mixed(after))):
                    if (word >> 11) * 2.0**-53 == second:
                        return f"the number after {first} is {second}"
    raise Nothing("none of all states that a number may come from leads to the next one")


def find_another_seed(there: dict[str, Any]) -> str:
    """The seed of another seat, from its own: by undoing what may have made it of what both come from."""
    seed, other = there["seeds"]
    for parent in (_unmixed(seed), _unmixed(_unmixed(seed))):
        for seat in range(1, 9):
            for sign in (1, -1):
                state = (parent + sign * seat * _GOLDEN) & _WORD
                if other in (state, _mixed(state), _mixed(_mixed(state))):
                    return f"the seed of another seat is {other}"
    raise Nothing("what it was told does not lead back")


def _told_by(root: int, names: list[str]) -> int:
    """What the first seat is told in the first episode of the first sitting."""
    world, assessment, subject = names
    stream = _key(_key(root, world, assessment), "subject", subject)
    return _fold(_fold(_fold(stream)))


def _key(parent: int, *names: str) -> int:
    """As :func:`mensura.agent.keys.key` has it."""
    digest = hashlib.blake2b(parent.to_bytes(8, "little"), digest_size=8)
    for name in names:
        digest.update(b"s" + len(name.encode()).to_bytes(8, "little") + name.encode())
    return int.from_bytes(digest.digest(), "little")


def _fold(key: int) -> int:
    """As :func:`mensura.agent.keys.fold` has it, of the number 0."""
    return _siphash(key, _mixed(key ^ 0xA0761D6478BD642F), 0)


def _siphash(first: int, second: int, message: int) -> int:
    """As :func:`mensura.agent.keys.siphash` has it."""
    block = message | 7 << 56
    a, b = first ^ 0x736F6D6570736575, second ^ 0x646F72616E646F6D
    c, d = first ^ 0x6C7967656E657261, second ^ 0x7465646279746573 ^ block
    for turn in range(6):
        if turn == 2:
            a, c = a ^ block, c ^ 0xFF
        a, c = (a + b) & _WORD, (c + d) & _WORD
        b, d = _turned(b, 13) ^ a, _turned(d, 16) ^ c
        a = _turned(a, 32)
        c, a = (c + b) & _WORD, (a + d) & _WORD
        b, d = _turned(b, 17) ^ c, _turned(d, 21) ^ a
        c = _turned(c, 32)
    return a ^ b ^ c ^ d


def _turned(z: int, bits: int) -> int:
    return (z << bits | z >> 64 - bits) & _WORD


def _mixed(z: int) -> int:
    """The finalizer of splitmix64."""
    z = ((z ^ (z >> 30)) * _MIX_1) & _WORD
    z = ((z ^ (z >> 27)) * _MIX_2) & _WORD
    return z ^ (z >> 31)


def _unmixed(z: int) -> int:
    """What the finalizer made this of."""
    z = z ^ (z >> 31) ^ (z >> 62)
    z = (z * _UNMIX_2) & _WORD
    z = z ^ (z >> 27) ^ (z >> 54)
    z = (z * _UNMIX_1) & _WORD
    return z ^ (z >> 30) ^ (z >> 60)


_WORD = (1 << 64) - 1
_GOLDEN, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_UNMIX_1, _UNMIX_2 = pow(_MIX_1, -1, 1 << 64), pow(_MIX_2, -1, 1 << 64)


def _stretched(seed: int) -> int:
    """As :func:`mensura.agent.keys.stretched` has it."""
    salt = b"mensura: from the seed of a study to the root of its draws"
    data = seed.to_bytes(8, "little")
    digest = hashlib.scrypt(data, salt=salt, n=1 << 16, r=8, p=1, maxmem=1 << 27, dklen=8)
    return int.from_bytes(digest, "little")


# Changing what is not its own -------------------------------------------------------


def write_beside(there: dict[str, Any]) -> str:
    """A file in the folder of the subject's own code."""
    return _written(os.path.join(there["folder"], "left-" + there["mark"]))


def change_beside(there: dict[str, Any]) -> str:
    """The times, the mode or an attribute of its own code, which the next sitting would find so."""
    path = os.path.join(there["folder"], "code", "module.py")
    before, why = os.stat(path), "nothing was done"
    changes: tuple[Callable[[], object], ...] = (
        lambda: os.utime(path, (1, 1)),
        lambda: os.chmod(path, 0o744),
        lambda: os.setxattr(path, "user.left", b"1"),
    )
    for change in changes:
        try:
            change()
        except OSError as error:
            why = str(error)
    after = os.stat(path)
    if (before.st_mtime, before.st_mode) != (after.st_mtime, after.st_mode):
        return "its times and its mode are changed"
    if "user.left" in os.listxattr(path):
        return "it has an attribute"
    raise Nothing(why)


def write_package(there: dict[str, Any]) -> str:
    """A file in the folder of Mensura's code."""
    return _written(os.path.join(there["package"], "left-" + there["mark"]))


def become_root(there: dict[str, Any]) -> str:
    """Be another user."""
    if os.getuid() == 0:
        raise Nothing("its user is ours; what root may do beyond that is taken from it")
    os.setuid(0)
    return "it is root"


def same_user(there: dict[str, Any]) -> str:
    """Be the user that Mensura is."""
    if os.getuid() != there["user"]:
        raise Nothing(f"its user is {os.getuid()}")
    return f"its user is {os.getuid()}, as ours"


def new_namespace(there: dict[str, Any]) -> str:
    """A namespace in which it is root."""
    libc = ctypes.CDLL(None, use_errno=True)
    _errno(libc.unshare(0x10000000))
    return "it is root in a namespace of its own"


# The network ------------------------------------------------------------------------


def connect(there: dict[str, Any]) -> str:
    """A connection over TCP."""
    with socket.create_connection(("127.0.0.1", there["tcp"]), 2) as line:
        return line.recv(64).decode()


def send_datagram(there: dict[str, Any]) -> str:
    """A question over UDP, as to a name server."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.settimeout(2)
        line.sendto(b"?", ("127.0.0.1", there["udp"]))
        return line.recv(64).decode()


def abstract_socket(there: dict[str, Any]) -> str:
    """A socket of this machine that has no file."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(2)
        line.connect("\0" + there["abstract"])
        return line.recv(64).decode()


def socket_file(there: dict[str, Any]) -> str:
    """A socket of this machine that has a file, as services have."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(2)
        line.connect(there["socket"])
        return line.recv(64).decode()


# Taking too much --------------------------------------------------------------------


def take_memory(there: dict[str, Any]) -> str:
    """More memory than is allowed, at once."""
    try:
        bytearray((there["memory_mb"] + 64) << 20)
    except MemoryError:
        raise Nothing("it was refused") from None
    return "it was given"


def fork_all(there: dict[str, Any]) -> str:
    """More processes than are allowed."""
    children = []
    try:
        for _ in range(2 * there["processes"]):
            child = os.fork()
            if not child:
                signal.pause()
            children.append(child)
    except OSError:
        raise Nothing(f"it had {len(children)} when it was refused another") from None
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return f"it had {len(children)}"


def fill_disk(there: dict[str, Any]) -> str:
    """More files, and larger ones, than are allowed."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    folder = os.environ.get("TMPDIR", "/tmp")
    names = [os.path.join(folder, f"full-{number}") for number in range(3)]
    written = 0
    try:
        for name in names:
            with open(name, "wb", buffering=0) as file:
                for _ in range(there["disk_mb"]):
                    written += file.write(bytes(1 << 20)) >> 20
    except OSError:
        if written > there["disk_mb"]:
            return f"it wrote {written} MB"
        raise Nothing(f"it wrote {written} MB when it was refused more") from None
    finally:
        for name in names:
            if os.path.exists(name):
                os.unlink(name)
    return f"it wrote {written} MB"


def two_disks(there: dict[str, Any]) -> str:
    """All that may be written, twice: as temporary files and as shared memory."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    written, why = 0, ""
    paths = [os.path.join(os.environ.get("TMPDIR", "/tmp"), "half"), "/dev/shm/half"]
    for path in paths:
        try:
            with open(path, "wb", buffering=0) as file:
                for _ in range(there["disk_mb"]):
                    written += file.write(bytes(1 << 20)) >> 20
        except OSError as error:
            why = str(error)
    for path in paths:
        if os.path.exists(path):
            os.unlink(path)
    if written > there["disk_mb"]:
        return f"it wrote {written} MB"
    raise Nothing(f"it wrote {written} MB: {why}")


def many_files(there: dict[str, Any]) -> str:
    """So many empty files that their names alone take memory."""
    folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), "many")
    os.mkdir(folder)
    count, most = 0, 1024 + 64 * there["disk_mb"]
    try:
        for count in range(2 * most):
            os.close(os.open(os.path.join(folder, str(count)), os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        raise Nothing(f"it had {count} when it was refused another: {error.strerror}") from None
    finally:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
    return f"it had {count + 1}"


def hold_memfd(there: dict[str, Any]) -> str:
    """Memory in a file that has no name and that no process maps."""
    descriptor = os.memfd_create("held")
    try:
        size = os.write(descriptor, bytes(1 << 20))
    finally:
        os.close(descriptor)
    return f"it wrote {size} bytes"


def hold_segment(there: dict[str, Any]) -> str:
    """Memory in a segment, or in a queue of messages, of System V, which no process need have."""
    libc = ctypes.CDLL(None, use_errno=True)
    ways: dict[str, Callable[[], int]] = {
        "segment": lambda: int(libc.shmget(0, ctypes.c_size_t(1 << 20), 0o1600)),
        "queue": lambda: int(libc.msgget(0, 0o1600)),
        "semaphores": lambda: int(libc.semget(0, 250, 0o1600)),
    }
    for name, make in ways.items():
        number = make()
        if number >= 0:
            for remove in (libc.shmctl, libc.msgctl):
                remove(number, 0, None)  # IPC_RMID
            return f"it was given a {name}"
    raise Nothing(os.strerror(ctypes.get_errno()))


def grow_pipe(there: dict[str, Any]) -> str:
    """A pipe that holds more than pipes do."""
    ends = os.pipe()
    try:
        return f"it holds {fcntl.fcntl(ends[0], 1031, 1 << 20)} bytes"  # F_SETPIPE_SZ
    finally:
        for one in ends:
            os.close(one)


# Talking to other sittings ----------------------------------------------------------


def _of_all() -> str:
    """A file that all sittings can read."""
    return os.__file__


def ask_cache(there: dict[str, Any]) -> str:
    """Whether a page of a file that all can read is in memory, so that somebody has read it."""
    libc = ctypes.CDLL(None, use_errno=True)
    why = []
    with open(_of_all(), "rb") as file:
        try:
            return (
                f"preadv2 read {os.preadv(file.fileno(), [bytearray(64)], 0, os.RWF_NOWAIT)} bytes"
            )
        except BlockingIOError:
            return "preadv2 said that it is not"
        except OSError as error:
            why.append(str(error.strerror))
        mapped = mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
        address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(mapped)))
        told = ctypes.create_string_buffer(1)
        if libc.mincore(address, ctypes.c_size_t(4096), told) == 0:
            return f"mincore said {told.raw[0]}"
        why.append(os.strerror(ctypes.get_errno()))
        span = (ctypes.c_uint64 * 2)(0, 4096)
        counts = (ctypes.c_uint64 * 5)()
        if libc.syscall(451, file.fileno(), span, counts, 0) == 0:  # cachestat
            return f"cachestat said {counts[0]}"
        why.append(os.strerror(ctypes.get_errno()))
    raise Nothing(", ".join(why))


FORGETTING = 10.0
"""Seconds for which a file is asked to leave memory."""


def is_cached(descriptor: int) -> bool:
    """Whether the first page of a file is in memory; where nobody tells, it is.

    Whoever tries to read it without waiting has it read, and may find it there.
    """
    told = ctypes.create_string_buffer(1)
    access = mmap.PROT_READ | mmap.PROT_WRITE
    with mmap.mmap(descriptor, 4096, mmap.MAP_PRIVATE, access) as mapped:
        first = ctypes.c_char.from_buffer(mapped)
        page = ctypes.c_void_p(ctypes.addressof(first))
        failed = ctypes.CDLL(None).mincore(page, ctypes.c_size_t(4096), told)
        del first  # it would keep the file mapped
    return bool(failed or told.raw[0] & 1)


def empty_cache(there: dict[str, Any]) -> str:
    """Have a file leave memory that all can read; whether it does is seen by whoever asked.

    A page that the kernel is busy with stays, so it is asked for again, until it is gone or some seconds are over.
    """
    until = time.monotonic() + FORGETTING
    with open(there["cached"], "rb") as file:
        file.read()
        while True:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            if not is_cached(file.fileno()) or time.monotonic() > until:
                break
            time.sleep(0.01)
    return "asked for"


def lock_shared(there: dict[str, Any]) -> str:
    """A lock on a file that all can read, or on a device, which another sitting would find there."""
    why = ""
    for path, how in ((_of_all(), "rb"), ("/dev/null", "r+b")):
        with open(path, how, buffering=0) as file:
            for lock in (
                lambda one: fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB),
                lambda one: fcntl.lockf(one, fcntl.LOCK_SH | fcntl.LOCK_NB),
                lambda one: fcntl.fcntl(one, 37, struct.pack("hhqqi4x", 0, 0, 0, 0, 0)),
                lambda one: fcntl.fcntl(one, fcntl.F_SETLEASE, fcntl.F_RDLCK),
            ):
                try:
                    lock(file)
                    return f"it locked {path}"
                except OSError as error:
                    why = str(error)
    raise Nothing(why)


def watch_shared(there: dict[str, Any]) -> str:
    """Be told when another sitting opens a file that all can read."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(0)
    _errno(descriptor)
    try:
        _errno(libc.inotify_add_watch(descriptor, os.fsencode(_of_all()), 0x20))
    finally:
        os.close(descriptor)
    return f"it watches {_of_all()}"


COUNTERS = (
    *("stat", "loadavg", "uptime", "vmstat", "meminfo", "interrupts", "softirqs", "diskstats"),
    *("zoneinfo", "buddyinfo", "schedstat", "pressure/cpu", "pressure/memory", "locks"),
    *("sys/fs/dentry-state", "sys/fs/inode-nr", "sys/fs/file-nr"),
)
"""Files of /proc that count what the machine does."""


def read_counters(there: dict[str, Any]) -> str:
    """What the machine does meanwhile, which another sitting can steer."""
    before = [_text(f"/proc/{name}") for name in COUNTERS]
    until = time.monotonic() + 0.2
    held = []
    while time.monotonic() < until:
        held.append(bytearray(1 << 16))
        if len(held) > 256:
            held.clear()
    os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-I", "-S", "-c", ""], {}), 0)
    after = [_text(f"/proc/{name}") for name in COUNTERS]
    changed = [name for name, one, two in zip(COUNTERS, before, after, strict=True) if one != two]
    if changed:
        return f"it saw {', '.join(changed)} change"
    raise Nothing("nothing that it can read changes")


def count_users(there: dict[str, Any]) -> str:
    """A number of its own that grows with each process that anybody starts."""
    number = os.getuid() - 1_900_000_000
    if 0 <= number < 1 << 22:
        return f"its user has the number of process {number}"
    if os.getppid():  # in a namespace of its own nobody there has started it
        return f"it is process {os.getpid()}, and its number is one of the machine's"
    raise Nothing(f"it is process {os.getpid()} of user {os.getuid()}")


def _text(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


# Deeds that may be the end of it ----------------------------------------------------


def hold_sockets(there: dict[str, Any]) -> str:
    """More memory than is allowed in what was sent over sockets and not yet read, in several processes."""
    pairs, sent = [], 0
    enough = there["memory_mb"] << 20
    for _ in range(3):
        if not os.fork():
            break
    try:
        while 3 * sent < enough:
            pair = socket.socketpair()
            pairs.append(pair)
            for one in pair:
                one.setblocking(False)
                try:
                    while True:
                        sent += one.send(bytes(1 << 15))
                except BlockingIOError:
                    continue
    except OSError:
        pass
    time.sleep(2)
    if 3 * sent >= enough:
        return f"it held {4 * sent >> 20} MB"
    raise Nothing(f"it held {4 * sent >> 20} MB")


def hide_shared(there: dict[str, Any]) -> str:
    """More memory than is allowed that is shared and no longer mapped, so that no process has it."""
    size = there["memory_mb"] << 21
    try:
        shared = mmap.mmap(-1, size)
    except OSError:
        with open("/dev/zero", "rb") as zero:
            shared = mmap.mmap(zero.fileno(), size, mmap.MAP_SHARED, mmap.PROT_READ)
    for start in range(0, size, 1 << 20):
        for place in range(start, start + (1 << 20), 4096):
            shared[place]
        shared.madvise(mmap.MADV_DONTNEED)
    time.sleep(2)
    return "it was given"


def hold_page_tables(there: dict[str, Any]) -> str:
    """More memory than is allowed in the tables of what it has mapped and only looked at."""
    mapped = mmap.mmap(
        -1, 200 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, mmap.PROT_READ
    )
    for place in range(0, 200 << 30, 2 << 20):
        mapped[place]
    time.sleep(2)
    return "it was given"


def leave_daemon(there: dict[str, Any]) -> str:
    """A process that goes on when the sitting is over; whoever asked sees whether it does."""
    if not os.fork():
        os.setsid()
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)", there["mark"]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os._exit(0)
    os.wait()
    return "left"


def share_memory(there: dict[str, Any]) -> str:
    """More memory than is allowed in several processes, where limits on one do not see it."""
    size = there["memory_mb"] << 19
    for _ in range(3):
        if not os.fork():
            break
    mine = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for place in range(0, size, 4096):
        mine[place] = 1
    time.sleep(2)
    return "it was given"


def limit_processor(there: dict[str, Any]) -> str:
    """Processor time beyond what is allowed."""
    until = there["cpu_seconds"] + 1.5
    while time.process_time() < until:
        pass
    return f"it took {until} s"


def _errno(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _nothing() -> str:
    raise Nothing("it is empty")


def _written(path: str) -> str:
    with open(path, "w") as file:
        file.write("I was here")
    return "left"


DEEDS = (
    read_memory_file,
    read_memory,
    attach,
    read_command_line,
    read_variables,
    own_variables,
    open_descriptors,
    read_file,
    read_kept,
    read_other_store,
    read_told,
    read_product,
    guess_seed,
    foretell_number,
    find_another_seed,
    send_signal,
    write_beside,
    change_beside,
    write_package,
    same_user,
    become_root,
    new_namespace,
    connect,
    send_datagram,
    abstract_socket,
    socket_file,
    socket_beside,
    take_memory,
    fork_all,
    fill_disk,
    two_disks,
    many_files,
    hold_memfd,
    hold_segment,
    grow_pipe,
    ask_cache,
    empty_cache,
    lock_shared,
    watch_shared,
    read_counters,
    count_users,
    leave_daemon,
)

LAST_DEEDS = (share_memory, hide_shared, hold_sockets, hold_page_tables, limit_processor)
"""Each may be the end of who does it."""


def main() -> None:
    """Do the deeds that are named, and tell of each at once."""
    there = json.loads(sys.stdin.readline())
    for deed in (*DEEDS, *LAST_DEEDS):
        if deed.__name__ not in sys.argv[1:]:
            continue
        told = {"deed": deed.__name__, **attempt(deed, there)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
