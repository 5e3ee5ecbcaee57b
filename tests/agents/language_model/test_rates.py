"""Rates hold in any minute, whoever asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agents.language_model.rates import MINUTE, Rates, Spent, shared

pytestmark = pytest.mark.quick

COSTS = st.lists(st.tuples(st.floats(0, 30), st.floats(0, 900)), min_size=1, max_size=40)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@given(COSTS, st.integers(1, 10) | st.none(), st.floats(10, 2000) | st.none())
def test_no_minute_has_more_than_is_allowed(
    costs: list[tuple[float, float]], requests: int | None, tokens: float | None
) -> None:
    clock = Clock()
    rates = Rates(requests, tokens, clock)
    sent: list[Spent] = []
    for idle, cost in costs:
        clock.now += idle
        waits = 0
        while True:
            wait, booked = rates.book(cost)
            if booked is not None:
                assert wait == 0.0
                sent.append(booked)
                break
            assert wait > 0.0
            clock.now += wait
            waits += 1
            assert waits < 3
    for place, last in enumerate(sent):
        # To the rounding of the clock.
        window = [one for one in sent[: place + 1] if last.when - one.when < MINUTE - 1e-6]
        assert requests is None or len(window) <= requests
        assert tokens is None or len(window) == 1 or sum(w.tokens for w in window) <= tokens + 1e-6


def test_what_a_request_really_took_counts() -> None:
    clock = Clock()
    rates = Rates(tokens=100, clock=clock)
    _, first = rates.book(90)
    assert first is not None
    assert rates.book(50)[0] == MINUTE
    rates.correct(first, 40)
    assert rates.book(50)[1] is not None


def test_a_service_can_close_for_everybody() -> None:
    clock = Clock()
    rates = Rates(clock=clock)
    rates.close(7.0)
    rates.close(3.0)
    assert rates.book(1)[0] == 7.0
    clock.now = 7.0
    assert rates.book(1)[1] is not None


def test_the_same_service_and_model_share_their_rates() -> None:
    assert shared("a", "m", 10) is shared("a", "m", 10)
    assert shared("a", "m", 10) is not shared("a", "n", 10)
