"""Sentences as a parser gives them: words with lemma, part of speech and what they depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Token(NamedTuple):
    """A word of a sentence, by the conventions of Universal Dependencies 2."""

    form: str
    lemma: str
    upos: str
    """Universal part of speech, such as NOUN."""
    head: int
    """The word that it depends on, from 1; 0 for the root."""
    relation: str
    """How it depends on that, such as nsubj:pass."""
    features: str = ""
    """Such as Number=Plur|Person=3; empty where nothing is known."""
    start: int = 0
    """Where it begins in the text, and where it ends."""
    end: int = 0


@dataclass(frozen=True)
class Sentence:
    """Words in their order."""

    tokens: tuple[Token, ...]
    text: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError where the heads are none."""
        for number, token in enumerate(self.tokens, 1):
            if not 0 <= token.head <= len(self.tokens) or token.head == number:
                raise ValueError(f"word {number} ({token.form!r}) depends on word {token.head}")

    def children(self, number: int) -> list[int]:
        """The words that depend on this one, from 1."""
        return [place for place, token in enumerate(self.tokens, 1) if token.head == number]
