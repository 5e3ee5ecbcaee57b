"""The world Lambda Star: its parameters and presets, sampling by complexity, and both doors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt

from mensura.complexity.entropy import search_space_entropy
from mensura.core.abilities import bounded
from mensura.core.compiled import plain
from mensura.core.contract import Episode, Measure, Plan
from mensura.core.errors import MensuraError, neighbors
from mensura.core.group import stretches
from mensura.core.keys import Key, fold
from mensura.core.players import Agents, Subject
from mensura.core.room import Room
from mensura.core.second_door import begin_all, episode_of
from mensura.worlds.lambda_star import generator
from mensura.worlds.lambda_star import row as layout
from mensura.worlds.lambda_star.agents import LESS_ROOM, SAID, Group, Member, member
from mensura.worlds.lambda_star.environment import (
    Description,
    LambdaStarEnvironment,
    check_space,
    make_row,
    row_size_of,
)
from mensura.worlds.lambda_star.parameters import Options, Torus, check_word

if TYPE_CHECKING:
    from mensura.worlds.lambda_star.view import LambdaStarView

SEEN = 64
"""So many environments are drawn to see about how complex they get."""

TRIES = 20_000
"""How many patterns are drawn before a wanted complexity counts as out of reach."""

MOST_SHOWN = 1600
"""The most cells of an environment that a page shows."""


@dataclass(frozen=True)
class Patterns:
    """Sampled environments in bulk: rows that the kernel reads, and how complex they are."""

    rows: npt.NDArray[np.int64]
    """(count, width)"""
    complexity: npt.NDArray[np.float64]
    """(count,)"""


@dataclass(frozen=True)
class LambdaStar(Options, Torus):
    """The class of Lambda Star environments with these parameters.

    Description:
        Subjects search a torus for Good, who travels along a pattern, and keep away from Evil.
    """

    id: ClassVar[str] = "lambda-star-v1"
    changes: ClassVar[Mapping[int, str]] = {
        1: (
            "under the preset authors-2016 Evil is on the cell that the authors' program counts from Good's (the "
            "generator walk), and the first observation shows cell 1 as worth -0.5 (blind_start); the anytime test "
            "goes up to the highest K that there is, 26 at a horizon of 50, where it went to the highest of 256 draws; "
            "everything else scores as before"
        )
    }
    drawn_as: ClassVar[str] = "lambda-star-v0"
    published_spread: ClassVar[float] = 0.001
    """Footnote 3 of Chmait et al. (2016): "Usually a standard deviation of less than 0.001 is recorded between
    identical experiments"."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper": {},
        "authors-2016": {
            "generator": "walk",
            "segment_complexity": True,
            "blind_start": True,
            "guide_moves": "each",
            "stigmergy": "blend",
        },
        "coordination": {"company": 2},
        "coverage": {"track": True},
        "reactive": {"good_reacts": "flees", "evil_reacts": "follows"},
        "heterogeneous": {
            "range": 3,
            "ranges": (1, 2, 3),
            "moves": ("all", "orthogonal", "diagonal", "slow"),
            "good_appetites": (1.0, 0.5),
            "evil_appetites": (0.5, 1.0),
            "learning_weight": 0.5,
        },
        "landscape": {
            "task": "landscape",
            "rows": 20,
            "cols": 20,
            "horizon": 100,
            "peak_width": 6.0,
        },
        "commons": {"task": "commons", "subjects": 20, "horizon": 200},
        "dilemma": {"task": "dilemma", "rows": 6, "cols": 6, "subjects": 12},
        "opinion": {
            "task": "opinion",
            "rows": 5,
            "cols": 5,
            "subjects": 15,
            "opening": "misleading",
        },
    }

    def __post_init__(self) -> None:
        """Refuse what makes no world."""
        check_space(self.rows, self.cols, self.subjects, self.horizon, self.range, self.radius)
        for name, allowed in (
            ("generator", ("recurrent", "walk")),
            ("guide_moves", ("once", "each")),
            ("stigmergy", ("assign", "blend")),
        ):
            check_word(name, getattr(self, name), allowed)
        self.check_options()

    @classmethod
    def preset(cls, name: str, **parameters: Any) -> Self:
        """The world under a named set of readings, "paper" (the default) or "authors-2016", or as a question asks."""
        if name not in cls.presets:
            raise MensuraError(
                f"{name!r} is no preset of Lambda Star; {neighbors(name, list(cls.presets))}"
            )
        return cls(**{**cls.presets[name], **parameters})

    @property
    def promises(self) -> frozenset[str]:
        """Bounded always; balanced where the task is, under these options."""
        return frozenset({"bounded", "balanced"} if self.question.balanced(self) else {"bounded"})

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The complexities of environments of the task."""
        return self.question.measures

    @property
    def demo(self) -> tuple[str, ...]:
        """The subjects that a demonstration shows."""
        return self.question.demo

    @property
    def usual_assessment(self) -> str:
        """How subjects are assessed if nobody says how: by a battery where it is the group that is asked about."""
        return self.question.usual_assessment

    @property
    def tallies(self) -> tuple[str, ...]:
        """What is told of an episode beside its rewards, by both doors."""
        return (*self.tally(), *((SAID,) if self.overhear else ()))

    # Environments

    @property
    def complexity_range(self) -> tuple[int, int] | None:
        """The K over which a battery is spread by default: 2 to 23 at the paper's horizon of 50.

        A closed segment has at most floor(horizon / 2) cells, which makes the highest K rare; shorter horizons
        get the range scaled accordingly. Walks are taken as they come: None.
        """
        if self.question.drawn is not None:
            return self.question.drawn.complexity_range(self)
        if self.generator == "walk":
            return None
        return 2, max(2, min(23, self.horizon // 2 - 2))

    def complexity_bounds(self, measure: str) -> tuple[float, float] | None:
        """The complexities between which the recurrent generator has environments, as far as it finds them.

        At the paper's horizon K goes from 2, of who stays, to 26: a segment of 25 different cells, and its repetition.
        None of walks, of other tasks, and of measures that do not follow from K.
        """
        self._check_measure(measure)
        if self.question.drawn is not None or self.generator == "walk" or self._by_trial(measure):
            return None
        if measure == "H":
            return self.entropy, self.entropy
        low, high = _reach(self)
        if measure == "K_normalized":
            return low / _k_scale(self.horizon), high / _k_scale(self.horizon)
        if measure == "combined":
            bits = _phrase_bits(self.horizon)
            return self.entropy + low * bits, self.entropy + high * bits
        return float(low), float(high)

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> Description:
        """Draw an environment, a complexity of it within [low, high] where that is wanted."""
        measure, low, high = within or (next(iter(self.measures), ""), -math.inf, math.inf)
        return self.describe(
            self.sample_many(
                np.array([key], np.uint64),
                measure,
                np.array([low], np.float64),
                np.array([high], np.float64),
            ).rows[0]
        )

    def sample_many(
        self,
        keys: npt.NDArray[np.uint64],
        measure: str,
        low: npt.NDArray[np.float64],
        high: npt.NDArray[np.float64],
    ) -> Patterns:
        """Draw an environment for each key, a complexity of it within [low[i], high[i]]."""
        if self.question.drawn is not None:
            for wanted in np.unique(np.stack([low, high]), axis=1).T.tolist() if measure else ():
                self._check_interval(measure, *wanted)
            return self.question.drawn.sample(self, keys, measure, low, high)
        ends, which = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
        bounds = np.array([self._k_bounds(measure, *pair) for pair in ends.T.tolist()], np.int64)
        least, most = bounds[which].T
        drawn = self._draw(keys, least, most)
        if measure == "K":
            return drawn
        rows = drawn.rows
        if self._by_trial(measure):
            for i in np.flatnonzero(np.isfinite(high - low)).tolist():
                rows[i] = self._try(int(keys[i]), measure, float(low[i]), float(high[i]))
        told = [self.complexity(self.describe(row), measure) for row in rows]
        return Patterns(rows, np.array(told, np.float64))

    def _by_trial(self, measure: str) -> bool:
        """Where K counts the segment only, its length differs, so that other measures do not follow from K."""
        return self.segment_complexity and measure not in ("K", "H")

    def _try(self, key: Key, measure: str, low: float, high: float) -> npt.NDArray[np.int64]:
        """Draw until a complexity lies within [low, high]."""
        anything = np.array([0], np.int64), np.array([2**31], np.int64)
        for attempt in range(TRIES):
            row = self._draw(np.array([fold(key, attempt)], np.uint64), *anything).rows[0]
            if low <= self.complexity(self.describe(row), measure) <= high:
                return np.asarray(row)
        raise MensuraError(
            f"A complexity {measure} from {low:g} to {high:g} was not found in {TRIES} samples of "
            f"{self.rows}x{self.cols} cells with the generator {self.generator!r}."
        )

    def _draw(
        self,
        keys: npt.NDArray[np.uint64],
        low: npt.NDArray[np.int64],
        high: npt.NDArray[np.int64],
    ) -> Patterns:
        """Draw an environment for each key, its K within [low[i], high[i]]; a sentence where there is none."""
        drawn = self._tried(keys, low, high)
        failed = np.flatnonzero(drawn.complexity < 0)
        if len(failed):
            wanted = low[failed[0]], high[failed[0]]
            raise MensuraError(self._out_of_reach(*map(int, wanted)))
        return drawn

    def _tried(
        self,
        keys: npt.NDArray[np.uint64],
        low: npt.NDArray[np.int64],
        high: npt.NDArray[np.int64],
    ) -> Patterns:
        """The same with a K of -1 where none was found."""
        longest = max(self.horizon // 2, 1)
        capacity = 2 * (2 * self.cols - 1) if self.generator == "walk" else longest
        rows = np.zeros((len(keys), layout.MOVES + 2 * capacity), np.int64)
        complexity = np.zeros(len(keys), np.int64)
        kind = generator.WALK if self.generator == "walk" else generator.RECURRENT
        settings = np.array(
            [self.rows, self.cols, self.horizon, kind, self.segment_complexity], np.int64
        )
        scratch = np.zeros(self.horizon, np.int64)
        tries = max(min(TRIES, TRIES * 500 // self.horizon), 1000)
        low, high = np.ascontiguousarray(low), np.ascontiguousarray(high)
        generator.sample_door(rows, keys, low, high, settings, scratch, complexity, tries)
        if self.reacts:
            rows[:, layout.EVIL_SHIFT] = 0
        return Patterns(rows, complexity.astype(np.float64))

    def _out_of_reach(self, low: int, high: int) -> str:
        anything = np.array([0], np.int64), np.array([2**31], np.int64)
        seen = [
            int(self._draw(np.array([i], np.uint64), *anything).complexity[0])
            for i in range(500 if self.horizon <= 2000 else 20)
        ]
        wanted = f"of {low}" if low == high else f"from {low} to {high}"
        return (
            f"A complexity K {wanted} is out of reach for {self.rows}x{self.cols} cells, "
            f"{self.horizon} interactions and the generator {self.generator!r}; "
            f"{len(seen)} samples lie from {min(seen)} to {max(seen)}."
        )

    def _k_bounds(self, measure: str, low: float, high: float) -> tuple[int, int]:
        """The interval of K that an interval of any measure stands for; all measures grow with K."""
        self._check_interval(measure, low, high)
        if self._by_trial(measure) or math.isinf(low - high):
            return 0, 2**31
        if measure == "H":
            if not low <= self.entropy <= high:
                raise MensuraError(
                    f"Every {self.rows}x{self.cols} environment has H = {self.entropy:.3f} bits, "
                    f"which is not within [{low:g}, {high:g}]; another grid would have another H."
                )
            return 0, 2**31
        if measure == "K_normalized":
            low, high = (value * _k_scale(self.horizon) for value in (low, high))
        elif measure == "combined":
            bits = _phrase_bits(self.horizon)
            low, high = ((value - self.entropy) / bits for value in (low, high))
        # A hair's breadth against rounding, where the interval is a single value.
        return max(0, math.ceil(low - 1e-9)), min(2**31, max(-1, math.floor(high + 1e-9)))

    def _check_interval(self, measure: str, low: float, high: float) -> None:
        self._check_measure(measure)
        if not low <= high:
            raise MensuraError(f"The interval of {measure} from {low:g} to {high:g} is empty.")

    def _check_measure(self, measure: str) -> None:
        if measure not in self.measures:
            raise MensuraError(
                f"Lambda Star has no complexity {measure!r}; {neighbors(measure, list(self.measures))}"
            )

    @property
    def entropy(self) -> float:
        """H, the same for all environments of this world."""
        return search_space_entropy(self.rows, self.cols)

    def complexity(self, description: Description, measure: str = "K") -> float:
        """How complex an environment is; K_normalized and combined are functions of K."""
        self._check_measure(measure)
        if self.question.drawn is not None:
            return self.question.drawn.complexity(description, measure)
        if measure == "H":
            return search_space_entropy(description.rows, description.cols)
        steps = description.horizon
        if self.segment_complexity:
            steps = min(steps, description.segment or len(description.good_moves))
        k = generator.pattern_complexity(
            description.pattern(), description.rows, description.cols, steps
        )
        if measure == "K_normalized":
            return k / _k_scale(steps)
        if measure == "combined":
            return search_space_entropy(description.rows, description.cols) + k * _phrase_bits(
                steps
            )
        return k

    def describe(self, pattern: npt.NDArray[np.int64]) -> Description:
        """The description of a sampled pattern in this world."""
        if self.question.drawn is not None:
            return self.question.drawn.describe(self._template, pattern)
        length, good, evil, shift, *moves = pattern.tolist()
        # What dataclasses.replace does, in half the time: environments are described by the thousand.
        made = copy(self._template)
        vars(made).update(
            good_start=good + 1,
            evil_start=evil + 1,
            good_moves=tuple(moves[:length]),
            evil_moves=() if shift else tuple(moves[length : 2 * length]),
            evil_shift=shift,
            segment=length // 2 if self.generator == "walk" else length,
        )
        made.__post_init__()
        return made

    @cached_property
    def _template(self) -> Description:
        """What all environments of this world have in common; the pattern is to be filled in."""
        guides = 0
        if self.guided:
            guides = self.subjects if self.guide_moves == "each" else 1
        return Description(
            rows=self.rows,
            cols=self.cols,
            subjects=self.subjects,
            horizon=self.horizon,
            range=self.range,
            radius=self.radius,
            good_start=1,
            evil_start=2,
            good_moves=(5,),
            evil_moves=(5,),
            guides=guides,
            blind_start=self.blind_start,
            future=self.future,
            **self.options(),
        )

    def check_explorable(self, description: Description | None = None) -> None:
        """Raise if a page could not show the world, or an environment of it."""
        one = description or self
        bounded("rows x cols", one.rows * one.cols, MOST_SHOWN)

    right_parameters: ClassVar[tuple[str, ...]] = ("future",)

    def describe_from_json(self, data: dict[str, Any]) -> Description:
        """The description that ``description.to_json()`` wrote, with the rights that seats have in this world."""
        written = Description.from_json(data)
        return replace(written, future=tuple(sorted({*written.future, *self.future})))

    def build(self, description: Description) -> LambdaStarEnvironment:
        """The environment of a description."""
        return LambdaStarEnvironment(description)

    # Subjects

    @property
    def subject_names(self) -> Mapping[str, str]:
        """The built-in subjects with a line on each."""
        return {name: kind.summary for name, kind in self.kinds.items()}

    def subject_parameters(self, name: str) -> Mapping[str, float]:
        """The parameters of a built-in subject with their defaults."""
        return self.kinds[name].parameters

    def group(self, parts: Sequence[tuple[str, Mapping[str, Any], int]]) -> Group:
        """A built-in subject: one part for all seats, or several parts with so many members each."""
        members: list[Member] = []
        for name, parameters, count in parts:
            one = member(
                name,
                parameters,
                blend=self.stigmergy == "blend",
                task=self.task,
                kinds=self.kinds,
            )
            members.extend([one] * (count if len(parts) > 1 or count > 1 else 1))
        return Group(
            tuple(members),
            self.rows,
            self.cols,
            self.range,
            self.horizon,
            self.question.actions,
            self.hearing,
            self.overhear,
            self.doors.minds,
        )

    def hosting(self, subject: Subject) -> LambdaStar:
        """This world with what the subject needs in it: rights for oracles, a guide for imitators."""
        future: set[int] = set(self.future)
        guided = self.guided
        for part, first, count in stretches(subject, self.subjects):
            if isinstance(part, Group):
                future.update(first + seat for seat in part.future(count))
                guided = guided or part.guided
        return replace(self, guided=guided, future=tuple(sorted(future)))

    # Pictures

    def view(self) -> LambdaStarView:
        """How an episode of this world is shown."""
        from mensura.worlds.lambda_star.view import LambdaStarView

        return LambdaStarView(self)

    def words(self) -> ModuleType:
        """The module that tells subjects who read what they observe."""
        from mensura.worlds.lambda_star import words

        return words

    def room(self, subject: Subject, description: Description, interactions: int) -> Room:
        """What a sitting takes: the row of its environment, and the tables of built-in members."""
        numbers = row_size_of(description)
        for part, _, count in stretches(subject, self.subjects):
            if isinstance(part, Group):
                numbers += part.mind_size(count)
        return Room(8 * numbers, LESS_ROOM)

    # The second door

    def compiles(self, subject: Subject) -> bool:
        """Whether whole sittings of this subject can be played compiled."""
        return isinstance(subject, Group)

    def rollout(
        self,
        subject: Group,
        patterns: Patterns,
        resets: npt.NDArray[np.uint64],
        seeds: npt.NDArray[np.uint64],
        training: int,
        keep_training: bool = False,
        told: npt.NDArray[np.float64] | None = None,
    ) -> npt.NDArray[np.float64]:
        """The sums of rewards of each sitting, its episodes and seats: (count, 1 or training + 1, seats).

        ``told`` is filled with what is told of each episode: (count, 1 or training + 1, tallies).

        One sitting per pattern, in one thread; the kernel lets other threads run. The assessed episode is the last.
        """
        host = self.hosting(subject)
        row = make_row(host._template)
        plain(layout.open_row)(row).looks[:] = subject.looks(self.subjects)
        mind = subject.make_mind(self.subjects)
        kept = training + 1 if keep_training else 1
        totals = np.zeros((len(patterns.rows), kept, self.subjects))
        places = [*self.tally().values(), *((layout.SAID,) if self.overhear else ())]
        counted = np.zeros((len(totals) if told is not None else 0, kept, layout.TALLY))
        self.doors.play(row, mind, patterns.rows, resets, seeds, training, 0, 0, totals, counted)
        if told is not None:
            told[:] = counted[:, :, places]
        return totals

    def play_compiled(
        self, subject: Group, plan: Plan, seed: Key, player: Agents | None = None
    ) -> Episode:
        """An episode of a plan in virtual time, the same to the bit as the one loop plays it.

        ``player`` is the subject in its seats, who goes on with what it knows; else it sits down with no memory.
        """
        seated = subject.sit(self.subjects) if player is None else player
        description: Any = plan.description
        environment = self.build(description)
        begun = begin_all(environment, self.id, plan, seed, seated)
        environment.parts.looks[:] = subject.looks(self.subjects)
        out = self.play_slot(environment, seated, plan.key, seed, begun.length, plan.learning)
        return episode_of(environment, plan, begun, out, seated)

    def play_slot(
        self,
        environment: LambdaStarEnvironment,
        player: Agents,
        key: Key,
        seed: Key,
        interactions: int,
        learning: bool = False,
    ) -> npt.NDArray[np.float64]:
        """Play so many interactions by a subject in its seats; returns the sum of each seat's rewards."""
        out = np.zeros((1, 1, self.subjects))
        self.doors.play(
            environment.row,
            player.agents[0].row,
            environment.description.pattern()[None],
            np.array([key], np.uint64),
            np.array([seed], np.uint64),
            0,
            interactions,
            int(learning),
            out,
            _NOTHING_TOLD,
        )
        return cast("npt.NDArray[np.float64]", out[0, 0])


