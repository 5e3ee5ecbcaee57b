"""The families of tasks: all can be solved, none solves itself, and simpler rules fail where they should."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mensura.agent.task import Task
from mensura.testing import check_world
from mensura.worlds.pagi.families import beam_arrange
from mensura.worlds.pagi.families.table import FAMILIES
from mensura.worlds.pagi.kinds import KINDS
from mensura.worlds.pagi.world import Pagi

GRADES = [
    (name, grade) for name, family in FAMILIES.items() for grade in range(1, family.grades + 1)
]
CHEAP = [(name, grade) for name, grade in GRADES if name != "water-diversion"]
FIRST = [
    pytest.param(name, grade, marks=pytest.mark.thorough) if grade > 1 else (name, grade)
    for name, grade in CHEAP
]
"""The first grade of each family; the others, and water, take longer."""


def solved(name: str, grade: int, key: int, subject: str = "", **given: Any) -> bool:
    """Whether the reference subject, or another one, or nobody, solves an environment."""
    family = FAMILIES[name]
    seats = given.get("bodies", family.bodies)
    rights = tuple(f"{seat}:knows_task" for seat in range(seats))
    world = Pagi(task=name, grade=grade, sees="nothing", ends=True, rights=rights, **given)
    environment = world.build(world.sample(key))
    turn = environment.reset(key)
    act: Callable[[int, Any, float], Any]
    if subject == "nobody":

        def act(seat: int, observation: Any, reward: float) -> Any:
            return environment.default(seat)

    else:
        minds = [world.minds[subject or family.reference].make() for _ in environment.seats]
        for seat, mind in enumerate(minds):
            spaces = environment.spaces(seat)
            told = environment.instructions(seat)
            task = Task(world.id, environment.seats[seat], seats, *spaces, None, instructions=told)
            mind.begin(task, np.random.default_rng(key))

        def act(seat: int, observation: Any, reward: float) -> Any:
            return minds[seat].act(observation, reward)

    while turn.ended is None:
        answers = [act(*one) for one in zip(turn.due, turn.observations, turn.rewards, strict=True)]
        turn = environment.step(answers, [0.0] * len(answers))
    return environment.measures()["solved"] == 1.0


@pytest.mark.parametrize(("name", "grade"), [*FIRST, ("water-diversion", 1)])
def test_the_reference_subject_solves_each_grade(name: str, grade: int) -> None:
    assert solved(name, grade, 17)


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_the_reference_subject_solves_200_of_each_family(name: str, part: int) -> None:
    grades = FAMILIES[name].grades
    failed = [
        (key % grades + 1, key)
        for key in range(10 * part, 10 * part + 10)
        if not solved(name, key % grades + 1, key)
    ]
    assert failed == []


@pytest.mark.parametrize(("name", "grade"), GRADES)
def test_tasks_have_the_causal_steps_of_their_grade(name: str, grade: int) -> None:
    family = FAMILIES[name]
    for seed in range(5):
        made = family.make(np.random.default_rng(seed), grade, family.bodies)
        assert made.causal_steps == family.steps[grade - 1]
        assert made.grade == grade


@pytest.mark.parametrize("grade", [1, 2, 3])
def test_no_fewer_weights_than_told_balance_a_beam_wherever_they_are_put(grade: int) -> None:
    for seed in range(40):
        made = beam_arrange.make(np.random.default_rng(seed), grade, 1)
        weights = [one for one in made.objects if one["kind"].startswith("weight")]
        lying = [one for one in weights if not one["name"].startswith("spare")]
        spares = sorted(KINDS[one["kind"]].mass for one in weights if "Left" in one["name"])
        missing = abs(sum(KINDS[one["kind"]].mass * one["x"] for one in lying))
        [beam] = [one for one in made.objects if one["name"] == "beam"]
        fewer = spares[len(spares) - grade + 1 :]
        assert sum(fewer) * beam["width"] / 2 < missing - 0.5, "friction would hold half a unit"
        assert made.causal_steps == grade + 1


@pytest.mark.parametrize("bodies", [4, 6])
@pytest.mark.parametrize("grade", [1, 2, 3])
def test_the_reasoner_solves_pills_for_more_bodies(bodies: int, grade: int) -> None:
    assert solved("three-pills", grade, 5, bodies=bodies)


@pytest.mark.parametrize(
    ("name", "grade"), [*FIRST, pytest.param("water-diversion", 1, marks=pytest.mark.thorough)]
)
def test_no_task_solves_itself(name: str, grade: int) -> None:
    assert not solved(name, grade, 17, "nobody")


@pytest.mark.thorough
@pytest.mark.parametrize("grade", [2, 3, 4, 5, 6])
def test_no_diversion_of_water_solves_itself(grade: int) -> None:
    assert not solved("water-diversion", grade, 17, "nobody")


@pytest.mark.parametrize(
    ("rule", "rates"),
    [
        ("torque-rule", {1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0}),
        ("rule-1", {1: 1.0, 3: 1.0, 4: 0.0}),
        ("rule-2", {1: 1.0, 2: 1.0, 3: 1.0, 4: 0.0}),
        ("rule-3", {1: 1.0, 2: 1.0}),
    ],
)
def test_rules_of_siegler_are_right_where_he_says(rule: str, rates: dict[int, float]) -> None:
    for grade, rate in rates.items():
        assert np.mean([solved("balance-beam", grade, key, rule) for key in range(6)]) == rate


def test_a_guess_that_it_is_the_placebo_fails() -> None:
    world = Pagi(task="three-pills", sees="nothing", ends=True)
    environment = world.build(world.sample(0))
    turn = environment.reset(0)
    actions = [np.zeros(13) for _ in turn.due]
    for action in actions:
        action[11] = 1.0  # placebo
    for _ in range(15):
        turn = environment.step(actions, [0.0] * 3)
        if turn.ended is not None:
            break
    assert list(turn.rewards) == [-1.0] * 3


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(FAMILIES))
@pytest.mark.parametrize("actions", ["forces", "discrete", "commands"])
def test_every_task_keeps_the_contract(name: str, actions: str) -> None:
    assert check_world(Pagi(task=name, actions=actions, horizon=15), episodes=2) == []


@pytest.mark.thorough
def test_the_contract_is_kept_where_the_world_moves_while_a_subject_thinks() -> None:
    world = Pagi(task="catch", clock="simulated", thought=0.16, horizon=6, sees="nothing")
    assert check_world(world, episodes=1) == []
