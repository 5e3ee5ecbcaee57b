"""The fitness landscape, as one game of the torus (section 6.2 of the paper)."""

from __future__ import annotations

from mensura.core.doors import doors_of
from mensura.worlds.lambda_star.games.landscape import landscapes, texts
from mensura.worlds.lambda_star.games.landscape.drawing import LOOK
from mensura.worlds.lambda_star.games.landscape.kernels import minds, rules
from mensura.worlds.lambda_star.games.landscape.minds import SUBJECTS
from mensura.worlds.lambda_star.games.landscape.parameters import Parameters, check
from mensura.worlds.lambda_star.torus.game import Drawn, Game
from mensura.worlds.lambda_star.torus.parameters import OF_REACTIONS, REACTIONS, names_of

TALLY = {
    "early_exploration": rules.NEW,
    "middle_exploration": rules.NEW + 1,
    "late_exploration": rules.NEW + 2,
    "early_exploitation": rules.IN_BASIN,
    "middle_exploitation": rules.IN_BASIN + 1,
    "late_exploitation": rules.IN_BASIN + 2,
    "best_so_far": rules.BEST_SUM,
    "optimum_found_at": rules.FOUND,
}
"""What is told of an episode.

Exploration: the share of moves, in that third of the episode, onto cells on which nobody of the group had stood.
Exploitation: the share of time in the basin of the global optimum, from where steepest ascent leads to it. Best so
far: the highest reward that anybody has had, averaged over the interactions. Optimum found at: the first interaction
in which somebody stands on the global optimum; the horizon and 1 if nobody ever does.
"""


def _dials(options: Parameters) -> tuple[float, ...]:
    return options.drift, REACTIONS.index(options.landscape_reacts)


def _places(options: Parameters) -> dict[int, float]:
    rows, cols = options.rows - 1, options.cols - 1
    return {
        rules.DRIFTED_ROW: rows,
        rules.SUMMIT_ROW: rows,
        rules.DRIFTED_COL: cols,
        rules.SUMMIT_COL: cols,
    }


GAME = Game(
    "landscape",
    doors_of(rules.RULES, minds.MINDS),
    SUBJECTS,
    # All cells add up to 0, and a random subject is on each of them equally often; cells tire of it whatever they
    # are worth. A landscape that goes where subjects are, or are not, is not as often everywhere under them.
    balanced=lambda options: options.landscape_reacts in ("no", "tires"),
    measures=landscapes.MEASURES,
    explained=texts.explained,
    look=LOOK,
    field=rules.PLANES_OF_FIELD,
    told=texts.TOLD,
    options=(*names_of(Parameters), *OF_REACTIONS),
    check=check,
    dials=_dials,
    tally=lambda _: TALLY,
    places=_places,
    drawn=Drawn(landscapes.sample, landscapes.content, landscapes.pattern, landscapes.complexity),
    worth=landscapes.worth,
)
