"""Every switch has its range, its words and its sentence."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_class.switches import PRESETS, Switches

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"subjects": 0}, "subjects is 0; it is a whole number from 1 to 10000"),
        ({"subjects": True}, "subjects is True; it is a whole number"),
        ({"horizon": 2.5}, "horizon is 2.5; it is a whole number from 1"),
        ({"topology": "strange"}, "topology is 'strange'; .*strong"),
        ({"moves": "many"}, "moves is 'many'"),
        ({"least_moves": 0}, "least_moves is 0"),
        (
            {"moves": "geometric", "least_moves": 3, "most_moves": 2},
            "least_moves is 3 and above most_moves, 2",
        ),
        ({"good_drops": ()}, "good_drops is empty"),
        ({"good_drops": (0.5, 0)}, "good_drops has 0; what is dropped is over 0 and at most 1"),
        ({"evil_drops": (1.5,)}, "evil_drops has 1.5"),
        ({"evil_drops": ("much",)}, "evil_drops has 'much'"),
        ({"good_drops": "half"}, "good_drops is 'half'; it must be a list of numbers"),
        ({"division": 0.5}, "division is 0.5; rewards are divided by a number from 1 to infinity"),
        ({"division": math.nan}, "division is nan"),
        ({"division": "two"}, "division is 'two'"),
        ({"eaten": 1}, "eaten is 1; it is true or false"),
        ({"consumed": "never"}, "consumed is 'never'"),
        ({"cycle": "spin"}, "cycle is 'spin'"),
        ({"cycle_length": 0}, "cycle_length is 0; it is a whole number from 1"),
        ({"cycle_length": "often"}, "cycle_length is 'often'"),
        ({"junk": -1}, "junk is -1; it is a whole number from 0"),
        ({"junk_limit": 10**9}, "junk_limit is 1000000000"),
        ({"observability": "none"}, "observability is 'none'"),
        ({"future": (1,)}, "Seat 1 sees the future, but the seats are 0 to 0"),
        ({"rewards_seen": ("a",)}, "Seat 'a' sees rewards, but the seats are 0 to 0"),
        ({"steps": -1}, "steps is -1"),
    ],
)
def test_a_switch_out_of_range_gets_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Switches(**changes)


def test_switches_are_read_from_plain_data() -> None:
    switches = Switches(good_drops=[1, 0.5], evil_drops=0.5, division="infinity", future=[0])  # type: ignore[arg-type]
    assert switches.good_drops == (1.0, 0.5)
    assert switches.evil_drops == (0.5,)
    assert switches.division == Switches(division=math.inf).division == "infinity"
    assert switches.future == (0,)
    assert Switches(division=2).division == 2.0
    assert Switches(**switches.switches()) == switches


@pytest.mark.parametrize("preset", list(PRESETS))
def test_switches_can_be_written_into_any_data_file(preset: str) -> None:
    switches = Switches(**PRESETS[preset])
    text = json.dumps(switches.switches(), allow_nan=False)
    assert Switches(**json.loads(text)) == switches


def test_the_presets_differ_where_the_theory_and_the_thesis_do() -> None:
    theory, thesis = Switches(**PRESETS["theory"]), Switches(**PRESETS["thesis"])
    assert thesis == Switches()
    differences = {
        name: (value, getattr(thesis, name))
        for name, value in theory.switches().items()
        if value != getattr(thesis, name)
    }
    assert differences == {
        "good_drops": ((0.5,), (1.0,)),
        "evil_drops": ((0.5,), (1.0,)),
        "drops_on_subject": (False, True),
        "division": (2.0, "infinity"),
        "consumed": ("before", "after"),
        "cycle": ("swap", "none"),
        "junk": ("drawn", 0),
    }
