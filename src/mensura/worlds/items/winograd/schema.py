"""A Winograd schema as data, and the forms in which it can be asked.

A schema is a sentence with a pronoun, two candidates for what the pronoun stands for, and a *special* word or phrase;
with the *alternate* in its place, the other candidate is meant. Each of the two is a *half*. Where a schema is
*switchable*, the candidates can change places in the sentence, and the answers follow them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

LONGEST_SENTENCE = 300
"""Characters of a sentence."""
LONGEST_CANDIDATE = 100
PRONOUN = re.compile(r"\[([^\[\]]+)\]")
"""A pronoun is marked by brackets."""
WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
SPECIAL, ALTERNATE = "special", "alternate"
HALVES = (SPECIAL, ALTERNATE)
SWITCHED = "switched"
CALIBRATED, UNCALIBRATED = "calibrated", "not yet calibrated"


@dataclass(frozen=True)
class Form:
    """One question: a sentence with its pronoun in brackets, two candidates, and which of them is meant."""

    name: str
    """Which half it is, and whether candidates are switched: "special", "alternate switched"."""
    sentence: str
    candidates: tuple[str, str]
    """In the order in which the sentence has them."""
    right: int
    """The place of the one that is meant."""

    @property
    def length(self) -> int:
        """The words of the sentence."""
        return len(words_of(self.sentence))


@dataclass(frozen=True)
class Schema:
    """A pair of halves."""

    sentence: str
    """With the special word in it, and the pronoun in brackets."""
    special: str
    alternate: str
    pronoun: str
    candidates: tuple[str, str]
    answers: tuple[str, str]
    """Which candidate is meant with the special word, and which with the alternate."""
    switchable: bool = False
    depth: int = 0
    """How many facts have to be combined; 0 where nobody says."""
    kind: str = ""
    """Of what kind both candidates are."""
    frame: str = ""
    """What it was made from."""
    source: str = ""
    licence: str = ""

    def half(self, name: str) -> str:
        """The sentence of a half."""
        return self.sentence if name == SPECIAL else self.with_alternate

    @property
    def with_alternate(self) -> str:
        """The sentence with the alternate in the place of the special word."""
        return phrase(self.special).sub(lambda _: self.alternate, self.sentence, count=1)

    def forms(self) -> tuple[Form, ...]:
        """All questions that it asks: both halves, and both with the candidates switched where that is possible."""
        made = [self._form(name, self.half(name)) for name in HALVES]
        if self.switchable:
            made += [
                self._form(name, switched(self.half(name), self.candidates), True)
                for name in HALVES
            ]
        return tuple(made)

    def _form(self, half: str, sentence: str, other: bool = False) -> Form:
        answer = self.answers[HALVES.index(half)]
        if other:
            answer = self.candidates[1 - self.candidates.index(answer)]
        first, second = self.candidates
        ordered = (
            (first, second)
            if _place(sentence, first) <= _place(sentence, second)
            else (second, first)
        )
        name = f"{half} {SWITCHED}" if other else half
        return Form(name, sentence, ordered, ordered.index(answer))


@dataclass(frozen=True)
class SchemaSet:
    """Some schemas, with where they come from."""

    name: str
    schemas: tuple[Schema, ...]
    source: str = ""
    licence: str = ""
    calibration: str = UNCALIBRATED
    """Whether people have agreed on the answers, in a few words."""
    lines: tuple[int, ...] = ()
    """The line of each schema in its file."""

    def with_schemas(self, schemas: Sequence[Schema]) -> SchemaSet:
        """Other schemas under the same name."""
        return replace(self, schemas=tuple(schemas), lines=())


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in small letters, without marks."""
    return tuple(one.lower() for one in WORD.findall(text))


def phrase(text: str) -> re.Pattern[str]:
    """Finds a word or phrase that is not part of a longer word; at the beginning of a sentence it may be capital."""
    first, rest = text[:1], re.escape(text[1:])
    either = (
        f"[{re.escape(first.lower())}{re.escape(first.upper())}]"
        if first.isalpha()
        else re.escape(first)
    )
    return re.compile(rf"(?<!\w){either}{rest}(?!\w)")


def switched(sentence: str, candidates: tuple[str, str]) -> str:
    """The sentence with the two candidates in each other's places, capital where a sentence begins."""
    both = re.compile(
        "|".join(phrase(one).pattern for one in sorted(candidates, key=len, reverse=True))
    )
    small = [one.lower() for one in candidates]

    def other(match: re.Match[str]) -> str:
        text = match[0]
        found = candidates[1 - small.index(text.lower())]
        begins = match.start() == 0 or sentence[: match.start()].rstrip()[-1:] in ".!?"
        return found[:1].upper() + found[1:] if begins else found

    return both.sub(other, sentence)


def _place(sentence: str, candidate: str) -> int:
    found = phrase(candidate).search(sentence)
    return found.start() if found else len(sentence)
