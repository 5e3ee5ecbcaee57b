"""A subject that compares what is said by sentence embeddings: topic, without structure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mensura.worlds.analogies.subjects.reader import Reader


class Embedding(Reader):
    """Chooses what is told of in the most similar sentences, by a network's vectors (`mensura[embeddings]`)"""

    def counterparts(
        self, stories: Sequence[str], asked: Sequence[str], answers: Sequence[str]
    ) -> list[list[float]]:
        """How similar all that is told of each answer is to all that is told of what is asked about."""
        from mensura.texts.embeddings import embedded

        mine = embedded([_about(stories[0], name) for name in asked])
        theirs = embedded([_about(stories[1], name) for name in answers])
        return [[float(one) for one in row] for row in mine @ theirs.T]

    def inferred(self, stories: Sequence[str], answers: Sequence[str]) -> list[float]:
        """How similar each answer is to a sentence of the first story, at most."""
        from mensura.texts.embeddings import embedded

        rows = embedded(_sentences(stories[0]))
        return [float(one) for one in (embedded(answers) @ rows.T).max(axis=1)]

    def analogous(self, stories: Sequence[str]) -> list[float]:
        """How similar each story is to the first."""
        from mensura.texts.embeddings import embedded

        rows = embedded(stories)
        return [float(one) for one in rows[1:] @ rows[0]]


def _sentences(story: str) -> list[str]:
    return [one.strip() + "." for one in story.split(".") if one.strip()]


def _about(story: str, name: Any) -> str:
    """The sentences that tell of something, which is called "it" in them: its name would give away how it looks."""
    word = re.compile(rf"\b[Tt]he {re.escape(str(name).removeprefix('the '))}\b")
    told = (word.sub("it", one) for one in _sentences(story) if word.search(one))
    return " ".join(told) or "nothing"
