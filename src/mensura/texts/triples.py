"""Subject, verb and object, by rules on dependencies (Universal Dependencies 2).

- In the passive, the subject becomes the object and an agent ("by") the subject.
- Joined verbs share the subject, joined nouns multiply the triple; ``xcomp`` and ``advcl`` inherit the subject.
- A relative clause takes the noun that it is about.
- A noun with a preposition gives a triple of its own, "attack_from"; in the passive without an agent, of the subject.
- A copula gives "be".

A verb without a subject or an object is an attribute of what it is about only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mensura.texts.mentions import RELATIVE, Mentions, Named, Place, lemma_of
from mensura.texts.sentences import Sentence
from mensura.texts.skeletons import Concept, Skeleton, Verb

NEGATIONS = ("not", "never", "n't", "no", "neither", "nor", "hardly")
SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:outer")
CLAUSES = ("advcl", "advcl:relcl")
CONTROLLING = frozenset((
    "advise", "allow", "ask", "beg", "command", "convince", "enable", "encourage", "force", "help", "instruct",
    "invite", "order", "permit", "persuade", "teach", "tell", "train", "urge", "warn",
))  # fmt: skip
"""Verbs whose object does what follows: "asked the wizard to help"."""
CONNECTIVES = frozenset((
    "because", "since", "so", "that", "unless", "after", "before", "when", "while", "if", "although", "though",
    "until", "as", "once", "whereas", "in_order", "so_that", "even_if", "even_though", "as_if", "provided",
    "lest",
))  # fmt: skip
LINKING = frozenset((
    "therefore", "thus", "hence", "consequently", "however", "then", "nevertheless", "instead", "afterwards",
    "meanwhile", "otherwise",
))  # fmt: skip
"""Adverbs that link a sentence to the one before."""


class Triple(NamedTuple):
    """Who does what to whom, with the word of the verb."""

    subject: Named
    lemma: str
    head: str
    object: Named
    at: Place
    negated: bool
    modifiers: tuple[str, ...]


def skeleton_of(sentences: Sequence[Sentence], name: str = "") -> Skeleton:
    """The skeleton of parsed sentences."""
    reader = _Reader(sentences)
    return reader.skeleton(name)


class _Reader:
    """Applies the rules to a text."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._in = Mentions(sentences)
        self._attributes: dict[Named, list[str]] = {}
        self._sentences_of: dict[Named, list[int]] = {}

    def skeleton(self, name: str) -> Skeleton:
        """All nodes, in the order of the text; connectives come last."""
        triples: list[Triple] = []
        first_of: dict[Place, int] = {}
        for place in self._in.all_places:
            self._note(place)
            if self._is_verb(place) or self._copula(place):
                found = self._triples(place)
                if found:
                    first_of[place] = len(triples)
                triples += found
        names = list(dict.fromkeys(n for one in triples for n in (one.subject, one.object)))
        number = {named: k for k, named in enumerate(names)}
        relations = [
            Verb(
                one.lemma, number[one.subject], number[one.object], one.head, (one.at.sentence,), one.negated,
                one.modifiers,
            )
            for one in triples
        ]  # fmt: skip
        links = self._links(first_of, len(names))
        concepts = (
            Concept(
                one.lemma, one.head, tuple(dict.fromkeys(self._sentences_of.get(one, ()))),
                tuple(dict.fromkeys(self._attributes.get(one, ()))),
            )
            for one in names
        )  # fmt: skip
        texts = tuple(
            one.text or " ".join(t.form for t in one.tokens) for one in self._in.sentences
        )
        return Skeleton(tuple(concepts), (*relations, *links), texts, name)

    # Concepts

    def _note(self, place: Place) -> None:
        """Remember the sentences of a concept, and its adjectives."""
        for named in self._in.concepts(place):
            self._sentences_of.setdefault(named, []).append(place.sentence)
            words = [
                self._lemma(one) for one in self._in.children(place, "amod", "nummod", "nmod:poss")
            ]
            self._attributes.setdefault(named, []).extend(words)

    def _lemma(self, place: Place) -> str:
        return lemma_of(self._in.token(place))

    def _named(self, places: Sequence[Place]) -> list[Named]:
        """The concepts of words and of all that are joined to them."""
        found: list[Named] = []
        for place in places:
            for one in self._in.joined(place):
                found += self._in.concepts(one)
        return list(dict.fromkeys(found))

    # Verbs

    def _is_verb(self, place: Place) -> bool:
        token = self._in.token(place)
        if token.relation.split(":")[0] in (
            "aux",
            "cop",
            "amod",
            "compound",
            "case",
            "mark",
            "fixed",
        ):
            return False
        return token.upos in ("VERB", "AUX")

    def _copula(self, place: Place) -> bool:
        return bool(self._in.children(place, "cop"))

    def _is_predicate(self, place: Place) -> bool:
        return self._is_verb(place) or self._copula(place)

    def _is_passive(self, place: Place) -> bool:
        if self._in.children(place, "aux:pass", "nsubj:pass"):
            return True
        token, head = self._in.token(place), self._in.head(place)
        if self._in.children(place, "aux", *SUBJECTS, "mark") or head is None:
            return False
        if token.relation == "conj":
            return self._is_verb(head) and self._is_passive(head) and _past(token.form, token.lemma)
        if token.relation in ("acl", *CLAUSES):
            return _past(token.form, token.lemma) and not self._in.children(place, "obj")
        return False

    def _relative(self, place: Place) -> Place | None:
        """The noun that a clause is about."""
        relation, head = self._in.token(place).relation, self._in.head(place)
        if head is not None and relation in ("acl:relcl", "acl"):
            return head
        return None

    def _subject_words(self, place: Place, depth: int = 0) -> list[Place]:
        """The words of the subject, its own or that of what it belongs to."""
        token, head = self._in.token(place), self._in.head(place)
        own = self._in.children(place, *SUBJECTS)
        about = self._relative(place)
        if own:
            return [about if about and self._stands_for(one) else one for one in own]
        if self._in.children(place, "csubj", "csubj:pass") or head is None or depth > 20:
            return []
        if token.relation == "acl:relcl" or (
            token.relation == "acl" and not self._in.children(place, "mark")
        ):
            return [head]
        if token.relation == "xcomp":
            controlled = self._in.children(head, "obj", "iobj")
            if controlled and self._is_verb(place):
                return controlled
            return self._subject_words(head, depth + 1)
        if (
            token.relation == "advcl"
            and self._lemma(head) in CONTROLLING
            and self._is_infinitive(place)
        ):
            return self._in.children(head, "obj") or self._subject_words(head, depth + 1)
        if token.relation in ("conj", *CLAUSES) and self._is_predicate(head):
            return self._subject_words(head, depth + 1)
        return []

    def _is_infinitive(self, place: Place) -> bool:
        return any(self._lemma(one) == "to" for one in self._in.children(place, "mark"))

    def _stands_for(self, place: Place) -> bool:
        token = self._in.token(place)
        return token.upos == "PRON" and token.form.lower() in RELATIVE

    def _object_words(self, place: Place) -> list[Place]:
        own = self._in.children(place, "obj")
        about = self._relative(place)
        if own:
            return [about if about and self._stands_for(one) else one for one in own]
        token, head = self._in.token(place), self._in.head(place)
        if token.relation == "conj" and head is not None:
            shared = [one for one in self._in.children(head, "obj") if one.word > place.word]
            if shared:
                return shared
        after = self._object_of_next(place)
        if after:
            return after
        left_open = (
            token.relation == "acl:relcl"
            and about is not None
            and self._in.children(place, *SUBJECTS)
            and not any(self._stands_for(one) for one in self._in.children(place))
            and not self._in.children(place, "xcomp", "ccomp", "obl")
        )
        return [about] if left_open and about is not None else []

    def _object_of_next(self, place: Place) -> list[Place]:
        """The object of a verb that is joined to this one, if nothing but commas and "and" is between the two."""
        token, head = self._in.token(place), self._in.head(place)
        first = head if token.relation == "conj" and head is not None else place
        joined = [one for one in self._in.children(first, "conj") if one.word > place.word]
        for one in joined:
            between = [Place(place.sentence, k) for k in range(place.word + 1, one.word)]
            if all(k in joined or self._in.token(k).relation in ("cc", "punct") for k in between):
                found = self._in.children(one, "obj")
                if found:
                    return found
        return []

    def _obliques(self, place: Place) -> list[tuple[str, Place]]:
        """Prepositions with their nouns."""
        found: list[tuple[str, Place]] = []
        about = self._relative(place)
        for one in self._in.children(place, "obl", "obl:agent", "iobj"):
            if self._in.token(one).relation == "iobj":
                found.append(("to", one))
                continue
            words = self._in.children(one, "case")
            if words:
                preposition = "_".join(self._preposition(word) for word in words)
                noun = about if about and self._stands_for(one) else one
                found.append((preposition, noun))
        return found

    def _preposition(self, place: Place) -> str:
        fixed = [self._lemma(one) for one in self._in.children(place, "fixed")]
        return "_".join([self._lemma(place), *fixed])

    def _verb(self, place: Place) -> tuple[str, str]:
        """What the relation is called, and the part of it that WordNet knows."""
        lemma = self._lemma(place)
        particles = [self._lemma(one) for one in self._in.children(place, "compound:prt")]
        if particles:
            return "_".join([lemma, *particles]), lemma
        return lemma, ""

    def _triples(self, place: Place) -> list[Triple]:
        if self._copula(place):
            return self._being(place)
        lemma, head = self._verb(place)
        subjects = self._named(self._subject_words(place))
        objects = self._named(self._object_words(place))
        obliques = self._obliques(place)
        if self._is_passive(place):
            agents = [noun for word, noun in obliques if word == "by"]
            obliques = [(word, noun) for word, noun in obliques if word != "by"]
            objects, surface = [*subjects, *objects], subjects
            subjects = self._named(agents)
            doing = subjects or surface
        else:
            doing = subjects
        found = [self._triple(place, one, lemma, head, two) for one in subjects for two in objects]
        for word, noun in obliques:
            for one in doing:
                for two in self._named([noun]):
                    name = f"{lemma}_{word}"
                    found.append(self._triple(place, one, name, head or lemma, two))
        found = [one for one in found if one.subject != one.object]
        if not found:
            for one in (*doing, *objects):
                self._attributes.setdefault(one, []).append(lemma)
        return found

    def _being(self, place: Place) -> list[Triple]:
        """What a copula says: that something is another, is at it, or is such."""
        subjects = self._named(self._subject_words(place))
        token = self._in.token(place)
        cases = [self._preposition(one) for one in self._in.children(place, "case")]
        found: list[Triple] = []
        if token.upos in ("NOUN", "PROPN", "PRON"):
            name = "_".join(["be", *cases])
            head = "be" if cases else ""
            found += [
                self._triple(place, one, name, head, two)
                for one in subjects
                for two in self._named([place])
            ]
        else:
            word = self._lemma(place)
            for one in subjects:
                self._attributes.setdefault(one, []).append(word)
            for preposition, noun in self._obliques(place):
                for one in subjects:
                    for two in self._named([noun]):
                        name = f"be_{word}_{preposition}"
                        found.append(self._triple(place, one, name, "be", two))
        return [one for one in found if one.subject != one.object]

    def _triple(self, place: Place, one: Named, lemma: str, head: str, two: Named) -> Triple:
        adverbs = [self._lemma(word) for word in self._in.children(place, "advmod", "aux")]
        negated = any(word in NEGATIONS for word in adverbs)
        kept = [word for word in adverbs if word not in (*NEGATIONS, "be", "have", "do", *LINKING)]
        above = self._in.head(place)
        if self._in.token(place).relation == "xcomp" and above is not None:
            kept.append(self._lemma(above))
        return Triple(one, lemma, head, two, place, negated, tuple(dict.fromkeys(kept)))

    # Connectives

    def _links(self, first_of: dict[Place, int], concepts: int) -> list[Verb]:
        """Relation, connective, relation: the first is what the clause with the connective belongs to."""
        found: list[Verb] = []
        last_main: int | None = None
        for place, second in first_of.items():
            for word, first in self._linked(place, first_of, last_main):
                ends = (concepts + first, concepts + second)
                found.append(Verb(word, *ends, "", (place.sentence,)))
            if self._in.begins_statement(place):
                last_main = second
        return [one for one in found if one.subject != one.object]

    def _linked(
        self, place: Place, first_of: dict[Place, int], last_main: int | None
    ) -> list[tuple[str, int]]:
        token, head = self._in.token(place), self._in.head(place)
        found = []
        if head in first_of and token.relation.split(":")[0] in ("advcl", "conj", "ccomp", "acl"):
            marks = [
                self._preposition(one) for one in self._in.children(place, "mark", "cc", "advmod")
            ]
            words = [word for word in marks if word in CONNECTIVES or word == "but"]
            if words and token.relation.split(":")[0] in ("advcl", "conj"):
                found.append(("_".join(words), first_of[head]))
        if self._in.begins_statement(place) and last_main is not None:
            words = [self._lemma(one) for one in self._in.children(place, "advmod")]
            found += [(word, last_main) for word in words if word in LINKING]
        return found


def _past(form: str, lemma: str) -> bool:
    """Whether a form may be a past participle."""
    form = form.lower()
    return not form.endswith("ing") and (form != lemma.lower() or form in _UNCHANGED)


_UNCHANGED = frozenset((
    "put", "cut", "set", "hit", "hurt", "let", "shut", "cast", "cost", "split", "spread", "read",
))  # fmt: skip
