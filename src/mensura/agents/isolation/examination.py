"""What the cage holds on this machine: found out by a cheat that tries each thing, and not by what should be.

``mensura agents isolation`` prints it.
"""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from mensura.agent.keys import fold, fresh, key, prf, stretched, unit
from mensura.agent.task import Limits
from mensura.agents.isolation import cheat, product
from mensura.agents.isolation.cage import for_command
from mensura.agents.isolation.code import DATABASE_HEAD, SMALLEST_PAGE
from mensura.agents.peer import Ended
from mensura.agents.process import Child
from mensura.core.interpreter import our_python
from mensura.core.private_files import forgetting, make_private

LIMITS = Limits(memory_mb=192, processes=24, disk_mb=4, cpu_seconds=60)
"""Small, so that it is quickly found out whether they hold."""

BURNED = 1
"""Seconds of processor time that the one may take who tries to take more."""

SECONDS = 60.0

PROMISES = {
    "read_memory_file": "cannot read Mensura's memory as a file",
    "read_memory": "cannot read Mensura's memory by a system call",
    "attach": "cannot attach to Mensura as a debugger",
    "read_command_line": "cannot read Mensura's command line, where a seed may stand",
    "read_variables": "cannot read Mensura's environment",
    "own_variables": "is given none of Mensura's variables",
    "open_descriptors": "inherits no open file",
    "read_file": "cannot read files of the machine that are not its own",
    "read_kept": "cannot read files of the run in its own folder",
    "read_other_store": "cannot read stores, reports and exports of other runs in its own folder",
    "read_told": "cannot read stores and files of the run in folders that it was told to read",
    "read_product": "cannot read Mensura's worlds, studies and data",
    "guess_seed": "cannot find a seed of five digits by trying",
    "foretell_number": "cannot foretell a number from those that it was shown",
    "find_another_seed": "cannot find another seat's seed from its own",
    "send_signal": "cannot send signals to Mensura",
    "write_beside": "cannot write into its own folder",
    "change_beside": "cannot change times, modes and attributes of its own files",
    "write_package": "cannot change Mensura's code",
    "be_imported": "has no file beside it executed outside its cage",
    "same_user": "runs as another user",
    "become_root": "cannot become root",
    "new_namespace": "cannot make namespaces",
    "connect": "cannot connect over TCP",
    "send_datagram": "cannot send over UDP, nor ask for names",
    "abstract_socket": "cannot reach abstract sockets of the machine",
    "socket_file": "cannot reach services of the machine by their socket files",
    "socket_beside": "cannot reach sockets in its own folder",
    "take_memory": "cannot take more memory than its limit",
    "share_memory": "cannot take more memory in several processes",
    "hold_memfd": "cannot hold memory in files without a name",
    "hold_segment": "cannot hold memory in segments and queues of System V",
    "hide_shared": "cannot hold memory that is shared and no longer mapped",
    "grow_pipe": "cannot hold more in a pipe than it is counted for",
    "hold_sockets": "cannot hold more memory than its limit in sockets",
    "hold_page_tables": "cannot hold more memory than its limit in page tables",
    "fork_all": "cannot have more processes than its limit",
    "fill_disk": "cannot write more than its limit",
    "two_disks": "cannot write its limit twice, as files and as shared memory",
    "many_files": "cannot have more files than its limit",
    "limit_processor": "cannot take more processor time than its limit",
    "leave_daemon": "leaves no process behind",
    "ask_cache": "cannot ask what others have read",
    "empty_cache": "cannot have what others have read forgotten",
    "lock_shared": "cannot lock files that others can read",
    "watch_shared": "cannot be told of files that others open",
    "read_counters": "cannot read counters of what the machine does",
    "count_users": "has no number that counts what others do",
}
"""What a subject cannot do, by the name of the deed that tries it."""


@dataclass(frozen=True)
class Finding:
    """One promise, and whether it held."""

    promise: str
    """What follows "A subject"."""
    holds: bool
    how: str
    """What happened to the cheat."""


def examine(
    namespaces: bool = True, isolation: bool = True, guessing: float = 0.5
) -> list[Finding]:
    """Let the cheat try everything, and guess at a seed for so many seconds.

    ``namespaces`` off shows what holds without them, and without ``isolation``.
    """
    with _places(guessing) as there:
        told = _played(there, namespaces, isolation)
        told["be_imported"] = _imported(there["folder"])
        left = {
            "empty_cache": not _is_cached(there["cached"]),
            "leave_daemon": _is_running(there["mark"]),
            "write_beside": _was_left(there["folder"], there["mark"]),
            "write_package": _was_left(there["package"], there["mark"]),
        }
    found = []
    for deed, promise in PROMISES.items():
        one = told[deed]
        got, how = bool(one["got"]), one["why"] or one["got"]
        if deed in left and got:
            # It thinks so; what counts is what we see of it.
            got = left[deed]
            how = _SEEN[deed][0 if got else 1]
        found.append(Finding(promise, not got, how))
    return found


