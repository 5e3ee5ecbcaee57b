"""The minds that only the search knows, beside those of the torus: explorers and planners."""

from mensura.core.compiled import rule
from mensura.worlds.lambda_star.games.search.kernels import explorers, planner
from mensura.worlds.lambda_star.games.search.kernels.planner import PLANNER
from mensura.worlds.lambda_star.torus.kernels.minds import minds_of

_mark_seen = explorers.tell
_explore = explorers.act
_plan = planner.act


@rule
def tell(mind, j, o):
    """Explorers mark what they see; a planner is by itself."""
    if mind.kind[j] != PLANNER:
        _mark_seen(mind, j, o)


@rule
def act(mind, j, o, reward):
    """By the kind of mind."""
    if mind.kind[j] == PLANNER:
        return _plan(mind, j, o)
    return _explore(mind, j, o, reward)


MINDS = minds_of(tell, act)
