"""WordNet's nouns and verbs: senses, what is above them, and Lin's similarity by information content.

One compact file (``data/wordnet.npz``, made by :mod:`mensura.texts.wordnet_files`) has WordNet 3.0 with how often
senses were tagged. The information content of a synset is -log p, p its share of the tags of all synsets of its part
of speech, one added to each, summed upwards. Lin (1998): 2 IC(c) / (IC(a) + IC(b)), c the most informative common
ancestor.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.core.archives import arrays

Part = Literal["n", "v"]
Senses = Literal["common", "first", "all"]
COMMON = 0.9
"""Of a lemma's tagged occurrences, so much is common."""
FILE = Path(__file__).parent / "data" / "wordnet.npz"

LEXICOGRAPHER_FILES = (
    "adj.all", "adj.pert", "adv.all", "noun.Tops", "noun.act", "noun.animal", "noun.artifact",
    "noun.attribute", "noun.body", "noun.cognition", "noun.communication", "noun.event", "noun.feeling",
    "noun.food", "noun.group", "noun.location", "noun.motive", "noun.object", "noun.person", "noun.phenomenon",
    "noun.plant", "noun.possession", "noun.process", "noun.quantity", "noun.relation", "noun.shape",
    "noun.state", "noun.substance", "noun.time", "verb.body", "verb.change", "verb.cognition",
    "verb.communication", "verb.competition", "verb.consumption", "verb.contact", "verb.creation",
    "verb.emotion", "verb.motion", "verb.perception", "verb.possession", "verb.social", "verb.stative",
    "verb.weather", "adj.ppl",
)  # fmt: skip

DETACHMENTS: dict[Part, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
        ("men", "man"), ("ies", "y"),
    ),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
}  # fmt: skip
"""Endings that morphy takes off, and what it puts there (morphy(7WN))."""


class Word(NamedTuple):
    """A lemma with the lemma that stands for it where WordNet does not have it, as "general" for "rebel_general"."""

    lemma: str
    head: str = ""


class Likeness(NamedTuple):
    """Lin's similarity of two words, and the synset that both have above them; -1: none."""

    lin: float
    ancestor: int