_STAYED = ("it is still there", "it was gone with the sitting")
_SEEN = {
    "leave_daemon": _STAYED,
    "write_beside": _STAYED,
    "write_package": _STAYED,
    "empty_cache": ("it was forgotten", "nothing was done"),
}
"""What we see of a deed that the cheat thinks it did: if it did, and if not."""


def _played(there: dict[str, Any], namespaces: bool, isolation: bool) -> dict[str, dict[str, Any]]:
    """What the cheat tells of all deeds; those that may be its end are done by one each, at the same time.

    A deed that the cheat did not come to tell of was its end. What it had not yet tried then, another one tries: how
    one deed ended says nothing of the others.
    """
    told: dict[str, dict[str, Any]] = {}
    waiting = [[deed.__name__ for deed in cheat.DEEDS]]
    waiting += [[deed.__name__] for deed in cheat.LAST_DEEDS]
    while waiting:
        children = []
        try:
            for deeds in waiting:
                children.append((deeds, _cheat(deeds, there, namespaces, isolation)))
                children[-1][1].send(json.dumps(there).encode() + b"\n")
            waiting = []
            for deeds, child in children:
                why = _heard(child, told)
                left = [deed for deed in deeds if deed not in told]
                if left:
                    told[left[0]] = {"got": "", "why": f"that was its end: {why}"}
                    waiting += [left[1:]] if left[1:] else []
        finally:
            for _, child in children:
                child.close(0.0)
    return told


def _cheat(deeds: list[str], there: dict[str, Any], namespaces: bool, isolation: bool) -> Child:
    """A cheat in a cage, who is to do these deeds."""
    program = os.path.join(there["folder"], "cheat.py")
    command = [sys.executable, "-I", "-S", program, *deeds]
    limits = replace(LIMITS, isolation=isolation, readable=(there["told_folder"],))
    if deeds == [cheat.limit_processor.__name__]:
        limits = replace(limits, cpu_seconds=BURNED)
    return Child(command, replace(for_command(command, limits), namespaces=namespaces))


def _imported(folder: str) -> dict[str, Any]:
    """Whether a Python that we start in a folder executes what lies there under the names of modules."""
    mark = os.path.join(folder, f"executed-{secrets.token_hex(4)}")
    for name in ("secrets", "colorsys", "json", "numpy", "mensura", "sitecustomize"):
        Path(folder, f"{name}.py").write_text(f"open({mark!r}, 'a').write({name!r} + ' ')\n")
    command = our_python("mensura.agent.client")
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if os.path.exists(mark):
        return {"got": f"executed: {Path(mark).read_text()}", "why": ""}
    return {"got": "", "why": "what lies there was not executed"}


def _heard(child: Child, told: dict[str, dict[str, Any]]) -> str:
    """Take down what a cheat tells of its deeds, by name; how it ended."""
    until = perf_counter() + SECONDS
    try:
        while perf_counter() < until:
            for line in child.lines(until):
                one = json.loads(line)
                told[one["deed"]] = one
    except Ended:
        return child.epitaph()
    return "it was ended after a minute"


def _is_cached(path: str) -> bool:
    with open(path, "rb") as file:
        return cheat.is_cached(file.fileno())


@contextmanager
def _places(guessing: float) -> Iterator[dict[str, Any]]:
    """Where there is something to be had: a secret in our memory, files, sockets."""
    secret = secrets.token_hex(16)
    held = ctypes.create_string_buffer(secret.encode())
    variable = f"MENSURA_{secret[:8].upper()}"
    with (
        tempfile.TemporaryDirectory(prefix="mensura-") as own,
        tempfile.TemporaryDirectory(prefix="mensura-") as other,
        tempfile.TemporaryDirectory(prefix="mensura-") as told,
        forgetting(),
    ):
        os.chmod(own, 0o755)
        os.chmod(other, 0o755)
        os.chmod(told, 0o755)
        Path(own, "cheat.py").write_text(Path(cheat.__file__).read_text("utf-8"), "utf-8")
        for path in (Path(own, "store.db"), Path(other, "file")):
            path.write_text(secret)
            path.chmod(0o644)
        make_private(Path(own, "store.db"))
        records, in_told = _records(own, told)
        os.environ[variable] = secret
        try:
            beside = [os.path.join(one, "socket") for one in (own, told)]
            with _listening(os.path.join(other, "socket"), secret, beside) as sockets:
                yield {
                    "pid": os.getpid(),
                    "user": os.getuid(),
                    "address": ctypes.addressof(held),
                    "secret": "x" * len(secret),
                    "variable": variable,
                    "file": os.path.join(other, "file"),
                    "kept": os.path.join(own, "store.db"),
                    "records": records,
                    "told": os.path.join(told, "data"),
                    "told_folder": told,
                    "in_told": in_told,
                    "sockets_beside": beside,
                    "product": product.hidden_files(),
                    "visible": os.path.join(product.visible()[0], "base.py"),
                    "cached": os.path.join(told, "cached"),
                    "guessed": guessed(guessing),
                    **shown(),
                    "folder": own,
                    "package": os.path.dirname(__file__),
                    "mark": f"mark-{secrets.token_hex(8)}",
                    "memory_mb": LIMITS.memory_mb,
                    "processes": LIMITS.processes,
                    "disk_mb": LIMITS.disk_mb,
                    "cpu_seconds": BURNED,
                    **sockets,
                }
        finally:
            del os.environ[variable]


