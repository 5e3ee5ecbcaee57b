"""A visit: one environment, looked into while it is played by a subject or by hand, step by step and back again.

It plays the one loop (:func:`mensura.core.loop.play`) with the keys of ``mensura watch``: the same seed, environment
and subject give the same episode there. Whoever visits may choose an action in the place of a seat's own; the subject
is asked all the same. Going back plays the episode again from its start with the actions that were played, training
included, so that environment and subject are exactly as they were.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event, Lock
from time import monotonic
from typing import Any, NamedTuple

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.agent.spaces import UNFIT, Box, action_from_plain, to_plain
from mensura.agent.task import Limits
from mensura.assessments.battery import RESET
from mensura.core.abilities import (
    describe_from_json,
    horizon_of,
    hosting,
    is_readable,
    training_of,
)
from mensura.core.contract import Environment, Episode, Stopped, Turn
from mensura.core.loop import Asking, Standing, play, shown
from mensura.core.players import Player, Subject, drive
from mensura.pictures.view import view_of
from mensura.web.research import worlds
from mensura.web.research.marks import Marks

SECONDS_AT_ONCE = 2.0
"""After so long the rest of them is left for the next time."""
MOST_TRAINING = 200_000
"""Interactions of all training episodes together."""
SECONDS_OF_TRAINING = 30.0

_LIMITS = Limits(faults=1_000_000_000)
"""A faulty seat is asked again and again, since the loop does not wait for those that it does not ask."""


@dataclass(frozen=True)
class Step:
    """One interaction, as it can be played again."""

    actions: Mapping[int, Any]
    """By seat, of those that were due."""
    seconds: Mapping[int, float]
    """What each took: a world with a clock of its own goes by it."""
    rewards: Mapping[int, float]
    """Since the seat's last turn."""
    chosen: frozenset[int]
    """The seats whose actions were chosen by hand."""
    elapsed: float = 0.0
    """Seconds from the start of the episode to its end, those left out that were gone back on."""


