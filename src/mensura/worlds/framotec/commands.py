"""``mensura analyze``: what FraMoTEC tasks cost at least, what causes what in them, and how far they are apart.

And ``mensura tasks properties``.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mensura.agent.errors import MensuraError
from mensura.terminal.options import Json, seed_or_fresh
from mensura.terminal.output import Files, console, say, say_where, table

if TYPE_CHECKING:
    from mensura.worlds.framotec.model.task import Task

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Analyze FraMoTEC tasks: time, energy, causes, distances, growth.",
    epilog="Begin with `mensura analyze front car-race -o front.svg` and `mensura analyze estimate car-race`.",
)

TaskName = Annotated[
    str,
    typer.Argument(
        metavar="TASK", help="A sample task, as car-race or locking-plotter, or a file with a task."
    ),
]
Drawn = Annotated[
    int | None,
    typer.Option(
        help="Of a task with ranges, draw one with this seed.", show_default="the middle of ranges"
    ),
]
Picture = Annotated[
    Path | None, typer.Option("--picture", "-o", help="Draw it to this file: .svg, .png or .pdf.")
]


def _concrete(name: str, seed: int | None) -> Task:
    """A concrete task: drawn with a seed, or the middle of its ranges."""
    from mensura.agent.keys import key
    from mensura.worlds.framotec.world import read_task

    task = read_task(name)
    if task.concrete:
        return task
    if seed is not None:
        return task.sample(key(seed_or_fresh(seed), "analyze"))
    say(f"{task.name} has ranges; this is the task in the middle of them (--seed draws one).")
    return task.middle


@app.command("front")
def front(
    name: TaskName,
    points: Annotated[int, typer.Option(help="How many points.", min=2, max=1000)] = 40,
    seed: Drawn = None,
    picture: Picture = None,
    json: Json = None,
) -> None:
    """Print the least energy for every time that a task may take, and draw it.

    Exact where dimensions stand alone; by optimal control where they are tied smoothly, which needs the extra
    `control`; else a bound from below. The red line is what motors can use at most.
    """
    from mensura.worlds.framotec.analysis import front_drawing, pareto

    files = Files(json=json, picture=picture)
    task = _concrete(name, seed)
    found = pareto.front(task, points)
    shown = range(0, len(found.times), max(len(found.times) // 10, 1))
    table(
        f"The front of {task.name}",
        [("time (s)", True), ("least energy (J)", True), ("most (J)", True)],
        [
            (
                f"{found.times[i]:.4g}",
                f"{found.energies[i]:.5g}",
                f"{found.most_at(float(found.times[i])):.5g}",
            )
            for i in sorted({*shown, len(found.times) - 1})
        ],
    )
    say(found.how)
    if picture is not None:
        front_drawing.draw_front(task, found, picture)
        say_where("The picture", picture)
    files.json(found.to_json())


@app.command("graph")
def graph(
    name: TaskName,
    picture: Annotated[
        Path | None, typer.Option("--picture", "-o", help="Draw it to this .svg file.")
    ] = None,
    json: Json = None,
) -> None:
    """Print what acts on what in a task, circles included, and draw it."""
    from mensura.records.results import write_whole
    from mensura.worlds.framotec.analysis.causal import causal_graph
    from mensura.worlds.framotec.analysis.causal_drawing import figure_svg
    from mensura.worlds.framotec.world import read_task

    files = Files(json=json, picture=picture)
    if picture is not None and picture.suffix.lower() != ".svg":
        raise MensuraError(
            f"A causal graph is written to a file that ends in .svg, not to {picture.name}."
        )
    task = read_task(name)
    found = causal_graph(task)
    table(
        f"What acts on what in {task.name}",
        [("cause", False), ("effect", False), ("through", False)],
        [(edge.cause, edge.effect, edge.why) for edge in found.edges],
    )
    for circle in found.cycles:
        say(f"A circle: {' -> '.join((*circle, circle[0]))}")
    if not found.cycles:
        say("There is no circle.")
    say(
        f"The longest chain has {found.longest_chain} arrows; parts that share no cause but the controller: "
        f"{found.chains}."
    )
    if picture is not None:
        write_whole(picture, figure_svg(found, task.name, "white") + "\n")
        say_where("The picture", picture)
    files.json(found.to_json())


@app.command("distance")
def distance(
    one: TaskName,
    other: Annotated[str, typer.Argument(metavar="TASK", help="Another task.")],
    over: Annotated[
        list[str] | None,
        typer.Option("--over", help="A property; may be repeated.", show_default="all"),
    ] = None,
    metric: Annotated[str, typer.Option(help="manhattan or euclidean.")] = "manhattan",
    json: Json = None,
) -> None:
    """Print how far two tasks are apart, property by property (Bieger et al. 2016)."""
    from mensura.worlds.framotec.analysis import theory
    from mensura.worlds.framotec.world import read_task

    files = Files(json=json)
    tasks = read_task(one), read_task(other)
    first, second = (theory.properties(task, over or ()) for task in tasks)
    apart = theory.between(first, second, metric)  # type: ignore[arg-type]
    table(
        f"{tasks[0].name} and {tasks[1].name}",
        [("property", False), ("first", True), ("second", True), ("apart", True), ("what", False)],
        [
            (
                name,
                f"{first[name]:.3f}",
                f"{second[name]:.3f}",
                f"{abs(first[name] - second[name]):.3f}",
                theory.PROPERTIES[name][0],
            )
            for name in first
        ],
    )
    say(f"The {metric} distance is {apart:.4g}.")
    files.json({"first": first, "second": second, "metric": metric, "distance": apart})


@app.command("estimate")
def estimate(name: TaskName, seed: Drawn = None, json: Json = None) -> None:
    """Print what a task asks of a performer: time, energy, cost of an error, what is seen and told."""
    from mensura.worlds.framotec.analysis import theory

    files = Files(json=json)
    task = _concrete(name, seed)
    found = theory.demands(task)
    rows = [
        ("least time", f"{found.time:.4g} s", f"limit {_or_none(found.time_limit, 's')}"),
        ("least energy", f"{found.energy:.4g} J", f"limit {_or_none(found.energy_limit, 'J')}"),
        (
            "cost of an error",
            f"{_or_none(found.error_time, 's')}, {_or_none(found.error_energy, 'J')}",
            "what a failed attempt costs at most",
        ),
        ("sharpness", f"{found.sharpness:.3f}", "0 nothing, 1 all that matters, sharply"),
        (
            "feedback latency",
            _or_none(found.feedback_latency, "s"),
            "until an action can answer; none: a goal is on what no sensor reads",
        ),
        ("instructions", f"{found.instruction_bits:g} bits", task.instructions or "none"),
        ("a reading", f"{found.reading_bits:.4g} bits", "what all sensors tell at a time"),
    ]
    table(
        f"What {task.name} asks", [("what", False), ("how much", True), ("about it", False)], rows
    )
    say(found.front.how)
    data = {name: _finite(value) for name, value in found.to_json().items()}
    files.json(data)


def _or_none(value: float, unit: str) -> str:
    return "none" if math.isinf(value) else f"{value:.6g} {unit}"


def _finite(value: object) -> object:
    return None if isinstance(value, float) and math.isinf(value) else value


@app.command("grow")
def grow(name: TaskName, seed: Drawn = None, json: Json = None) -> None:
    """Print what a further dimension or goal does to the least time and energy: predicted, and measured."""
    from mensura.worlds.framotec.analysis import growth

    files = Files(json=json)
    task = _concrete(name, seed)
    rows = growth.grow(task)
    table(
        f"{task.name}, grown",
        [
            ("grown by", False),
            ("time, predicted (s)", True),
            ("measured", True),
            ("energy, predicted (J)", True),
            ("measured", True),
        ],
        [
            (
                row.what,
                f"{row.predicted_time:.3f}",
                f"{row.measured_time:.3f}",
                f"{row.predicted_energy:.1f}",
                f"{row.measured_energy:.1f}",
            )
            for row in rows
        ],
    )
    files.json(
        [{name: value for name, value in vars(row).items() if name != "task"} for row in rows]
    )


def show_properties(
    task: Annotated[
        str,
        typer.Argument(metavar="TASK", help="A sample task, or a file with a task of your own."),
    ],
    agents: Annotated[int, typer.Option("--agents", "-n", help="How many controllers.", min=1)] = 1,
    thought: Annotated[
        float | None,
        typer.Option(help="Seconds of thought of a controller, by the simulated clock.", min=0.0),
    ] = None,
    json: Json = None,
) -> None:
    """Print the eleven properties of a task of FraMoTEC that section 7 of the paper names, and what tunes each."""
    from mensura.worlds.framotec.analysis.properties import PROPERTIES, Setting, properties
    from mensura.worlds.framotec.world import read_task

    files = Files(json=json)
    clock = "interactions" if thought is None else "simulated"
    setting = Setting(agents, clock, () if thought is None else (thought,) * agents)
    found = properties(read_task(task), setting)
    table(
        f"Properties of {task}",
        [("property", False), ("value", True), ("what that is", False), ("found", False)],
        [
            (name, f"{value:.4g}", PROPERTIES[name].value, sentence)
            for name, (value, sentence) in found.items()
        ],
    )
    for name, one in PROPERTIES.items():
        console().print(f"{name} is tuned by {one.tuned_by}", soft_wrap=True)
    files.json(
        [
            {"property": name, "value": value, "sentence": sentence}
            for name, (value, sentence) in found.items()
        ]
    )
