"""The sample tasks of the paper: examples 1 and 2, the plotters, the steered mover, and N dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.model.blocks import Range
from mensura.worlds.framotec.model.building import Build
from mensura.worlds.framotec.model.task import Task

MOST_DIMENSIONS = 1000


def _track(build: Build, name: str, start: float | Range, distortion: float, digits: int) -> Build:
    """An object on level ground, from 0 to 150, and its sensor."""
    return build.object(
        name, start, bounds=(0.0, 150.0), mass=5.0, gravity=10.0, mu_k=0.2, mu_s=0.3
    ).sensor(f"{name}_reading", of=name, distortion=distortion, digits=digits)


def _pen(build: Build, name: str, mu_s: float) -> Build:
    """An upright object that a one-way motor lifts and gravity lets down."""
    return (
        build.object(
            name,
            0.0,
            bounds=(0.0, 1.0),
            mass=1.0,
            gravity=10.0,
            angle=math.pi / 2,
            mu_k=0.5,
            mu_s=mu_s,
        )
        .motor(f"{name}_motor", drives=name, power=5.0, reversible=False)
        .sensor(f"{name}_reading", of=name, distortion=0.1, digits=0)
    )


def _race(name: str) -> Build:
    build = _track(Build(name), "position", 20.0, 0.5, 1)
    return build.motor("position_motor", drives="position", power=200.0)


def car_race() -> Task:
    """Example 1: bring a car to 100 +- 5 within 60 s and 5000 J."""
    return (
        _race("car race")
        .goal("there", of="position", value=100.0, tolerance=5.0)
        .limits(time=60.0, energy=5000.0)
        .task(instructions="Bring the position to 100, give or take 5.")
    )


def parking() -> Task:
    """Example 2: the car has to stand still there. How still, 0.1, is our choice; the limits are those of the race."""
    return (
        _race("parking")
        .goal("still", of="position.velocity", value=0.0, tolerance=0.1)
        .goal("there", of="position", value=100.0, tolerance=5.0, requires="still")
        .limits(time=60.0, energy=5000.0)
        .task(instructions="Bring the position to 100, give or take 5, and stop there.")
    )


def locking_plotter() -> Task:
    """Section 6.2: a plotter that locks the position while it is activated."""
    return (
        _pen(_race("locking plotter"), "plot_it", 0.55)
        .transition("lock", "position.locked <- plot_it.value > 0.5")
        .goal("there", of="position", value=100.0, tolerance=5.0)
        .goal("plotted", of="plot_it", value=1.0, tolerance=0.1, requires="there")
        .limits(time=60.0, energy=10_000.0)
        .task(instructions="Bring the position to 100, give or take 5, then activate the plotter.")
    )


def plotter_2d() -> Task:
    """A pen that has to be put down in one place of a plane."""
    build = Build("2-D plotter")
    for name in ("x", "y"):
        build = _track(build, name, Range.around(30.0, 20.0), 2.0, 2)
        build = build.motor(f"{name}_motor", drives=name, power=100.0)
        build = build.goal(f"{name}_there", of=name, value=100.0, tolerance=5.0)
    return (
        _pen(build, "pen", 0.9)
        .goal("plotted", of="pen", value=1.0, tolerance=0.1, requires=("x_there", "y_there"))
        .limits(time=120.0, energy=20_000.0)
        .task(instructions="Bring x and y to 100, give or take 5, then put the pen down.")
    )


def steered_mover() -> Task:
    """Section 4.1: hidden motors drive x and y with the cosine and sine of the heading times the main power.

    The paper says nothing of how x, y and the heading resist and where they start: x and y are those of the 2-D
    plotter, the heading has a mass of 1. As in N dimensions, the energy of the hidden motors counts and that of the
    main motor, which they pass on, does not.
    """
    build = Build("steered mover")
    for name in ("x", "y"):
        build = _track(build, name, Range.around(30.0, 20.0), 2.0, 2)
        build = build.motor(f"{name}_motor", drives=name, power=10.0, exposed=False)
        build = build.goal(f"{name}_there", of=name, value=100.0, tolerance=9.0)
    return (
        build.object(
            "heading", 0.0, bounds=(-math.pi, math.pi), mass=1.0, gravity=10.0, mu_k=0.2, mu_s=0.3
        )
        .motor("heading_motor", drives="heading", power=10.0)
        .sensor("heading_reading", of="heading", digits=2)
        .motor("main_motor", power=10.0, counted=False)
        .transition(
            "steer",
            "x_motor.power <- main_motor.power * cos(heading.value)",
            "y_motor.power <- main_motor.power * sin(heading.value)",
        )
        .task(instructions="Steer to the place where x and y are 100, give or take 9.")
    )


def n_dimensional(dimensions: int = 10) -> Task:
    """Section 6.4: hidden motors, of which a selector chooses the one that the main power goes to.

    A hidden motor keeps its last power when the selector moves on. The limits follow from the least energy that
    friction takes from the middle of the starts to the goals: three times that, and a ninth of it in seconds. So time
    grows with the dimensions although motors run side by side, and below about 5 of them it is too short.
    """
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise MensuraError(
            f"A task of {dimensions} dimensions is out of range; 1 to {MOST_DIMENSIONS} are possible."
        )
    mass, gravity, mu_k = 1.0, 10.0, 0.2
    build = Build(f"{dimensions} dimensions")
    hidden = Build("hidden")
    control = (
        Build("control")
        .object(
            "selector",
            bounds=(0.0, max(dimensions - 1.0, 1.0)),
            mass=0.01,
            gravity=gravity,
            mu_k=mu_k,
            mu_s=0.3,
        )
        .motor("selector_motor", drives="selector", power=0.1)
        .motor("power_motor", power=1.0, reversible=False, counted=False)
        .sensor("selector_reading", of="selector", distortion=0.05, digits=0)
    )
    for i in range(dimensions):
        name = f"x{i}"
        build = build.object(
            name,
            Range.around(3.0, 2.0),
            bounds=(0.0, 10.0),
            mass=mass,
            gravity=gravity,
            mu_k=mu_k,
            mu_s=0.3,
        )
        build = build.sensor(f"{name}_reading", of=name, distortion=0.05, digits=0)
        build = build.goal(f"{name}_there", of=name, value=10.0, tolerance=0.5)
        hidden = hidden.motor(f"m{i}", drives=name, power=1.0, reversible=False, exposed=False)
        control = control.transition(
            f"select{i}",
            f"hidden.m{i}.power <- power_motor.power",
            when=f"round(selector.value) == {i}",
        )
    least = dimensions * mu_k * mass * gravity * (10.0 - 0.5 - 3.0)
    return (
        build.system(hidden)
        .system(control)
        .limits(time=3.0 * least / 9.0, energy=3.0 * least)
        .task(instructions="Bring every object to 10, give or take 0.5.")
    )


SAMPLES: Mapping[str, Callable[[], Task]] = {
    "car-race": car_race,
    "parking": parking,
    "locking-plotter": locking_plotter,
    "plotter-2d": plotter_2d,
    "steered-mover": steered_mover,
    "n-dimensional": n_dimensional,
}
"""The sample tasks by name; that of N dimensions also takes their number."""
