"""An environment that is perturbed: what is seen, done and told of it comes out otherwise, by draws of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, draw, fold, unit
from mensura.agent.spaces import Box, Discrete, Record, Space
from mensura.core.around import ReplayedEnvironment
from mensura.core.chance import generator
from mensura.core.contract import Environment, Turn
from mensura.pictures.picture import Picture
from mensura.worlds.perturbed.kernels import blurring as kernel
from mensura.worlds.perturbed.kernels.blurring import (
    ACTED,
    ACTION_DROPPED,
    DROPPED,
    KINDS,
    PERTURBED,
    REWARD,
    SEEN,
    State,
)
from mensura.worlds.perturbed.operators import delay, distractions, length_of, shortened
from mensura.worlds.perturbed.values import distorted, noisy

STEP = 0.1
"""How far a number without meaning walks at a turn."""
NOTHING = "distraction"
"""The field of observations that holds numbers without meaning."""
INNER = "observation"
"""The field that holds the observation where it is no record itself."""

ALONE = np.zeros(0, np.int64)
"""Of an environment that is not one of many."""

_WALK, _SECOND, _AGAIN = range(KINDS, KINDS + 3)


@dataclass
class Senses:
    """What is on its way to and from a seat."""

    turns: int = 0
    """How often it was shown something."""
    actions: int = 0
    """How often it acted."""
    coming: deque[Any] = field(default_factory=deque)
    """Observations, the newest last."""
    going: deque[Any] = field(default_factory=deque)
    """Actions, the newest last."""
    rewards: deque[float] = field(default_factory=deque)
    """What it is to be told, the newest last."""
    seen: Any = None
    """What it was shown last."""
    walks: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Numbers that mean nothing."""


