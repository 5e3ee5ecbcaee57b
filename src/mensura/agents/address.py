"""Addresses: the one string that names a subject in every command, study file and page.

::

    q-learning                          a built-in subject
    q-learning?alpha=0.1&gamma=0.5      with parameters
    agents/mine.py:Mine                 a class in a file
    package.module:Mine?depth=3         a class that can be imported, with parameters
    oracle+q-learning*4                 a collective: one oracle and four learners
    cmd:./my-agent --fast               a program that talks over its standard input and output
    tcp://127.0.0.1:7001                a program that listens; also ws://127.0.0.1:7001/path
    listen://127.0.0.1:7001             a program that connects to us
    sb3:model.zip                       a trained model of Stable-Baselines3
    openai:MODEL                        a language model behind an API of OpenAI's kind
    anthropic:MODEL                     one that Anthropic serves; also gemini:MODEL
    gguf:model.gguf                     one whose weights are a file
    scripted:NAME?ability=0.5           a scripted stand-in for one, of known ability

What stands before the colon in the last eight is a *scheme*: an entry point of the group
``mensura.schemes``, without a dot or a slash in its name. Schemes come before modules of the same name.

The characters ``% + * ? &`` mean something here. Where a path or a value holds one of them, it is
written as in a web address: ``%25 %2B %2A %3F %26``.
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
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, TypeAlias
from urllib.parse import unquote

from mensura.agents.language_model.schemes import MODEL_SCHEMES
from mensura.core.contract import Agent
from mensura.core.errors import MensuraError, neighbors
from mensura.core.in_process import describe
from mensura.core.players import acts
from mensura.core.registry import SCHEMES

Factory: TypeAlias = Callable[[], Agent]
"""Makes one new agent."""

LARGEST_COUNT = 999_999

EXAMPLES = {
    "cmd": "cmd:./my-agent --fast",
    "tcp": "tcp://127.0.0.1:7001",
    "ws": "ws://127.0.0.1:7001/agent",
    "wss": "wss://example.org/agent",
    "listen": "listen://127.0.0.1:7001",
    "pagi": "pagi://:42209",
    "sb3": "sb3:model.zip",
    **{one.name: one.example for one in MODEL_SCHEMES.values()},
    "scripted": "scripted:NAME?ability=0.5",
}
"""How the schemes that we ship are written."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,400}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_BUILT_IN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Part:
    """One kind of member of a subject, and how many of it."""

    name: str
    """A built-in name, "path/to/file.py:Class", "package.module:Class" or "scheme:what it names"."""
    parameters: Mapping[str, str] = field(default_factory=dict, hash=False)
    """As they were written; :func:`value_of` reads them."""
    count: int | None = None
    """None where the address says nothing: as many as there are seats, or one of several."""

    @property
    def scheme(self) -> str:
        """What kind of subject it is that is neither built in nor a class: "cmd", "tcp", ...; else nothing."""
        return scheme_of(self.name)

    @property
    def target(self) -> str:
        """What follows the scheme: a command, "//host:port", a file, a model."""
        return self.name.partition(":")[2]

    @property
    def label(self) -> str:
        """The address of one such member: without the count."""
        text = _escape(self.name, "%+*?")
        if self.parameters:
            pairs = (f"{name}={_escape(value, '%+*&')}" for name, value in self.parameters.items())
            text += "?" + "&".join(pairs)
        return text

    def __str__(self) -> str:
        """The address, which :func:`parse` reads back."""
        return self.label if self.count is None else f"{self.label}*{self.count}"


def parse(text: str) -> tuple[Part, ...]:
    """The parts of an address, in order. Nothing is looked up or loaded."""
    if not text.strip():
        raise MensuraError(
            "The address of a subject is empty; write a name such as random, or file.py:Class."
        )
    pieces = text.split("+")
    if not all(piece.strip() for piece in pieces):
        raise MensuraError(
            f"The address {text!r} has an empty part beside a '+'; write parts as in "
            "oracle+q-learning*4, and a '+' that belongs to a path as %2B."
        )
    return tuple(_part(piece.strip()) for piece in pieces)


def is_foreign(part: Part) -> bool:
    """Whether the part names something that is not built in: code, a program, a model."""
    return ":" in part.name


def is_code(part: Part) -> bool:
    """Whether the part names a class in a file or module."""
    return is_foreign(part) and not part.scheme


def scheme_of(name: str) -> str:
    """The scheme that a name begins with, or nothing. A path or the name of a package is none, and is not looked up."""
    scheme, colon, _ = name.partition(":")
    return scheme if colon and not {".", "/"} & {*scheme} and scheme in _schemes() else ""


@functools.cache
def _schemes() -> frozenset[str]:
    return frozenset(SCHEMES.names())


def value_of(text: str) -> int | float | bool | str:
    """What a parameter's text stands for: a whole number, a number, true or false, else itself."""
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    return {"true": True, "false": False}.get(text.lower(), text)


