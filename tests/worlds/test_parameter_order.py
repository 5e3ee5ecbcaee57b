"""The order of the parameters of every world, which is part of what tells records apart.

Records hold the parameters of a world as text, and :func:`mensura.records.encoding.digest` is taken of it: in another
order the same world would be another row.
"""

from __future__ import annotations

import pytest

from mensura.core.abilities import parameters
from mensura.core.registry import WORLDS

ORDER = {
    "analogies-v1": "asks material surface names kinds pull margin largest rights",
    "atari-v1": "game observation actions skip sticky idle_frames life_loss_ends mode difficulty horizon",
    "bf-v1": "symbols cells horizon program cleaning dropping limit tape",
    "constraints-v1": (
        "n nodes colors links m p1 p2 t md gamma graph sr cr obsd side sequence h dimensions agents meetings "
        "attendees slots busy dislike targets sectors needed most radius weight least values rules costs "
        "least_kappa most_kappa family task solvable horizon delays delay loss read order proof letters longest "
        "proxies rights"
    ),
    "echo-v1": "symbols longest horizon",
    "framotec-v1": (
        "task dimensions integrator controller_step dt subjects controllers actions horizon ends clock thought rewards "
        "knowing velocity_seen"
    ),
    "imitation-v1": "witnesses jurors verdict trait rounds turns longest "
    "scored exchange minutes deliberation typing seated judge person machine",
    "items-v1": "family answer options asks file",
    "pagi-v1": (
        "task grade bodies horizon actions sees readings clock thought rewards ends rights"
    ),
    "ratings-v1": "analogy",
    "lambda-v1": (
        "subjects horizon topology moves least_moves most_moves good_drops evil_drops drops_on_subject division eaten "
        "consumed shared cycle cycle_length junk junk_limit observability future rewards_seen steps longest cells "
        "actions p_stop objects generator sieves sensitive_within sensitive_by space pattern"
    ),
    "lambda-star-v2": (
        "rows cols subjects horizon range radius generator segment_complexity blind_start guide_moves stigmergy guided "
        "future task peaks peak_width below_zero drift landscape_reacts company company_for good_reacts evil_reacts "
        "sense tiring recovery hearing overhear track ranges moves good_appetites evil_appetites learning_weight "
        "renewal bite threshold spread initial_stock temptation reward punishment sucker conformity truth accuracy "
        "opening state"
    ),
}


@pytest.mark.parametrize("name", WORLDS.names())
def test_the_parameters_of_a_world_stay_in_their_order(name: str) -> None:
    assert tuple(parameters(WORLDS.load(name))) == tuple(ORDER[name].split())
