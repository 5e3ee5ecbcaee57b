"""From what a command ran to the page that a person reads: reports know no worlds, commands do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mensura.cli.output import say_where
from mensura.core import palette
from mensura.core.contract import Environment, World
from mensura.core.keys import fold, key
from mensura.records.results import RunResult, write_whole

if TYPE_CHECKING:
    from mensura.core.experiments import Comparison, Factorial
    from mensura.studies.reproduce import Outcome, Row


def write_report(result: RunResult, world: World, path: Path) -> None:
    """Write the HTML report of a run, with a picture of its first environment where the world has a view."""
    from mensura.reports.html import Picture, render

    pictures: list[Picture] = []
    about: tuple[str, ...] = ()
    view: Any = world.view() if hasattr(world, "view") else None
    environment = _first_environment(result, world)
    if environment is not None:
        if hasattr(view, "figure_svg"):
            pictures.append(
                Picture(
                    "The first environment",
                    view.figure_svg(environment),
                    "As it was when the first episode began: environment 0 of the battery, from its description.",
                )
            )
        if hasattr(view, "explain"):
            about = view.explain(environment)
    write_whole(path, render(result, pictures, about))
    say_where("The report", path)


def check_can_report() -> None:
    """One sentence now rather than a lost page after hours, where the libraries of reports are missing."""
    from importlib.util import find_spec

    with palette.extra("A report"):
        for library in ("jinja2", "matplotlib"):
            if find_spec(library) is None:
                raise ModuleNotFoundError(name=library)


def _first_environment(result: RunResult, world: World) -> Environment | None:
    """The environment of the result's example, as the first episode found it; None where that cannot be."""
    from mensura.assessments.battery import RESET, Battery

    if result.example is None or not hasattr(world, "describe_from_json"):
        return None
    environment = world.build(world.describe_from_json(dict(result.example)))
    root = key(result.seed, result.world, "battery")
    environment.reset(fold(Battery().item_key(root, 0), RESET))
    return environment


def write_comparison(
    experiment: Comparison, rows: Sequence[Row], path: Path, seed: int | None = None
) -> None:
    """Write the page of a published experiment beside ours."""
    from mensura.reports.comparison import render_comparison

    data = [row.to_json() for row in rows]
    command = _command(experiment.name, data[0]["episodes"] if data else 0, seed)
    page = render_comparison(experiment.title, experiment.source, experiment.notes, data, command)
    write_whole(path, page)
    say_where("The report", path)


def write_factors(
    experiment: Factorial, outcome: Outcome, path: Path, seed: int | None = None
) -> None:
    """Write the page of a factorial experiment."""
    from mensura.reports.factors import render_factors

    episodes = next((cell.score.n for cells in outcome.alone.values() for cell in cells), 0)
    page = render_factors(
        experiment.title,
        experiment.source,
        experiment.notes,
        experiment.factors,
        {name: [cell.score for cell in cells] for name, cells in outcome.alone.items()},
        {
            pair: [[cell.score for cell in row] for row in grid]
            for pair, grid in outcome.pairs.items()
        },
        outcome.effects,
        _command(experiment.name, episodes, seed),
    )
    write_whole(path, page)
    say_where("The report", path)


def _command(name: str, episodes: int, seed: int | None) -> str:
    """What to type for the same experiment; without the seed nobody could."""
    return "" if seed is None else f"mensura reproduce {name} --episodes {episodes} --seed {seed}"
