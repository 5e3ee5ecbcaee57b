"""Witnesses that are built in: an engine in the manner of ELIZA, what a person once said, an echo, and silence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, choice
from mensura.agent.task import Task
from mensura.core.yaml_text import Form, Misfit, parse_yaml, read_text
from mensura.worlds.imitation.eliza import Engine, Script, own_script
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

    def __init__(self, script: Script | None = None) -> None:
        super().__init__()
        self._script = script or own_script()

    def reply(self, questions: Sequence[str]) -> str:
        """By the script."""
        engine = Engine(self._script)
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


class Lines:
    """What was answered to which question."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.pairs = tuple(pairs)
        counts = Counter(word for asked, _ in self.pairs for word in set(words_of(asked)))
        self._weights = {
            word: math.log(1 + len(self.pairs) / count) for word, count in counts.items()
        }
        """Rare words count more: the logarithm of how few questions have them."""
        self.by_similarity = lru_cache(maxsize=4096)(self._by_similarity)

    def _by_similarity(self, question: str) -> tuple[tuple[float, str], ...]:
        """All answers with how similar their questions are, the most similar first."""
        scored = [(self.similarity(question, asked), said) for asked, said in self.pairs]
        return tuple(sorted(scored, key=lambda one: -one[0]))

    def similarity(self, one: str, other: str) -> float:
        """The cosine of two questions as bags of weighted words."""
        first, second = (
            {word: self._weights.get(word, 1.0) for word in words_of(text)} for text in (one, other)
        )
        dot = sum(first[word] * second[word] for word in first.keys() & second.keys())
        norms = math.sqrt(sum(v * v for v in first.values()) * sum(v * v for v in second.values()))
        return dot / norms if norms else 0.0


class Replay(Witness):
    """Says what a consenting person said to the most similar question"""

    def __init__(self, lines: Lines | None = None) -> None:
        super().__init__()
        self._lines = lines or own_lines()

    def reply(self, questions: Sequence[str]) -> str:
        """The answer to the most similar question that was not given yet; ties are drawn."""
        used: set[str] = set()
        said = ""
        for number, question in enumerate(questions):
            scored = self._lines.by_similarity(question)
            left = [(score, one) for score, one in scored if one not in used]
            if not left:
                return "you asked me that already"
            best = [one for score, one in left if score >= left[0][0] - 1e-9]
            said = best[choice(self.key, number, 0, len(best))]
            used.add(said)
        return said


@lru_cache(maxsize=1)
def own_lines() -> Lines:
    """Questions, and what was answered, as they come with Mensura."""
    text = files("mensura.worlds.imitation").joinpath("replies.yaml").read_text("utf-8")
    return Lines([(asked, said) for asked, said in yaml.safe_load(text)])


FORM = Form("file of lines", "pairs of a question and an answer", 2_000_000, 20_000)


def read_lines(path: Path) -> Lines:
    """Lines of one's own, as `mensura imitation lines` writes them."""
    try:
        text = read_text(path, FORM)
    except OSError as error:
        raise MensuraError(f"The lines {path} cannot be read: {error.strerror}.") from None
    data, lines = parse_yaml(text, str(path), FORM)
    try:
        if not isinstance(data, list) or not data:
            raise Misfit((), "Lines are a list of pairs: a question, and what was answered.")
        for number, one in enumerate(data):
            fits = isinstance(one, list) and len(one) == 2
            if not fits or not all(isinstance(text, str) and text.strip() for text in one):
                raise Misfit((number,), "A line is a pair of texts: a question, and an answer.")
    except Misfit as misfit:
        raise lines.located(misfit) from None
    return Lines([(asked, said) for asked, said in data])
