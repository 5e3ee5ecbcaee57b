"""A subject in its seats that is perturbed from inside: in what it has learned, its process, its parts, its messages.

What the operators do is listed in :mod:`mensura.studies.inside`. Nothing is perturbed in training, except in those
episodes of it that come after the calm ones where a study says how many these are: so recovery can be measured.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import partial

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, choice, draw, fold, key, prf, unit
from mensura.agent.memory import Corruption, Damage, Loss, saved
from mensura.agent.task import Message
from mensura.agent.waiting import Waiting, finish
from mensura.core.players import (
    Player,
    Renewed,
    asking,
    cpu_seconds,
    printed_by,
    renewing,
    told_measures,
)
from mensura.studies.inside import (
    COMPONENT,
    CPU_SHARE,
    KILLED,
    MEMORY_CORRUPTION,
    MEMORY_LOSS,
    MESSAGES_LATE,
    MESSAGES_LOST,
    UNREADABLE,
    Strengths,
    lateness,
    processor_share,
)

SOON = 10
"""Where nobody knows how long an episode will be, who is killed in it is killed in one of so many first turns."""

_WHETHER, _WHEN = range(2)


class InsidePlayer:
    """A player that is asked through the operators, each by its strength above 0."""

    def __init__(
        self, player: Player, seated: Renewed, strengths: Strengths, calm: int, seed: Key
    ) -> None:
        """``player`` is asked; ``seated`` is the subject behind it. ``calm``: training episodes before anything acts, 0
        for all of them. ``seed``: of the draws of perturbations, which have a stream of their own."""
        self.player = player
        self._seated = seated
        self._strengths = strengths
        self._calm = calm
        self._keys = {name: key(seed, "inside", name) for name in strengths}
        self._share = processor_share(strengths.get(CPU_SHARE, 0.0))
        self._delay = lateness(strengths.get(MESSAGES_LATE, 0.0))
        self._unreadable = False
        self._lived = 0
        """How often its life began anew."""
        self._episodes = 0
        self._forget()
        self.cpu_seconds = partial(cpu_seconds, player)
        self.printed = partial(printed_by, player)

    def _forget(self) -> None:
        """A life begins: nothing has been done to the subject."""
        self._unreadable = False
        self._trained = 0
        self._hurt = False
        self._off: tuple[str, ...] = ()
        self._acts = False
        self._begins: list[Ask] = []
        self._memory: bytes | None = None
        self._turn = 0
        self._kill_at = -1
        self._told: deque[Mapping[int, Message]] = deque()

    @property
    def speakers(self) -> frozenset[int]:
        """The seats whose members tell before they act."""
        return self.player.speakers

    def measures(self) -> Mapping[str, float]:
        """What the subject tells of its own, and whether its memory could not be read again."""
        told = told_measures(self.player)
        return {**told, UNREADABLE: 1.0} if self._unreadable else told

    def save(self) -> bytes | None:
        """What the subject has learned."""
        return saved(self.player)

    def renew(self) -> None:
        """:meth:`renewing`, waiting on the spot."""
        finish(self.renewing())

    def renewing(self) -> Waiting[None]:
        """The subject sits down anew, and nothing has been done to it."""
        yield from renewing(self.player)
        self._lived += 1
        self._forget()

    def close(self) -> None:
        """The sitting is over."""
        self.player.close()

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """:meth:`asking`, waiting on the spot."""
        return finish(self.asking(asks))

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """Do to the subject what is due, and ask it."""
        if asks and asks[0].kind == "begin":
            yield from self._begin(asks)
        if not self._acts:
            return (yield from asking(self.player, asks))
        if asks and asks[0].kind == "act":
            if self._turn == self._kill_at:
                yield from self._kill()
            asks = self._hearing(asks)
            self._turn += 1
        if self._share < 1.0:
            asks = [ask._replace(deadline=ask.deadline * self._share) for ask in asks]
        answers = yield from asking(self.player, asks)
        if self._share < 1.0:
            answers = [one._replace(seconds=one.seconds / self._share) for one in answers]
        return answers

    # Before and in an episode

    def _begin(self, asks: list[Ask]) -> Waiting[None]:
        """An episode begins: damage what was learned, if it is time, and see whether the subject will be killed."""
        learning = asks[0].task is not None and asks[0].task.learning
        self._acts = not learning or 0 < self._calm <= self._trained
        self._trained += learning
        if not self._acts:
            return
        if not self._hurt:
            self._hurt = True
            yield from self._hurt_memory()
            yield from self._switch_off()
        self._turn, self._kill_at = 0, -1
        self._told.clear()
        self._begins = asks
        self._episodes += 1
        if KILLED in self._strengths:
            stream = self._keys[KILLED]
            if unit(draw(stream, self._episodes, _WHETHER)) < self._strengths[KILLED]:
                horizon = (asks[0].task.horizon if asks[0].task else None) or SOON
                self._kill_at = choice(stream, self._episodes, _WHEN, horizon)
                try:
                    self._memory = saved(self._seated)
                except MensuraError:
                    self._memory, self._unreadable = None, True

    def _hurt_memory(self) -> Waiting[None]:
        """Save, damage, and sit down with what is left; nothing is left of a memory that is lost wholly."""
        for name, damage in self._damages():
            if name == MEMORY_LOSS and self._strengths[name] >= 1.0:
                yield from self._seated.restoring(None)
                continue
            try:
                memory = saved(self._seated)
                if memory is not None:
                    memory = self._seated.damaged(memory, damage)
            except MensuraError:
                self._unreadable = True
                yield from self._seated.restoring(None)
            else:
                if memory is not None:
                    yield from self._restore(memory)

    def _damages(self) -> list[tuple[str, Damage]]:
        found: list[tuple[str, Damage]] = []
        if MEMORY_LOSS in self._strengths:
            stream = fold(self._keys[MEMORY_LOSS], self._lived)
            found.append((MEMORY_LOSS, Loss(self._strengths[MEMORY_LOSS], stream)))
        if MEMORY_CORRUPTION in self._strengths:
            stream = fold(self._keys[MEMORY_CORRUPTION], self._lived)
            found.append(
                (MEMORY_CORRUPTION, Corruption(self._strengths[MEMORY_CORRUPTION] / 8, stream))
            )
        return found

    def _restore(self, memory: bytes | None) -> Waiting[None]:
        if not (yield from self._seated.restoring(memory)):
            self._unreadable = True

    def _switch_off(self) -> Waiting[None]:
        """Switch a share of the components off; at a larger share the same and more."""
        if COMPONENT in self._strengths:
            stream = fold(self._keys[COMPONENT], self._lived)
            names = self._seated.components
            order = sorted(range(len(names)), key=lambda i: prf(stream, i, 0))
            count = int(self._strengths[COMPONENT] * len(names) + 0.5)
            self._off = tuple(names[i] for i in order[:count])
        try:
            yield from self._seated.switching_off(self._off)
        except MensuraError as error:
            self._seated.leave(str(error))

    def _kill(self) -> Waiting[None]:
        """The subject is gone, and comes back as it was before the episode, of which it is told again."""
        self._kill_at = -1
        yield from self._restore(self._memory)
        yield from self._switch_off()
        yield from asking(self._seated, self._begins)

    def _hearing(self, asks: list[Ask]) -> list[Ask]:
        """The asks with what reaches each seat of what was told; what a seat told itself it always knows."""
        lost = self._strengths.get(MESSAGES_LOST, 0.0)
        if not (lost or self._delay) or asks[0].heard is None:
            return asks
        now = asks[0].heard
        self._told.append(now)
        late: Mapping[int, Message] = {}
        if len(self._told) > self._delay:
            late = self._told.popleft()
        return [self._heard(ask, now, late, lost) for ask in asks]

    def _heard(
        self, ask: Ask, now: Mapping[int, Message], late: Mapping[int, Message], lost: float
    ) -> Ask:
        heard = {
            seat: message
            for seat, message in late.items()
            if seat != ask.seat and not (lost and self._is_lost(seat, ask.seat, lost))
        }
        if ask.seat in now:
            heard[ask.seat] = now[ask.seat]
        return ask._replace(heard=dict(sorted(heard.items())))

    def _is_lost(self, speaker: int, listener: int, probability: float) -> bool:
        stream = fold(fold(fold(self._keys[MESSAGES_LOST], self._episodes), speaker), listener)
        return unit(draw(stream, self._turn, 0)) < probability
