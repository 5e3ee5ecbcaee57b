"""Choices are actions of the space, whatever it is, and what cannot be chosen from is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agent.learners.worlds import boxes, discretes, endless, records

from mensura.agent.errors import MensuraError
from mensura.agent.learners import learns
from mensura.agent.learners.choices import Choices
from mensura.agent.spaces import Box, Discrete, Several, Space, Text

pytestmark = pytest.mark.quick


@given(discretes | boxes | records, st.integers(2, 6))
def test_every_choice_is_an_action_of_the_space(space: Space, levels: int) -> None:
    choices = Choices(space, levels)
    assert all(space.contains(choices.action(i)) for i in range(choices.count))


def test_both_bounds_and_the_middle_of_a_box_are_chosen_from() -> None:
    choices = Choices(Box(-0.1, 0.3, (1,)))
    assert [choices.action(i).tolist() for i in range(choices.count)] == [[-0.1], [0.1], [0.3]]


def test_many_numbers_are_set_one_at_a_time_and_held_until_the_episode_ends() -> None:
    choices = Choices(Box(-1.0, 1.0, (4,)))
    assert choices.count == 12
    choices.action(0)
    assert choices.action(5).tolist() == [-1.0, 1.0, 0.0, 0.0]
    assert choices.held == [0.0, 2.0, 1.0, 1.0]
    choices.begin()
    assert choices.action(11).tolist() == [0.0, 0.0, 0.0, 1.0]


def test_an_action_that_is_changed_afterwards_is_not_changed_for_the_next_time() -> None:
    choices = Choices(Box(0.0, 1.0, (2,)))
    choices.action(0)[:] = 7.0
    assert choices.action(0).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("space", "sentence"),
    [
        (Box(-np.inf, np.inf), "a box from -inf to inf; its bounds must be"),
        (Box(0.0, 1e9, (2,)), "its bounds must be within 1e\\+06 of 0"),
        (Text(3), "a space of the kind Text; they choose from discrete values"),
        (Several(Discrete(2), 3), "a space of the kind Several"),
        (Discrete(10**12), "among 1000000000000 actions; they need 1 to 10000"),
        (Box(0.0, 1.0, (10**9,)), "a box of 1000000000 numbers; 10000 is the most"),
    ],
)
def test_what_cannot_be_chosen_from_is_refused_with_a_sentence(space: Any, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Choices(space)
    assert not learns(Discrete(2), space)


@given(discretes | boxes | records | endless, discretes | boxes | records)
def test_whoever_has_bounded_actions_and_a_readable_observation_can_be_learned(
    seen: Space, played: Space
) -> None:
    assert learns(seen, played)
