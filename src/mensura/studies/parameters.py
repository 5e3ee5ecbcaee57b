"""Parameters of worlds and assessments: checked against the types of their fields, and as plain data for cells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from mensura.agent.errors import neighbors
from mensura.core.yaml_text import Misfit, Where, shown
from mensura.studies.misfits import named_place, type_in_words


def checked_parameters(
    kind: Any, noun: str, given: Mapping[str, Any], where: Where = ()
) -> dict[str, Any]:
    """Parameters by the fields of a dataclass: known, and of the right type."""
    known = [field.name for field in fields(kind) if field.init] if is_dataclass(kind) else []
    checked: dict[str, Any] = {}
    for name, value in given.items():
        at = (*where, name)
        if name not in known:
            has = neighbors(name, known) if known else "it has none."
            raise Misfit(at, f"{noun} has no parameter {name!r}; {has}")
        if name == "spread" and value == "any":
            checked[name] = None
            continue
        hint, adapter = _types(kind)[name]
        try:
            # As JSON, so that a list may be a tuple and nothing else is bent into shape.
            checked[name] = adapter.validate_json(json.dumps(value), strict=True)
        except ValidationError:
            also = ", or any" if name == "spread" else ""
            raise Misfit(
                at, f"{named_place(at)} is {shown(value)}; it must be {type_in_words(hint)}{also}."
            ) from None
    return checked


@cache
def _types(kind: Any) -> dict[str, tuple[Any, TypeAdapter[Any]]]:
    """The type of each field of a dataclass, with what checks it."""
    hints = get_type_hints(kind)
    return {
        field.name: (hints[field.name], TypeAdapter(hints[field.name])) for field in fields(kind)
    }


def plain_parameters(thing: Any) -> dict[str, Any]:
    """All parameters of a dataclass, as data that JSON can write and read back unchanged."""
    if not is_dataclass(thing):
        return {}
    data: dict[str, Any] = json.loads(
        json.dumps(
            {field.name: getattr(thing, field.name) for field in fields(thing) if field.init}
        )
    )
    return data


def typed_parameters(plain: Mapping[str, Any]) -> dict[str, Any]:
    """What :func:`plain_parameters` wrote, read back: JSON makes lists of tuples."""
    return {name: _tuples(value) for name, value in plain.items()}


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
