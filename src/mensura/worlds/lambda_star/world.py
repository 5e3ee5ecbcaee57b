"""The world Lambda Star: its parameters and presets, sampling by complexity, and both doors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.in_process import Agents
from mensura.agent.keys import DRAWN_ANEW, Key
from mensura.core.abilities import GENERATED, bounded
from mensura.core.blocks import Layout
from mensura.core.compiled import plain
from mensura.core.contract import Episode, Measure, Plan
from mensura.core.doors import DIRECT, Through
from mensura.core.group import Member, stretches
from mensura.core.many_doors import many_doors
from mensura.core.players import Subject
from mensura.core.room import Room
from mensura.core.second_door import begin_all, episode_of
from mensura.worlds.lambda_star.agents import LESS_ROOM, SAID, Group, member
from mensura.worlds.lambda_star.description import Description, make_row, row_size_of
from mensura.worlds.lambda_star.environment import LambdaStarEnvironment
from mensura.worlds.lambda_star.parameters import Options
from mensura.worlds.lambda_star.torus.kernels import row as layout
from mensura.worlds.lambda_star.torus.parameters import Torus, check_word
from mensura.worlds.lambda_star.torus.patterns import (
    PatternDrawer,
    Patterns,
    complexity_of,
    intervals,
)
from mensura.worlds.lambda_star.torus.space import check_space

if TYPE_CHECKING:
    from mensura.core.phenomena import Phenomenon
    from mensura.worlds.lambda_star.view import LambdaStarView

MOST_SHOWN = 1600
"""The most cells of an environment that a page shows."""


@dataclass(frozen=True)
class LambdaStar(Options, Torus):
    """The class of Lambda Star environments with these parameters.

    Description:
        Subjects search a torus for Good, who travels along a pattern, and keep away from Evil.
    """

    id: ClassVar[str] = "lambda-star-v2"
    content: ClassVar[str] = GENERATED
    changes: ClassVar[Mapping[int, str]] = {
        1: (
            "under the preset authors-2016 Evil is on the cell that the authors' program counts from Good's (the "
            "generator walk), and the first observation shows cell 1 as worth -0.5 (blind_start); the anytime test "
            "goes up to the highest K that there is, 26 at a horizon of 50, where it went to the highest of 256 draws; "
            "everything else scores as before"
        ),
        2: DRAWN_ANEW,
    }
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
        """Raise if a parameter is out of range or parameters contradict each other."""
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

    whole_numbers: ClassVar[frozenset[str]] = frozenset(
        {"position", "iteration", "future", "good", "evil", "others", "guide", "deeds"}
    )

    @property
    def promises(self) -> frozenset[str]:
        """Bounded always; balanced where the game is, under these options."""
        return frozenset({"bounded", "balanced"} if self.game.balanced(self) else {"bounded"})

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The complexities of environments of the game."""
        return self.game.measures

    @property
    def demo(self) -> tuple[str, ...]:
        """The subjects that a demonstration shows."""
        return self.game.subjects.demo

    @property
    def usual_assessment(self) -> str:
        """How subjects are assessed if nobody says how: by a battery where it is the group that is asked about."""
        return self.game.usual_assessment

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
        return None if self.game.drawn is not None else self._patterns.usual_range

    def complexity_bounds(self, measure: str) -> tuple[float, float] | None:
        """The complexities between which the recurrent generator has environments, as far as it finds them.

        At the paper's horizon K goes from 2, of who stays, to 26: a segment of 25 different cells, and its repetition.
        None of walks, of other games, and of measures that do not follow from K.
        """
        self._check_measure(measure)
        return None if self.game.drawn is not None else self._patterns.bounds(measure)

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
        measured = measure or self.game.drawn is None
        for wanted in intervals(low, high)[0] if measured else ():
            self._check_interval(measure, *wanted)
        if self.game.drawn is not None:
            return self.game.drawn.sample(self, keys, measure, low, high)
        return self._patterns.sample(keys, measure, low, high)

    @cached_property
    def _patterns(self) -> PatternDrawer:
        """What draws the patterns of Good and Evil."""
        return PatternDrawer(
            self.rows,
            self.cols,
            self.horizon,
            self.generator,
            self.segment_complexity,
            self.reacts,
        )

    def _check_interval(self, measure: str, low: float, high: float) -> None:
        self._check_measure(measure)
        if not low <= high:
            raise MensuraError(f"The interval of {measure} from {low:g} to {high:g} is empty.")

    def _check_measure(self, measure: str) -> None:
        if measure not in self.measures:
            raise MensuraError(
                f"Lambda Star has no complexity {measure!r}; {neighbors(measure, list(self.measures))}"
            )

    def complexity(self, description: Description, measure: str = "K") -> float:
        """How complex an environment is; K_normalized and combined are functions of K."""
        self._check_measure(measure)
        if self.game.drawn is not None:
            return self.game.drawn.complexity(description, measure)
        segment = description.segment or len(description.good_moves)
        return complexity_of(
            description.pattern(),
            description.rows,
            description.cols,
            min(description.horizon, segment) if self.segment_complexity else description.horizon,
            measure,
        )

    def describe(self, pattern: npt.NDArray[np.int64]) -> Description:
        """The description of a sampled pattern in this world."""
        if self.game.drawn is not None:
            return replace(self._template, drawn_values=self.game.drawn.content(self, pattern))
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
                game=self.task,
                kinds=self.kinds,
            )
            members.extend([one] * (count if len(parts) > 1 or count > 1 else 1))
        return Group(
            tuple(members),
            self.rows,
            self.cols,
            self.range,
            self.horizon,
            self.game.actions,
            self.hearing,
            self.overhear,
            self.doors_for(one.code for one in members).minds,
            self.radius,
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

    def phenomena(self, description: Description | None = None) -> tuple[Phenomenon, ...]:
        """Good, Evil and rewards, as one subject alone meets them in a search; none in other games."""
        from mensura.worlds.lambda_star.phenomena import phenomena_of

        found = self.sample(0) if description is None else description
        return phenomena_of(found) if found.game.objects else ()

    # Pictures

    def view(self) -> LambdaStarView:
        """How an episode of this world is shown."""
        from mensura.worlds.lambda_star.view import LambdaStarView

        return LambdaStarView(self)

    def words(self) -> ModuleType:
        """The module that tells subjects who read what they observe."""
        from mensura.worlds.lambda_star import sentences

        return sentences

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

    def spaces_of(self, patterns: Patterns) -> tuple[list[tuple[Any, Any]], npt.NDArray[np.int64]]:
        """What is observed and done in environments that were drawn, by kind, and of which kind each is: all of one."""
        first = self.build(self.describe(patterns.rows[0]))
        return [first.spaces(0)], np.zeros(len(patterns.rows), np.int64)

    def block(self) -> Layout:
        """How environments of this world lie in a block of memory, to be stepped all at once."""
        row = make_row(self._template)
        plain(layout.open_row)(row).looks[:] = layout.LOOKS_ALL
        rules = self.doors.rules
        showing = layout.show_plain if rules.open is layout.open_plain else layout.show_row
        return Layout(
            many_doors(rules, showing),
            row,
            lambda keys, measure, low, high: (
                self.sample_many(keys, measure or next(iter(self.measures), ""), low, high).rows
            ),
            lambda rows: rows,
            self.subjects,
            drawing=self._patterns.drawing() if self.game.drawn is None else None,
        )

    def rollout(
        self,
        subject: Group,
        patterns: Patterns,
        resets: npt.NDArray[np.uint64],
        seeds: npt.NDArray[np.uint64],
        training: int,
        keep_training: bool = False,
        told: npt.NDArray[np.float64] | None = None,
        through: Through = DIRECT,
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
        doors = self.doors_for(one.code for one in subject.members)
        through.doors(doors).play(
            through.row(row), mind, patterns.rows, resets, seeds, training, 0, 0, totals, counted
        )
        if told is not None:
            told[:] = counted[:, :, places]
        return totals

    def play_compiled(
        self,
        subject: Group,
        plan: Plan,
        seed: Key,
        player: Agents | None = None,
        through: Through = DIRECT,
    ) -> Episode:
        """An episode of a plan in virtual time, the same to the bit as the one loop plays it.

        ``player`` is the subject in its seats, who goes on with what it knows; else it sits down with no memory.
        """
        seated = subject.sit(self.subjects) if player is None else player
        description: Any = plan.description
        environment = self.build(description)
        begun = begin_all(environment, self.id, plan, seed, seated)
        environment.parts.looks[:] = subject.looks(self.subjects)
        slot = begun.length, plan.learning
        out = self.play_slot(environment, seated, plan.key, seed, *slot, through=through)
        return episode_of(environment, plan, begun, out, seated)

    def play_slot(
        self,
        environment: LambdaStarEnvironment,
        player: Agents,
        key: Key,
        seed: Key,
        interactions: int,
        learning: bool = False,
        through: Through = DIRECT,
    ) -> npt.NDArray[np.float64]:
        """Play so many interactions by a subject in its seats; returns the sum of each seat's rewards."""
        out = np.zeros((1, 1, self.subjects))
        first = player.agents[0]
        through.doors(self.doors_for(first.kinds)).play(
            through.row(environment.row),
            first.row,
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
