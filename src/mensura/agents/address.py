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
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mensura.agent.errors import MensuraError
from mensura.agent.loading import Factory, escape, is_file, load_class, read_parameters, unescape
from mensura.agents.language_model.schemes import MODEL_SCHEMES
from mensura.core.registry import SCHEMES

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
        text = escape(self.name, "%+*?")
        if self.parameters:
            pairs = (f"{name}={escape(value, '%+*&')}" for name, value in self.parameters.items())
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


def load(part: Part) -> Factory:
    """Import the class that a part names and bind the parameters to it, for use in this process."""
    if not is_code(part):
        raise MensuraError(
            f"{part.name!r} names no code; code is named as file.py:Class or package.module:Class."
        )
    return load_class(part.name, part.parameters)


# Reading an address -----------------------------------------------------------


def _part(piece: str) -> Part:
    body, starred, number = piece.rpartition("*")
    count = None
    if starred:
        count = _count(number.strip(), piece)
    else:
        body = piece
    name, asked, query = body.partition("?")
    parameters = read_parameters(query, piece) if asked else {}
    return Part(_name(unescape(name.strip()), piece), parameters, count)


def _count(number: str, piece: str) -> int:
    digits = number.isascii() and number.isdigit() and len(number) <= len(str(LARGEST_COUNT))
    if not digits or int(number) < 1:
        raise MensuraError(
            f"The count {number!r} in {piece!r} must be a whole number from 1 to {LARGEST_COUNT}, "
            "as in q-learning*4; a '*' that belongs to a path or value is written %2A."
        )
    return int(number)


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
        if is_file(name):
            raise MensuraError(
                f"{name!r} names a file but no class in it; write {escape(name, '%+*?')}:Class."
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
            f"{piece!r} has no class after the colon; write {escape(where, '%+*?')}:Class."
        )
    if not member.isidentifier():
        raise MensuraError(
            f"{member!r} in {piece!r} cannot be the name of a class; write file.py:Class "
            "or package.module:Class."
        )
    if not is_file(where) and not all(word.isidentifier() for word in where.split(".")):
        raise MensuraError(
            f"{where!r} in {piece!r} is neither a file, whose name ends in .py, nor a module; "
            "write file.py:Class or package.module:Class."
        )
    return name
