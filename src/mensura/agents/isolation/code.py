"""Which files of a folder are code, which a subject is shown, and which are never shown.

Beside an agent lie stores, reports and exports, of this run and of others. So of its folder it is shown what it runs
on, its code, and nothing else that nobody told it to read. Files of the run, hard links to them, databases and sockets
are not shown even then.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mensura.agent.errors import MensuraError
from mensura.core import open_databases

PYTHON = frozenset({".py", ".pyi", ".pyc", ".so", ".pyd", ".dylib"})
"""The endings of what Python imports."""

CODE = PYTHON | frozenset(
    f".{ending}"
    for group in (
        ("bash", "sh", "ps1", "tcl", "lua", "pl", "pm", "php", "rb", "r", "jl", "m"),
        ("js", "cjs", "mjs", "jsx", "ts", "tsx", "wasm"),
        ("class", "jar", "war", "scala", "dll", "swift"),
        ("beam", "erl", "ex", "exs", "fasl", "hs", "lisp", "ml", "rkt", "scm"),
    )
    for ending in group
)
"""The endings of what programs run on."""

NAMES = frozenset({"py.typed"})
PROGRAM_NAMES = NAMES | frozenset({"package.json", "Gemfile", "Manifest.toml", "Project.toml"})
"""Files that say how the code beside them is loaded."""

PROGRAM_HEADS = (b"#!", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""How a file begins that can be executed: a script, and what Linux and macOS run."""

DATABASE_HEAD = b"SQLite format 3\x00"
SMALLEST_PAGE = 512
"""The size of a database is a multiple of it."""

LARGE = 256
"""A folder of so many entries is not looked through again as long as nothing was added or removed."""

MANY = 16
"""The code below so many folders is not looked for again as long as none of them has changed."""

MOST_FOLDERS = 20_000
"""So many folders are looked through for code."""

MOST_PRIVATE = 10_000
"""Of so many files in folders of the run the hard links are known."""


class Entry(NamedTuple):
    """One name in a folder."""

    name: str
    kind: str
    """folder, link, file or other: a socket, a pipe, a device."""
    runs: bool = False
    """Whether it can be executed."""
    database: bool = False
    inode: tuple[int, int] | None = None
    """Of a file that has several names: who it is."""


class Code(NamedTuple):
    """What is shown of a folder, in few paths."""

    paths: list[str]
    folders: list[str]
    """Those that the paths lie in."""
    links: list[str]
    pure: bool
    """Whether there is some, and nothing is left out."""

    def add(self, other: Code) -> None:
        """What was found below a folder of this one."""
        self.paths.extend(other.paths)
        self.folders.extend(other.folders)
        self.links.extend(other.links)


class Place(NamedTuple):
    """The code that was found below a folder, and what it depends on."""

    private: tuple[str, ...]
    """The files of the run then: those near the folder, or all of them."""
    linked: bool
    """Whether all of them count, since files with several names were met, which may be theirs."""
    changed: dict[str, int]
    """When each folder was changed."""
    found: Code


