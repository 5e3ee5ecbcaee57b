"""BF: environments that are programs of a small universal machine.

The class of environments of the AIQ test (Legg and Veness: An Approximation of the Universal Intelligence Measure,
2011). A program is drawn with a probability that falls with its length, so that short ones, the simple environments,
are common; its text is the description.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, cast

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents
from mensura.agent.keys import DRAWN_ANEW, Key
from mensura.agent.spaces import Space
from mensura.core.blocks import Layout
from mensura.core.contract import Description, Episode, Measure, Plan
from mensura.core.many_doors import many_doors
from mensura.core.players import Subject
from mensura.core.room import Room
from mensura.core.second_door import begin_all, episode_of
from mensura.worlds.bf import programs
from mensura.worlds.bf.agents import KINDS, Group, doors_for, make_group, mind_size, new_mind
from mensura.worlds.bf.environment import BFEnvironment, fixed_part, make_row, spaces_of
from mensura.worlds.bf.kernels import machine
from mensura.worlds.kit import FIXED, GENERATED, BaseWorld, parameter
from mensura.worlds.kit.description import BaseDescription

Cleaning = Literal["once", "repeated", "never"]

TOLD = ("steps", "void")
"""What is told of an episode beside its rewards."""


@dataclass(frozen=True)
class Sampled:
    """Environments in bulk: what never changes of their rows, and how complex they are."""

    rows: npt.NDArray[np.int64]
    complexity: npt.NDArray[np.float64]


class BF(BaseWorld):
    """Programs that answer each action with a reward and an observation."""

    id = "bf-v1"
    changes: ClassVar[Mapping[int, str]] = {1: DRAWN_ANEW}
    symbols: int = parameter(
        5,
        "Symbols on the tapes, which are the actions and what is observed",
        at_least=2,
        at_most=62,
    )
    cells: int = parameter(1, "Symbols that are observed at a time", at_least=1, at_most=16)
    horizon: int = parameter(1000, "Interactions of an episode", at_least=1, at_most=10_000_000)
    program: str = parameter("", "A program of your own in place of those drawn, as ',.,.#'")
    cleaning: Cleaning = parameter(
        "once", "How often pairs of instructions that undo each other are taken out"
    )
    dropping: bool = parameter(
        True, "Whether programs are dropped that do not react to actions or take too long"
    )
    limit: int = parameter(
        1000, "Steps of a program at an interaction", at_least=1, at_most=1_000_000
    )
    tape: int = parameter(
        100_000, "Cells of the circular work tape", at_least=2, at_most=10_000_000
    )

    measures: ClassVar[Mapping[str, Measure]] = {
        "length": Measure("length", "the instructions of the program", "instructions"),
        "kt": Measure(
            "kt", "its instructions and the binary logarithm of its steps at an interaction"
        ),
        "steps": Measure("steps", "the binary logarithm of its steps at an interaction"),
    }
    promises = frozenset({"bounded", "balanced"})
    references: ClassVar[tuple[str, ...]] = ("random", "freq", "q-lambda", "hlq-lambda")
    whole_numbers: ClassVar[frozenset[str]] = frozenset({"symbols"})
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "authors-2011": {},
        "maintained": {"cleaning": "repeated"},
        "theoretical": {"cleaning": "never", "dropping": False},
    }
    tallies: ClassVar[tuple[str, ...]] = TOLD

    @property
    def content(self) -> str:  # type: ignore[override]
        """Programs are drawn, unless one is set."""
        return FIXED if self.program else GENERATED

    def check(self) -> None:
        """A program that was given is one."""
        if self.program:
            programs.encode(self.program)
        if self.symbols**self.cells > 1 << 53:
            raise MensuraError(
                f"{self.symbols} symbols on {self.cells} cells are more observations than can be told apart; fewer of "
                "either would do."
            )

    @cached_property
    def sampler(self) -> programs.Sampler:
        """What programs are drawn for."""
        return programs.Sampler(
            self.symbols, self.cells, self.tape, self.limit, self.cleaning, self.dropping
        )

    # The rules

    def draw(
        self, rng: Generator, within: tuple[str, float, float] | None = None
    ) -> Mapping[str, Any]:
        """A program, and whether its rewards are negated."""
        key, negated = int(rng.integers(1 << 63)), bool(rng.integers(2))
        if self.program:
            return {"text": self.program, "negated": negated}
        low, high = 0.0, math.inf
        if within is not None and within[0] in ("length", "kt"):
            # Each step counts at most log2 of the limit.
            low = within[1] - (0.0 if within[0] == "length" else math.log2(self.limit))
            high = within[2]
        found = programs.draw_program(self.sampler, key, low, high)
        if found is None:
            raise MensuraError(
                f"None of {programs.TRIES:,} programs that were drawn has {within[0] if within else 'a length'} from "
                f"{low:g} to {high:g}."
            )
        return {"text": found.program, "negated": negated}

    def complexity(self, description: BaseDescription, measure: str) -> float:
        """Its instructions, and what it does with them."""
        length = len(description.text)
        if measure == "length":
            return length
        steps = math.log2(_tried(description).steps)
        return steps if measure == "steps" else length + steps

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        """Symbols to see, and one to choose."""
        space, _, actions = spaces_of(self.symbols, self.cells)
        return space, actions

    def instructions(self, description: BaseDescription, seat: int) -> str:
        """What is told before it begins."""
        last = programs.SYMBOLS[self.symbols - 1]
        return (
            f"Choose a symbol from 0 to {last}, again and again. After each you are told a reward from -1 to 1 and see "
            f"{'a symbol' if self.cells == 1 else f'{self.cells} symbols'}. What they follow from, your choices "
            "so far, chance or both, is yours to find out. Gain as much as you can."
        )

    def view(self) -> Any:
        """What the research view shows: the last run of the program too."""
        from mensura.worlds.bf.view import BFView

        return BFView(self)

    def build(self, description: Description) -> Any:
        """The environment of a description."""
        if not isinstance(description, BaseDescription) or type(description.world) is not type(
            self
        ):
            raise MensuraError(f"This is no description of an environment of {self.id}.")
        return BFEnvironment(description)

    # Subjects

    @property
    def subject_names(self) -> Mapping[str, str]:
        """The built-in subjects with a line on each."""
        return {name: kind.summary for name, kind in KINDS.items()}

    def subject_parameters(self, name: str) -> Mapping[str, float]:
        """The parameters of a built-in subject with their defaults."""
        return KINDS[name].parameters

    @property
    def demo(self) -> tuple[str, ...]:
        """The subjects that a demonstration shows."""
        return ("random", "freq", "q-lambda", "hlq-lambda")

    def group(self, parts: Sequence[tuple[str, Mapping[str, Any], int]]) -> Any:
        """A built-in subject."""
        return make_group(parts)

    def room(self, subject: Subject, description: BaseDescription, interactions: int) -> Room:
        """What a sitting takes: the tape, and the tables of a built-in subject."""
        numbers = len(make_row(description))
        if isinstance(subject, Group):
            numbers += mind_size(subject.members[0], self.symbols, self.cells)
        return Room(8 * numbers, "fewer symbols or cells")

    # Strata and opposites

    def stratum(self, description: BaseDescription) -> int:
        """What its reward follows (1 to 10), or how long it is (11 to 20)."""
        return _tried(description).stratum

    def upright(self, description: BaseDescription) -> BaseDescription:
        """The one whose rewards are as its program writes them."""
        return self._turned(description, False)

    def opposite(self, description: BaseDescription) -> BaseDescription:
        """The same program with all rewards negated."""
        return self._turned(description, not description.negated)

    def _turned(self, description: BaseDescription, negated: bool) -> BaseDescription:
        return BaseDescription(description.world, {**description.drawn, "negated": negated})

    def void(self, episode: Episode) -> bool:
        """Whether the program reached the limit of steps."""
        return episode.measures.get("void", 0.0) > 0.0

    # The second door

    def compiles(self, subject: Subject) -> bool:
        """Whether whole sittings of this subject can be played compiled."""
        return isinstance(subject, Group)

    def sample_many(  # type: ignore[override]
        self,
        keys: npt.NDArray[np.uint64],
        measure: str | None,
        low: npt.NDArray[np.float64],
        high: npt.NDArray[np.float64],
    ) -> Sampled:
        """Draw an environment for each key, a complexity of it within [low[i], high[i]]."""
        name = measure or "length"
        drawn = []
        for key, least, most in zip(keys.tolist(), low.tolist(), high.tolist(), strict=True):
            free = math.isinf(least) and math.isinf(most)
            drawn.append(self.sample(key, None if free else (name, least, most)))
        return Sampled(packed(drawn), np.array([self.complexity(one, name) for one in drawn]))

    def block(self) -> Layout:
        """How environments of this world lie in a block of memory, to be stepped all at once."""

        def size(rows: npt.NDArray[np.int64]) -> int:
            longest = rows[rows[:, machine.LENGTH].argmax()]
            return int(max(rows.shape[1], machine.row_size(longest[: machine.HEAD].tolist())))

        return Layout(
            many_doors(machine.RULES, machine.show),
            np.zeros(0, np.int64),
            lambda *given: self.sample_many(*given).rows,
            lambda rows: rows,
            1,
            size=size,
        )

    def rollout(
        self,
        subject: Group,
        sampled: Sampled,
        resets: npt.NDArray[np.uint64],
        seeds: npt.NDArray[np.uint64],
        training: int,
        keep_training: bool = False,
        told: npt.NDArray[np.float64] | None = None,
    ) -> npt.NDArray[np.float64]:
        """The sums of rewards of each sitting and its episodes: (count, 1 or training + 1, 1).

        ``told`` is filled with what is told of each episode: (count, 1 or training + 1, tallies).
        """
        kept = training + 1 if keep_training else 1
        count = len(sampled.rows)
        totals = np.zeros((count, kept, 1))
        counted = np.zeros((count if told is not None else 0, kept, len(TOLD)))
        if count:
            (one,) = subject.seated(1)
            mind = new_mind(one, self.symbols, self.cells)
            longest = sampled.rows[sampled.rows[:, machine.LENGTH].argmax()]
            row = np.zeros(machine.row_size(longest[: machine.HEAD].tolist()), np.int64)
            doors_for(one).play(
                row, mind, sampled.rows, resets, seeds, training, 0, 0, totals, counted
            )
        if told is not None:
            told[:] = counted
        return totals

    def play_compiled(
        self, subject: Group, plan: Plan, seed: Key, player: Agents | None = None
    ) -> Episode:
        """An episode of a plan in virtual time, the same to the bit as the one loop plays it."""
        seated = subject.sit(1) if player is None else player
        description: Any = plan.description
        environment = self.build(description)
        begun = begin_all(environment, self.id, plan, seed, seated)
        out = np.zeros((1, 1, 1))
        doors_for(subject.seated(1)[0]).play(
            environment.row,
            seated.agents[0].row,
            _NO_ROWS,
            np.array([plan.key], np.uint64),
            np.array([seed], np.uint64),
            0,
            begun.length,
            int(plan.learning),
            out,
            _NOTHING_TOLD,
        )
        return episode_of(environment, plan, begun, out[0, 0], seated)


_NO_ROWS = np.zeros((0, 0), np.int64)
_NOTHING_TOLD = np.zeros((0, 1, len(TOLD)))


def _tried(description: BaseDescription) -> programs.Tried:
    return programs.tried(cast(BF, description.world).sampler, description.text)


def packed(descriptions: Sequence[BaseDescription]) -> npt.NDArray[np.int64]:
    """What never changes of the rows of environments, filled up with zeros to one width."""
    fixed = [fixed_part(one) for one in descriptions]
    out = np.zeros((len(fixed), max(map(len, fixed), default=0)), np.int64)
    for row, numbers in zip(out, fixed, strict=True):
        row[: len(numbers)] = numbers
    return out
