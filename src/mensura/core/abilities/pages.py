"""What a world may say to the research view: how large it can be shown, and how it is used on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from mensura.agent.errors import MensuraError

if TYPE_CHECKING:  # commands that compute nothing are to answer at once
    from mensura.core.contract import World


class Explorable(Protocol):
    """A world that says what the research view has to know of it."""

    @staticmethod
    def check_given(given: Mapping[str, Any]) -> None:
        """Raise if a parameter that a browser sent would let it reach for a file of the server."""

    def check_explorable(self, description: Any = None) -> None:
        """Raise if the world, or an environment of it, is too large to be shown, or would hold the server up."""

    def fitted(self, description: Any) -> World:
        """The world with what an environment has that the parameters of the world do not say by the same name."""

    def command_parameters(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Of the parameters that differ from the usual, what the command line has to be told, in this world as made."""

    def slow_measures(self, description: Any) -> frozenset[str]:
        """The complexities of an environment that would take too long to compute while somebody waits."""

    right_parameters: Sequence[str]
    """The parameters that say who may see what, which subjects bring themselves."""


def check_given(kind: Any, given: Mapping[str, Any]) -> None:
    """Raise if a browser may not set a parameter so."""
    told: Callable[[Mapping[str, Any]], None] | None = getattr(kind, "check_given", None)
    if told is not None:
        told(given)


def check_explorable(world: World, description: Any = None) -> None:
    """Raise if a world, or an environment of it, is too large to be shown; without a word of the world's, it is not."""
    told: Callable[[Any], None] | None = getattr(world, "check_explorable", None)
    if told is not None:
        told(description)


def fitted(world: World, description: Any) -> World:
    """The world with what an environment has beyond its parameters; the world itself, where there is nothing."""
    told: Callable[[Any], World] | None = getattr(world, "fitted", None)
    return world if told is None else told(description)


def command_parameters(world: World, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of the parameters that differ from the usual, what the command line has to be told."""
    told: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = getattr(
        world, "command_parameters", None
    )
    return given if told is None else told(given)


def slow_measures(world: World, description: Any) -> frozenset[str]:
    """The complexities of an environment that would take too long while somebody waits; none, where nobody says."""
    told: Callable[[Any], frozenset[str]] | None = getattr(world, "slow_measures", None)
    return frozenset() if told is None else told(description)


def right_parameters(world: World) -> tuple[str, ...]:
    """The parameters that say who may see what; those of the kit's worlds are called rights."""
    return tuple(getattr(world, "right_parameters", ("rights",)))


def bounded(name: str, value: Any, most: int) -> None:
    """Raise if a number is too large for a page."""
    if isinstance(value, int) and value > most:
        raise MensuraError(
            f"{name} is {value}; the research view takes at most {most}. On the command line there is no such bound."
        )
