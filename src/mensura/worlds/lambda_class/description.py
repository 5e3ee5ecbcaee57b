"""One Lambda environment as data, and the row that the compiled rules play."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.core.compiled import plain
from mensura.core.row_environment import described
from mensura.worlds.lambda_class import text
from mensura.worlds.lambda_class.behaviors import (
    Attached,
    Behavior,
    Markov,
    Pattern,
    Random,
    Shy,
    Startled,
    actions_of,
    behavior_from_json,
    behavior_to_json,
)
from mensura.worlds.lambda_class.kernels import interaction as kernel
from mensura.worlds.lambda_class.markov import Program, programmed_space
from mensura.worlds.lambda_class.rules import Word
from mensura.worlds.lambda_class.space import Space
from mensura.worlds.lambda_class.switches import LONGEST_CYCLE, Switches

MOST_OBJECTS = 10_000
LARGEST_ROW = 100_000_000
"""How many numbers the state of an environment may take."""

_BEHAVIORS = (Random, Pattern, Startled, Shy, Attached, Markov)
"""In the order of their numbers in the kernel."""


@dataclass(frozen=True, kw_only=True)
class Description(Switches):
    """One environment: the space, the behaviors, and every switch."""

    space: Space
    good_and_evil: Behavior
    """One behavior for both (3.6.2)."""
    objects: tuple[Behavior, ...] = ()
    """The behaviors of ω_1, ω_2, ..."""
    starts: tuple[int, ...] = ()
    """The cells of Good, Evil, the objects and the subjects at the start, from 0; none: they are drawn at reset."""
    action_names: tuple[str, ...] = ()
    """How actions are called in Markov programs and texts, the reflexive one first; none: a_1, a_2, ..."""
    space_program: Program | None = None
    """The program that writes the space, where one does (3.6.6); it counts in the length of the description."""

    def __post_init__(self) -> None:
        """Raise if the compiled rules, which check nothing, could not play it."""
        super().__post_init__()
        self.space.require(self.topology)
        if len(self.objects) > MOST_OBJECTS:
            raise MensuraError(f"{len(self.objects)} objects are too many; at most {MOST_OBJECTS}.")
        self._check_behaviors()
        self._check_starts()
        self._check_space_program()
        size = kernel.row_size(self._head)
        if size > LARGEST_ROW:
            raise MensuraError(
                f"The environment would take {size} numbers of memory, over {LARGEST_ROW}; fewer subjects, objects "
                "or cells, or a lower longest for Markov programs, would fit."
            )

    def _check_behaviors(self) -> None:
        n_a = self.space.actions
        for number, behavior in enumerate((self.good_and_evil, *self.objects)):
            who = "Good and Evil" if number == 0 else f"Object {number}"
            if not isinstance(behavior, _BEHAVIORS):
                raise MensuraError(f"The behavior of {who} is {behavior!r}, which is none.")
            for action in actions_of(behavior):
                if type(action) is not int or not 0 <= action < n_a:
                    raise MensuraError(
                        f"{action!r} in the behavior of {who} is not an action; actions are 0 to {n_a - 1} there."
                    )
        rewarders = self.good_and_evil
        if self.moves in ("pattern", "allowed") and not isinstance(rewarders, Pattern):
            raise MensuraError(
                f"moves is {self.moves!r}, which goes by a pattern; Good and Evil behave otherwise."
            )
        if isinstance(rewarders, Markov) and (self.moves, self.least_moves) != ("fixed", 1):
            raise MensuraError(
                "Good and Evil do the whole output of their Markov program, so moves is 'fixed' and least_moves 1."
            )
        if self._markov and self.longest < self._longest_observation:
            raise MensuraError(
                f"longest is {self.longest}, and an observation here has up to {self._longest_observation} symbols."
            )

    def _check_space_program(self) -> None:
        program = self.space_program
        if program is None:
            text.action_symbols(self.space.actions, self.action_names)
        elif not isinstance(program, Program) or self.space.arrows != (
            programmed_space(program, self.space.cells, self.actions).arrows
        ):
            raise MensuraError("The program of the space writes another space than is given.")

    def _check_starts(self) -> None:
        if not self.starts:
            return
        wanted = 2 + len(self.objects) + self.subjects
        if len(self.starts) != wanted:
            raise MensuraError(
                f"{len(self.starts)} starts are given; Good, Evil, {len(self.objects)} objects and "
                f"{self.subjects} subjects need {wanted}, or none where they are drawn."
            )
        for cell in self.starts:
            if type(cell) is not int or not 0 <= cell < self.space.cells:
                raise MensuraError(
                    f"{cell!r} in starts is not a cell; cells are 0 to {self.space.cells - 1} there."
                )
        if self.starts[0] == self.starts[1]:
            raise MensuraError(
                f"Good and Evil both start on cell {self.starts[0] + 1}; they never share a cell."
            )

    # What follows from it

    @cached_property
    def actions(self) -> Word:
        """The names of the actions."""
        return text.action_symbols(self.space.actions, self.action_names)

    @cached_property
    def _behaviors(self) -> tuple[Behavior, ...]:
        """Of Good, of Evil, and of the objects."""
        return (self.good_and_evil, self.good_and_evil, *self.objects)

    @cached_property
    def _markov(self) -> int:
        """How many objects run programs, and so have a memory."""
        return sum(isinstance(behavior, Markov) for behavior in self._behaviors)

    @cached_property
    def _longest_observation(self) -> int:
        """A separator between any two cells, everybody, and every action."""
        everybody = self.subjects + 2 + len(self.objects)
        return self.space.cells - 1 + everybody + self.space.actions

    @cached_property
    def _scripts(self) -> dict[Behavior, tuple[int, ...]]:
        """What the kernel has to read for each different behavior."""
        symbols = text.alphabet(self.actions, len(self.objects))
        return {
            behavior: _code(behavior.program, symbols)
            if isinstance(behavior, Markov)
            else actions_of(behavior)
            for behavior in dict.fromkeys(self._behaviors)
        }

    @cached_property
    def _head(self) -> list[int]:
        """The head of the kernel's row."""
        head = [0] * kernel.HEAD
        head[kernel.CELLS] = self.space.cells
        head[kernel.ACTIONS] = self.space.actions
        head[kernel.SUBJECTS] = self.subjects
        head[kernel.OBJECTS] = len(self.objects)
        head[kernel.HORIZON] = self.horizon
        head[kernel.GOOD_DROPS] = len(self.good_drops)
        head[kernel.EVIL_DROPS] = len(self.evil_drops)
        head[kernel.SCRIPTS] = sum(map(len, self._scripts.values()))
        head[kernel.MEMORIES] = self._markov
        head[kernel.LONGEST] = self.longest if self._markov else 0
        head[kernel.SHOWN] = self.space.cells if self.rewards_seen else 0
        head[kernel.STEPS] = self.steps
        head[kernel.MOVES] = ("fixed", "geometric", "pattern", "allowed").index(self.moves)
        head[kernel.LEAST_MOVES] = self.least_moves
        head[kernel.MOST_MOVES] = self.most_moves
        head[kernel.DROPS_ON_SUBJECT] = self.drops_on_subject
        head[kernel.EATEN] = self.eaten
        head[kernel.CONSUMED_AFTER] = self.consumed == "after"
        head[kernel.SHARED] = self.shared
        head[kernel.CYCLE] = ("none", "swap", "relocate").index(self.cycle)
        head[kernel.CYCLE_LENGTH] = _number(self.cycle_length)
        head[kernel.CYCLE_BOUND] = self.drawn_up_to
        head[kernel.JUNK] = _number(self.junk)
        head[kernel.JUNK_BOUND] = min(self.drawn_up_to, self.junk_limit)
        head[kernel.PARTIAL] = self.observability == "partial"
        head[kernel.PLACED] = bool(self.starts)
        return head

    @cached_property
    def drawn_up_to(self) -> int:
        """n_c^n_a, up to which numbers of interactions are drawn, or what a draw can reach."""
        n_c, n_a = self.space.cells, self.space.actions
        if n_a * math.log2(n_c) > 32:
            return LONGEST_CYCLE
        return min(int(n_c**n_a), LONGEST_CYCLE)

    # As plain data

    def to_json(self) -> dict[str, Any]:
        """The description as plain data."""
        data = {
            "space": self.space.to_json(),
            "good_and_evil": behavior_to_json(self.good_and_evil),
            "objects": [behavior_to_json(behavior) for behavior in self.objects],
            "starts": list(self.starts),
            "action_names": list(self.action_names),
        }
        if self.space_program is not None:
            data["space_program"] = self.space_program.to_json()
        for name, value in self.switches().items():
            data[name] = list(value) if isinstance(value, tuple) else value
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Description:
        """The description that ``to_json`` wrote."""
        values = described(cls, "Lambda", data, ("objects", "starts", "action_names"))
        values["space"] = Space.from_json(values["space"])
        values["good_and_evil"] = behavior_from_json(values["good_and_evil"])
        values["objects"] = tuple(map(behavior_from_json, values["objects"]))
        if values.get("space_program") is not None:
            values["space_program"] = Program.from_json(values["space_program"])
        return cls(**values)


