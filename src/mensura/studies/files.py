"""Study files: YAML in, a checked study out, and every error with the file and the line.

The file is read as nodes and turned into plain data here, rather than by the library's constructors, so that
duplicate keys, cycles and values that YAML would bend are found, and every value keeps its line.
"""

from __future__ import annotations

import difflib
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import BaseModel

from mensura.core.errors import MensuraError, neighbors
from mensura.core.registry import Registry
from mensura.studies.misfits import Misfit, Where, model_in, shown, type_in_words
from mensura.studies.study import (
    Study,
    canonical,
    study_from_plain,
)

STUDIES = Registry("mensura.studies", "study")
"""The studies that packages ship: each a path of a file."""

LARGEST_FILE = 500_000
"""Bytes; a study is written by people."""

LARGEST_TREE = 50_000
"""Values; aliases could make many out of few."""

_SHOWN = 60
"""So many characters of a value are shown where it changed."""

_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_TAGS = "tag:yaml.org,2002:"


class StudyFile(NamedTuple):
    """A study with the lines of its file."""

    study: Study
    place: str
    """How errors call the file."""
    lines: Mapping[Where, int]
    text: str


def read_study(where: str | Path, *, rehearsed: bool = False) -> Study:
    """The study in a file, or the shipped one of that name, with every name in it looked up and checked.

    ``rehearsed`` also samples environments and seats subjects, as :mod:`mensura.studies.rehearse` does.
    """
    from mensura.studies.expand import expand
    from mensura.studies.rehearse import rehearse

    file = open_study(where)
    try:
        cells = expand(file.study, 0)
        if rehearsed:
            rehearse(file.study, cells)
    except Misfit as misfit:
        raise _located(misfit, file.place, file.lines) from None
    return file.study


def open_study(where: str | Path) -> StudyFile:
    """A study file by path or by shipped name; worlds, subjects and assessments are not looked up."""
    path = find_study(where)
    return parse_study(_read(path), str(where))


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
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise MensuraError(_syntax(error, place)) from None
    except yaml.YAMLError:
        raise MensuraError(
            f"{place} holds characters that no text file has; a study is a text file in YAML."
        ) from None
    except RecursionError:
        raise MensuraError(f"{place} is nested too deeply to be a study.") from None
    if node is None:
        raise MensuraError(
            f"{place} is empty; a study needs at least mensura, name, subjects and worlds."
        )
    reader = _Reader()
    try:
        data = reader.plain(node, ())
        return StudyFile(study_from_plain(data), place, reader.lines, text)
    except Misfit as misfit:
        raise _located(misfit, place, reader.lines) from None
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


# Reading ----------------------------------------------------------------------


def _read(path: Path) -> str:
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise MensuraError(
            f"{path} has {size} bytes; a study file has at most {LARGEST_FILE}. Is it another file?"
        )
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MensuraError(
            f"{path} is not text in UTF-8; a study is a text file in YAML."
        ) from None


def _located(misfit: Misfit, place: str, lines: Mapping[Where, int]) -> MensuraError:
    """The sentence with its file and the line of the nearest thing that has one."""
    where = misfit.where
    while where and where not in lines:
        where = where[:-1]
    return MensuraError(f"{place}, line {lines.get(where, 1)}: {misfit}")


def _syntax(error: yaml.MarkedYAMLError, place: str) -> str:
    mark = error.problem_mark or error.context_mark
    line = f", line {mark.line + 1}" if mark is not None else ""
    problem = " ".join(str(error.problem or error.context or "it cannot be read").split())
    hints = {
        "mapping values are not allowed here": "a text with a colon and a space in it needs quotes",
        "found character '\\t' that cannot start any token": "indent with spaces, not with tabs",
        "could not find expected ':'": "each field is a name, a colon, a space and a value",
        "but found another document": "a file holds one study, without ---",
    }
    hint = next((text for part, text in hints.items() if part in problem), "")
    if "undefined alias" in problem:
        hint = "an alias stands after its anchor"
    return f"{place}{line}: this is not YAML: {problem}{f'; {hint}' if hint else ''}."


class _Reader:
    """From nodes to plain data, with the line of every value."""

    def __init__(self) -> None:
        self.lines: dict[Where, int] = {}
        self._inside: set[int] = set()
        self._count = 0

    def plain(self, node: yaml.Node, where: Where, line: int | None = None) -> Any:
        """The data of a node; ``line`` is that of its key, where it has one."""
        self.lines[where] = line or node.start_mark.line + 1
        self._count += 1
        if self._count > LARGEST_TREE:
            raise Misfit(
                where, f"The file holds more than {LARGEST_TREE} values, aliases followed."
            )
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node, where)
        if id(node) in self._inside:
            raise Misfit(
                where, "An alias stands inside the very thing that it repeats, without end."
            )
        self._inside.add(id(node))
        try:
            if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAGS}seq":
                return [self.plain(item, (*where, i)) for i, item in enumerate(node.value)]
            if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAGS}map":
                return self._mapping(node, where)
        finally:
            self._inside.discard(id(node))
        raise Misfit(where, _unknown_tag(node))

    def _mapping(self, node: yaml.MappingNode, where: Where) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                self.lines[(*where, "?")] = line
                raise Misfit(
                    (*where, "?"), "A name before a colon must be text, not a list or mapping."
                )
            name = str(key.value)
            at = (*where, name)
            if name == "<<" and key.style is None:
                self.lines[at] = line
                raise Misfit(
                    at,
                    "A study file has no merging with <<; write the values out, or repeat a whole value by an alias.",
                )
            if name in data:
                first, self.lines[at] = self.lines[at], line
                raise Misfit(
                    at,
                    f"The name {name!r} is there twice, first in line {first}; keep one of them.",
                )
            data[name] = self.plain(value, at, line)
        return data


def _scalar(node: yaml.ScalarNode, where: Where) -> Any:
    kind, text = node.tag.removeprefix(_TAGS), str(node.value)
    if kind in ("str", "timestamp"):
        return text
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() in ("true", "yes", "on")
    if kind == "int":
        digits = text.replace("_", "")
        if not _DECIMAL.fullmatch(digits) or len(digits) > 40:
            raise Misfit(
                where,
                f"To YAML {shown(text)} is a number in another notation than the decimal one; "
                "write a plain number, or put it in quotes if it is text.",
            )
        return int(digits)
    if kind == "float":
        try:
            number = float(text.replace("_", ""))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise Misfit(
                where,
                f"To YAML {shown(text)} is a number, but not a finite decimal one; "
                "write a plain number, or put it in quotes if it is text.",
            )
        return number
    raise Misfit(where, _unknown_tag(node))


def _unknown_tag(node: yaml.Node) -> str:
    tag = str(node.tag).replace(_TAGS, "!!")
    return f"The tag {tag} has no meaning in a study; write plain values."


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
