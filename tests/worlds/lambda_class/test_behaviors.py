"""What objects do, on small spaces where one can follow them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_class.behaviors import (
    STILL,
    Attached,
    Behavior,
    Markov,
    Pattern,
    Random,
    Shy,
    Startled,
    behavior_from_json,
    behavior_to_json,
)
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.space import Space, grid, ring

pytestmark = [pytest.mark.bounds, pytest.mark.pure]

STAY, BACK, FORTH = range(3)
"""The actions of rings and rows."""


def played(
    good_and_evil: Behavior, starts: tuple[int, ...], space: Space | None = None, **more: Any
) -> LambdaEnvironment:
    space = space or ring(8)
    environment = LambdaEnvironment(
        Description(space=space, good_and_evil=good_and_evil, starts=starts, **more)
    )
    environment.reset(5)
    return environment


def path(environment: LambdaEnvironment, actions: list[int], who: str = "good") -> list[int]:
    cells = []
    for action in actions:
        environment.step([action])
        cells.append(environment.positions()[who])
    return cells


def object_path(environment: LambdaEnvironment, actions: list[int]) -> list[int]:
    return [cells[0] for cells in path(environment, actions, "objects")]  # type: ignore[index]


def test_a_pattern_is_repeated() -> None:
    environment = played(Pattern((FORTH, FORTH, BACK)), (0, 4, 6))
    assert path(environment, [STAY] * 7) == [1, 2, 1, 2, 3, 2, 3]


def test_a_random_object_takes_every_action_as_often() -> None:
    seen: Counter[int] = Counter()
    environment = LambdaEnvironment(
        Description(space=ring(8), good_and_evil=STILL, objects=(Random(),), starts=(0, 1, 4, 2))
    )
    for key in range(300):
        environment.reset(key)
        environment.step([STAY])
        seen[environment.positions()["objects"][0]] += 1
    assert set(seen) == {3, 4, 5}
    assert min(seen.values()) > 60  # 5 standard deviations below 100


def test_a_startled_object_does_something_else_while_a_subject_shares_its_cell() -> None:
    environment = played(
        STILL, (6, 7, 3, 2), objects=(Startled(STAY, FORTH),), space=grid(8), horizon=20
    )
    assert object_path(environment, [STAY, FORTH, STAY, FORTH, STAY]) == [3, 3, 4, 4, 5]


def test_good_and_evil_are_both_startled_by_a_subject_on_the_cell_of_either() -> None:
    environment = played(Startled(BACK, FORTH), (4, 2, 2))
    assert environment.positions() == {"good": 4, "evil": 2, "objects": [], "subjects": [2]}
    environment.step([STAY])
    assert environment.positions() == {"good": 5, "evil": 3, "objects": [], "subjects": [2]}
    environment.step([STAY])
    assert environment.positions() == {"good": 4, "evil": 2, "objects": [], "subjects": [2]}


@pytest.mark.parametrize("key", range(8))
def test_a_shy_object_leaves_for_a_cell_without_subjects(key: int) -> None:
    description = Description(
        space=grid(3, 3),
        good_and_evil=STILL,
        objects=(Shy(),),
        subjects=3,
        starts=(0, 8, 4, 1, 3, 5),
        horizon=9,
    )
    environment = LambdaEnvironment(description)
    environment.reset(key)
    environment.step([0, 0, 0])
    assert environment.positions()["objects"] == [4], "nobody is on its cell"
    environment.step([2, 0, 0])
    assert environment.positions()["objects"] == [4], "it saw the subject come only now"
    environment.step([0, 0, 0])
    assert environment.positions()["objects"][0] in (1, 7), "on 3 and 5 there are subjects"


def test_a_shy_object_in_a_corner_among_subjects_leaves_all_the_same() -> None:
    environment = played(
        STILL, (2, 3, 0, 0, 1), objects=(Shy(),), subjects=2, space=grid(4), horizon=5
    )
    environment.step([0, 0])
    assert environment.positions()["objects"] == [1]


def test_an_attached_object_goes_where_a_subject_is_and_stays_with_it() -> None:
    environment = played(STILL, (0, 1, 4, 5), objects=(Attached(),), horizon=50)
    assert object_path(environment, [FORTH, FORTH, STAY, STAY]) == [5, 6, 7, 7]
    assert object_path(environment, [STAY] * 5) == [7] * 5


def test_an_attached_object_searches_while_no_subject_is_in_reach() -> None:
    environment = played(STILL, (0, 1, 4, 0), objects=(Attached(),), horizon=200, space=ring(9))
    cells = object_path(environment, [STAY] * 200)
    assert cells[-1] == 0
    assert len(set(cells)) > 2


def test_objects_go_by_the_last_action_of_their_program_and_good_and_evil_by_all() -> None:
    program = Markov(Program.parse("->. a_3a_3a_2a_3"))
    environment = played(program, (0, 4, 2, 0), objects=(program,))
    environment.step([STAY])
    here = environment.positions()
    assert (here["good"], here["evil"], here["objects"]) == (2, 6, [3])


@pytest.mark.parametrize(
    "looping",
    ["π -> π", "-> a_3", ": -> ::", "->. Φ", "->"],
    ids=["limit", "overflow", "overflow early", "no action", "forever nothing"],
)
def test_a_program_that_does_not_halt_or_names_no_action_stays(looping: str) -> None:
    program = Markov(Program.parse(looping))
    environment = played(program, (0, 4, 2, 0), objects=(program,), steps=200)
    environment.step([STAY])
    here = environment.positions()
    assert (here["good"], here["evil"], here["objects"]) == (0, 4, [2])


def test_every_program_has_a_memory_of_its_own_that_lasts() -> None:
    """Back at first; whoever remembers that it was, forth."""
    program = Program.parse("""
        (π|⊙|:|A_1|A_2|A_3) ->
        MK ->. a_3
        K ->. a_2M^Δ
        -> ∇K
        """)
    for who, cells in (("good", [3, 4, 5]), ("evil", [7, 0, 1])):
        assert path(played(Markov(program), (4, 0, 0)), [STAY] * 3, who) == cells


def test_programs_match_rightmost_where_asked() -> None:
    ends = []
    for match in ("leftmost", "rightmost"):
        program = Program.parse("b -> bb\n a_3 ->. \n -> a_3a_2a_3", match=match)  # type: ignore[arg-type]
        environment = played(STILL, (0, 1, 4, 6), objects=(Markov(program),))
        environment.step([STAY])
        ends.append(environment.positions()["objects"][0])
    assert ends == [5, 3], "what is left of the output ends on forth, or on back"


# Several moves ------------------------------------------------------------------


def test_good_and_evil_make_a_fixed_number_of_moves() -> None:
    environment = played(
        Pattern((FORTH, FORTH, BACK)), (0, 4, 2), moves="fixed", least_moves=2, most_moves=2
    )
    assert path(environment, [STAY] * 4) == [2, 2, 2, 4]


def test_a_geometric_number_of_moves_is_drawn_for_each_each_time() -> None:
    environment = played(
        Pattern((FORTH,)),
        (0, 400, 3),
        moves="geometric",
        least_moves=2,
        most_moves=4,
        space=ring(1000),
        horizon=400,
    )
    before, steps, together = environment.positions(), [], 0
    for _ in range(100):
        environment.step([STAY])
        after = environment.positions()
        good, evil = ((after[who] - before[who]) % 1000 for who in ("good", "evil"))
        steps += [good, evil]
        together += good == evil
        before = after
    assert set(steps) == {2, 3, 4}
    assert 60 < steps.count(2) < 140  # half of 200
    assert together < 75


def test_as_many_moves_as_the_pattern_has() -> None:
    environment = played(Pattern((FORTH, FORTH, BACK)), (0, 4, 2), moves="pattern")
    assert path(environment, [STAY] * 3) == [1, 2, 3]


def test_moves_go_on_until_one_is_not_allowed() -> None:
    """Back from the first cell of a row leads nowhere: it ends the interaction, and the pattern goes on after it."""
    environment = played(
        Pattern((FORTH, BACK, BACK, FORTH, FORTH)), (0, 5, 2), moves="allowed", space=grid(8)
    )
    assert path(environment, [STAY] * 3) == [0, 1, 2]


def test_other_objects_make_one_move() -> None:
    environment = played(
        STILL, (0, 4, 2, 6), objects=(Pattern((FORTH, BACK)),), least_moves=3, moves="fixed"
    )
    assert object_path(environment, [STAY] * 3) == [3, 2, 3]


# As data ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "behavior",
    [
        Random(),
        Pattern((0, 1, 2)),
        Startled(1, 2),
        Shy(),
        Attached(),
        Markov(Program.parse("πA_1 -> ∇a_1^Δ\n->. a_2")),
    ],
    ids=lambda behavior: type(behavior).__name__,
)
def test_a_behavior_is_read_back_from_its_data(behavior: Behavior) -> None:
    assert behavior_from_json(behavior_to_json(behavior)) == behavior


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"kind": "patern", "moves": [1]}, "'patern' is no behavior; .*pattern"),
        ("random", "None is no behavior"),
        ({"kind": "pattern"}, "The data of a pattern behavior are kind, moves"),
        ({"kind": "random", "moves": [1]}, "The data of a random behavior are kind"),
        ({"kind": "pattern", "moves": 5}, "The moves of a pattern are a list of actions, not 5"),
        ({"kind": "pattern", "moves": []}, "A pattern has from 1 to 100000 actions, not 0"),
    ],
)
def test_data_of_no_behavior_get_a_sentence(data: Any, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        behavior_from_json(data)