class PerturbedEnvironment(ReplayedEnvironment):
    """An environment in which operators act, each by its strength."""

    def __init__(
        self,
        inner: Environment,
        description: Any,
        strengths: Mapping[str, float],
        fixed: Key,
        bounded: bool,
        whole: frozenset[str],
        longest: int | None,
        second: Environment | None,
    ) -> None:
        super().__init__(inner, description)
        self._strengths = {name: value for name, value in strengths.items() if value > 0.0}
        self._bent = {kind: fold(fixed, kind) for kind in (SEEN, ACTED)}
        """The keys of fixed distortions, of what is seen and what is done."""
        self._bounded = bounded
        self._whole = whole
        self._longest = longest
        """How many interactions the world inside says that an episode has at most."""
        self._second = second
        self._check()
        self.state = self._new_state()
        """What is on its way, where observations are rows of numbers and actions are listed."""
        self._senses: list[Senses] = []
        self._stream: Key = 0
        self._streams: dict[tuple[int, int], Key] = {}
        """The keys of what is drawn for seats, by kind and seat."""
        self._turn = Turn((), (), ())
        self._count = 0
        """Interactions of the environment itself."""
        self._aside: Turn | None = None
        """Where the other environment is, while it is its turn."""
        self._rounds = 0
        """How many turns there were, of both."""
        self._second_turn = Turn((), (), ())

    def _check(self) -> None:
        """Raise in a sentence where an operator cannot act here."""
        for seat in self.inner.seats:
            done = self.inner.spaces(seat.index)[1]
            if "distraction-actions" in self._strengths and not isinstance(done, Discrete):
                raise MensuraError(
                    "distraction-actions adds to a list of actions, and here an action is something else."
                )
        if "scarcity-horizon" in self._strengths and self.inner.horizon is None:
            raise MensuraError("scarcity-horizon shortens a horizon, and here is none.")
        late = [one for one in self._strengths if one.endswith("-latency")]
        if late and self._longest == 1:
            raise MensuraError(
                f"{late[0]} needs more than one interaction, and here an episode has one."
            )

    def _new_state(self) -> State | None:
        spaces = [self.inner.spaces(seat.index) for seat in self.inner.seats]
        seen, done = spaces[0]
        rowed = isinstance(seen, Record) and seen.flat and isinstance(done, Discrete)
        if not rowed or any(one != spaces[0] for one in spaces):
            return None
        return state_of(
            self._strengths,
            [(cast(Record, seen), cast(Discrete, done))],
            len(spaces),
            int(self.inner.default(0)),
            self._bounded,
            self._whole,
        )

    # What a seat is told

    @property
    def horizon(self) -> int | None:
        """How many interactions an episode has; not known where another environment takes its turns between."""
        return length_of(self.inner.horizon, self._strengths)

    def spaces(self, seat: int) -> tuple[Space, Space]:
        """Those of the environment, with room for what distracts."""
        return distracting(self._strengths, *self.inner.spaces(seat))

    def legal(self, seat: int, action: Any) -> bool:
        """Whether the seat may play this action now; those that do nothing it always may."""
        if self._idle(seat, action):
            return True
        where = self.inner if self._aside is None or self._second is None else self._second
        return where.legal(seat, action)

    def _idle(self, seat: int, action: Any) -> bool:
        if "distraction-actions" not in self._strengths:
            return False
        own = self.inner.spaces(seat)[1]
        return self.spaces(seat)[1].contains(action) and not own.contains(action)

    def picture(self, seat: int | None = None) -> Picture | None:
        """The true moment; what a seat sees is not drawn where that is something else."""
        if seat is not None and any(
            one.startswith(("observation", "distraction")) for one in self._strengths
        ):
            return None
        found: Picture | None = super().picture(seat)
        return found

    def decided(self) -> bool:
        """Whether nothing can change any more inside; with another environment between, something always can."""
        return self._second is None and super().decided()

    # The course of an episode

    def begin(self, key: Key) -> Turn:
        """Start an episode, and the draws of its perturbations."""
        self._stream = fold(key, PERTURBED)
        self._streams = {}
        self._senses = [Senses() for _ in self.inner.seats]
        if self.state is not None:
            kernel.begin_door(self.state, np.uint64(key))
        self._count, self._rounds, self._aside = 0, 0, None
        if self._second is not None:
            self._second_turn = self._second.reset(fold(self._drawn(_SECOND), 0))
        return self._shown(self.inner.reset(key))

    def go_on(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        """Take actions as they arrive, and show what comes of them as it is seen."""
        if self._aside is not None:
            return self._back(actions, seconds)
        due = self._turn.due
        arrived = [self._arrived(seat, one) for seat, one in zip(due, actions, strict=True)]
        turn = self.inner.step(arrived, seconds)
        self._count += 1
        left = self.inner.horizon
        if (
            turn.ended is None
            and left is not None
            and self._count >= shortened(left, self._strength("scarcity-horizon"))
        ):
            turn = self._cut(turn)
        return self._shown(turn)

    def _cut(self, turn: Turn) -> Turn:
        """The end of an episode whose time is scarce: all seats are due, others than those that are see nothing new."""
        now = dict(zip(turn.due, zip(turn.observations, turn.rewards, strict=True), strict=True))
        seats = tuple(seat.index for seat in self.inner.seats)
        last = [now.get(seat, (self._senses[seat].seen, 0.0)) for seat in seats]
        rewards = dict(zip(turn.due, turn.shown_rewards, strict=True))
        return Turn(
            seats,
            [seen for seen, _ in last],
            [reward for _, reward in last],
            "truncated",
            [rewards.get(seat, 0.0) for seat in seats],
        )

    def _shown(self, turn: Turn) -> Turn:
        """A turn as the seats see it; now and then another environment comes first."""
        self._turn = turn
        rewards = zip(turn.due, turn.shown_rewards, strict=True)
        told = [self._told(seat, value) for seat, value in rewards]
        self._rounds += 1
        chance = self._strength("distraction-task") / 2.0
        if (
            self._second is not None
            and turn.ended is None
            and unit(draw(self._drawn(_AGAIN), self._rounds, 0)) < chance
        ):
            self._aside = self._second_turn
            seen = self._all_seen(turn.due, self._second_turn.observations)
            return Turn(turn.due, seen, turn.rewards, None, told)
        seen = self._all_seen(turn.due, turn.observations)
        return Turn(turn.due, seen, turn.rewards, turn.ended, told)

    def _back(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        """The other environment has had its turn: its rewards are told and do not count."""
        assert self._second is not None
        due = self._turn.due
        played = [
            self._second.default(seat) if self._idle(seat, one) else one
            for seat, one in zip(due, actions, strict=True)
        ]
        other = self._second.step(played, seconds)
        rewards = other.rewards
        if other.ended is not None:
            other = self._second.reset(fold(self._drawn(_SECOND), self._rounds))
        self._second_turn, self._aside = other, None
        seen = self._all_seen(due, self._turn.observations)
        return Turn(due, seen, [0.0] * len(due), None, list(rewards))

    def _all_seen(self, due: Sequence[int], observations: Any) -> list[Any]:
        return [self._seen(seat, one) for seat, one in zip(due, observations, strict=True)]

    # One seat

    def _strength(self, name: str) -> float:
        return self._strengths.get(name, 0.0)

    def _drawn(self, kind: int, seat: int = 0) -> Key:
        """The stream of what is drawn of a kind, for a seat."""
        if (kind, seat) not in self._streams:
            self._streams[kind, seat] = fold(fold(self._stream, kind), seat)
        return self._streams[kind, seat]

    def _happens(self, kind: int, seat: int, number: int, probability: float) -> bool:
        """Whether what has this probability happens to a seat, the so-manieth time that it may."""
        return unit(draw(self._drawn(kind, seat), number, 0)) < probability

    def _chance(self, kind: int, seat: int, number: int) -> np.random.Generator:
        """What is drawn for a seat, the so-manieth of its kind."""
        return generator(fold(self._drawn(kind, seat), number))

    def _seen(self, seat: int, value: Any) -> Any:
        """What a seat sees of an observation, now or in place of it."""
        senses, space = self._senses[seat], self.inner.spaces(seat)[0]
        bent, noise = self._strength("observation-distortion"), self._strength("observation-noise")
        number = senses.turns
        senses.turns += 1
        if bent:
            value = distorted(space, value, bent, self._bent[SEEN], self._whole)
        if self.state is not None:
            if self._blurred:
                numbers = np.frombuffer(value.tobytes(), np.float64).copy()
                kernel.show_door(self.state, seat, numbers)
                value = np.frombuffer(numbers.tobytes(), cast(Record, space).dtype)[0]
            else:
                self.state.counted[seat, kernel.TURNS] += 1
            senses.seen = value
            return self._distracted(seat, space, value) if self._walks else value
        if noise:
            value = noisy(space, value, noise, self._chance(SEEN, seat, number), self._whole)
        late = delay(self._strength("observation-latency"))
        dropped = self._strength("observation-dropped")
        if late or dropped:
            value = deepcopy(value)  # what an environment gives may be changed by its next step
        if late:
            value = _delayed(senses.coming, value, late)
        if dropped and number and self._happens(DROPPED, seat, number, dropped):
            value = senses.seen
        senses.seen = value
        return self._distracted(seat, space, value) if self._walks else value

    @cached_property
    def _blurred(self) -> bool:
        """Whether what is seen may be other than what is there, but for distortions."""
        names = ("observation-noise", "observation-latency", "observation-dropped")
        return any(name in self._strengths for name in names)

    @property
    def _walks(self) -> int:
        return distractions(self._strength("distraction-observations"))

    def _distracted(self, seat: int, space: Space, value: Any) -> Any:
        """An observation with numbers beside it that walk at random between 0 and 1."""
        senses = self._senses[seat]
        rng = self._chance(_WALK, seat, senses.turns)
        if not senses.walks.size:
            senses.walks = rng.random(self._walks)
        moved = senses.walks + STEP * rng.uniform(-1.0, 1.0, self._walks)
        senses.walks = 1.0 - np.abs(1.0 - np.abs(moved))  # reflected at both ends
        return _beside(space, self.spaces(seat)[0], value, senses.walks)

    def _told(self, seat: int, reward: float) -> float:
        """What a seat is told of its reward."""
        senses = self._senses[seat]
        noise, late = self._strength("reward-noise"), delay(self._strength("reward-latency"))
        if self.state is not None:
            return float(kernel.tell_door(self.state, seat, reward)) if noise or late else reward
        if noise and senses.turns:  # at first there is none
            rng = self._chance(REWARD, seat, senses.turns)
            reward += float(2.0 * noise * rng.standard_normal())
            reward = min(1.0, max(-1.0, reward)) if self._bounded else reward
        if late:
            waiting = senses.rewards
            waiting.append(reward)
            reward = waiting.popleft() if len(waiting) > late else 0.0
        return reward

    def _arrived(self, seat: int, action: Any) -> Any:
        """The action that arrives for the one that a seat chose."""
        if self._idle(seat, action):
            action = self.inner.default(seat)
        senses, space = self._senses[seat], self.inner.spaces(seat)[1]
        bent, noise = self._strength("action-distortion"), self._strength("action-noise")
        number = senses.actions
        senses.actions += 1
        if bent:
            action = distorted(space, action, bent, self._bent[ACTED])
        if noise and self.state is None:
            action = noisy(space, action, noise, self._chance(ACTED, seat, number))
        late = delay(self._strength("action-latency"))
        if self.state is not None:
            action = int(kernel.arrive_door(self.state, seat, int(action)))
            fits = action != kernel.MISSING and self.inner.legal(seat, action)
            return action if fits else self.inner.default(seat)
        if late:
            senses.going.append(action)
            if len(senses.going) <= late:
                return self.inner.default(seat)
            action = senses.going.popleft()
        dropped = self._strength("action-dropped")
        if dropped and self._happens(ACTION_DROPPED, seat, number, dropped):
            return self.inner.default(seat)
        changed = bent or noise or late
        return (
            self.inner.default(seat) if changed and not self.inner.legal(seat, action) else action
        )


def distracting(strengths: Mapping[str, float], seen: Space, done: Space) -> tuple[Space, Space]:
    """The spaces of a seat, with room for what distracts."""
    more = distractions(strengths.get("distraction-observations", 0.0))
    if more:
        fields = seen.fields if isinstance(seen, Record) else ((INNER, seen),)
        seen = Record((*fields, (NOTHING, Box(0.0, 1.0, (more,)))))
    added = distractions(strengths.get("distraction-actions", 0.0))
    if added and isinstance(done, Discrete):
        done = Discrete(done.n + added, done.start)
    return seen, done


def with_distractions(
    strengths: Mapping[str, float], seen: Space, blank: Any, done: Space
) -> tuple[Space, Any, Space]:
    """Spaces and a blank observation, with room for what distracts."""
    wide, actions = distracting(strengths, seen, done)
    return wide, blank if wide == seen else _beside(seen, wide, blank, 0.0), actions


def _beside(space: Space, wide: Space, value: Any, walks: Any) -> Any:
    """An observation with numbers that mean nothing beside it."""
    assert isinstance(wide, Record)
    names = [name for name, _ in wide.fields[:-1]]
    parts = {name: value[name] for name in names} if isinstance(space, Record) else {INNER: value}
    if not wide.flat:
        return {**parts, NOTHING: walks}
    out = np.zeros((), wide.dtype)
    for name, part in parts.items():
        out[name] = part
    out[NOTHING] = walks
    return out[()]


def without_distractions(space: Space, value: Any, recorded: bool) -> Any:
    """An observation of a space inside, out of one with numbers beside it."""
    if not recorded:
        return value[INNER]
    assert isinstance(space, Record)
    if not space.flat:
        return {name: value[name] for name, _ in space.fields}
    out = np.zeros((), space.dtype)
    for name, _ in space.fields:
        out[name] = value[name]
    return out[()]


def _delayed(coming: deque[Any], value: Any, late: int) -> Any:
    """What was there so many turns ago, or at first."""
    coming.append(value)
    if len(coming) > late + 1:
        coming.popleft()
    return coming[0]


def state_of(
    strengths: Mapping[str, float],
    spaces: Sequence[tuple[Record, Discrete]],
    seats: int,
    default: int,
    bounded: bool,
    whole: frozenset[str],
    kind: npt.NDArray[np.int64] = ALONE,
) -> State:
    """What compiled rules need to know of a perturbation, and where they keep what is on its way."""
    names = ("observation-latency", "action-latency", "reward-latency")
    seen, done, told = (delay(strengths.get(name, 0.0)) for name in names)
    return kernel.new_state(
        dict(strengths), (seen, done, told), spaces, seats, default, bounded, whole, kind
    )
