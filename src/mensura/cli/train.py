"""``mensura train``: learners that are trained here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.groups import WorldOptions
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Seed
from mensura.terminal.output import Files, say, say_where, status

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Train a learner in a world, from its beginning, from checkpoints, or with the experience of others.",
    epilog="`mensura train dqn --world lambda-star --set horizon=30 --frames 20k -o mine.zip`, then "
    "`mensura assess sb3:mine.zip random --world lambda-star --agents 1`.",
)

UNITS = {"k": 1_000, "m": 1_000_000}


def amount(text: str, what: str) -> int:
    """A number as people write it: 50M, 200k, 1500."""
    unit = UNITS.get(text[-1:].lower(), 1)
    digits = text[:-1] if unit > 1 else text
    try:
        found = round(float(digits) * unit)
    except (ValueError, OverflowError):
        found = 0
    if not 0 < found < 1 << 53:
        raise MensuraError(f"{text!r:.40} is no number of {what}; 50M, 200k or 1500 are.")
    return found


@app.command("dqn")
@with_groups
def dqn(
    world: options.WorldName = options.DEFAULT_WORLD,
    preset: options.Preset = None,
    frames: Annotated[
        str | None,
        typer.Option(
            help="How long: 50M, 200k. An interaction is `skip` frames where the world has such a parameter.",
            show_default="50M of screens, 20k of rows of numbers",
        ),
    ] = None,
    checkpoints: Annotated[
        Path | None,
        typer.Option(help="Start every episode from one of this pool (checkpoint replay)."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            help="Cut episodes off after so many interactions.",
            show_default="450 with checkpoints, else none",
            min=1,
        ),
    ] = None,
    experience: Annotated[
        str | None,
        typer.Option(
            help="Whose experience is half of each batch (experience replay): a subject, as for `mensura assess`, or "
            "run:NAME for what people or programs played in a run."
        ),
    ] = None,
    experiences: Annotated[
        str, typer.Option(help="So many interactions of that experience.")
    ] = "10k",
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of the model.")] = Path(
        "dqn.zip"
    ),
    device: Annotated[str, typer.Option(help="`cpu`, or `cuda` for a GPU.")] = "cpu",
    workers: Annotated[
        int, typer.Option(help="Processes that play environments; 0 plays in this one.", min=0)
    ] = 0,
    given: Annotated[
        list[str] | None,
        typer.Option("--with", help="A setting of the learner, NAME=VALUE: discount, rate, ..."),
    ] = None,
    seed: Seed = None,
    store: options.StoreOption = None,
    *,
    setting: WorldOptions,
) -> None:
    """Train a deep Q-network. What is interrupted goes on when the same command is typed again.

    Every minute all that is needed is written to OUTPUT.training, and how it goes to OUTPUT.log, a line of JSON each.
    The model is one of Stable-Baselines3: `sb3:FILE` is its subject.
    """
    from mensura.training.training import Order, train

    Files(output=output)
    home: Any = setting.make(world, preset)
    order = Order(
        world=home,
        output=output,
        frames=None if frames is None else amount(frames, "frames"),
        checkpoints=checkpoints,
        limit=limit,
        experience=experience,
        experiences=amount(experiences, "interactions"),
        store=store,
        device=device,
        workers=workers,
        given=tuple(given or ()),
        seed=seed,
    )
    with status("Training") as tell:
        told = train(order, tell)
    say(told)
    say_where("The model", output)


@app.command("curves")
def curves(
    logs: Annotated[
        list[Path],
        typer.Argument(help="The log of training, or several that go on from one another."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The picture: .svg or .pdf.")
    ] = Path("curves.svg"),
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--name", help="How a learner is called, in the order of the log; may be repeated."
        ),
    ] = None,
    skip: Annotated[
        int, typer.Option(help="So many frames are an interaction, where they are counted.", min=1)
    ] = 1,
) -> None:
    """Draw what learners expected and gained while they were trained."""
    from mensura.training.curves import picture, read

    if output.suffix not in (".svg", ".pdf"):
        raise MensuraError(f"{output} is no picture that can be drawn; name a .svg or a .pdf file.")
    Files(output=output)
    drawing = picture(read(logs, names or ()), skip)
    drawing.name = output.stem
    drawing.save(output.parent, [output.suffix[1:]])
    say_where("The picture", output)