def guessed(seconds: float = 0.5) -> dict[str, Any]:
    """What a subject is told in a study with the seed 20261, and for how long it may try to find that out."""
    names = ["lambda-v1", "battery", "cheat"]
    stream = key(key(stretched(20261), *names[:2]), "subject", names[2])
    told = fold(fold(fold(stream, 0), 0), 0)
    return {"seed": told, "names": names, "quick": 3_000, "seconds": seconds}


def shown() -> dict[str, Any]:
    """Two numbers of a stream as floats show them, and the seeds of two seats."""
    stream = fresh()
    numbers = [unit(prf(stream, at, 0)) for at in range(2)]
    return {"shown": numbers, "seeds": [fold(stream, seat) for seat in range(2)]}


def _records(own: str, told: str) -> tuple[list[str], list[str]]:
    """What other runs left in the cheat's folder, and in one that it is told to read; by name, the code left out."""
    store = DATABASE_HEAD + bytes(SMALLEST_PAGE - len(DATABASE_HEAD))
    Path(own, "code").mkdir()
    Path(own, "code", "module.py").touch()
    Path(told, "data").write_text("data")
    with Path(told, "cached").open("wb") as file:
        # Not the size of a database: it would be read to see whether it is one, whenever a cheat starts.
        file.write(bytes((1 << 16) + 1))
        os.fsync(file.fileno())  # only what is on the disk can be forgotten
    names = ("old.db", "report.html", "runs.json", "runs.csv", "code/old.db", "renamed.py")
    for name in names:
        Path(own, name).write_bytes(store)
        Path(own, name).chmod(0o755)
    for name in ("old.db", "old.db-wal", "data.bin"):
        Path(told, name).write_bytes(store)
    Path(own, "linked.py").hardlink_to(Path(own, "store.db"))
    Path(told, "linked").hardlink_to(Path(own, "store.db"))
    records = [os.path.join(own, name) for name in (*names, "linked.py")]
    in_told = [os.path.join(told, one) for one in ("old.db", "old.db-wal", "data.bin", "linked")]
    return records, in_told


@contextmanager
def _listening(path: str, secret: str, beside: list[str]) -> Iterator[dict[str, Any]]:
    """Sockets of all kinds that tell the secret to whoever comes."""
    abstract = f"mensura-{secrets.token_hex(8)}"
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    lines = [tcp]
    for one in (path, *beside):
        named = socket.socket(socket.AF_UNIX)
        named.bind(one)
        os.chmod(one, 0o777)
        lines.append(named)
    if sys.platform == "linux":
        hidden = socket.socket(socket.AF_UNIX)
        hidden.bind("\0" + abstract)
        lines.append(hidden)
    for line in lines:
        line.listen()

    def greet(one: socket.socket) -> None:
        try:
            while True:
                line, _ = one.accept()
                with line:
                    line.sendall(secret.encode())
        except OSError:  # it was closed
            return

    def answer() -> None:
        try:
            while True:
                _, whose = udp.recvfrom(64)
                if whose == udp.getsockname():
                    return
                udp.sendto(secret.encode(), whose)
        except OSError:
            return

    threads = [threading.Thread(target=greet, args=(line,), daemon=True) for line in lines]
    threads.append(threading.Thread(target=answer, daemon=True))
    for thread in threads:
        thread.start()
    try:
        yield {
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
            "abstract": abstract,
            "socket": path,
        }
    finally:
        udp.sendto(b"", udp.getsockname())
        for line in lines:
            line.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(5.0)
        for line in (*lines, udp):
            line.close()


def _was_left(folder: str, mark: str) -> bool:
    """Whether the cheat has left its file in a folder; it is removed."""
    try:
        os.unlink(os.path.join(folder, f"left-{mark}"))
    except FileNotFoundError:
        return False
    return True


def _is_running(mark: str) -> bool:
    """Whether a process with a mark on its command line is there."""
    if sys.platform != "linux":
        return False
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if mark.encode() in Path(f"/proc/{name}/cmdline").read_bytes():
                    return True
            except OSError:
                continue
    return False