def load(part: Part) -> Factory:
    """Import the class that a part names and bind the parameters to it, for use in this process.

    The folder of a file, or the current folder for a module, becomes importable as for a script.
    A file is executed anew at each call, under a private module name, so that it cannot take the
    place of a module that somebody else imports.
    """
    if not is_code(part):
        raise MensuraError(
            f"{part.name!r} names no code; code is named as file.py:Class or package.module:Class."
        )
    where, _, name = part.name.rpartition(":")
    module = _load_file(where) if _is_file(where) else _load_module(where)
    return bind(_attribute(module, where, name), part)


def bind(made: Callable[..., Any], part: Part) -> Factory:
    """A class with the parameters that a part of an address gives it; raise if it does not take them."""
    parameters = {key: value_of(text) for key, text in part.parameters.items()}
    _check_parameters(made, part, parameters)
    return functools.partial(made, **parameters)


# Reading an address -----------------------------------------------------------


def _part(piece: str) -> Part:
    body, starred, number = piece.rpartition("*")
    count = None
    if starred:
        count = _count(number.strip(), piece)
    else:
        body = piece
    name, asked, query = body.partition("?")
    parameters = _parameters(query, piece) if asked else {}
    return Part(_name(_unescape(name.strip()), piece), parameters, count)


def _count(number: str, piece: str) -> int:
    digits = number.isascii() and number.isdigit() and len(number) <= len(str(LARGEST_COUNT))
    if not digits or int(number) < 1:
        raise MensuraError(
            f"The count {number!r} in {piece!r} must be a whole number from 1 to {LARGEST_COUNT}, "
            "as in q-learning*4; a '*' that belongs to a path or value is written %2A."
        )
    return int(number)


def _parameters(query: str, piece: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for pair in query.split("&"):
        name, equals, value = pair.partition("=")
        name = name.strip()
        value = _unescape(value.strip())
        if not equals or not name.isidentifier() or not value:
            raise MensuraError(
                f"The parameter {pair!r} in {piece!r} must be written name=value, "
                "as in q-learning?alpha=0.1&gamma=0.5."
            )
        if name in parameters:
            raise MensuraError(f"The parameter {name!r} stands twice in {piece!r}; once is right.")
        parameters[name] = value
    return parameters


def _name(name: str, piece: str) -> str:
    scheme = scheme_of(name)
    if scheme:
        if not name[len(scheme) + 1 :].strip("/ "):
            raise MensuraError(
                f"{piece!r} names nothing after {scheme}:; write it as in {EXAMPLES.get(scheme, scheme + ':NAME')}."
            )
        return name
    where, colon, member = name.rpartition(":")
    if not colon:
        if _is_file(name):
            raise MensuraError(
                f"{name!r} names a file but no class in it; write {_escape(name, '%+*?')}:Class."
            )
        if not _BUILT_IN.fullmatch(name):
            raise MensuraError(
                f"{name!r} in {piece!r} is not the name of a subject; write a built-in name "
                "such as q-learning, or file.py:Class, or package.module:Class."
            )
        return name
    if not where:
        raise MensuraError(
            f"{piece!r} has no file or module before the colon; write file.py:Class "
            "or package.module:Class."
        )
    if not member:
        raise MensuraError(
            f"{piece!r} has no class after the colon; write {_escape(where, '%+*?')}:Class."
        )
    if not member.isidentifier():
        raise MensuraError(
            f"{member!r} in {piece!r} cannot be the name of a class; write file.py:Class "
            "or package.module:Class."
        )
    if not _is_file(where) and not all(word.isidentifier() for word in where.split(".")):
        raise MensuraError(
            f"{where!r} in {piece!r} is neither a file, whose name ends in .py, nor a module; "
            "write file.py:Class or package.module:Class."
        )
    return name


def _is_file(where: str) -> bool:
    return where.endswith(".py") or "/" in where or os.sep in where


def _escape(text: str, special: str) -> str:
    """The text with these characters, control characters and outer spaces written as %XX."""
    return re.sub(
        rf"^\s|\s$|[{re.escape(special)}\x00-\x1f\x7f]",
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()),
        text,
    )


def _unescape(text: str) -> str:
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
    made: Callable[..., Any], part: Part, parameters: Mapping[str, object]
) -> None:
    """Refuse parameters that the class does not take, or the lack of one that it needs."""
    try:
        signature = inspect.signature(made)
    except (TypeError, ValueError):  # some classes written in C tell no signature
        return
    keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    taken = {name: p for name, p in signature.parameters.items() if p.kind in keyword}
    anything = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    for name in parameters:
        if name not in taken and not anything:
            has = neighbors(name, list(taken)) if taken else "it has none."
            raise MensuraError(f"{part.name} has no parameter {name!r}; {has}")
    for name, parameter in taken.items():
        if parameter.default is parameter.empty and name not in parameters:
            raise MensuraError(
                f"{part.name} needs the parameter {name!r}; write {part.name}?{name}=VALUE."
            )
