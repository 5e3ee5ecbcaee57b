"""What is wrong with a study, in one sentence with its place: from what a validator found to what a person reads."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from mensura.agent.errors import neighbors
from mensura.core.yaml_text import Misfit, Where, number_hint, shown


def named_place(where: Where) -> str:
    """A place as people write it: worlds[0].parameters.rows."""
    text = ""
    for step in where:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def misfit(error: ValidationError, root: type[BaseModel]) -> Misfit:
    """The first thing that is wrong, as a sentence."""
    found = error.errors(include_url=False)
    # A misspelled field is missing too: what is there tells more than what is not.
    first = min(found, key=lambda one: one["type"] != "extra_forbidden")
    where: Where = tuple(step for step in first["loc"] if step != "[key]")
    given, kind, context = first["input"], first["type"], first.get("ctx", {})
    place = named_place(where)
    if kind == "missing":
        parent = f"{named_place(where[:-1])} has" if where[:-1] else "The study has"
        return Misfit(where[:-1], f"{parent} no {where[-1]}, which it needs.")
    if kind == "extra_forbidden":
        whole = f" in {named_place(where[:-1])}" if where[:-1] else ""
        known = neighbors(str(where[-1]), list(_model_at(where[:-1], root).model_fields))
        return Misfit(where, f"There is no field {str(where[-1])!r}{whole}; {known}")
    model = _model_at(where, root)
    if kind in ("model_type", "model_attributes_type"):
        short = "text, or " if getattr(model, "short", False) else ""
        wanted = f"must be {short}a mapping with fields out of {', '.join(model.model_fields)}"
    elif kind in _WANTED:
        wanted = _WANTED[kind].format(**context, **_hints(given))
    elif kind == "sentence":
        wanted = first["msg"]
    else:
        wanted = f"does not fit ({first['msg'][:1].lower()}{first['msg'][1:]})"
    return Misfit(where, f"{place} is {shown(given)}; it {wanted}.")


_WANTED = {
    "string_type": "must be text{word}",
    "int_type": "must be a whole number{number}",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number{number}",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list{list}",
    "dict_type": "must be a mapping of names to values",
    "literal_error": "must be {expected}",
    "string_pattern_mismatch": "must be letters and digits, with single - _ or . between them",
    "too_short": "needs at least {min_length}",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "greater_than": "must be above {gt:g}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "finite_number": "must be finite",
}
"""What would be right, by the kind of error."""


def _hints(given: Any) -> dict[str, str]:
    """How to write what was probably meant."""
    word = ""
    if isinstance(given, bool):
        word = "; YAML reads yes, no, on and off as true and false, so put the word in quotes"
    elif isinstance(given, int | float):
        word = "; put it in quotes"
    single = isinstance(given, str | int | float) and not isinstance(given, bool)
    listed = f", as [{given}]" if single and len(str(given)) < 60 else ""
    return {"word": word, "number": number_hint(given), "list": listed}


def _model_at(where: Where, root: type[BaseModel]) -> type[BaseModel]:
    """The model of the part of a study at a place."""
    model = root
    for step in where:
        if isinstance(step, str) and step in model.model_fields:
            model = model_in(model.model_fields[step].annotation) or model
    return model


def model_in(annotation: Any) -> type[BaseModel] | None:
    """The model of the entries that a field holds, where it holds some."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in get_args(annotation):
        found = model_in(inner)
        if found is not None:
            return found
    return None


def type_in_words(hint: Any) -> str:
    """A type as a sentence names it: a whole number, a list of 2 numbers."""
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    origin, inside = get_origin(hint), get_args(hint)
    if hint in words:
        return words[hint]
    if origin is Annotated:
        return type_in_words(inside[0])
    if origin is Literal:
        return " or ".join(str(value) for value in inside)
    if origin in (Union, UnionType):
        return " or ".join(type_in_words(one) for one in inside if one is not NoneType)
    if origin is dict:
        return "a mapping"
    if origin in (tuple, list):
        several = {int: "whole numbers", float: "numbers", bool: "true or false"}
        kind = several.get(inside[0], "texts") if inside else "values"
        if model_in(hint) is not None or (inside and inside[0] is Any):
            kind = "entries"
        elif inside and get_origin(inside[0]) is dict:
            kind = "mappings"
        fixed = origin is tuple and inside and inside[-1] is not ...
        return f"a list of {f'{len(inside)} ' if fixed else ''}{kind}"
    return "a mapping" if model_in(hint) is not None else "any value"
