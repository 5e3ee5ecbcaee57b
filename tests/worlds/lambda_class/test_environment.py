"""The rules of Lambda, held against a slow and plain reading of sections 3.6.3, 4.1.5 and 4.4."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import math
import pickle
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_class.spaces import draw_space

from mensura.agent.errors import MensuraError
from mensura.core.compiled import JIT, door
from mensura.worlds.lambda_class.behaviors import (
    STILL,
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
from mensura.worlds.lambda_class.kernels import interaction as kernel
from mensura.worlds.lambda_class.markov import Program, space_of_program
from mensura.worlds.lambda_class.notation import read_word
from mensura.worlds.lambda_class.paper import ACTIONS, CORRIDOR, GOOD_AND_EVIL, RUNAWAY
from mensura.worlds.lambda_class.space import Space, grid, ring
from mensura.worlds.lambda_class.switches import PRESETS
from mensura.worlds.lambda_class.text import (
    REWARDER,
    SUBJECT,
    alphabet,
    object_symbol,
    observation_text,
)

pytestmark = [pytest.mark.bounds, pytest.mark.pure]
FEWER = settings(max_examples=examples(15, 40) if JIT else 10)

STAY, BACK, FORTH = range(3)
"""The actions of rings and rows."""

THEORY = {**PRESETS["theory"], "junk": 0, "cycle": "none"}
THESIS = dict(PRESETS["thesis"])

keys = st.integers(0, 2**64 - 1)
spaces = st.builds(lambda key, most: draw_space(key, cells=(2, most)), keys, st.integers(2, 6))
programs = st.sampled_from(
    [
        "->. a_2a_1a_2",
        "πA_2 ->. a_2\n⊙A_2 ->. a_1\n->. a_2",
        "π -> π",
        "-> a_2",
        "A_2π ->. a_1\n(A_1|A_2) -> \n: ->Δ\n->. a_2a_2∇",
    ]
).map(lambda text: Markov(Program.parse(text)))


def behaviors(actions: int) -> st.SearchStrategy[Behavior]:
    action = st.integers(0, actions - 1)
    return st.one_of(
        st.just(Random()),
        st.lists(action, min_size=1, max_size=7).map(lambda moves: Pattern(tuple(moves))),
        st.builds(Startled, action, action),
        st.just(Shy()),
        st.just(Attached()),
        programs,
    )


@st.composite
def descriptions(draw: st.DrawFn, **fixed: Any) -> Description:
    """Environments of every kind, small enough to check by hand."""
    space = draw(spaces)
    good_and_evil = draw(behaviors(space.actions))
    objects = draw(st.lists(behaviors(space.actions), max_size=3))
    subjects = draw(st.integers(1, 3))
    moves = ["fixed", "geometric"]
    if isinstance(good_and_evil, Pattern):
        moves += ["pattern", "allowed"]
    several = not isinstance(good_and_evil, Markov)
    drops = st.lists(st.sampled_from([1.0, 0.5, 0.1, 0.3]), min_size=1, max_size=3).map(tuple)
    seats = st.sets(st.integers(0, subjects - 1)).map(lambda chosen: tuple(sorted(chosen)))
    parameters: dict[str, Any] = {
        "space": space,
        "good_and_evil": good_and_evil,
        "objects": tuple(objects),
        "subjects": subjects,
        "horizon": draw(st.integers(1, 15)),
        "moves": draw(st.sampled_from(moves)) if several else "fixed",
        "least_moves": draw(st.integers(1, 3)) if several else 1,
        "most_moves": 4,
        "good_drops": draw(drops),
        "evil_drops": draw(drops),
        "drops_on_subject": draw(st.booleans()),
        "division": draw(st.sampled_from([1.0, 2.0, 3.0, 1.7, math.inf])),
        "eaten": draw(st.booleans()),
        "consumed": draw(st.sampled_from(["before", "after"])),
        "shared": draw(st.booleans()),
        "cycle": draw(st.sampled_from(["none", "swap", "relocate"])),
        "cycle_length": draw(st.sampled_from(["drawn", 1, 2, 5])),
        "junk": draw(st.sampled_from([0, 0, 3, "drawn"])),
        "junk_limit": 20,
        "observability": draw(st.sampled_from(["full", "partial"])),
        "future": draw(seats),
        "rewards_seen": draw(seats),
        "steps": 30,
        "longest": 60,
    }
    return Description(**{**parameters, **fixed})


def actions_for(d: Description, rng: np.random.Generator) -> list[int]:
    return [int(a) for a in rng.integers(0, d.space.actions, d.subjects)]


# All rules at once --------------------------------------------------------------


@FEWER
@given(descriptions(), keys)
def test_rewards_are_in_range_and_good_and_evil_never_share_a_cell(
    d: Description, key: int
) -> None:
    environment = LambdaEnvironment(d)
    rng = np.random.default_rng(key)
    turn = environment.reset(key)
    assert turn.rewards == [0.0] * d.subjects
    for t in range(d.horizon + 1):
        here = environment.positions()
        assert here["good"] != here["evil"]
        assert all(-1 <= reward <= 1 for reward in turn.rewards)
        assert all(-1 <= reward <= 1 for reward in environment.cell_rewards())
        for seat, observation in enumerate(turn.observations):
            assert environment.spaces(seat)[0].contains(observation)
            assert observation["iteration"] == t
        if turn.ended is not None:
            break
        turn = environment.step(actions_for(d, rng))
    assert (t, turn.ended) == (d.horizon, "terminated")


class Ledger:
    """The rewards of all cells by the book: every cell is divided in every interaction."""

    def __init__(self, d: Description) -> None:
        self.d, self.cells, self.number = d, [0.0] * d.space.cells, 0

    def drop(self, good: int, evil: int, subjects: list[int]) -> None:
        for cell, sign, drops in ((good, 1, self.d.good_drops), (evil, -1, self.d.evil_drops)):
            if self.d.drops_on_subject or cell not in subjects:
                self.cells[cell] = sign * drops[self.number % len(drops)]

    def consume(self, subjects: list[int]) -> list[float]:
        gained = [
            self.cells[cell] / (subjects.count(cell) if self.d.shared else 1) for cell in subjects
        ]
        if self.d.eaten:
            for cell in subjects:
                self.cells[cell] = 0.0
        return gained

    def divide(self) -> None:
        self.cells = [reward / float(self.d.division) for reward in self.cells]
        self.number += 1


@FEWER
@given(descriptions(junk=0, cycle_length=3, cycle="swap"), keys)
def test_rewards_are_dropped_divided_and_consumed_by_the_book(d: Description, key: int) -> None:
    environment = LambdaEnvironment(d)
    ledger = Ledger(d)
    rng = np.random.default_rng(key)
    environment.reset(key)
    here = environment.positions()
    ledger.drop(here["good"], here["evil"], here["subjects"])
    for t in range(1, d.horizon + 1):
        assert environment.cell_rewards() == ledger.cells
        actions = actions_for(d, rng)
        turn = environment.step(actions)
        ways = [d.space.arrows[c][a] for c, a in zip(here["subjects"], actions, strict=True)]
        here = environment.positions()
        assert here["subjects"] == ways
        swapped = t % 3 == 0 and t < d.horizon
        moved = ("evil", "good") if swapped else ("good", "evil")
        if d.consumed == "before":
            gained = ledger.consume(ways)
            ledger.divide()
        else:
            ledger.divide()
            ledger.drop(here[moved[0]], here[moved[1]], ways)
            gained = ledger.consume(ways)
        assert turn.rewards == gained
        if t < d.horizon:
            ledger.drop(here["good"], here["evil"], ways)


@FEWER
@given(descriptions(junk=0, cycle="none"), keys)
def test_good_and_evil_go_where_they_intend_unless_that_is_one_cell(
    d: Description, key: int
) -> None:
    d = dataclasses.replace(d, future=(0,))
    environment = LambdaEnvironment(d)
    turn = environment.reset(key)
    before = environment.positions()
    while turn.ended is None:
        good, evil = (int(turn.observations[0][name]) for name in ("next_good", "next_evil"))
        turn = environment.step([0] * d.subjects)
        after = environment.positions()
        if good != evil:
            assert (after["good"], after["evil"]) == (good, evil)
        elif good == before["good"] or evil == before["evil"]:
            # One stays anyway, so the other stays too.
            assert (after["good"], after["evil"]) == (before["good"], before["evil"])
        else:
            assert [after["good"] == good, after["evil"] == evil].count(True) == 1
            assert after["good"] in (good, before["good"])
            assert after["evil"] in (evil, before["evil"])
        before = after


@FEWER
@given(descriptions(), keys, keys)
def test_an_environment_is_rebuilt_bit_for_bit_from_its_description(
    d: Description, reset: int, other: int
) -> None:
    again = Description.from_json(json.loads(json.dumps(d.to_json(), allow_nan=False)))
    assert again == d
    histories = []
    for description in (d, again):
        environment = LambdaEnvironment(description)
        environment.reset(other)
        rng = np.random.default_rng(reset)
        turn = environment.reset(reset)
        history = [turn.observations.tobytes()]
        while turn.ended is None:
            turn = environment.step(actions_for(d, rng))
            history += [turn.observations.tobytes(), turn.rewards]
        histories.append(history)
    assert histories[0] == histories[1]


@FEWER
@given(descriptions(), keys, st.integers(0, 14))
def test_a_snapshot_takes_the_episode_back_exactly(d: Description, key: int, when: int) -> None:
    environment = LambdaEnvironment(d)
    rng = np.random.default_rng(key)
    environment.reset(key)
    plan = [actions_for(d, rng) for _ in range(d.horizon)]
    when = min(when, d.horizon - 1)
    for actions in plan[:when]:
        environment.step(actions)
    state = environment.snapshot()
    elsewhere = LambdaEnvironment(d)
    elsewhere.restore(state)
    copies = [
        environment,
        elsewhere,
        copy.deepcopy(environment),
        pickle.loads(pickle.dumps(environment)),
    ]
    endings = []
    for one in copies:
        turns = [one.step(actions) for actions in plan[when:]]
        endings.append([(turn.observations.tobytes(), turn.rewards, turn.ended) for turn in turns])
    environment.restore(state)
    turns = [environment.step(actions) for actions in plan[when:]]
    endings.append([(turn.observations.tobytes(), turn.rewards, turn.ended) for turn in turns])
    assert all(ending == endings[0] for ending in endings)


def test_episodes_are_what_they_were_compiled_or_not() -> None:
    """To the last bit; whoever changes this changes scores, and bumps the version of the world."""
    behaviors = Random(), Startled(0, 1), Shy(), Attached(), Markov(Program.parse("πA_2 ->. a_2"))
    shown = hashlib.sha256()
    for good_and_evil in (Pattern((1, 2, 2, 0, 1)), *behaviors[:-1]):
        d = Description(
            space=grid(3, 3),
            good_and_evil=good_and_evil,
            objects=behaviors,
            subjects=3,
            horizon=60,
            moves="geometric",
            most_moves=3,
            good_drops=(1.0, 0.3),
            division=1.7,
            eaten=False,
            shared=True,
            cycle="swap",
            cycle_length=7,
            junk=9,
            future=(1,),
            rewards_seen=(2,),
        )
        environment = LambdaEnvironment(d)
        turn = environment.reset(2011)
        while turn.ended is None:
            shown.update(turn.observations.tobytes() + np.array(turn.rewards).tobytes())
            t = environment.iteration
            turn = environment.step([t % 5, t * t % 5, t // 3 % 5])
    assert shown.hexdigest()[:16] == "b7216d2959e1e361"


def test_a_snapshot_of_another_environment_is_refused() -> None:
    def snapshot(space: Space, **more: Any) -> bytes:
        return LambdaEnvironment(Description(space=space, good_and_evil=STILL, **more)).snapshot()

    one = LambdaEnvironment(Description(space=ring(4), good_and_evil=STILL))
    with pytest.raises(MensuraError, match="another environment: its size differs"):
        one.restore(snapshot(ring(5)))
    with pytest.raises(MensuraError, match="another environment: its rules differ"):
        one.restore(snapshot(ring(4), division=2))
    with pytest.raises(MensuraError, match="another environment: its rules differ"):
        one.restore(snapshot(Space.from_arrows([(0, 1, 2), (1, 2, 3), (2, 3, 0), (3, 0, 1)])))


# Observations -------------------------------------------------------------------


@FEWER
@given(descriptions(), keys)
def test_observations_show_what_the_rights_allow_and_no_more(d: Description, key: int) -> None:
    environment = LambdaEnvironment(d)
    turn = environment.reset(key)
    for actions in ([0] * d.subjects, [1] * d.subjects):
        here = environment.positions()
        lying = environment.cell_rewards()
        for seat, observation in enumerate(turn.observations):
            own = here["subjects"][seat]
            ways = list(d.space.arrows[own])
            seen = range(d.space.cells) if d.observability == "full" else ways

            def shown(cell: int, seen: Any = seen) -> int:
                return cell if cell in seen else -1

            assert observation["cell"] == own
            assert observation["good"] == shown(here["good"])
            assert observation["evil"] == shown(here["evil"])
            assert observation["subjects"].tolist() == [shown(c) for c in here["subjects"]]
            if d.objects:
                assert observation["objects"].tolist() == [shown(c) for c in here["objects"]]
            assert observation["ways"].tolist() == ways
            if seat not in d.future or turn.ended:
                assert observation["next_good"] == observation["next_evil"] == -1
            if d.rewards_seen:
                shows = lying if seat in d.rewards_seen else [0.0] * d.space.cells
                assert observation["rewards"].tolist() == shows
            rights = environment.seats[seat].rights
            assert ("sees_future" in rights) == (seat in d.future)
            assert ("sees_rewards" in rights) == (seat in d.rewards_seen)
        if turn.ended is None:
            turn = environment.step(actions)


@door
def observe_door(w):  # type: ignore[no-untyped-def]
    kernel.observe(kernel.open_row(w), 0)


def observed(environment: LambdaEnvironment) -> bytes:
    """The observation of the first seat, made anew from the state as it is."""
    observe_door(environment.row)
    return bytes(environment._parts.obs[0].tobytes())


@FEWER
@given(descriptions(future=(), rewards_seen=()), keys, keys)
def test_hidden_state_does_not_show_without_the_right_to_it(
    d: Description, key: int, other: int
) -> None:
    """Intentions, places in patterns, memories, trails, clocks and keys may all be others."""
    environment = LambdaEnvironment(d)
    environment.reset(key)
    parts = environment._parts
    before = observed(environment)
    rng = np.random.default_rng(other)
    parts.state[:, kernel.AIM] = rng.integers(0, d.space.cells, len(parts.state))
    parts.state[:, kernel.POSITION] = rng.integers(0, 9, len(parts.state))
    parts.trail[:] = rng.uniform(-1, 1, d.space.cells)
    parts.stamp[:] = 0
    parts.memory[:] = 3
    parts.tape[:] = 5
    parts.key[0] = other
    parts.script[:] += 1
    parts.clock[kernel.CLOCK :] += 17
    parts.crowd[:] = 3
    if d.observability == "partial":
        unseen = sorted(set(range(d.space.cells)) - set(d.space.arrows[parts.place[0]]))
        for i in range(len(parts.state)):
            if parts.state[i, kernel.CELL] in unseen:
                parts.state[i, kernel.CELL] = rng.choice(unseen)
        for j in range(1, d.subjects):
            if parts.place[j] in unseen:
                parts.place[j] = rng.choice(unseen)
        for cell in range(d.space.cells):
            if cell != parts.place[0]:
                parts.arrows[cell] = rng.integers(0, d.space.cells, d.space.actions)
    assert observed(environment) == before


def test_a_seat_that_sees_the_future_sees_nothing_else_more() -> None:
    d = Description(space=ring(5), good_and_evil=Random(), objects=(Random(),), subjects=2)
    for key in range(10):
        plain_turn = LambdaEnvironment(d).reset(key)
        turn = LambdaEnvironment(dataclasses.replace(d, future=(1,))).reset(key)
        assert turn.observations[0].tobytes() == plain_turn.observations[0].tobytes()
        assert turn.observations[1]["next_good"] >= 0
        for name in turn.observations.dtype.names:
            if not name.startswith("next"):
                assert np.all(turn.observations[1][name] == plain_turn.observations[1][name])


def last_object_text(environment: LambdaEnvironment) -> str:
    """What the last object observes: all subjects are π, Good and Evil both ⊙."""
    here, d = environment.positions(), environment.description
    who = [(SUBJECT, cell) for cell in here["subjects"]]
    who += [(REWARDER, here["good"]), (REWARDER, here["evil"])]
    who += [(object_symbol(i), cell) for i, cell in enumerate(here["objects"], 1)]
    ways = d.space.arrows[here["objects"][-1]]
    return observation_text(d.space.cells, who, ways, d.actions)


@FEWER
@given(descriptions(objects=(Markov(Program.parse("χ ->.")),) * 2), keys)
def test_programs_read_the_text_that_people_read(d: Description, key: int) -> None:
    """Cut off after no step, the string of the last object is its observation."""
    d = dataclasses.replace(d, good_and_evil=STILL, steps=0, moves="fixed")
    environment = LambdaEnvironment(d)
    environment.reset(key)
    tape = environment._parts.tape
    symbols = alphabet(d.actions, len(d.objects))
    assert tuple(symbols[n] for n in tape[1 : 1 + tape[0]]) == read_word(
        last_object_text(environment)
    )


# An interaction in the order of 3.6.3 ----------------------------------------------


def played(good_and_evil: Behavior, starts: tuple[int, ...], **more: Any) -> LambdaEnvironment:
    more = {"space": ring(6), **more}
    environment = LambdaEnvironment(Description(good_and_evil=good_and_evil, starts=starts, **more))
    environment.reset(5)
    return environment


def test_in_theory_good_and_evil_leave_a_trail_that_is_halved() -> None:
    environment = played(Pattern((FORTH,)), (0, 3, 5), **THEORY, space=ring(12))
    assert environment.cell_rewards() == [0.5, 0, 0, -0.5, 0, 0, 0, 0, 0, 0, 0, 0]
    environment.step([STAY])
    assert environment.cell_rewards() == [0.25, 0.5, 0, -0.25, -0.5, 0, 0, 0, 0, 0, 0, 0]
    environment.step([FORTH])
    assert environment.cell_rewards()[:6] == [0.125, 0.25, 0.5, -0.125, -0.25, -0.5]
    environment.step([FORTH])
    # Good writes over what Evil left here.
    assert environment.cell_rewards()[:7] == [1 / 16, 1 / 8, 1 / 4, 1 / 2, -1 / 8, -1 / 4, -1 / 2]


def test_in_theory_one_follows_good_a_step_behind_and_eats_its_whole_reward() -> None:
    environment = played(Pattern((FORTH,)), (1, 7, 0), **THEORY, space=ring(12))
    for _ in range(5):
        assert environment.step([FORTH]).rewards == [0.5]
        here = environment.positions()
        assert environment.cell_rewards()[here["subjects"][0]] == 0
    # Where one has been there is nothing left.
    environment.step([STAY])
    assert environment.step([BACK]).rewards == [0.0]


def test_in_theory_nothing_is_dropped_on_the_cell_of_a_subject() -> None:
    environment = played(STILL, (1, 4, 0), **THEORY)
    assert environment.step([FORTH]).rewards == [0.5]
    for _ in range(3):
        assert environment.step([STAY]).rewards == [0.0]
        assert environment.cell_rewards()[1] == 0
    environment.step([BACK])
    assert environment.step([FORTH]).rewards == [0.5]


def test_in_theory_the_subject_gets_what_good_left_before_it_moved() -> None:
    """Step 12 comes after all have moved, and before anything new is dropped."""
    environment = played(Pattern((BACK, STAY)), (1, 4, 0), **THEORY)
    # Good comes to the subject's cell and the subject goes to Good's, where it finds the reward.
    assert environment.step([FORTH]).rewards == [0.5]
    # Nothing was dropped yet on the cell to which Good came.
    environment = played(Pattern((BACK, STAY)), (1, 4, 0), **THEORY)
    assert environment.step([STAY]).rewards == [0.0]


def test_what_is_dropped_may_change_from_interaction_to_interaction() -> None:
    environment = played(
        Pattern((FORTH,)),
        (1, 4, 0),
        **{**THEORY, "good_drops": (1.0, 0.25), "evil_drops": (0.5, 0.125, 0.75)},
    )
    assert [environment.step([FORTH]).rewards[0] for _ in range(4)] == [1.0, 0.25, 1.0, 0.25]


# An interaction in the order of 4.4 -------------------------------------------------


def test_in_chapter_5_one_has_to_be_where_good_is() -> None:
    environment = played(Pattern((FORTH, FORTH, STAY)), (1, 4, 0), **THESIS)
    # A step behind there is nothing.
    assert environment.step([FORTH]).rewards == [0.0]
    assert environment.step([FORTH]).rewards == [0.0]
    # Good stays, and the subject comes to its cell.
    assert environment.step([FORTH]).rewards == [1.0]
    # Good goes on; one who knew that goes along, one who stays has nothing.
    assert environment.step([FORTH]).rewards == [1.0]
    assert environment.step([STAY]).rewards == [0.0]


def test_in_chapter_5_rewards_last_for_one_interaction() -> None:
    environment = played(Pattern((FORTH,)), (1, 4, 3), **THESIS, rewards_seen=(0,))
    for t in range(1, 6):
        turn = environment.step([BACK])
        good, evil = (1 + t) % 6, (4 + t) % 6
        expected = [1.0 if c == good else -1.0 if c == evil else 0.0 for c in range(6)]
        assert turn.observations[0]["rewards"].tolist() == expected


def test_in_chapter_5_evil_takes_away_and_both_drop_while_a_subject_is_there() -> None:
    environment = played(STILL, (1, 4, 4), **THESIS)
    assert [environment.step([STAY]).rewards for _ in range(3)] == [[-1.0]] * 3


def test_example_4_1_2_follow_the_leader() -> None:
    """Five subjects, nothing shared, consumed before the update, not eaten, divided by 2."""
    example: dict[str, Any] = {
        "space": ring(9),
        "subjects": 5,
        "consumed": "before",
        "eaten": False,
        "division": 2,
    }
    environment = played(Pattern((FORTH,)), (1, 6, 0, 0, 0, 0, 0), **example)
    for _ in range(4):
        # A step behind Good all have its whole reward.
        assert environment.step([FORTH] * 5).rewards == [1.0] * 5
    good = environment.positions()["good"]
    trail = [environment.cell_rewards()[(good - k) % 9] for k in range(4)]
    assert trail == [1.0, 0.5, 0.25, 0.125], "it does not disappear"

    # Shared, each of five has a fifth, and the trail is as it was: better places are to be had.
    environment = played(Pattern((FORTH,)), (1, 6, 0, 0, 0, 0, 0), **example, shared=True)
    for _ in range(3):
        assert environment.step([FORTH] * 5).rewards == [1 / 5] * 5
    assert environment.step([FORTH, STAY, BACK, FORTH, FORTH]).rewards == [
        1 / 3,
        1 / 2,
        1 / 4,
        1 / 3,
        1 / 3,
    ]

    # Divided by 3, fewer cells are better than a fifth.
    environment = played(Pattern((FORTH,)), (1, 6, 0, 0, 0, 0, 0), **{**example, "division": 3})
    for _ in range(4):
        environment.step([FORTH] * 5)
    trail = [
        environment.cell_rewards()[(environment.positions()["good"] - k) % 9] for k in range(4)
    ]
    assert trail == [1.0, 1 / 3, 1 / 3 / 3, 1 / 3 / 3 / 3]


def test_a_division_by_1_keeps_rewards_and_one_that_is_consumed_is_gone_if_eaten() -> None:
    for eaten, then in ((True, 0.0), (False, 1.0)):
        environment = played(
            Pattern((FORTH, FORTH, STAY, STAY, STAY)),
            (1, 4, 0),
            consumed="before",
            division=1,
            eaten=eaten,
        )
        environment.step([STAY])
        assert environment.step([FORTH]).rewards == [1.0]
        assert environment.step([STAY]).rewards == [then]


def test_who_gives_way_is_drawn_evenly() -> None:
    """Good comes from one side, Evil from the other, and both would enter the cell between them."""
    space = Space.from_arrows([(0, 1), (1, 2), (2, 1)])
    d = Description(space=space, good_and_evil=Pattern((1,)), starts=(0, 2, 1), topology="weak")
    environment = LambdaEnvironment(d)
    entered = 0
    for key in range(400):
        environment.reset(key)
        environment.step([0])
        here = environment.positions()
        assert (here["good"], here["evil"]) in ((1, 2), (0, 1))
        entered += here["good"] == 1
    assert 150 < entered < 250  # 5 standard deviations about 200


def test_a_blocked_one_keeps_its_place_and_its_pattern_goes_on() -> None:
    """On two cells, where both go forth and back: they change places, or stay where one stays."""
    space = Space.from_arrows([(0, 1, 1), (1, 0, 1)])
    d = Description(space=space, good_and_evil=Pattern((2, 1, 0)), starts=(0, 1, 0), horizon=9)
    environment = LambdaEnvironment(d)
    environment.reset(1)
    cells = []
    for _ in range(6):
        environment.step([0])
        cells.append((environment.positions()["good"], environment.positions()["evil"]))
    # Good would come to Evil, who stays; then they change places; then both stay; the same with the other one.
    assert cells == [(0, 1), (1, 0), (1, 0), (1, 0), (0, 1), (0, 1)]


# The cycle clause, junk and starts ----------------------------------------------


def test_good_and_evil_swap_places_after_a_fixed_number_of_interactions() -> None:
    environment = played(STILL, (1, 4, 0), cycle="swap", cycle_length=3, horizon=20)
    cells = []
    for _ in range(9):
        environment.step([STAY])
        cells.append(environment.positions()["good"])
    assert cells == [1, 1, 4, 4, 4, 1, 1, 1, 4]


def test_they_swap_again_and_again_after_numbers_drawn_evenly_from_1_to_n_c_to_the_n_a() -> None:
    d = Description(space=ring(2), good_and_evil=STILL, cycle="swap", horizon=3000)
    assert d.drawn_up_to == 2**3
    environment = LambdaEnvironment(d)
    environment.reset(3)
    laps, last, good = [], 0, environment.positions()["good"]
    for t in range(1, 3000):
        environment.step([STAY])
        if environment.positions()["good"] != good:
            good = environment.positions()["good"]
            laps.append(t - last)
            last = t
    assert set(laps) == set(range(1, d.drawn_up_to + 1))
    share = len(laps) / d.drawn_up_to
    assert all(abs(laps.count(n) - share) < 5 * math.sqrt(share) for n in set(laps))


def test_they_are_put_on_random_different_cells_where_the_thesis_relocates() -> None:
    environment = played(STILL, (1, 4, 0), cycle="relocate", cycle_length=2, horizon=400)
    seen = set()
    for t in range(1, 300):
        before = environment.positions()
        environment.step([STAY])
        here = environment.positions()
        if t % 2:
            assert here == before
        else:
            seen.add((here["good"], here["evil"]))
    assert len(seen) == 30


def test_a_huge_space_neither_hangs_nor_overflows() -> None:
    d = Description(
        space=grid(10, 10, 10),
        good_and_evil=Random(),
        cycle="swap",
        junk="drawn",
        junk_limit=50,
        division=2,
    )
    assert d.drawn_up_to == 2**32 - 1
    begin = time.process_time()
    environment = LambdaEnvironment(d)
    for key in range(20):
        environment.reset(key)
        environment.step([STAY])
    assert time.process_time() - begin < 20


def test_junk_is_played_by_a_random_subject_before_the_first_observation() -> None:
    pattern = Pattern((FORTH, FORTH, STAY, STAY, STAY, STAY, STAY))
    environment = played(pattern, (1, 4, 0), junk=5, division=1, consumed="before", eaten=False)
    here = environment.positions()
    assert (here["good"], here["evil"], environment.iteration) == (3, 0, 0)
    assert environment.cell_rewards() == [-1.0, 1.0, 1.0, 1.0, -1.0, -1.0]
    moved = set()
    for key in range(60):
        turn = environment.reset(key)
        assert turn.rewards == [0.0]
        moved.add(environment.positions()["subjects"][0])
    assert len(moved) == 6


def test_drawn_junk_is_within_its_limit() -> None:
    environment = played(
        Pattern((FORTH,)), (0, 100, 0), space=ring(200), junk="drawn", junk_limit=7
    )
    seen = set()
    for key in range(200):
        environment.reset(key)
        seen.add(environment.positions()["good"])
    assert seen == set(range(1, 8))


def test_everybody_starts_anywhere_but_good_and_evil_apart() -> None:
    d = Description(space=ring(3), good_and_evil=STILL, objects=(STILL,), subjects=2)
    environment = LambdaEnvironment(d)
    pairs: dict[tuple[int, int], int] = {}
    others = np.zeros((3, 3))
    for key in range(1200):
        environment.reset(key)
        here = environment.positions()
        pair = here["good"], here["evil"]
        pairs[pair] = pairs.get(pair, 0) + 1
        for i, cell in enumerate((*here["objects"], *here["subjects"])):
            others[i, cell] += 1
    assert len(pairs) == 6
    assert min(pairs.values()) > 135  # 5 standard deviations below 200
    assert others.min() > 318  # 5 standard deviations below 400


# Balance ------------------------------------------------------------------------


def random_mean(d: Description, episodes: int) -> tuple[float, float]:
    """A random subject's mean reward in an interaction, with its standard error over episodes."""
    environment = LambdaEnvironment(d)
    rng = np.random.default_rng(1)
    means = []
    for key in range(episodes):
        environment.reset(key)
        plan = rng.integers(0, d.space.actions, d.horizon).tolist()
        means.append(math.fsum(environment.step([a]).rewards[0] for a in plan) / d.horizon)
    return float(np.mean(means)), float(np.std(means)) / math.sqrt(episodes)


