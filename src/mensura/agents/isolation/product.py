"""What of this machine is ours, and which part of it a subject sees: ``mensura.agent``, and bases that worlds declare.

A world declares a module as the public base of its agents in the entry-point group ``mensura.agent_bases``. It imports
only ``mensura.agent`` and itself.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import mensura
from mensura.agent import import_root
from mensura.agents.isolation.code import within
from mensura.core.registry import AGENT_BASES

PACKAGE = os.path.dirname(os.path.realpath(mensura.__file__))

IMPORT_ROOT = os.path.dirname(os.path.realpath(import_root.__file__))
"""The folder in which a subject finds the package ``mensura``, with what it may see of it."""

BASES = "MENSURA_AGENT_BASES"
"""The variable that tells a subject the modules of :func:`bases`, with commas."""

CHECKOUT = ("tests", "docs", "examples", "benchmarks", ".git", ".cache")
"""Beside the sources, in a copy of the repository: shown to a subject only where it lies in one of them itself."""

_METADATA = re.compile(
    r"mensura(-[^-]+)?\.(dist-info|egg-info|egg-link)|__editable__[._]+mensura[-_].*"
)
"""What installers write beside a package, by name."""


@cache
def bases() -> tuple[str, ...]:
    """The modules that worlds declare as public bases of their agents, as they are imported."""
    return tuple(sorted({entry.value for entry in AGENT_BASES.entries().values()}))


@cache
def visible() -> tuple[str, ...]:
    """The files and folders of ours that a subject sees."""
    ours = (name for name in bases() if name.startswith("mensura."))
    return (os.path.join(PACKAGE, "agent"), *map(_place_of, ours))


@cache
def hidden() -> tuple[str, ...]:
    """The files and folders of ours that no subject sees, except for what is visible below them."""
    files = (
        os.path.join(place, name)
        for place in _places()
        for name in os.listdir(place)
        if _METADATA.fullmatch(name)
        or (name == "mensura" and os.path.isfile(os.path.join(place, name, "__init__.py")))
    )
    command = os.path.join(os.path.realpath(os.path.dirname(sys.executable)), "mensura")
    return tuple(dict.fromkeys((PACKAGE, *files, *filter(os.path.isfile, (command,)))))


def _places() -> list[str]:
    """The folders in which we find modules, and those in which another installation could lie that a subject sees."""
    prefixes = dict.fromkeys((sys.prefix, sys.base_prefix, "/usr", "/usr/local"))
    installed = (
        place for prefix in prefixes for place in Path(prefix).glob("lib*/python3*/*-packages")
    )
    places = {os.path.realpath(place) for place in (*sys.path, *installed)}
    return sorted(filter(os.path.isdir, places))


def hidden_files() -> list[str]:
    """The files of the package that no subject sees."""
    files = (str(path) for path in sorted(Path(PACKAGE).rglob("*")) if path.is_file())
    return [path for path in files if not any(within(path, place) for place in visible())]


def hidden_from(path: str) -> tuple[str, ...]:
    """What is hidden from a subject that lies at a path."""
    beside = (place for place in checkout() if not within(path, place))
    return (*hidden(), *beside)


@cache
def checkout() -> tuple[str, ...]:
    """The folders of a copy of the repository, where the package is one's sources."""
    sources = Path(PACKAGE).parent
    if sources.name != "src" or not (sources.parent / "pyproject.toml").is_file():
        return ()
    return tuple(str(sources.parent / name) for name in CHECKOUT)


def _place_of(module: str) -> str:
    spec = find_spec(module)
    assert spec is not None
    return os.path.realpath((spec.submodule_search_locations or [str(spec.origin)])[0])
