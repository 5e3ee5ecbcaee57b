"""Analogies between texts, for Python: ``from mensura import analogy``.

a, b = analogy.skeleton(story), analogy.skeleton("other.pdf")
found = analogy.map(a, b)
print(found.score, found.inferences)
best = analogy.Corpus("papers").rank(a)
"""

from __future__ import annotations

from collections.abc import Mapping as Table
from pathlib import Path

from mensura.agent.errors import MensuraError
from mensura.texts.corpus import Corpus, Novelty, Ranked
from mensura.texts.documents import skeleton_of_file, skeleton_of_text
from mensura.texts.mapping import Inference, Mapping, Options, Pair, map_skeletons
from mensura.texts.reading import Part
from mensura.texts.skeletons import Skeleton
from mensura.texts.solving import Effort
from mensura.texts.wordnet import Senses

__all__ = [
    "Corpus", "Inference", "Mapping", "Novelty", "Options", "Pair", "Ranked", "Skeleton", "map", "skeleton",
]  # fmt: skip


def skeleton(text: str | Path, part: Part = "all") -> Skeleton:
    """The skeleton of a text in English, or of a file: a :class:`~pathlib.Path`, or the name of one that is there.

    Files are texts (.txt, .md, .pdf), or skeletons themselves (.yaml, .graphml).
    """
    if isinstance(text, Path):
        return skeleton_of_file(text, part)
    if len(text) < 500 and "\n" not in text and Path(text).is_file():
        return skeleton_of_file(Path(text), part)
    return skeleton_of_text(text)


def map(
    source: Skeleton | str | Path,
    target: Skeleton | str | Path,
    *,
    semantics: float = 1.0,
    senses: Senses = "common",
    required: Table[str, str] | None = None,
    effort: int = 1,
) -> Mapping:
    """How a source maps onto a target: pairs, scores, what is left, and what the source suggests of the target.

    Where the best mapping is not proved, an ``effort`` above 1 searches so many times as long.
    """
    if effort < 1:
        raise MensuraError(f"The effort is at least 1, not {effort}.")
    one, two = (k if isinstance(k, Skeleton) else skeleton(k) for k in (source, target))
    return map_skeletons(
        one, two, Options(semantics, senses, required or {}, Effort().times(effort))
    )
