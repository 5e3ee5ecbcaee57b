"""Sets of schemas as YAML files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.core.yaml_text import Form, Lines, Misfit, parse_yaml, read_text, shown
from mensura.worlds.items.winograd.schema import (
    LONGEST_CANDIDATE,
    LONGEST_SENTENCE,
    PRONOUN,
    UNCALIBRATED,
    Schema,
    SchemaSet,
    phrase,
    words_of,
)

FORM = Form("set of schemas", "a name and a list of schemas", 20_000_000, 400_000)
SETS = Path(__file__).parent / "sets"
"""The sets that come with Mensura."""
OF_SET = ("name", "source", "licence", "calibration", "schemas")
REQUIRED = ("sentence", "special", "alternate", "pronoun", "candidates")
OPTIONAL = ("answers", "switchable", "depth", "kind", "frame", "source", "licence")
DEEPEST = 3
STEM = 5
"""A candidate is in a sentence if a word begins as its last one does, with so many letters."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def samples() -> Mapping[str, Path]:
    """The sets that come with Mensura, by name."""
    return {path.stem: path for path in sorted(SETS.glob("*.yaml"))}


def text_of(name: str) -> str:
    """The text of a set that comes with Mensura, or of a file."""
    known = samples()
    path = known.get(name) or Path(name).expanduser()
    if name not in known and path.suffix not in (".yaml", ".yml"):
        raise MensuraError(
            f"There is no set of schemas {name!r}; {neighbors(name, list(known))} One of your own is in a .yaml file."
        )
    return read_set_text(path)


def read_set_text(path: Path) -> str:
    """The text of a file; a sentence where there is none."""
    if path.is_dir():
        raise MensuraError(f"{path} is a folder; give the name of a file with schemas in it.")
    try:
        return read_text(path, FORM)
    except FileNotFoundError:
        raise MensuraError(
            f"There is no file {path}; a path is read from the current folder."
        ) from None
    except OSError as error:
        raise MensuraError(f"{path} cannot be read: {error.strerror}.") from None


def parse_set(text: str, place: str = "The set of schemas") -> SchemaSet:
    """The set that a text holds; an error names the line."""
    data, lines = parse_yaml(text, place, FORM)
    try:
        return _set(data, lines)
    except Misfit as misfit:
        raise lines.located(misfit) from None


def _set(data: Any, lines: Lines) -> SchemaSet:
    if not isinstance(data, dict):
        raise Misfit((), "A set of schemas is a mapping with a name and a list of schemas.")
    _check_names((), data, OF_SET)
    listed = data.get("schemas")
    if not isinstance(listed, list) or not listed:
        raise Misfit(("schemas",), "A set needs `schemas`: a list of at least one schema.")
    texts = {
        name: _text((name,), data, name, "")
        for name in ("name", "source", "licence", "calibration")
    }
    made = [_schema(("schemas", number), one) for number, one in enumerate(listed)]
    return SchemaSet(
        texts["name"] or "unnamed",
        tuple(made),
        texts["source"],
        texts["licence"],
        texts["calibration"] or UNCALIBRATED,
        tuple(lines.of.get(("schemas", number), 1) for number in range(len(made))),
    )


def _schema(where: tuple[str | int, ...], data: Any) -> Schema:
    if not isinstance(data, dict):
        raise Misfit(
            where,
            "A schema is a mapping with a sentence, special, alternate, pronoun and candidates.",
        )
    _check_names(where, data, (*REQUIRED, *OPTIONAL))
    for name in REQUIRED:
        if name not in data or data[name] in (None, ""):
            raise Misfit(where, f"This schema has no {name}; it needs {', '.join(REQUIRED)}.")
    candidates = _pair((*where, "candidates"), data["candidates"], "candidates")
    answers = (
        _pair((*where, "answers"), data["answers"], "answers")
        if data.get("answers")
        else candidates
    )
    switchable, depth = data.get("switchable", False), data.get("depth", 0)
    if not isinstance(switchable, bool):
        raise Misfit(
            (*where, "switchable"), f"switchable is {shown(switchable)}; it must be true or false."
        )
    if isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth <= DEEPEST:
        raise Misfit(
            (*where, "depth"),
            f"depth is {shown(depth)}; it must be a whole number from 0 to {DEEPEST}.",
        )
    made = Schema(
        sentence=_text((*where, "sentence"), data, "sentence", most=LONGEST_SENTENCE),
        special=_text((*where, "special"), data, "special"),
        alternate=_text((*where, "alternate"), data, "alternate"),
        pronoun=_text((*where, "pronoun"), data, "pronoun"),
        candidates=candidates,
        answers=answers,
        switchable=switchable,
        depth=depth,
        **{
            name: _text((*where, name), data, name, "")
            for name in ("kind", "frame", "source", "licence")
        },
    )
    found = problem_of(made)
    if found is not None:
        raise Misfit((*where, found[0]), found[1])
    return made


