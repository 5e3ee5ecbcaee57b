"""The description of an environment: the parameters of its world, and what was drawn for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.spaces import to_plain

if TYPE_CHECKING:
    from mensura.worlds.kit.world import BaseWorld


class BaseDescription:
    """One environment. What was drawn for it and the parameters of its world are its attributes: ``description.lag``.

    It holds the parameters, too, so that a file builds the same environment whatever the world is set to. It cannot be
    changed: what was drawn as a list or an array is a tuple here.
    """

    world: BaseWorld
    """The world with the parameters that the environment has."""
    drawn: Mapping[str, Any]
    """What ``draw`` gave, by name."""

    def __init__(self, world: BaseWorld, drawn: Mapping[str, Any]) -> None:
        own = {name: frozen(value) for name, value in drawn.items()}
        self.__dict__.update(own)
        self.__dict__.update(world=world, drawn=own)

    if TYPE_CHECKING:

        def __getattribute__(self, name: str) -> Any:
            """Whatever was drawn."""

    def __getattr__(self, name: str) -> Any:
        """A parameter of the world, where nothing of this name was drawn."""
        if not name.startswith("_"):
            world = self.__dict__["world"]
            if name in world.__dataclass_fields__:
                return getattr(world, name)
        raise AttributeError(
            f"the description has no {name!r}: neither does draw give it nor is it a parameter of the world"
        )

    def __setattr__(self, name: str, value: Any) -> None:
        """A description never changes."""
        raise AttributeError(
            f"a description cannot be changed, and so {name!r} cannot; put it into the state"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """How processes hand it to each other."""
        return BaseDescription, (self.world, self.drawn)

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data: the parameters first, then what was drawn."""
        world = self.world
        parameters = {one.name: to_plain(getattr(world, one.name)) for one in world._parameters}
        return {**parameters, **to_plain(self.drawn)}

    @property
    def _text(self) -> str:
        return json.dumps([self.world.id, self.to_json()], sort_keys=True)

    def __eq__(self, other: object) -> bool:
        """Equal where the same environment is built from them."""
        return isinstance(other, BaseDescription) and self._text == other._text

    def __hash__(self) -> int:
        """As they compare."""
        return hash(self._text)

    def __repr__(self) -> str:
        """What it was drawn as."""
        return f"{type(self.world).__name__} {dict(self.drawn)}"


RESERVED = frozenset({"world", "drawn", "to_json"})
"""Names that a description has for itself."""


def check_drawn(world: Any, drawn: Any) -> None:
    """Raise with a sentence where what ``draw`` gave is no description."""
    name = type(world).__name__
    if not isinstance(drawn, Mapping) or not all(isinstance(one, str) for one in drawn):
        raise MensuraError(
            f"draw of {name} gave a {type(drawn).__name__}; it gives a mapping with what sets one environment apart, "
            'as {"lag": 3}.'
        )
    for one in drawn:
        if one in RESERVED or one in world.__dataclass_fields__ or one.startswith("_"):
            raise MensuraError(
                f"draw of {name} gave {one!r}, which is a name of the kit's or of a parameter; choose another."
            )


def read_description(
    world: Any, data: Mapping[str, Any], example: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Plain data as parameters and what was drawn, which is like ``example``."""
    if not isinstance(data, Mapping):
        raise MensuraError(
            f"A description of {world.id} is a mapping, not a {type(data).__name__}."
        )
    parameters = [one.name for one in fields(world)]
    for name in data:
        if name not in parameters and name not in example:
            raise MensuraError(
                f"A description of {world.id} has no {name!r}; {neighbors(str(name), [*parameters, *example])}"
            )
    for name, like in example.items():
        if name not in data:
            raise MensuraError(
                f"A description of {world.id} needs {name!r}, and this one has none."
            )
        if _kind(data[name]) != _kind(like):
            raise MensuraError(
                f"{name!r} in a description of {world.id} is {data[name]!r}; it must be {_kind(like)}."
            )
    given = {one: data[one] for one in parameters if one in data}
    return given, {one: data[one] for one in example}


def _kind(value: Any) -> str:
    """What sort of plain data a value is."""
    value = to_plain(value)
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    names: dict[type, str] = {
        str: "a text",
        list: "a list",
        dict: "a mapping",
        type(None): "nothing",
    }
    return names.get(type(value), type(value).__name__)


def frozen(value: Any) -> Any:
    """Plain data that cannot be changed by mistake: numbers of Python's, and tuples in the place of lists."""
    kind = type(value)
    if kind is int or kind is float or kind is str or kind is bool or value is None:
        return value
    value = to_plain(value)
    if isinstance(value, list):
        return tuple(map(frozen, value))
    if isinstance(value, dict):
        return {name: frozen(one) for name, one in value.items()}
    return value
