"""Sentences that are not the pages' own, in other languages: what worlds say of environments, refusals.

Their English stands in the code that knows what to say. ``texts/phrases/es.yaml`` and others beside it have the same in
another language, below the English: ``"Good and Evil: {behavior}": "Good y Evil: {behavior}"``. A name in braces is a
gap for anything, for a number where it begins with ``number``, or for one of the ``parts`` where it begins with
``word``; what fills it is looked up in turn, among sentences and ``parts`` of them. A sentence that is not there stays
English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from html import escape, unescape
from importlib.resources import files
from re import Pattern

from mensura.web.page_texts import read_texts

_GAP = re.compile(r"\\\{(\w+)\\\}")
_SPOKEN = re.compile(r'(?<=>)[^<>]*[A-Za-z][^<>]*(?=</t)|(?<=aria-label=")[^"]+')
"""What of a picture is read: texts, titles and labels."""

NUMBER = r"[-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"

_REMEMBERED = 4096


class Phrases:
    """The sentences of one language."""

    def __init__(self, known: Mapping[str, str], parts: Phrases | None = None) -> None:
        """``parts`` are what may fill gaps; the same as the whole where there are no others."""
        self._plain = {one: said for one, said in known.items() if "{" not in one}
        self._parts = parts or self
        words = "|".join(map(re.escape, self._parts._plain))
        self._with_gaps = [
            (_pattern(one, words), said) for one, said in known.items() if "{" in one
        ]
        self._found = lru_cache(_REMEMBERED)(self._find)

    def __call__(self, text: str) -> str:
        """The text in this language; where it is not there as a whole, line by line and sentence by sentence."""
        found = self._found(text)
        if found is not None:
            return found
        if "\n" in text:
            return "\n".join(map(self, text.split("\n")))
        return " ".join(self._found(one) or one for one in _sentences(text))

    def knows(self, text: str) -> bool:
        """Whether there is nothing in the text that stays English, but for what fills gaps."""
        return self._found(text) is not None or all(
            self._found(one) is not None for one in _sentences(text)
        )

    def picture(self, svg: str) -> str:
        """A picture with what is read in it in this language."""
        return _SPOKEN.sub(lambda one: escape(self(unescape(one[0]))), svg)

    def _find(self, text: str) -> str | None:
        if text in self._plain:
            return self._plain[text]
        for pattern, said in self._with_gaps:
            match = pattern.fullmatch(text)
            if match:
                gaps = match.groupdict()
                return said.format_map({name: self._parts(gap) for name, gap in gaps.items()})
        return None


def _pattern(sentence: str, words: str) -> Pattern[str]:
    def gap(name: str) -> str:
        kind = NUMBER if name.startswith("number") else words if name.startswith("word") else ".+?"
        return f"(?P<{name}>{kind})"

    return re.compile(_GAP.sub(lambda found: gap(found[1]), re.escape(sentence)), re.DOTALL)


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?]) ", text)


@cache
def phrases(language: str) -> Phrases:
    """Those of a language; of English, and of one without a file, none."""
    file = files("mensura.web").joinpath("texts", "phrases", f"{language}.yaml")
    if not file.is_file():
        return Phrases({})
    groups: Mapping[str, Mapping[str, str]] = read_texts(file.read_text(encoding="utf-8"))
    every = {one: said for group in groups.values() for one, said in group.items()}
    whole = {one: said for one, said in every.items() if one not in groups["parts"]}
    return Phrases(whole, Phrases(every))
