"""BF as a world: how programs are drawn, sorted and played, and its subjects."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold
from mensura.core.contract import Plan
from mensura.pictures.text import as_text
from mensura.testing import check_world
from mensura.worlds.bf import programs
from mensura.worlds.bf.kernels import machine
from mensura.worlds.bf.world import BF, Sampled, packed


@pytest.mark.thorough
@pytest.mark.parametrize("preset", BF.presets)
def test_bf_keeps_the_contract(preset: str) -> None:
    assert check_world(BF.preset(preset, horizon=20)) == []


@pytest.mark.parametrize("symbols", [2, 4, 62])
def test_any_number_of_symbols_and_cells(symbols: int) -> None:
    world = BF(symbols=symbols, cells=2, horizon=20)
    environment = world.build(world.sample(3))
    environment.reset(1)
    for action in (0, symbols - 1, 1):
        seen = environment.step([action]).observations[0]["symbols"]
        assert seen.shape == (2,)
        assert seen.max() < symbols


def rolled(world: BF, name: str, count: int, negated: bool, **parameters: Any) -> Any:
    descriptions = [world.upright(world.sample(fold(7, k))) for k in range(count)]
    if negated:
        descriptions = [world.opposite(one) for one in descriptions]
    keys = np.array([fold(9, k) for k in range(count)], np.uint64)
    sampled = Sampled(packed(descriptions), np.zeros(count))
    return world.rollout(world.group([(name, parameters, 1)]), sampled, keys, keys, 0)[:, 0, 0]


def test_negated_rewards_negate_the_total_of_random() -> None:
    world = BF(horizon=100)
    assert (rolled(world, "random", 50, False) == -rolled(world, "random", 50, True)).all()


def test_programs_are_kept_as_often_as_with_the_authors() -> None:
    """Of 28,222 drawn 14% were kept: 73% lacked . or ,; 11% were passive; 1.5% reached the limit."""
    sampler = BF().sampler
    found = [programs.draw_program(sampler, fold(3, k), 0, 1e9) for k in range(400)]
    assert all(found)
    dropped = np.sum([one.dropped for one in found if one], axis=0)
    total = 400 + dropped.sum()
    assert 400 / total == pytest.approx(0.14, abs=0.02)
    assert (dropped[0] + dropped[1]) / total == pytest.approx(0.73, abs=0.04)
    assert dropped[3] / total == pytest.approx(0.11, abs=0.03)
    assert dropped[2] / total == pytest.approx(0.015, abs=0.01)
    strata = Counter(one.stratum for one in found if one)
    assert set(strata) <= set(range(1, 21))
    assert strata[1] / 400 == pytest.approx(0.18, abs=0.06)


@pytest.mark.parametrize(
    ("program", "stratum"),
    [
        (",.#", 1),
        (",,.#", 2),
        (",,,.#", 3),
        (",,,,.#", 4),
        (",+.#", 5),
        (",-.#", 6),
        (",,+.#", 7),
        (",,-.#", 8),
        (",[.[-]]%.#", 9),
    ],
)
def test_strata_say_what_the_reward_follows(program: str, stratum: int) -> None:
    world = BF()
    found = world.stratum(BF(program=program).sample(0))
    assert found == stratum


def test_cleaning_takes_out_what_undoes_itself() -> None:
    never, once, repeated = (
        [BF(cleaning=one, dropping=False).sample(fold(1, k)).text for k in range(300)]
        for one in ("never", "once", "repeated")
    )
    assert any("+-" in one for one in never)
    assert not any(pair in one for one in repeated for pair in ("+-", "-+", "<>", "><", "[]"))
    assert all(len(a) >= len(b) >= len(c) for a, b, c in zip(never, once, repeated, strict=True))


def test_complexities_are_those_of_the_program() -> None:
    world = BF()
    one = BF(program=",.#").sample(0)
    assert world.complexity(one, "length") == 3
    assert world.complexity(one, "steps") == pytest.approx(np.log2(3))
    assert world.complexity(one, "kt") == pytest.approx(3 + np.log2(3))
    for low in (5, 12, 30):
        assert low <= len(world.sample(4, ("length", low, low + 2)).text) <= low + 2
    with pytest.raises(MensuraError, match="None of 100,000 programs"):
        world.sample(1, ("length", 1, 2))


@pytest.mark.thorough
def test_learners_stand_in_the_published_order() -> None:
    """40.2, 44.3 and 49.1 at 1,000 interactions (Legg and Veness, 2011), over 300 programs here."""
    world = BF(horizon=1000)
    settings: list[tuple[str, dict[str, float]]] = [
        ("freq", {"epsilon": 0.07}),
        ("q-lambda", {"epsilon": 0.04, "gamma": 0.6}),
        ("hlq-lambda", {"lambda": 0.95, "epsilon": 0.04, "gamma": 0.7}),
    ]
    scores = [
        (rolled(world, name, 300, False, **given) + rolled(world, name, 300, True, **given)).mean()
        / 20
        for name, given in settings
    ]
    assert scores == sorted(scores)
    assert scores == pytest.approx([40.2, 44.3, 49.1], abs=6.0)


@pytest.mark.thorough
def test_mc_aixi_finds_what_pays() -> None:
    world = BF(horizon=100, program=",.#")  # the action is the reward
    descriptions = [world.upright(world.sample(0))]
    sampled = Sampled(packed(descriptions), np.zeros(1))
    keys = np.array([5], np.uint64)
    group = world.group([("mc-aixi", {"simulations": 60, "depth": 16}, 1)])
    assert world.rollout(group, sampled, keys, keys, 0)[0, 0, 0] > 70
    with pytest.raises(MensuraError, match="depth of mc-aixi"):
        world.group([("mc-aixi", {"depth": 1000}, 1)])


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("hlq-lambda", {}),
        pytest.param("mc-aixi", {"simulations": 5}, marks=pytest.mark.thorough),
    ],
)
def test_a_mind_goes_on_from_what_it_saved(name: str, given: dict[str, float]) -> None:
    world = BF(horizon=40, program=",.#")
    group = world.group([(name, given, 1)])
    player = group.sit(1)
    world.play_compiled(group, Plan(world.sample(0), 3), 1, player)
    mind = player.agents[0]
    other = group.sit(1).agents[0]
    other.load(mind.save())
    assert (other.row == mind.row).all()
    with pytest.raises(MensuraError):
        world.group([("freq", {}, 1)]).sit(1).agents[0].load(mind.save())


def test_pictures_show_the_program_and_hide_it_from_the_seat() -> None:
    world = BF(program=",.,.#", horizon=10)
    environment = world.build(world.sample(0))
    environment.reset(1)
    environment.step([3])
    assert ",.,.#" in as_text(environment.picture())
    assert ",.,.#" not in as_text(environment.picture(0))


def test_bad_parameters_get_a_sentence() -> None:
    for given, sentence in (
        ({"symbols": 63}, "symbols"),
        ({"program": ",]#"}, "no partner"),
        ({"symbols": 62, "cells": 16}, "fewer"),
    ):
        with pytest.raises(MensuraError, match=sentence):
            BF(**given)
    world = BF(symbols=62, cells=4)
    one, group = world.sample(0), world.group([("q-lambda", {}, 1)])
    with pytest.raises(MensuraError, match="GiB"):
        world.room(group, one, 1)


def test_the_scratch_row_of_many_programs_stays_clean() -> None:
    """Long and short programs after one another in one row, as each alone."""
    world = BF(horizon=30, tape=50)
    descriptions = [world.sample(fold(2, k)) for k in range(60)]
    rows = packed(descriptions)
    keys = np.arange(60).astype(np.uint64)
    group = world.group([("q-lambda", {}, 1)])
    together = world.rollout(group, Sampled(rows, np.zeros(60)), keys, keys, 0)
    for k in range(60):
        own = slice(k, k + 1)
        alone = world.rollout(group, Sampled(rows[own], np.zeros(1)), keys[own], keys[own], 0)
        assert alone[0, 0, 0] == together[k, 0, 0]
    assert rows[:, machine.LENGTH].max() > 3 * rows[:, machine.LENGTH].min()
