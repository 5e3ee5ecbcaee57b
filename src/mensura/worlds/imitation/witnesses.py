"""Witnesses that are built in: an engine in the manner of ELIZA, what a person once said, an echo, and silence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from mensura.core.contract import Task
from mensura.core.keys import Key, below, fold
from mensura.worlds.imitation.eliza import Engine, own_script
from mensura.worlds.imitation.wording import words_of


def questions_of(observation: Any) -> list[str]:
    """What the judge said, in order."""
    return [one["text"] for one in observation["messages"] if one["author"] == "judge"]


class Witness:
    """Says something to what the judge said last: a function of the conversation and its key, with no other memory."""

    def __init__(self) -> None:
        self.key: Key = 0
        self.longest = 300

    def begin_with_key(self, task: Task, key: Key) -> None:
        """A new conversation."""
        self.key = key
        self.longest = getattr(task.action_space, "longest", 300)

    def act(self, observation: Any, reward: float) -> Any:
        """A message; where nobody has asked anything since, silence."""
        messages = observation["messages"]
        if not messages or messages[-1]["author"] != "judge":
            return ""
        return self.reply(questions_of(observation))[: self.longest]

    def reply(self, questions: Sequence[str]) -> str:
        """What it says to the last of some questions."""
        raise NotImplementedError


class Eliza(Witness):
    """Answers by keywords and rules that turn what was said around, in the manner of Weizenbaum's ELIZA (1966)"""

    def reply(self, questions: Sequence[str]) -> str:
        """By the script."""
        engine = Engine(own_script())
        said = ""
        for one in questions:
            said = engine.answer(one)
        return said


class Parrot(Witness):
    """Says again what it was told"""

    def reply(self, questions: Sequence[str]) -> str:
        """The same."""
        return questions[-1] if questions else ""


class Silent(Witness):
    """Never says anything, so that games with it are void"""

    def reply(self, questions: Sequence[str]) -> str:
        """Nothing."""
        return ""


class Replay(Witness):
    """Says what a consenting person said to the most similar question"""

    def reply(self, questions: Sequence[str]) -> str:
        """The answer to the most similar question that was not given yet; ties are drawn."""
        used: set[str] = set()
        said = ""
        for number, question in enumerate(questions):
            left = [(score, one) for score, one in _by_similarity(question) if one not in used]
            if not left:
                return "you asked me that already"
            best = [one for score, one in left if score >= left[0][0] - 1e-9]
            said = best[below(fold(self.key, number), len(best))]
            used.add(said)
        return said


@lru_cache(maxsize=1)
def replies() -> tuple[tuple[str, str], ...]:
    """Questions, and what was answered."""
    text = files("mensura.worlds.imitation").joinpath("replies.yaml").read_text("utf-8")
    return tuple((asked, said) for asked, said in yaml.safe_load(text))


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    """Rare words count more: the logarithm of how few questions have them."""
    counts = Counter(word for asked, _ in replies() for word in set(words_of(asked)))
    return {word: math.log(1 + len(replies()) / count) for word, count in counts.items()}


@lru_cache(maxsize=4096)
def _by_similarity(question: str) -> tuple[tuple[float, str], ...]:
    """All answers with how similar their questions are, the most similar first."""
    scored = [(similarity(question, asked), said) for asked, said in replies()]
    return tuple(sorted(scored, key=lambda one: -one[0]))


def similarity(one: str, other: str) -> float:
    """The cosine of two questions as bags of weighted words."""
    weights = _weights()
    first, second = (
        {word: weights.get(word, 1.0) for word in words_of(text)} for text in (one, other)
    )
    dot = sum(first[word] * second[word] for word in first.keys() & second.keys())
    norms = math.sqrt(sum(v * v for v in first.values()) * sum(v * v for v in second.values()))
    return dot / norms if norms else 0.0
