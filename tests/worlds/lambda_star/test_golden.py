"""A trajectory that a person can read, and scores to the last bit: whoever changes them bumps the version.

``python -m tests.worlds.lambda_star.test_golden`` writes the file anew, after a change that is meant to alter scores
and comes with a new version of the world's id.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mensura.agent.keys import fold_array, key, numbers
from mensura.assessments.battery import Battery
from mensura.worlds.lambda_star.torus.space import ACTION_NAMES
from mensura.worlds.lambda_star.world import LambdaStar

pytestmark = pytest.mark.quick

GOLDEN = Path(__file__).with_name("golden.txt")


def trajectory() -> Iterator[str]:
    """One short episode with a guide, frame by frame, with scripted moves."""
    world = LambdaStar(rows=5, cols=6, subjects=2, horizon=8, guided=True, future=(1,))
    description = world.sample(2016, ("K", 4, 4))
    yield f"# {world.id}, a described environment"
    yield json.dumps(description.to_json())
    environment = world.build(description)
    turn = environment.reset(7)
    moves = [[1, 9], [2, 8], [3, 7], [4, 6], [5, 5], [6, 4], [7, 3], [8, 2]]
    view = world.view()
    yield view.text(environment, turn)
    for pair in moves:
        turn = environment.step(pair)
        names = " and ".join(ACTION_NAMES[action - 1] for action in pair)
        yield f"\n# {names}"
        yield view.text(environment, turn)
        for seat, observation in enumerate(turn.observations):
            rewards = observation["rewards"].round(3).tolist()
            yield f"seat {seat} sees {rewards}, future {observation['future'].tolist()}"
    yield f"ended: {turn.ended}"


def scores() -> Iterator[str]:
    """The scores of every built-in subject under every preset, as hexadecimal floats."""
    for preset in LambdaStar.presets:
        world = LambdaStar.preset(preset, rows=6, cols=6, subjects=3, horizon=20)
        battery = Battery(4, spread=world.complexity_range)
        items = battery.items(key(1, "golden"), 0, 4)
        measure = next(iter(world.measures), "")
        patterns = world.sample_many(items.keys, measure, items.low, items.high)
        told = [f"{value:g}" for value in patterns.complexity.tolist()]
        yield f"\n# scores under {preset}, {measure or 'complexity'} [{', '.join(told)}]"
        for name in world.subject_names:
            group = world.group([(name, {}, 1)])
            seeds = fold_array(key(1, name), numbers(0, 4))
            found = world.rollout(group, patterns, items.resets, seeds, min(group.training, 5))
            yield f"{name:24} " + " ".join(
                f"{value:+.4f}={value.hex()}"
                for value in (sum(seats) / (3 * 20) for (seats,) in found.tolist())
            )


def written() -> str:
    return "\n".join([*trajectory(), *scores()]) + "\n"


def test_the_golden_trajectory_and_scores_are_unchanged() -> None:
    assert written() == GOLDEN.read_text(encoding="utf-8"), (
        "Lambda Star plays differently now. If that is meant, bump the version of its id, say so in the changelog "
        "and write the file anew: python -m tests.worlds.lambda_star.test_golden"
    )


if __name__ == "__main__":
    GOLDEN.write_text(written(), encoding="utf-8")
    sys.stdout.write(f"written: {GOLDEN.name}\n")
