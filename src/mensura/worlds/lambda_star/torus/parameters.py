"""What a torus is told, whatever is played on it: its parameters, and how values of parameters are checked."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from mensura.agent.errors import MensuraError

GAITS = ("all", "orthogonal", "diagonal", "slow", "none")
"""How subjects can move, in the order of the kernel's numbers."""
REACTIONS = ("no", "flees", "follows", "tires")
"""How things respond to subjects, in the order of the kernel's numbers."""
OF_REACTIONS = ("sense", "tiring", "recovery")
"""The parameters that say more of reactions, in games that have them."""


class OnTorus:
    """What a game may ask of worlds and descriptions alike beside its own parameters."""

    rows: int
    cols: int
    subjects: int
    horizon: int
    range: int
    radius: int
    sense: int
    tiring: float
    recovery: float
    ranges: tuple[int, ...]
    moves: tuple[str, ...]
    drawn_values: tuple[float, ...] = ()
    """What was drawn of an environment; nothing of a world."""

    def check_reactions(self, *names: str) -> None:
        """Raise if one of these parameters is no reaction, or if what says more of reactions is wrong."""
        for name in names:
            check_word(name, getattr(self, name), REACTIONS)
        check_number("sense", self.sense, 0, 1000, whole=True)
        check_number("tiring", self.tiring, 0, 1)
        check_number("recovery", self.recovery, 0, 1)


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


OF_GOOD = ("guided", "future", "blind_start", "guides")
"""Parameters of the torus, and of a description, that say something of Good."""


@dataclass(frozen=True, kw_only=True)
class Common(OnTorus):
    """What may be asked in several games or in all of them."""

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

    def check_common(self) -> None:
        """Raise if a parameter that every game understands is wrong."""
        for name in ("track", "overhear"):
            if not isinstance(getattr(self, name), bool):
                raise MensuraError(f"{name} is {getattr(self, name)!r}; it is true or false.")
        check_number("hearing", self.hearing, 0, 1000, whole=True)
        for value in check_list("ranges", self.ranges):
            check_number("A range of ranges", value, 1, self.range, whole=True)
        for value in check_list("moves", self.moves):
            check_word("A move of moves", value, GAITS)


@dataclass(frozen=True, kw_only=True)
class Improvement(OnTorus):
    """What may be asked of how subjects improve, in every game."""

    learning_weight: float = 0.0
    """How much improvement over an episode weighs beside the mean reward; 0: it is not measured."""

    def check_improvement(self) -> None:
        """Raise if the weight is wrong."""
        check_number("learning_weight", self.learning_weight, 0, 1)


def names_of(parameters: type[Any]) -> tuple[str, ...]:
    """The parameters that a class declares itself, not those of its bases."""
    return tuple(one.name for one in fields(parameters) if one.name in parameters.__annotations__)


def check_list(name: str, value: Any) -> tuple[Any, ...]:
    """Raise if a value is not a list."""
    if not isinstance(value, tuple):
        raise MensuraError(f"{name} is {value!r}; it is a list.")
    return value


def check_number(name: str, value: Any, low: float, high: float, whole: bool = False) -> None:
    """Raise if a value is not a number from low to high."""
    kinds: Any = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        what = "a whole number" if whole else "a number"
        raise MensuraError(f"{name} is {value!r}; it is {what} from {low:g} to {high:g}.")


def check_word(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise if a value is not one of a few words."""
    if value not in allowed:
        raise MensuraError(f"{name} is {value!r}; it is {' or '.join(map(repr, allowed))}.")
