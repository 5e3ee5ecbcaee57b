"""Tasks of all kinds, for properties that hold of every one."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from mensura.worlds.framotec.model.task import (
    Goal,
    Limits,
    Motor,
    Object,
    Range,
    Sensor,
    System,
    Task,
    Transition,
)

NUMBERS = st.floats(-100, 100).map(lambda x: round(x, 4))
VALUES = NUMBERS | st.tuples(NUMBERS, NUMBERS).map(lambda pair: Range(min(pair), max(pair)))
POSITIVE = st.floats(0.01, 100).map(lambda x: round(x, 4))


@st.composite
def parts(draw: st.DrawFn, name: str) -> dict[str, Any]:
    return {
        "objects": (
            Object("x", draw(VALUES), mass=draw(POSITIVE), attributes={"fuel": draw(VALUES)}),  # type: ignore[arg-type]
            Object("y", 1.0, draw(VALUES), bounds=(0.0, 9.0), locked=draw(st.booleans())),
        ),
        "motors": (
            Motor("m", {"x": draw(NUMBERS)}, draw(POSITIVE), draw(st.booleans())),  # type: ignore[arg-type]
        ),
        "sensors": (
            Sensor("s", "x", draw(POSITIVE), draw(st.none() | st.integers(-3, 3))),
            Sensor(
                "late", "s", latency=draw(st.sampled_from([0.0, 0.1])), reward=draw(st.booleans())
            ),
        ),
        "transitions": (
            Transition("burn", ["x.mass <- max(1, abs(x.fuel) / 10) when m.power > 0"]),  # type: ignore[arg-type]
        ),
    }


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    inner = System("engine", **draw(parts("engine")))
    car = System("car", **draw(parts("car")), systems=(inner,))
    return Task(
        draw(st.sampled_from(["race", "parking"])),
        **draw(parts("")),
        systems=(car,) if draw(st.booleans()) else (inner,),
        goals=(
            Goal("there", "x", draw(VALUES), draw(POSITIVE), before=draw(st.none() | POSITIVE)),
            Goal("then", "y.velocity", 0.0, prerequisites="there", since="there", hold=0.5),  # type: ignore[arg-type]
        ),
        limits=Limits(draw(st.none() | POSITIVE), draw(st.none() | POSITIVE)),
        integrator=draw(st.sampled_from(["work-energy", "authors-2016"])),
        instructions=draw(st.text(max_size=20)),
    )
