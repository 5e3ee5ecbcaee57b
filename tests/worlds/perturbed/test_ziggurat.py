"""Normal deviates by a ziggurat: layers of one area, the distribution, and the same bits compiled or not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.heavy import stats

from mensura.agent import keys
from mensura.core.compiled import JIT, door
from mensura.worlds.perturbed.kernels.ziggurat import BASE, EDGES, HEIGHTS, LAYERS, normal

MANY = 400_000


@door
def fill(key: Any, out: Any) -> None:
    """Deviates of one key, by the iteration."""
    for t in range(out.size):
        out[t] = normal(key, t, 1)


def deviates(key: int, count: int) -> npt.NDArray[np.float64]:
    out = np.zeros(count)
    fill(np.uint64(key), out)
    return out


def in_python(key: int, t: int) -> float:
    """The same deviate, as the method is described."""
    slots = iter(range(1, 2**16))

    def uniform() -> float:
        return keys.unit(keys.prf(key, t, next(slots)))

    while True:
        z = keys.prf(key, t, next(slots))
        layer = z % LAYERS
        x = (2.0 * keys.unit(z) - 1.0) * float(EDGES[layer])
        if abs(x) < EDGES[layer + 1]:
            return x
        if layer == 0:
            break
        low, high = float(HEIGHTS[layer]), float(HEIGHTS[layer + 1])
        if low + uniform() * (high - low) < math.exp(-0.5 * x * x):
            return x
    while True:
        beyond = -math.log(1.0 - uniform()) / BASE
        if -2.0 * math.log(1.0 - uniform()) > beyond * beyond:
            return math.copysign(BASE + beyond, x)


def test_all_layers_have_the_same_area() -> None:
    tail = math.sqrt(math.pi / 2) * math.erfc(BASE / math.sqrt(2))
    base = BASE * HEIGHTS[1] + tail
    assert EDGES[0] * HEIGHTS[1] == pytest.approx(base, rel=1e-13)
    areas = EDGES[1:LAYERS] * np.diff(HEIGHTS[1:])
    assert areas == pytest.approx(np.full(LAYERS - 1, base), rel=1e-11)
    assert (EDGES[-1], HEIGHTS[-1]) == (0.0, 1.0)


@pytest.mark.pure
@given(st.integers(0, 2**64 - 1))
@example(7)
def test_a_deviate_is_the_same_to_the_bit_compiled_or_not(key: int) -> None:
    count = 300 if JIT else 30
    assert deviates(key, count).tolist() == [in_python(key, t) for t in range(count)]


@pytest.mark.parametrize("key", [1, 2**63 + 5])
def test_deviates_are_normal(key: int) -> None:
    drawn = deviates(key, MANY)
    assert stats.kstest(drawn, "norm").pvalue > 0.01
    for power, moment, spread in ((1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)):
        error = math.sqrt(spread / MANY)
        assert abs((drawn**power).mean() - moment) < 4.0 * error
    for edge in (2.0, 3.0, BASE, 4.0):
        share = stats.norm.sf(edge)
        for tail in (drawn, -drawn):
            expected = MANY * share
            assert abs((tail > edge).sum() - expected) < 4.0 * math.sqrt(expected) + 1.0


def test_the_tail_beyond_the_base_is_that_of_the_normal_distribution() -> None:
    drawn = np.abs(deviates(3, 8 * MANY))
    beyond = drawn[drawn > BASE]
    assert beyond.size > 500
    share = stats.norm.sf(beyond) / stats.norm.sf(BASE)
    assert stats.kstest(share, "uniform").pvalue > 0.01


def test_neighbors_in_time_and_key_have_nothing_in_common() -> None:
    first, second = deviates(11, MANY), deviates(12, MANY)
    for one, other in ((first[:-1], first[1:]), (first, second)):
        assert abs(np.corrcoef(one, other)[0, 1]) < 4.0 / math.sqrt(MANY)
