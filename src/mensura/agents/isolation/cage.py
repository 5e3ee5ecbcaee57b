"""What a subject in a process of its own may use: files, variables, network, memory, processor time, processes.

A class may read the code in the folder of its file, or in the one that its package lies in; a program the code in the
folder where Mensura was started and in its own, and the files that its command names. What is code is said in
:mod:`~mensura.agents.isolation.code`; all else in those folders has to be allowed by name. Both may read the system's
programs and libraries and the Python that we run on. They write into a temporary folder only, which is gone after the
sitting.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.task import Limits
from mensura.agents.address import Part
from mensura.agents.isolation import product
from mensura.agents.isolation.code import Code, Sight, within
from mensura.core.private_files import private

MEMORY_MB = 8192
"""What a subject may take where its limits say nothing."""

OPEN_FILES = 1024

MOST_ENTRIES = 4096
"""Of a folder so many files and folders can be shown."""

SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/System",
    "/Library",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/fonts",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/mime.types",
)
"""The programs and libraries of the system, and what they ask of the machine."""

CPUS = "/sys/devices/system/cpu"
OF_CPUS = ("online", "possible", "present", "kernel_max")
OF_EACH_CPU = ("topology", "cache")
"""What the machine's processors are; their counters lie beside that."""

MOST_CPUS = 32
"""Of so many processors it is shown how they lie; of more, only how many there are."""

FOR_NETWORK = (
    "/etc/ca-certificates",
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/pki",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl",
)
"""What names and certificates need, where the network is allowed."""

PACKAGES = ("site-packages", "dist-packages")
"""Folders that hold what was installed, and no project."""

INSTALLED = ("lib", "lib64", "libexec", "pyvenv.cfg")
"""What a program needs that was installed beside its folder bin."""

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

PASSED = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "OMP_NUM_THREADS")
"""The variables of our environment that a subject sees, and no others: the rest may hold secrets."""


@dataclass(frozen=True)
class Cage:
    """What one process may use; the paths are absolute and free of links."""

    program: str
    """The file that is executed."""
    folder: str
    """Where it starts."""
    environment: Mapping[str, str]
    readable: tuple[str, ...] = ()
    """Of the system's and Python's, for everybody to read."""
    hidden: tuple[str, ...] = ()
    """Files and folders of ours below readable ones, which nobody sees but for what is readable below them."""
    needed: tuple[str, ...] = ()
    """What the user of the subject must be able to read, or there can be no other user than ours."""
    own: tuple[str, ...] = ()
    """The subject's own files and folders, which perhaps only their owner may read."""
    beside: tuple[str, ...] = ()
    """The folders whose code is the subject's own; what else is in them it does not see."""
    listed: tuple[str, ...] = ()
    """Folders of which it may see the names in them, since some of that is its own."""
    links: tuple[tuple[str, str], ...] = ()
    """The links on the way to those, each with what it says."""
    devices: tuple[str, ...] = ()
    temporary: str = "/tmp"
    """The folder for temporary folders."""
    isolated: bool = True
    """Whether it is held to all this; else to memory and processor time only."""
    namespaces: bool = True
    """Whether to try namespaces of its own."""
    groups: bool = True
    """Whether to try a control group of its own."""
    network: bool = False
    memory_mb: int | None = MEMORY_MB
    cpu_seconds: int | None = None
    processes: int = 256
    disk_mb: int = 1024
    open_files: int = OPEN_FILES

    def plain(self, command: Sequence[str]) -> dict[str, Any]:
        """All of it, and the command, as the launcher is told."""
        told = {**vars(self), "command": list(command), "environment": dict(self.environment)}
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in told.items()
        }


def for_class(
    part: Part,
    limits: Limits,
    python: str = sys.executable,
    further: Mapping[str, str] | None = None,
) -> Cage:
    """The cage of a class that our Python client runs; ``further`` variables are added to its environment."""
    where = part.name.rpartition(":")[0]
    view = View()
    view.python()
    view.program(python)
    if where.endswith(".py") or "/" in where:
        file = Path(where).expanduser()
        if file.exists():
            view.folder_of(str(file.resolve()))
            view.way_to(os.path.abspath(file))
    else:
        view.module(where)
    places = _import_path(view, bool(limits.isolation))
    return _cage(python, limits, view, {"PYTHONPATH": os.pathsep.join(places), **(further or {})})