class Sight:
    """Looks through folders for what may be shown, given what may never be."""

    def __init__(self, private: Sequence[str], hidden: Sequence[str] = ()) -> None:
        """``private``: files of the run; ``hidden``: files and folders of the product that no subject sees."""
        self._private = private
        self._hidden = hidden
        self._inodes: set[tuple[int, int]] | None = None

    def never(self, path: str) -> bool:
        """Whether a file may not be shown, whoever asks for it."""
        if self.is_private(path):
            return True
        status = os.stat(path)
        one = _entry(path, os.path.basename(path), status)
        return one.kind != "folder" and self._never(one)

    def is_private(self, path: str) -> bool:
        """Whether a file is hidden, one of the run's, or one that lies beside its store under a longer name."""
        return any(within(path, place) for place in self._hidden) or any(
            within(path, one) or _is_beside(path, one) for one in self._private
        )

    def has_private(self, folder: str) -> bool:
        """Whether something hidden, or a file of the run, is or will be below a folder."""
        return any(within(place, folder) for place in (*self._private, *self._hidden))

    def code(self, folder: str, programs: bool) -> Code:
        """The code below a folder; with ``programs`` in every language, else what Python imports.

        A folder below it that holds code and nothing else is one path, since so many files would take their time.
        What was found below many folders is remembered until one of
        them changes, also for further runs, unless their files could make a difference here.
        """
        everything = (*self._private, *self._hidden)
        near = tuple(place for place in everything if _is_near(place, folder))
        before = _places.get((folder, programs))
        if (
            before is not None
            and before.private == (everything if before.linked else near)
            and _times(before.changed) == before.changed
        ):
            return before.found
        seen: dict[str, int] = {}
        found = self._code(folder, programs, seen)
        if len(seen) >= MANY:
            linked = self._inodes is not None
            private = everything if linked else near
            _places[folder, programs] = Place(private, linked, seen, found)
        return found

    def _code(self, folder: str, programs: bool, seen: dict[str, int], top: bool = True) -> Code:
        """As :meth:`code`; ``seen`` is told of each folder when it was last changed."""
        seen.update(_times([folder]))
        if len(seen) > MOST_FOLDERS:
            raise MensuraError(
                f"Around {folder} there are over {MOST_FOLDERS} folders to look through for a subject's code; put the "
                "subject into a folder of its own."
            )
        found = Code([], [folder], [], True)
        pure = not self.has_private(folder)
        endings, names = (CODE, PROGRAM_NAMES) if programs else (PYTHON, NAMES)
        entries = _entries(folder)
        if not top and any(one.name == "pyvenv.cfg" for one in entries):
            return Code([], [], [], False)  # an environment with packages is not its own code
        for one in entries:
            path = os.path.join(folder, one.name)
            if one.name.startswith(".") or self.is_private(path):
                pure = False
            elif one.kind == "link":
                found.links.append(path)
            elif one.kind == "folder" and one.name == "node_modules":
                pure = False
                if programs and self.has_private(path):
                    found.add(self.told(path))
                elif programs:
                    found.paths.append(path)  # what was installed, too much to look through
            elif one.kind == "folder":
                below = self._code(path, programs, seen, top=False)
                pure = pure and below.pure
                if below.pure:
                    found.paths.append(path)
                elif below.paths or below.links:
                    found.add(below)
            elif not self._never(one) and (
                os.path.splitext(one.name)[1].lower() in endings
                or one.name in names
                or (programs and one.runs)
            ):
                found.paths.append(path)
            else:
                pure = False
        return found._replace(pure=pure and bool(found.paths))

    def told(self, path: str) -> Code:
        """A file or folder that somebody told it to read, in as few paths as leave out what is never shown.

        What begins with a dot at the top of a folder has to be told by its own name.
        """
        if not os.path.isdir(path):
            return Code([] if self.never(path) else [path], [], [], True)
        found = self._told(path, top=True)
        return Code([path], [], [], True) if found.pure else found

    def _told(self, folder: str, top: bool = False) -> Code:
        found = Code([], [folder], [], True)
        pure = not self.has_private(folder)
        for one in _entries(folder):
            path = os.path.join(folder, one.name)
            if self.is_private(path) or (top and one.name.startswith(".")):
                pure = False
            elif one.kind == "link":
                found.links.append(path)
            elif one.kind == "folder":
                below = self._told(path)
                pure = pure and below.pure
                if below.pure:
                    found.paths.append(path)
                else:
                    found.add(below)
            elif self._never(one):
                pure = False
            else:
                found.paths.append(path)
        return found._replace(pure=pure)

    def _never(self, one: Entry) -> bool:
        return (
            one.kind != "file"
            or one.database
            or (one.inode is not None and one.inode in self._private_inodes())
        )

    def _private_inodes(self) -> set[tuple[int, int]]:
        """Who the files of the run are, whatever their names."""
        if self._inodes is None:
            self._inodes = set()
            for path in self._private_files():
                try:
                    status = os.stat(path)
                except OSError:
                    continue
                self._inodes.add((status.st_dev, status.st_ino))
        return self._inodes

    def _private_files(self) -> Iterator[str]:
        left = MOST_PRIVATE
        for one in self._private:
            yield one
            yield from (one + end for end in open_databases.BESIDE)
            for here, _, names in os.walk(one):
                for name in names[: max(left, 0)]:
                    yield os.path.join(here, name)
                left -= len(names)


def within(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _is_beside(path: str, one: str) -> bool:
    return path.startswith(one) and path[len(one)] in "-._~"


def _is_near(one: str, folder: str) -> bool:
    """Whether a private file can be below a folder, beside something there, or above it."""
    return one.startswith(folder) or folder.startswith(one)


_large: dict[str, tuple[tuple[int, int, int], list[Entry]]] = {}
"""What was found in large folders, with who they were then."""


_places: dict[tuple[str, bool], Place] = {}
"""The code that was found, by folder and whether of all languages."""


def _times(folders: Iterable[str]) -> dict[str, int]:
    """When each folder was last changed, by name."""
    times = {}
    for one in folders:
        try:
            times[one] = os.stat(one).st_mtime_ns
        except OSError:
            times[one] = 0
    return times


def _entries(folder: str) -> list[Entry]:
    """What is in a folder; nothing where it may not be read."""
    try:
        status = os.stat(folder)
        now = status.st_dev, status.st_ino, status.st_mtime_ns
        before = _large.get(folder)
        if before is not None and before[0] == now:
            return before[1]
        with os.scandir(folder) as found:
            entries = [one for one in map(_scanned, found) if one is not None]
    except OSError:
        return []
    entries.sort()
    if len(entries) >= LARGE:
        _large[folder] = now, entries
    else:
        _large.pop(folder, None)
    return entries


def _scanned(one: os.DirEntry[str]) -> Entry | None:
    try:
        if one.is_symlink():
            return Entry(one.name, "link")
        if one.is_dir():
            return Entry(one.name, "folder")
        return _entry(one.path, one.name, one.stat(follow_symlinks=False))
    except OSError:  # it has just gone
        return None


def _entry(path: str, name: str, status: os.stat_result) -> Entry:
    kind = status.st_mode & 0o170000
    if kind == 0o040000:
        return Entry(name, "folder")
    if kind != 0o100000:
        return Entry(name, "other")
    runs = bool(status.st_mode & 0o111)
    size = status.st_size
    beside = name.endswith(open_databases.BESIDE)
    head = b""
    if not beside and (runs or (size and size % SMALLEST_PAGE == 0)):
        head = _head(path)
    return Entry(
        name,
        "file",
        runs and head.startswith(PROGRAM_HEADS),
        beside or head == DATABASE_HEAD,
        (status.st_dev, status.st_ino) if status.st_nlink > 1 else None,
    )


def _head(path: str) -> bytes:
    """How a file begins, where it can be read; of a database that is open here it is not read."""
    try:
        head = open_databases.head(path, len(DATABASE_HEAD))
    except OSError:
        return b""
    return DATABASE_HEAD if head is None else head
