"""The parameters of Lambda Star: those of the paper, and what may be asked beyond it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, Literal

from mensura.core.doors import Doors
from mensura.core.errors import MensuraError
from mensura.core.group import Kind
from mensura.worlds.lambda_star.tasks import QUESTIONS, Question, question, tally


@dataclass(frozen=True)
class Torus:
    """The paper's parameters, and where its program departs from its text."""

    rows: int = 10
    """Rows of the torus."""
    cols: int = 10
    """Columns of the torus."""
    subjects: int = 5
    """How many seats."""
    horizon: int = 50
    """Interactions of an episode."""
    range: int = 1
    """How far subjects see: their k-th Moore neighborhood."""
    radius: int = 1
    """How far away Good and Evil are felt."""
    generator: Literal["recurrent", "walk"] = "recurrent"
    """How patterns are drawn: as the paper's text says, or by a walk, as its program does."""
    segment_complexity: bool = False
    """Whether K is of the segment that recurs alone, as in the paper's program, and not of the whole pattern."""
    blind_start: bool = False
    """Whether Good and Evil seem to be on cell 1 before the first move, as in the paper's program."""
    guide_moves: Literal["once", "each"] = "once"
    """Where a guide is needed: it moves once in an interaction, or once for each subject."""
    stigmergy: Literal["assign", "blend"] = "assign"
    """What a stigmergic collective writes on cells: by algorithm 2 of the paper, or by the rule of its program."""
    guided: bool = False
    """Whether a guide walks in the environments even where no subject asks for one."""
    future: tuple[int, ...] = ()
    """The seats that see Good's next cell even where no subject asks for it."""


