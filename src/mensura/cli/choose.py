"""``mensura choose``: which task tells subjects apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import typer

from mensura.cli import options
from mensura.cli.groups import LimitOptions, WorldOptions
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Format, Json, Seed
from mensura.terminal.output import Files, console, say, table
from mensura.terminal.paper import TEXT

EXAMPLES = "`mensura choose --between q-learning,sarsa --about robustness --world framotec`."


@dataclass(frozen=True)
class Wanted:
    """What is to be told apart, and by how much playing."""

    panel: ClassVar[str] = "What is wanted"

    world: options.WorldName = options.DEFAULT_WORLD
    preset: options.Preset = None
    about: Annotated[
        str,
        typer.Option(
            help="performance: outcomes are scores. robustness: what a perturbation changes of them. learning: what "
            "training does."
        ),
    ] = "performance"
    episodes: Annotated[
        int, typer.Option("--episodes", "-e", help="Environments in which each task is met.")
    ] = 30
    candidates: Annotated[int, typer.Option(help="How many tasks are tried.")] = 12
    training: Annotated[
        int, typer.Option(help="Training episodes, where learning is asked about.")
    ] = 10
    seed: Seed = None
    json: Json = None
    form: Format = TEXT


@with_groups
def choose(
    between: Annotated[
        list[str],
        typer.Option(
            "--between",
            "-b",
            help="Subjects, as of `mensura assess`, with commas between, or repeated.",
            show_default=False,
        ),
    ],
    *,
    wanted: Wanted,
    setting: WorldOptions,
    limits: LimitOptions,
) -> None:
    """Find the task that tells subjects apart: whose outcome has the most information on who it was.

    Tasks are constructed (a parameter of the world halved or doubled), adapted (perturbed) or selected (its samples and
    presets). All subjects play each; told are bits of one outcome, with intervals, and bits per minute.
    """
    from mensura.api.choosing import choose_between
    from mensura.api.naming import Named, refuse_twice

    subjects = [one.strip() for text in between for one in text.split(",") if one.strip()]
    refuse_twice(subjects)
    files = Files(json=wanted.json)
    found = choose_between(
        [Named(one, one, limits.in_process) for one in subjects],
        setting.make(wanted.world, wanted.preset),
        wanted.about,
        episodes=wanted.episodes,
        most=wanted.candidates,
        training=wanted.training,
        seed=wanted.seed,
        limits=limits.limits(subjects),
        progress=True,
    )
    for one in found.tables():
        table(*one)
    for sentence in found.sentences:
        console().print(sentence, soft_wrap=True, markup=False)
    say(f"seed {found.seed}")
    files.json(found.to_json())