def problem_of(schema: Schema) -> tuple[str, str] | None:
    """What makes it no schema at all: the field, and a sentence."""
    pronouns = PRONOUN.findall(schema.sentence)
    if pronouns != [schema.pronoun]:
        return "sentence", (
            f"The sentence has {'no pronoun' if not pronouns else ' and '.join(map(repr, pronouns))} in brackets; it "
            f"needs the pronoun once, as [{schema.pronoun}]."
        )
    first, second = schema.candidates
    if first.lower() == second.lower():
        return "candidates", f"Both candidates are {first!r}; they must differ."
    for name, answer in zip(("special", "alternate"), schema.answers, strict=True):
        if answer not in schema.candidates:
            return "answers", (
                f"The answer with the {name} is {answer!r}, which is no candidate; it must be {first!r} or {second!r}."
            )
    if schema.answers[0] == schema.answers[1]:
        return "answers", (
            f"The answer does not flip: it is {schema.answers[0]!r} with the special word and with the alternate."
        )
    if schema.special == schema.alternate:
        return "alternate", f"Special and alternate are both {schema.special!r}; they must differ."
    outside = PRONOUN.sub(" ", schema.sentence)
    count = len(phrase(schema.special).findall(outside))
    if count != 1:
        return (
            "special",
            f"The special {schema.special!r} is {count} times in the sentence; it must be there once.",
        )
    present = {word[:STEM] for word in words_of(outside.replace("'", " ").replace("\u2019", " "))}
    for one in schema.candidates:
        # "The teller" is meant by "one of the tellers".
        if not words_of(one) or words_of(one)[-1][:STEM] not in present:
            return "candidates", f"The candidate {one!r} is not in the sentence."
        if schema.switchable and not phrase(one).search(outside):
            return "switchable", (
                f"The candidate {one!r} is not in the sentence as it is written, so candidates cannot be switched."
            )
    return None


def _pair(where: tuple[str | int, ...], value: Any, name: str) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise Misfit(where, f"{name} is {shown(value)}; it must be a list of two texts.")
    first, second = (_checked(where, one, name, LONGEST_CANDIDATE) for one in value)
    return first, second


def _text(
    where: tuple[str | int, ...],
    data: Mapping[str, Any],
    name: str,
    default: str | None = None,
    most: int = 300,
) -> str:
    value = data.get(name, default)
    if value is None and default is not None:
        return default
    return _checked(where, value, name, most, empty=default is not None)


def _checked(
    where: tuple[str | int, ...], value: Any, name: str, most: int, empty: bool = False
) -> str:
    if not isinstance(value, str) or (not value.strip() and not empty):
        raise Misfit(where, f"{name} is {shown(value)}; it must be a text.")
    if len(value) > most:
        raise Misfit(where, f"{name} has {len(value)} characters; it may have {most} at most.")
    if _CONTROL.search(value):
        raise Misfit(
            where,
            f"{name} has a line break or a control character in it; it must be one line of text.",
        )
    return " ".join(value.split())


def _check_names(
    where: tuple[str | int, ...], data: Mapping[str, Any], known: tuple[str, ...]
) -> None:
    for name in data:
        if name not in known:
            raise Misfit(
                (*where, name), f"There is no field {name!r} here; {neighbors(name, list(known))}"
            )


def set_text(one: SchemaSet) -> str:
    """A set as the text of a file."""
    head = [
        f"{name}: {_quoted(value)}\n"
        for name, value in (
            ("name", one.name),
            ("source", one.source),
            ("licence", one.licence),
            ("calibration", one.calibration),
        )
        if value
    ]
    return "".join([*head, "schemas:\n", *(_schema_text(schema) for schema in one.schemas)])


def _schema_text(schema: Schema) -> str:
    fields: list[tuple[str, Any]] = [
        ("sentence", schema.sentence),
        ("special", schema.special),
        ("alternate", schema.alternate),
        ("pronoun", schema.pronoun),
        ("candidates", list(schema.candidates)),
    ]
    if schema.answers != schema.candidates:
        fields.append(("answers", list(schema.answers)))
    fields.append(("switchable", schema.switchable))
    fields += [
        (name, getattr(schema, name))
        for name in ("depth", "kind", "frame", "source", "licence")
        if getattr(schema, name)
    ]
    lines = [f"    {name}: {_quoted(value)}\n" for name, value in fields]
    return "  -" + lines[0][3:] + "".join(lines[1:])


def _quoted(value: Any) -> str:
    """A value as JSON, which is YAML too."""
    return json.dumps(value, ensure_ascii=False)
