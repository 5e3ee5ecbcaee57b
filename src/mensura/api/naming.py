"""From what people hand over in Python, names, classes and functions, to subjects that a study can name."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from mensura.agent.base import acts
from mensura.agent.errors import MensuraError
from mensura.agents import at_hand
from mensura.agents.address import Part
from mensura.core.contract import World
from mensura.core.registry import WORLDS

Handed: TypeAlias = str | type | Callable[[], Any]
"""A subject as people hand it over: an address, a class of agents, or a function that makes one."""
Several: TypeAlias = Handed | Iterable[Handed] | Mapping[str, Handed]
"""One subject, several, or several with labels."""


@dataclass(frozen=True)
class Named:
    """A subject with the address by which a study names it."""

    label: str
    address: str
    in_process: bool = False
    factory: Callable[[], Any] | None = field(default=None, compare=False)
    """What makes its agents, where only this process can."""


def named(subjects: Several, in_process: bool | None = None) -> list[Named]:
    """Subjects with their labels and addresses, in their order.

    Code in a file runs in a process of its own unless ``in_process`` is true. What has no file (a class of a notebook
    or of the program itself, a function) can only run in this process; False refuses that.
    """
    handed = _labelled(subjects)
    if not handed:
        raise MensuraError("Nobody is to be assessed; name at least one subject, as 'random'.")
    found: list[Named] = []
    for label, one in handed:
        found.append(_named(label, one, in_process, {other.address for other in found}))
    refuse_twice([one.label for one in found])
    return found


def refuse_twice(labels: Sequence[str]) -> None:
    """Raise if two subjects have one label."""
    for label in labels:
        if labels.count(label) > 1:
            raise MensuraError(f"The subject {label} is named twice; once is enough.")


def notes(subjects: Iterable[Named]) -> list[str]:
    """What readers of a result should know of how its subjects were run."""
    here = [one.label for one in subjects if one.factory is not None]
    if not here:
        return []
    are = "is code" if len(here) == 1 else "are code"
    return [
        f"{', '.join(here)} {are} without a file and ran inside the Python process that assessed it: not isolated, and "
        "not to be assessed again by address."
    ]


@dataclass(frozen=True)
class AtHand:
    """What a study names and only this process has: agents without a file, a world that is not registered."""

    factories: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    world: World | None = None

    @classmethod
    def of(cls, subjects: Iterable[Named], world: World) -> AtHand:
        """What of these has to be lent; a sentence where a world cannot be made again by its name."""
        factories = {
            one.address.rpartition(":")[2]: one.factory
            for one in subjects
            if one.factory is not None
        }
        try:
            known = WORLDS.load(world.id)
        except MensuraError:
            return cls(factories, world)
        if known is not type(world):
            raise MensuraError(
                f"{type(world).__name__} calls itself {world.id}, which is registered as {known.__name__}; give it an "
                "id of its own, or hand over the name of a registered world."
            )
        return cls(factories)

    @property
    def is_needed(self) -> bool:
        """Whether there is something that other processes lack."""
        return bool(self.factories) or self.world is not None

    def lend(self) -> AbstractContextManager[None]:
        """Let the study find it, within the block."""
        return self._lend()

    @contextmanager
    def _lend(self) -> Any:
        with ExitStack() as stack:
            if self.factories:
                stack.enter_context(at_hand.lend(self.factories))
            if self.world is not None:
                stack.enter_context(WORLDS.lend(self.world.id, type(self.world)))
            yield


def _labelled(subjects: Several) -> list[tuple[str | None, Handed]]:
    if isinstance(subjects, Mapping):
        return [(str(label), one) for label, one in subjects.items()]
    if isinstance(subjects, str) or callable(subjects):
        return [(None, subjects)]
    if acts(subjects):
        _refuse_instance(subjects)
    if not isinstance(subjects, Iterable):
        raise MensuraError(
            f"A value of type {type(subjects).__name__} is no subject; hand over an address, a class, or a "
            "list of these."
        )
    return [(None, one) for one in subjects]


def _named(label: str | None, one: Handed, in_process: bool | None, taken: set[str]) -> Named:
    if isinstance(one, str):
        return Named(label or one, one, bool(in_process))
    if not callable(one):
        if acts(one):
            _refuse_instance(one)
        raise MensuraError(
            f"A value of type {type(one).__name__} is no subject; hand over an address, or a class with a "
            "method act(observation, reward)."
        )
    if isinstance(one, type):
        _check_class(one)
        label = label or one.__name__
        address = _address(one)
        if address is not None:
            return Named(label, address, bool(in_process))
    else:
        label = label or str(getattr(one, "__name__", type(one).__name__)).strip("<>")
    if in_process is False:
        raise MensuraError(
            f"{label} has no file that a process of its own could load; put it into one, or leave in_process out."
        )
    word = re.sub(r"\W", "_", label)
    word = word if word.isidentifier() else f"subject_{word}"
    while f"{at_hand.__name__}:{word}" in taken:
        word += "_"
    return Named(label, f"{at_hand.__name__}:{word}", True, one)


def _check_class(one: type) -> None:
    if not acts(one):
        raise MensuraError(
            f"{one.__name__} has no method act(observation, reward), the one that every agent needs."
        )
    try:
        wanted = inspect.signature(one).parameters.values()
    except (TypeError, ValueError):  # some classes written in C tell no signature
        return
    for given in wanted:
        if given.default is given.empty and given.kind in (
            given.POSITIONAL_ONLY,
            given.POSITIONAL_OR_KEYWORD,
            given.KEYWORD_ONLY,
        ):
            raise MensuraError(
                f"{one.__name__} needs the parameter {given.name!r}; hand over a function that makes one, as "
                f"{{'{one.__name__}': lambda: {one.__name__}({given.name}=...)}}."
            )


def _address(one: type) -> str | None:
    """The address of a class that another process can load; None of one that it cannot."""
    module = sys.modules.get(one.__module__)
    file = getattr(module, "__file__", None)
    if module is None or one.__module__ == "__main__" or not file or not file.endswith(".py"):
        return None
    if getattr(module, one.__name__, None) is not one or not Path(file).is_file():
        return None
    if "." in one.__module__:
        return Part(f"{one.__module__}:{one.__name__}").label
    path = Path(file).resolve()
    here = Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return Part(f"{shown}:{one.__name__}").label


def _refuse_instance(one: Any) -> None:
    name = type(one).__name__
    raise MensuraError(
        f"This {name} is one agent, and every sitting needs a new one; hand over its class, {name}, or a function that "
        f"makes one, as lambda: {name}(...)."
    )
