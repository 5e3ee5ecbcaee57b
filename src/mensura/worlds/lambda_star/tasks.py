"""The tasks of Lambda Star: what pays, who makes sense there, and what is told of an episode.

The rules of a task are compiled, in :mod:`~mensura.worlds.lambda_star.kernel` (search) or a module of its own, and
those of its minds too; here is what everybody else needs to know of it, one :class:`Question` each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mensura.core.contract import Measure
from mensura.core.doors import Doors, doors_of
from mensura.core.errors import MensuraError, neighbors
from mensura.core.group import Kind
from mensura.worlds.lambda_star import (
    beliefs,
    climbers,
    commons,
    dilemma,
    explorers,
    harvesters,
    landscape,
    minds,
    opinion,
    opinions,
    payoffs,
    row,
    search,
    strategies,
    terrain,
)
from mensura.worlds.lambda_star.agents import DEMO, KINDS
from mensura.worlds.lambda_star.interaction import PLAIN
from mensura.worlds.lambda_star.minds import MINDS_OF_SEARCH
from mensura.worlds.lambda_star.reactions import REACTIONS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from mensura.worlds.lambda_star.environment import Description
    from mensura.worlds.lambda_star.parameters import Options
    from mensura.worlds.lambda_star.world import LambdaStar, Patterns


def _nothing(_: Options) -> None:
    """No more to refuse than what all tasks refuse."""


@dataclass(frozen=True)
class Drawn:
    """What a task draws of an environment where that is not the pattern of Good and Evil."""

    sample: Callable[
        [
            LambdaStar,
            npt.NDArray[np.uint64],
            str,
            npt.NDArray[np.float64],
            npt.NDArray[np.float64],
        ],
        Patterns,
    ]
    """The world, keys, a complexity (or "") and its bounds: rows that the kernel's ``prepare`` reads."""
    describe: Callable[[Description, npt.NDArray[np.int64]], Description]
    """A description that lacks what was drawn, and a row: the description of that environment."""
    pattern: Callable[[Description], npt.NDArray[np.int64]]
    """The row of a description, the other way round."""
    complexity: Callable[[Description, str], float]
    complexity_range: Callable[[LambdaStar], tuple[int, int] | None] = lambda _: None
    """The range of the first complexity over which a battery is spread by default."""


@dataclass(frozen=True)
class Question:
    """One task."""

    doors: Doors
    """To its compiled rules and minds."""
    about: str
    """A line on what pays."""
    kinds: Mapping[str, Kind]
    """The subjects that make sense there."""
    demo: tuple[str, ...]
    """Those that a demonstration shows."""
    balanced: Callable[[Options], bool]
    """Whether a random subject's expectation is exactly 0."""
    measures: Mapping[str, Measure]
    """The complexities of its environments."""
    deed: str = ""
    """The second verb, as "harvest"; none where it is empty."""
    signals: bool = False
    """Whether subjects are told something privately."""
    field: int = 0
    """How many numbers each cell has."""
    told: str = ""
    """What subjects are told before they begin; search tells nothing, as Good is to be found out."""
    options: tuple[str, ...] = ()
    """The parameters that say something under this task only."""
    check: Callable[[Options], None] = _nothing
    """Refuse what makes no sense together."""
    dials: Callable[[Options], Sequence[float]] = lambda _: ()
    """The numbers of the task, from ``row.TASK_DIAL`` on."""
    tally: Callable[[Options], Mapping[str, int]] = lambda _: {}
    """What is told of an episode, by name, and its place in the tally."""
    drawn: Drawn | None = None
    """None: the pattern of Good and Evil."""
    optional: Doors | None = None
    """Doors to rules that also know options, where the usual ones do not."""
    explorers: Mapping[str, Kind] | None = None
    """Further subjects that make sense where coverage is tracked."""
    worth: Callable[[Any], npt.NDArray[np.float64]] | None = None
    """The parts of a row: what each cell is worth now, for drawings; None: its field, or nothing."""
    usual_assessment: str = "anytime"
    """How subjects are assessed if nobody says how."""
    explained: Callable[[Description], Sequence[str]] | None = None
    """What pays, in sentences for somebody who was not there; of search the view tells it."""

    def kinds_under(self, options: Options) -> Mapping[str, Kind]:
        """The subjects that make sense under some options."""
        return {**self.kinds, **(self.explorers or {})} if options.track else self.kinds

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return row.MOVES_OF_ONE * (2 if self.deed else 1)


