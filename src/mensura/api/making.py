"""Worlds by name, and who can be assessed in them."""

from __future__ import annotations

import json
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.abilities import check_is_world, subject_names
from mensura.core.abilities import make as make_kind
from mensura.core.contract import World
from mensura.core.registry import AGENTS, ASSESSMENTS, WORLDS
from mensura.studies.parameters import checked_parameters

DEFAULT_WORLD = "lambda"
"""Where nobody names a world: the one that the universal test was made for."""


def make(name: str = DEFAULT_WORLD, *, preset: str | None = None, **parameters: Any) -> World:
    """Make a world.

    Args:
        name: Its id, as ``ms.worlds()`` lists it; without a version ("lambda-star") the newest one.
        preset: A named set of parameters; without one, the world's first.
        parameters: Parameters of the world that differ from those of the preset.

    Example:
        >>> import mensura as ms
        >>> world = ms.make("lambda-star-v2", rows=6, subjects=3)
        >>> world.id
        'lambda-star-v2'
    """
    if not isinstance(name, str):
        raise MensuraError(
            f"A world is made by its name, a text such as {DEFAULT_WORLD!r}, not by a value of type "
            f"{type(name).__name__}."
        )
    kind = WORLDS.load(name)
    return make_kind(
        kind, preset, **checked_parameters(kind, f"The world {name}", _plain(parameters))
    )


def worlds() -> dict[str, str]:
    """List the registered worlds, each with a line on what it is.

    The package ``mensura.worlds`` can be called and does the same, so ``ms.worlds()`` is this list.

    Example:
        >>> import mensura as ms
        >>> "lambda-star-v2" in ms.worlds()
        True
    """
    return WORLDS.about()


def assessments() -> dict[str, str]:
    """List the registered assessments, each with a line on what it is.

    The package ``mensura.assessments`` can be called and does the same.
    """
    return ASSESSMENTS.about()


def world_of(world: str | World, preset: str | None = None) -> World:
    """The world that somebody handed over, by name or made."""
    if isinstance(world, str):
        return make(world, preset=preset)
    if preset is not None:
        raise MensuraError(
            "A preset belongs to the name of a world, and this world is made already; leave the preset out, or give "
            "the name."
        )
    if isinstance(world, type):
        raise MensuraError(
            f"{world.__name__} is a class; hand over a world made of it, as {world.__name__}()."
        )
    check_is_world(world, f"A value of type {type(world).__name__}")
    return world


def subjects(world: str | World = DEFAULT_WORLD, *, preset: str | None = None) -> dict[str, str]:
    """List the subjects that can be named in a world, each with a line on what it is.

    Example:
        >>> import mensura as ms
        >>> ms.subjects("lambda-star")["random"]
        'any of the nine moves, drawn evenly'
    """
    from mensura.studies.subjects import first_line

    own = dict(subject_names(world_of(world, preset)))
    general = {name: AGENTS.load(name) for name in AGENTS.names() if name not in own}
    return own | {name: first_line(kind) for name, kind in general.items()}


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters with numbers of NumPy as plain ones; what no study file could hold is refused in a sentence."""
    plain = {}
    for name, value in parameters.items():
        try:
            plain[name] = json.loads(json.dumps(value, default=lambda one: one.tolist()))
        except (AttributeError, TypeError, ValueError):
            raise MensuraError(
                f"{name} is a value of type {type(value).__name__}; a parameter is a number, a text, true or "
                "false, or a list."
            ) from None
    return plain
