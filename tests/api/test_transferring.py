"""``ms.transfer``: tasks as people hand them over, and what comes back."""

from __future__ import annotations

from typing import Any

import pytest

import mensura as ms
from mensura.agent.errors import MensuraError

WORLD = ms.make("lambda", cells=4, actions=2, horizon=20)
SMALL: dict[str, Any] = {"interactions": 64, "learners": 2, "episodes": 2, "seed": 1}


class Constant:
    """An agent without a file, which remembers that it has nothing to remember."""

    def act(self, observation: object, reward: float) -> int:
        return 1

    def save(self) -> bytes:
        return b""

    def load(self, memory: bytes) -> None:
        pass


def test_from_one_task_to_another_everything_is_measured() -> None:
    found = ms.transfer("q-learning", (WORLD, 1), (WORLD, 2), **SMALL)
    (pair,) = found.pairs
    assert (pair.x, pair.y) == ("X", "Y")
    assert {
        "gain",
        "forgetting",
        "parallel",
        "split, 50% in X",
        "knowledge transfer [bits]",
    } <= set(pair.measures)
    assert set(pair.times) == {"training-time transfer", "composite time transfer"}
    assert "From X to Y" in str(found)
    assert found.to_json()["seed"] == 1
    assert found.matrix[0][1] == pair.measures["raw transfer"]


def test_tasks_are_worlds_seeds_of_environments_or_entries_of_a_file() -> None:
    entry = {"world": "lambda", "parameters": {"cells": 4, "actions": 2}, "environment": 3}
    found = ms.transfer(Constant, [WORLD, (WORLD, 1), entry], in_process=True, **SMALL)
    assert found.table.subject == "Constant"
    assert found.table.tasks == ("1", "2", "3")
    assert len(found.pairs) == 6
    assert "cannot be saved" not in str(found)


@pytest.mark.parametrize(
    ("tasks", "sentence"),
    [
        ((WORLD,), "hand over two tasks"),
        (([WORLD],), "a list of at least 2"),
        (("nowhere.yaml",), "There is no file nowhere.yaml"),
        (((WORLD, 1, 2), WORLD), "A tuple of 3 is no task"),
        (({"word": "lambda"}, WORLD), "There is no field 'word'"),
    ],
)
def test_what_is_no_task_is_refused_in_a_sentence(tasks: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        ms.transfer("random", *tasks, **SMALL)


def test_one_subject_at_a_time() -> None:
    with pytest.raises(MensuraError, match="2 subjects were named"):
        ms.transfer(["random", "q-learning"], WORLD, WORLD)  # type: ignore[arg-type]
