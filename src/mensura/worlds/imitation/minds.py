"""The subjects of the world by name.

Each can sit anywhere: a witness who has to judge tosses a coin, and a judge who is asked replays what a person said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mensura.agent.keys import Key
from mensura.agent.spaces import Text
from mensura.agent.task import Task
from mensura.worlds.imitation.judges import Coin, Judge, Skeptic
from mensura.worlds.imitation.witnesses import Eliza, Parrot, Replay, Silent, Witness
from mensura.worlds.kit.minds import Mind

WITNESSES: Mapping[str, Callable[[], Witness]] = {
    "eliza": Eliza,
    "replay": Replay,
    "parrot": Parrot,
    "silent": Silent,
}
JUDGES: Mapping[str, Callable[[], Judge]] = {"coin": Coin, "skeptic": Skeptic}


class Anywhere:
    """A mind for the seat that it is given."""

    def __init__(self, witness: Callable[[], Witness], judge: Callable[[], Judge]) -> None:
        self._makers = witness, judge
        self._mind: Witness | Judge = witness()

    def begin_with_key(self, task: Task, key: Key) -> None:
        """Sit down as a witness or as a judge."""
        witness, judge = self._makers
        self._mind = witness() if isinstance(task.action_space, Text) else judge()
        self._mind.begin_with_key(task, key)

    def act(self, observation: Any, reward: float) -> Any:
        """As the one or the other."""
        return self._mind.act(observation, reward)


def _mind(named: Any, witness: Callable[[], Witness], judge: Callable[[], Judge]) -> Mind:
    def make() -> Anywhere:
        return Anywhere(witness, judge)

    make.__doc__ = named.__doc__
    return Mind(make)


MINDS: Mapping[str, Mind] = {
    **{name: _mind(one, one, Coin) for name, one in WITNESSES.items()},
    **{name: _mind(one, Replay, one) for name, one in JUDGES.items()},
}
