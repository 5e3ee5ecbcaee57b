"""Classes of agents by name: ``file.py:Class`` and ``package.module:Class``, with parameters as in a web address.

Of the addresses of subjects (:mod:`mensura.agents.address`) this is what can be loaded by itself, without anything that
is registered.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, TypeAlias
from urllib.parse import unquote

from mensura.agent.base import acts
from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.in_process import describe

Factory: TypeAlias = Callable[[], Any]
"""Makes one new agent."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,400}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def load_address(text: str) -> Factory:
    """The class of an address as :attr:`mensura.agents.address.Part.label` writes it."""
    name, asked, query = text.partition("?")
    return load_class(unescape(name), read_parameters(query, text) if asked else {})


def load_class(name: str, parameters: Mapping[str, str]) -> Factory:
    """Import the class of that name and bind the parameters to it, for use in this process.

    The folder of a file, or the current folder for a module, becomes importable as for a script.
    A file is executed anew at each call, under a private module name, so that it cannot take the
    place of a module that somebody else imports.
    """
    where, _, member = name.rpartition(":")
    module = _load_file(where) if is_file(where) else _load_module(where)
    return bind(_attribute(module, where, member), name, parameters)


def bind(make: Callable[..., Any], name: str, parameters: Mapping[str, str]) -> Factory:
    """A class with the parameters that an address gives it; raise if it does not take them."""
    values = {key: value_of(text) for key, text in parameters.items()}
    _check_parameters(make, name, values)
    return functools.partial(make, **values)


# Reading a name ---------------------------------------------------------------


def value_of(text: str) -> int | float | bool | str:
    """What a parameter's text stands for: a whole number, a number, true or false, else itself."""
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    return {"true": True, "false": False}.get(text.lower(), text)


def read_parameters(query: str, piece: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for pair in query.split("&"):
        name, equals, value = pair.partition("=")
        name = name.strip()
        value = unescape(value.strip())
        if not equals or not name.isidentifier() or not value:
            raise MensuraError(
                f"The parameter {pair!r} in {piece!r} must be written name=value, "
                "as in q-learning?alpha=0.1&gamma=0.5."
            )
        if name in parameters:
            raise MensuraError(f"The parameter {name!r} stands twice in {piece!r}; once is right.")
        parameters[name] = value
    return parameters


def is_file(where: str) -> bool:
    return where.endswith(".py") or "/" in where or os.sep in where


def escape(text: str, special: str) -> str:
    """The text with these characters, control characters and outer spaces written as %XX."""
    return re.sub(
        rf"^\s|\s$|[{re.escape(special)}\x00-\x1f\x7f]",
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()),
        text,
    )


def unescape(text: str) -> str:
    return unquote(text, errors="surrogateescape")


# Loading what it names --------------------------------------------------------


def _load_file(where: str) -> ModuleType:
    path = Path(where).expanduser()
    if path.is_dir():
        raise MensuraError(
            f"{where} is a folder; name a Python file in it, as {where}/file.py:Class."
        )
    if not path.is_file():
        raise MensuraError(
            f"There is no file {where}; a path is read from the current folder, here {Path.cwd()}."
        )
    path = path.resolve()
    _make_importable(str(path.parent))
    name = "_mensura_" + hashlib.blake2b(os.fsencode(path), digest_size=8).hexdigest()
    spec = importlib.util.spec_from_loader(name, SourceFileLoader(name, str(path)))
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        # Compiled here and not by the loader, whose cache is a folder beside the user's file.
        code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        exec(code, vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise MensuraError(_failure(where, str(path), error)) from error
    return module


def _load_module(where: str) -> ModuleType:
    _make_importable(os.getcwd())
    importlib.invalidate_caches()
    try:
        return importlib.import_module(where)
    except (Exception, SystemExit) as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and f"{where}.".startswith(f"{missing}."):
            raise MensuraError(
                f"There is no module {missing}, which {where} names; install it, or start in "
                "the folder that holds it, or give the path of a file, as folder/file.py:Class."
            ) from None
        raise MensuraError(_failure(where, _origin(where), error)) from error


class _FolderFinder:
    """Finds modules in the folders of agents where nothing else has one of that name.

    The folders are not on ``sys.path``, where they would stay for whatever Mensura imports later: a file ``winreg.py``
    in one would be executed because somewhere Python asks whether it is on Windows.
    """

    folders: ClassVar[list[str]] = []

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or name in sys.stdlib_module_names:
            return None
        return PathFinder.find_spec(name, cls.folders, target)


def _make_importable(folder: str) -> None:
    if _FolderFinder not in sys.meta_path:
        sys.meta_path.append(_FolderFinder)
    if folder not in _FolderFinder.folders:
        _FolderFinder.folders.append(folder)


def _origin(where: str) -> str:
    """The file of a module that failed on import, or nothing."""
    try:
        spec = importlib.util.find_spec(where)
    except Exception:
        return ""
    return (spec.origin or "") if spec else ""


def _failure(where: str, path: str, error: BaseException) -> str:
    """One sentence on code that fails while it is imported, with the line where it does."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"{where} fails on import, line {error.lineno}: {type(error).__name__}: {error.msg}."
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == path
    ]
    line = f", line {lines[-1]}" if lines else ""
    return f"{where} fails on import{line}: {describe(error).rstrip('.')}."


def _attribute(module: ModuleType, where: str, name: str) -> Callable[..., Any]:
    """The class of that name, or another callable that makes agents."""
    found = getattr(module, name, None)
    if found is None:
        agents = _agents(module)
        if not agents:
            raise MensuraError(
                f"{where} has no class {name!r}, nor any other class with a method "
                "act(observation, reward)."
            )
        raise MensuraError(f"{where} has no class {name!r}; {neighbors(name, agents)}")
    if not callable(found):
        raise MensuraError(
            f"{name} in {where} is of type {type(found).__name__}; a subject is a class "
            "with a method act(observation, reward)."
        )
    if isinstance(found, type) and not acts(found):
        raise MensuraError(
            f"{name} in {where} has no method act(observation, reward), "
            "the one that every agent needs."
        )
    made: Callable[..., Any] = found
    return made


def _agents(module: ModuleType) -> list[str]:
    return [name for name, thing in vars(module).items() if isinstance(thing, type) and acts(thing)]


def _check_parameters(
    make: Callable[..., Any], label: str, parameters: Mapping[str, object]
) -> None:
    """Refuse parameters that the class does not take, or the lack of one that it needs."""
    try:
        signature = inspect.signature(make)
    except (TypeError, ValueError):  # some classes written in C tell no signature
        return
    keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    taken = {name: p for name, p in signature.parameters.items() if p.kind in keyword}
    anything = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    for name in parameters:
        if name not in taken and not anything:
            has = neighbors(name, list(taken)) if taken else "it has none."
            raise MensuraError(f"{label} has no parameter {name!r}; {has}")
    for name, parameter in taken.items():
        if parameter.default is parameter.empty and name not in parameters:
            raise MensuraError(f"{label} needs the parameter {name!r}; write {label}?{name}=VALUE.")
