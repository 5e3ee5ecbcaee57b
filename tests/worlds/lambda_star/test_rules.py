"""The rules of Lambda Star, held against a slow and plain reading of the paper."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.complexity.lempel_ziv import lempel_ziv_76
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.world import LambdaStar

keys = st.integers(0, 2**64 - 1)


@st.composite
def worlds(draw: st.DrawFn, **fixed: Any) -> LambdaStar:
    """Worlds of every shape, small enough to check by hand."""
    rows = draw(st.integers(1, 7))
    cols = draw(st.integers(2 if rows == 1 else 1, 7))
    parameters: dict[str, Any] = {
        "rows": rows,
        "cols": cols,
        "subjects": draw(st.integers(1, 6)),
        "horizon": draw(st.integers(1, 20)),
        "range": draw(st.integers(1, min(rows, cols))),
        "radius": draw(st.integers(0, 3)) if max(rows, cols) > 3 else 1,
        "generator": draw(st.sampled_from(["recurrent", "walk"])),
        "guided": draw(st.booleans()),
        "guide_moves": draw(st.sampled_from(["once", "each"])),
    }
    return LambdaStar(**{**parameters, **fixed})


def distance(a: tuple[int, int], b: tuple[int, int], rows: int, cols: int) -> int:
    """The larger of the toroidal row and column differences, by trying every wrap."""
    dy = min(abs(a[0] - b[0] + wrap * rows) for wrap in (-1, 0, 1))
    dx = min(abs(a[1] - b[1] + wrap * cols) for wrap in (-1, 0, 1))
    return max(dy, dx)


def reward(cell: tuple[int, int], good: Any, evil: Any, d: Description) -> float:
    """Section 4.1.2, as printed, with Evil's term where the paper prints Good's twice."""
    to_good = distance(cell, good, d.rows, d.cols)
    to_evil = distance(cell, evil, d.rows, d.cols)
    plus = 1 / (to_good + 1) if to_good <= d.radius else 0.0
    minus = 1 / (to_evil + 1) if to_evil <= d.radius else 0.0
    return plus - minus


def moved(cell: tuple[int, int], action: int, d: Description) -> tuple[int, int]:
    dy, dx = (action - 1) // 3 - 1, (action - 1) % 3 - 1
    return (cell[0] + dy) % d.rows, (cell[1] + dx) % d.cols


def shifted(good: tuple[int, int], d: Description) -> tuple[int, int]:
    """Where the authors' program puts Evil: (Good + cells div 3) mod cells + 1, numbers counted from 1 row by row."""
    cells = d.rows * d.cols
    number = good[0] * d.cols + good[1] + 1
    return divmod((number + cells // 3) % cells, d.cols)


def actions_of(environment: Any, rng: np.random.Generator) -> list[int]:
    return [int(a) for a in rng.integers(1, 10, len(environment.seats))]


@given(worlds(), keys, keys)
@settings(max_examples=examples(13, 60))
def test_moves_rewards_and_observations_are_those_of_the_paper(
    world: LambdaStar, key: int, reset: int
) -> None:
    d = world.sample(key)
    environment = world.build(d)
    turn = environment.reset(reset)
    rng = np.random.default_rng(key)
    k = d.range
    assert list(turn.rewards) == [0.0] * d.subjects
    for t in range(d.horizon + 1):
        here = environment.positions()
        for seat, observation in enumerate(turn.observations):
            y, x = here["subjects"][seat]
            assert tuple(observation["position"]) == (y, x)
            assert observation["iteration"] == t
            assert tuple(observation["future"]) == (-1, -1)
            for h in range(2 * k + 1):
                for i in range(2 * k + 1):
                    cell = (y + h - k) % d.rows, (x + i - k) % d.cols
                    seen = reward(cell, here["good"], here["evil"], d)
                    assert observation["rewards"][h, i] == seen
                    assert observation["good"][h, i] == (cell == here["good"])
                    assert observation["evil"][h, i] == (cell == here["evil"])
                    others = [s for j, s in enumerate(here["subjects"]) if j != seat]
                    assert observation["others"][h, i] == others.count(cell)
            assert environment.spaces(seat)[0].contains(observation)
        if turn.ended:
            assert (t, turn.ended) == (d.horizon, "terminated")
            break
        actions = actions_of(environment, rng)
        turn = environment.step(actions)
        after = environment.positions()
        for seat, action in enumerate(actions):
            cell = moved(here["subjects"][seat], action, d)
            assert after["subjects"][seat] == cell
            assert turn.rewards[seat] == reward(cell, after["good"], after["evil"], d)
            assert -1 <= turn.rewards[seat] <= 1


@given(worlds(), keys, keys)
@settings(max_examples=examples(40, 100))
def test_good_and_evil_follow_their_patterns_and_never_share_a_cell(
    world: LambdaStar, key: int, reset: int
) -> None:
    d = world.sample(key)
    environment = world.build(d)
    environment.reset(reset)
    before = environment.positions()
    assert before["good"] == divmod(d.good_start - 1, d.cols)
    assert before["evil"] == divmod(d.evil_start - 1, d.cols)
    for t in range(d.horizon):
        environment.step([5] * d.subjects)
        after = environment.positions()
        good = moved(before["good"], d.good_moves[t % len(d.good_moves)], d)
        evil = (
            shifted(good, d)
            if d.evil_shift
            else moved(before["evil"], d.evil_moves[t % len(d.evil_moves)], d)
        )
        assert after["good"] != after["evil"]
        if good != evil:
            assert (after["good"], after["evil"]) == (good, evil)
        elif good == before["good"] or evil == before["evil"]:
            # One stays anyway, so the mover stays too.
            assert (after["good"], after["evil"]) == (before["good"], before["evil"])
        else:
            # One of them moved, the other stayed.
            assert [after["good"] == good, after["evil"] == evil].count(True) == 1
            assert after["good"] in (good, before["good"])
            assert after["evil"] in (evil, before["evil"])
        before = after


def test_who_gives_way_is_drawn_evenly() -> None:
    """Good comes from the left, Evil from the right, and both would enter the cell between them."""
    d = Description(1, 9, 1, 1, 1, 1, good_start=4, evil_start=6, good_moves=(6,), evil_moves=(4,))
    environment = LambdaStar().build(d)
    entered = 0
    for key in range(400):
        environment.reset(key)
        environment.step([5])
        entered += environment.positions()["good"] == (0, 4)
    assert 160 < entered < 240  # 4 standard deviations about 200


@given(st.integers(1, 9), st.integers(1, 9), keys)
def test_distances_on_the_torus_are_symmetric(rows: int, cols: int, key: int) -> None:
    rng = np.random.default_rng(key)
    if rows * cols < 2:
        return
    a, b = rng.integers(0, rows * cols, 2).tolist()
    if a == b:
        return
    felt = []
    for good, subject in ((a, b), (b, a)):
        evil = next(c for c in range(rows * cols + 1) if c not in (good,))
        d = Description(rows, cols, 1, 1, 1, max(rows, cols), good + 1, evil + 1, (5,), (5,))
        place = divmod(subject, cols)
        felt.append(distance(place, divmod(good, cols), rows, cols))
        assert reward(place, divmod(good, cols), place, d) == 1 / (felt[-1] + 1) - 1
    assert felt[0] == felt[1]


@given(worlds(), keys)
@settings(max_examples=examples(24, 60))
def test_subjects_start_on_distinct_cells_where_there_are_enough(
    world: LambdaStar, key: int
) -> None:
    environment = world.build(world.sample(key))
    environment.reset(key)
    cells = environment.positions()["subjects"]
    distinct = min(world.subjects, world.rows * world.cols)
    assert len(set(cells)) == distinct


def test_every_cell_is_as_likely_a_start_for_every_seat() -> None:
    world = LambdaStar(rows=2, cols=3, subjects=4, horizon=1)
    environment = world.build(world.sample(1))
    counts = np.zeros((4, 6))
    for key in range(3000):
        environment.reset(key)
        for seat, (y, x) in enumerate(environment.positions()["subjects"]):
            counts[seat, 3 * y + x] += 1
    chi_square = ((counts - 500) ** 2 / 500).sum(axis=1)
    assert chi_square.max() < 25  # 5 degrees of freedom: beyond once in 7000


@given(worlds(), keys, keys)
@settings(max_examples=examples(16, 40))
def test_an_environment_is_rebuilt_bit_for_bit_from_its_description(
    world: LambdaStar, key: int, reset: int
) -> None:
    d = world.sample(key)
    again = Description.from_json(d.to_json())
    assert again == d
    histories = []
    for description in (d, again):
        environment = world.build(description)
        rng = np.random.default_rng(reset)
        turn = environment.reset(reset)
        history = [turn.observations.tobytes()]
        while turn.ended is None:
            turn = environment.step(actions_of(environment, rng))
            history += [turn.observations.tobytes(), turn.rewards]
        histories.append(history)
    assert histories[0] == histories[1]


@given(worlds(), keys, st.integers(0, 19))
@settings(max_examples=examples(16, 40))
def test_a_snapshot_takes_the_episode_back_exactly(world: LambdaStar, key: int, when: int) -> None:
    environment = world.build(world.sample(key))
    rng = np.random.default_rng(key)
    turn = environment.reset(key)
    plan = [actions_of(environment, rng) for _ in range(world.horizon)]
    when = min(when, world.horizon - 1)
    for actions in plan[:when]:
        turn = environment.step(actions)
    state = environment.snapshot()
    endings = []
    for start in ("gone on", "restored", "restored elsewhere"):
        if start == "restored":
            environment.restore(state)
        elif start == "restored elsewhere":
            environment = world.build(environment.description)
            environment.restore(state)
        ending = []
        for actions in plan[when:]:
            turn = environment.step(actions)
            ending.append((turn.observations.tobytes(), turn.rewards, turn.ended))
        endings.append(ending)
    assert endings[0] == endings[1] == endings[2]


def test_a_snapshot_of_another_environment_is_refused() -> None:
    one, other = LambdaStar().build(LambdaStar().sample(1)), LambdaStar(rows=9, cols=9)
    state = other.build(other.sample(1)).snapshot()
    with pytest.raises(MensuraError, match="another environment"):
        one.restore(state)


@given(worlds(guided=True), keys, keys)
@settings(max_examples=examples(24, 60))
def test_hidden_state_does_not_show_in_an_observation_without_the_right_to_it(
    world: LambdaStar, key: int, reset: int
) -> None:
    """Two environments that differ only in what lies ahead look the same until it comes."""
    d = world.sample(key)
    later = list(d.good_moves)
    later[-1] = later[-1] % 9 + 1
    other = dataclasses.replace(d, good_moves=tuple(later), guides=0)
    same = dataclasses.replace(d, guides=0)
    one, two = world.build(same), world.build(other)
    a, b = one.reset(reset), two.reset(reset)
    for t in range(min(len(later), d.horizon)):
        assert a.observations.tobytes() == b.observations.tobytes(), t
        if t < min(len(later), d.horizon) - 1:
            a, b = one.step([5] * d.subjects), two.step([5] * d.subjects)


def test_only_a_seat_with_the_right_sees_the_next_cell_of_good() -> None:
    world = LambdaStar(future=(1,), subjects=3)
    environment = world.build(world.sample(3))
    turn = environment.reset(4)
    while turn.ended is None:
        seen = [tuple(observation["future"]) for observation in turn.observations]
        turn = environment.step([5, 5, 5])
        assert seen == [(-1, -1), environment.positions()["good"], (-1, -1)]
    assert tuple(turn.observations[1]["future"]) == (-1, -1)
    assert environment.seats[1].rights == {"sees_future"}
    assert environment.seats[0].rights == frozenset()


@given(
    worlds(generator="walk", guide_moves="each", blind_start=True, segment_complexity=True),
    keys,
    keys,
)
@settings(max_examples=examples(40, 100))
def test_evil_is_always_where_the_authors_program_counts_it_from_good(
    world: LambdaStar, key: int, reset: int
) -> None:
    environment = world.build(world.sample(key))
    turn = environment.reset(reset)
    while True:
        here = environment.positions()
        assert here["evil"] == shifted(here["good"], environment.description)
        if turn.ended:
            break
        turn = environment.step([5] * world.subjects)


def test_evils_distance_to_good_changes_within_an_episode_on_a_small_grid() -> None:
    world = LambdaStar.preset("authors-2016", rows=5, cols=5, subjects=1)
    environment = world.build(world.sample(3))
    environment.reset(4)
    path = environment.parts.path.tolist()
    assert len({distance((gy, gx), (ey, ex), 5, 5) for gy, gx, ey, ex in path}) > 1


@given(st.integers(1, 7), st.integers(2, 7), st.integers(0, 3), keys)
@settings(max_examples=examples(20, 60))
def test_at_a_blind_start_cell_1_is_worth_minus_one_half_and_all_others_nothing(
    rows: int, cols: int, radius: int, key: int
) -> None:
    world = LambdaStar(
        rows=rows,
        cols=cols,
        radius=min(radius, max(rows, cols)),
        range=min(rows, cols, 2),
        subjects=rows * cols,
        blind_start=True,
    )
    for one in (world, dataclasses.replace(world, evil_appetites=(0.5,))):
        environment = one.build(one.sample(key))
        turn = environment.reset(key)
        for observation in turn.observations:
            y, x = observation["position"]
            for (h, i), worth in np.ndenumerate(observation["rewards"]):
                on_cell_1 = (y + h - one.range) % rows == 0 == (x + i - one.range) % cols
                assert worth == (-0.5 if on_cell_1 else 0.0)
                assert observation["good"][h, i] == observation["evil"][h, i] == on_cell_1


def test_a_blind_start_is_over_after_the_first_observation() -> None:
    world, seeing = (LambdaStar(blind_start=blind, subjects=40) for blind in (True, False))
    first, second = (one.build(one.sample(3)) for one in (world, seeing))
    first.reset(4), second.reset(4)
    one, other = (environment.step([5] * 40) for environment in (first, second))
    assert one.observations.tobytes() == other.observations.tobytes()
    assert one.rewards == other.rewards


@given(worlds(guided=True), keys)
@settings(max_examples=examples(24, 60))
def test_the_guide_goes_after_good_and_is_seen_where_it_stands(world: LambdaStar, key: int) -> None:
    d = world.sample(key)
    environment = world.build(d)
    turn = environment.reset(key)
    assert d.guides == (d.subjects if world.guide_moves == "each" else 1)
    while turn.ended is None:
        y, x = environment.positions()["guide"]
        seat = d.subjects - 1  # the last seat sees the guide after all its moves
        own = environment.positions()["subjects"][seat]
        plane = turn.observations[seat]["guide"]
        k = d.range
        for h in range(2 * k + 1):
            for i in range(2 * k + 1):
                cell = (own[0] + h - k) % d.rows, (own[1] + i - k) % d.cols
                assert plane[h, i] == (cell == (y, x))
        turn = environment.step([5] * d.subjects)
        after = environment.positions()["guide"]
        steps = 1 if world.guide_moves == "once" else d.subjects
        assert distance((y, x), after, d.rows, d.cols) <= steps


def test_a_step_after_the_end_or_an_impossible_action_is_refused() -> None:
    world = LambdaStar(subjects=1, horizon=1)
    environment = world.build(world.sample(1))
    with pytest.raises(RuntimeError, match="reset first"):
        environment.step([5])
    environment.reset(1)
    with pytest.raises(ValueError, match="17 is not an action"):
        environment.step([17])
    environment.step([5])
    with pytest.raises(RuntimeError, match="reset first"):
        environment.step([5])


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"rows": 1, "cols": 1}, "A grid of 1x1 has no room for Good and Evil"),
        ({"rows": -3}, "A grid of -3x10 has no room"),
        ({"rows": 5000, "cols": 5000}, "too large"),
        ({"subjects": 0}, "0 subjects cannot be assessed; at least 1 is needed"),
        ({"subjects": -2}, "-2 subjects cannot be assessed"),
        ({"horizon": 0}, "An episode of 0 interactions is out of range"),
        ({"horizon": 2.5}, "horizon is 2.5; it must be a whole number"),
        ({"range": 0}, "An observation range of 0 does not fit"),
        ({"range": 11}, "An observation range of 11 does not fit a 10x10 grid; it is from 1 to 10"),
        ({"radius": -1}, "A reward radius of -1 does not fit"),
        ({"generator": "spiral"}, "generator is 'spiral'; it is 'recurrent' or 'walk'"),
    ],
)
def test_impossible_parameters_get_a_sentence(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        LambdaStar(**parameters)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"good_start": 0}, "Good starts on cell 0; the cells are 1 to 100"),
        ({"evil_start": 1, "good_start": 1}, "both start on cell 1"),
        ({"good_moves": (1, 2)}, "a pattern of 2 moves and Evil one of 1"),
        ({"good_moves": (10,)}, "10 in a pattern is not an action"),
        ({"evil_shift": 100}, "evil_shift is 100; it is from 0 to 99"),
        ({"evil_shift": -1}, "evil_shift is -1; it is from 0 to 99"),
        ({"evil_shift": 0.5}, "evil_shift is 0.5; it must be a whole number"),
        (
            {"evil_shift": 34},
            "Evil starts on cell 2; 34 cells after Good's cell 1 it is on cell 35",
        ),
        ({"evil_shift": 1}, "at least 1 move, and Evil has none of its own"),
        ({"evil_shift": 1, "good_moves": (), "evil_moves": ()}, "needs a pattern of at least 1"),
        (
            {"evil_shift": 1, "evil_moves": (), "evil_reacts": "flees"},
            "react to subjects need moves; an evil_shift leaves Evil none",
        ),
        ({"future": (7,)}, "Seat 7 sees the future"),
    ],
)
def test_an_impossible_description_gets_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    d = Description(10, 10, 5, 50, 1, 1, 1, 2, (5,), (5,))
    with pytest.raises(MensuraError, match=sentence):
        dataclasses.replace(d, **changes)
    with pytest.raises(MensuraError, match="has no field 'color'"):
        Description.from_json({**d.to_json(), "color": "red"})
    with pytest.raises(MensuraError, match="lacks cols, subjects"):
        Description.from_json({"rows": 3})
    with pytest.raises(MensuraError, match="good_moves is 5; it must be a list"):
        Description.from_json({**d.to_json(), "good_moves": 5})


