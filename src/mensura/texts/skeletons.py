"""The skeleton of a text: concepts, relations between them, and relations between relations.

Dr Inventor (Hurley et al. 2016) calls it the Research Object Skeleton. A concept stands for all mentions of a noun, a
relation for one occurrence of a verb with a subject and an object, and a connective ("because") for a relation between
two relations. Nodes are numbered, concepts from 0 and relations after them; each knows the sentences that it is from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from mensura.agent.errors import MensuraError
from mensura.texts.wordnet import Word

MOST_NODES = 4000
"""Of a skeleton: a book is not mapped as a whole."""


class Concept(NamedTuple):
    """What the text tells about."""

    lemma: str
    head: str = ""
    """What is looked up in WordNet where it does not have the lemma: "general" of "rebel_general"."""
    sentences: tuple[int, ...] = ()
    modifiers: tuple[str, ...] = ()
    category: str = ""

    @property
    def word(self) -> Word:
        return Word(self.lemma, self.head)


class Verb(NamedTuple):
    """What holds between two nodes: a verb between concepts, or a connective between relations."""

    lemma: str
    subject: int
    object: int
    head: str = ""
    sentences: tuple[int, ...] = ()
    negated: bool = False
    modifiers: tuple[str, ...] = ()
    category: str = ""

    @property
    def word(self) -> Word:
        return Word(self.lemma, self.head)


@dataclass(frozen=True)
class Skeleton:
    """Concepts and relations; no relation comes before one that it is about."""

    concepts: tuple[Concept, ...]
    relations: tuple[Verb, ...]
    sentences: tuple[str, ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        """Raise MensuraError where it is none."""
        what = self.name or "the skeleton"
        if len(self) > MOST_NODES:
            raise MensuraError(
                f"{what} has {len(self)} nodes; at most {MOST_NODES} are mapped. Take a part of the text."
            )
        for number, one in enumerate(self.relations):
            for node in (one.subject, one.object):
                if not 0 <= node < len(self.concepts) + number:
                    raise MensuraError(
                        f"{what}: relation {number + 1} ({one.lemma}) is about node {node}, which is not before it."
                    )
            if one.subject == one.object:
                raise MensuraError(
                    f"{what}: relation {number + 1} ({one.lemma}) holds between a node and itself; it takes two."
                )
            if one.subject < len(self.concepts) <= one.object or (
                one.object < len(self.concepts) <= one.subject
            ):
                raise MensuraError(
                    f"{what}: relation {number + 1} ({one.lemma}) holds between a concept and a relation; it takes "
                    "two of one kind."
                )
        for k in range(len(self)):
            if any(not 0 <= n < len(self.sentences) for n in self.node(k).sentences):
                lemma = self.node(k).lemma
                raise MensuraError(f"{what}: {lemma} is from a sentence that is not there.")

    def __len__(self) -> int:
        return len(self.concepts) + len(self.relations)

    def node(self, number: int) -> Concept | Verb:
        """The node with a number."""
        count = len(self.concepts)
        return self.concepts[number] if number < count else self.relations[number - count]

    @cached_property
    def orders(self) -> tuple[int, ...]:
        """Of each node: 0 for a concept, 1 for a relation between concepts, one more for one between relations."""
        found = [0] * len(self.concepts)
        for one in self.relations:
            found.append(1 + max(found[one.subject], found[one.object]))
        return tuple(found)

    def told(self, number: int) -> str:
        """A node in words: a concept by its name, a relation by all that it is about."""
        if number < len(self.concepts):
            return spoken(self.concepts[number].lemma)
        one = self.relations[number - len(self.concepts)]
        parts = [self.told(one.subject), spoken(one.lemma), self.told(one.object)]
        if self.orders[number] > 1:
            return f"({parts[0]}) {parts[1]} ({parts[2]})"
        return " ".join([parts[0], "not", *parts[1:]] if one.negated else parts)

    def triples(self) -> list[tuple[str, str, str]]:
        """Subject, verb and object of each relation between concepts, as lemmas."""
        return [
            (self.concepts[one.subject].lemma, one.lemma, self.concepts[one.object].lemma)
            for one in self.relations
            if one.subject < len(self.concepts)
        ]

    def passages(self, number: int) -> list[str]:
        """The sentences that a node is from."""
        return [self.sentences[k] for k in self.node(number).sentences]

    def of_sentences(self, wanted: Sequence[int]) -> Skeleton:
        """What of it is from some sentences alone."""
        keep = set(wanted)
        chosen = [k for k in range(len(self)) if keep & set(self.node(k).sentences)]
        return self.part(chosen)

    def part(self, nodes: Sequence[int]) -> Skeleton:
        """These relations with all that they are about; other concepts are left out."""
        count = len(self.concepts)
        needed = {k for k in nodes if k >= count}
        for k in range(len(self) - 1, count - 1, -1):
            if k in needed:
                one = self.relations[k - count]
                needed |= {one.subject, one.object}
        order = sorted(needed)
        place = {old: new for new, old in enumerate(order)}
        return Skeleton(
            tuple(self.concepts[k] for k in order if k < count),
            tuple(
                one._replace(subject=place[one.subject], object=place[one.object])
                for one in (self.relations[k - count] for k in order if k >= count)
            ),
            self.sentences,
            self.name,
        )

    def categorized(self, categories: Sequence[str]) -> Skeleton:
        """The same with the rhetorical category of each sentence on its nodes: that of the first sentence of a node."""

        def marked(node: Any) -> Any:
            return node._replace(category=categories[node.sentences[0]] if node.sentences else "")

        return replace(
            self,
            concepts=tuple(map(marked, self.concepts)),
            relations=tuple(map(marked, self.relations)),
        )


def spoken(lemma: str) -> str:
    """A lemma as one says it: "rebel general" of "rebel_general"."""
    return lemma.replace("_", " ")
