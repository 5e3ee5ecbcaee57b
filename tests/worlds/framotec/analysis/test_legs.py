"""One dimension in closed form: against the equation of motion, against each other, and against the simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.worlds.framotec.analysis.combination import Handover, Held, Together
from mensura.worlds.framotec.analysis.legs import Burn, Leg, Stop

RACE = Leg(mass=5.0, power=200.0, slowing=2.0, distance=75.0)
PEN = Leg(mass=1.0, power=5.0, slowing=10.0, distance=0.9)

masses = st.floats(0.1, 50.0)
powers = st.floats(0.1, 500.0)
slowings = st.floats(-5.0, 15.0)
distances = st.floats(0.1, 200.0)


@st.composite
def legs(draw: st.DrawFn) -> Leg:
    return Leg(draw(masses), draw(powers), draw(slowings), draw(distances))


@given(masses, powers, slowings.filter(lambda a: abs(a) > 1e-3), st.floats(0.001, 20.0))
def test_full_power_obeys_the_equation_of_motion(
    mass: float, power: float, slowing: float, s: float
) -> None:
    burn = Burn(mass, power, slowing)
    s = min(s, 20.0 if slowing > 0 else 5.0)
    h = 1e-5 * s
    around = np.array([s - h, s, s + h])
    t, v, x = burn.time(around), burn.speed(around), burn.way(around)
    dt = t[2] - t[0]
    assert (x[2] - x[0]) / dt == pytest.approx(v[1], rel=1e-4)
    # m v dv/dt = P - m a v, compared where neither side is a small difference of large ones.
    gain = mass * v[1] * (v[2] - v[0]) / dt
    assert gain + mass * slowing * v[1] == pytest.approx(power, rel=1e-3)


@given(st.floats(1e-6, 0.1))
def test_series_and_differences_agree(s: float) -> None:
    burn = Burn(1.0, 1.0, 1.0)
    steps = np.linspace(0.0, s, 20001)
    way = np.sum(0.5 * (burn.speed(steps[1:]) + burn.speed(steps[:-1])) * np.diff(burn.time(steps)))
    assert float(burn.way(np.array(s))) == pytest.approx(way, rel=1e-6)


@settings(max_examples=examples(20, 100))
@given(legs())
def test_energy_falls_with_time_from_full_power_to_the_work_of_friction(leg: Leg) -> None:
    times = np.linspace(leg.fastest, min(leg.slowest, 50 * leg.fastest), 30)
    energies = leg.energy(times)
    assert (np.diff(energies) <= 1e-6 * energies[0]).all()
    assert energies[0] == pytest.approx(leg.power * leg.fastest, rel=1e-3)
    least = max(leg.mass * leg.slowing * leg.distance, 0.0)
    assert (energies >= least * (1.0 - 1e-6)).all()
    assert leg.energy(np.array(leg.slowest * 2.0)) == pytest.approx(least, abs=1e-4 * energies[0])
    assert leg.energy(np.array(leg.fastest * 0.99)) == np.inf


@given(legs(), st.floats(0.0, 1.0))
def test_energy_and_the_speed_at_the_end_balance(leg: Leg, share: float) -> None:
    low, high = leg.range
    s = np.array(low + share * (high - low))
    square = float(leg._square(s))
    work = leg.mass * (leg.burn.slowing * leg.distance + 0.5 * square)
    assert float(leg.energy_of(s)) == pytest.approx(work, rel=1e-6, abs=1e-6 * leg.power)


@settings(max_examples=examples(15, 100))
@given(legs(), st.floats(0.05, 0.95), st.floats(0.0, 1.0))
def test_any_other_way_with_the_same_energy_is_slower(leg: Leg, early: float, share: float) -> None:
    """Less than full power first, then full power, then none: never quicker for its energy."""
    s = float(leg.cut_off(np.array([0.5 * (leg.fastest + min(leg.slowest, 3 * leg.fastest))]))[0])
    burning = float(leg.burning(np.array(s)))
    t, v, x, spent = 0.0, 1e-9, 0.0, 0.0
    h = leg.fastest / 4000
    while x < leg.distance and t < 20 * leg.fastest:
        power = share * leg.power if t < early * burning else leg.power
        power = 0.0 if spent >= leg.power * burning else power
        square = v * v + 2.0 * power * h / leg.mass
        v = max(np.sqrt(square) - leg.burn.slowing * h, 0.0)
        if v == 0.0 and power == 0.0:
            return
        x, t, spent = x + v * h, t + h, spent + power * h
    if x >= leg.distance:
        assert spent >= float(leg.energy(np.array(t + h))) * (1.0 - 2e-3)


def test_the_car_race_in_numbers() -> None:
    """Worked out independently by optimal control with 240 intervals, which gives 6.6276 s and 917.8 J in 7.2904 s."""
    assert RACE.fastest == pytest.approx(6.6276, abs=2e-4)
    assert RACE.energy(np.array([7.2904]))[0] == pytest.approx(917.8, rel=1e-3)
    assert RACE.energy(np.array([99.0]))[0] == pytest.approx(750.0)


@given(legs(), st.floats(0.01, 0.99))
def test_a_place_on_the_way_is_passed_in_between(leg: Leg, share: float) -> None:
    s = np.array(leg.range[1])
    passed = float(leg.passing(s, share * leg.distance))
    assert 0.0 < passed < leg.fastest
    way = leg.burn.way(leg.burn.at_way(np.array(share * leg.distance)))
    assert float(way) == pytest.approx(share * leg.distance, rel=1e-9)


def test_without_power_it_slides_or_never_gets_there() -> None:
    slide = Leg(1.0, 0.0, -2.0, 9.0)
    assert slide.possible
    assert slide.fastest == pytest.approx(3.0)
    assert slide.energy(np.array([2.9, 3.1])).tolist() == [np.inf, 0.0]
    assert not Leg(1.0, 0.0, 2.0, 9.0).possible
    assert Leg(1.0, 0.0, 2.0, 9.0, speed=6.0).possible
    assert Leg(1.0, 1.0, 2.0, 0.0).fastest == 0.0


def test_to_stop_takes_longer_and_costs_no_less() -> None:
    stop = Stop(RACE, cap=0.1, farthest=85.0, brake=200.0)
    assert stop.fastest == pytest.approx(7.3024, abs=1e-3)
    times = np.linspace(stop.fastest * 1.001, stop.slowest, 6)
    assert (stop.energy(times) >= RACE.energy(times) * (1.0 - 1e-9)).all()
    assert (np.diff(stop.energy(times)) <= 0.0).all()
    assert stop.energy(times)[-1] == pytest.approx(750.025, rel=1e-4)
    loose = Stop(RACE, cap=100.0, farthest=85.0, brake=200.0)
    assert loose.fastest == pytest.approx(RACE.fastest, rel=1e-6)


def test_without_brakes_it_coasts_to_a_stop() -> None:
    stop = Stop(RACE, cap=0.1, farthest=75.0, brake=0.0)
    assert stop.fastest == pytest.approx(stop.slowest)
    assert stop.energy(np.array([stop.fastest]))[0] == pytest.approx(750.025, rel=1e-4)


# Combination --------------------------------------------------------------------------


def test_side_by_side_energies_add_up_and_the_longest_time_counts() -> None:
    both = Together((RACE, PEN))
    assert both.fastest == RACE.fastest
    times = np.array([7.0, 9.0, 30.0])
    assert both.energy(times) == pytest.approx(RACE.energy(times) + PEN.energy(times))
    later = Together((RACE,), not_before=20.0)
    assert later.fastest == 20.0
    assert later.energy(np.array([19.0, 21.0])).tolist() == [np.inf, pytest.approx(750.0)]
    held = Held(RACE, 2.0)
    assert held.fastest == RACE.fastest + 2.0
    assert held.energy(np.array([9.0])) == RACE.energy(np.array([7.0]))


def test_a_handover_takes_the_rest_of_the_second_longer() -> None:
    handover = Handover(RACE, PEN, way=0.5)
    assert handover.fastest == pytest.approx(RACE.fastest + 0.8, abs=1e-3)
    times = np.array([7.6, 8.5, 12.0])
    found = handover.energy(times)
    # No share of time between the two does better than the one that was found.
    for s in np.linspace(*PEN.range, 50):
        behind = float(PEN.time_of(np.array(s)) - PEN.passing(np.array(s), 0.5))
        tried = RACE.energy(times - behind) + float(PEN.energy_of(np.array(s)))
        assert (found <= tried * (1.0 + 1e-6)).all()
    everything = Handover(RACE, PEN, way=0.0)
    assert everything.fastest == pytest.approx(RACE.fastest + PEN.fastest)