@given(worlds(), keys)
@settings(max_examples=examples(40, 100))
def test_evils_pattern_is_different_but_exactly_as_complex(world: LambdaStar, key: int) -> None:
    d = world.sample(key)

    def cells(start: int, moves: tuple[int, ...]) -> list[tuple[int, int]]:
        out = [divmod(start - 1, d.cols)]
        for t in range(d.horizon - 1):
            out.append(moved(out[-1], moves[t % len(moves)], d))
        return out

    good = cells(d.good_start, d.good_moves)
    evil = [shifted(cell, d) for cell in good]
    if not d.evil_shift:
        evil = cells(d.evil_start, d.evil_moves)
    assert good != evil
    assert lempel_ziv_76(good) == lempel_ziv_76(evil) == world.complexity(d, "K")


@pytest.mark.pure
@given(worlds(generator="recurrent"), keys)
@settings(max_examples=examples(40, 100))
def test_a_recurrent_segment_closes_and_has_the_length_of_the_paper(
    world: LambdaStar, key: int
) -> None:
    d = world.sample(key)
    assert 1 <= len(d.good_moves) <= max(1, d.horizon // 2)
    for start, moves in ((d.good_start, d.good_moves), (d.evil_start, d.evil_moves)):
        cell = first = divmod(start - 1, d.cols)
        for move in moves:
            cell = moved(cell, move, d)
        assert cell == first


@given(worlds(generator="walk"), keys)
@settings(max_examples=examples(15, 100))
def test_a_walk_goes_there_and_back(world: LambdaStar, key: int) -> None:
    d = world.sample(key)
    n = len(d.good_moves) // 2
    assert d.cols <= n <= 2 * d.cols - 1
    forward, back = d.good_moves[: n - 1], d.good_moves[n : 2 * n - 1]
    assert list(back) == [10 - a for a in reversed(forward)]
    assert d.good_moves[n - 1] == d.good_moves[2 * n - 1] == 5
    assert d.evil_moves == ()
    assert d.evil_shift == d.rows * d.cols // 3 + 1
    assert d.evil_start == (d.good_start - 1 + d.evil_shift) % (d.rows * d.cols) + 1
    assert Description.from_json(d.to_json()) == d
    # Who can be driven from its way needs moves, and has Good's.
    reacting = dataclasses.replace(world, evil_reacts="flees").sample(key)
    assert reacting == dataclasses.replace(
        d, evil_shift=0, evil_moves=d.good_moves, evil_reacts="flees"
    )