EXAMPLE = Description(
    space=ring(3, ways=1),
    good_and_evil=Startled(0, 1),
    starts=(2, 1, 0),
    horizon=300,
    division=math.inf,
)
"""In the spirit of example 3.6.1: who is startled runs on, so the subject meets whom it followed at first."""


@pytest.mark.thorough
@pytest.mark.skipif(not JIT, reason="long")
def test_the_cycle_clause_balances_what_a_start_has_tilted() -> None:
    tilted, error = random_mean(EXAMPLE, 60)
    assert abs(tilted) > 10 * error
    mean, error = random_mean(dataclasses.replace(EXAMPLE, cycle="swap", horizon=3000), 60)
    assert abs(mean) < 5 * error + 1e-9
    assert abs(mean) < abs(tilted) / 5


@pytest.mark.skipif(not JIT, reason="long")
@pytest.mark.parametrize("preset", list(PRESETS))
@pytest.mark.parametrize(
    "behavior",
    [Pattern((1, 2, 0, 1)), Startled(1, 2), Shy(), Attached(), Random()],
    ids=lambda behavior: type(behavior).__name__,
)
def test_a_random_subject_expects_nothing(preset: str, behavior: Behavior) -> None:
    d = Description(
        space=grid(5), good_and_evil=behavior, horizon=20, objects=(Shy(),), **PRESETS[preset]
    )
    mean, error = random_mean(d, 600)
    assert abs(mean) < 5 * error


