"""Observations of any kind become states that are the same for the same."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agent.learners.worlds import boxes, discretes, endless, generator, records
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.agent.learners.reading import Reader
from mensura.agent.spaces import Box, Discrete, Record, Several, Text

pytestmark = pytest.mark.quick


def states(reader: Reader, observations: list[Any]) -> list[bytes]:
    reader.begin()
    read = []
    for one in observations:
        reader.read(one)
        read.append(reader.state())
    return read


def row(*columns: list[float]) -> list[np.ndarray]:
    return [np.array(one, float) for one in zip(*columns, strict=True)]


def seen(*columns: list[float]) -> Reader:
    """A reader that has seen these columns of numbers in one episode."""
    reader = Reader(Box(0.0, 100.0, (len(columns),)))
    states(reader, row(*columns))
    return reader


WANDERING = [3.0, 1.0, 2.0, 1.0, 3.0, 2.0, 0.0, 1.0]


@settings(max_examples=examples(24, 60))
@given(discretes | boxes | records, st.integers(0, 1 << 20), st.integers(1, 20))
def test_whatever_belongs_to_a_space_can_be_read_and_reads_the_same_again(
    space, seed, bins
) -> None:
    drawn = generator(seed)
    observations = [space.sample(drawn) for _ in range(30)]
    first, second = Reader(space, bins), Reader(space, bins)
    assert states(first, observations) == states(second, observations)
    assert first.unusual() == second.unusual()


def test_a_number_that_leaps_between_the_largest_can_be_read() -> None:
    leaps = [sign * largest for largest in np.linspace(1.6e308, 1.7e308, 20) for sign in (1, -1)]
    for space in (Box(-np.inf, np.inf), Box(0.0, 1.0)):
        assert len(states(Reader(space, bins=4), [*leaps, 0.5, *leaps])) == 81


def test_zero_is_zero_whatever_its_sign() -> None:
    space = Record((("a", Box(-1.0, 1.0)),))
    positive, negative = np.zeros((), space.dtype), np.full((), -0.0, np.float64).view(space.dtype)
    read = states(Reader(space), [positive[()], negative[()]])
    assert read[0] == read[1]
    read = states(Reader(Box(-1.0, 1.0)), [0.0, -0.0])
    assert read[0] == read[1]


@given(endless, st.lists(st.floats(), min_size=8, max_size=40))
def test_numbers_without_bounds_can_be_read_however_large(space, numbers) -> None:
    size = space.size
    observations = [
        np.reshape(numbers[i : i + size], space.shape) for i in range(len(numbers) - size + 1)
    ]
    assert len(states(Reader(space), observations)) == len(observations)


def test_texts_lists_and_what_else_is_no_number_are_told_apart_as_wholes() -> None:
    space: Any = Record(
        (("said", Text(3)), ("row", Several(Discrete(5), 3)), ("at", Box(0.0, 9.0)))
    )
    one = {"said": "ab", "row": [1, 2], "at": 4.0}
    others = [{**one, "said": "ba"}, {**one, "row": [2, 1]}, {**one, "row": [1, 2, 0]}]
    read = states(Reader(space), [one, *others, one])
    assert len(set(read)) == 4
    assert read[0] == read[-1]


def test_a_number_with_few_values_stays_as_it_is_and_another_is_cut_into_bins() -> None:
    reader = Reader(Box(0.0, 1.0), bins=4)
    halves = [0.5, 0.0, 0.51, 0.5]
    assert len(set(states(reader, halves))) == 3
    rng = generator(1)
    states(reader, rng.uniform(size=60).tolist())
    again = states(reader, [0.1, 0.9, 0.12, 0.9, 0.1, 0.9, 0.12])
    assert again[2] == again[4] == again[6]
    assert again[1] != again[2]


def test_the_change_of_a_real_number_belongs_to_the_state() -> None:
    reader = Reader(Box(0.0, 1.0), bins=4)
    states(reader, generator(1).uniform(size=60).tolist())
    assert states(reader, [0.1, 0.4])[1] != states(reader, [0.9, 0.4])[1]


def test_a_clock_is_no_part_of_a_state() -> None:
    reader = seen(WANDERING, list(range(8)))
    again = states(reader, row([2.0, 2.0], [40.0, 41.0]))
    assert again[0] == again[1]
    reader.read(np.array([2.0, 42.0]))
    later = reader.moment(reader.state())
    reader.read(np.array([2.0, 43.0]))
    assert reader.moment(reader.state()) != later


def test_a_clock_stays_where_there_is_nothing_else() -> None:
    assert len(set(states(Reader(Discrete(20)), list(range(20))))) == 20


def test_a_counter_is_no_part_of_a_state_once_episodes_have_shown_that_it_never_falls() -> None:
    reader = Reader(Box(0.0, 100.0, (2,)))
    spent = [0.0, 0.5, 0.5, 1.7, 2.0, 2.0, 4.0, 7.0]
    for number in range(3):
        states(reader, row(WANDERING, [number / 8 + one for one in spent]))
    again = states(reader, row([2.0, 2.0], [1.0, 90.0]))
    assert again[0] == again[1]


def test_a_position_with_few_values_stays_even_if_it_never_falls() -> None:
    reader = Reader(Box(0.0, 100.0, (2,)))
    for _ in range(4):
        states(reader, row(WANDERING, [0, 0, 1, 1, 2, 2, 2, 3]))
    again = states(reader, row([2.0, 2.0], [1.0, 2.0]))
    assert again[0] != again[1]


def test_a_number_that_is_as_it_nearly_always_is_is_not_unusual() -> None:
    reader = Reader(Box(0.0, 9.0, (2,)))
    reader.begin()
    for one in row([0.0] * 9 + [5.0, 0.0], [*WANDERING, 0.0, 1.0, 2.0]):
        reader.read(one)
        unusual = dict(reader.unusual())
        assert (0 in unusual) == (one[0] == 5.0)


def test_an_observation_of_too_many_numbers_is_refused_with_a_sentence() -> None:
    with pytest.raises(MensuraError, match="1000000 numbers; 100000 is the most"):
        Reader(Box(0.0, 1.0, (1000, 1000)))
