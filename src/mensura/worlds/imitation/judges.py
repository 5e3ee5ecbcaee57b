"""Judges that are built in: they ask from a list, and decide by a coin or by a few signs of how answers are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mensura.agent.keys import Key, choice
from mensura.agent.task import Task
from mensura.worlds.imitation.records import (
    JURY,
    LABELS,
    MACHINE,
    MIDDLE,
    MOST,
    PERSON,
    SAY,
    SILENT,
    SLIDER,
    VERDICT,
    action,
)
from mensura.worlds.imitation.wording import words_of

QUESTIONS = (
    "Hello, how are you today?",
    "What did you have for breakfast?",
    "What makes you angry?",
    "What is the opposite of a duck?",
    "Describe the room that you are in.",
    "What is 34 times 17?",
    "What was your first job like?",
    "Tell me something that you regret.",
    "If my neighbor gave me his hammer, who has it now?",
    "What smell do you like, and why?",
    "Who did you last talk to, and about what?",
    "Say something that only a human would say.",
)
"""What they ask; written for Mensura."""


SIGNS = 0.25
"""Such a share of odd answers is enough to take a witness for a machine."""
ENOUGH = 5
"""So many answers of each witness are enough for a verdict."""


class Judge:
    """Asks from the list, beginning somewhere, and decides at the end."""

    def __init__(self) -> None:
        self.key: Key = 0
        self.sliders: dict[str, int] = {}

    def begin_with_key(self, task: Task, key: Key) -> None:
        """A new game."""
        self.key = key
        self.sliders = {}

    def act(self, observation: Any, reward: float) -> Any:
        """A slider if it leans otherwise now; else a question, something to other jurors, or a verdict."""
        for channel, value in self.leanings(answers_of(observation)).items():
            if self.sliders.get(channel, MIDDLE) != value:
                self.sliders[channel] = value
                return action(SLIDER, channel=channel, value=value)
        if observation["phase"] == "ask":
            asked = sum(
                one["author"] == "you" or one["author"] == "judge"
                for one in observation["messages"]
                if one["channel"] == observation["channel"]
            )
            number = (choice(self.key, 0, 0, len(QUESTIONS)) + asked) % len(QUESTIONS)
            return action(SAY, channel=observation["channel"], text=QUESTIONS[number])
        if observation["phase"] == "talk":
            return self._talk(observation)
        if observation["phase"] == "deliberate":
            return action(SAY, channel=JURY, text="I have made up my mind.")
        if observation["phase"] not in ("vote", "second vote"):
            return dict(SILENT)
        return self.verdict(answers_of(observation))

    def _talk(self, observation: Any) -> dict[str, Any]:
        """In an open exchange: a question where none is open, and a verdict when there are answers enough."""
        answers = answers_of(observation)
        asked = dict.fromkeys(observation["channels"], 0)
        for one in observation["messages"]:
            if one["author"] != "witness" and one["channel"] in asked:
                asked[one["channel"]] += 1
        for channel, count in asked.items():
            if count == len(answers.get(channel, ())) and count < ENOUGH:
                number = (choice(self.key, 0, 0, len(QUESTIONS)) + count) % len(QUESTIONS)
                return action(SAY, channel=channel, text=QUESTIONS[number])
        if all(len(answers.get(channel, ())) >= ENOUGH for channel in asked):
            return self.verdict(answers)
        return dict(SILENT)

    def leanings(self, answers: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, int]:
        """Where the sliders should be: 0 is surely a machine, 100 surely a person; by default they are let alone."""
        return {}

    def verdict(self, answers: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, Any]:
        """The verdict from questions and answers by channel."""
        raise NotImplementedError


class Coin(Judge):
    """Asks, and tosses a coin"""

    def verdict(self, answers: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, Any]:
        """Any choice, with no confidence."""
        choices = sorted(answers) if len(answers) > 1 else [PERSON, MACHINE]
        chosen = choices[choice(self.key, 1, 0, len(choices))]
        return action(VERDICT, choice=chosen, value=MIDDLE, text="a coin")


class Skeptic(Judge):
    """Takes for a machine who repeats the question or itself, or answers with questions"""

    def leanings(self, answers: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, int]:
        """On the machine's side where there are signs enough of one."""
        return {channel: leaning(suspicion(pairs)) for channel, pairs in answers.items() if pairs}

    def verdict(self, answers: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, Any]:
        """The more signs of a machine, the less a person."""
        signs = {channel: suspicion(pairs) for channel, pairs in answers.items()}
        if len(signs) == 1:
            ((_, sign),) = signs.items()
            chosen, sure = (MACHINE, sign) if sign >= SIGNS else (PERSON, 1.0 - sign)
            return action(VERDICT, choice=chosen, value=confidence(sure), text="how it answered")
        if not signs:
            return action(VERDICT, text="nobody answered")
        low, high = min(signs.values()), max(signs.values())
        best = [channel for channel, sign in signs.items() if sign <= low + 1e-9]
        chosen = best[choice(self.key, 1, 0, len(best))]
        return action(
            VERDICT, choice=chosen, value=confidence(high - low), text="how they answered"
        )


def leaning(sign: float) -> int:
    """A slider by the share of odd answers: 100 at none, below the middle from where they are enough, 0 at all."""
    if sign >= SIGNS:
        return round((MIDDLE - 1) * (1.0 - sign) / (1.0 - SIGNS))
    return round(MOST - (MOST - MIDDLE) * sign / SIGNS)


def confidence(sure: float) -> int:
    """From 50 to 100."""
    return round(MIDDLE + (MOST - MIDDLE) * min(max(sure, 0.0), 1.0))


def answers_of(observation: Any) -> dict[str, list[tuple[str, str]]]:
    """Questions and answers by channel."""
    found: dict[str, list[tuple[str, str]]] = {one: [] for one in observation["channels"]}
    question: dict[str, str] = {}
    for one in observation["messages"]:
        if one["channel"] not in LABELS:
            continue
        if one["author"] == "witness":
            found[one["channel"]].append((question.get(one["channel"], ""), one["text"]))
        else:
            question[one["channel"]] = one["text"]
    return found


def suspicion(pairs: Sequence[tuple[str, str]]) -> float:
    """The share of answers that repeat the question or an earlier answer, ask back, or are empty; 1 of none."""
    seen: set[tuple[str, ...]] = set()
    odd = 0
    for question, answer in pairs:
        words = words_of(answer)
        shared = set(words) & set(words_of(question))
        repeats = bool(words) and len(shared) > 0.6 * len(set(words))
        odd += not words or repeats or words in seen or answer.rstrip().endswith("?")
        seen.add(words)
    return odd / len(pairs) if pairs else 1.0
