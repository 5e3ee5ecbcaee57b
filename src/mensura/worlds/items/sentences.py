"""Items in characters, for subjects who read, and read back from them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mensura.agent.task import Task
from mensura.worlds.items.families.family import Family
from mensura.worlds.items.observations import Seen, read_observation

NUMBERED_OPTION = re.compile(r"(?:^|\n)(\d+)\) ")


def written(seen: Seen) -> str:
    """An item in characters: what is shown, and a numbered line for each option."""
    shown = [seen.family.write(seen.shown)] if seen.shown else []
    options = [f"{number}) {seen.family.text(part)}" for number, part in enumerate(seen.options, 1)]
    return "\n".join([*shown, *options])


def read(family: Family, text: str) -> Seen:
    """The item that :func:`written` wrote."""
    shown, *rest = NUMBERED_OPTION.split(text)
    return Seen(family, family.read_shown(shown), tuple(map(family.read, rest[1::2])))


def told(families: Sequence[Family], answer: str, agreeing: bool = False) -> str:
    """What is asked, and how it is answered."""
    asked = _each([one.question for one in families], "The item is of one of several kinds: ")
    form = f" Answer with {_each([one.form for one in families], '')}." if answer == "open" else ""
    return f"{asked}{form} {answering(answer, agreeing)}"


def answering(answer: str, agreeing: bool = False) -> str:
    """How an item is answered, and what an answer is worth; ``agreeing``: it is asked what people agree on."""
    if agreeing:
        return (
            "Answer with the number of an option, as you understand the sentence; the last one says that both are "
            "possible, and 0 is no answer. You are not told what others answered."
        )
    if answer == "open":
        return "No answer at all is the empty text. A right answer brings 1, any other 0."
    return (
        "Answer with the number of an option; 0 is no answer. The right one brings 1, no answer 0, and a "
        "wrong one costs so much that guessing brings nothing on average."
    )


def _each(texts: Sequence[str], before: str) -> str:
    """One text, or several with numbers."""
    if len(texts) == 1:
        return texts[0]
    return before + " ".join(f"({number}) {text}" for number, text in enumerate(texts, 1))


class Sentences:
    """The words of the world under some parameters."""

    def __init__(self, families: Sequence[Family], answer: str, agreeing: bool = False) -> None:
        self._told = told(families, answer, agreeing)

    def rules(self, task: Task) -> str:
        """What is asked."""
        return f"You are given one item of a test. {self._told}"

    def observation(self, task: Task, observation: Any) -> str:
        """The item."""
        return written(read_observation(observation))