def _number(value: int | str) -> int:
    return kernel.DRAWN if isinstance(value, str) else value


@lru_cache(maxsize=64)
def _code(program: Program, symbols: Word) -> tuple[int, ...]:
    """A program as the kernel reads it, its symbols numbered as the kernel writes observations."""
    own = Program(program.rules, (*symbols, *program.alphabet), program.match)
    return tuple(own.code.tolist())


def make_row(d: Description) -> npt.NDArray[np.int64]:
    """An environment's row with all that never changes filled in."""
    return opened(d)[0]


def opened(d: Description) -> tuple[npt.NDArray[np.int64], Any]:
    """A new row, and its parts."""
    row = np.zeros(kernel.row_size(d._head), np.int64)
    row[: kernel.HEAD] = d._head
    parts = plain(kernel.open_row)(row)
    parts.division[0] = float(d.division)
    parts.drops[:] = d.good_drops + d.evil_drops
    for seats, right in ((d.future, kernel.SEES_FUTURE), (d.rewards_seen, kernel.SEES_REWARDS)):
        for seat in seats:
            parts.rights[seat] |= right
    parts.starts[: len(d.starts)] = d.starts
    parts.arrows[:] = d.space.array
    at = 0
    places = {}
    for behavior, script in d._scripts.items():
        places[behavior] = at, len(script)
        parts.script[at : at + len(script)] = script
        at += len(script)
    memory = 0
    for i, behavior in enumerate(d._behaviors):
        kind = _BEHAVIORS.index(type(behavior))
        parts.behavior[i] = (kind, *places[behavior], memory)
        memory += isinstance(behavior, Markov)
    return row, parts
