"""A folder of texts as skeletons, each parsed once, and the analogies of a text to all of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.texts.documents import DRAWN, files_in, skeleton_of_file, skeleton_of_text
from mensura.texts.mapping import Likeness, Mapping, Options, map_skeletons
from mensura.texts.reading import Part, read_document
from mensura.texts.skeletons import Concept, Skeleton, Verb
from mensura.texts.solving import QUICK, Problem
from mensura.texts.structure import Structure

if TYPE_CHECKING:
    from mensura.texts.graph_stores import SkeletonStore

READER = "1"
"""Of parser and rules: raised when a text gets another skeleton, so that none is taken from a store by mistake."""
Tell = Callable[[str], None]
BRIEFLY = Options(effort=QUICK)


class Ranked(NamedTuple):
    """A text of a corpus, and how the target maps."""

    name: str
    mapping: Mapping


class Novelty(NamedTuple):
    """How far a text is from all of a corpus."""

    value: float
    """1 minus the highest AS."""
    percentile: float
    """The share of the corpus's own texts that are less novel against the others, in percent; ties count half."""
    compared: int
    """How many of its texts that is of."""
    by_structure: Ranked
    by_words: str
    """The text whose words are nearest (TF-IDF)."""
    likeness_by_words: float


@dataclass
class Corpus:
    """The texts of a folder; what cannot be read is left out, and listed in ``left_out``."""

    folder: Path
    part: Part = "all"
    store: SkeletonStore | None = None
    tell: Tell | None = None
    structures: dict[str, Structure] = field(init=False, default_factory=dict)
    texts: dict[str, str] = field(init=False, default_factory=dict)
    left_out: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Read all texts."""
        self.folder = Path(self.folder)
        files = files_in(self.folder)
        for number, path in enumerate(files, 1):
            name = str(path.relative_to(self.folder))
            if self.tell:
                self.tell(f"{number} of {len(files)}: {name}")
            try:
                text, skeleton = read_once(path, self.part, self.store)
            except MensuraError as error:
                self.left_out[name] = str(error)
                continue
            self.texts[name] = text
            self.structures[name] = Structure(skeleton)
        if not self.structures:
            raise MensuraError(
                f"No text in {self.folder} could be used. The first: {next(iter(self.left_out.values()))}"
            )

    def __len__(self) -> int:
        return len(self.structures)

    def forget(self, name: str) -> None:
        """Leave a text out of all that follows, as the target itself."""
        del self.structures[name], self.texts[name]
        if not self.structures:
            raise MensuraError(f"There is no other text in {self.folder}.")

    def rank(
        self, target: Skeleton | str, top: int = 10, options: Options | None = None
    ) -> list[Ranked]:
        """The texts with the highest AS as sources of a target, best first.

        Texts are taken in the order of a bound on AS. Those whose bound is below the last of the best are not mapped,
        and the result is that of mapping all.
        """
        if top < 1:
            raise MensuraError(f"At least 1 text is ranked, not {top}.")
        goal = Structure(target if isinstance(target, Skeleton) else skeleton_of_text(target))
        return self._best(goal, list(self.structures), top, options or BRIEFLY)

    def all_scores(
        self, target: Skeleton | str, options: Options | None = None
    ) -> Iterator[Ranked]:
        """Each text with its mapping, none left out."""
        goal = Structure(target if isinstance(target, Skeleton) else skeleton_of_text(target))
        for name, structure in self.structures.items():
            yield Ranked(name, map_skeletons(structure, goal, options or BRIEFLY))

    def _best(
        self, goal: Structure, names: Sequence[str], top: int, options: Options
    ) -> list[Ranked]:
        bounds = {name: score_bound(self.structures[name], goal, options) for name in names}
        best: list[Ranked] = []
        for name in sorted(names, key=lambda name: (-bounds[name], name)):
            if len(best) >= top and bounds[name] < best[top - 1].mapping.score:
                break
            best.append(Ranked(name, map_skeletons(self.structures[name], goal, options)))
            best = sorted(best, key=lambda one: (-one.mapping.score, one.name))[:top]
        return best

    def novelty(
        self,
        text: str,
        target: Skeleton | None = None,
        among: int = 50,
        options: Options | None = None,
    ) -> Novelty:
        """How novel a text is against this corpus: 1 minus its highest AS, beside that of ``among`` of its own texts.

        These are evenly spread over the folder; each is compared with all others.
        """
        from mensura.texts.word_vectors import tf_idf

        if len(self) < 2:
            raise MensuraError(
                f"{self.folder} has one text that can be used; novelty is measured against two and more."
            )
        options = options or BRIEFLY
        goal = Structure(target or skeleton_of_text(text))
        nearest = self._best(goal, list(self.structures), 1, options)[0]
        names = list(self.structures)
        places = np.linspace(0, len(names) - 1, min(among, len(names))).round().astype(int)
        highest = []
        for k in places.tolist():
            others = [name for name in names if name != names[k]]
            found = self._best(self.structures[names[k]], others, 1, options)
            highest.append(found[0].mapping.score)
        ours = nearest.mapping.score
        below = sum(1.0 if one > ours else 0.5 if one == ours else 0.0 for one in highest)
        vectors = tf_idf([text, *self.texts.values()])
        alike = vectors[1:] @ vectors[0]
        by_words = int(np.argmax(alike))
        return Novelty(
            1.0 - ours, 100.0 * below / len(highest), len(highest), nearest,
            names[by_words], float(alike[by_words]),
        )  # fmt: skip


def score_bound(one: Structure, two: Structure, options: Options) -> float:
    """No mapping of the two has a higher AS.

    AS = J x S is the sum of Lin over the pairs by (V1 + V2 - m). No concept and no relation adds more than the best
    that it is like, and m is at most all concepts and as many relations as the bound of the mapper allows.
    """
    tables = Likeness(one.skeleton, two.skeleton, options.senses)
    problem = Problem(one, two, tables.concepts, tables.relations)
    relations = problem.bound()
    concepts = min(one.concepts, two.concepts, 2 * relations + len(options.required))
    likeness = _most(tables.concepts, concepts) + _most(tables.relations, relations)
    return likeness / (one.nodes + two.nodes - concepts - relations) + 1e-9


def _most(table: Any, count: int) -> float:
    """The most that so many pairs are like."""
    sides = [np.sort(table.max(axis=axis, initial=0.0))[::-1][:count].sum() for axis in (0, 1)]
    return float(min(sides))


# What is kept


def read_once(path: Path, part: Part, store: SkeletonStore | None) -> tuple[str, Skeleton]:
    """The text of a file with its skeleton, which is taken from the store if it is there and kept if it is not."""
    if path.suffix.lower() in DRAWN:
        skeleton = skeleton_of_file(path)
        words = [skeleton.node(k).lemma.replace("_", " ") for k in range(len(skeleton))]
        return " ".join(skeleton.sentences) or " ".join(words), skeleton
    text = read_document(path, part)
    return text, kept_or_made(text, path.stem, store)


def kept_or_made(text: str, name: str, store: SkeletonStore | None) -> Skeleton:
    """The skeleton of a text, from the store if it is there."""
    if store is None:
        return skeleton_of_text(text, name)
    digest = hashlib.blake2b(f"{READER}\0{name}\0{text}".encode(), digest_size=16).hexdigest()
    known = store.skeletons([digest])
    if digest in known:
        return from_json(known[digest])
    skeleton = skeleton_of_text(text, name)
    store.keep_skeleton(digest, to_json(skeleton))
    return skeleton


def to_json(skeleton: Skeleton) -> bytes:
    """The skeleton as bytes."""
    plain = [skeleton.concepts, skeleton.relations, skeleton.sentences, skeleton.name]
    return json.dumps(plain, separators=(",", ":")).encode()


def from_json(data: bytes) -> Skeleton:
    """The skeleton of bytes that :func:`to_json` wrote."""
    concepts, relations, sentences, name = json.loads(data)

    def whole(row: list[Any]) -> list[Any]:
        return [tuple(one) if isinstance(one, list) else one for one in row]

    return Skeleton(
        tuple(Concept(*whole(row)) for row in concepts),
        tuple(Verb(*whole(row)) for row in relations),
        tuple(sentences),
        name,
    )