OF_SEARCH = ("guided", "future", "blind_start", "guides")
"""Parameters of the torus, and of a description, that say something of Good."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What may be asked beyond the paper's experiment (its section 6); a world and its descriptions share it.

    The defaults leave everything as it is in the paper.
    """

    task: Literal[
        "search",
        "landscape",
        "commons",
        "dilemma",
        "opinion",
    ] = "search"
    """What pays: being near Good, as in the paper; height; harvests; games with neighbors; or what one says."""
    peaks: int = 0
    """Of a landscape: how many local optima it has, the global one among them; 0: one for every 33 cells."""
    peak_width: float = 4.0
    """Of a landscape: about how many cells from its summit a peak has lost the height of the highest."""
    below_zero: float = 0.5
    """Of a landscape: about which share of the cells is worth less than 0."""
    drift: float = 0.0
    """Of a landscape: how many steps it makes in an interaction, from 0 (still) to 1."""
    landscape_reacts: Literal["no", "flees", "follows", "tires"] = "no"
    """Of a landscape: how it responds to subjects; it flees or follows as a whole, and tires cell by cell."""

    company: int = 1
    """Good is felt only where so many subjects at least are within its radius."""
    company_for: Literal["good", "both"] = "good"
    """Whether Evil, too, is felt only by a company."""
    good_reacts: Literal["no", "flees", "follows", "tires"] = "no"
    """How Good responds to subjects."""
    evil_reacts: Literal["no", "flees", "follows", "tires"] = "no"
    """How Evil responds to subjects."""
    sense: int = 2
    """How far away Good, Evil and the summit of a landscape notice a subject that they flee or follow."""
    tiring: float = 0.25
    """What one who tires loses of its strength in an interaction while a subject is within its radius; or a cell of a
    landscape, while one stands on it."""
    recovery: float = 0.1
    """What one who tires recovers of its strength in an interaction while no subject is so near."""
    hearing: int = 0
    """How far away members of a collective hear what one of them tells; 0: everywhere."""
    overhear: bool = False
    """Whether the entropy of what members of a collective tell is measured."""
    track: bool = False
    """Whether it is noted which cells the subjects have seen, so that coverage is measured."""
    ranges: tuple[int, ...] = ()
    """How far each seat sees, up to range; this and other lists begin anew where there are more seats."""
    moves: tuple[str, ...] = ()
    """How each seat can move: "all", "orthogonal", "diagonal", "slow", in every second interaction, or "none"."""
    good_appetites: tuple[float, ...] = ()
    """What Good weighs for each seat, from -1 to 1."""
    evil_appetites: tuple[float, ...] = ()
    """What Evil weighs for each seat."""
    learning_weight: float = 0.0
    """How much improvement over an episode weighs beside the mean reward; 0: it is not measured."""
    renewal: float = 0.1
    """Of a commons: a stock s grows by so much of s (1 - s) in an interaction."""
    bite: float = 0.5
    """Of a commons: the share of a cell's stock that one harvest takes."""
    threshold: float = 0.1
    """Of a commons: a stock below it does not regrow by itself; 0 for none."""
    spread: float = 0.0
    """Of a commons: what a stock that does not regrow by itself gets of the mean of its neighbors; 0: it is lost."""
    initial_stock: float = 0.5
    """Of a commons: stocks begin anywhere between this and 1."""

    temptation: float = 5.0
    """Of a dilemma: T, the pay-off of one who defects while the other cooperates."""
    reward: float = 3.0
    """Of a dilemma: R, the pay-off of both who cooperate."""
    punishment: float = 1.0
    """Of a dilemma: P, the pay-off of both who defect."""
    sucker: float = 0.0
    """Of a dilemma: S, the pay-off of one who cooperates while the other defects."""

    conformity: float = 0.5
    """Of opinions: what saying what most near one say weighs in the reward."""
    truth: float = 0.0
    """Of opinions: what saying what is so weighs; saying what one believes has the rest."""
    accuracy: float = 0.7
    """Of opinions: the probability, from 0.5 to 1, that a subject believes what is so."""
    opening: Literal["fair", "misleading", "random"] = "fair"
    """Of opinions: what all have said before the first interaction: what they believe, what the minority believes, or
    what a coin said."""
    state: Literal["drawn", "yes", "no"] = "drawn"
    """Of opinions: what is so."""

    @property
    def question(self) -> Question:
        """The task."""
        return question(self.task)

    @property
    def doors(self) -> Doors:
        """The doors to the compiled rules that these options ask for."""
        asked = self.question
        return asked.doors if asked.optional is None or not self.wide else asked.optional

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The subjects that make sense under these options."""
        return self.question.kinds_under(self)

    @cached_property
    def wide(self) -> bool:
        """Whether anything goes beyond the plain search."""
        return _options_of(self) != _DEFAULTS

    @property
    def reacts(self) -> bool:
        """Whether Good or Evil responds to subjects."""
        return self.good_reacts != "no" or self.evil_reacts != "no"

    @property
    def idle(self) -> tuple[str, ...]:
        """The parameters that say nothing under this task: those of the others."""
        return tuple(option for option, _ in _of_others(self.task))

    def options(self) -> dict[str, Any]:
        """All of them, for somebody else who has them."""
        return {one.name: getattr(self, one.name) for one in fields(Options)}

    def tally(self) -> dict[str, int]:
        """What is told of an episode, by name, and its place in the kernel's tally."""
        return tally(self) if self.wide else {}

    def check_options(self) -> None:
        """One sentence for each way in which the options can be wrong."""
        if not self.wide:
            return  # the usual case, quickly
        for one in fields(Options):
            value = getattr(self, one.name)
            if isinstance(value, list):
                object.__setattr__(self, one.name, tuple(value))
        self._check_common()
        here = question(self.task)
        defaults = {
            one.name: None if one.default is MISSING else one.default for one in fields(self)
        }
        for option, name in _of_others(self.task):
            if hasattr(self, option) and getattr(self, option) != defaults[option]:
                raise MensuraError(
                    f"{option} is of the task {name!r}, and the task is {self.task!r}; leave it out."
                )
        here.check(self)

    def _check_common(self) -> None:
        """What every task understands."""
        for name in ("track", "overhear"):
            if not isinstance(getattr(self, name), bool):
                raise MensuraError(f"{name} is {getattr(self, name)!r}; it is true or false.")
        check_number("hearing", self.hearing, 0, 1000, whole=True)
        check_number("learning_weight", self.learning_weight, 0, 1)
        limit = getattr(self, "range", 1)
        for value in check_list("ranges", self.ranges):
            check_number("A range of ranges", value, 1, limit, whole=True)
        for value in check_list("moves", self.moves):
            check_word("A move of moves", value, GAITS)


_options_of = attrgetter(*(one.name for one in fields(Options)))
_DEFAULTS = tuple(one.default for one in fields(Options))


@cache
def _of_others(task: str) -> tuple[tuple[str, str], ...]:
    """The parameters that belong to other tasks, each with its task."""
    options = {name: one.options for name, one in QUESTIONS.items()}
    options["search"] += OF_SEARCH
    own = options.get(task, ())
    return tuple(
        (option, name)
        for name, mine in options.items()
        for option in mine
        if name != task and option not in own
    )


GAITS = ("all", "orthogonal", "diagonal", "slow", "none")
"""How subjects can move, in the order of the kernel's numbers."""


def check_list(name: str, value: Any) -> tuple[Any, ...]:
    """Refuse what is not a list."""
    if not isinstance(value, tuple):
        raise MensuraError(f"{name} is {value!r}; it is a list.")
    return value


def check_number(name: str, value: Any, low: float, high: float, whole: bool = False) -> None:
    """Refuse what is not a number from low to high."""
    kinds: Any = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        what = "a whole number" if whole else "a number"
        raise MensuraError(f"{name} is {value!r}; it is {what} from {low:g} to {high:g}.")


def check_word(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Refuse what is not one of a few words."""
    if value not in allowed:
        raise MensuraError(f"{name} is {value!r}; it is {' or '.join(map(repr, allowed))}.")
