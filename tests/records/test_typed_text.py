"""Dataclasses that a store keeps whole come back as they were."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as some

from mensura.records.typed_text import read_typed, write_typed

pytestmark = pytest.mark.quick


@dataclass(frozen=True)
class Inner:
    value: float
    kind: Literal["a", "b"] = "a"


@dataclass(frozen=True)
class Outer:
    name: str
    several: tuple[Inner, ...]
    pair: tuple[int, str]
    by_name: Mapping[str, Inner | None]
    array: npt.NDArray[np.float64]
    flags: npt.NDArray[np.bool_]
    nothing: float | None = None


NUMBERS = some.floats(allow_nan=False)


@given(
    some.text(),
    some.lists(NUMBERS),
    some.dictionaries(some.text(), some.none() | NUMBERS),
    some.none() | NUMBERS,
)
def test_it_comes_back_equal(
    name: str, values: list[float], named: dict[str, float | None], one: float | None
) -> None:
    by_name = {key: None if value is None else Inner(value, "b") for key, value in named.items()}
    array = np.array(values, np.float64).reshape(len(values), 1)
    made = Outer(name, tuple(map(Inner, values)), (3, "x"), by_name, array, array > 0.0, one)
    read = read_typed(Outer, write_typed(made))
    assert (read.name, read.several, read.pair) == (made.name, made.several, made.pair)
    assert (read.by_name, read.nothing) == (made.by_name, made.nothing)
    for ours, theirs in ((read.array, array), (read.flags, array > 0.0)):
        assert ours.shape == theirs.shape
        assert ours.dtype == theirs.dtype
        assert ours.tobytes() == theirs.tobytes()


def test_what_is_no_number_comes_back_too() -> None:
    read = read_typed(tuple[Inner, ...], write_typed((Inner(math.nan), Inner(-math.inf))))
    assert math.isnan(read[0].value)
    assert read[1].value == -math.inf