class Deadline(Event):
    """An event that sets itself after so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._until = monotonic() + seconds

    def is_set(self) -> bool:
        """Whether the time is over."""
        return monotonic() > self._until


class Setting(NamedTuple):
    """What an episode begins with."""

    seed: Key
    address: str
    subject: Subject | None
    training: int
    limit: float | None
    """Seconds that it may take (figure 4.4); None: as long as it takes."""
    home: Any
    """The world with what the subject needs in it."""
    description: Any
    """The environment with the rights that the subject has in it."""


class Visit:
    """An environment under way."""

    def __init__(
        self,
        home: Any,
        description: Any,
        seed: Key,
        address: str = "",
        training: int | None = None,
        limit: float | None = None,
    ) -> None:
        """``address`` is that of a built-in subject, or nothing: then all is done by hand."""
        worlds.check_description(home, description)
        self.lock = Lock()
        self.used = monotonic()
        self.made = home
        """The world that was asked for."""
        self.home = worlds.fitted(home, description)
        """The same with the seats and switches of the environment."""
        self.description = description
        self._player: Player | None = None
        self.steps: list[Step] = []
        self.marks = Marks()
        """The checkpoints that were marked."""
        self._since = 0.0
        self._setting = self._set(seed, address, training, limit)
        self._start()

    # An episode

    def begin(
        self, seed: Key, address: str, training: int | None, limit: float | None = None
    ) -> None:
        """Begin an episode from its start: with another seed, or another subject. Where it cannot, all stays."""
        before, steps = self._setting, self.steps
        self._setting, self.steps = self._set(seed, address, training, limit), []
        try:
            self._start()
        except Exception:
            self._setting, self.steps = before, steps
            self.back(len(steps))
            raise

    def _set(self, seed: Key, address: str, training: int | None, limit: float | None) -> Setting:
        subject: Subject | None = None
        home, description = self.home, self.description
        if address:
            subject = worlds.seated_by(address, home)
            home = hosting(home, subject)
            if is_readable(home):  # with the rights that the subject needs
                description = describe_from_json(home, description.to_json())
        lessons = training_of(subject) if training is None else training
        if subject is None:
            lessons = 0
        horizon = horizon_of(description) or worlds.MOST_INTERACTIONS
        if not 0 <= lessons * horizon <= MOST_TRAINING:
            raise MensuraError(
                f"{lessons} training episodes of {horizon} interactions are too many here; {MOST_TRAINING // horizon} "
                "are the most."
            )
        return Setting(seed, address, subject, lessons, limit, home, description)

    @property
    def seed(self) -> Key:
        """That of the episode."""
        return self._setting.seed

    @property
    def address(self) -> str:
        """Who plays; nothing: all is done by hand."""
        return self._setting.address

    @property
    def training(self) -> int:
        """How many training episodes went before."""
        return self._setting.training

    def _start(self) -> None:
        """Build, train, and come to the first interaction."""
        self._leave()
        _, _, subject, _, _, home, description = self._setting
        self.environment: Environment = home.build(description)
        seats = len(self.environment.seats)
        if seats > worlds.MOST_SEATS:
            raise MensuraError(
                f"{seats} seats are too many here; {worlds.MOST_SEATS} are the most."
            )
        self.view = view_of(home)
        self.ended: str | None = None
        self.episode: Episode | None = None
        self.faults: list[str] = []
        self._player = None if subject is None else subject.sit(seats)
        reset = fold(worlds.item_key(self.seed), RESET)
        own = fold(self.seed, 1)
        standing = Standing(_LIMITS.faults)
        speakers = frozenset() if self._player is None else self._player.speakers
        deadline = Deadline(SECONDS_OF_TRAINING)

        def loop(number: int, learning: bool, observers: Sequence[Any]) -> Asking:
            return play(
                self.environment,
                reset,
                world=home.id,
                seed=fold(own, number),
                learning=learning,
                speakers=speakers,
                limits=_LIMITS,
                standing=standing,
                observers=observers,
            )

        for number in range(self.training):
            assert self._player is not None
            try:
                drive(loop(number, True, ()), self._player, deadline)
            except Stopped:
                self._leave()
                raise MensuraError(
                    f"Training takes too long: {number} of {self.training} episodes took "
                    f"{SECONDS_OF_TRAINING:g} s; ask for fewer."
                ) from None
        self._turn: Turn | None = None
        self._asking = loop(self.training, False, [self, self.view])
        self._asks = next(self._asking)
        self._to_next_action()
        self._since = monotonic()

    # Time

    @property
    def limit(self) -> float | None:
        """Seconds that the episode may take; None: as long as it takes."""
        return self._setting.limit

    @property
    def left(self) -> float | None:
        """Seconds until the episode is cut off; None where it has no limit, or has ended."""
        if self.limit is None or self.ended:
            return None
        return max(0.0, self.limit - (monotonic() - self._since))

    def cut_off(self) -> bool:
        """Cut the episode off if its time is over; whether that was so."""
        over = self.left == 0.0
        if over:
            self.ended = "truncated"
        return over

    def _leave(self) -> None:
        if self._player is not None:
            self._player.close()
            self._player = None

    def close(self) -> None:
        """The visit is over."""
        self._leave()

    # The loop tells us what happens

    def started(self, environment: Environment, turn: Turn) -> None:
        """The episode begins."""
        self._turn = turn

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""
        self._turn = turn
        self._played = list(actions)

    @property
    def turn(self) -> Turn:
        """What the environment said last."""
        assert self._turn is not None
        return self._turn

    @property
    def due(self) -> tuple[int, ...]:
        """The seats that act now; none at the end."""
        return () if self.ended else tuple(ask.seat for ask in self._asks)

    def _answers(self, asks: list[Ask]) -> list[Answer]:
        if self._player is None:
            return [
                Answer(self.environment.default(ask.seat) if ask.kind == "act" else None)
                for ask in asks
            ]
        answers = self._player.answer(asks)
        for ask, answer in zip(asks, answers, strict=True):
            if answer.fault is not None:
                self.faults.append(f"seat {ask.seat}: {answer.fault[0]}: {answer.fault[1]}")
        del self.faults[:-20]
        return answers

    def _to_next_action(self) -> None:
        """Let the loop come to the next action, or to the end."""
        try:
            while self._asks[0].kind != "act":
                self._asks = self._asking.send(self._answers(self._asks))
        except StopIteration as stop:
            self.episode = stop.value
            self.ended = self.turn.ended

    # Forth and back

    def step(self, chosen: Mapping[int, Any], seconds: Mapping[int, float] | None = None) -> None:
        """Play one interaction: these actions at their seats, the subject's own at the others."""
        if self.ended:
            raise MensuraError("The episode has ended; go back, or begin another.")
        if seconds is None and self.cut_off():
            return  # an action that comes late is not played
        asks = self._asks
        for seat in chosen:
            if seat not in self.due:
                others = ", ".join(map(str, self.due))
                raise MensuraError(f"Seat {seat} does not act now; the seats that do are {others}.")
            if not self.environment.legal(seat, chosen[seat]):
                raise MensuraError(
                    f"{shown(to_plain(chosen[seat]))} is not an action of seat {seat} now."
                )
        answers = [
            Answer(
                chosen.get(ask.seat, answer.value),
                answer.seconds if seconds is None else seconds[ask.seat],
                None if ask.seat in chosen else answer.fault,
            )
            for ask, answer in zip(asks, self._answers(asks), strict=True)
        ]
        due = self.turn.due
        try:
            self._asks = self._asking.send(answers)
        except StopIteration as stop:
            self.episode = stop.value
            self.ended = self.turn.ended
        except MensuraError:
            # The rules of a task may fail in the middle of it; what was played before stays.
            self.back(len(self.steps))
            raise
        self.steps.append(
            Step(
                dict(zip(due, self._played, strict=True)),
                {ask.seat: answer.seconds for ask, answer in zip(asks, answers, strict=True)},
                dict(zip(self.turn.due, map(float, self.turn.rewards), strict=True)),
                frozenset(chosen),
                monotonic() - self._since,
            )
        )
        if not self.ended:
            self._to_next_action()

    def play(self, count: int) -> None:
        """Play up to so many interactions, as far as a moment's work goes."""
        until = monotonic() + SECONDS_AT_ONCE
        for _ in range(count):
            if self.ended or monotonic() > until:
                return
            self.step({})

    def back(self, to: int) -> None:
        """Go back to the moment after so many interactions."""
        if not 0 <= to <= len(self.steps):
            raise MensuraError(
                f"There is no interaction {to} to go back to; {len(self.steps)} were played."
            )
        kept = self.steps[:to]
        self.steps = []
        self._start()
        for one in kept:
            self.step(one.actions, one.seconds)
            self.steps[-1] = one
        self._since = monotonic() - (kept[-1].elapsed if kept else 0.0)

    def read_actions(self, given: Sequence[Any] | None) -> dict[int, Any]:
        """Actions as a page sends them, one for each seat that is due; None leaves it to the subject."""
        if given is None:
            return {}
        if len(given) != len(self.due):
            raise MensuraError(
                f"{len(given)} actions do not fit the {len(self.due)} seats that act now."
            )
        chosen = {}
        for seat, value in zip(self.due, given, strict=True):
            if value is None:
                continue
            _, space = self.environment.spaces(seat)
            if isinstance(space, Box) and not space.contains(value):
                raise MensuraError(
                    f"{shown(value)} is not an action of seat {seat}; it is {space.size} numbers from {space.low:g} "
                    f"to {space.high:g}."
                )
            try:
                chosen[seat] = action_from_plain(space, value)
            except UNFIT as error:
                raise MensuraError(f"{shown(value)} is not an action of seat {seat}.") from error
        return chosen

    # What came of it

    def totals(self) -> list[tuple[float, int]]:
        """The sum of rewards and the number of actions of each seat."""
        found = [(0.0, 0)] * len(self.environment.seats)
        for one in self.steps:
            for seat in one.actions:
                found[seat] = (found[seat][0], found[seat][1] + 1)
            for seat, reward in one.rewards.items():
                found[seat] = (found[seat][0] + reward, found[seat][1])
        return found

    def course(self, most: int = 400) -> list[tuple[int, float]]:
        """The mean reward per seat and interaction up to each interaction, at up to so many of them."""
        points: list[tuple[int, float]] = []
        total, count = 0.0, 0
        every = max(1, math.ceil(len(self.steps) / most))
        for number, one in enumerate(self.steps, 1):
            total += math.fsum(one.rewards.values())
            count += len(one.actions)
            if number % every == 0 or number == len(self.steps):
                points.append((number, total / count))
        return points
