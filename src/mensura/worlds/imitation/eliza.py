"""An engine in the manner of Weizenbaum's ELIZA (1966): keywords by rank, decomposition, reassembly, a memory.

The engine and its script are our own. A script is YAML: words that are exchanged (I and you), groups of words, and
keywords, each with rules. A rule matches a sentence part by part (``*`` is any words, ``@family`` one of a group) and
has several answers that take turns, with ``(2)`` for the words of the second part, I and you exchanged. What a rule
with ``memory`` makes is kept, and said later when no keyword is found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.yaml_text import Form, Misfit, parse_yaml, shown

FORM = Form("script", "keywords, each with rules", 1_000_000, 50_000)
SENTENCES = re.compile(r"[.!?;]+|,\s|\bbut\b")
WORDS = re.compile(r"[\w']+")
PART = re.compile(r"\((\d)\)")
OWN = "neighbor"


@dataclass(frozen=True)
class Rule:
    """A decomposition and its reassemblies."""

    match: tuple[str, ...]
    say: tuple[str, ...]
    memory: bool = False


@dataclass(frozen=True)
class Keyword:
    """A word that the engine reacts to."""

    word: str
    rank: int
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Script:
    """What an engine says."""

    name: str
    exchange: Mapping[str, str]
    groups: Mapping[str, frozenset[str]]
    keywords: Mapping[str, Keyword]
    otherwise: tuple[str, ...]


@lru_cache(maxsize=4)
def own_script(name: str = OWN) -> Script:
    """The script that comes with Mensura."""
    text = files("mensura.worlds.imitation").joinpath(f"{name}.yaml").read_text("utf-8")
    return parse_script(text, name)


def read_script(path: Path) -> Script:
    """A script of one's own."""
    from mensura.core.yaml_text import read_text

    try:
        return parse_script(read_text(path, FORM), str(path))
    except OSError as error:
        raise MensuraError(f"The script {path} cannot be read: {error.strerror}.") from None


def parse_script(text: str, place: str) -> Script:
    """The script in a text; an error names the line."""
    data, lines = parse_yaml(text, place, FORM)
    try:
        return _script(data)
    except Misfit as misfit:
        raise lines.located(misfit) from None


def _script(data: Any) -> Script:
    if not isinstance(data, dict) or not isinstance(data.get("keywords"), dict):
        raise Misfit((), "A script needs `keywords`: a mapping from words to rules.")
    known = ("name", "exchange", "groups", "keywords", "otherwise")
    for name in data:
        if name not in known:
            raise Misfit(
                (name,), f"There is no field {name!r} in a script; there are {', '.join(known)}."
            )
    groups = {
        name: frozenset(_texts(("groups", name), words))
        for name, words in data.get("groups", {}).items()
    }
    keywords = {}
    for word, one in data["keywords"].items():
        where = ("keywords", word)
        if not isinstance(one, dict) or not isinstance(one.get("rules"), list) or not one["rules"]:
            raise Misfit(where, f"The keyword {word!r} needs `rules`: a list of at least one.")
        rank = one.get("rank", 0)
        if not isinstance(rank, int):
            raise Misfit((*where, "rank"), f"The rank is {shown(rank)}; it must be a whole number.")
        rules = tuple(
            _rule((*where, "rules", number), rule, groups)
            for number, rule in enumerate(one["rules"])
        )
        keywords[word.lower()] = Keyword(word.lower(), rank, rules)
    return Script(
        str(data.get("name", "unnamed")),
        {str(a): str(b) for a, b in data.get("exchange", {}).items()},
        groups,
        keywords,
        _texts(("otherwise",), data.get("otherwise")),
    )


def _rule(where: tuple[str | int, ...], data: Any, groups: Mapping[str, frozenset[str]]) -> Rule:
    if not isinstance(data, dict) or not isinstance(data.get("match"), str):
        raise Misfit(where, 'A rule needs `match`, as "* i feel *", and `say`, a list of answers.')
    match = tuple(data["match"].lower().split())
    for part in match:
        if part.startswith("@") and part[1:] not in groups:
            raise Misfit(
                (*where, "match"), f"There is no group {part[1:]!r}; there are {', '.join(groups)}."
            )
    say = _texts((*where, "say"), data.get("say"))
    for text in say:
        for number in PART.findall(text):
            if not 1 <= int(number) <= len(match):
                raise Misfit(
                    (*where, "say"),
                    f"({number}) is no part of {data['match']!r}, which has {len(match)}.",
                )
    return Rule(match, say, bool(data.get("memory", False)))


def _texts(where: tuple[str | int, ...], value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
        raise Misfit(where, f"This is {shown(value)}; it must be a list of at least one text.")
    return tuple(value)


@dataclass
class Engine:
    """One conversation."""

    script: Script
    turns: dict[str, int] = field(default_factory=dict)
    """How often each list of answers was used."""
    memory: list[str] = field(default_factory=list)

    def answer(self, text: str) -> str:
        """What it says to a message."""
        best: tuple[int, int, Keyword, list[str]] | None = None
        for at, sentence in enumerate(SENTENCES.split(text.lower())):
            words = WORDS.findall(sentence)
            for word in words:
                key = self.script.keywords.get(word)
                if key is not None and (best is None or (key.rank, -at) > (best[0], -best[1])):
                    best = key.rank, at, key, words
        if best is not None:
            said = self._by_rules(best[2], best[3])
            if said:
                return said
        if self.memory:
            return self.memory.pop(0)
        return self._next("otherwise", self.script.otherwise)

    def _by_rules(self, key: Keyword, words: Sequence[str]) -> str:
        for number, rule in enumerate(key.rules):
            parts = decompose(rule.match, words, self.script.groups)
            if parts is None:
                continue
            text = self._next(f"{key.word} {number}", rule.say)
            said = self._reassembled(text, parts)
            if not rule.memory:
                return said
            self.memory.append(said)
        return ""

    def _reassembled(self, text: str, parts: Sequence[Sequence[str]]) -> str:
        filled = PART.sub(lambda match: self._exchanged(parts[int(match[1]) - 1]), text)
        said = " ".join(filled.split()).replace(" ?", "?").replace(" .", ".").replace(" ,", ",")
        return said[:1].upper() + said[1:]

    def _exchanged(self, words: Sequence[str]) -> str:
        return " ".join(self.script.exchange.get(word, word) for word in words)

    def _next(self, name: str, choices: Sequence[str]) -> str:
        turn = self.turns.get(name, 0)
        self.turns[name] = turn + 1
        return choices[turn % len(choices)]


def decompose(
    match: Sequence[str], words: Sequence[str], groups: Mapping[str, frozenset[str]]
) -> list[list[str]] | None:
    """The words of each part of a decomposition, ``*`` as few as possible; None where it does not match."""
    if not match:
        return None if words else []
    first, rest = match[0], match[1:]
    if first == "*":
        for taken in range(len(words) + 1):
            after = decompose(rest, words[taken:], groups)
            if after is not None:
                return [list(words[:taken]), *after]
        return None
    if not words:
        return None
    fits = words[0] in groups[first[1:]] if first.startswith("@") else words[0] == first
    after = decompose(rest, words[1:], groups) if fits else None
    return None if after is None else [[words[0]], *after]