# The reactive environment of figures 3.3 and 3.4 ----------------------------------


def reactive(good: int, evil: int, runaway: int, subject: int) -> LambdaEnvironment:
    """Its three programs in the environment; cells count from 1."""
    d = Description(
        space=space_of_program(CORRIDOR, ACTIONS),
        good_and_evil=Markov(GOOD_AND_EVIL),
        objects=(Markov(RUNAWAY),),
        starts=tuple(cell - 1 for cell in (good, evil, runaway, subject)),
        action_names=ACTIONS,
        **THEORY,
    )
    environment = LambdaEnvironment(d)
    environment.reset(1)
    return environment


def cells(environment: LambdaEnvironment) -> tuple[int, int, int, int]:
    here = environment.positions()
    return tuple(  # type: ignore[return-value]
        cell + 1 for cell in (here["good"], here["evil"], here["objects"][0], here["subjects"][0])
    )


def test_the_ideal_situation_of_figure_3_4_lasts_and_pays() -> None:
    """Evil is shut in by the runaway; the subject goes three cells left and right after Good."""
    environment = reactive(good=6, evil=1, runaway=2, subject=6)
    assert environment.text() == "⊖:ω_1:::L:π⊕SR"
    visited, gained = [], 0.0
    for t in range(36):
        # A step behind Good, who goes 5 4 3 4 5 6; when Good turns, one waits a step.
        turn = environment.step([(0, 1, 1, 0, 2, 2)[t % 6]])
        good, evil, runaway, _ = cells(environment)
        assert (evil, runaway) == (1, 2)
        visited.append(good)
        gained += turn.rewards[0]
    assert visited == [5, 4, 3, 4, 5, 6] * 6
    assert gained > 0


