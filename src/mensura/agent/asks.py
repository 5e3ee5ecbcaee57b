"""What the episode loop asks of a seat, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from mensura.agent.keys import Key
from mensura.agent.numbers import is_number
from mensura.agent.task import Message, Task

FaultKind: TypeAlias = Literal["raised", "late", "illegal", "died", "garbled"]
"""What can be wrong with an answer."""

ALARM = "alarm"
"""What an answer to "end" may hold, and the measure of the episode: how sure the subject is, from 0 to 1, that
something was unlike what it knows; of several seats the highest."""


PROBES = ("predict", "plan", "explain", "model")
"""What a seat may be asked beside playing, where its subject can answer: methods of agents that take a question."""

LEFT_OUT = object()
"""The value of an answer to a probe that somebody did not want to give, which only players in this process can have."""


def is_alarm(value: Any) -> bool:
    """Whether something is a number from 0 to 1."""
    return is_number(value) and 0.0 <= value <= 1.0


class Ask(NamedTuple):
    """One thing asked of one seat."""

    kind: Literal["begin", "tell", "act", "end", "predict", "plan", "explain", "model", "wait"]
    seat: int
    observation: Any = None
    reward: float = 0.0
    heard: Mapping[int, Message] | None = None
    """With "act" in a collective: what was told in this turn, by seat."""
    deadline: float = 10.0
    """Seconds until the answer counts as late, where that can be enforced; with "wait", until when to wait."""
    decided: bool = False
    """With "tell" and "act": whether no answer can change anything in this episode any more; who is paid for answers
    need not be asked."""
    task: Task | None = None
    """With "begin"."""
    key: Key = 0
    """With "begin": the key of the subject's own draws; tells nothing about the environment's."""
    terminated: bool = False
    """With "end"."""
    question: Any = None
    """With a probe: plain data, with what is asked in words as its "text"."""
    check: Callable[[Any], object] | None = None
    """With a probe: raises MensuraError with a sentence for an answer that is none, for whoever can correct it."""
    look: Callable[[], Any] | None = None
    """With "begin": draws what the seat may see at whatever moment of the episode it is called; None where the
    environment draws nothing."""


class Answer(NamedTuple):
    """What came back for an ask."""

    value: Any = None
    seconds: float = 0.0
    fault: tuple[FaultKind, str] | None = None
    at: float | None = None
    """When it came, by the clock of whoever keeps a journal of it: so that slots of time can be played again."""
    attachment: Any = None
    """What goes into the journal with the answer, for the player to find again: anything that JSON can write."""
