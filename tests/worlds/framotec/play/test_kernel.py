"""The compiled rules: those of the authors against a plain reading of them, and energy against physics."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.framotec.reference import Body, Engine, Reference

from mensura.agent.errors import MensuraError
from mensura.core.compiled import JIT
from mensura.worlds.framotec.model.task import Goal, Limits, Motor, Object, Sensor, Task, Transition
from mensura.worlds.framotec.play.simulation import Simulation

LOCK = Transition("lock", "a.locked <- b.value > 5")


def lock(bodies: list[Body]) -> None:
    bodies[0].locked = bodies[1].x > 5


@st.composite
def objects(draw: st.DrawFn, name: str) -> Object:
    bounds = draw(st.sampled_from([None, (-10.0, 30.0), (0.0, 12.0)]))
    return Object(
        name,
        value=draw(st.floats(0, 10)),
        velocity=draw(st.sampled_from([0.0, 0.0, 0.5, -2.0])),
        mass=draw(st.floats(0.01, 20)),
        gravity=draw(st.sampled_from([0.0, 9.81, 10.0])),
        angle=draw(st.sampled_from([0.0, 0.0, 0.1, -0.2, 0.8, math.pi / 2])),
        mu_k=draw(st.floats(0, 0.6)),
        mu_s=draw(st.floats(0, 1.0)),
        bounds=bounds,
    )


POWERS = st.lists(st.floats(-300, 300) | st.just(0.0), min_size=6, max_size=6)


@pytest.mark.pure
@pytest.mark.bounds
@settings(max_examples=examples(12, 30) if JIT else 10)
@given(
    objects("a"),
    objects("b"),
    st.booleans(),
    st.booleans(),
    POWERS,
    POWERS,
    st.booleans(),
    st.sampled_from([0.001, 0.004]),
)
def test_trajectories_of_the_authors_rules_equal_a_plain_reading_of_them(
    a: Object,
    b: Object,
    reversible: bool,
    motored: bool,
    first: list[float],
    second: list[float],
    locking: bool,
    dt: float,
) -> None:
    motors = [Motor("m", "a", 120.0, reversible)]
    engines = [Engine(0, 120.0, reversible)]
    if motored:
        motors.append(Motor("n", "b", 50.0))
        engines.append(Engine(1, 50.0, True))
    task = Task(
        objects=(a, b),
        motors=tuple(motors),
        transitions=(LOCK,) if locking else (),
        goals=(Goal("there", "b", 8.0, 0.25), Goal("both", "a", 9.0, 0.5, prerequisites="there")),
        limits=Limits(1.2, 150.0),
        dt=dt,
        controller_step=0.2,
        integrator="authors-2016",
    )

    def body(one: Object, own: bool) -> Body:
        values: Any = (one.value, one.velocity, one.mass, one.gravity, one.angle, one.mu_k)
        return Body(*values, one.mu_s, one.bounds, own)  # type: ignore[arg-type]

    plain = Reference(
        [body(a, True), body(b, motored)],
        engines,
        [(1, 8.0, 0.25, ()), (0, 9.0, 0.5, (0,))],
        dt,
        1.2,
        150.0,
        lock if locking else lambda bodies: None,
    )
    simulation = Simulation(task)
    for powers in zip(first, second, strict=True):
        for engine, motor, watts in zip(engines, motors, powers, strict=False):
            engine.asked = watts
            simulation.set_power(motor.name, watts)
        plain.tick(task.steps_per_action)
        simulation.tick()
        assume(plain.nearest > 1e-9)
        close = {"rel": 1e-9, "abs": 1e-9}
        for name, there in zip("ab", plain.bodies, strict=True):
            assert simulation.value(f"{name}.value") == pytest.approx(there.x, **close)
            assert simulation.value(f"{name}.velocity") == pytest.approx(there.v, **close)
        assert simulation.time == pytest.approx(plain.time, **close)
        assert simulation.energy == pytest.approx(plain.energy, **close)
        assert (simulation.solved, simulation.failed) == (plain.solved, plain.failed)


# Energy ---------------------------------------------------------------------------


@pytest.mark.pure
@pytest.mark.bounds
@given(
    objects("a"),
    st.floats(0, 3),
    POWERS,
    st.sampled_from([0.0002, 0.001, 0.02, 0.1]),
    st.booleans(),
)
def test_energy_is_never_made_out_of_nothing(
    a: Object, drag: float, powers: list[float], dt: float, reversible: bool
) -> None:
    task = Task(
        objects=(replace(a, drag=drag),),
        motors=(Motor("m", "a", 250.0, reversible),),
        dt=dt,
        controller_step=dt,
    )
    simulation = Simulation(task)

    def held() -> float:
        x, v, m, g, angle = (
            simulation.value(f"a.{name}")
            for name in ("value", "velocity", "mass", "gravity", "angle")
        )
        return 0.5 * m * v * v + m * g * math.sin(angle) * x

    work, begun = 0.0, held()
    for watts in powers * 5:
        simulation.set_power("m", watts)
        simulation.tick()
        work += abs(simulation.value("m.power")) * dt
        assert held() - begun <= work + 1e-9 * (1.0 + work + abs(begun))


@given(st.floats(1, 500), st.floats(0.1, 20), st.floats(0.1, 5))
def test_without_friction_all_work_of_a_motor_becomes_motion(
    watts: float, mass: float, seconds: float
) -> None:
    seconds = round(seconds, 3)
    task = Task(objects=(Object("a", mass=mass),), motors=(Motor("m", "a", 500.0),))
    simulation = Simulation(task)
    simulation.set_power("m", watts)
    simulation.tick(seconds)
    v = simulation.value("a.velocity")
    assert 0.5 * mass * v * v == pytest.approx(watts * seconds, rel=1e-9)
    assert simulation.energy == pytest.approx(watts * seconds, rel=1e-9)


def test_friction_costs_what_it_should() -> None:
    """A body that glides comes v^2 / (2 mu g) far."""
    task = Task(objects=(Object("a", velocity=3.0, gravity=10.0, mu_k=0.2, mu_s=0.3),), dt=1e-5)
    simulation = Simulation(Task.from_json({**task.to_json(), "controller_step": 1e-2}))
    simulation.tick(2.0)
    assert simulation.value("a.velocity") == 0.0
    assert simulation.value("a.value") == pytest.approx(9 / 4, rel=1e-4)


@pytest.mark.parametrize(("angle", "slides"), [(0.2, False), (0.35, True)])
def test_static_friction_holds_on_a_slope_up_to_its_tangent(angle: float, slides: bool) -> None:
    task = Task(objects=(Object("a", gravity=10.0, angle=angle, mu_k=0.2, mu_s=0.3),))
    for integrator in ("work-energy", "authors-2016"):
        simulation = Simulation(Task.from_json({**task.to_json(), "integrator": integrator}))
        simulation.tick(1.0)
        assert (simulation.value("a.value") < 0) == slides


def test_drag_slows_down_as_its_equation_says() -> None:
    task = Task(objects=(Object("a", velocity=10.0, mass=2.0, drag=0.4),))
    simulation = Simulation(task)
    simulation.tick(5.0)
    assert simulation.value("a.velocity") == pytest.approx(10 / (1 + 0.2 * 10 * 5), rel=1e-9)


# Motors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "reversible", "given", "drawn"),
    [(50, True, 50, 50), (130, True, 100, 130), (-130, True, -100, 130), (-40, False, 0, 40)],
)
def test_a_motor_gives_what_it_can_and_wastes_the_excess(
    asked: float, reversible: bool, given: float, drawn: float
) -> None:
    task = Task(objects=(Object("a"),), motors=(Motor("m", "a", 100.0, reversible),))
    simulation = Simulation(task)
    simulation.set_power("m", asked)
    simulation.tick(1.0)
    assert simulation.value("m.power") == given
    assert simulation.energy == pytest.approx(drawn)


def test_a_motor_drives_several_objects_by_their_factors_and_uncounted_ones_are_free() -> None:
    task = Task(
        objects=(Object("a"), Object("b"), Object("c")),
        motors=(Motor("m", {"a": 1.0, "b": -0.25}, 8.0), Motor("n", "c", 8.0, counted=False)),  # type: ignore[arg-type]
    )
    simulation = Simulation(task)
    simulation.set_powers({"m": 8.0, "n": 8.0})
    simulation.tick(1.0)
    assert simulation.value("a.velocity") == pytest.approx(4.0)
    assert simulation.value("b.velocity") == pytest.approx(-2.0)
    assert simulation.value("c.velocity") == pytest.approx(4.0)
    assert simulation.energy == pytest.approx(8.0)


# Transitions ----------------------------------------------------------------------


def ran(source: str | list[str], seconds: float = 0.001, key: int = 0, **parts: Any) -> Simulation:
    """A simulation of one transition, with objects x, y and z that nothing moves."""
    task = Task(
        objects=(Object("x"), Object("y", value=3.0, attributes={"fuel": 7.0}), Object("z")),  # type: ignore[arg-type]
        motors=(Motor("m", (), 5.0),),
        transitions=(Transition("t", source, **parts),),  # type: ignore[arg-type]
        sensors=(Sensor("s", "y"),),
        controller_step=0.001,
    )
    simulation = Simulation(task, key)
    simulation.tick(seconds)
    return simulation


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1 + 2 * y.value - 10 / 4", 4.5),
        ("-y.value ^ 2 % 5", 1.0),
        ("7 % -5", -3.0),
        ("sin(pi / 2) + cos(0) + tan(0)", 2.0),
        ("asin(1) + acos(1) + atan(0) + atan2(0, -1)", 1.5 * math.pi),
        ("sqrt(16) + exp(0) + log(exp(2)) + abs(-3)", 10.0),
        ("sign(-2) + floor(1.7) + ceil(1.2) + round(2.5)", 4.0),
        ("min(4, 3, 5) + max(1, 2, 7) + clip(9, 0, 4) + clip(-9, -1, 4)", 13.0),
        ("hypot(3, 4)", 5.0),
        ("1 if y.value > 2 else 1 / 0", 1.0),
        ("1 if y.value >= 3 and y.fuel < 8 else 0", 1.0),
        ("1 if y.value != 3 or not (y.fuel == 7) else 2", 2.0),
        ("1 if false and 1 / 0 > 1 else 2", 2.0),
        ("1 if true or 1 / 0 > 1 else 2", 1.0),
        ("y.fuel if y.value <= 3 else 0", 7.0),
        ("s.value * 2", 6.0),
        ("time + dt", 0.001),
        ("energy", 0.0),
    ],
)
def test_expressions_are_worked_out(source: str, value: float) -> None:
    assert ran(f"x.value <- {source}").value("x.value") == pytest.approx(value, abs=1e-12)


NUMBERS = st.floats(-50, 50).map(lambda x: round(x, 3))
ARITHMETIC: st.SearchStrategy[str] = st.recursive(
    NUMBERS.map(lambda x: f"({x})") | st.sampled_from(["y.value", "y.fuel", "pi"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda t: f"sin({t})"),
        inner.map(lambda t: f"(-{t})"),
        st.tuples(inner, inner).map(lambda t: f"max({t[0]}, {t[1]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} < {t[2]} else {t[0]})"),
    ),
    max_leaves=12,
)


@settings(max_examples=examples(16, 40))
@given(ARITHMETIC)
def test_expressions_mean_what_they_mean_elsewhere(source: str) -> None:
    class Y:
        value, fuel = 3.0, 7.0

    expected = eval(source, {"y": Y, "pi": math.pi, "sin": math.sin, "max": max})
    assert ran(f"x.value <- {source}").value("x.value") == pytest.approx(expected, rel=1e-12)


def test_assignments_are_made_in_order_and_may_read_what_they_change() -> None:
    simulation = ran(["x.value <- x.value + 1", "y.value <- x.value * 10"], 0.003)
    assert (simulation.value("x.value"), simulation.value("y.value")) == (3.0, 30.0)
    held = ran("x.locked <- not x.locked and (x.locked or y.value > 2)", 0.001)
    assert held.value("x.locked") == 1.0


def test_conditions_guard_assignments_and_whole_transitions() -> None:
    assert ran("x.value <- 5 when y.value > 4").value("x.value") == 0.0
    assert ran("x.value <- 5 if y.value > 2").value("x.value") == 5.0
    assert ran(["x.value <- 5"], when="y.value > 4").value("x.value") == 0.0


def test_a_transition_can_set_a_motor() -> None:
    simulation = ran(["m.power <- 9", "x.value <- m.power"])
    assert simulation.value("x.value") == 5.0
    assert simulation.energy == pytest.approx(0.009)


def test_periodic_helpers_follow_the_clock() -> None:
    counted = ran("x.value <- x.value + 1 when every(0.01)", 0.1)
    assert counted.value("x.value") == 10.0
    pulsed = ran("x.value <- x.value + 1 when pulse(0.01, 0.3)", 0.1)
    assert pulsed.value("x.value") == 30.0
    waved = ran(["x.value <- wave(0.004)", "z.value <- phase(0.004)"], 0.002)
    assert waved.value("x.value") == pytest.approx(1.0)
    assert waved.value("z.value") == pytest.approx(0.25)


def test_noise_has_its_distribution_and_follows_from_the_key() -> None:
    def draws(source: str, key: int) -> list[float]:
        simulation = ran(f"x.value <- {source}", 0.0, key)
        found = []
        for _ in range(2000):
            simulation.tick()
            found.append(simulation.value("x.value"))
        return found

    even = draws("noise(2, 5)", 1)
    assert 2 <= min(even) < max(even) < 5
    assert np.mean(even) == pytest.approx(3.5, abs=4 * 3 / math.sqrt(12 * 2000))
    bell = draws("normal(10, 2)", 1)
    assert np.mean(bell) == pytest.approx(10, abs=8 / math.sqrt(2000))
    assert np.std(bell) == pytest.approx(2, rel=0.1)
    assert draws("noise(2, 5)", 1) == even
    assert draws("noise(2, 5)", 2) != even
    assert abs(np.corrcoef(even[:-1], even[1:])[0, 1]) < 0.1


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x.value <- 1 / x.value", "column 14, it divides by zero"),
        ("x.value <- 1 % x.value", "it divides by zero"),
        ("x.value <- 1 + log(x.value)", "column 16, the result is too large or no number"),
        ("x.value <- exp(1000)", "too large or no number"),
        ("x.value <- sqrt(-1 - x.value)", "too large or no number"),
        ("x.mass <- y.value - 3", "column 1, the result is not above 0"),
        ("x.mu_k <- 0 - y.value", "the result is negative"),
        ("x.value <- phase(x.value)", "the period is not above 0"),
    ],
)
def test_what_goes_wrong_at_run_time_is_told_with_its_place(source: str, words: str) -> None:
    if not JIT and "log" in source:
        pytest.skip("NumPy warns by itself where nothing is compiled")
    with pytest.raises(MensuraError) as caught:
        ran(source)
    assert words in str(caught.value)
    assert str(caught.value).startswith("At 0 s in transition 't': in ")
    assert source in str(caught.value)


def test_gravity_and_angle_may_change_while_a_task_runs() -> None:
    task = Task(
        objects=(Object("a", gravity=10.0, mass=1.0),),
        transitions=(Transition("tilt", "a.angle <- 0.5 when time >= 1"),),
    )
    simulation = Simulation(task)
    simulation.tick(1.0)
    assert simulation.value("a.value") == 0.0
    simulation.tick(1.0)
    assert simulation.value("a.velocity") == pytest.approx(-10 * math.sin(0.5), rel=1e-6)


def test_a_body_that_runs_away_is_told() -> None:
    task = Task(
        objects=(Object("a", mass=1e-9),),
        motors=(Motor("m", "a", 1e14),),
        transitions=(Transition("t", "a.velocity <- a.velocity * 1e12"),),
    )
    simulation = Simulation(task)
    simulation.set_power("m", 1e14)
    with pytest.raises(MensuraError, match=r"beyond all numbers|too large"):
        simulation.tick(1.0)
