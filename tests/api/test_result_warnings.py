"""What to know first stands in every kind of result: how subjects were held, and what they could know beforehand."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import mensura as ms
from mensura.core.abilities.content import FIXED
from mensura.worlds.echo import Echo

HELD = "ran inside Mensura's own process, without isolation"
KNOWN = "are not generated afresh (content: fixed)"


class Still:
    """Always says the same, and can be saved."""

    def act(self, observation: Any, reward: float) -> int:
        return 0

    def save(self) -> bytes:
        return b"."

    def load(self, memory: bytes) -> None:
        pass


class SameEcho(Echo):
    """Echo, as if its environments were always the same."""

    id: ClassVar[str] = "same-echo-v1"
    content: ClassVar[str] = FIXED


RESULTS = {
    "transfer": lambda world: ms.transfer(
        Still,
        [(world, 1), (world, 2)],
        interactions=8,
        learners=2,
        episodes=1,
        seed=1,
        in_process=True,
    ),
    "learn rate": lambda world: ms.learn_rate(
        Still, world, tasks=6, interactions=4, learners=1, level=0.5, seed=1, in_process=True
    ),
    "choice": lambda world: ms.choose(
        {"still": Still, "random": "random"},
        world,
        episodes=5,
        most=1,
        seed=1,
        in_process=True,
    ),
    "battery": lambda world: ms.assess(
        Still, world, "battery", episodes=2, seed=1, in_process=True
    ),
}


@pytest.mark.parametrize(
    "kind",
    ["transfer", "choice", "battery", pytest.param("learn rate", marks=pytest.mark.thorough)],
)
def test_a_result_says_how_its_subjects_were_held_and_what_they_could_know(kind: str) -> None:
    for world, marked in ((Echo(horizon=4), False), (SameEcho(horizon=4), True)):
        text = str(RESULTS[kind](world))
        assert HELD in text
        assert (KNOWN in text) == marked


def test_answers_to_questions_are_marked_alike() -> None:
    found = ms.understand(
        Still, "lambda-star", "good", questions=1, training=0, seed=1, in_process=True
    )
    assert HELD in str(found)
    assert any(HELD in warning for warning in found.to_json()["warnings"])
    assert ms.understand("oracle-model", "lambda-star", "good", questions=1, seed=1).warnings == ()
