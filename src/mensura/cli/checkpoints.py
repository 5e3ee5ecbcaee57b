"""``mensura checkpoints``: states of episodes from which others start, kept in pools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.groups import WorldOptions
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Json, Seed
from mensura.terminal.output import Files, say, say_where, status, table

if TYPE_CHECKING:
    from mensura.records.pools import Pool

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Keep states of episodes in a pool, from which others can start: learners in training, and tests.",
    epilog="`mensura checkpoints record plotter --world framotec --every 20 --count 100 -o plotter.pool`, then "
    '`gymnasium.make("mensura/Framotec-v1", checkpoints="plotter.pool", limit=450)`.',
)

PoolFile = Annotated[Path, typer.Argument(metavar="POOL", help="The file of a pool.")]


def _told(pool: Pool) -> str:
    from mensura.core.observation_words import counted

    return f"{counted(len(pool), 'checkpoint')} of {counted(len(pool.episodes), 'episode')}"


@app.command("record")
@with_groups
def record(
    subject: Annotated[str, typer.Argument(help="Who plays, as for `mensura assess`.")],
    world: options.WorldName = options.DEFAULT_WORLD,
    preset: options.Preset = None,
    every: Annotated[
        int,
        typer.Option(help="A checkpoint after every so many interactions of an episode.", min=1),
    ] = 20,
    count: Annotated[int, typer.Option(help="So many checkpoints.", min=1)] = 100,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of the pool.")] = Path(
        "checkpoints.pool"
    ),
    seed: Seed = None,
    in_process: options.InProcess = False,
    training: Annotated[
        int | None,
        typer.Option(
            help="Training episodes before each that is recorded.",
            show_default="as the subject asks",
            min=0,
        ),
    ] = None,
    pictures: Annotated[
        bool, typer.Option(help="Keep a small picture of each checkpoint too.")
    ] = True,
    *,
    setting: WorldOptions,
) -> None:
    """Let a subject play, and keep checkpoints of its episodes; no two episodes are in the same environment."""
    from mensura.api.checkpoints import record as recorded
    from mensura.studies.subjects import resolve

    Files(output=output)
    home = setting.make(world, preset)
    player = resolve(subject, home, in_process=in_process)
    with status(f"Recording {count} checkpoints") as tell:
        pool = recorded(
            player,
            home,
            every=every,
            count=count,
            seed=seed,
            training=training,
            pictures=pictures,
            tell=lambda found: tell(f"{found} of {count} checkpoints"),
        )
    pool.write(output)
    say(f"{_told(pool)} of {subject} in {pool.world}.")
    say_where("The pool", output)


@app.command("import")
@with_groups
def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file of others that the world can read.")
    ],
    world: options.WorldName = options.DEFAULT_WORLD,
    preset: options.Preset = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of the pool.")] = Path(
        "checkpoints.pool"
    ),
    player: Annotated[str, typer.Option(help="Who played, by a pseudonym.")] = "others",
    pictures: Annotated[
        bool, typer.Option(help="Keep a small picture of each checkpoint too.")
    ] = True,
    *,
    setting: WorldOptions,
) -> None:
    """Take checkpoints over that others published; nothing in their file is run."""
    from mensura.api.imported_checkpoints import import_pool

    Files(output=output)
    home = setting.make(world, preset)
    with status("Reading checkpoints"):
        pool, left_out = import_pool(home, file, player=player, pictures=pictures)
    pool.write(output)
    say(f"{_told(pool)} in {pool.world}.")
    if left_out:
        say(f"Left out: {'; '.join(left_out)}.")


@app.command("from-run")
def from_run(
    run: Annotated[str, typer.Argument(help="The run: `mensura runs list`.")],
    every: Annotated[
        str,
        typer.Option(
            help="A checkpoint after every so many interactions of an episode, as 20, or after so much time that the "
            "player took over its answers, as 10s or 2min."
        ),
    ] = "20",
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of the pool.")] = Path(
        "checkpoints.pool"
    ),
    count: Annotated[
        int | None, typer.Option(help="At most so many checkpoints.", min=1, show_default="all")
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option(help="Only what this subject played.", show_default="what all of them played"),
    ] = None,
    marked: Annotated[
        bool,
        typer.Option(
            "--marked",
            help="The moments that people marked while they played, instead of every so many.",
        ),
    ] = False,
    pictures: Annotated[
        bool, typer.Option(help="Keep a small picture of each checkpoint too.")
    ] = True,
    store: options.StoreOption = None,
) -> None:
    """Keep checkpoints of what people or programs played in a run, by playing its assessed episodes again.

    People are named by pseudonyms that are made for the pool. Those who were asked and did not allow that what they do
    is used further are left out.
    """
    from mensura.api.assessing import read_budget
    from mensura.api.checkpoints_from_run import from_run as played
    from mensura.records.store import open_store

    Files(output=output)
    if marked:
        from mensura.web.people.marked import marked_pool

        with status("Playing again"):
            kept = marked_pool(store, run, pictures=pictures)
        kept.write(output)
        say(f"{_told(kept)} that people marked in {run}, in {kept.world}.")
        say_where("The pool", output)
        return
    try:
        step = read_budget(every)
    except MensuraError:
        raise MensuraError(
            f"--every {every} is not understood; write interactions as 20, or time as 10s or 2min."
        ) from None
    with open_store(store, create=False) as records, status("Playing again") as tell:
        pool = played(
            records,
            records.find(run),
            **step,
            count=count,
            subject=subject,
            pictures=pictures,
            tell=lambda found: tell(f"{found} checkpoints"),
        )
    pool.write(output)
    say(f"{_told(pool)} of the run {run} in {pool.world}.")
    say_where("The pool", output)


@app.command("split")
def split(
    pool: PoolFile,
    test: Annotated[int, typer.Option(help="At least so many to test from.", min=1)],
    seed: Seed = None,
) -> None:
    """Set checkpoints apart to test from, whole episodes at a time: neighbors are nearly the same state."""
    from mensura.agent.keys import seed_or_fresh
    from mensura.records.pools import Pool

    paths = [pool.with_name(f"{pool.stem}.{name}{pool.suffix}") for name in ("train", "test")]
    Files(train=paths[0], test=paths[1])
    parts = Pool.read(pool).split(test, seed_or_fresh(seed))
    for name, path, part in zip(("To train from", "To test from"), paths, parts, strict=True):
        part.write(path)
        say_where(f"{name}, {_told(part)}", path)


@app.command("show")
def show(
    pool: PoolFile,
    sheet: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Draw all of them on a sheet: a .png file."),
    ] = None,
    json: Json = None,
) -> None:
    """Tell what a pool holds, and draw its checkpoints."""
    from mensura.records.pools import Pool

    files = Files(json=json, sheet=sheet)
    if sheet is not None and sheet.suffix.lower() != ".png":
        raise MensuraError(f"A sheet is a .png file; {sheet} is none.")
    found = Pool.read(pool)
    rows = []
    for name in found.episodes:
        own = [one for one in found.checkpoints if one.episode == name]
        rows.append(
            (
                name,
                own[0].player,
                str(len(own)),
                f"{min(one.interaction for one in own)} to {max(one.interaction for one in own)}",
                f"{max(one.score for one in own):g}",
            )
        )
    columns = [
        *(("episode", False), ("player", False), ("checkpoints", True)),
        *(("interactions", False), ("highest score", True)),
    ]
    table(f"{_told(found)} in {found.world}", columns, rows)
    if sheet is not None:
        from mensura.pictures.sheets import contact_sheet

        pictures = [found.pictures.get(one.digest) for one in found.checkpoints]
        if not any(pictures):
            raise MensuraError(f"{pool} was recorded without pictures.")
        labels = [f"{one.interaction}: {one.score:g}" for one in found.checkpoints]
        sheet.write_bytes(contact_sheet(pictures, labels))
        say_where("The sheet", sheet)
    files.json(
        [
            {
                "digest": one.digest,
                "environment": one.environment,
                "player": one.player,
                "episode": one.episode,
                "interaction": one.interaction,
                "score": one.score,
            }
            for one in found.checkpoints
        ]
    )
