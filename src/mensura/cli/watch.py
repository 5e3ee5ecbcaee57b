"""``mensura watch``: an episode of a subject, in the terminal or as an animation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.groups import EnvironmentOptions, WorldOptions
from mensura.core.abilities import episode_page, hosting
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Seed
from mensura.terminal.output import Files, console, note, say_where, working

if TYPE_CHECKING:
    from rich.console import Console

    from mensura.pictures.picture import Picture
    from mensura.pictures.view import View


@dataclass(frozen=True)
class PlayingOptions:
    """How the episode is played."""

    panel: ClassVar[str] = "The run"

    in_process: options.InProcess = False
    training: Annotated[
        int | None,
        typer.Option(help="Training episodes before it.", show_default="as the subject asks"),
    ] = None


@with_groups
def watch(
    subject: Annotated[
        str | None,
        typer.Argument(
            help="Whom to watch, as for `mensura assess`.", show_default="one that the world has"
        ),
    ] = None,
    world: options.WorldName = options.DEFAULT_WORLD,
    preset: options.Preset = None,
    seed: Seed = None,
    animation: Annotated[
        Path | None,
        typer.Option(
            "--animation",
            "-o",
            help="Write it as .gif or as an animated .svg instead; as .html to step through, where the world has "
            "such a page.",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="Draw how it stands at the end to this file: .svg, .png or .pdf."),
    ] = None,
    width: options.Width = None,
    pause: Annotated[float, typer.Option(help="Seconds between frames.", min=0.0)] = 0.2,
    *,
    setting: WorldOptions,
    wanted: EnvironmentOptions,
    playing: PlayingOptions,
) -> None:
    """Play one episode and watch it."""
    from mensura.api.watching import play, usual_subject
    from mensura.pictures.files import save
    from mensura.pictures.film import Film
    from mensura.records.results import write_whole
    from mensura.studies.subjects import resolve

    Files(animation=animation, picture=picture)
    home: Any = setting.make(world, preset)
    player_of = resolve(subject or usual_subject(home), home, in_process=playing.in_process)
    home = hosting(home, player_of)
    own = wanted.described(home)
    out = console()
    page = None
    if animation is not None and animation.suffix.lower() == ".html":
        page = episode_page(home, player_of)
        if page is None:
            raise MensuraError(f"Episodes of {home.id} have no page; write .gif or .svg.")
        player_of = page.subject
    seen: list[Screen] = []
    filming: list[Film] = []

    def observers(view: View) -> list[Any]:
        seen.append(Screen(view, None if animation is not None else out, pause))
        if page is not None:
            return [*seen, page]
        if animation is not None:
            filming.append(Film(view.picture, width))
        return [*seen, *filming]

    watched = play(
        player_of,
        home,
        observers,
        seed=seed,
        training=playing.training,
        within=wanted.within(home),
        described=own,
        announce=lambda lessons: note(f"Training {lessons} episodes first ..."),
    )
    out.print(f"{watched.subject}: mean reward {watched.score:+.3f}; seed {watched.seed}")
    for fault in watched.faults:
        out.print(f"fault of seat {fault.seat}: {fault.kind}: {fault.detail}")
    if animation is not None:
        with working("Writing it"):
            if page is not None:
                write_whole(animation, page.page().encode())
            else:
                filming[0].save(animation, pause=pause)
        say_where("The animation" if page is None else "The page", animation)
    if picture is not None:
        save(seen[0].picture(), picture, width)
        say_where("The picture", picture)


class Screen:
    """Prints every moment, where there is somewhere to print to, and remembers the last one."""

    def __init__(self, view: View, out: Console | None, pause: float) -> None:
        self._view = view
        self._out = out
        self._pause = pause
        self._last: tuple[Any, Any] | None = None

    def picture(self) -> Picture:
        """How it stands."""
        assert self._last is not None
        return self._view.picture(*self._last)

    def started(self, environment: Any, turn: Any) -> None:
        """The moment after reset."""
        self._last = environment, turn
        if self._out is None:
            return
        if self._out.is_terminal:
            self._out.clear()
        self._out.print(self._view.text(environment, turn), soft_wrap=True)
        if self._out.is_terminal:
            sleep(self._pause)

    def stepped(self, environment: Any, actions: list[Any], turn: Any) -> None:
        """The moment after a step."""
        self.started(environment, turn)
