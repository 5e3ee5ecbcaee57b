"""The table of games: what no two of them may share."""

from __future__ import annotations

from collections import Counter
from typing import get_args, get_type_hints

import pytest

from mensura.worlds.lambda_star.games.table import GAMES
from mensura.worlds.lambda_star.parameters import Played
from mensura.worlds.lambda_star.torus.kernels.memory import FIRST_OF_GAMES
from mensura.worlds.lambda_star.torus.parameters import OF_REACTIONS
from mensura.worlds.lambda_star.world import LambdaStar

pytestmark = pytest.mark.quick


def test_every_game_can_be_asked_for_by_its_name() -> None:
    assert get_args(get_type_hints(Played)["task"]) == tuple(GAMES)
    for name in GAMES:
        assert LambdaStar(task=name).game.name == name  # type: ignore[arg-type]


def test_no_two_games_have_a_kind_of_mind_of_the_same_number() -> None:
    codes = [
        {kind.code for kind in (*own.kinds.values(), *own.exploring.values())}
        for own in (game.subjects for game in GAMES.values())
    ]
    own_codes = Counter(code for some in codes for code in some if code >= FIRST_OF_GAMES)
    assert max(own_codes.values()) == 1


def test_no_two_games_have_a_parameter_of_the_same_name() -> None:
    options = Counter(name for game in GAMES.values() for name in game.options)
    assert {name for name, count in options.items() if count > 1} == set(OF_REACTIONS)
