"""A program that tries to get out of its cage, or to learn from there what it should not, and tells how far it came.

It reads from its standard input where there is something to be had, does each deed, and writes for each what it got,
or why it got nothing. :mod:`mensura.agents.isolation.examination` starts it; it needs nothing but Python.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import resource
import signal
import socket
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


# Changing what is not its own -------------------------------------------------------


def write_beside(there: dict[str, Any]) -> str:
    """A file in the folder of the subject's own code."""
    return _written(os.path.join(there["folder"], "left-" + there["mark"]))


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


def limit_processor(there: dict[str, Any]) -> str:
    """Processor time beyond what is allowed; only looked up, as it would take that long."""
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    if most != resource.RLIM_INFINITY and most <= there["cpu_seconds"] + 1:
        raise Nothing(f"it is killed after {most} s")
    return "there is no limit"


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
    """More memory than is allowed, shared and in several processes, where limits on one do not see it."""
    size = there["memory_mb"] << 20
    shared = mmap.mmap(-1, size)
    for _ in range(2):
        if not os.fork():
            mine = mmap.mmap(-1, size // 2)
            for place in range(0, size // 2, 4096):
                mine[place] = 1
            time.sleep(30)
            os._exit(0)
    for place in range(0, size, 4096):
        shared[place] = 1
    time.sleep(2)
    return "it was given"


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
    send_signal,
    write_beside,
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
    limit_processor,
    leave_daemon,
    share_memory,
)
"""In this order: the last one may be the end of it."""


def main() -> None:
    """Do all deeds, and tell of each at once."""
    there = json.loads(sys.stdin.readline())
    for deed in DEEDS:
        told = {"deed": deed.__name__, **attempt(deed, there)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
