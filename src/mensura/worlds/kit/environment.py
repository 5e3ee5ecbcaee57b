"""The environment of every world that is written as rules: one state, one generator, and the turns they make."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.agent.spaces import Discrete, Record, Several, Space, Text, from_plain
from mensura.agent.task import Seat
from mensura.core.chance import generator, generator_at
from mensura.core.contract import Ended, Turn
from mensura.core.row_environment import NO_STATE
from mensura.pictures.picture import Picture
from mensura.worlds.kit.description import BaseDescription
from mensura.worlds.kit.state import State, from_bytes, to_bytes

if TYPE_CHECKING:
    from mensura.worlds.kit.world import BaseWorld


class StepEnvironment:
    """Lets the rules of a world play: ``start``, ``observe``, ``advance``, and whatever else the world overrides."""

    def __init__(self, rules: BaseWorld, description: BaseDescription) -> None:
        self.rules = rules
        self.description = description
        groups = rules.seats(description)
        if not groups:
            raise MensuraError(
                f"seats of {type(rules).__name__} gave no seat; there is at least one."
            )
        self.seats = tuple(Seat(i, group, rules.rights_of(i)) for i, group in enumerate(groups))
        self._everybody = tuple(range(len(groups)))
        self._spaces = tuple(rules.spaces(description, i) for i in self._everybody)
        self._taken = tuple(map(_taking, (action for _, action in self._spaces)))
        self._shown = tuple(map(_taking, (observation for observation, _ in self._spaces)))
        self._most: int | None = description.drawn.get("horizon", rules.horizon)
        self._ends_early = rules.overrides("ended")
        self._due_rule = rules.due if rules.overrides("due") else None
        self._legal_rule = rules.legal if rules.overrides("legal") else None
        self._observe, self._advance = rules.observe, rules.advance
        self._timed = rules.takes("advance", "seconds")
        self.open_floor = rules.overrides("opens_floor") and rules.opens_floor(description)
        self._tells = not rules.overrides("tells_rewards") or rules.tells_rewards(description)
        self.state = State(description)
        self._ended: Ended | None = "truncated"  # until the first reset
        self._started = False

    @property
    def horizon(self) -> int | None:
        """How many interactions an episode has, where that is fixed: not where the world may end it before."""
        return None if self._ends_early else self._most

    def spaces(self, seat: int) -> tuple[Space, Space]:
        """The observation and action spaces of a seat."""
        return self._spaces[seat]

    def reset(self, key: Key) -> Turn:
        """Start an episode; the same key starts the same one."""
        self._rng = generator(key)
        self.state = State(self.description)
        self._owed = [0.0] * len(self.seats)
        self._acted = [0] * len(self.seats)
        self._started = True
        self.rules.start(self.state, self._rng)
        return self._turn()

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        """Take the actions of the seats last due, in their order."""
        if self._ended is not None:
            raise MensuraError("The episode has not begun or is over; reset the environment first.")
        due, taken, acted, owed, state = self._due, self._taken, self._acted, self._owed, self.state
        if len(actions) != len(due):
            raise MensuraError(f"{len(due)} seats are due, and {len(actions)} actions were given.")
        chosen = {}
        for seat, action in zip(due, actions, strict=True):
            chosen[seat] = action if type(action) is int else taken[seat](action)
            acted[seat] += 1
            owed[seat] = 0.0
        if self._timed:
            spent = dict(zip(due, map(float, seconds), strict=True))
            rewards = self._advance(state, chosen, self._rng, seconds=spent)  # type: ignore[call-arg]
        else:
            rewards = self._advance(state, chosen, self._rng)
        if len(rewards) != len(owed):
            raise MensuraError(
                f"advance of {type(self.rules).__name__} gave {len(rewards)} rewards for {len(owed)} seats; it gives "
                "one for each seat, also for those that were not due."
            )
        state.interaction += 1
        for seat, reward in enumerate(rewards):
            owed[seat] += float(reward)
        if self.open_floor:
            self._until_somebody_is_due()
        return self._turn()

    # An open floor

    def _until_somebody_is_due(self) -> None:
        """Without a clock, time goes on by itself where nobody may speak."""
        rules, state = self.rules, self.state
        while rules.ended(state) is None and not rules.due(state):
            self._gain(rules.pass_time(state, rules.next_event(state)))

    def next_event(self) -> float:
        """When something happens by itself."""
        return self.rules.next_event(self.state)

    def pass_time(self, at: float) -> Turn:
        """Let time go on."""
        self._owed = [0.0] * len(self.seats)
        self._gain(self.rules.pass_time(self.state, at))
        return self._turn()

    def speak(self, seat: int, action: Any, at: float) -> Turn:
        """The action of one seat, at its time."""
        self._owed = [0.0] * len(self.seats)
        self._gain(self.rules.pass_time(self.state, at))
        self._acted[seat] += 1
        self._gain(self._advance(self.state, {seat: self._taken[seat](action)}, self._rng))
        self.state.interaction += 1
        return self._turn()

    def is_silence(self, seat: int, action: Any) -> bool:
        """Whether an action says nothing."""
        return self.rules.silence(self.state, seat, action)

    def _gain(self, rewards: Sequence[float] | None) -> None:
        for seat, reward in enumerate(rewards or ()):
            self._owed[seat] += float(reward)

    def _turn(self) -> Turn:
        """Whose turn it is now, what they see, and what they gained since their last one.

        The horizon is counted in actions of a seat: where seats act in turn, the episode is over when one that has
        acted so often is due again, so that all have acted equally often.
        """
        state, acted = self.state, self._acted
        due = self._everybody
        ended = self.rules.ended(state) if self._ends_early else None
        if ended is None:
            if self._due_rule is not None:
                due = self._who_is_due(self._due_rule(state))
            most = self._most
            if most is not None:
                for seat in due:
                    if acted[seat] >= most:
                        ended, due = "truncated", self._everybody
                        break
        self._ended, self._due = ended, due
        shown, observe, owed = self._shown, self._observe, self._owed
        observations = []
        for seat in due:
            value = observe(state, seat)
            observations.append(value if type(value) is int else shown[seat](value))
        told = None if self._tells else [0.0] * len(due)
        return Turn(due, observations, [owed[seat] for seat in due], ended, told)

    def _who_is_due(self, seats: Sequence[int]) -> tuple[int, ...]:
        due = tuple(seats)
        if (
            (not due and not self.open_floor)
            or len(set(due)) < len(due)
            or not set(due) <= set(self._everybody)
        ):
            raise MensuraError(
                f"due of {type(self.rules).__name__} gave {due}; it gives at least one of the seats "
                f"{self._everybody}, each once."
            )
        return due

    def legal(self, seat: int, action: Any) -> bool:
        """Whether the seat may play this action now."""
        if not self._spaces[seat][1].contains(action):
            return False
        return self._legal_rule is None or bool(self._legal_rule(self.state, seat, action))

    def default(self, seat: int) -> Any:
        """The action that is played for a seat whose subject gave none."""
        return self.rules.default(self.state, seat)

    def snapshot(self) -> bytes:
        """The episode as JSON: the state, the generator, what seats are still owed and how often they acted."""
        if not self._started:
            raise MensuraError("There is no episode to write down; reset the environment first.")
        kept = {name: value for name, value in vars(self.state).items() if name != "description"}
        return to_bytes(
            {
                "state": kept,
                "random": self._rng.bit_generator.state,
                "owed": self._owed,
                "acted": self._acted,
            }
        )

    def restore(self, state: bytes) -> Turn:
        """Go back to a snapshot, and show the turn of that moment again."""
        try:
            told = from_bytes(state)
            restored = State(self.description, **told["state"])
            rng = generator_at(told["random"])
            owed, acted = list(told["owed"]), list(told["acted"])
            known = all(type(one) is int and one >= 0 for one in (*acted, restored.interaction))
            known = known and all(math.isfinite(one) for one in owed)
        except Exception as error:
            raise MensuraError(
                f"This is no snapshot of an environment of {self.rules.id}."
            ) from error
        if not len(owed) == len(acted) == len(self.seats):
            raise MensuraError("This is a snapshot of an environment with another number of seats.")
        self._ended, self._started = "truncated", False  # until all is well
        self.state, self._rng, self._owed, self._acted = restored, rng, owed, acted
        try:
            turn = self._turn()
            spaces = (self._spaces[seat][0] for seat in turn.due)
            seen = zip(spaces, turn.observations, strict=True)
            known = known and all(space.contains(one) for space, one in seen)
        except Exception as error:
            self._ended = "truncated"
            raise MensuraError(
                f"This is no snapshot of an environment of {self.rules.id}."
            ) from error
        if not known:
            self._ended = "truncated"
            raise MensuraError(NO_STATE)
        self._started = True
        return turn

    # What is optional

    def instructions(self, seat: int) -> str:
        """What a seat is told about its task before it begins."""
        return self.rules.instructions(self.description, seat)

    def measures(self) -> Mapping[str, float]:
        """What the episode tells of itself beside the rewards."""
        return self.rules.figures(self.state)

    def picture(self, seat: int | None = None) -> Picture:
        """The moment as a picture: all of it, or what a seat may see."""
        return self.rules.picture(self.state, seat)


def _taking(space: Space) -> Callable[[Any], Any]:
    """How a value of a space is taken in: in the form of the space, with memory of its own, so that whoever gave it
    cannot change it later."""
    if isinstance(space, Discrete):
        return lambda value: int(value) if isinstance(value, np.integer) else value
    if isinstance(space, Text):
        return lambda value: value
    if isinstance(space, Several) and isinstance(space.space, Text):
        return _list_of_texts
    if isinstance(space, Record) and not space.flat:
        parts = tuple((name, _taking(one)) for name, one in space.fields)
        return partial(_mapping_of, parts)
    return lambda value: own_copy(from_plain(space, value))


def _list_of_texts(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("not a list")
    return value[:]


def _mapping_of(parts: tuple[tuple[str, Callable[[Any], Any]], ...], value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) != len(parts):
        raise ValueError("not an object with the names of the record")
    return {name: one if type(one := value[name]) is int else take(one) for name, take in parts}


def own_copy(value: Any) -> Any:
    """A value that shares no memory with another."""
    if isinstance(value, (np.ndarray, np.void)):
        return value.copy()
    if isinstance(value, dict):
        return {name: own_copy(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(own_copy, value))
    return value
