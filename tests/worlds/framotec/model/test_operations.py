"""Operations on tasks: what each does, and the laws that hold of them for every task."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.framotec.strategies import tasks

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.model.blocks import PARTS
from mensura.worlds.framotec.model.building import Build
from mensura.worlds.framotec.model.files import parse_task, task_to_yaml
from mensura.worlds.framotec.model.operations import (
    OPERATIONS,
    add_dimension,
    add_distractor,
    add_latency,
    add_noise,
    decompose,
    in_parallel,
    in_sequence,
    lock,
    remove_dimension,
    rename,
    scale,
    vary,
)
from mensura.worlds.framotec.model.task import Limits, Range, Task
from mensura.worlds.framotec.paper import (
    SAMPLES,
    car_race,
    locking_plotter,
    n_dimensional,
    parking,
    plotter_2d,
    steered_mover,
)
from mensura.worlds.framotec.play.simulation import Simulation, simulate

ANY = st.sampled_from([car_race(), parking(), locking_plotter(), plotter_2d(), n_dimensional(3)])
ANY |= st.just(steered_mover()) | tasks()


def names_of(task: Task, kind: str) -> list[str]:
    return [one.name for one in getattr(task.flat, kind)]


def run(task: Task, powers: list[list[float]], key: int = 0) -> Simulation:
    """Play a schedule of shares of the most power, a row for each tick."""
    simulation = Simulation(task, key)
    for row in powers:
        for motor, share in zip(task.exposed, row, strict=True):
            simulation.set_power(motor.name, share * motor.power)
        simulation.tick()
    return simulation


def schedules(motors: int, ticks: int = 12) -> st.SearchStrategy[list[list[float]]]:
    row = st.lists(st.sampled_from([-1.0, 0.0, 0.3, 1.0]), min_size=motors, max_size=motors)
    return st.lists(row, min_size=ticks, max_size=ticks)


# Laws ---------------------------------------------------------------------------------


@settings(max_examples=examples(13, 60))
@given(ANY, st.data())
def test_renaming_back_gives_the_same(task: Task, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["objects", "motors", "sensors", "transitions", "goals"]))
    names = names_of(task, kind) + [one.name for one in task.systems]
    assume(names)
    old = data.draw(st.sampled_from(names))
    there = rename(task, old, "zebra")
    whole = ".".join([*old.split(".")[:-1], "zebra"])
    assert there != task
    assert old not in names_of(there, kind)
    assert rename(there, whole, old.split(".")[-1]) == task
    assert rename(task, old, old.split(".")[-1]) == task


@settings(max_examples=examples(12, 30))
@given(st.sampled_from(["car-race", "locking-plotter", "steered-mover"]), st.data())
def test_a_renamed_task_runs_as_before(name: str, data: st.DataObject) -> None:
    task = SAMPLES[name]().sample(5)
    kind = data.draw(st.sampled_from(["objects", "motors", "goals", "transitions", "sensors"]))
    assume(names_of(task, kind))
    old = data.draw(st.sampled_from(names_of(task, kind)))
    powers = data.draw(schedules(len(task.exposed)))
    one, other = run(task, powers), run(rename(task, old, "zebra"), powers)
    assert one.snapshot() == other.snapshot()


@settings(max_examples=examples(10, 60))
@given(ANY, st.data())
def test_removing_an_added_dimension_gives_the_same(task: Task, data: st.DataObject) -> None:
    like = data.draw(st.sampled_from(names_of(task, "objects")))
    grown = add_dimension(task, like, "zebra")
    whole = ".".join([*like.split(".")[:-1], "zebra"])
    assert len(grown.flat.objects) == len(task.flat.objects) + 1
    assert remove_dimension(grown, whole) == task


@settings(max_examples=examples(10, 40))
@given(ANY)
def test_what_adds_nothing_changes_nothing(task: Task) -> None:
    assert add_noise(task, 0.0) == task
    assert add_latency(task, 0.0) == task
    for path in (f"{task.flat.objects[0].name}.mass", "dt"):
        assert scale(task, path, 1.0) == task
    assert vary(task, f"{task.goals[0].name}.value", 0.0) == task


@settings(max_examples=examples(10, 40))
@given(ANY)
def test_removing_a_distractor_gives_the_same(task: Task) -> None:
    distracted = add_distractor(task)
    assert distracted != task
    assert remove_dimension(distracted, "distractor") == task


def parts(task: Task) -> dict[str, set[Any]]:
    return {kind: set(getattr(task.flat, kind)) for kind in (*PARTS[:-1], "goals")}


@settings(max_examples=examples(8, 30))
@given(ANY, ANY)
def test_in_parallel_is_symmetric_up_to_names(a: Task, b: Task) -> None:
    b = replace(b, integrator=a.integrator, dt=a.dt, controller_step=a.controller_step)
    one, other = in_parallel(a, b), in_parallel(b, a, ("second", "first"))
    assert parts(one) == parts(other)
    assert one.limits == other.limits
    assert len(one.flat.objects) == len(a.flat.objects) + len(b.flat.objects)


@settings(max_examples=examples(6, 30))
@given(ANY, ANY)
def test_operations_give_tasks_that_can_be_written_down(a: Task, b: Task) -> None:
    b = replace(b, integrator=a.integrator, dt=a.dt, controller_step=a.controller_step)
    for made in (in_parallel(a, b), add_distractor(a), lock(a, a.flat.objects[0].name)):
        assert parse_task(task_to_yaml(made)) == made


# In parallel and in sequence ----------------------------------------------------------


@settings(max_examples=examples(8, 25))
@given(schedules(1, 30), schedules(2, 30))
def test_in_parallel_each_goes_as_it_would_alone(
    one: list[list[float]], other: list[list[float]]
) -> None:
    """And nobody solves both before either is solved: the least time is at least that of both."""
    a, b = _endless(car_race()), _endless(locking_plotter())
    alone = [run(a, one), run(b, other)]
    both = run(in_parallel(a, b), [x + y for x, y in zip(one, other, strict=True)])
    if all(simulation.solved for simulation in alone):
        assert both.solved_at == max(simulation.solved_at for simulation in alone)  # type: ignore[type-var]
    else:
        assert not both.solved
    for name, simulation in zip(("first", "second"), alone, strict=True):
        for goal, met in simulation.goals.items():
            assert both.goals[f"{name}.{goal}"] == met


def _endless(task: Task) -> Task:
    """Without limits and noise, so that the same is done in the same time."""
    quiet = tuple(replace(one, distortion=0.0) for one in task.sensors)
    return replace(task, limits=Limits(), sensors=quiet)


def test_limits_are_combined() -> None:
    a, b = car_race(), plotter_2d()
    assert in_parallel(a, b).limits == Limits(120, 25_000)
    assert in_sequence(a, b).limits == Limits(180, 25_000)
    assert in_parallel(a, steered_mover()).limits == Limits()


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("after", [car_race(), parking(), locking_plotter()])
def test_in_sequence_the_second_begins_when_the_first_is_done(after: Task, waits: bool) -> None:
    a, b = _endless(car_race()), _endless(after)
    both = Simulation(in_sequence(a, b, waits=waits))
    begin = both.value("second.position.value")
    both.set_power("first.position_motor", 200.0)
    while not both.goals["first.there"]:
        assert not any(met for name, met in both.goals.items() if name.startswith("second"))
        both.advance(1)
    assert both.value("second.position.value") == begin
    took = both.steps
    alone = Simulation(b)
    for _ in range(200):
        for simulation, prefix in ((alone, ""), (both, "second.")):
            near = abs(simulation.value(f"{prefix}position.value") - 100) < 4
            fast = simulation.value(f"{prefix}position.velocity") > 3
            simulation.set_power(f"{prefix}position_motor", -200.0 if near and fast else 50.0)
            if len(after.motors) > 1:
                simulation.set_power(f"{prefix}plot_it_motor", 5.0 if near else 0.0)
            simulation.tick()
    for name, met in alone.goals.items():
        assert both.goals[f"second.{name}"] == met
    if alone.solved:
        assert round(both.solved_at / 0.001) == took + round(alone.solved_at / 0.001)  # type: ignore[operator]
    if waits and not alone.over:
        assert both.value("second.position.value") == alone.value("position.value")


def test_what_does_not_wait_can_be_prepared() -> None:
    a, b = _endless(car_race()), _endless(car_race())
    for waits in (True, False):
        both = Simulation(in_sequence(a, b, waits=waits))
        both.set_power("second.position_motor", 200.0)
        both.tick(2.0)
        assert (both.value("second.position.value") == 20.0) is waits
        assert not both.goals["second.there"]


def test_times_of_the_second_count_from_the_end_of_the_first() -> None:
    late = replace(car_race(), goals=(replace(car_race().goals[0], after=1.0, before=9.0),))
    goal = in_sequence(car_race(), late).goals[1]
    assert (goal.since, goal.after_since, goal.before_since) == ("first.there", 1.0, 9.0)
    assert (goal.after, goal.before) == (None, None)
    with pytest.raises(MensuraError, match="no goal of '2-D plotter' comes after all the others"):
        in_sequence(replace(plotter_2d(), goals=plotter_2d().goals[:2]), late)


def test_many_goals_can_come_first() -> None:
    both = in_sequence(n_dimensional(120), car_race())
    assert len(both.goals[-1].prerequisites) == 120
    Simulation(both).tick()


# Dimensions ---------------------------------------------------------------------------


def test_a_new_dimension_has_all_that_the_old_one_has() -> None:
    task = add_dimension(plotter_2d(), like="y", name="z")
    assert names_of(task, "objects") == ["x", "y", "z", "pen"]
    assert names_of(task, "motors") == ["x_motor", "y_motor", "z_motor", "pen_motor"]
    assert names_of(task, "sensors") == ["x_reading", "y_reading", "z_reading", "pen_reading"]
    assert task.goals[-1].prerequisites == ("x_there", "y_there", "z_there")
    assert dict(task.motors[2].targets) == {"z": 1.0}
    steered = add_dimension(steered_mover(), like="y", name="z")
    assert steered.transitions[1].assignments == (
        "z_motor.power <- main_motor.power * sin(heading.value)",
    )
    locked = add_dimension(locking_plotter(), like="position")
    assert names_of(locked, "objects")[1] == "position_2"
    assert locked.transitions[1].assignments == ("position_2.locked <- plot_it.value > 0.5",)


def test_a_dimension_inside_a_system_stays_there() -> None:
    task = add_dimension(n_dimensional(2), like="control.selector", name="chooser")
    control = task.systems[1]
    assert [one.name for one in control.objects] == ["selector", "chooser"]
    assert dict(control.motors[1].targets) == {"chooser": 1.0}
    grown = add_dimension(n_dimensional(2), like="x1", name="y")
    assert [one.name for one in grown.systems[0].motors] == ["m0", "m1", "m1_y"]


def test_what_depends_on_a_dimension_goes_with_it() -> None:
    task = remove_dimension(locking_plotter(), "plot_it")
    assert replace(task, name="car race", limits=car_race().limits, instructions="") == replace(
        car_race(), instructions=""
    )
    flat = remove_dimension(plotter_2d(), "x")
    assert flat.goals[-1].prerequisites == ("y_there",)
    assert len(flat.exposed) == 2


# Noise, latency, locks, numbers -------------------------------------------------------


def test_noise_and_latency_are_added_to_one_sensor_or_to_all() -> None:
    task = plotter_2d()
    assert [one.distortion for one in add_noise(task, 1.0).sensors] == [3.0, 3.0, 1.1]
    assert [one.distortion for one in add_noise(task, 1.0, "y_reading").sensors] == [2, 3, 0.1]
    late = add_latency(task, 0.5, sensor="x_reading")
    assert [one.latency for one in late.sensors] == [0.5, 0, 0]
    deep = add_noise(n_dimensional(2), 1.0, "control.selector_reading")
    assert deep.systems[1].sensors[0].distortion == 1.05


@settings(max_examples=20)
@given(st.integers(0, 2**64 - 1), st.floats(0, 3))
def test_noise_stays_within_what_was_added(key: int, distortion: float) -> None:
    task = add_noise(car_race(), distortion)
    reading = Simulation(task, key).read("position_reading")
    assert abs(reading - 20.0) <= 0.5 + distortion + 0.05 + 1e-9


def test_a_late_sensor_reads_what_was() -> None:
    race = _endless(car_race())
    late = Simulation(add_latency(race, 1.0))
    seen = []
    late.set_power("position_motor", 200.0)
    for _ in range(8):
        late.tick()
        seen.append((round(late.value("position.value"), 1), late.read("position_reading")))
    assert [reading for _, reading in seen[4:]] == [real for real, _ in seen[:4]]


def test_a_locked_object_stays_where_it_is() -> None:
    for when, moves in ((None, False), ("time < 1", True), ("position.value > 21", True)):
        simulation = Simulation(lock(_endless(car_race()), "position", when))
        simulation.set_power("position_motor", 200.0)
        simulation.tick(1.0)
        stays = simulation.value("position.value") == 20.0
        assert stays is (when != "position.value > 21")
        simulation.tick(1.0)
        assert (simulation.value("position.value") > 20.0) is moves


def test_numbers_are_scaled_and_varied() -> None:
    race = car_race()
    assert scale(race, "position.mass", 2.0).objects[0].mass == 10.0
    assert scale(race, "position_motor.power", 0.5).motors[0].power == 100.0
    assert scale(race, "limits.energy", 0.5).limits == Limits(60, 2500)
    assert scale(plotter_2d(), "x.value", 2.0).objects[0].value == Range(20, 100)
    assert vary(race, "position.value", 10.0).objects[0].value == Range(10, 30)
    wide = vary(vary(race, "there.value", 1.0), "there.value", 2.0)
    assert wide.goals[0].value == Range(97, 103)
    fuel = Build("f").object("car", fuel=3.0).task()
    assert vary(fuel, "car.fuel", 1.0).objects[0].attributes == (("fuel", Range(2, 4)),)


# Apart --------------------------------------------------------------------------------


@settings(max_examples=examples(8, 30))
@given(st.sampled_from(["locking-plotter", "plotter-2d", "steered-mover", "parking"]), st.data())
def test_a_goal_alone_goes_as_in_the_whole(name: str, data: st.DataObject) -> None:
    task = _endless(SAMPLES[name]().sample(data.draw(st.integers(0, 9))))
    powers = data.draw(schedules(len(task.exposed), 40))
    whole = run(task, powers)
    for goal, alone in zip(task.goals, decompose(task), strict=True):
        kept = [names_of(task, "motors").index(one.name) for one in alone.exposed]
        exposed = [names_of(task, "motors").index(one.name) for one in task.exposed]
        own = [[row[exposed.index(at)] for at in kept] for row in powers]
        played = run(alone, own)
        assert alone.goals[-1].name == goal.name or goal.name in names_of(alone, "goals")
        if not whole.over:
            assert played.goals[goal.name] == whole.goals[goal.name]
        for one in names_of(alone, "objects"):
            if not (whole.over or played.over):
                assert played.value(f"{one}.value") == whole.value(f"{one}.value")


def test_a_goal_takes_along_only_what_bears_on_it() -> None:
    x, y, plotted = decompose(plotter_2d())
    assert [names_of(one, "objects") for one in (x, y, plotted)] == [
        ["x"],
        ["y"],
        ["x", "y", "pen"],
    ]
    assert names_of(x, "sensors") == ["x_reading"]
    there, _ = decompose(locking_plotter())
    assert names_of(there, "objects") == ["position", "plot_it"], "the plotter locks the position"
    steered = decompose(steered_mover())[0]
    assert names_of(steered, "motors") == ["x_motor", "heading_motor", "main_motor"]
    assert [len(one.flat.objects) for one in decompose(n_dimensional(3))] == [2, 2, 2]


def test_energy_and_reward_bear_on_what_reads_them() -> None:
    build = (
        Build("b")
        .object("x")
        .object("y")
        .object("lamp")
        .motor("m", drives="x")
        .motor("n", drives="y")
    )
    build = build.goal("far", of="y", value=9.0).goal("lit", of="lamp", value=1.0, tolerance=0.1)
    by_energy, by_reward = (
        decompose(build.transition("light", f"lamp.value <- {what}").task())[1]
        for what in ("energy / 10", "-reward")
    )
    assert names_of(by_energy, "motors") == ["m", "n"]
    assert names_of(by_energy, "goals") == ["lit"]
    assert names_of(by_reward, "goals") == ["far", "lit"]
    assert names_of(by_reward, "objects") == ["y", "lamp"]


def test_elements_have_one_object_each() -> None:
    elements = decompose(locking_plotter(), into="elements")
    assert [names_of(one, "objects") for one in elements] == [["position"], ["plot_it"]]
    assert elements[0].goals == car_race().goals
    assert [one.name for one in elements] == [
        "locking plotter: position",
        "locking plotter: plot_it",
    ]
    assert elements[1].goals[0].prerequisites == ()


@settings(max_examples=examples(5, 20))
@given(ANY)
def test_every_part_of_a_task_is_a_task(task: Task) -> None:
    for one in (*decompose(task), *decompose(task, into="elements")):
        assert parse_task(task_to_yaml(one)) == one


# What is wrong ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "arguments", "words"),
    [
        (add_dimension, {"like": "positon"}, "has no object 'positon'; did you mean position?"),
        (remove_dimension, {"name": "x"}, "The task 'car race' has no object 'x'"),
        (add_noise, {"distortion": -1.0}, "Noise of -1.0 cannot be added; it is 0 or more."),
        (add_noise, {"distortion": 1.0, "sensor": "s"}, "has no sensor 's'"),
        (add_latency, {"seconds": -1.0}, "A latency of -1.0 s cannot be added"),
        (lock, {"name": "position", "when": "y.value > 1"}, "'y.value' names nothing here"),
        (rename, {"old": "there", "new": "position"}, "has something called 'position' already"),
        (rename, {"old": "ther", "new": "x"}, "nothing called 'ther'; did you mean there?"),
        (rename, {"old": "there", "new": "a b"}, "cannot be called 'a b'"),
        (rename, {"old": "there", "new": "time"}, "which means something else"),
        (scale, {"path": "position.mas", "factor": 2.0}, "did you mean position.mass"),
        (scale, {"path": "position.mass", "factor": -2.0}, "has a mass of -10; it is above 0"),
        (
            vary,
            {"path": "position.value", "spread": 50.0},
            "starts at -30 to 70, out of its bounds",
        ),
        (vary, {"path": "position_motor.power", "spread": 1.0}, "it must be a number"),
        (in_parallel, {"b": replace(car_race(), dt=0.01)}, "dt of 'car race' is 0.001 and that"),
        (in_parallel, {"b": car_race(), "names": ("a", "a")}, "cannot both be the system 'a'"),
        (in_sequence, {"b": car_race(), "names": ("a b", "c")}, "cannot become a system 'a b'"),
        (decompose, {"into": "atoms"}, "into goals or elements, not into 'atoms'"),
        (add_distractor, {"name": "position"}, "has the name of another object"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    operation: Any, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(MensuraError) as caught:
        operation(car_race(), **arguments)
    assert words in str(caught.value)


def test_a_name_that_would_be_taken_for_another_is_refused() -> None:
    inner = Build("box").object("y").transition("t", "y.value <- x.value")
    task = Build("t").object("x").system(inner).goal("g", of="x", value=1.0).task()
    with pytest.raises(MensuraError, match=r"'box.t' would take it for something else"):
        rename(task, "box.y", "x")


def test_all_operations_are_listed() -> None:
    assert [name.replace("-", "_") for name in OPERATIONS] == [
        function.__name__ for function in OPERATIONS.values()
    ]


def test_a_distractor_takes_energy_and_is_in_no_goal() -> None:
    distracted = add_distractor(_endless(car_race()))
    powers = np.zeros((2, 80, 2))
    powers[:, :, 0] = 200.0
    powers[1, :, 1] = 1.0
    outcome = simulate(distracted, powers)
    plain, busy = outcome.energy
    assert outcome.solved_at[0] == outcome.solved_at[1]
    assert busy == pytest.approx(plain + outcome.time[1])
