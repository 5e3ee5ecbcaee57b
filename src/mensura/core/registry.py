"""What is registered by entry point: worlds, agents and assessments, ours and other packages', loaded on look-up."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError, neighbors

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Registry:
    """The entry points of one group. Nothing is imported before it is asked for."""

    def __init__(
        self,
        group: str,
        noun: str,
        around: Registry | None = None,
        check: Callable[[Any], None] | None = None,
    ) -> None:
        self.group = group
        self.noun = noun
        self.check = check
        """What raises a :class:`MensuraError` where something that is registered cannot be what it claims to be."""
        self.around = around
        """What may stand before a name: "perturbed-lambda" is what "perturbed" there makes of "lambda" here."""
        self._loaded: dict[str, Any] = {}

    def entries(self) -> dict[str, EntryPoint]:
        """All registered names; two packages that claim one name are an error."""
        found: dict[str, EntryPoint] = {}
        for entry in _installed(tuple(sys.path))(self.group):
            known = found.get(entry.name)
            if known is not None and known.value != entry.value:
                raise MensuraError(
                    f"The {self.noun} {entry.name!r} is registered twice, as {known.value} and as "
                    f"{entry.value}; uninstall one of the packages or rename its entry point."
                )
            found[entry.name] = entry
        return found

    def names(self) -> list[str]:
        """The registered names, sorted."""
        return sorted(self.entries())

    def load(self, name: str) -> Any:
        """What is registered under a name; a version at its end ("-v0") may be left out for the newest."""
        if name not in self._loaded:
            self._loaded[name] = self._look_up(name)
        return self._loaded[name]

    def _look_up(self, name: str) -> Any:
        entries = self.entries()
        if name in entries:
            return self._loaded_from(entries[name])
        newest = self._newest(name)
        if newest is not None:
            return self._loaded_from(entries[newest])
        outer, inner = self._parts(name)
        if outer and self.around is not None:
            return self.around.load(outer)(self.load(inner))
        outdated = self.outdated(name)
        if outdated is not None:
            raise Outdated(outdated)
        raise MensuraError(f"There is no {self.noun} {name!r}; {neighbors(name, list(entries))}")

    def _parts(self, name: str) -> tuple[str, str]:
        """What stands around a name, and the name inside; nothing around most."""
        for outer in self.around.names() if self.around is not None else ():
            if name.startswith(f"{outer}-"):
                return outer, name.removeprefix(f"{outer}-")
        return "", name

    def present(self, name: str) -> Any:
        """What is registered under a name, or the present version of an older one: to tell of records, not to play."""
        older = self.outdated(name) is not None
        return self.load(split_version(name)[0] if older else name)

    def _newest(self, plain: str) -> str | None:
        """The newest version that is registered of a name without a version; None where there is none."""
        versions: dict[int, str] = {}
        for known in self.entries():
            name, number = split_version(known)
            if name == plain and number is not None:
                versions[number] = known
        return versions[max(versions)] if versions else None

    def outdated(self, name: str) -> str | None:
        """A sentence on what changed since an older version that is no longer registered; None for any other name."""
        name = self._parts(name)[1]
        plain, number = split_version(name)
        newest = self._newest(plain)
        if number is None or newest is None or name in self.entries():
            return None
        if number >= (split_version(newest)[1] or 0):
            return None
        from mensura.core.abilities import changes

        try:
            told = changes(self.load(newest))
        except BrokenPlugin:
            told = {}
        since = [f"; what changed in v{one}: {what}" for one, what in told.items() if one > number]
        return f"{name} is an older version of {newest}, the present one{''.join(since)}."

    def _loaded_from(self, entry: EntryPoint) -> Any:
        """What an entry point names; a sentence where the package that it is of is broken."""
        try:
            thing = entry.load()
            if self.check is not None:
                self.check(thing)
            return thing
        except Exception as error:
            package = entry.dist.name if entry.dist is not None else "a package"
            text = " ".join(str(error).split())
            raise BrokenPlugin(
                f"The {self.noun} {entry.name} of {package} cannot be loaded from {entry.value}: "
                f"{type(error).__name__}: {text}"
            ) from error

    def all(self) -> Iterator[tuple[str, Any]]:
        """All that is registered, by name; in the place of what is broken, the error that says how."""
        for name in self.names():
            try:
                yield name, self.load(name)
            except BrokenPlugin as error:
                yield name, error

    def about(self) -> dict[str, str]:
        """All registered names, each with the first line of its docstring; of what is broken, the error."""
        return {
            name: str(thing)
            if isinstance(thing, BrokenPlugin)
            else (inspect.getdoc(thing) or "").partition("\n")[0]
            for name, thing in self.all()
        }

    @contextmanager
    def lend(self, name: str, thing: Any) -> Iterator[None]:
        """Let a name stand for something that is not registered, in this process and within the block."""
        before = self._loaded.get(name)
        self._loaded[name] = thing
        try:
            yield
        finally:
            if before is None:
                del self._loaded[name]
            else:
                self._loaded[name] = before


class Catalog(ModuleType):
    """A package that lists what is registered for it when it is called: ``mensura.worlds()``.

    The name of the package is also the natural name of the list, and a module can be only one thing under a name.
    """

    registry: Registry

    def __call__(self) -> dict[str, str]:
        """What is registered, by name, each in a line."""
        return self.registry.about()

    @classmethod
    def of(cls, package: str, registry: Registry) -> None:
        """Make a package callable."""
        module = sys.modules[package]
        module.__class__ = cls
        vars(module)["registry"] = registry


def split_version(name: str) -> tuple[str, int | None]:
    """A name and the version at its end: ("lambda-star", 1) for "lambda-star-v2", None where there is none."""
    plain, dash, number = name.rpartition("-v")
    return (plain, int(number)) if dash and number.isdecimal() else (name, None)


class Outdated(MensuraError):
    """Somebody asks for an older version of what is registered."""


class BrokenPlugin(MensuraError):
    """Somebody's package is registered with us and cannot be used."""


@lru_cache(1)
def _installed(path: tuple[str, ...]) -> Callable[[str], tuple[EntryPoint, ...]]:
    """The entry points of all packages on the path, by group: read once, since it takes milliseconds for each."""
    # An agent in a process of its own looks nothing up, and has not to wait for this either.
    from importlib.metadata import entry_points

    installed = entry_points()
    return cache(lambda group: tuple(installed.select(group=group)))


WORLDS_AROUND = Registry("mensura.worlds_around", "world around others")


def _check_world_class(kind: Any) -> None:
    from mensura.core.abilities import check_shadows_nothing

    check_shadows_nothing(kind)


WORLDS = Registry("mensura.worlds", "world", WORLDS_AROUND, _check_world_class)
AGENTS = Registry("mensura.agents", "agent")
ASSESSMENTS = Registry("mensura.assessments", "assessment")
SCHEMES = Registry("mensura.schemes", "kind of address")
AGENT_BASES = Registry("mensura.agent_bases", "public base of agents")
EDITORS = Registry("mensura.editors", "editor")
