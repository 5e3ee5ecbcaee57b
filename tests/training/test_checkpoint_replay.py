"""Checkpoint replay on small worlds: pools apart, experience as it was, and what is stated is decided."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import mensura

from mensura.agent.keys import key
from mensura.training.checkpoint_replay import SMALL, WAYS, gains_of, ground, tasks, trained
from mensura.training.tables import ReplayQ, Transition

__all__ = ["mensura"]


@pytest.mark.parametrize("number", [0, 1])
def test_the_player_knows_the_task_and_tests_are_apart_from_training(number: int) -> None:
    task = tasks()[number]
    found = ground(task, SMALL, key(1, "here"))
    assert not set(found.train.episodes) & set(found.test.episodes)
    ends = [task.gained(one.measures, one.rewards[-1]) for one in found.experience.episodes]
    assert np.mean(ends) > 0.2
    lengths = {len(one.actions) for one in found.experience.episodes}
    assert number == 1 or len(lengths) > 1  # no two episodes alike
    for way in WAYS:
        learner = trained(found, way, SMALL, key(2, "here"))
        assert bool(learner.experience) == (way == "with experience")
        assert len(learner.memory) == SMALL.interactions
        for gain in gains_of(found, learner, SMALL, key(3, "here")):
            assert -1.0 <= gain <= 1.0


def test_a_table_learns_from_others_what_it_never_did_itself() -> None:
    learner = ReplayQ(2, np.random.default_rng(1))
    learner.experience = [Transition((0,), 1, 1.0, (1,), True)]
    for _ in range(50):
        learner.learn(Transition((5,), 0, 0.0, (5,), False))
    assert learner.values((0,)) == pytest.approx([0.0, 1.0], abs=0.01)
    assert all(learner.act((0,), explores=False) == 1 for _ in range(3))


@pytest.mark.thorough
def test_the_command_tells_what_held(mensura: Any, tmp_path: Path) -> None:
    done = mensura(
        "reproduce", "checkpoint-replay-2016", "-e", "2", "--seed", "1", "--json", "a.json"
    )
    assert done.status == 0, done.err
    told = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["expectations"]
    assert len(told) == 8
    assert {one["verdict"] for one in told} <= {"held", "failed", "open"}
    page = (tmp_path / "checkpoint-replay-2016.html").read_text(encoding="utf-8")
    assert "one run each" in page
    assert "no published table" not in page
