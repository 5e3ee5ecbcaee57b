"""What may be asked of Lambda Star beyond the paper: the game, and the parameters of all games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, Literal

from mensura.agent.errors import MensuraError
from mensura.core.doors import Doors
from mensura.core.group import Kind
from mensura.worlds.lambda_star.games.commons.parameters import Parameters as OfCommons
from mensura.worlds.lambda_star.games.dilemma.parameters import Parameters as OfDilemma
from mensura.worlds.lambda_star.games.landscape.parameters import Parameters as OfLandscape
from mensura.worlds.lambda_star.games.opinion.parameters import Parameters as OfOpinion
from mensura.worlds.lambda_star.games.search.parameters import Objects as OfObjects
from mensura.worlds.lambda_star.games.search.parameters import Parameters as OfSearch
from mensura.worlds.lambda_star.games.table import GAMES, game_of
from mensura.worlds.lambda_star.torus.game import Game
from mensura.worlds.lambda_star.torus.kernels.memory import FIRST_OF_GAMES
from mensura.worlds.lambda_star.torus.kernels.row import (
    COVERED,
    COVERED_HALF,
    COVERED_SUM,
    IMPROVED,
    WEIGHTED,
)
from mensura.worlds.lambda_star.torus.parameters import Common, Improvement


@dataclass(frozen=True, kw_only=True)
class Played:
    """Which game is played."""

    task: Literal[
        "search",
        "landscape",
        "commons",
        "dilemma",
        "opinion",
    ] = "search"
    """What pays: being near Good, as in the paper; height; harvests; games with neighbors; or what one says."""


@dataclass(frozen=True, kw_only=True)
class Options(
    OfOpinion,
    OfDilemma,
    OfCommons,
    Improvement,
    OfSearch,
    Common,
    OfObjects,
    OfLandscape,
    Played,
):
    """What may be asked beyond the paper's experiment (its section 6); a world and its descriptions share it.

    The defaults leave everything as it is in the paper. Fields are in the order of the bases, from the last to the
    first: records tell worlds apart by what is written of them, so the order stays.
    """

    @property
    def game(self) -> Game:
        """What is played."""
        return game_of(self.task)

    @property
    def doors(self) -> Doors:
        """The doors to the compiled rules that these options ask for."""
        game = self.game
        return game.doors if game.optional is None or not self.wide else game.optional

    def doors_for(self, codes: Iterable[int]) -> Doors:
        """The same for minds of these kinds."""
        own = self.game.own
        if own is None or self.wide or all(code < FIRST_OF_GAMES for code in codes):
            return self.doors
        return own

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The subjects that make sense under these options."""
        return self.game.kinds_under(self)

    @cached_property
    def wide(self) -> bool:
        """Whether anything goes beyond the plain search."""
        return _options_of(self) != _DEFAULTS

    @property
    def idle(self) -> tuple[str, ...]:
        """The parameters that say nothing in this game: those of the others."""
        return tuple(option for option, _ in _of_others(self.task))

    def options(self) -> dict[str, Any]:
        """All of them, for somebody else who has them."""
        return {one.name: getattr(self, one.name) for one in fields(Options)}

    def tally(self) -> dict[str, int]:
        """What is told of an episode, by name, and its place in the kernel's tally."""
        if not self.wide:
            return {}
        told: dict[str, int] = {}
        if self.track:
            told |= {
                "coverage": COVERED,
                "coverage_area": COVERED_SUM,
                "coverage_half": COVERED_HALF,
            }
        if self.learning_weight > 0:
            told |= {"improvement": IMPROVED, "weighted": WEIGHTED}
        return {**told, **self.game.tally(self)}

    def check_options(self) -> None:
        """One sentence for each way in which the options can be wrong."""
        if not self.wide:
            return  # the usual case, quickly
        for one in fields(Options):
            value = getattr(self, one.name)
            if isinstance(value, list):
                object.__setattr__(self, one.name, tuple(value))
        self.check_common()
        self.check_improvement()
        here = game_of(self.task)
        defaults = {
            one.name: None if one.default is MISSING else one.default for one in fields(self)
        }
        for option, name in _of_others(self.task):
            if hasattr(self, option) and getattr(self, option) != defaults[option]:
                raise MensuraError(
                    f"{option} belongs to the task {name!r}, and the task is {self.task!r}; leave it out."
                )
        here.check(self)


_options_of = attrgetter(*(one.name for one in fields(Options)))
_DEFAULTS = tuple(one.default for one in fields(Options))


@cache
def _of_others(played: str) -> tuple[tuple[str, str], ...]:
    """The parameters that belong to other games, each with its game."""
    own = GAMES[played].options if played in GAMES else ()
    return tuple(
        (option, name)
        for name, game in GAMES.items()
        for option in game.options
        if name != played and option not in own
    )