def for_command(
    command: Sequence[str], limits: Limits, further: Mapping[str, str] | None = None
) -> Cage:
    """The cage of a program; ``further`` variables are added to its environment."""
    view = View()
    view.python()
    view.folder(os.getcwd(), programs=True)
    view.program(command[0], own=True)
    for word in command[1:]:
        for text in (word, word.partition("=")[2]):
            if text and os.path.exists(text):
                view.folder_of(os.path.realpath(text), programs=True)
                view.way_to(os.path.abspath(text))
    places = [product.IMPORT_ROOT] if limits.isolation else []
    if "PYTHONPATH" in limits.environment:
        places.append(os.environ.get("PYTHONPATH", ""))
    path = {"PYTHONPATH": os.pathsep.join(places)} if places else {}
    return _cage(command[0], limits, view, {**path, **(further or {})})


def _cage(name: str, limits: Limits, view: View, further: Mapping[str, str]) -> Cage:
    if limits.network:
        view.whole(*FOR_NETWORK)
    devices = [one for one in limits.readable if os.path.realpath(one).startswith("/dev/")]
    for path in limits.readable:
        if not os.path.exists(path):
            raise MensuraError(f"{path}, which the subject may read, is not there.")
        if path not in devices:
            view.told(os.path.realpath(path))
            view.way_to(os.path.abspath(path))
    isolated = bool(limits.isolation)
    return Cage(
        program=view.found.get(name) or find_program(name),
        folder=os.getcwd(),
        environment={**_environment(limits, view), **further},
        readable=tuple(sorted(view.of_all)),
        hidden=tuple(sorted(filter(view.is_for_all, product.hidden()))),
        needed=tuple(sorted(view.needed)),
        own=tuple(sorted(view.own)),
        beside=tuple(sorted(view.beside)),
        listed=tuple(sorted(view.listed)),
        links=tuple(sorted(view.links.items())),
        devices=tuple(os.path.realpath(one) for one in devices),
        temporary=os.path.realpath(tempfile.gettempdir()),
        isolated=isolated,
        network=limits.network,
        memory_mb=(MEMORY_MB if isolated else None)
        if limits.memory_mb is None
        else limits.memory_mb,
        cpu_seconds=limits.cpu_seconds,
        processes=limits.processes,
        disk_mb=limits.disk_mb,
    )


def _environment(limits: Limits, view: View) -> dict[str, str]:
    """Little of ours, and the same order of sets in every run."""
    missing = [name for name in limits.environment if name not in os.environ]
    if missing:
        raise MensuraError(
            f"The variable {missing[0]}, which the subject is to see, is not set in our environment."
        )
    if not limits.isolation:
        ours = dict(os.environ)
        return {
            **{
                name: ours[name]
                for name in (*PASSED, "PATH", "HOME", "TMPDIR", *limits.environment)
                if name in ours
            },
            "PYTHONHASHSEED": "0",
        }
    passed = {
        name: os.environ[name] for name in (*PASSED, *limits.environment) if name in os.environ
    }
    places = dict.fromkeys((*view.places, *PATH.split(":")))
    bases = product.bases()
    return {
        **({product.BASES: ",".join(bases)} if bases else {}),
        "PATH": ":".join(places),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **passed,
    }


def _import_path(view: View, isolated: bool) -> list[str]:
    """Where our Python finds modules beyond its own, for a child to find them too; ours come first."""
    ours = os.path.dirname(product.PACKAGE)
    places = [os.path.abspath(place) for place in sys.path if place and os.path.exists(place)]
    others = [
        place
        for place in dict.fromkeys(places)
        if not _is_pythons(place) and os.path.realpath(place) != ours and view.sees(place)
    ]
    return [product.IMPORT_ROOT if isolated else ours, *others]


_UNREADABLE = re.compile(
    r"no such file|not found|permission denied|cannot open|can't open|could not open|ENOENT|EACCES|not exist",
    re.IGNORECASE,
)


def advice(words: str, cage: Cage) -> str:
    """What to do where a subject says that it could not open a file that does lie beside it, or where it starts."""
    if not cage.isolated or not _UNREADABLE.search(words):
        return ""
    sight = Sight(private(), product.hidden())
    started = () if _is_wide(cage.folder) else (cage.folder,)
    places = dict.fromkeys((*started, *cage.beside))
    quoted = [one for pair in re.findall(r"'([^'\n]+)'|\"([^\"\n]+)\"", words) for one in pair]
    for word in dict.fromkeys((*quoted, *(one.strip(".,:;()'\"") for one in words.split()))):
        for place in places:
            path = os.path.realpath(os.path.join(place, word))
            if (
                word
                and "\0" not in word
                and os.path.exists(path)
                and any(within(path, one) and path != one for one in places)
                and not any(within(path, one) for one in (*cage.readable, *cage.own))
                and (os.path.isdir(path) or not sight.never(path))
            ):
                return (
                    f"{path} is there but is not shown to it, since only its code is; --allow-read {path} shows it "
                    "(in a study file, readable)"
                )
    return ""