def test_the_runaway_leaves_when_the_subject_comes() -> None:
    environment = reactive(good=6, evil=5, runaway=3, subject=1)
    came = []
    for action in (2, 2, 0):
        environment.step([action])
        came.append((cells(environment)[2], cells(environment)[3]))
    assert came == [(3, 2), (3, 3), (4, 3)], (
        "it saw the subject come from the left, and leaves to the right"
    )


def test_good_and_evil_walk_three_cells_left_and_three_right_but_not_into_the_runaway() -> None:
    environment = reactive(good=5, evil=4, runaway=1, subject=6)
    walked = []
    for _ in range(6):
        environment.step([0])
        walked.append(cells(environment)[:2])
    # Evil stays on cell 2 instead of entering the cell of the runaway; Good is then in its way, or it in Good's.
    assert walked[:3] == [(4, 3), (3, 2), walked[2]]
    assert all(good != evil and 1 not in (good, evil) for good, evil in walked)


# What is refused ----------------------------------------------------------------


def test_a_step_after_the_end_or_an_impossible_action_is_refused() -> None:
    environment = LambdaEnvironment(Description(space=ring(3), good_and_evil=STILL, horizon=1))
    with pytest.raises(RuntimeError, match="reset first"):
        environment.step([0])
    environment.reset(1)
    with pytest.raises(ValueError, match="3 is not an action; actions are 0 to 2"):
        environment.step([3])
    with pytest.raises(ValueError, match="'up' is not an action"):
        environment.step(["up"])
    with pytest.raises(ValueError, match="2 actions for 1 seats"):
        environment.step([0, 0])
    environment.step([0])
    with pytest.raises(RuntimeError, match="reset first"):
        environment.step([0])
    assert environment.default(0) == 0