_NOTHING_TOLD = np.zeros((0, 1, layout.TALLY))
"""Of single plans, as ``play_slot`` plays them: who wants to know asks the environment."""


def _k_scale(n: int) -> float:
    """What K is divided by to compare sequences of different lengths: n / log2 n."""
    n = max(n, 2)
    return n / math.log2(n)


def _phrase_bits(n: int) -> float:
    """The bits that point to a place in a sequence of n cells."""
    return math.log2(max(n, 2))


@lru_cache(maxsize=64)
def _reach(world: LambdaStar) -> tuple[int, int]:
    """The lowest and the highest K that a world with recurrent patterns draws.

    No K is beyond a phrase for each cell of the longest segment and one for its repetition. How near to that there is
    anything is tried, upwards from what some draws have, in steps that double and then halve.
    """
    low = 1 if world.segment_complexity or world.horizon == 1 else 2
    most = max(world.horizon // 2, 1) + 1

    def highest(least: int, draws: int = 1) -> int:
        keys = np.arange(draws, dtype=np.uint64)
        ends = np.full(draws, least, np.int64), np.full(draws, most, np.int64)
        return int(world._tried(keys, *ends).complexity.max())

    known, beyond, step = max(low, highest(low, SEEN)), most + 1, 1
    while beyond - known > 1:
        wanted = min(known + step, (known + beyond) // 2)
        found = highest(wanted)
        known, beyond = max(known, found), beyond if found >= 0 else wanted
        step *= 2
    return low, known
