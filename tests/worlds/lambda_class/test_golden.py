"""Trajectories that a person can read, and rewards to the last bit: whoever changes them bumps the version.

``python -m tests.worlds.lambda_class.test_golden`` writes the file anew, after a change that is meant to alter rewards
and comes with a new version of the world's id.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.worlds.lambda_class.spaces import draw_space

from mensura.agent.keys import draw, key
from mensura.worlds.lambda_class.behaviors import (
    Attached,
    Behavior,
    Markov,
    Pattern,
    Random,
    Shy,
    Startled,
)
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.markov import space_of_program
from mensura.worlds.lambda_class.paper import ACTIONS, CORRIDOR, GOOD_AND_EVIL, RUNAWAY
from mensura.worlds.lambda_class.space import Space, grid
from mensura.worlds.lambda_class.switches import PRESETS
from mensura.worlds.lambda_class.world import Lambda

pytestmark = pytest.mark.quick

GOLDEN = Path(__file__).with_name("golden.txt")
FIGURE_4_1 = Space.parse("1+2++3|1+23-|1+23|1+2--3-")
PATTERN = Pattern(tuple(map(int, "20122220022222200222222002")))

BEHAVIORS: dict[str, Behavior] = {
    "pattern": PATTERN,
    "random": Random(),
    "startled": Startled(1, 2),
    "shy": Shy(),
    "attached": Attached(),
}

CHANGES: dict[str, dict[str, object]] = {
    "as it is": {},
    "several moves": {"moves": "geometric", "least_moves": 1, "most_moves": 4},
    "whole patterns": {"moves": "pattern"},
    "while allowed": {"moves": "allowed"},
    "drops in turn": {"good_drops": (1.0, 0.25), "evil_drops": (0.5,)},
    "lasting": {"division": 1.0, "eaten": False},
    "a third": {"division": 3.0, "consumed": "before"},
    "shared": {"shared": True},
    "relocated": {"cycle": "relocate", "cycle_length": 5},
    "junk": {"junk": 17},
}


def trajectory(title: str, d: Description, moves: list[list[int]]) -> Iterator[str]:
    """A short episode, frame by frame."""
    yield f"\n# {title}"
    yield json.dumps(d.to_json(), ensure_ascii=False)
    environment = LambdaEnvironment(d)
    turn = environment.reset(7)
    view = Lambda().view()
    yield view.text(environment, turn)
    for actions in moves:
        turn = environment.step(actions)
        yield f"\n# actions {actions}"
        yield view.text(environment, turn)
    yield f"ended: {turn.ended}"


def trajectories() -> Iterator[str]:
    for preset, switches in PRESETS.items():
        d = Description(
            space=FIGURE_4_1,
            good_and_evil=PATTERN,
            objects=(Random(),),
            **{**switches, "subjects": 2, "horizon": 6},
        )
        moves = [[1, 3], [2, 2], [0, 1], [3, 0], [1, 1], [2, 3]]
        yield from trajectory(f"figure 4.1 under {preset}", d, moves)
    d = Description(
        space=space_of_program(CORRIDOR, ACTIONS),
        good_and_evil=Markov(GOOD_AND_EVIL),
        objects=(Markov(RUNAWAY),),
        starts=(5, 0, 1, 5),
        action_names=ACTIONS,
        **{**PRESETS["theory"], "horizon": 6, "junk": 0, "cycle": "none"},
    )
    yield from trajectory("figure 3.3", d, [[0], [1], [1], [0], [2], [2]])


def spaces() -> Iterator[str]:
    """Spaces of the thesis's generator."""
    yield "\n# spaces of 2 to 9 cells, by their keys"
    for number in range(8):
        yield f"{number} {draw_space(key(number, 'golden'))}"


def rewards() -> Iterator[str]:
    """The sums of rewards under both presets, switch by switch, as hexadecimal floats."""
    for preset, switches in PRESETS.items():
        yield f"\n# rewards of 3 seats in 60 interactions on a grid of 3x4 cells under {preset}"
        for name, behavior in BEHAVIORS.items():
            for title, changes in CHANGES.items():
                own = {**switches, **changes}
                if own.get("moves") in ("pattern", "allowed") and name != "pattern":
                    continue
                d = Description(
                    space=grid(3, 4),
                    good_and_evil=behavior,
                    objects=(Random(), Shy()),
                    **{**own, "subjects": 3, "horizon": 60},  # type: ignore[arg-type]
                )
                sums = played(d)
                yield f"{name}, {title:16} " + " ".join(f"{x:+.4f}={x.hex()}" for x in sums)


def played(d: Description) -> list[float]:
    """The sum of rewards of each seat, with actions drawn from keys."""
    environment = LambdaEnvironment(d)
    environment.reset(key(1, "golden"))
    sums = [0.0] * d.subjects
    for t in range(d.horizon):
        actions = [draw(key(2, "golden"), t, seat) % d.space.actions for seat in range(d.subjects)]
        for seat, reward in enumerate(environment.step(actions).rewards):
            sums[seat] += reward
    return sums


def written() -> str:
    return "\n".join([*trajectories(), *spaces(), *rewards()]).lstrip() + "\n"


def test_the_golden_trajectories_and_rewards_are_unchanged() -> None:
    assert written() == GOLDEN.read_text(encoding="utf-8"), (
        "Lambda plays differently now. If that is meant, bump the version of its id, say so in the changelog "
        "and write the file anew: python -m tests.worlds.lambda_class.test_golden"
    )


if __name__ == "__main__":
    GOLDEN.write_text(written(), encoding="utf-8")
    sys.stdout.write(f"written: {GOLDEN.name}\n")