def find_program(name: str) -> str:
    """The file that a command names; MensuraError where there is none."""
    found = shutil.which(name)
    if found is None:
        missing = not os.path.exists(name) or os.sep not in name
        why = os.strerror(errno.ENOENT if missing else errno.EACCES)
        raise MensuraError(f"The program {name} could not be started: {why}.")
    return os.path.abspath(found)


class View:
    """The files that a subject is shown, gathered one by one."""

    def __init__(self) -> None:
        self.of_all: set[str] = set()
        self.own: set[str] = set()
        self.needed: set[str] = set()
        self.beside: set[str] = set()
        self.listed: set[str] = set()
        self.links: dict[str, str] = {}
        self.places: list[str] = []
        """The folders of programs, for PATH."""
        self.found: dict[str, str] = {}
        """The files of programs, by name."""
        self._sight = Sight(private(), product.hidden())

    def sees(self, path: str) -> bool:
        """Whether something at a path, or below it, is shown."""
        real = os.path.realpath(path)
        return any(within(one, real) for one in (*self.of_all, *self.own))

    def python(self) -> None:
        """The interpreter that we run on, the packages that it finds, and what everybody may see of Mensura."""
        self.whole(*SYSTEM, *(f"{CPUS}/{name}" for name in OF_CPUS))
        for number in range(MOST_CPUS):
            self.whole(*(f"{CPUS}/cpu{number}/{name}" for name in OF_EACH_CPU))
        for prefix in dict.fromkeys((sys.prefix, sys.base_prefix, sys.exec_prefix)):
            if not _is_wide(prefix):
                self.whole(prefix)
                self.needed.add(os.path.realpath(prefix))
        self.program(sys.executable)
        for place in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
            if place and os.path.isdir(place) and not _is_wide(place):
                self.whole(os.path.abspath(place))
        self.needed.update(product.visible())
        self.of_all.update(product.visible())
        here = os.getcwd()
        for place in sys.path:
            if (
                place
                and os.path.exists(place)
                and not _is_pythons(place)
                and os.path.realpath(place) != here
            ):
                self.way_to(os.path.abspath(place))
                if not _is_wide(place):
                    self._importable(os.path.realpath(place))

    def _importable(self, place: str) -> None:
        """A folder, or an archive, in which we find modules."""
        if os.path.basename(place) in PACKAGES or not os.path.isdir(place):
            self.installed(place)
            return
        code = self._sight.code(place, programs=False)
        if code.paths:
            self._add(code, self.of_all, place)
        for name in os.listdir(place):  # by which packages tell what they offer
            if name.endswith((".dist-info", ".egg-info")):
                self.installed(os.path.join(place, name))

    def program(self, name: str, own: bool = False) -> None:
        """A program with what was installed beside it, and the interpreter that its first line names."""
        path = find_program(name)
        self.found[name] = path
        self.places.append(os.path.dirname(path))
        for one in dict.fromkeys((path, os.path.realpath(path))):
            folder = os.path.dirname(one)
            self.folder(folder, os.path.realpath(path), programs=True, own=own)
            if os.path.basename(folder) == "bin":
                for installed in INSTALLED:
                    beside = os.path.join(os.path.dirname(folder), installed)
                    if os.path.exists(beside) and not self.is_for_all(os.path.realpath(beside)):
                        self.installed(os.path.realpath(beside))
        self.way_to(path)
        interpreter = _interpreter(path)
        if interpreter and interpreter not in self.found and shutil.which(interpreter):
            self.program(interpreter)

    def module(self, name: str) -> None:
        """The folder that a module, or the package that it is in, lies in."""
        first = name.partition(".")[0]
        if first == "mensura":  # what is visible of it, everybody sees
            return
        spec = PathFinder.find_spec(first, [*sys.path, os.getcwd()])
        if spec is None:
            return  # who imports it will say so
        places = list(spec.submodule_search_locations or [])
        if spec.origin and not places:
            places = [spec.origin]
        for place in places:
            if not _is_pythons(place):
                self.folder_of(os.path.realpath(place))
                self.listed.add(os.path.dirname(os.path.realpath(place)))
                self.way_to(os.path.abspath(place))

    def folder_of(self, path: str, programs: bool = False) -> None:
        """The folder that a file lies in, with that file; a folder itself."""
        if os.path.isdir(path) and not os.path.exists(os.path.join(path, "__init__.py")):
            self.folder(path, programs=programs)
        else:
            self.folder(os.path.dirname(path), path, programs=programs)

    def folder(
        self, path: str, and_file: str = "", programs: bool = False, own: bool = True
    ) -> None:
        """The code in a folder, and a file of it; where it holds a whole home, that file and Python files only."""
        path = os.path.realpath(path)
        if self.is_for_all(path):
            return
        wide = _is_wide(path)
        if own and not wide:
            self.beside.add(path)
        sight = Sight(private(), product.hidden_from(path))
        if and_file and os.path.isfile(and_file):
            self.told(and_file)
            self.listed.add(path)
        if not wide:
            self._add(sight.code(path, programs), self.own, path)
        elif and_file:
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.name.endswith(".py") and entry.is_file(follow_symlinks=False):
                        self.told(entry.path)
            if os.path.isdir(and_file):
                self._add(sight.code(and_file, programs), self.own, and_file)

    def told(self, path: str) -> None:
        """A file; or a folder without what is never shown."""
        if path != "/" and not self._sight.is_private(path):
            self._add(self._sight.told(path), self.own, path)

    def installed(self, path: str) -> None:
        """What everybody may read: a file, or a folder without what begins with a dot, and the files of the run."""
        if self._sight.is_private(path):
            return
        if not os.path.isdir(path):
            self.of_all.add(path)
            return
        try:
            entries = sorted(os.scandir(path), key=lambda one: one.name)
        except OSError:
            return
        if len(entries) > MOST_ENTRIES:  # packages, so many that they are nobody's project
            self.whole(path)
            return
        self.listed.add(path)
        for entry in entries:
            if entry.name.startswith(".") or self._sight.is_private(entry.path):
                continue
            if entry.is_symlink():
                self.links[entry.path] = os.readlink(entry.path)
            elif entry.is_dir() and self._sight.has_private(entry.path):
                self.installed(entry.path)
            elif entry.is_dir() or entry.is_file():
                self.of_all.add(entry.path)

    def _add(self, found: Code, shown: set[str], whose: str) -> None:
        if len(found.paths) > MOST_ENTRIES:
            raise MensuraError(
                f"The folder {whose} holds over {MOST_ENTRIES} files that a subject would be shown one by one, too "
                "many; put the subject into a folder of its own."
            )
        shown.update(found.paths)
        self.listed.update(found.folders)
        self.links.update((path, os.readlink(path)) for path in found.links)

    def whole(self, *paths: str) -> None:
        """Files and folders that everybody may read, without exception."""
        for path in paths:
            if os.path.exists(path):
                self.of_all.add(os.path.realpath(path))
                self.way_to(os.path.abspath(path))

    def way_to(self, path: str) -> None:
        """The links on the way to a path, so that it can be gone under its own name."""
        place = "/"
        rest = path.split("/")[1:]
        steps = 0
        while rest and steps < 40:
            place = os.path.join(place, rest.pop(0))
            if os.path.islink(place):
                steps += 1
                said = os.readlink(place)
                self.links[place] = said
                on = os.path.normpath(os.path.join(os.path.dirname(place), said))
                rest, place = on.split("/")[1:] + rest, "/"

    def is_for_all(self, path: str) -> bool:
        """Whether a path is, or lies below, one that everybody may read."""
        return any(within(path, one) for one in self.of_all)


def _is_wide(path: str) -> bool:
    """Whether a folder holds much that is no subject's business: a home, all temporary files, or what they are in."""
    real = os.path.realpath(path)
    homes = (os.path.expanduser("~"), tempfile.gettempdir(), "/tmp")
    return any(within(os.path.realpath(one), real) for one in homes)


def _is_pythons(path: str) -> bool:
    """Whether a path belongs to the Python that we run on, which finds it by itself."""
    real = os.path.realpath(path)
    prefixes = (sys.prefix, sys.base_prefix, sys.exec_prefix)
    return any(within(real, os.path.realpath(one)) for one in prefixes)


def _interpreter(path: str) -> str:
    """The program that the first line of a script names, or nothing."""
    try:
        with open(path, "rb") as file:
            line = file.readline(256)
    except OSError:
        return ""
    words = line[2:].decode(errors="replace").split() if line.startswith(b"#!") else []
    named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if words and os.path.basename(words[0]) == "env":
        return named[0] if named else ""
    return words[0] if words else ""
