"""The commons: how stocks are harvested and regrow, what is told of an episode, and who spares them."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_star.doors import rolled, story

from mensura.agent.errors import MensuraError
from mensura.testing import check_world
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.games.commons.stocks import sustainable_maximum
from mensura.worlds.lambda_star.world import LambdaStar

keys = st.integers(0, 2**64 - 1)


@st.composite
def commons(draw: st.DrawFn, **fixed: Any) -> LambdaStar:
    """Commons of every shape."""
    rows = draw(st.integers(1, 6))
    cols = draw(st.integers(2 if rows == 1 else 1, 6))
    parameters: dict[str, Any] = {
        "rows": rows,
        "cols": cols,
        "subjects": draw(st.integers(1, 6)),
        "horizon": draw(st.integers(1, 15)),
        "range": draw(st.integers(1, min(rows, cols))),
        "renewal": draw(st.sampled_from([0.05, 0.3, 1.0])),
        "bite": draw(st.sampled_from([0.1, 0.5, 1.0])),
        "threshold": draw(st.sampled_from([0.0, 0.1, 0.6])),
        "spread": draw(st.sampled_from([0.0, 0.2, 1.0])),
        "initial_stock": draw(st.sampled_from([0.0, 0.5, 1.0])),
    }
    return LambdaStar(task="commons", **{**parameters, **fixed})


def regrown(s: np.ndarray, d: Description) -> np.ndarray:
    """The rule of regrowth, cell by cell."""
    steps = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1)]
    around = (sum(np.roll(s, step, (0, 1)) for step in steps) - s) / 8
    by_itself = s + d.renewal * s * (1 - s)
    from_neighbors = np.minimum(s + d.spread * around, 1.0)
    return np.where((s >= d.threshold) & (s > 0), by_itself, from_neighbors)


# The rules


@given(commons(), keys)
@settings(max_examples=examples(15, 80))
def test_harvests_and_regrowth_are_those_of_the_rules(world: LambdaStar, key: int) -> None:
    d = world.sample(key)
    environment = world.build(d)
    turn = environment.reset(key)
    rng = np.random.default_rng(key)
    stock = np.array(d.drawn_values).reshape(d.rows, d.cols)
    total = np.zeros(d.subjects)
    collapsed = d.horizon + 1
    k = d.range
    while True:
        assert environment.worth() == pytest.approx(stock, abs=1e-12)
        for seat, (y, x) in enumerate(environment.positions()["subjects"]):
            rows, cols = (np.arange(at - k, at + k + 1) for at in (y, x))
            seen = environment.worth()[np.ix_(rows % d.rows, cols % d.cols)]
            assert (turn.observations[seat]["rewards"] == seen).all()
            assert environment.spaces(seat)[0].contains(turn.observations[seat])
        if turn.ended:
            break
        actions = [int(a) for a in rng.integers(1, 19, d.subjects)]
        turn = environment.step(actions)
        cells = environment.positions()["subjects"]
        harvesting = [
            cell if action > 9 else None for cell, action in zip(cells, actions, strict=True)
        ]
        for cell in {cell for cell in harvesting if cell}:
            those = [j for j, at in enumerate(harvesting) if at == cell]
            left = stock[cell] * (1 - d.bite) ** len(those)
            for j in those:
                took = (stock[cell] - left) / len(those)
                assert turn.rewards[j] == pytest.approx(took / d.bite, abs=1e-12)
                total[j] += took
            stock[cell] = left
        for j, cell in enumerate(harvesting):
            assert 0.0 <= turn.rewards[j] <= 1.0
            if cell is None:
                assert turn.rewards[j] == 0.0
        stock = regrown(stock, d)
        assert stock.min() >= 0.0
        assert stock.max() <= 1.0
        if stock.mean() < 0.1 - 1e-12:
            collapsed = min(collapsed, environment.iteration)
    told = environment.measures()
    maximum = sustainable_maximum(d)
    expected = total.sum() / (maximum * d.horizon) if maximum else 0.0
    assert told["efficiency"] == pytest.approx(expected)
    assert told["final_stock"] == pytest.approx(stock.mean())
    assert told["collapsed_at"] == collapsed
    if total.sum() > 0:
        apart = np.abs(total[:, None] - total[None, :]).mean()
        assert told["inequality"] == pytest.approx(apart / (2 * total.mean()))


def test_deeds_of_others_are_seen_where_they_were_done() -> None:
    world = LambdaStar(task="commons", rows=3, cols=3, subjects=3)
    environment = world.build(world.sample(1))
    environment.reset(1)
    turn = environment.step([14, 5, 14])
    assert turn.observations[1]["deeds"].sum() == 2
    assert turn.observations[0]["deeds"].sum() == 1
    assert environment.step([5, 5, 5]).observations[1]["deeds"].sum() == 0


def test_an_exhausted_cell_regrows_only_from_its_neighbors_and_only_where_stocks_spread() -> None:
    for spread, comes_back in ((0.0, False), (0.1, True)):
        world = LambdaStar(
            task="commons", rows=5, cols=5, subjects=1, bite=1.0, spread=spread, horizon=60
        )
        environment = world.build(world.sample(1))
        environment.reset(1)
        environment.step([14])
        y, x = environment.positions()["subjects"][0]
        for _ in range(59):
            environment.step([5])
        assert (environment.worth()[y, x] > 0.9) == comes_back


def test_where_all_is_exhausted_nothing_regrows() -> None:
    world = LambdaStar(task="commons", spread=1.0, rows=3, cols=3)
    environment = world.build(dataclasses.replace(world.sample(1), drawn_values=(0.0,) * 9))
    turn = environment.reset(1)
    while turn.ended is None:
        turn = environment.step([14] * 5)
        assert turn.rewards == [0.0] * 5
    assert environment.measures()["collapsed_at"] == 1
    assert environment.measures()["inequality"] == 0


# The sustainable maximum


@pytest.mark.bounds
@given(commons(spread=0.0))
@settings(max_examples=60)
def test_the_sustainable_maximum_is_never_more_than_growth_or_hands_allow(
    world: LambdaStar,
) -> None:
    """Schaefer (1954): a stock grows by at most a quarter of its rate; and nobody harvests twice at a time."""
    maximum = sustainable_maximum(world)
    fastest = max(0.5, world.threshold)
    growth = world.rows * world.cols * world.renewal * fastest * (1 - fastest)
    assert 0.0 <= maximum <= min(growth, world.subjects * world.bite) + 1e-9


@pytest.mark.parametrize(("growth", "bite"), [(0.1, 0.5), (0.3, 0.2), (0.2, 0.8)])
def test_a_rotation_by_hand_keeps_up_the_sustainable_maximum_and_no_other_beats_it(
    growth: float, bite: float, full_size: bool
) -> None:
    """One cell of a row after the other, again and again, by one subject who walks round the torus."""
    found = []
    for cells in range(2, 60, 1 if full_size else 3):
        world = LambdaStar(
            task="commons", rows=1, cols=cells, subjects=1, renewal=growth, bite=bite
        )
        environment = world.build(dataclasses.replace(world.sample(1), horizon=cells * 60))
        turn = environment.reset(1)
        taken = []
        while turn.ended is None:
            turn = environment.step([15])
            taken.append(turn.rewards[0] * bite)
        late = float(np.mean(taken[-cells * 10 :]))
        assert late <= sustainable_maximum(world) + 1e-6
        found.append(late / sustainable_maximum(world))
    assert found[-1] == pytest.approx(1.0, abs=0.02)


# Who spares them


@pytest.mark.bounds
def test_the_tragedy_comes_with_numbers_and_quotas_avert_it() -> None:
    one, few, many = (LambdaStar.preset("commons", subjects=n) for n in (1, 3, 20))
    for world in (one, few):
        for name in ("greedy", "prudent", "quota"):
            assert rolled(world, name, 30)[1]["collapsed_at"].min() == 201, name
    _, greedy = rolled(many, "greedy", 30)
    assert greedy["collapsed_at"].max() < 120
    assert greedy["efficiency"].mean() < 0.4
    assert greedy["final_stock"].max() < 0.05
    _, prudent = rolled(many, "prudent", 30)
    assert prudent["collapsed_at"].mean() > greedy["collapsed_at"].mean() + 10
    assert prudent["efficiency"].mean() > greedy["efficiency"].mean() + 0.05
    _, quota = rolled(many, "quota", 30)
    assert quota["collapsed_at"].min() == 201
    assert quota["efficiency"].min() > 0.9


def test_prudence_spares_every_cell_where_nobody_else_is() -> None:
    """One alone leaves at least half of the level: a harvest takes one half of what is above it."""
    world = LambdaStar(task="commons", rows=4, cols=4, subjects=1, horizon=300)
    scores, told = rolled(world, "prudent", 20)
    assert told["final_stock"].min() > 0.4
    assert told["efficiency"].mean() > 0.8
    assert scores.max() < 1.0


def test_nothing_is_sustainable_where_a_harvest_takes_more_than_can_regrow() -> None:
    assert sustainable_maximum(LambdaStar(task="commons", bite=0.95)) == 0.0
    assert sustainable_maximum(LambdaStar(task="commons", bite=0.95, spread=0.1)) > 0.0
    assert sustainable_maximum(LambdaStar(task="commons", bite=0.95, threshold=0.0)) > 0.0


def test_a_slowly_growing_commons_is_reckoned_too() -> None:
    slow = LambdaStar(task="commons", renewal=0.001, subjects=100)
    assert sustainable_maximum(slow) == pytest.approx(100 * 0.001 / 4, rel=0.05)


def test_members_with_quotas_never_harvest_one_cell_together_nor_more_often_than_agreed() -> None:
    world = LambdaStar(task="commons", subjects=12, horizon=100)
    counts: list[int] = []
    for one in story(world, [("quota", {}, 1)], 2)[1:]:
        harvested = [cell for cell, a in zip(one.cells, one.actions, strict=True) if a > 9]
        assert len(set(harvested)) == len(harvested)
        counts.append(len(harvested))
    assert len(counts) == 100
    assert sum(counts) <= 100 * 100 / 14 + 12
    assert sum(counts) > 0.9 * 100 * 100 / 14
    assert max(counts[20:]) < 12


# The contract, and what is refused


def test_a_random_subject_gets_more_than_nothing_so_that_balance_is_not_claimed() -> None:
    world = LambdaStar(task="commons")
    assert world.promises == {"bounded"}
    scores, _ = rolled(world, "random", 100)
    assert scores.min() > 0


@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param({}, marks=pytest.mark.slow),
        {"spread": 0.2, "range": 2, "subjects": 2, "horizon": 12},
    ],
)
def test_commons_keep_the_contract(parameters: dict[str, Any]) -> None:
    assert check_world(LambdaStar(task="commons", **parameters)) == []


@given(commons(), keys)
@settings(max_examples=30)
def test_a_commons_is_rebuilt_bit_for_bit_from_its_description(world: LambdaStar, key: int) -> None:
    d = world.sample(key)
    again = Description.from_json(json.loads(json.dumps(d.to_json())))
    assert again == d
    assert world.initial_stock <= min(d.drawn_values)
    assert max(d.drawn_values) <= 1.0


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"renewal": 0}, "renewal is 0; it is a number from 0.001 to 1"),
        ({"renewal": 1.5}, "renewal is 1.5"),
        ({"bite": 0}, "bite is 0; it is a number from 0.001 to 1"),
        ({"threshold": -1}, "threshold is -1; it is a number from 0 to 1"),
        ({"spread": 2}, "spread is 2; it is a number from 0 to 1"),
        ({"initial_stock": "full"}, "initial_stock is 'full'; it is a number"),
        ({"rows": 200, "cols": 200}, "too large; at most 16384 cells"),
        ({"peaks": 3}, "peaks belongs to the task 'landscape', and the task is 'commons'"),
    ],
)
def test_impossible_commons_get_a_sentence(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        LambdaStar(task="commons", **parameters)


def test_what_does_not_fit_a_commons_gets_a_sentence() -> None:
    world = LambdaStar(task="commons")
    with pytest.raises(MensuraError, match="'local-search' is no subject of Lambda Star under"):
        world.group([("local-search", {}, 1)])
    with pytest.raises(MensuraError, match="no complexity 'K'"):
        world.sample(1, ("K", 2, 3))
    d = world.sample(1)
    with pytest.raises(MensuraError, match="The content has 3 numbers; a commons of 10x10 has 100"):
        dataclasses.replace(d, drawn_values=(0.5,) * 3)
    with pytest.raises(MensuraError, match=r"A stock of the content is -0\.5"):
        dataclasses.replace(d, drawn_values=(-0.5,) * 100)
    with pytest.raises(MensuraError, match="A commons without content"):
        world.build(dataclasses.replace(d, drawn_values=()))
