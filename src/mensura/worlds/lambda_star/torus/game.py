"""What a game is: one object with all that the world, the environment, subjects and views need to know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.core.contract import Measure
from mensura.core.doors import Doors
from mensura.core.group import Kind
from mensura.pictures.scenes import Table
from mensura.worlds.lambda_star.torus.drawing import Look
from mensura.worlds.lambda_star.torus.kernels.row import MOVES_OF_ONE
from mensura.worlds.lambda_star.torus.moment import Moment
from mensura.worlds.lambda_star.torus.parameters import Common
from mensura.worlds.lambda_star.torus.patterns import Patterns
from mensura.worlds.lambda_star.torus.subjects import Subjects


@dataclass(frozen=True)
class Drawn:
    """What a game draws of an environment where that is not the pattern of Good and Evil."""

    sample: Callable[
        [
            Any,
            npt.NDArray[np.uint64],
            str,
            npt.NDArray[np.float64],
            npt.NDArray[np.float64],
        ],
        Patterns,
    ]
    """The world, keys, a complexity (or "") and its bounds: rows that the kernel's ``prepare`` reads."""
    content: Callable[[Any, npt.NDArray[np.int64]], tuple[float, ...]]
    """The world and a row: what a description holds of it."""
    pattern: Callable[[Any], npt.NDArray[np.int64]]
    """The row of a description, the other way round."""
    complexity: Callable[[Any, str], float]
    """The complexity of a description, by name."""


def _nothing(_: Any) -> None:
    """No more to check than what all games check."""


@dataclass(frozen=True)
class Game:
    """One game. Its functions are given a world or a description, which both have its parameters."""

    name: str
    """As the parameter ``task`` has it."""
    doors: Doors
    """To its compiled rules and minds."""
    subjects: Subjects
    """The built-in subjects that make sense there."""
    balanced: Callable[[Any], bool]
    """Whether a random subject's expectation is exactly 0."""
    measures: Mapping[str, Measure]
    """The complexities of its environments."""
    explained: Callable[[Any], Sequence[str]]
    """What pays, in sentences for somebody who was not there."""
    look: Look
    """What is drawn of it beyond what all games have."""
    objects: bool = False
    """Whether Good and Evil travel there."""
    deed: str = ""
    """The second verb, as "harvest"; none where it is empty."""
    signals: bool = False
    """Whether subjects are told something privately."""
    field: int = 0
    """How many numbers each cell has."""
    told: str = ""
    """What subjects are told before they begin; search tells nothing, as Good is to be found out."""
    setting: str = ""
    """A sentence on what else is on the torus, for somebody who was not there."""
    options: tuple[str, ...] = ()
    """The parameters that say something in this game only."""
    check: Callable[[Any], None] = _nothing
    """Raise if parameters make no sense together."""
    dials: Callable[[Any], Sequence[float]] = lambda _: ()
    """The numbers of the game, from ``row.GAME_DIAL`` on."""
    tally: Callable[[Any], Mapping[str, int]] = lambda _: {}
    """What is told of an episode, by name, and its place in the tally."""
    places: Callable[[Any], Mapping[int, float]] = lambda _: {}
    """Numbers of the tally that the rules take as places, and the last of each; the first is 0."""
    drawn: Drawn | None = None
    """None: the pattern of Good and Evil."""
    optional: Doors | None = None
    """Doors to rules that also know options, where the usual ones do not."""
    own: Doors | None = None
    """Doors to the usual rules for minds of the game alone, where the usual doors know only those of the torus: what a
    few minds need costs the others nothing."""
    worth: Callable[[Any], npt.NDArray[np.float64]] | None = None
    """The parts of a row: what each cell is worth now, for drawings; None: nothing, or what Good and Evil tell."""
    remarks: Callable[[Any], tuple[str, ...]] = lambda _: ()
    """What was drawn of an environment, in sentences, where a picture does not tell it."""
    everybody: Callable[[Moment], Table] | None = None
    """The table of everybody; None: the subjects, with what they did and what they alone are told."""
    usual_assessment: str = "anytime"
    """How subjects are assessed if nobody says how."""

    def kinds_under(self, options: Common) -> Mapping[str, Kind]:
        """The subjects that make sense under some options."""
        own = self.subjects
        return {**own.kinds, **own.exploring} if options.track else own.kinds

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return MOVES_OF_ONE * (2 if self.deed else 1)
