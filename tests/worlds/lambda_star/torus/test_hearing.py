"""What members hear where telling carries only so far, and the entropy of what they tell."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_star.doors import both_doors

from mensura.agent.errors import MensuraError
from mensura.assessments.battery import Battery
from mensura.studies.runner import run
from mensura.worlds.lambda_star.agents import SAID
from mensura.worlds.lambda_star.world import LambdaStar

PROTOCOLS = ("stigmergy", "crowd", "auction", "autocracy", "hierarchy")
SILENT = ("random", "local-search", "imitation", "shared-q-learning")


def told(world: LambdaStar, names: tuple[str, ...], episodes: int = 40) -> dict[str, Any]:
    """The result of each subject."""
    subjects = [world.group([(name, {}, 1)]) for name in names]
    found = run(world, subjects, Battery(episodes), 3)
    return {one.subject: one for one in found.subjects}


@settings(max_examples=examples(15, 100))
@given(
    st.sampled_from(PROTOCOLS),
    st.integers(2, 9),
    st.integers(2, 9),
    st.integers(1, 5),
    st.booleans(),
)
def test_who_hears_to_the_other_side_of_the_torus_hears_everything(
    name: str, rows: int, cols: int, subjects: int, mixed: bool
) -> None:
    parts: list[tuple[str, dict[str, Any], int]] = [(name, {}, subjects)]
    if mixed:
        parts.append(("auction", {}, 1))
    seats = subjects + mixed
    plain = LambdaStar(rows=rows, cols=cols, subjects=seats, horizon=10)
    far = LambdaStar(
        rows=rows, cols=cols, subjects=seats, horizon=10, hearing=max(rows, cols) // 2 or 1
    )
    one, other = (both_doors(world, parts, count=2, training=0)[0] for world in (plain, far))
    assert one == other


@pytest.mark.parametrize(
    "name", [SILENT[0], *(pytest.param(one, marks=pytest.mark.thorough) for one in SILENT[1:])]
)
def test_those_who_tell_nothing_hear_nothing_and_are_not_overheard(name: str) -> None:
    plain = told(LambdaStar(horizon=10), (name,))[name]
    deaf = told(LambdaStar(horizon=10, hearing=1, overhear=True), (name,))[name]
    assert deaf.score == plain.score
    assert deaf.measures[SAID].mean == 0.0


def test_the_nearer_one_has_to_be_the_less_a_collective_gains() -> None:
    world = LambdaStar(hearing=1)
    near = told(world, ("crowd", "auction"), 400)
    far = told(LambdaStar(), ("crowd", "auction"), 400)
    for name in near:
        assert near[name].score.high < far[name].score.low


@pytest.mark.parametrize("k", [1, 2])
def test_entropy_lies_between_nothing_and_all_that_can_be_said(k: int) -> None:
    found = told(LambdaStar(range=k, horizon=30, overhear=True), PROTOCOLS)
    for one in found.values():
        moments = one.measures[SAID]
        assert moments.count == 40
        assert 0.0 < moments.mean < math.log2((2 * k + 1) ** 2 + 1)


def test_to_be_overheard_changes_nothing() -> None:
    plain, heard = told(LambdaStar(), PROTOCOLS), told(LambdaStar(overhear=True), PROTOCOLS)
    assert {n: one.score for n, one in plain.items()} == {n: one.score for n, one in heard.items()}
    assert SAID not in plain["crowd"].measures


@pytest.mark.pure
@given(st.integers(0, 2**32))
def test_the_entropy_is_that_of_what_was_told(seed: int) -> None:
    """Against a count of our own, from what members saw."""
    world = LambdaStar(rows=4, cols=4, subjects=3, horizon=8, overhear=True)
    group = world.group([("auction", {}, 1)])
    player = group.sit(3)
    environment = world.build(world.sample(seed))
    said: list[int] = []

    class Noted:
        speakers = player.speakers

        def answer(self, asks: list[Any]) -> list[Any]:
            for ask in asks:
                if ask.kind == "tell":
                    seen = ask.observation["rewards"].ravel()
                    said.append(9 if (seen == seen[0]).all() else int(np.argmax(seen)))
            return player.answer(asks)

        def close(self) -> None:
            """Nothing."""

    from mensura.core.loop import play
    from mensura.core.players import drive

    drive(play(environment, seed, world=world.id, seed=5, speakers=player.speakers), Noted())
    counts = np.bincount(said, minlength=10)
    shares = counts[counts > 0] / len(said)
    assert player.measures()[SAID] == pytest.approx(float(-(shares * np.log2(shares)).sum()))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"hearing": -1}, "hearing is -1; it is a whole number from 0 to 1000"),
        ({"hearing": 1.5}, "hearing is 1.5"),
        ({"overhear": 1}, "overhear is 1; it is true or false"),
    ],
)
def test_bad_input_gets_a_sentence(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(MensuraError, match=words):
        LambdaStar(**parameters)