class Lexicon:
    """One part of speech."""

    def __init__(self, part: Part, arrays: Any) -> None:
        def array(name: str, dtype: Any = np.int64) -> Any:
            return arrays[f"{part}_{name}"].astype(dtype)

        def text(name: str) -> list[str]:
            return arrays[f"{part}_{name}"].tobytes().decode("ascii").split("\n")  # type: ignore[no-any-return]

        self.part = part
        self.lemmas = text("lemmas")
        self._sense_begins = _begins(array("sense_counts"))
        self._senses, self._tags = array("senses"), array("tags")
        self._parent_begins, self._parents = _begins(array("parent_counts")), array("parents")
        self._files: list[int] = array("lexicographer_files").tolist()
        self._names: list[int] = array("names").tolist()
        self.counts = array("counts")
        self.total = int(array("total"))
        self.content = -np.log(self.counts / self.total)
        self.content[self.counts == self.total] = 0.0  # not -0
        pairs = (line.split() for line in text("exceptions"))
        self._exceptions = dict(pairs)
        self._least = np.full(len(self.counts), np.inf)
        self._stack = np.zeros(256, np.int64)
        self._looked_up: dict[tuple[str, str], Any] = {}

    def __contains__(self, lemma: str) -> bool:
        return self._place(lemma) >= 0

    def _place(self, lemma: str) -> int:
        k = bisect_left(self.lemmas, lemma)
        return k if k < len(self.lemmas) and self.lemmas[k] == lemma else -1

    def synsets(self, lemma: str, senses: Senses = "all") -> Any:
        """The senses of a lemma as synsets, commonest first; none where it is not in WordNet."""
        found = self._looked_up.get((lemma, senses))
        if found is None:
            found = self._looked_up[lemma, senses] = self._looked(lemma, senses)
        return found

    def _looked(self, lemma: str, senses: Senses) -> Any:
        k = self._place(lemma)
        if k < 0:
            return self._senses[:0]
        begin, end = self._sense_begins[k], self._sense_begins[k + 1]
        if senses == "first":
            end = begin + 1
        elif senses == "common":
            tags = self._tags[begin:end]
            reached = np.cumsum(tags) >= COMMON * tags.sum()
            end = begin + 1 + int(np.argmax(reached))
        return self._senses[begin:end]

    def tagged(self, lemma: str) -> int:
        """How often its senses were tagged, all together."""
        k = self._place(lemma)
        if k < 0:
            return 0
        return int(self._tags[self._sense_begins[k] : self._sense_begins[k + 1]].sum())

    def parents(self, synset: int) -> list[int]:
        """The synsets right above one."""
        begin, end = self._parent_begins[synset : synset + 2]
        return self._parents[begin:end].tolist()  # type: ignore[no-any-return]

    def ancestors(self, synset: int) -> set[int]:
        """A synset and all above it."""
        found, left = {synset}, [synset]
        while left:
            for parent in self.parents(left.pop()):
                if parent not in found:
                    found.add(parent)
                    left.append(parent)
        return found

    def name(self, synset: int) -> str:
        """The first word of a synset."""
        return self.lemmas[self._names[synset]]

    def supersense(self, synset: int) -> str:
        """The name of its lexicographer file, such as noun.person."""
        return LEXICOGRAPHER_FILES[self._files[synset]]

    def supersenses(self, lemma: str, senses: Senses = "all") -> list[str]:
        """Those of the senses of a lemma, in their order, each once."""
        return list(dict.fromkeys(self.supersense(one) for one in self.synsets(lemma, senses)))

    def morphy(self, form: str) -> str | None:
        """The lemma of an inflected form, or None: an exception, the form itself, or one by taking off an ending."""
        form = form.lower().replace(" ", "_")
        if form in self._exceptions:
            return self._exceptions[form]
        if form in self:
            return form
        if self.part == "n" and form.endswith("ss"):
            return None
        for ending, instead in DETACHMENTS[self.part]:
            if form.endswith(ending):
                lemma = form.removesuffix(ending) + instead
                if lemma in self:
                    return lemma
        return None

    def is_irregular(self, form: str) -> bool:
        """Whether a form has a lemma that no ending tells."""
        return form in self._exceptions

    def known(self, word: Word) -> str:
        """What of a word is looked up: the lemma where WordNet has it, else its head."""
        return word.lemma if word.lemma in self or not word.head else word.head

    def table(
        self, words: Sequence[Word], others: Sequence[Word], senses: Senses = "common"
    ) -> tuple[Any, Any]:
        """Lin's similarity between each word and each of the others, and the synset that they have above them.

        Equal lemmas have 1; words that WordNet does not have, and those with only the root in common, 0.
        """
        from mensura.texts.kernels.lin import lin_table

        check_senses(senses)
        looked = [self.known(word) for word in (*words, *others)]
        numbers = [self.synsets(lemma, senses) for lemma in looked]
        begins = _begins(np.array([len(one) for one in numbers], np.int64))
        flat = np.concatenate([self._senses[:0], *numbers])
        room = 64 * (len(flat) + 1)
        lin = np.zeros((len(words), len(others)))
        found = np.full(lin.shape, -1, np.int64)
        lin_table(
            begins, flat, len(words), self._parent_begins, self._parents, self.content, self._least, self._stack,
            np.zeros(room, np.int64), np.zeros(len(others) + 1, np.int64), np.zeros(room), found, lin,
        )  # fmt: skip
        places: dict[str, list[int]] = {}
        for k, lemma in enumerate(looked[len(words) :]):
            places.setdefault(lemma, []).append(k)
        for i, lemma in enumerate(looked[: len(words)]):
            if lemma in places:
                lin[i, places[lemma]] = 1.0
        return lin, found

    def likeness(self, one: str, two: str, senses: Senses = "common") -> Likeness:
        """Lin's similarity of two lemmas, with their most informative common ancestor."""
        lin, found = self.table([Word(one)], [Word(two)], senses)
        return Likeness(float(lin[0, 0]), int(found[0, 0]))

    def lin_of_synsets(self, one: int, two: int) -> float:
        """Lin's similarity of two senses, by its definition."""
        common = self.ancestors(one) & self.ancestors(two)
        content = max((float(self.content[k]) for k in common), default=0.0)
        both = float(self.content[one] + self.content[two])
        return 2.0 * content / both if both else 0.0


def _begins(counts: Any) -> Any:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def check_senses(senses: str) -> None:
    """Raise if it is none of the choices of senses."""
    if senses not in get_args(Senses):
        raise MensuraError(f"senses={senses} is unknown; {', '.join(get_args(Senses))} are known.")


class WordNet:
    """Nouns and verbs."""

    def __init__(self, file: Path = FILE) -> None:
        self._file = file

    @cached_property
    def _arrays(self) -> dict[str, Any]:
        return arrays(self._file)

    @cached_property
    def nouns(self) -> Lexicon:
        return Lexicon("n", self._arrays)

    @cached_property
    def verbs(self) -> Lexicon:
        return Lexicon("v", self._arrays)


@cache
def wordnet() -> WordNet:
    """What is shipped, read once."""
    return WordNet()


def supersenses(noun: str, senses: Senses = "common") -> list[str]:
    """The supersenses of a noun in any form, as noun.person; none where WordNet does not have it."""
    nouns = wordnet().nouns
    lemma = nouns.morphy(noun)
    return nouns.supersenses(lemma, senses) if lemma else []
