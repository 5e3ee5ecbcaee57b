"""The state of the code that a result belongs to: a change of what the result may depend on makes it stale.

That is whatever is in `src/`, what is required, the module of the law with all modules of tests that it imports, data
among the tests, and the version of Python. Where cells are tests, their files belong to it, with whatever those import.
Files are read as they are: whether they are committed makes no difference.
"""

from __future__ import annotations

import ast
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ("pyproject.toml", "constraints.txt")


class Code:
    """What the results of a law depend on, and whether it has changed since this was made."""

    def __init__(self, address: str, cells: Iterable[str], root: Path = ROOT) -> None:
        self.root = root
        spec = find_spec(address.partition(":")[0])
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(address)
        tests = {root / cell.partition("::")[0] for cell in cells if "::" in cell}
        self.roots = {Path(spec.origin), *tests}
        self._times = self._stamps()
        self.state = self._digest()

    def changed(self) -> bool:
        """Whether it is another state by now; quick, as long as nobody writes to a file."""
        times = self._stamps()
        if times == self._times:
            return False
        self._times = times
        return self._digest() != self.state

    def _files(self) -> list[Path]:
        sources = list(walk(self.root / "src"))
        failed = self.root / "tests" / "audit" / "failed"  # results themselves
        data = [
            path
            for path in walk(self.root / "tests")
            if path.suffix != ".py" and path.parent != failed
        ]
        return sorted({*sources, *data, *self._required(), *imported(self.roots, self.root)})

    def _required(self) -> list[Path]:
        return [path for name in REQUIREMENTS if (path := self.root / name).exists()]

    def _stamps(self) -> list[tuple[Path, int, int]]:
        stats = [(path, path.stat()) for path in self._files()]
        return [(path, stat.st_mtime_ns, stat.st_size) for path, stat in stats]

    def _digest(self) -> str:
        total = hashlib.blake2b(repr(sys.version_info[:2]).encode(), digest_size=8)
        for path in self._files():
            content = hashlib.blake2b(path.read_bytes()).digest()
            total.update(os.path.relpath(path, self.root).encode() + b"\0" + content)
        return total.hexdigest()


def walk(folder: Path) -> Iterator[Path]:
    """Files that somebody wrote."""
    for where, folders, names in os.walk(folder):
        folders[:] = [
            name for name in folders if name != "__pycache__" and not name.endswith(".egg-info")
        ]
        yield from (Path(where, name) for name in names if not name.endswith((".pyc", "~")))


def imported(roots: Iterable[Path], root: Path) -> set[Path]:
    """Files of tests that some of them import, wherever in them they do, and settings that pytest reads beside them."""
    files: set[Path] = set()
    queue = list(roots)
    while queue:
        path = queue.pop()
        if path in files or not path.is_file():
            continue
        files.add(path)
        queue += imports(path, path.stat().st_mtime_ns, root)
        queue += [folder / "conftest.py" for folder in path.parents if root in folder.parents]
    return files


@cache
def imports(path: Path, _written: int, root: Path) -> list[Path]:
    """The files of tests that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    places = [root.joinpath(*name.split(".")) for name in names if name.startswith("tests.")]
    return [
        file
        for place in places
        for file in (place.with_suffix(".py"), place / "__init__.py")
        if file.is_file()
    ]


def commit(root: Path = ROOT) -> str:
    """The commit that is checked out, with `+changes` where code differs from it; nothing outside of a checkout."""
    name = git(root, "rev-parse", "--short=12", "HEAD")
    paths = [path for path in ("src", "tests", *REQUIREMENTS) if (root / path).exists()]
    changes = name and git(
        root, "status", "--porcelain", "--", *paths, ":(exclude)tests/audit/failed"
    )
    return f"{name}+changes" if changes else name


def git(root: Path, *words: str) -> str:
    """What git says of this checkout, and nothing where there is none: a folder around it is another's."""
    settings = {"GIT_CEILING_DIRECTORIES": str(root.parent), "GIT_OPTIONAL_LOCKS": "0"}
    try:
        return subprocess.run(
            ["git", *words],
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **settings},
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
