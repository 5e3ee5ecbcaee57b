"""An action that is taken again without a request: held as the model wished, or since nothing can change any more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mensura.agent.asks import Answer, Ask
from mensura.core.observation_words import number

LONGEST_HOLD = 100
"""For so many interactions an action can be held at most."""


@dataclass
class Holding:
    """The last action of a seat in its episode, and what came of it since.

    A hold ends with the episode, or when another seat tells something. Whatever else happens, it goes on.
    """

    action: Any = None
    known: bool = False
    """Whether there is one: before the first answer, and after one that was no action, there is none."""
    left: int = 0
    """How many interactions it is still to be held for."""
    taken: int = 0
    """How often it was taken again."""
    rewards: float = 0.0
    """Of all but the last time."""

    def again(self, ask: Ask, own: int) -> Answer | None:
        """The answer to an ask for which no request is needed; None where one is.

        ``own`` is the seat in the environment: in a mixed collective a member counts its seats from 0.
        """
        heard = (ask.heard or {}).items()
        if ask.kind == "act" and any(seat != own and told is not None for seat, told in heard):
            self.left = 0
        if not self.known or not (ask.decided or self.left):
            return None
        if ask.kind == "tell":
            return Answer(attachment={"held": self.taken + 1})
        self.left = max(self.left - 1, 0)
        self.taken += 1
        self.rewards += ask.reward
        return Answer(self.action, attachment={"held": self.taken})

    def told(self, reward: float) -> str:
        """What the model is told of it, with the reward of the last time; nothing where it was not taken again."""
        if not self.taken:
            return ""
        return f"Your action was taken {self.taken + 1} times, with rewards of {number(self.rewards + reward)} in all."


def is_held(kept: Any) -> bool:
    """Whether what was kept with an answer says that it is one of these."""
    return isinstance(kept, dict) and "held" in kept
