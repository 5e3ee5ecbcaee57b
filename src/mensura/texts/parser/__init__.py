"""Reads English: sentences, words, lemmas and what depends on what. Needs NumPy alone."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mensura.texts.sentences import Sentence

if TYPE_CHECKING:
    from mensura.texts.parser.network import Network

WEIGHTS = Path(__file__).parent / "weights" / "english.npz"
"""The parser that comes along, and ``NOTICE.txt`` beside it."""
LONGEST = 200
"""Words of a sentence; what is longer (a table, a list without periods) is read in pieces."""


@lru_cache(maxsize=2)
def loaded(path: Path = WEIGHTS) -> Network:
    """A trained parser."""
    from mensura.texts.parser.network import Network

    return Network.load(path)


def parse(text: str, parser: Path = WEIGHTS) -> list[Sentence]:
    """The sentences of a text, each word with its place in it."""
    from mensura.texts.parser.tokens import sentences_in, words_in

    pieces = []
    for start, end in sentences_in(text):
        words = words_in(text, start, end)
        pieces += [words[k : k + LONGEST] for k in range(0, len(words), LONGEST)]
    pieces = [words for words in pieces if words]
    if not pieces:
        return []
    told = loaded(parser).parse([[one.form for one in words] for words in pieces])
    return [
        Sentence(
            tuple(
                token._replace(start=word.start, end=word.end)
                for token, word in zip(tokens, words, strict=True)
            ),
            text[words[0].start : words[-1].end],
        )
        for words, tokens in zip(pieces, told, strict=True)
    ]
