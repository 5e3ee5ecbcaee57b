"""Running tasks: ticks, controllers, sensors, goals and limits; and many schedules at once, to the bit the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.model.task import (
    Goal,
    Limits,
    Motor,
    Object,
    Range,
    Sensor,
    Task,
    Transition,
)
from mensura.worlds.framotec.play.simulation import Simulation, simulate

CAR = Object("car", 20.0, mass=5.0, gravity=10.0, mu_k=0.2, mu_s=0.3, bounds=(0.0, 150.0))
RACE = Task(
    "race",
    (CAR,),
    (Motor("engine", "car", 200.0),),  # type: ignore[arg-type]
    (Sensor("position", "car", 0.5, 1),),
    goals=(Goal("there", "car", 100.0, 5.0),),
    limits=Limits(60.0, 5000.0),
)


def by_hand(**values: Any) -> Task:
    """A task whose x is what transitions or tests make it."""
    parts: dict[str, Any] = {
        "objects": (Object("x"),),
        "controller_step": 0.01,
        "dt": 0.01,
        **values,
    }
    return Task(**parts)


def played(task: Task, xs: list[float]) -> Simulation:
    """A simulation in which x has these values, a step each."""
    simulation = Simulation(task)
    for x in xs:
        simulation.row[simulation.assembly.slots["x.value"]] = x
        simulation.tick()
    return simulation


# Ticks and limits -----------------------------------------------------------------


def test_the_car_race_is_won_at_full_power() -> None:
    simulation = Simulation(RACE)
    driver = simulation.controller("driver")
    driver.set("engine", 200.0)
    while not simulation.over:
        simulation.tick()
    assert simulation.solved
    assert simulation.goals == {"there": True}
    assert simulation.value("car.value") >= 95.0
    assert simulation.time == simulation.solved_at
    assert simulation.energy == pytest.approx(200.0 * simulation.time)
    before = simulation.snapshot()
    simulation.tick()
    assert simulation.snapshot() == before


def test_the_authors_charge_the_whole_controller_step() -> None:
    simulation = Simulation(replace(RACE, integrator="authors-2016"))
    simulation.set_power("engine", 200.0)
    while not simulation.over:
        simulation.tick()
    assert simulation.solved_at is not None
    assert simulation.solved_at < simulation.time
    assert simulation.time % 0.25 == pytest.approx(0.0)
    assert simulation.energy == pytest.approx(200.0 * simulation.time)


@pytest.mark.parametrize(
    ("limits", "when"), [(Limits(time=2.0), 2.0), (Limits(energy=100.0), 0.501)]
)
def test_a_limit_that_is_passed_fails_the_task(limits: Limits, when: float) -> None:
    simulation = Simulation(replace(RACE, limits=limits))
    simulation.set_power("engine", 200.0)
    simulation.tick(10.0)
    assert simulation.failed
    assert not simulation.solved
    assert simulation.time == pytest.approx(when)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=8), st.floats(-200, 200))
def test_how_time_is_cut_into_ticks_does_not_matter(parts: list[int], watts: float) -> None:
    one, two = Simulation(RACE, 3), Simulation(RACE, 3)
    for simulation in (one, two):
        simulation.set_power("engine", watts)
    for steps in parts:
        one.advance(steps)
    two.advance(sum(parts))
    assert one.snapshot() == two.snapshot()


@given(st.lists(st.floats(-200, 200), min_size=2, max_size=8), st.integers(0, 2**64 - 1))
def test_a_snapshot_takes_a_simulation_back_exactly(powers: list[float], key: int) -> None:
    simulation = Simulation(RACE, key)
    for watts in powers[:-1]:
        simulation.set_power("engine", watts)
        simulation.tick()
    state = simulation.snapshot()
    simulation.set_power("engine", powers[-1])
    simulation.tick()
    after = simulation.snapshot(), simulation.readings().tolist()
    other = Simulation(RACE, key ^ 1)
    other.restore(state)
    other.set_power("engine", powers[-1])
    other.tick()
    assert (other.snapshot(), other.readings().tolist()) == after


def test_foreign_snapshots_unknown_names_and_odd_ticks_get_sentences() -> None:
    simulation = Simulation(RACE)
    other = Simulation(replace(RACE, limits=Limits(energy=1.0)))
    for call, words in (
        (lambda: simulation.restore(b"x"), "its size differs"),
        (lambda: simulation.restore(other.snapshot()), "its numbers differ"),
        (lambda: simulation.set_power("engin", 1.0), "did you mean engine"),
        (lambda: simulation.set_power("engine", float("nan")), "it is a number"),
        (lambda: simulation.read("postion"), "did you mean position"),
        (lambda: simulation.value("car.sped"), "There is no attribute 'car.sped'"),
        (lambda: simulation.reset_goal("here"), "did you mean there"),
        (lambda: simulation.tick(0.0005), "it is a multiple of dt"),
        (lambda: simulation.tick(-1.0), "it is a multiple of dt"),
        (lambda: simulation.controller("c", "brake"), "cannot have the motor 'brake'"),
    ):
        with pytest.raises(MensuraError, match=words):
            call()


def test_a_controller_sets_the_motors_that_it_was_given_and_the_latest_setting_holds() -> None:
    motors = (Motor("m", "x", 9.0), Motor("n", "x", 9.0), Motor("h", "x", 9.0, exposed=False))  # type: ignore[arg-type]
    simulation = Simulation(by_hand(motors=motors))
    one, two = simulation.controller("one", "m"), simulation.controller("two", "m", "n")
    one.set("m", 1.0)
    two.set("m", 2.0)
    simulation.tick()
    assert simulation.value("m.power") == 2.0
    with pytest.raises(MensuraError, match="Controller 'one' was not given the motor 'n'"):
        one.set("n", 1.0)
    with pytest.raises(MensuraError, match="cannot have the motor 'h'"):
        simulation.controller("three", "h")


# Sensors --------------------------------------------------------------------------


@given(st.floats(0.0, 5.0), st.sampled_from([None, -1, 0, 1, 3]), st.integers(0, 2**64 - 1))
def test_a_sensor_reads_value_and_noise_and_rounds(
    distortion: float, digits: int | None, key: int
) -> None:
    task = by_hand(objects=(Object("x", 12.345),), sensors=(Sensor("s", "x", distortion, digits),))
    simulation = Simulation(task, key)
    simulation.tick()
    reading = simulation.read("s")
    slack = 0.0 if digits is None else 0.5 * 10.0**-digits
    assert abs(reading - 12.345) <= distortion + slack + 1e-9
    if digits is not None:
        assert reading == pytest.approx(round(reading, digits))
    assert simulation.read("s") == reading


def test_sensors_have_streams_of_their_own() -> None:
    noise = Transition("n", "x.value <- noise(0, 1)")  # type: ignore[arg-type]
    few = by_hand(transitions=(noise,), sensors=(Sensor("s", "x", 1.0),))
    many = replace(few, sensors=(*few.sensors, Sensor("t", "x", 1.0), Sensor("u", "s", 1.0)))
    one, two = Simulation(few, 5), Simulation(many, 5)
    seen = []
    for _ in range(50):
        two.read("t")
        two.read("u")
        one.tick()
        two.tick()
        assert one.value("x.value") == two.value("x.value")
        assert one.read("s") == two.read("s")
        seen.append((two.read("s") - two.value("x.value"), two.read("t") - two.value("x.value")))
    assert abs(np.corrcoef(np.array(seen).T)[0, 1]) < 0.6
    assert max(abs(noise) for pair in seen for noise in pair) > 0.5


def test_a_sensor_of_a_sensor_has_both_distortions() -> None:
    sensors = (Sensor("s", "x", 0.4, 0), Sensor("t", "s", 0.25))
    simulation = Simulation(by_hand(objects=(Object("x", 3.0),), sensors=sensors))
    seen = set()
    for _ in range(30):
        simulation.tick()
        assert simulation.read("s") == 3.0
        seen.add(simulation.read("t"))
    assert all(2.75 <= reading <= 3.25 for reading in seen)
    assert len(seen) == 30


@pytest.mark.bounds
@given(st.integers(0, 7), st.integers(0, 5))
def test_late_sensors_read_what_was(lag: int, more: int) -> None:
    sensors = (Sensor("s", "x", latency=lag * 0.01), Sensor("t", "s", latency=more * 0.01))
    task = by_hand(transitions=(Transition("t1", "x.value <- time"),), sensors=sensors)  # type: ignore[arg-type]
    simulation = Simulation(task)
    for step in range(20):
        now = simulation.value("x.value")
        assert now == pytest.approx(max(step - 1, 0) * 0.01)
        assert simulation.read("s") == pytest.approx(max(step - 1 - lag, 0) * 0.01)
        assert simulation.read("t") == pytest.approx(max(step - 1 - lag - more, 0) * 0.01)
        simulation.tick()


def test_a_late_noisy_sensor_says_later_what_it_would_have_said() -> None:
    sensors = (Sensor("s", "x", 1.0), Sensor("t", "s", latency=0.03))
    simulation = Simulation(by_hand(sensors=sensors), 9)
    seen = []
    for _ in range(10):
        seen.append(simulation.read("s"))
        if len(seen) > 3:
            assert simulation.read("t") == seen[-4]
        simulation.tick()


def test_a_reward_channel_is_a_sensor_of_the_score_of_footnote_7() -> None:
    simulation = Simulation(
        replace(
            RACE, sensors=(Sensor("score", "reward", reward=True), Sensor("g", "there.distance"))
        )
    )
    assert simulation.read("score") == simulation.reward == -75.0
    simulation.set_power("engine", 200.0)
    simulation.tick(2.0)
    assert simulation.read("score") == pytest.approx(simulation.value("car.value") - 95.0)
    assert simulation.read("g") == simulation.distances["there"]


def test_transitions_may_read_goals_and_the_reward_within_a_tick() -> None:
    task = by_hand(
        objects=(Object("x"), Object("y"), Object("z")),
        goals=(Goal("g", "x", 5.0, 1.0),),
        transitions=(
            Transition(
                "t", ["x.value <- x.value + 1", "y.value <- g.distance", "z.value <- reward"]
            ),  # type: ignore[arg-type]
        ),
    )
    simulation = Simulation(task)
    simulation.advance(3)
    assert (simulation.value("y.value"), simulation.value("z.value")) == (2.0, -2.0)


# Goals ----------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "holds"), [(4.0, True), (6.0, True), (3.999, False), (6.001, False)])
def test_a_goal_holds_inclusively_within_its_tolerance(x: float, holds: bool) -> None:
    assert played(by_hand(goals=(Goal("g", "x", 5.0, 1.0),)), [x]).solved == holds


def test_without_tolerance_a_goal_is_satisfied_when_it_is_crossed() -> None:
    task = by_hand(goals=(Goal("g", "x", 5.0),))
    assert not played(task, [1.0, 4.9]).solved
    assert played(task, [1.0, 4.9, 5.2]).solved
    assert played(task, [1.0, 5.0]).solved
    assert not played(replace(task, objects=(Object("x", 9.0),)), [8.0, 6.0]).solved


def test_a_goal_may_be_on_a_velocity() -> None:
    task = by_hand(
        objects=(Object("x", velocity=1.0, gravity=10.0, mu_k=0.5),),
        goals=(Goal("still", "x.velocity", 0.0, 0.01),),
    )
    simulation = Simulation(task)
    simulation.tick(1.0)
    assert simulation.solved_at == pytest.approx(0.2, abs=0.02)


def test_once_satisfied_a_goal_stays_so_and_prerequisites_hold_now_or_ever() -> None:
    def goals(prerequisite: Any) -> tuple[Goal, ...]:
        first = Goal("first", "x", 1.0, 0.1)
        return first, Goal("then", "x", 2.0, 0.1, prerequisites="first", prerequisite=prerequisite)  # type: ignore[arg-type]

    now = played(by_hand(goals=goals("now")), [1.0, 1.5, 2.0])
    ever = played(by_hand(goals=goals("ever")), [1.0, 1.5, 2.0])
    assert now.goals == {"first": True, "then": False}
    assert ever.goals == {"first": True, "then": True}
    assert not played(by_hand(goals=goals("ever")), [2.0, 1.5]).goals["then"]


def test_a_goal_has_to_hold_for_its_time_without_a_break() -> None:
    task = by_hand(goals=(Goal("g", "x", 1.0, 0.1, hold=0.03),))
    assert not played(task, [1.0, 1.0, 5.0, 1.0, 1.0]).solved
    assert played(task, [1.0, 1.0, 5.0, 1.0, 1.0, 1.0]).solved


def test_times_before_after_and_since_another_goal() -> None:
    early = by_hand(goals=(Goal("g", "x", 1.0, 0.1, after=0.03),))
    assert not played(early, [1.0, 1.0, 1.0]).solved
    assert played(early, [1.0, 1.0, 1.0, 1.0]).solved
    late = by_hand(goals=(Goal("g", "x", 1.0, 0.1, before=0.02),))
    assert played(late, [0.0, 0.0, 1.0]).solved
    lost = played(late, [0.0, 0.0, 0.0, 1.0])
    assert lost.failed
    assert not lost.solved
    since = by_hand(
        goals=(
            Goal("first", "x", 1.0, 0.1),
            Goal("then", "x", 2.0, 0.1, since="first", after_since=0.02, before_since=0.04),
        )
    )
    assert not played(since, [2.0, 1.0, 2.0, 2.0]).solved
    assert played(since, [1.0, 2.0, 2.0, 2.0]).solved
    assert not played(since, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0]).solved


def test_a_reset_resets_what_depends_on_it_recursively() -> None:
    goals = (
        Goal("a", "x", 1.0, 0.1),
        Goal("b", "x", 1.0, 0.1, prerequisites="a", prerequisite="ever"),  # type: ignore[arg-type]
        Goal("c", "x", 1.0, 0.1, prerequisites="b", prerequisite="ever"),  # type: ignore[arg-type]
        Goal("other", "x", 1.0, 0.1),
        Goal("never", "x", 99.0, 0.1),
    )
    simulation = played(by_hand(goals=goals), [1.0])
    assert simulation.goals == {**dict.fromkeys("abc", True), "other": True, "never": False}
    simulation.reset_goal("b")
    assert simulation.goals == {"a": True, "b": False, "c": False, "other": True, "never": False}


def test_a_goal_is_reset_while_its_condition_holds() -> None:
    goals = Goal("a", "x", 1.0, 0.1, reset_when="x.value > 5"), Goal("z", "x", 99.0)
    task = by_hand(goals=goals)
    assert played(task, [1.0, 2.0]).goals["a"]
    assert not played(task, [1.0, 6.0]).goals["a"]
    assert played(task, [1.0, 6.0, 1.0]).goals["a"]


# Many at once ---------------------------------------------------------------------

FAMILY = replace(
    RACE,
    objects=(replace(CAR, value=Range(10, 60)), Object("pen", bounds=(0.0, 1.0), gravity=10.0)),
    motors=(*RACE.motors, Motor("push", "pen", 5.0, reversible=False)),  # type: ignore[arg-type]
    transitions=(
        Transition("lock", "car.locked <- pen.value > 0.5"),  # type: ignore[arg-type]
        Transition("wind", "car.velocity <- car.velocity + normal(0, 0.001) when every(0.1)"),  # type: ignore[arg-type]
    ),
)


@pytest.mark.bounds
@settings(max_examples=examples(8, 20))
@given(st.integers(0, 2**32), st.sampled_from(["work-energy", "authors-2016"]))
def test_schedules_in_bulk_end_as_those_played_tick_by_tick(seed: int, integrator: Any) -> None:
    task = replace(FAMILY, integrator=integrator)
    rng = np.random.default_rng(seed)
    powers = rng.uniform(-250, 250, (3, 40, 2))
    keys = [seed, seed + 1, seed + 2]
    bulk = simulate(task, powers, keys)
    for i, key in enumerate(keys):
        simulation = Simulation(task, key)
        for watts in powers[i]:
            simulation.set_powers({"engine": watts[0], "push": watts[1]})
            simulation.tick()
            if simulation.over:
                break
        assert bulk.time[i] == simulation.time
        assert bulk.energy[i] == simulation.energy
        assert bulk.solved[i] == simulation.solved
        assert bulk.failed[i] == simulation.failed
        assert np.array_equal(bulk.solved_at[i], simulation.solved_at or np.nan, equal_nan=True)


def test_no_schedule_wins_the_race_with_less_than_friction_takes() -> None:
    """0.2 * 5 * 10 N over 75 m; the stepping of the authors does, as it makes energy out of nothing near rest."""
    rng = np.random.default_rng(1)
    powers = rng.integers(0, 2, (200, 240, 1)) * rng.uniform(5, 60, (200, 1, 1))
    ours = simulate(RACE, powers)
    theirs = simulate(replace(RACE, integrator="authors-2016"), powers)
    assert ours.solved.sum() > 50
    assert 750 < ours.energy[ours.solved].min() < 800
    assert theirs.energy[theirs.solved].min() < 750


def test_a_concrete_task_and_a_list_of_it_give_the_same() -> None:
    powers = np.full((3, 60, 1), 150.0)
    one, two = simulate(RACE, powers), simulate([RACE] * 3, powers)
    assert one.solved.all()
    assert one.time.tolist() == two.time.tolist()


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((3, 4), "it is \\(attempts, ticks, exposed motors\\)"),
        ((3, 4, 2), "the task 'race' exposes 1"),
    ],
)
def test_schedules_that_do_not_fit_get_a_sentence(shape: tuple[int, ...], words: str) -> None:
    with pytest.raises(MensuraError, match=words):
        simulate(RACE, np.zeros(shape))
    with pytest.raises(MensuraError, match="do not fit 1 keys"):
        simulate(RACE, np.zeros((3, 4, 1)), [1])
    with pytest.raises(MensuraError, match="nan and infinity"):
        simulate(RACE, np.full((3, 4, 1), np.nan))
    bad = replace(
        RACE, transitions=(Transition("t", "car.mass <- 1 / (car.velocity - car.velocity)"),)
    )  # type: ignore[arg-type]
    with pytest.raises(MensuraError, match="At 0 s in transition 't'"):
        simulate(bad, np.zeros((3, 4, 1)))
