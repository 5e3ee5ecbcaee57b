"""Subjects that read the story: what the parser gets wrong counts."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Record
from mensura.agent.task import Task

if TYPE_CHECKING:
    from mensura.texts.mapping import Mapping
    from mensura.texts.skeletons import Skeleton

_TITLE = re.compile(r"^(?:First story|Second story|Story \d+)\. ")
_ASKED = re.compile(r"corresponds to the (\S+) of the first")
_NUMBERED = re.compile(r"^\d+: (.+)$", re.MULTILINE)


class Reader(ABC):
    """Reads stories and questions, values the answers, and chooses the best, ties evenly."""

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Get ready for a problem."""
        self._rng = rng
        self._space = task.action_space

    @abstractmethod
    def counterparts(
        self, stories: Sequence[str], asked: Sequence[str], answers: Sequence[str]
    ) -> list[list[float]]:
        """Of each concept of the first story, what every answer is worth as its counterpart in the second."""

    @abstractmethod
    def inferred(self, stories: Sequence[str], answers: Sequence[str]) -> list[float]:
        """What each answer is worth as something that holds in the second story."""

    @abstractmethod
    def analogous(self, stories: Sequence[str]) -> list[float]:
        """What each story but the first is worth as the analogous one."""

    def act(self, observation: Any, reward: float) -> Any:
        """The best answer; where no story is told it guesses."""
        try:
            stories = [_TITLE.sub("", line) for line in observation["stories"].splitlines()]
            question = str(observation["question"])
        except (KeyError, TypeError, ValueError, IndexError):
            return self._guess()
        answers = [one.removeprefix("the ") for one in _NUMBERED.findall(question)]
        if isinstance(self._space, Record):
            names = [name for name, _ in self._space.fields]
            rows = self.counterparts(stories, names, answers)
            return {name: 1 + self._best(row) for name, row in zip(names, rows, strict=True)}
        asked = _ASKED.search(question)
        if asked is not None:
            return 1 + self._best(self.counterparts(stories, [asked[1]], answers)[0])
        values = self.inferred(stories, answers) if answers else self.analogous(stories)
        return 1 + self._best(values)

    def _guess(self) -> Any:
        space = self._space
        if isinstance(space, Record):
            return {name: 1 + int(self._rng.integers(_count(one))) for name, one in space.fields}
        return 1 + int(self._rng.integers(_count(space)))

    def _best(self, values: Sequence[float]) -> int:
        array = np.asarray(values, float)
        able = np.flatnonzero(array >= array.max() - 1e-12)
        return int(able[int(self._rng.integers(len(able)))])


class DrInventor(Reader):
    """Reads the stories, and maps their skeletons as Dr Inventor does (Hurley et al. 2016)"""

    def __init__(self, semantics: float = 1.0) -> None:
        self.semantics = semantics

    def counterparts(
        self, stories: Sequence[str], asked: Sequence[str], answers: Sequence[str]
    ) -> list[list[float]]:
        """1 for the answer that a concept is paired with."""
        mapping = self._mapped(*map(_skeleton, stories[:2]))
        return [_counterpart(mapping, one, answers) for one in asked]

    def inferred(self, stories: Sequence[str], answers: Sequence[str]) -> list[float]:
        """By what the best mapping suggests."""
        return _inferred(self._mapped(*map(_skeleton, stories[:2])), answers)

    def analogous(self, stories: Sequence[str]) -> list[float]:
        """AS of each story."""
        first, *others = map(_skeleton, stories)
        found = [self._mapped(first, other) for other in others]
        return [0.0 if one is None else one.score for one in found]

    def _mapped(self, one: Skeleton, two: Skeleton) -> Mapping | None:
        from mensura.texts.mapping import Options, map_skeletons
        from mensura.texts.solving import QUICK

        try:
            return map_skeletons(one, two, Options(semantics=self.semantics, effort=QUICK))
        except MensuraError:  # nothing could be read in one of them
            return None


def _count(space: Any) -> int:
    return int(space.n)


def _skeleton(text: str) -> Skeleton:
    from mensura.texts.parser import parse
    from mensura.texts.triples import skeleton_of

    return skeleton_of(parse(text))


def _counterpart(mapping: Mapping | None, asked: str, answers: Sequence[str]) -> list[float]:
    """1 for the answer that the asked concept is paired with."""
    if mapping is None:
        return [0.0] * len(answers)
    images = {
        mapping.source.node(one.source).lemma: mapping.target.node(one.target).lemma
        for one in mapping.pairs
    }
    wanted = images.get(asked)
    return [float(one == wanted) for one in answers]


def _inferred(mapping: Mapping | None, answers: Sequence[str]) -> list[float]:
    """How well each answer is what an unpaired relation of the first story becomes in the second."""
    from mensura.texts.wordnet import Word, wordnet

    if mapping is None:
        return [0.0] * len(answers)
    first = len(mapping.source.concepts)
    paired = {one.source: one.target for one in mapping.pairs}
    expected: list[tuple[str, str, str, bool]] = []
    for k, one in enumerate(mapping.source.relations, first):
        ends = [paired.get(one.subject), paired.get(one.object)]
        if one.subject < first and None not in ends:
            names = [mapping.target.node(end).lemma for end in ends if end is not None]
            expected.append((names[0], names[1], one.lemma, k not in paired))
    values = []
    for answer in answers:
        told = _skeleton(answer).triples()
        best = 0.0
        for subject, verb, thing in told:
            for left, right, lemma, free in expected:
                if (left, right) == (subject, thing):
                    lin, _ = wordnet().verbs.table([Word(lemma, "")], [Word(verb, "")], "common")
                    best = max(best, 1.0 + float(lin[0, 0]) + (1.0 if free else 0.0))
        values.append(best)
    return values
