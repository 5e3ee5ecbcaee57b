"""The trusted process that Python agents are forked from, with all that each of them would import first.

To start an interpreter and to import NumPy takes ten times as long as to build a cage. So it is done once: the nursery
imports what a client needs and nothing of a subject's, and forks a launcher
(:mod:`mensura.agents.isolation.launcher`) for each sitting, whose subject goes on as the client instead of executing an
interpreter. A subject is in its cage before the first line of it is read, and finds in its memory what a fresh
interpreter has there: the nursery is never told anything but the descriptors of a launcher.

It ends when Mensura does, with the end of the socket between them.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import signal
import socket
import sys
import threading
import traceback
from typing import Any, NoReturn

import mensura
from mensura.agent import client
from mensura.agents.isolation import launcher, linux

DESCRIPTORS = 4
"""A launcher is given the three standard streams of the subject, and the line to Mensura."""

MOST_FILES = 1 << 16


def main(descriptor: int) -> None:
    """Fork a launcher for each message on a socket, and answer with the number of its process."""
    control = socket.socket(fileno=descriptor)
    linux.forbid_looking_in()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries them
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    while True:
        word, given, _, _ = socket.recv_fds(control, 1, DESCRIPTORS)
        if not word:
            return
        pid = os.fork()
        if not pid:
            try:
                control.close()
                _launch(given)
            finally:
                os._exit(1)
        for one in given:
            os.close(one)
        control.sendall(pid.to_bytes(8, "big"))


def _launch(given: list[int]) -> None:
    """Be a launcher with these descriptors."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    linux.allow_looking_in()  # as in a fresh process; the launcher forbids it again when it can
    os.setsid()
    for stream, one in enumerate(given[:3]):
        os.dup2(one, stream)
        os.close(one)
    launcher.main(given[3], _be_the_client)


def _be_the_client(wanted: dict[str, Any]) -> NoReturn:
    """In the cage: go on as a fresh interpreter that was told to run the client."""
    os.closerange(3, MOST_FILES)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(wanted["environment"])
    first = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
    # An editable installation has its sources in the path; in the cage nothing says where they are.
    sources = os.path.dirname(os.path.dirname(mensura.__file__))
    left_out = first if sources.endswith("-packages") else [*first, sources]
    sys.path[:] = [*first, *(place for place in sys.path if place not in left_out)]
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    sys.path_importer_cache.clear()  # of folders as they were outside
    importlib.invalidate_caches()
    _forget_what_is_hidden()
    status = _ran(wanted["command"][-1])
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass
    os._exit(status)


def _forget_what_is_hidden() -> None:
    """Have no module of ours but what a fresh interpreter finds in the cage (:mod:`mensura.agent.import_root`)."""
    for name in [*sys.modules]:
        first, _, rest = name.partition(".")
        if first == "mensura" and rest.partition(".")[0] != "agent":
            del sys.modules[name]
    visible: Any = importlib.import_module("mensura")
    visible.agent = sys.modules["mensura.agent"]


def _ran(address: str) -> int:
    """The exit status of the client, as the interpreter would have it."""
    try:
        return client.main([address])
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        sys.stderr.write(f"{end.code}\n")
    except BaseException:
        traceback.print_exc()
    return 1
