"""Study files: YAML in, a checked study out, and every error with the file and the line."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from mensura.agent.errors import MensuraError, neighbors
from mensura.core.private_files import make_private
from mensura.core.registry import Registry
from mensura.core.yaml_text import Form, Lines, Misfit, parse_yaml, read_text
from mensura.studies.misfits import model_in, type_in_words
from mensura.studies.study import (
    Study,
    canonical,
    study_from_plain,
)

STUDIES = Registry("mensura.studies", "study")
"""The studies that packages ship: each a path of a file."""

LARGEST_FILE = 500_000
"""Bytes; a study is written by people."""

FORM = Form("study", "at least mensura, name, subjects and worlds", LARGEST_FILE, 50_000)

_SHOWN = 60
"""So many characters of a value are shown where it changed."""


class StudyFile(NamedTuple):
    """A study with the lines of its file."""

    study: Study
    lines: Lines
    text: str

    @contextmanager
    def located(self) -> Iterator[None]:
        """Within the block, what is wrong with the study is told with the line of the file where it stands."""
        try:
            yield
        except Misfit as misfit:
            raise self.lines.located(misfit) from None


def read_study(where: str | Path, *, rehearsed: bool = False) -> Study:
    """The study in a file, or the shipped one of that name, with every name in it looked up and checked.

    ``rehearsed`` also samples environments and seats subjects, as :mod:`mensura.studies.rehearse` does.
    """
    from mensura.studies.expand import places_of
    from mensura.studies.rehearse import rehearse

    file = open_study(where)
    with file.located():
        made = list(places_of(file.study))
        if rehearsed:
            rehearse(file.study, made)
    return file.study


def open_study(where: str | Path) -> StudyFile:
    """A study file by path or by shipped name; worlds, subjects and assessments are not looked up."""
    path = find_study(where)
    if path == Path(where):
        make_private(path)  # the seed may stand in it
    return parse_study(read_text(path, FORM), str(where))


def find_study(where: str | Path) -> Path:
    """The path of a study file: the file itself, or the shipped one of that name."""
    path = Path(where)
    text = str(where)
    if path.is_file():
        return path
    if text in STUDIES.names():
        shipped: Path = STUDIES.load(text)
        return shipped
    if path.is_dir():
        raise MensuraError(f"{where} is a folder; give the name of a study file in it.")
    if os.sep in text or path.suffix in (".yaml", ".yml", ".json"):
        raise MensuraError(
            f"There is no file {where}; a path is read from the current folder, here {Path.cwd()}."
        )
    raise MensuraError(
        f"There is no file {where}, and no shipped study of that name; {neighbors(text, STUDIES.names())}"
    )


def parse_study(text: str, place: str = "the study") -> StudyFile:
    """The study in a text; ``place`` is how errors call it."""
    data, lines = parse_yaml(text, place, FORM)
    try:
        return StudyFile(study_from_plain(data), lines, text)
    except Misfit as misfit:
        raise lines.located(misfit) from None
    except RecursionError:
        raise MensuraError(f"{place} is nested too deeply to be a study.") from None


def schema() -> dict[str, Any]:
    """The JSON schema of a study file, for editors and other programs."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Study.model_json_schema(mode="validation"),
    }


class FieldLine(NamedTuple):
    """A field of a study file in words."""

    part: str
    """The part of the study that it belongs to; empty for the study itself."""
    field: str
    type: str
    default: str
    """What holds if it is left out; "needed" where it cannot be."""
    meaning: str


def field_table() -> list[FieldLine]:
    """Every field that a study file may have, in words."""
    lines: list[FieldLine] = []
    waiting: list[tuple[str, type[BaseModel]]] = [("", Study)]
    met: set[type[BaseModel]] = set()
    while waiting:
        part, model = waiting.pop(0)
        if model in met:
            continue
        met.add(model)
        for name, field in model.model_fields.items():
            default = "needed" if field.is_required() else _default_in_words(field.get_default())
            if field.default_factory is not None:
                default = ""
            lines.append(
                FieldLine(
                    part, name, type_in_words(field.annotation), default, field.description or ""
                )
            )
            inner = model_in(field.annotation)
            if inner is not None:
                waiting.append((f"{part}.{name}" if part else name, inner))
    return lines


def _default_in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | str):
        return str(value)
    return ""


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What changed between two plain studies, one short phrase each; none exactly where they are equal."""
    return list(_differences(old, new, ""))


# What changed -----------------------------------------------------------------


def _differences(old: Any, new: Any, where: str) -> list[str]:
    if canonical(old) == canonical(new):
        return []
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        phrases = []
        for name in [*old, *(name for name in new if name not in old)]:
            at = f"{where}.{name}" if where else str(name)
            if name not in new:
                phrases.append(f"{at}: {_brief(old[name])} was removed")
            elif name not in old:
                phrases.append(f"{at}: {_brief(new[name])} was added")
            else:
                phrases += _differences(old[name], new[name], at)
        return phrases
    if isinstance(old, list) and isinstance(new, list):
        return _list_differences(old, new, where)
    return [f"{where}: {_brief(old)} became {_brief(new)}"]


def _list_differences(old: list[Any], new: list[Any], where: str) -> list[str]:
    """Items that moved along are not changes: only what was put in, taken out or changed in its place."""
    phrases = []
    if len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            phrases += _differences(one, other, f"{where}[{i}]")
        return phrases
    matcher = difflib.SequenceMatcher(
        None, [canonical(item) for item in old], [canonical(item) for item in new], autojunk=False
    )
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        paired = min(b - a, d - c)
        for i in range(paired):
            phrases += _differences(old[a + i], new[c + i], f"{where}[{a + i}]")
        phrases += [f"{where}[{i}]: {_brief(old[i])} was removed" for i in range(a + paired, b)]
        phrases += [f"{where}[{i}]: {_brief(new[i])} was added" for i in range(c + paired, d)]
    return phrases


def _brief(value: Any) -> str:
    """A value as a phrase can hold it."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, Mapping):
        named = value.get("name") or value.get("label")
        text = str(named) if named else canonical(value)
    else:
        text = canonical(value)
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