SEVERED = Space.from_arrows([(0, 1), (1, 2), (2, 1)])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"good_and_evil": Pattern((1, 7))}, "7 in the behavior of Good and Evil is not an action"),
        ({"objects": (STILL, Startled(0, -1))}, "-1 in the behavior of Object 2 is not an action"),
        ({"good_and_evil": "random"}, "The behavior of Good and Evil is 'random', which is none"),
        ({"space": SEVERED}, "not strongly connected: no path leads from cell 2 to cell 1"),
        ({"starts": (0, 1)}, "2 starts are given; Good, Evil, 0 objects and 1 subjects need 3"),
        ({"starts": (0, 0, 1)}, "Good and Evil both start on cell 1"),
        ({"starts": (0, 1, 4)}, "4 in starts is not a cell; cells are 0 to 3"),
        ({"good_and_evil": Random(), "moves": "pattern"}, "moves is 'pattern', which goes by"),
        (
            {"good_and_evil": Markov(Program.parse("->. a_1")), "least_moves": 2},
            "Good and Evil do the whole output",
        ),
        (
            {"objects": (Markov(Program.parse("->. a_1")),), "longest": 5},
            "longest is 5, and an observation here has up to 10 symbols",
        ),
        ({"action_names": ("s", "l")}, "2 names do not fit 3 actions"),
        ({"subjects": 10_000, "objects": (STILL,) * 10_000}, "numbers of memory"),
    ],
)
def test_an_impossible_description_gets_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Description(**{"space": ring(4), "good_and_evil": STILL, **changes})