PATTERN_MEASURES = {
    "K": Measure("K", "Lempel-Ziv 76 complexity of the cells of Good's pattern over the horizon"),
    "K_normalized": Measure("K_normalized", "K over n / log2 n, n the length of the sequence"),
    "H": Measure("H", "search-space complexity log2((mn)! / (mn - 2)!)", "bits"),
    "combined": Measure("combined", "H plus K log2 n: where things are and how they move", "bits"),
}

_LOOKING = (
    "random",
    "local-search",
    "stigmergy",
    "crowd",
    "auction",
    "autocracy",
    "hierarchy",
)
"""Subjects of search that go by what cells are worth, whatever makes it so."""
LEARNERS = ("q-learning", "sarsa", "shared-q-learning", "shared-sarsa")
"""Subjects of search that go by no more than where they are, when, and what they got."""

ANYTHING = Kind(minds.RANDOM, "any of the eighteen actions, drawn evenly")
"""A random subject where there is a deed."""


def _only(*names: str) -> dict[str, Kind]:
    """Some of the subjects of search."""
    return {name: KINDS[name] for name in names}


def _search_is_balanced(options: Options) -> bool:
    """Whether nothing tells Good from Evil but the sign.

    Then what happens to a random subject is as likely as the same with both exchanged: they start on random cells and
    travel along patterns of the same law.
    """
    good, evil = options.good_appetites or (1.0,), options.evil_appetites or (1.0,)
    seats = range(len(good) * len(evil))
    weighed_alike = all(good[j % len(good)] == evil[j % len(evil)] for j in seats)
    felt_alike = options.company == 1 or options.company_for == "both"
    return felt_alike and options.good_reacts == options.evil_reacts and weighed_alike


OF_REACTIONS = ("sense", "tiring", "recovery")
"""The parameters that say more of reactions, in tasks that have them."""


def check_reactions(options: Options, *names: str) -> None:
    """Refuse what is no reaction."""
    from mensura.worlds.lambda_star.parameters import check_number, check_word

    for name in names:
        check_word(name, getattr(options, name), REACTIONS)
    check_number("sense", options.sense, 0, 1000, whole=True)
    check_number("tiring", options.tiring, 0, 1)
    check_number("recovery", options.recovery, 0, 1)


def _check_search(options: Options) -> None:
    """Refuse what makes no sense of company, reactions and appetites."""
    from mensura.worlds.lambda_star.parameters import check_list, check_number, check_word

    check_number("company", options.company, 1, 10_000, whole=True)
    check_word("company_for", options.company_for, ("good", "both"))
    if options.company == 1 and options.company_for != "good":
        raise MensuraError(
            "company_for says who is felt only by a company, and a company of 1 is anybody; set company to 2 or more."
        )
    check_reactions(options, "good_reacts", "evil_reacts")
    for name in ("good_appetites", "evil_appetites"):
        for value in check_list(name, getattr(options, name)):
            check_number(f"An appetite of {name}", value, -1, 1)


def _check_landscape(options: Options) -> None:
    """Refuse what makes no landscape, or no sense of how it reacts."""
    terrain.check(options)
    check_reactions(options, "landscape_reacts")


