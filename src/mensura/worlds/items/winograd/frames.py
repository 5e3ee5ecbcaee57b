"""Frames that fresh schemas are made from, and the word lists that fill them: both are data beside this file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

PEOPLE = ("women", "men")
"""Kinds whose words are names."""
HE: Mapping[str, str] = {"she": "he"}
SPECIAL = re.compile(r"<([^<>|]+)\|([^<>|]+)>")
SLOT = re.compile(r"\{([A-Z])\}")


@dataclass(frozen=True)
class Frame:
    """A sentence with slots."""

    name: str
    about: str
    """The everyday knowledge that it takes."""
    depth: int
    """How many facts have to be combined."""
    kinds: tuple[str, ...]
    """The lists that its candidates are drawn from; both from one."""
    sentence: str
    """With {A} and {B} for the candidates, {C} for a third of the kind, {P} for a person, and <special|alternate>."""

    @property
    def slots(self) -> frozenset[str]:
        """Which slots it has."""
        return frozenset(SLOT.findall(self.sentence))


@dataclass(frozen=True)
class Words:
    """The words of one kind."""

    kind: str
    supersense: str
    words: tuple[str, ...]

    @property
    def names(self) -> bool:
        """Whether they are names of people, which have no article."""
        return self.kind in PEOPLE


@lru_cache(maxsize=1)
def frames() -> tuple[Frame, ...]:
    """All frames."""
    return tuple(
        Frame(one["name"], one["about"], one["depth"], tuple(one["kinds"]), one["sentence"])
        for one in _data("frames.yaml")
    )


@lru_cache(maxsize=1)
def word_lists() -> Mapping[str, Words]:
    """All words, by kind."""
    return {
        kind: Words(kind, one["supersense"], tuple(one["words"]))
        for kind, one in _data("words.yaml").items()
    }


@lru_cache(maxsize=1)
def supersenses() -> Mapping[str, str]:
    """The supersense of every word of the lists."""
    return {word: one.supersense for one in word_lists().values() for word in one.words}


def _data(name: str) -> Any:
    return yaml.safe_load(files("mensura.worlds.items.winograd").joinpath(name).read_text("utf-8"))
