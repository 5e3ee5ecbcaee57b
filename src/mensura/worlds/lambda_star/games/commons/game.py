"""The tragedy of the commons, as one game of the torus (section 6.3 of the paper)."""

from __future__ import annotations

import math

from mensura.core.doors import doors_of
from mensura.worlds.lambda_star.games.commons import stocks, texts
from mensura.worlds.lambda_star.games.commons.kernels import minds, rules
from mensura.worlds.lambda_star.games.commons.minds import SUBJECTS
from mensura.worlds.lambda_star.games.commons.parameters import Parameters, check
from mensura.worlds.lambda_star.torus.drawing import Look
from mensura.worlds.lambda_star.torus.game import Drawn, Game
from mensura.worlds.lambda_star.torus.parameters import names_of

TALLY = {
    "efficiency": rules.HARVESTED,
    "collapsed_at": rules.COLLAPSE,
    "final_stock": rules.STOCK,
    "inequality": rules.INEQUALITY,
}
"""What is told of an episode.

Efficiency: all that was harvested over what the sustainable maximum would have brought in as many interactions, 0 where
nothing can be sustained.
Collapsed at: the first interaction after which all stocks together are below a tenth of the capacity; the horizon and
1 if they never are. Final stock: the share of the capacity that is left. Inequality: the Gini coefficient of what the
subjects have harvested, 0 where nobody has.
"""


GAME = Game(
    "commons",
    doors_of(rules.RULES, minds.MINDS),
    SUBJECTS,
    # A harvest costs nothing, so that whoever does anything at all gets more than 0.
    balanced=lambda _: False,
    measures={},
    explained=texts.explained,
    look=Look(
        worth="stock",
        lowest=0.0,
        role="stock",
        spoken="with their stock as shades",
        lasting=lambda _: False,
    ),
    deed="harvest",
    field=rules.PLANES_OF_FIELD,
    told=texts.TOLD,
    options=names_of(Parameters),
    check=check,
    dials=stocks.dials,
    tally=lambda _: TALLY,
    drawn=Drawn(stocks.sample, stocks.content, stocks.pattern, lambda *_: math.nan),
    worth=stocks.worth,
)
