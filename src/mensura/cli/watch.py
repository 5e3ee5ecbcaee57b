"""``mensura watch``: an episode of a subject, in the terminal or as an animation."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.cli import options
from mensura.core.abilities import (
    hosting,
    seats,
    seats_of,
    training_of,
)
from mensura.core.errors import MensuraError
from mensura.terminal.options import Seed, seed_or_fresh
from mensura.terminal.output import Files, console, note, say_where, working

if TYPE_CHECKING:
    from mensura.core.contract import Episode, Plan, World
    from mensura.core.keys import Key


@dataclass(frozen=True)
class OneEnvironment:
    """An assessment by one environment: training in it, then the episode that is watched."""

    within: tuple[str, float, float] | None
    training: int
    described: Any = None
    """This environment, rather than one that is drawn."""

    sittings = 1

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """The same choices as a battery makes for its first environment."""
        from mensura.assessments.battery import ENVIRONMENT, RESET
        from mensura.core.contract import Plan
        from mensura.core.keys import fold

        description = self.described
        if description is None:
            description = world.sample(fold(key, ENVIRONMENT), self.within)
        for _ in range(self.training):
            yield Plan(description, fold(key, RESET), learning=True)
        episode = yield Plan(description, fold(key, RESET))
        return episode.mean_reward


def _usual(world: Any) -> str:
    """Whom to watch where nobody is named: a subject that does something to be seen."""
    from mensura.studies.subjects import demonstrated

    return next((name for name in demonstrated(world) if name != "random"), "random")


def watch(
    subject: Annotated[
        str | None,
        typer.Argument(
            help="Whom to watch, as for `mensura assess`.", show_default="one that the world has"
        ),
    ] = None,
    world: options.WorldName = options.DEFAULT_WORLD,
    preset: options.Preset = None,
    grid: options.Grid = None,
    agents: options.Seats = None,
    iterations: options.Iterations = None,
    task: options.TaskName = None,
    changes: options.Changes = None,
    complexity: options.Complexity = None,
    file: options.FromFile = None,
    seed: Seed = None,
    in_process: options.InProcess = False,
    training: Annotated[
        int | None,
        typer.Option(help="Training episodes before it.", show_default="as the subject asks"),
    ] = None,
    animation: Annotated[
        Path | None,
        typer.Option("--animation", "-o", help="Write it as .gif or as an animated .svg instead."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="Draw how it stands at the end to this file: .svg, .png or .pdf."),
    ] = None,
    width: options.Width = None,
    pause: Annotated[float, typer.Option(help="Seconds between frames.", min=0.0)] = 0.2,
) -> None:
    """Play one episode and watch it."""
    from mensura.core.contract import Environment
    from mensura.core.keys import fold, key
    from mensura.core.sitting import sit
    from mensura.pictures.files import save
    from mensura.pictures.film import Film
    from mensura.pictures.view import view_of
    from mensura.studies.subjects import resolve

    Files(animation=animation, picture=picture)
    home: Any = options.make_world(world, preset, grid, agents, iterations, changes, task)
    player_of = resolve(subject or _usual(home), home, in_process=in_process)
    home = hosting(home, player_of)
    chosen = seed_or_fresh(seed)
    lessons = training_of(player_of) if training is None else training
    if lessons < 0:
        raise MensuraError(f"{lessons} training episodes are impossible; 0 or more are.")
    own = options.described(home, file, complexity)
    one = OneEnvironment(options.interval(home, complexity), lessons, own)
    view = view_of(home)
    filming = Film(view.picture, width)
    out = console()
    live = animation is None

    last: list[tuple[Any, Any]] = []

    class Screen:
        def started(self, environment: Any, turn: Any) -> None:
            self._frame(environment, turn)

        def stepped(self, environment: Any, actions: list[Any], turn: Any) -> None:
            self._frame(environment, turn)

        def _frame(self, environment: Any, turn: Any) -> None:
            last[:] = [(environment, turn)]
            if not live:
                return
            if out.is_terminal:
                out.clear()
            out.print(view.text(environment, turn), soft_wrap=True)
            if out.is_terminal:
                sleep(pause)

    def observers(plan: Plan, environment: Environment) -> list[Any]:
        if plan.learning:
            return []
        return [view, Screen()] if live else [view, Screen(), filming]

    if lessons:
        note(f"Training {lessons} episodes first ...")
    player = player_of.sit(seats(home) if own is None else seats_of(home, own))
    try:
        sitting = sit(
            one,
            home,
            player,
            fold(key(chosen, "watch"), 0),
            fold(chosen, 1),
            observers=observers,
        )
    finally:
        player.close()
    out.print(f"{player_of.name}: mean reward {sitting.score:+.3f}; seed {chosen}")
    for _, episode in sitting.episodes:
        for fault in episode.faults[:5]:
            out.print(f"fault of seat {fault.seat}: {fault.kind}: {fault.detail}")
    if animation is not None:
        with working("Writing the film"):
            filming.save(animation, pause=pause)
        say_where("The animation", animation)
    if picture is not None:
        save(view.picture(*last[0]), picture, width)
        say_where("The picture", picture)
