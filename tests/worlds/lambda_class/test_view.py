"""How a Lambda environment is told: everybody is where they are in text, and what pays is explained."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_class.environments import made, sampled

from mensura.core.contract import Turn
from mensura.worlds.lambda_class.behaviors import Random, Shy
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.space import ring
from mensura.worlds.lambda_class.switches import PRESETS
from mensura.worlds.lambda_class.world import Lambda

VIEW = Lambda().view()


def text(environment: LambdaEnvironment, rewards: tuple[float, ...] = ()) -> str:
    """As it is told, after an interaction where there are rewards."""
    if rewards:
        environment.step([0] * environment.description.subjects)
    return VIEW.text(environment, Turn((), [], rewards))


# Text


@settings(max_examples=examples(12, 30), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["thesis", "theory"]), st.integers(1, 4))
def test_the_table_tells_who_is_where_what_lies_there_and_where_actions_lead(
    seed: int, preset: str, subjects: int
) -> None:
    environment = sampled(seed, preset, subjects=subjects, objects=2)
    d, at = environment.description, environment.positions()
    lines = text(environment).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("cell  who")) + 1
    rewards = environment.cell_rewards()
    for cell in range(d.space.cells):
        line = lines[first + cell]
        assert line.split()[0] == str(cell + 1)
        for name, place in (("Good", at["good"]), ("Evil", at["evil"]), ("ω_2", at["objects"][1])):
            assert (name in line) == (place == cell)
        assert ("subject" in line) == (cell in at["subjects"])
        assert [int(word) - 1 for word in line.split()[-d.space.actions :]] == list(
            d.space.arrows[cell]
        )
        worth = line.split()[-d.space.actions - 1]
        assert (0.0 if worth == "." else float(worth)) == pytest.approx(rewards[cell], abs=0.006)


def test_the_text_begins_with_that_of_section_3_6_4_and_ends_with_a_status() -> None:
    environment = made()
    shown = text(environment)
    assert shown.splitlines()[0] == environment.text() == "⊕A_2:⊖A_3:A_4:πA_1"
    assert "iteration 0 of 100   Good 1   Evil 2" in shown
    assert "mean reward" not in shown
    shown = text(environment, (0.25,))
    assert shown.splitlines()[0] == environment.text()
    assert "iteration 1 of 100   Good 3   Evil 2" in shown
    assert "rewards   0 +0.25" in shown
    assert "mean" not in shown
    assert "mean of these rewards +0.125" in text(sampled(subjects=2), (0.25, 0.0))
    assert "Good and Evil: pattern 20122220022222200222222002" in shown
    assert "A_1 is where action 0 leads" in shown


def test_each_seat_has_its_own_line_and_many_are_cut() -> None:
    shown = text(made(subjects=7, starts=(0, 1, 2, 2, 2, 2, 2, 3, 3)), (0.0,) * 7)
    assert "seat 4 sees" in shown
    assert "seat 5 sees" not in shown
    assert "and 2 more seats" in shown
    assert "5 subjects" in shown
    assert "subjects 5,6" in shown
    assert max(map(len, text(sampled(subjects=40), (0.5,) * 40).splitlines())) < 260


def test_a_large_space_says_what_it_leaves_out() -> None:
    shown = text(made(space=ring(300), starts=(298, 5, 5)))
    assert re.search(r"^ 299  Good", shown, re.MULTILINE)
    assert "and 259 more cells, where nobody is" in shown
    assert "(" in shown.splitlines()[0]
    assert max(map(len, shown.splitlines())) < 280


def test_named_actions_are_named() -> None:
    shown = text(made(action_names=("s", "l", "r", "u")))
    assert "0=s  1=l  2=r  3=u" in shown
    assert "S is where action 0 leads" in shown


@pytest.mark.parametrize(
    ("changes", "sentences"),
    [
        (
            {},
            ("One subject goes", "4 cells", "drops 1", "lasts for one interaction", "pattern: 988"),
        ),
        (
            {**PRESETS["theory"], "junk": 0, "objects": (Shy(),), "starts": (0, 1, 2, 3)},
            ("another object", "unless a subject", "divided by 2", "a step behind"),
        ),
        ({"good_and_evil": Random(), "division": 1.0}, ("Good and Evil: random", "A reward stays")),
    ],
)
def test_the_explanation_is_of_this_environment(
    changes: dict[str, Any], sentences: tuple[str, ...]
) -> None:
    environment = made(**changes)
    words = " ".join([*VIEW.explain(environment), *VIEW.remarks(environment)])
    for sentence in sentences:
        assert sentence in words
