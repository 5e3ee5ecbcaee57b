"""Groups of options: a dataclass whose fields are options, declared once and taken by several commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer.models import OptionInfo


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the fields of each group that it takes as options of its own.

    A parameter whose type is a dataclass is a group. ``--help`` shows its options under the group's ``panel``, where it
    has one; the command gets them as one object.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type[Any]] = {}
    flat: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if isinstance(hint, type) and is_dataclass(hint):
            groups[parameter.name] = hint
            flat += _options(hint)
        else:
            flat.append(parameter.replace(annotation=hint))

    @wraps(command)
    def grouped(**given: Any) -> None:
        gathered = {name: _taken(group, given) for name, group in groups.items()}
        command(**given, **gathered)

    # Typer reads both.
    grouped.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    grouped.__annotations__ = {one.name: one.annotation for one in flat}
    del grouped.__wrapped__
    return grouped


def _options(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    panel = getattr(group, "panel", None)
    return [
        inspect.Parameter(
            one.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if one.default is MISSING else one.default,
            annotation=_under(panel, hints[one.name]),
        )
        for one in fields(group)
    ]


def _under(panel: str | None, hint: Any) -> Any:
    """The type of an option with the panel under which it is shown."""
    if panel is None or get_origin(hint) is not Annotated:
        return hint
    inner, *notes = get_args(hint)
    shown = [copy(note) for note in notes]
    for note in shown:
        if isinstance(note, OptionInfo) and note.rich_help_panel is None:
            note.rich_help_panel = panel
    return Annotated[(inner, *shown)]


def _taken(group: type[Any], given: dict[str, Any]) -> Any:
    """A group from the options of a command, which it takes out of them."""
    return group(**{one.name: given.pop(one.name) for one in fields(group)})
