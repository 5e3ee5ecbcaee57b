"""The search of the paper, with what its section 6.1 asks beyond it, as one game of the torus."""

from __future__ import annotations

from mensura.core.doors import doors_of
from mensura.worlds.lambda_star.games.search import texts
from mensura.worlds.lambda_star.games.search.drawing import LOOK, everybody
from mensura.worlds.lambda_star.games.search.kernels import own_minds, rules
from mensura.worlds.lambda_star.games.search.kernels.plain import PLAIN
from mensura.worlds.lambda_star.games.search.minds import SUBJECTS
from mensura.worlds.lambda_star.games.search.parameters import Objects, Parameters, balanced, check
from mensura.worlds.lambda_star.torus.game import Game
from mensura.worlds.lambda_star.torus.kernels.minds import COMMON_MINDS
from mensura.worlds.lambda_star.torus.kernels.row import MET
from mensura.worlds.lambda_star.torus.parameters import OF_GOOD, OF_REACTIONS, names_of
from mensura.worlds.lambda_star.torus.patterns import MEASURES

GAME = Game(
    "search",
    doors_of(PLAIN, COMMON_MINDS),
    SUBJECTS,
    balanced=balanced,
    measures=MEASURES,
    explained=texts.explained,
    look=LOOK,
    objects=True,
    setting=texts.SETTING,
    options=(*names_of(Objects), *OF_REACTIONS, *names_of(Parameters), *OF_GOOD),
    check=check,
    tally=lambda options: {"company_met": MET} if options.company > 1 else {},
    optional=doors_of(rules.RULES, own_minds.MINDS),
    own=doors_of(PLAIN, own_minds.MINDS),
    remarks=texts.remarks,
    everybody=everybody,
)