QUESTIONS: dict[str, Question] = {
    "search": Question(
        doors_of(PLAIN, MINDS_OF_SEARCH),
        "finding Good, who travels along a pattern, and keeping away from Evil",
        KINDS,
        DEMO,
        balanced=_search_is_balanced,
        measures=PATTERN_MEASURES,
        options=(
            "company",
            "company_for",
            "good_reacts",
            "evil_reacts",
            *OF_REACTIONS,
            "good_appetites",
            "evil_appetites",
        ),
        check=_check_search,
        tally=lambda options: {"company_met": row.MET} if options.company > 1 else {},
        optional=doors_of(search.RULES, explorers.MINDS),
        explorers=explorers.KINDS,
    ),
    "landscape": Question(
        doors_of(landscape.RULES, climbers.MINDS),
        "standing high in a landscape with many local optima and one global one",
        {**climbers.KINDS, **_only(*_LOOKING, *LEARNERS)},
        (
            "random",
            "local-search",
            "hill-climbing",
            "annealing",
            "swarm",
            "stigmergy",
            "crowd",
            "auction",
            "autocracy",
            "hierarchy",
            "shared-q-learning",
        ),
        # All cells add up to 0, and a random subject is on each of them equally often; cells tire of it whatever they
        # are worth. A landscape that goes where subjects are, or are not, is not as often everywhere under them.
        balanced=lambda options: options.landscape_reacts in ("no", "tires"),
        measures=terrain.MEASURES,
        field=landscape.PLANES_OF_FIELD,
        told=(
            "Each cell of the grid is worth something from -1 to 1, and that is what you get for standing on it. There "
            "are several peaks, and exactly one cell is worth 1, the most there is."
        ),
        options=("peaks", "peak_width", "below_zero", "drift", "landscape_reacts", *OF_REACTIONS),
        check=_check_landscape,
        dials=lambda options: (options.drift, REACTIONS.index(options.landscape_reacts)),
        tally=lambda _: landscape.TALLY_OF,
        drawn=Drawn(terrain.sample, terrain.describe, terrain.pattern, terrain.complexity),
        worth=landscape.worth,
        explained=landscape.explained,
    ),
    "commons": Question(
        doors_of(commons.RULES, harvesters.MINDS),
        "harvesting a stock that regrows, and that all may exhaust",
        {"random": ANYTHING, **harvesters.KINDS, **_only(*LEARNERS)},
        ("random", "greedy", "prudent", "quota", "q-learning"),
        # A harvest costs nothing, so that whoever does anything at all gets more than 0.
        balanced=lambda _: False,
        measures={},
        deed="harvest",
        field=commons.PLANES_OF_FIELD,
        told=(
            "Each cell of the grid holds a stock from 0 to 1. What a cell is worth is what you get if you harvest on "
            "it by yourself; several who harvest on one cell share. A harvest takes a part of the stock. What is left "
            "regrows, fastest from one half, and hardly or not at all where next to nothing is left."
        ),
        options=("renewal", "bite", "threshold", "spread", "initial_stock"),
        check=commons.check,
        dials=commons.dials,
        tally=lambda _: commons.TALLY_OF,
        drawn=Drawn(commons.sample, commons.describe, commons.pattern, lambda *_: math.nan),
        worth=commons.worth,
        explained=commons.explained,
    ),
    "dilemma": Question(
        doors_of(dilemma.RULES, strategies.MINDS),
        "playing the prisoner's dilemma with all who are near",
        {"random": ANYTHING, **strategies.KINDS, **_only(*LEARNERS)},
        ("random", *strategies.KINDS, "shared-q-learning"),
        # The pay-offs as rewards add up to 0, and a random subject meets each of the four as often among its like.
        balanced=lambda _: True,
        measures=payoffs.MEASURES,
        deed="press",
        told=(
            "With each action you may also press a button that you carry, and so may everybody. What you get depends "
            "on whether you press it, and on how many of those near you press theirs and how many do not. While "
            "nobody is near you get 0."
        ),
        options=("temptation", "reward", "punishment", "sucker"),
        check=payoffs.check,
        dials=payoffs.as_rewards,
        tally=lambda _: dilemma.TALLY_OF,
        drawn=Drawn(payoffs.sample, payoffs.describe, payoffs.pattern, payoffs.complexity),
        usual_assessment="battery",
        explained=payoffs.explained,
    ),
    "opinion": Question(
        doors_of(opinion.RULES, opinions.MINDS),
        "saying what most near one say, what one believes, and what is so",
        {"random": ANYTHING, **opinions.KINDS, **_only(*LEARNERS)},
        ("random", *opinions.KINDS, "shared-q-learning"),
        # Whatever would be paid for yes is lost by no, and a random subject says either as often.
        balanced=lambda _: True,
        measures=beliefs.MEASURES,
        deed="say yes",
        signals=True,
        told=(
            "With each action you say yes or, if you do not say yes, no, and so does everybody; others in sight hear "
            "it. Your private signal is what you believe, 1 for yes and -1 for no; what others believe you are not "
            "told. What you get depends on what you say, what you believe, and what those near you say."
        ),
        options=("conformity", "truth", "accuracy", "opening", "state"),
        check=beliefs.check,
        dials=lambda options: (
            options.conformity,
            options.truth,
            beliefs.OPENINGS.index(options.opening),
        ),
        tally=lambda _: opinion.TALLY_OF,
        drawn=Drawn(beliefs.sample, beliefs.describe, beliefs.pattern, beliefs.complexity),
        usual_assessment="battery",
        explained=beliefs.explained,
    ),
}


def question(task: Any) -> Question:
    """A task by name, or a sentence."""
    if task not in QUESTIONS:
        raise MensuraError(f"task is {task!r}; {neighbors(str(task), list(QUESTIONS))}")
    return QUESTIONS[task]


def tally(options: Options) -> dict[str, int]:
    """What is told of an episode under these options, by name, and its place in the tally."""
    told: dict[str, int] = {}
    if options.track:
        told |= {
            "coverage": row.COVERED,
            "coverage_area": row.COVERED_SUM,
            "coverage_half": row.COVERED_HALF,
        }
    if options.learning_weight > 0:
        told |= {"improvement": row.IMPROVED, "weighted": row.WEIGHTED}
    return {**told, **QUESTIONS[options.task].tally(options)}
