"""What words of a text stand for: the concept of a noun, and of a pronoun by rules of co-reference.

Pronouns of the third person stand for the nearest earlier mention that agrees in number and in whether it is a person
(by WordNet): the same statement before the one before, and in a statement its subject before others. A statement is a
sentence, or a part of it that is joined to it with a subject of its own, so that it makes no difference whether one
writes one sentence or two. "The general" after "a rebel general" is that one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from mensura.texts.sentences import Sentence, Token
from mensura.texts.wordnet import supersenses, wordnet

NOMINAL = ("NOUN", "PROPN", "ADJ", "NUM", "X", "SYM")
SPEAKERS = {"i": "i", "me": "i", "we": "we", "us": "we", "you": "you"}
THIRD = {
    "he": "he", "him": "he", "she": "she", "her": "she", "it": "it", "they": "they", "them": "they",
}  # fmt: skip
RELATIVE = ("who", "whom", "which", "that")
VAGUE = ("this", "these", "those", "that", "what", "who", "which", "there", "one", "some", "all", "each", "other",
         "himself", "herself", "itself", "themselves", "himselves", "myself", "ourselves")  # fmt: skip
MEN = frozenset((
    "man", "boy", "king", "father", "son", "brother", "uncle", "husband", "prince", "gentleman", "lord",
    "monk",
))  # fmt: skip
WOMEN = frozenset((
    "woman", "girl", "queen", "mother", "daughter", "sister", "aunt", "wife", "princess", "lady", "nun",
))  # fmt: skip
BACK = 4
"""How many statements back a pronoun may look."""


class Place(NamedTuple):
    """A word of a text: the number of its sentence, from 0, and its own, from 1."""

    sentence: int
    word: int


class Named(NamedTuple):
    """A concept by its name, with the part of it that WordNet knows."""

    lemma: str
    head: str


class Mentions:
    """The concepts of the words of a text."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self._latest: dict[str, Named] = {}
        self._known: dict[Place, list[Named]] = {}
        self._mentioned: list[tuple[Place, tuple[Place, ...]]] = []
        self._children = [_children(one) for one in sentences]
        self._statements = self._numbered()
        for place in self._places():
            self._note(place)

    def token(self, place: Place) -> Token:
        """The word at a place."""
        return self.sentences[place.sentence].tokens[place.word - 1]

    def children(self, place: Place, *relations: str) -> list[Place]:
        """The words that depend on one, by some relations or all of them."""
        found = self._children[place.sentence][place.word]
        all_of_them = [Place(place.sentence, k) for k in found]
        if not relations:
            return all_of_them
        return [one for one in all_of_them if self.token(one).relation in relations]

    def head(self, place: Place) -> Place | None:
        """What a word depends on."""
        number = self.token(place).head
        return Place(place.sentence, number) if number else None

    def joined(self, place: Place) -> list[Place]:
        """A word and those that are joined to it by "and" or "or"."""
        return [place, *self.children(place, "conj")]

    def concepts(self, place: Place) -> list[Named]:
        """The concepts that a word stands for, those joined to it left out; none where it is not known."""
        return self._known.get(place, [])

    def is_plural(self, place: Place) -> bool:
        """Whether a word is in the plural, or several are joined."""
        token = self.token(place)
        if "Number=" in token.features:
            plural = "Number=Plur" in token.features or "Number=Ptan" in token.features
        else:
            plural = token.form.lower() != token.lemma.lower() and token.form.lower().endswith("s")
        return plural or any(
            self.token(one).upos in NOMINAL for one in self.children(place, "conj")
        )

    def begins_statement(self, place: Place) -> bool:
        """Whether a word is the predicate of a statement of its own."""
        token = self.token(place)
        if token.head == 0:
            return True
        joined = token.relation.split(":")[0] in ("conj", "parataxis")
        return joined and bool(self.children(place, "nsubj", "nsubj:pass"))

    # How they are found

    def _numbered(self) -> dict[Place, int]:
        """The number of the statement of each word, through all of the text."""
        found: dict[Place, int] = {}
        known: dict[Place, int] = {}
        for place in self._places():
            if self.begins_statement(place):
                known[place] = len(known)
        for place in self._places():
            above, steps = place, 0
            while not self.begins_statement(above) and steps < 200:
                above, steps = self.head(above) or above, steps + 1
            found[place] = known.get(above, 0)
        return found

    def _places(self) -> Iterator[Place]:
        for number, sentence in enumerate(self.sentences):
            for word in range(1, len(sentence.tokens) + 1):
                yield Place(number, word)

    def _note(self, place: Place) -> None:
        token = self.token(place)
        form = token.form.lower()
        if token.upos == "PRON":
            if form in SPEAKERS:
                self._known[place] = [Named(SPEAKERS[form], "")]
            elif form in THIRD and not token.relation.startswith(("expl", "nmod:poss", "det")):
                stands_for = self._antecedent(place, THIRD[form])
                if stands_for:
                    self._known[place] = [
                        name for one in stands_for for name in self._known.get(one, [])
                    ]
                    self._mentioned.append((place, stands_for))
            elif form not in VAGUE and form not in THIRD:
                self._known[place] = [Named(token.lemma.lower(), "")]
        elif token.upos in NOMINAL and not token.relation.startswith(
            ("compound", "flat", "amod", "nummod", "fixed", "goeswith", "punct")
        ):
            self._known[place] = [self._named(place)]
            if token.upos in ("NOUN", "PROPN"):
                self._mentioned.append((place, (place,)))

    def _named(self, place: Place) -> Named:
        token = self.token(place)
        parts = sorted(
            one
            for one in self.children(place)
            if self.token(one).relation.split(":")[0] in ("compound", "flat", "goeswith")
            and self.token(one).relation != "compound:prt"
        )
        head = lemma_of(token)
        words = [lemma_of(self.token(one)) for one in sorted([*parts, place])]
        lemma = "_".join("_".join(words).split())
        definite = any(
            self.token(one).lemma.lower() in ("the", "this", "that")
            for one in self.children(place, "det")
        )
        plain = not parts and not self.children(place, "amod", "nummod")
        if plain and definite and head in self._latest:
            return self._latest[head]
        named = Named(lemma, head if parts else "")
        self._latest[head] = named
        return named

    def _antecedent(self, place: Place, pronoun: str) -> tuple[Place, ...]:
        here = self._statements[place]

        def far(mention: tuple[Place, tuple[Place, ...]]) -> tuple[int, bool, int]:
            at = mention[0]
            subject = self.token(at).relation.startswith("nsubj")
            return here - self._statements[at], not subject, at.word

        able = [
            mention
            for mention in self._mentioned
            if here - BACK <= self._statements[mention[0]] <= here
            and (mention[0].sentence < place.sentence or not self._beside(mention[0], place))
            and self._agree(mention[1], pronoun)
        ]
        return min(able, key=far)[1] if able else ()

    def _beside(self, one: Place, two: Place) -> bool:
        """Whether both belong to one verb, or one is a part of the other."""
        heads = [self.head(one), self.head(two)]
        if heads[0] == heads[1] or heads[0] == two or heads[1] == one:
            return True
        verb = heads[1]  # the subject of one that is joined to another is that of the other
        if verb is None or self.token(verb).relation != "conj" or self.children(verb, "nsubj"):
            return False
        return self.head(verb) == heads[0] and self.token(one).relation.startswith("nsubj")

    def _agree(self, stands_for: tuple[Place, ...], pronoun: str) -> bool:
        first = stands_for[0]
        token = self.token(first)
        plural = len(stands_for) > 1 or self.is_plural(first)
        kinds = _kinds(token.lemma.lower())
        person = token.upos == "PROPN" or kinds[:1] == ["noun.person"]
        if pronoun == "they":
            return plural or kinds[:1] == ["noun.group"]
        if plural:
            return False
        if pronoun == "it":
            return kinds[:1] != ["noun.person"]
        other = WOMEN if pronoun == "he" else MEN
        return (person or "noun.animal" in kinds) and token.lemma.lower() not in other

    @cached_property
    def all_places(self) -> tuple[Place, ...]:
        """Of all words, in their order."""
        return tuple(self._places())


def lemma_of(token: Token) -> str:
    """The lemma that a parser gives, or WordNet's where that is no word of its kind ("leaves", "sank")."""
    lemma, form = token.lemma.lower(), token.form.lower()
    words = wordnet()
    lexicon = {"NOUN": words.nouns, "VERB": words.verbs}.get(token.upos)
    if (
        lexicon is None
        or not form.isalpha()
        or (lemma in lexicon and not lexicon.is_irregular(form))
    ):
        return lemma
    return lexicon.morphy(form) or lemma


def _kinds(lemma: str) -> list[str]:
    return supersenses(lemma, "first")


def _children(sentence: Sentence) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(len(sentence.tokens) + 1)]
    for number, token in enumerate(sentence.tokens, 1):
        found[token.head].append(number)
    return found
