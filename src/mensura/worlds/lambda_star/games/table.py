"""All games, by the names that the parameter ``task`` gives them."""

from __future__ import annotations

from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.lambda_star.games.commons.game import GAME as COMMONS
from mensura.worlds.lambda_star.games.dilemma.game import GAME as DILEMMA
from mensura.worlds.lambda_star.games.landscape.game import GAME as LANDSCAPE
from mensura.worlds.lambda_star.games.opinion.game import GAME as OPINION
from mensura.worlds.lambda_star.games.search.game import GAME as SEARCH
from mensura.worlds.lambda_star.torus.game import Game

GAMES: dict[str, Game] = {
    game.name: game for game in (SEARCH, LANDSCAPE, COMMONS, DILEMMA, OPINION)
}


def game_of(name: Any) -> Game:
    """A game by name, or a sentence."""
    if name not in GAMES:
        raise MensuraError(f"task is {name!r}; {neighbors(str(name), list(GAMES))}")
    return GAMES[name]
