"""YAML that people write, as plain data with the line of every value.

A text is read as nodes and turned into plain data here, rather than by the library's constructors, so that no tag can
build an object, duplicate keys, cycles and values that YAML would bend are found, and every value keeps its line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from mensura.agent.errors import MensuraError

Where: TypeAlias = tuple[str | int, ...]
"""Where something stands in plain data: ("worlds", 0, "parameters", "rows")."""

_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_TAGS = "tag:yaml.org,2002:"

MOST_BRACKETS = 100
"""So many lists and mappings in brackets may stand in one another."""


class Misfit(MensuraError):
    """Something wrong in plain data, with the place where it stands; a file turns the place into a line."""

    line = 1
    """The line within a text of several, counted from 1."""

    def __init__(self, where: Where, sentence: str) -> None:
        super().__init__(" ".join(sentence.split()))
        self.where = where


@dataclass(frozen=True)
class Form:
    """What a kind of file is called in sentences, and how large it may be."""

    noun: str
    """"study": a study is a text file in YAML."""
    needs: str
    """What an empty file lacks."""
    most_bytes: int
    most_values: int
    """Aliases could make many values out of few."""


@dataclass(frozen=True)
class Lines:
    """The lines of the values of a file."""

    place: str
    """How errors call the file."""
    of: dict[Where, int] = field(default_factory=dict)
    blocks: set[Where] = field(default_factory=set)
    """The texts that begin on the line after their key and keep their lines: those after a ``|``."""

    def located(self, misfit: Misfit) -> MensuraError:
        """The sentence with its file and the line of the nearest thing that has one."""
        where = misfit.where
        while where and where not in self.of:
            where = where[:-1]
        line = self.of.get(where, 1)
        if where in self.blocks:
            line += misfit.line
        return MensuraError(f"{self.place}, line {line}: {misfit}")


def read_text(path: Path, form: Form) -> str:
    """The text of a file, if it can be one of this form."""
    size = path.stat().st_size
    if size > form.most_bytes:
        raise MensuraError(
            f"{path} has {size} bytes; a {form.noun} file has at most {form.most_bytes}. Is it another file?"
        )
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MensuraError(
            f"{path} is not text in UTF-8; a {form.noun} is a text file in YAML."
        ) from None


def parse_yaml(text: str, place: str, form: Form) -> tuple[Any, Lines]:
    """The plain data in a text, with its lines; ``place`` is how errors call it."""
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        raise MensuraError(_syntax(error, place, form)) from None
    except yaml.YAMLError:
        raise MensuraError(
            f"{place} holds characters that no text file has; a {form.noun} is a text file in YAML."
        ) from None
    except RecursionError:
        raise MensuraError(f"{place} is nested too deeply to be a {form.noun}.") from None
    if node is None:
        raise MensuraError(f"{place} is empty; a {form.noun} needs {form.needs}.")
    reader = _Reader(place, form)
    try:
        return reader.plain(node, ()), reader.lines
    except Misfit as misfit:
        raise reader.lines.located(misfit) from None
    except RecursionError:
        raise MensuraError(f"{place} is nested too deeply to be a {form.noun}.") from None


class _Loader(yaml.SafeLoader):
    """Stops at brackets that stand in too many others: for each token the library looks at all that are open."""

    def fetch_flow_collection_start(self, TokenClass: Any) -> None:
        if self.flow_level == MOST_BRACKETS:
            raise RecursionError
        super().fetch_flow_collection_start(TokenClass)


def _syntax(error: yaml.MarkedYAMLError, place: str, form: Form) -> str:
    mark = error.problem_mark or error.context_mark
    line = f", line {mark.line + 1}" if mark is not None else ""
    problem = " ".join(str(error.problem or error.context or "it cannot be read").split())
    hints = {
        "mapping values are not allowed here": "a text with a colon and a space in it needs quotes",
        "found character '\\t' that cannot start any token": "indent with spaces, not with tabs",
        "could not find expected ':'": "each field is a name, a colon, a space and a value",
        "but found another document": f"a file holds one {form.noun}, without ---",
    }
    hint = next((text for part, text in hints.items() if part in problem), "")
    if "undefined alias" in problem:
        hint = "an alias stands after its anchor"
    return f"{place}{line}: this is not YAML: {problem}{f'; {hint}' if hint else ''}."


class _Reader:
    """From nodes to plain data, with the line of every value."""

    def __init__(self, place: str, form: Form) -> None:
        self.lines = Lines(place)
        self._form = form
        self._inside: set[int] = set()
        self._count = 0

    def plain(self, node: yaml.Node, where: Where, line: int | None = None) -> Any:
        """The data of a node; ``line`` is that of its key, where it has one."""
        self.lines.of[where] = line or node.start_mark.line + 1
        self._count += 1
        most = self._form.most_values
        if self._count > most:
            raise Misfit(where, f"The file holds more than {most} values, aliases followed.")
        if isinstance(node, yaml.ScalarNode):
            if node.style == "|":
                self.lines.of[where] = node.start_mark.line + 1
                self.lines.blocks.add(where)
            return self._scalar(node, where)
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
        raise Misfit(where, self._unknown_tag(node))

    def _mapping(self, node: yaml.MappingNode, where: Where) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                self.lines.of[(*where, "?")] = line
                raise Misfit(
                    (*where, "?"), "A name before a colon must be text, not a list or mapping."
                )
            name = str(key.value)
            at = (*where, name)
            if name == "<<" and key.style is None:
                self.lines.of[at] = line
                raise Misfit(
                    at,
                    f"A {self._form.noun} file has no merging with <<; write the values out, or repeat a whole value "
                    "by an alias.",
                )
            if name in data:
                first, self.lines.of[at] = self.lines.of[at], line
                raise Misfit(
                    at,
                    f"The name {name!r} is there twice, first in line {first}; keep one of them.",
                )
            data[name] = self.plain(value, at, line)
        return data

    def _scalar(self, node: yaml.ScalarNode, where: Where) -> Any:
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
        raise Misfit(where, self._unknown_tag(node))

    def _unknown_tag(self, node: yaml.Node) -> str:
        tag = str(node.tag).replace(_TAGS, "!!")
        return f"The tag {tag} has no meaning in a {self._form.noun}; write plain values."


def shown(value: Any) -> str:
    """A value in a sentence, shortly."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else f"{value[:57]}...")
    return str(value)[:60]


def number_hint(given: Any) -> str:
    """How to write the number that was probably meant by a text; nothing where none was."""
    if not isinstance(given, str):
        return ""
    if re.fullmatch(r"[-+]?[0-9]+", given):
        return "; write it without quotes"
    if re.fullmatch(r"[-+]?[0-9.]+[eE][-+]?[0-9]+", given):
        try:
            return f"; to YAML {given} is text, write {float(given):.12g}"
        except ValueError:
            return ""
    return "; write it without quotes" if re.fullmatch(r"[-+]?[0-9]*\.[0-9]+", given) else ""
