"""One Lambda environment behind the contract: the step door to the compiled rules, and what people read of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import Key
from mensura.agent.spaces import Box, Discrete, Record
from mensura.agent.task import Seat
from mensura.core.compiled import plain
from mensura.core.row_environment import MOST, Allowed, RowEnvironment
from mensura.worlds.lambda_class import text
from mensura.worlds.lambda_class.description import Description, opened
from mensura.worlds.lambda_class.kernels import interaction as kernel
from mensura.worlds.lambda_class.kernels.rewriting import SYMBOLS

if TYPE_CHECKING:
    from mensura.pictures.picture import Picture


def observation_space(d: Description) -> Record:
    """What a subject observes; see :class:`LambdaEnvironment`."""
    space = d.space
    return observation_space_of(
        space.cells, space.actions, d.horizon, d.subjects, len(d.objects), bool(d.rewards_seen)
    )


@lru_cache(maxsize=256)
def observation_space_of(
    cells: int, actions: int, horizon: int, subjects: int, objects: int, rewards: bool
) -> Record:
    """Environments are built by the thousand, and few of them differ in sizes."""
    cell = (-1, cells - 1)
    shown: list[tuple[str, Box]] = [
        ("cell", Box(0, cells - 1)),
        ("iteration", Box(0, horizon)),
        ("good", Box(*cell)),
        ("evil", Box(*cell)),
        ("next_good", Box(*cell)),
        ("next_evil", Box(*cell)),
        ("subjects", Box(*cell, (subjects,))),
    ]
    if objects:
        shown.append(("objects", Box(*cell, (objects,))))
    shown.append(("ways", Box(0, cells - 1, (actions,))))
    if rewards:
        shown.append(("rewards", Box(-1, 1, (cells,))))
    return Record(tuple(shown))


class LambdaEnvironment(RowEnvironment):
    """A labeled graph of cells on which Good and Evil leave rewards behind.

    Description:
        Subjects and objects stand on cells and go along arrows, one for each action. Everybody may share a cell, but
        Good and Evil never do. What subjects gain follows from where these two have been, by the switches of
        :class:`~mensura.worlds.lambda_class.switches.Switches`.

    Observation:
        A NumPy record of float64; cells count from 0, and -1 is one that the seat does not see. ``cell`` (): its own.
        ``iteration`` (): interactions so far. ``good``, ``evil`` (): their cells. ``next_good``, ``next_evil`` ():
        where they intend to go, for a seat that "sees_future", else -1, as at the end. ``subjects`` (subjects,): the
        cells of all seats. ``objects`` (objects,): those of ω_1, ω_2, ..., where there are any. ``ways`` (actions,):
        the cell that each action leads to. ``rewards`` (cells,): what lies there, for a seat that "sees_rewards", else
        0; only where some seat has this right. :meth:`text` writes the observation as section 3.6.4 does.

    Actions:
        0 to n_a - 1. 0 is the reflexive one, which stays, and the default.

    Rewards:
        In [-1, 1]: what lies on the cell where the subject has come.

    End:
        Terminated after ``horizon`` interactions, which the subject can count.

    Citation:
        Insa-Cabrera: Análisis de primeros prototipos de tests de inteligencia universales (2011), after
        Hernández-Orallo: A (hopefully) Non-biased Universal Environment Class (2010).
    """

    description: Description

    def __init__(self, description: Description) -> None:
        d = description
        rights = {"sees_future": d.future, "sees_rewards": d.rewards_seen}
        seats = tuple(
            Seat(
                j,
                "subject",
                frozenset(
                    {"tells_good_from_evil"} | {n for n, seated in rights.items() if j in seated}
                ),
            )
            for j in range(d.subjects)
        )
        space = observation_space(d)
        spaces = space, space.dtype, Discrete(d.space.actions)
        fixed = kernel.fixed_size(d._head)
        super().__init__(d, seats, spaces, *opened(d), fixed, kernel.STEP_DOORS.step)

    def _start(self, key: Key) -> None:
        """The key draws where everybody starts and whatever is left to chance later."""
        kernel.STEP_DOORS.reset(self.row, kernel.NOTHING_DRAWN, np.uint64(key))

    def _show_again(self) -> None:
        kernel.STEP_DOORS.observe(self.row)

    def _opened(self, row: npt.NDArray[np.int64]) -> Any:
        return plain(kernel.open_row)(row)

    def _allowed(self, parts: Any) -> Iterator[Allowed]:
        head, clock, state = parts.head, parts.clock, parts.state
        cells = head[kernel.CELLS]
        junk = head[kernel.JUNK_BOUND] if head[kernel.JUNK] == kernel.DRAWN else head[kernel.JUNK]
        yield clock[kernel.TIME], 0, self.horizon
        yield clock[kernel.CLOCK], 0, self.horizon + junk + 1
        yield clock[kernel.CYCLED], 0, self.horizon + junk + 1
        yield clock[[kernel.CYCLE_AT, kernel.WORK, kernel.HARDEST]], 0, 1 << 62
        yield parts.stamp, 0, clock[kernel.CLOCK]
        yield parts.place, 0, cells - 1
        yield parts.action, 0, head[kernel.ACTIONS] - 1
        yield parts.trail, -MOST, MOST
        yield state[:, kernel.CELL], 0, cells - 1
        # Once the episode has ended nobody intends anything.
        yield state[:, kernel.AIM], -1 if clock[kernel.TIME] == self.horizon else 0, cells - 1
        is_pattern = parts.behavior[:, kernel.KIND] == kernel.PATTERN
        longest = np.where(is_pattern, parts.behavior[:, kernel.LENGTH] - 1, 0)
        yield state[:, kernel.POSITION], 0, longest
        there = np.bincount(parts.place.clip(0, cells - 1), minlength=cells)
        yield parts.crowd, there, there
        symbols = [1]
        for kind, script, _, memory in parts.behavior.tolist():
            if kind == kernel.MARKOV:
                symbols.append(int(parts.script[script + SYMBOLS]))
                yield parts.memory[memory, 1:], 0, symbols[-1] - 1
                yield parts.memory[memory, 0], 0, head[kernel.LONGEST]
        yield parts.tape[1:], 0, max(symbols) - 1
        yield parts.tape[0], 0, head[kernel.LONGEST]

    def default(self, seat: int) -> int:
        """The reflexive action."""
        return 0

    # What people read

    @property
    def iteration(self) -> int:
        """How many interactions have passed."""
        return int(self._parts.clock[kernel.TIME])

    def positions(self) -> dict[str, Any]:
        """All cells, for drawings, from 0: of Good, of Evil, of each object and of each subject."""
        good, evil, *objects = self._parts.state[:, kernel.CELL].tolist()
        return {
            "good": good,
            "evil": evil,
            "objects": objects,
            "subjects": self._parts.place.tolist(),
        }

    def cell_rewards(self) -> list[float]:
        """What lies on each cell now."""
        return [
            float(plain(kernel.worth)(self._parts, c)) for c in range(self.description.space.cells)
        ]

    def picture(self, seat: int | None = None) -> Picture:
        """The moment as a picture: all of it, or what a seat observes."""
        from mensura.worlds.lambda_class import picture

        return picture.everything(self) if seat is None else picture.seen(self, seat)

    def text(self, seat: int = 0) -> str:
        """What a seat observes, as the text of section 3.6.4.

        Where there are several subjects, π is the seat itself and π_1, π_2, ... are the others, by their seats.
        """
        observation = self.observation(seat)
        subjects = [int(cell) for cell in observation["subjects"]]
        who = [(text.SUBJECT, int(observation["cell"]))]
        who += [(f"{text.SUBJECT}_{j + 1}", c) for j, c in enumerate(subjects) if j != seat]
        who += [(text.GOOD, int(observation["good"])), (text.EVIL, int(observation["evil"]))]
        objects = observation["objects"].tolist() if self.description.objects else []
        who += [(text.object_symbol(i), int(c)) for i, c in enumerate(objects, 1)]
        ways = [int(cell) for cell in observation["ways"]]
        return text.observation_text(
            self.description.space.cells, who, ways, self.description.actions
        )
