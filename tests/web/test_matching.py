"""Who talks with whom: laws of matching, over arrivals and departures that Hypothesis draws."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mensura.web.people.rooms.matching import Game, History, Shape, next_game

pytestmark = pytest.mark.quick

MACHINES = ("eliza", "parrot", "model")

shapes = st.builds(
    Shape,
    judges=st.sampled_from([1, 1, 3]),
    witnesses=st.sampled_from([0, 1, 1, 2]),
    machines=st.sampled_from([(), MACHINES[:1], MACHINES]),
    again=st.booleans(),
)

courses = st.lists(
    st.tuples(st.sampled_from(["come", "come", "come", "leave", "end", "end"]), st.integers(0, 9)),
    max_size=60,
)


def played(shape: Shape, course: list[tuple[str, int]]) -> list[tuple[Game, History]]:
    """All games of a course of arrivals and departures, each with the history before it; nobody waits in vain."""
    waiting: list[int] = []
    playing: list[Game] = []
    history, past = History(), []
    for what, who in course:
        if what == "come" and who not in waiting and all(who not in one.people for one in playing):
            waiting.append(who)
        elif what == "leave" and who in waiting:
            waiting.remove(who)
        elif what == "end" and playing:
            over = playing.pop(who % len(playing))
            waiting.extend(over.people)
        while (game := next_game(waiting, history, shape)) is not None:
            past.append((game, copied(history)))
            history.add(game)
            playing.append(game)
            waiting = [one for one in waiting if one not in game.people]
        assert not could_start(waiting, history, shape), "nobody waits while a game could start"
    return past


def copied(history: History) -> History:
    return History(
        {one: set(met) for one, met in history.met.items()},
        {one: Counter(roles) for one, roles in history.roles.items()},
        {one: list(met) for one, met in history.machines_met.items()},
        Counter(history.used),
        Counter(history.placed),
    )


def could_start(waiting: list[int], history: History, shape: Shape) -> bool:
    """Whether some group of those who wait could play, found the long way."""
    for group in combinations(waiting, shape.people):
        if any(two in history.met.get(one, ()) for one, two in combinations(group, 2)):
            continue
        for judges in combinations(group, shape.judges):
            met = {one for judge in judges for one in history.machines_met.get(judge, ())}
            if not shape.machines or shape.again or set(shape.machines) - met:
                return True
    return False


@settings(max_examples=150, deadline=None)
@given(shapes, courses)
def test_nobody_waits_while_a_game_could_start_and_nobody_is_paired_twice(
    shape: Shape, course: list[tuple[str, int]]
) -> None:
    met: set[frozenset[int]] = set()
    for game, before in played(shape, course):
        assert len(game.judges) == shape.judges
        assert len(game.witnesses) == shape.witnesses
        for pair in combinations(game.people, 2):
            assert frozenset(pair) not in met
            met.add(frozenset(pair))
        assert (game.machine is not None) == bool(shape.machines)
        if not shape.again:
            assert all(game.machine not in before.machines_met.get(one, ()) for one in game.judges)


@settings(max_examples=150, deadline=None)
@given(shapes, courses)
def test_balance_holds(shape: Shape, course: list[tuple[str, int]]) -> None:
    for game, before in played(shape, course):
        if game.machine is not None:
            met = {one for judge in game.judges for one in before.machines_met.get(judge, ())}
            free = [one for one in shape.machines if shape.again or one not in met]
            assert before.used[game.machine] == min(before.used[one] for one in free)
        if shape.judges == shape.witnesses == 1 and (shape.again or not shape.machines):
            (judge,), (witness,) = game.judges, game.witnesses
            assert before.lead(judge, "judge") <= before.lead(witness, "judge")


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 40), st.integers(1, 3))
def test_where_each_plays_once_machines_differ_by_one_game_at_most(
    people: int, machines: int
) -> None:
    shape = Shape(1, 1, MACHINES[:machines])
    history, games = History(), []
    waiting: list[int] = []
    for one in range(people):
        waiting.append(one)
        game = next_game(waiting, history, shape)
        if game is not None:
            history.add(game)
            games.append(game)
            waiting = [other for other in waiting if other not in game.people]
    assert len(games) == people // 2
    counts = [history.used[one] for one in shape.machines]
    assert max(counts) - min(counts) <= 1


def test_whoever_waited_longest_comes_first_and_a_game_that_was_given_up_is_a_meeting() -> None:
    history, shape = History(), Shape(1, 1, ("eliza",))
    game = next_game([4, 2, 9], history, shape)
    assert game == Game((4,), (2,), "eliza")
    history.add(game, void=True)
    assert history.used["eliza"] == 0
    assert next_game([4, 2], history, shape) is None
    assert next_game([4, 2, 9], history, shape) == Game((4,), (9,), "eliza")


def test_a_jury_of_six_and_its_witness_are_found_among_thirty_who_have_met_in_part() -> None:
    history, shape = History(), Shape(6, 1, ("eliza", "parrot"))
    for start in range(0, 28, 7):
        history.add(Game(tuple(range(start, start + 6)), (start + 6,), "eliza"))
    game = next_game(list(range(30)), history, shape)
    assert game is None, "four groups and two newcomers: at most six have not met"
    history = History()
    for start in range(0, 28, 4):
        history.add(Game(tuple(range(start, start + 3)), (start + 3,), "eliza"))
    game = next_game(list(range(30)), history, shape)
    assert game is not None
    assert game.machine == "parrot"
