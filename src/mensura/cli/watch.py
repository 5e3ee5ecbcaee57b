"""``mensura watch``: an episode of a subject, in the terminal or as an animation."""

from __future__ import annotations

from pathlib import Path
from time import sleep
from typing import Annotated, Any

import typer

from mensura.cli import options
from mensura.cli.output import Files, aside, console, say_where


def watch(
    subject: Annotated[
        str, typer.Argument(help="Whom to watch, as for `mensura assess`.")
    ] = "local-search",
    world: options.WorldName = "lambda-star",
    preset: options.Preset = "paper",
    grid: options.Grid = None,
    agents: options.Seats = None,
    iterations: options.Iterations = None,
    changes: options.Changes = None,
    complexity: Annotated[
        int | None, typer.Option("--complexity", "-k", help="The wanted complexity K.")
    ] = None,
    seed: options.Seed = None,
    in_process: options.InProcess = False,
    training: Annotated[
        int | None,
        typer.Option(help="Training episodes before it.", show_default="as the subject asks"),
    ] = None,
    animation: Annotated[
        Path | None,
        typer.Option("--animation", "-o", help="Write it as .gif or as an animated .svg instead."),
    ] = None,
    pause: Annotated[float, typer.Option(help="Seconds between frames.", min=0.0)] = 0.2,
) -> None:
    """Play one episode and watch it."""
    from mensura.assessments.battery import Battery
    from mensura.core.contract import Environment, Plan
    from mensura.core.keys import fold, key
    from mensura.core.sitting import sit
    from mensura.studies.subjects import resolve

    Files(animation=animation)
    home: Any = options.make_world(world, preset, grid, agents, iterations, changes)
    player_of = resolve(subject, home, in_process=in_process)
    home = home.hosting(player_of)
    chosen = options.seed_or_fresh(seed)
    lessons = getattr(player_of, "training", 0) if training is None else training
    spread = None if complexity is None else (complexity, complexity)
    battery = Battery(1, spread=spread, training=lessons)
    view = home.view()
    filming = view.Film()
    out = console()
    live = animation is None

    class Screen:
        def started(self, environment: Any, turn: Any) -> None:
            self._frame(environment, None)

        def stepped(self, environment: Any, actions: list[Any], turn: Any) -> None:
            self._frame(environment, turn.rewards)

        def _frame(self, environment: Any, rewards: Any) -> None:
            if out.is_terminal:
                out.clear()
            out.print(view.text(environment, rewards), markup=False, soft_wrap=True)
            if out.is_terminal:
                sleep(pause)

    def observers(plan: Plan, environment: Environment) -> list[Any]:
        if plan.learning:
            return []
        return [Screen()] if live else [filming]

    if lessons:
        aside().print(f"Training {lessons} episodes first ...", style="dim")
    player = player_of.sit(home.subjects)
    try:
        sitting = sit(
            battery,
            home,
            player,
            fold(key(chosen, "watch"), 0),
            fold(chosen, 1),
            observers=observers,
        )
    finally:
        player.close()
    out.print(f"{player_of.name}: mean reward {sitting.score:+.3f}; seed {chosen}", markup=False)
    for _, episode in sitting.episodes:
        for fault in episode.faults[:5]:
            out.print(f"fault of seat {fault.seat}: {fault.kind}: {fault.detail}", markup=False)
    if animation is not None:
        filming.save(animation, pause=pause)
        say_where("The animation", animation)
