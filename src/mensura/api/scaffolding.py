"""Packages to begin with: a world, an agent, an assessment or a study, complete, with a test that passes."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from mensura.agent.errors import MensuraError, neighbors
from mensura.core.registry import AGENTS, ASSESSMENTS, WORLDS, Registry, split_version
from mensura.records.results import check_writable
from mensura.studies.files import STUDIES

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST = 40


class Kind(NamedTuple):
    """What a package of one kind holds."""

    group: str
    """Of entry points: mensura.GROUP."""
    article: str
    """In words, with its article."""
    files: Mapping[str, str]
    """The template of each file."""
    registry: Registry
    thing: str = "__CLASS__"
    """What the entry point names in the module."""
    entry: str = "__NAME__"
    packaged: str = 'py-modules = ["__MODULE__"]'
    linted: str = ""
    """What else is told to the linter."""


KINDS = {
    "world": Kind(
        "worlds",
        "a world",
        {"__MODULE__.py": "world", "test___MODULE__.py": "test_world"},
        WORLDS,
        entry="__NAME__-v0",
        linted='\n[tool.ruff.lint]\nextend-ignore = ["RUF012"] # the kit takes plain tables\n',
    ),
    "agent": Kind(
        "agents",
        "an agent",
        {"__MODULE__.py": "agent", "test___MODULE__.py": "test_agent"},
        AGENTS,
    ),
    "assessment": Kind(
        "assessments",
        "an assessment",
        {"__MODULE__.py": "assessment", "test___MODULE__.py": "test_assessment"},
        ASSESSMENTS,
    ),
    "study": Kind(
        "studies",
        "a study",
        {
            "__MODULE__/__init__.py": "study_module",
            "__MODULE__/__NAME__.yaml": "study",
            "test___MODULE__.py": "test_study",
        },
        STUDIES,
        thing="STUDY",
        packaged='packages = ["__MODULE__"]\npackage-data = { __MODULE__ = ["*.yaml"] }',
    ),
}
"""What can be begun."""


def write_package(kind: str, name: str, folder: Path | None = None) -> Path:
    """Write a package of a kind into a new folder, entirely or not at all; where it is.

    ``folder`` is where the new folder comes; by default the current one.
    """
    if kind not in KINDS:
        raise MensuraError(f"There is no kind {kind!r} to begin; {neighbors(kind, list(KINDS))}")
    wanted = KINDS[kind]
    _check_name(kind, wanted, name)
    place = (folder or Path()) / name
    if place.exists() or place.is_symlink():
        raise MensuraError(f"{place} already exists; choose another name, or another folder.")
    check_writable(place)
    words = _words(wanted, name)
    texts = {"pyproject.toml": "pyproject", **wanted.files}
    part = place.with_name(f".{name}.{os.getpid()}.part")
    try:
        for path, template in texts.items():
            file = part / _filled(path, words)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_filled(_template(template), words), encoding="utf-8")
        part.rename(place)
    except OSError as error:
        raise MensuraError(f"{place} could not be written: {error.strerror}.") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return place


def _check_name(word: str, kind: Kind, name: str) -> None:
    """Raise if a name cannot be that of a folder, a module and an entry point, or is taken."""
    if not NAME.fullmatch(name) or len(name) > LONGEST:
        raise MensuraError(
            f"{name!r} cannot be the name of {kind.article}; it is of small letters and digits with single hyphens "
            f"between them, begins with a letter and has at most {LONGEST} characters, as my-{word}."
        )
    if name in {split_version(known)[0] for known in kind.registry.names()}:
        raise MensuraError(f"There is {kind.article} {name!r} already; choose another name.")
    module = name.replace("-", "_")
    if not module.isidentifier() or _is_taken(module):
        raise MensuraError(
            f"Python has a module or a word {module!r} already, which would stand in the way; choose another name."
        )


def _is_taken(module: str) -> bool:
    import keyword

    if keyword.iskeyword(module):
        return True
    try:
        return find_spec(module) is not None
    except ValueError:  # one that was made without a file
        return True


def _words(kind: Kind, name: str) -> dict[str, str]:
    module = name.replace("-", "_")
    words = {
        "__NAME__": name,
        "__MODULE__": module,
        "__CLASS__": "".join(word.capitalize() for word in name.split("-")),
        "__TITLE__": name.replace("-", " ").capitalize(),
        "__ARTICLE__": kind.article,
        "__GROUP__": kind.group,
    }
    words["__ENTRY__"] = _filled(kind.entry, words)
    words["__OBJECT__"] = _filled(kind.thing, words)
    words["__LINTED__"] = kind.linted
    words["__FILES__"] = _filled(kind.packaged, words)
    return words


def _template(name: str) -> str:
    return (files("mensura.api") / "templates" / f"{name}.txt").read_text(encoding="utf-8")


def _filled(text: str, words: Mapping[str, str]) -> str:
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text
