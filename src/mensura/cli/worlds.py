"""``mensura worlds``: which worlds there are, and what an environment of one looks like."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.groups import EnvironmentOptions, WorldOptions
from mensura.cli.making import make_world
from mensura.cli.parameters import parameter_table, parameters_of, typed
from mensura.core.abilities import (
    content_of,
    graded_by,
    make,
    operators,
    phenomena,
    presets,
    thrown_away,
)
from mensura.core.registry import WORLDS
from mensura.studies.perturbing import AROUND
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Format, Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, aside, console, say_where, table
from mensura.terminal.paper import TEXT

app = typer.Typer(no_args_is_help=True, help="List worlds, and show environments of them.")


@app.command("list")
def list_worlds(json: Json = None) -> None:
    """List the registered worlds, ours and those of other packages."""
    files = Files(json=json)
    rows: list[dict[str, Any]] = []
    broken: list[str] = []
    for name, kind in WORLDS.all():
        try:
            home = make_world(name)
            rows.append(
                {
                    "world": name,
                    "measures": list(home.measures),
                    "promises": sorted(home.promises),
                    "content": content_of(home),
                    "about": (inspect.getdoc(kind) or "").partition("\n")[0],
                }
            )
        except (
            Exception
        ) as error:  # of somebody else's package, which is no reason not to list the others
            broken.append(told_problem(name, error))
    table(
        "Worlds",
        [
            ("world", False),
            ("complexities", False),
            ("promises", False),
            ("content", False),
            ("about", False),
        ],
        [
            (
                row["world"],
                ", ".join(row["measures"]),
                ", ".join(row["promises"]),
                row["content"],
                row["about"],
            )
            for row in rows
        ],
    )
    for sentence in broken:
        aside().print(sentence, soft_wrap=True)
    files.json(rows)


@app.command("parameters")
def parameters(
    named: options.WorldArgument = None,
    world: options.WorldAgain = None,
    json: Json = None,
    form: Format = TEXT,
) -> None:
    """Print what can be set of a world and what it means, with defaults and presets, and its complexities."""
    files = Files(json=json)
    name = options.world_named(named, world)
    kind = WORLDS.load(name)
    home = make_world(name)
    rows = parameters_of(kind)
    for row in rows:
        for preset, changes in presets(kind).items():
            row[preset] = changes.get(row["parameter"], row["default"])
    if rows:
        parameter_table(f"Parameters of {home.id}", rows)
    else:
        console().print(f"{home.id} has no parameters.")
    if presets(kind):
        table(
            "Presets, and what they set",
            [("preset", False), ("parameters", False)],
            [(name, _set(changes)) for name, changes in presets(kind).items()],
        )
    if home.measures:
        table(
            "Complexities",
            [("measure", False), ("unit", False), ("what it is", False)],
            [(m.name, m.unit, m.explanation) for m in home.measures.values()],
        )
        by = graded_by(home)
        if by is not None:
            scope = home.measures[by].scope
            console().print(
                f"Assessments that go up by steps of complexity, as anytime, take {by} unless one is named"
                f"{f', {scope}' if scope else ''}.",
                soft_wrap=True,
            )
    console().print(_contents(kind, home), soft_wrap=True)
    about = re.sub(r":\w+:`~?(?:\w+\.)*(\w+)`", r"\1", inspect.getdoc(kind) or "")
    console().print(about, soft_wrap=True)
    files.json(rows)


@app.command("perturbations")
def perturbations(json: Json = None, form: Format = TEXT) -> None:
    """List the operators by which any world or subject can be perturbed, each with a strength from 0 to 1.

    Those of a world are parameters of perturbed-WORLD; those inside subjects are for `mensura robustness` and studies.
    """
    from mensura.studies.inside import INSIDE

    files = Files(json=json)
    found = [
        (name, where, meaning)
        for where, those in (
            ("world", operators(WORLDS.load(AROUND + options.DEFAULT_WORLD))),
            ("inside", INSIDE),
        )
        for name, meaning in those.items()
    ]
    table(
        "Perturbations: perturbed-WORLD has the strength of each that acts in the world as a parameter",
        [("operator", False), ("acts", False), ("what it does", False)],
        [(name, where, f"{meaning}.") for name, where, meaning in found],
    )
    files.json(
        [{"operator": name, "acts": where, "meaning": meaning} for name, where, meaning in found]
    )


@app.command("phenomena")
@with_groups
def list_phenomena(
    named: options.WorldArgument = None,
    world: options.WorldAgain = None,
    preset: options.Preset = None,
    json: Json = None,
    form: Format = TEXT,
    *,
    setting: WorldOptions,
) -> None:
    """List what is to be understood of a world, for `mensura understand`: when it happens, and what causes what.

    Without a world: which worlds have phenomena.
    """
    files = Files(json=json)
    if named is None and world is None:
        told = {name: [one.name for one in phenomena(make_world(name))] for name, _ in WORLDS.all()}
        told = {name: names for name, names in told.items() if names}
        table(
            "Worlds with phenomena, under their usual parameters",
            [("world", False), ("phenomena", False)],
            [(name, ", ".join(names)) for name, names in told.items()],
        )
        files.json([{"world": name, "phenomena": names} for name, names in told.items()])
        return
    home = setting.make(options.world_named(named, world), preset)
    found = phenomena(home)
    if not found:
        raise MensuraError(
            f"{home.id} offers no phenomena as it is set; `mensura worlds phenomena` lists the worlds that do."
        )
    table(
        f"Phenomena of {home.id}",
        [("phenomenon", False), ("happens when", False), ("is", False)],
        [(one.name, one.summary, one.role) for one in found],
    )
    system = found[0].system
    table(
        "What causes what: + raises or brings about, - lowers or hinders, ± depends",
        [("cause", False), ("sign", False), ("effect", False)],
        [(one.cause, {1: "+", 0: "±", -1: "-"}[one.sign], one.effect) for one in system.causes],
    )
    console().print(f"A model is written so: {system.notation}", soft_wrap=True, markup=False)
    files.json(
        [
            {
                **one.to_json(),
                "role": one.role,
                "causes": [cause.to_json() for cause in system.causes],
                "notation": system.notation,
            }
            for one in found
        ]
    )


def _contents(kind: Any, home: Any) -> str:
    """Where environments come from: of the world as it is, and of presets that differ."""
    usual = content_of(home)
    others = {
        preset: content
        for preset in presets(kind)
        if (content := content_of(make(kind, preset))) != usual
    }
    differing = "".join(f"; {preset}: {content}" for preset, content in others.items())
    return f"Content: {usual}{differing}."


def told_problem(name: str, error: Exception) -> str:
    """What is wrong with a world that cannot be made, in a sentence."""
    if isinstance(error, MensuraError):
        return str(error)
    text = " ".join(str(error).split())
    return f"The world {name} cannot be made: {type(error).__name__}: {text}"


def _set(changes: Mapping[str, Any]) -> str:
    return "  ".join(f"{name}={typed(value)}" for name, value in changes.items()) or "nothing"


@app.command("show")
@with_groups
def show(
    named: options.WorldArgument = None,
    world: options.WorldAgain = None,
    seed: Seed = None,
    preset: options.Preset = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", "-o", help="Draw it to this file: .svg, .png or .pdf."),
    ] = None,
    width: options.Width = None,
    description: Annotated[
        Path | None,
        typer.Option(help="Write its description, to be rebuilt exactly, to this JSON file."),
    ] = None,
    *,
    setting: WorldOptions,
    wanted: EnvironmentOptions,
) -> None:
    """Sample an environment and show it: as text, or drawn to a file."""
    from mensura.agent.keys import key
    from mensura.pictures.files import save
    from mensura.pictures.view import view_of
    from mensura.records.results import write_json

    Files(picture=picture, description=description)
    name = options.world_named(named, world)
    home: Any = setting.make(name, preset)
    chosen = seed_or_fresh(seed)
    within = wanted.within(home)
    sampled = wanted.described(home)
    others: Mapping[str, int] = {}
    if sampled is None:
        sampled = home.sample(key(chosen, "show"), within)
        others = thrown_away(home, key(chosen, "show"), within)
    environment = home.build(sampled)
    turn = environment.reset(key(chosen, "reset"))
    view = view_of(home)
    view.started(environment, turn)
    console().print(view.text(environment, turn), soft_wrap=True)
    for name, measure in home.measures.items():
        scope = f" ({measure.scope})" if measure.scope else ""
        console().print(_told(home, sampled, name, measure.unit) + scope, soft_wrap=True)
    if others:
        reasons = "; ".join(f"{count}: {reason}" for reason, count in others.items())
        console().print(f"thrown away before it: {reasons}", soft_wrap=True)
    console().print(f"content: {content_of(home)}", soft_wrap=True)
    console().print(f"seed {chosen}")
    if picture is not None:
        save(view.picture(environment, turn), picture, width)
        say_where("The picture", picture)
    if description is not None:
        write_json(description, sampled.to_json())
        say_where("The description", description)


def _told(world: Any, sampled: Any, name: str, unit: str) -> str:
    """A complexity of an environment, or why it has none: a described one may be of any kind."""
    try:
        value = world.complexity(sampled, name)
    except MensuraError as error:
        return f"{name}: {error}"
    figure = f"{value:.0f}" if value == round(value) else f"{value:.4g}"
    return f"{name} = {figure} {unit}".rstrip()
