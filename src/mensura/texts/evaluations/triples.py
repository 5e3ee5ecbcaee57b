"""How well triples are read: precision and recall on sentences that the developers annotated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mensura.agent.errors import MensuraError

FILE = Path(__file__).parents[1] / "data" / "triples.txt"
Triple = tuple[str, str, str]


class Annotated(NamedTuple):
    """A sentence with its triples."""

    sentence: str
    triples: tuple[Triple, ...]


class Found(NamedTuple):
    """What was read, against what is in the annotation."""

    wanted: int
    said: int
    right: int

    @property
    def precision(self) -> float:
        """Of the triples that were read, the share that is in the annotation."""
        return self.right / self.said if self.said else 0.0

    @property
    def recall(self) -> float:
        """Of the triples of the annotation, the share that was read."""
        return self.right / self.wanted if self.wanted else 0.0


def read_annotated(path: Path = FILE) -> list[Annotated]:
    """Sentences and triples of a file: ``sentence | subject verb object; ...``."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        sentence, mark, rest = line.partition("|")
        triples = [tuple(one.split()) for one in rest.split(";") if one.strip()]
        if not mark or any(len(one) != 3 for one in triples):
            raise MensuraError(
                f"{path}, line {number}: write a sentence, |, and triples of three words with ; between them."
            )
        found.append(Annotated(sentence.strip(), tuple((a, b, c) for a, b, c in triples)))
    return found


def triples_read(sentence: str) -> list[Triple]:
    """What our parser and rules read in a sentence by itself."""
    from mensura.texts.parser import parse
    from mensura.texts.triples import skeleton_of

    return skeleton_of(parse(sentence)).triples()


def scored(sentences: Sequence[Annotated]) -> Found:
    """How many triples are wanted, read, and right; each sentence is read by itself."""
    wanted = said = right = 0
    for one in sentences:
        read, annotated = Counter(triples_read(one.sentence)), Counter(one.triples)
        wanted += annotated.total()
        said += read.total()
        right += (read & annotated).total()
    return Found(wanted, said, right)
