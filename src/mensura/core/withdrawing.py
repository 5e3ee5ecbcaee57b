"""A world in which a subject may withdraw: one more action ends the episode, and the episode counts 0.

Whoever knows that it is out of its depth can say so in place of doing badly. After section 4.3 of Bieger, Thórisson and
others: Evaluation of General-Purpose Artificial Intelligence: Why, What & How. That the whole episode counts 0,
whatever it had brought by then, is ours: a mean of rewards could else be frozen at its best.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mensura.agent.errors import MALFORMED, MensuraError
from mensura.agent.keys import Key
from mensura.agent.spaces import Discrete, Space
from mensura.core.abilities import largest_spaces
from mensura.core.around import Around, EnvironmentAround
from mensura.core.contract import Environment, Turn, World

WITHDRAWN = "withdrawn"
"""The measure of an episode that says whether the subject withdrew, 1 or 0."""


def check_can_withdraw(world: World) -> None:
    """Raise in a sentence if nobody can withdraw from the environments of a world."""
    environment = world.build(world.sample(0))
    if len(environment.seats) != 1:
        raise MensuraError(
            f"Withdrawing is for a subject in one seat, and {world.id} has {len(environment.seats)} seats here."
        )
    if not isinstance(environment.spaces(0)[1], Discrete):
        raise MensuraError(
            f"Withdrawing is one more in a list of actions, and in {world.id} an action is something else."
        )


@dataclass(frozen=True)
class WithdrawingWorld(Around):
    """A world from whose environments one may withdraw."""

    def largest_spaces(self) -> tuple[Space, Any, Space] | None:
        """Those of the world inside, with one more action."""
        inside = largest_spaces(self.world)
        return None if inside is None else (*inside[:2], _with_withdrawing(inside[2]))

    def build(self, description: Any) -> WithdrawingEnvironment:
        """The environment of a description."""
        return WithdrawingEnvironment(self.world.build(description.inner), description)


def _with_withdrawing(done: Space) -> Discrete:
    """A list of actions and the one that withdraws."""
    assert isinstance(done, Discrete)
    return Discrete(done.n + 1, done.start)


class WithdrawingEnvironment(EnvironmentAround):
    """An environment with one seat and one more action, the last."""

    def __init__(self, inner: Environment, description: Any) -> None:
        super().__init__(inner, description)
        self._total = 0.0
        self._withdrawn = False
        self._turn = Turn((), (), ())

    @property
    def horizon(self) -> int | None:
        """Not fixed: it depends on the subject."""
        return None

    def spaces(self, seat: int) -> tuple[Space, Space]:
        """Those of the environment, with one more action."""
        seen, done = self.inner.spaces(seat)
        return seen, _with_withdrawing(done)

    def instructions(self, seat: int) -> str:
        """What the seat is told, and which action withdraws."""
        told = f"The action {self._withdrawing(seat)} withdraws: the episode ends, and counts 0."
        return "\n".join(one for one in (super().instructions(seat), told) if one)

    def _withdrawing(self, seat: int) -> int:
        done = self.inner.spaces(seat)[1]
        assert isinstance(done, Discrete)
        return done.start + done.n

    def legal(self, seat: int, action: Any) -> bool:
        """Whether the seat may play this action now; withdraw it always may."""
        if self._withdraws(seat, action):
            return True
        return self.inner.legal(seat, action)

    def _withdraws(self, seat: int, action: Any) -> bool:
        own, more = self.inner.spaces(seat)[1], self.spaces(seat)[1]
        return more.contains(action) and not own.contains(action)

    def reset(self, key: Key) -> Turn:
        """Start an episode; the same key starts the same one."""
        self._total, self._withdrawn = 0.0, False
        self._turn = self.inner.reset(key)
        return self._turn

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        """Take an action, or end the episode."""
        if self._withdrawn:
            raise RuntimeError("The episode is over: the seat withdrew.")
        (seat,) = self._turn.due
        if self._withdraws(seat, actions[0]):
            self._withdrawn = True
            return self._left()
        self._turn = self.inner.step(actions, seconds)
        self._total += sum(self._turn.rewards)
        return self._turn

    def _left(self) -> Turn:
        """The end of an episode from which the seat withdrew: it is told 0, and what it had is taken from it."""
        due, observations, *_ = self._turn
        return Turn(due, observations, [-self._total], "terminated", [0.0])

    def measures(self) -> Mapping[str, float]:
        """What the environment tells of itself, and whether the subject withdrew."""
        return {**super().measures(), WITHDRAWN: float(self._withdrawn)}

    def decided(self) -> bool:
        """Whether nothing can change any more; as long as one can withdraw, something can."""
        return False

    def snapshot(self) -> bytes:
        """The state inside, what was gained, and whether the seat is still there."""
        inside = b64encode(self.inner.snapshot()).decode()
        told = {"inner": inside, "total": self._total, "withdrawn": self._withdrawn}
        return json.dumps(told).encode()

    def restore(self, state: bytes) -> Turn:
        """Go back to a snapshot of an environment with the same description."""
        try:
            told = json.loads(state)
            self._turn = self.inner.restore(b64decode(told["inner"], validate=True))
            self._total, self._withdrawn = float(told["total"]), bool(told["withdrawn"])
        except MALFORMED as error:
            raise MensuraError("This snapshot belongs to another environment.") from error
        return self._left() if self._withdrawn else self._turn