def test_data_of_no_description_get_a_sentence() -> None:
    data = Description(space=ring(4), good_and_evil=STILL).to_json()
    with pytest.raises(MensuraError, match="has no field 'color'"):
        Description.from_json({**data, "color": "red"})
    with pytest.raises(MensuraError, match="lacks space, good_and_evil"):
        Description.from_json({"horizon": 3})
    with pytest.raises(MensuraError, match="starts is 5; it must be a list"):
        Description.from_json({**data, "starts": 5})
    with pytest.raises(MensuraError, match="A space has at least 2 cells, not 1"):
        Description.from_json({**data, "space": {"shifts": [[0, 1]]}})


def test_a_weaker_topology_may_be_asked_for() -> None:
    d = Description(space=SEVERED, good_and_evil=STILL, topology="weak")
    assert Description.from_json(d.to_json()) == d


def test_a_program_that_loops_costs_its_steps_and_no_more() -> None:
    program = Markov(Program.parse("π -> π"))
    environment = played(program, (0, 3, 1), steps=2000, horizon=50)
    begin = time.process_time()
    for _ in range(50):
        environment.step([FORTH])
    assert environment.positions()["good"] == 0
    assert time.process_time() - begin < 60


def test_fractions_of_rewards_are_exact_where_the_division_is_2() -> None:
    environment = played(Pattern((FORTH,)), (0, 30, 59), **THEORY, space=ring(60), horizon=40)
    for _ in range(20):
        environment.step([STAY])
    trail = environment.cell_rewards()
    assert [Fraction(trail[20 - k]) for k in range(20)] == [
        Fraction(1, 2 ** (k + 1)) for k in range(20)
    ]
