"""Worlds for the research view: made from a form, drawn from, and fitted to an environment that was built by hand.

Most of it is the same for every world. What only one of the three knows (how large a page can show it, how its task is
given) is here too, by its id.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from shlex import quote
from typing import Any

from mensura.agents.address import is_foreign, parse
from mensura.agents.parameters import parameters_of
from mensura.assessments.battery import ENVIRONMENT
from mensura.core.abilities import (
    horizon,
    horizon_of,
    make,
    seats,
    seats_of,
    subject_names,
    subject_parameters,
)
from mensura.core.errors import MensuraError, neighbors
from mensura.core.keys import Key, fold, key
from mensura.core.players import Subject
from mensura.core.registry import AGENTS, WORLDS
from mensura.studies.subjects import first_line, resolve
from mensura.web.refusals import Refused
from mensura.web.research.parameters import fits, known, plain, read_parameters

MOST_SEATS = 20
MOST_INTERACTIONS = 10_000
"""The horizon of an environment that a page shows."""
MOST_CELLS = 400
MOST_OBJECTS = 40
MOST_JUNK = 100_000
MOST_JUNK_OF_PROGRAMS = 1_000
"""Where Markov programs run, which take their time."""
MOST_REWRITING = 10_000
"""Steps and symbols of a Markov program in an interaction."""
MOST_STEPS = 100_000
"""Steps of dt of a controller step."""


def world_names() -> list[str]:
    """All registered worlds."""
    return WORLDS.names()


def kind_of(name: str) -> Any:
    """The class of a world."""
    if name not in WORLDS.entries():
        raise Refused(404, f"There is no world {name!r}; there are {', '.join(WORLDS.names())}.")
    return WORLDS.load(name)


def make_world(name: str, preset: str = "", parameters: Mapping[str, Any] | None = None) -> Any:
    """A world from what a form says; without a preset, under its first."""
    kind = kind_of(name)
    given = read_parameters(kind, dict(parameters or {}))
    if kind.id == "framotec-v0":
        _check_task(given.get("task"))
    try:
        return make(kind, preset or None, **given)
    except (TypeError, ValueError, OverflowError) as error:
        raise MensuraError(f"{kind.id} cannot be made so: {error}.") from error


def _check_task(task: Any) -> None:
    """Tasks come by name or as JSON: a path would be one on the server, where a browser has no business."""
    from mensura.worlds.framotec.files import shipped

    if task is None or task in shipped() or task.lstrip().startswith("{"):
        return
    raise MensuraError(
        f"There is no sample task {task[:60]!r}; there are {', '.join(shipped())}. A task of your own is given as JSON."
    )


def item_key(seed: Key) -> Key:
    """The key of the environment and of its episode, the same as that of ``mensura watch --seed``."""
    return fold(key(seed, "watch"), 0)


def sample(home: Any, seed: Key, within: tuple[str, float, float] | None) -> Any:
    """Let a world draw an environment, of a complexity where one is wanted."""
    check_world(home)
    if within is not None:
        measure, low, high = within
        if measure not in home.measures:
            raise MensuraError(
                f"{home.id} has no complexity {measure!r}; {neighbors(measure, list(home.measures))}"
            )
        if not (math.isfinite(low) and math.isfinite(high)):
            raise MensuraError("A wanted complexity is between two numbers.")
    return home.sample(fold(item_key(seed), ENVIRONMENT), within)


def fitted(home: Any, description: Any) -> Any:
    """The world with the seats, the sizes and the switches that an environment has."""
    changes = {}
    for one in known(home).values():
        value = getattr(description, one.name, None)
        if (
            value is not None
            and value != getattr(home, one.name)
            and fits(type(home), one.name, value)
        ):
            changes[one.name] = value
    if home.id == "framotec-v0":
        from mensura.worlds.framotec.files import canonical

        changes["task"] = canonical(description.task)
        # Whatever the world says about them, the description has who controls what.
        changes["controllers"] = tuple("+".join(motors) for motors in description.controllers)
        changes |= {"integrator": None, "controller_step": None, "dt": None}
    return replace(home, **changes) if changes else home


# Bounds -------------------------------------------------------------------------------


def check_world(home: Any) -> None:
    """Refuse to draw from a world whose environments no page could show."""
    _bounded("subjects", seats(home), MOST_SEATS)
    _bounded("horizon", horizon(home), MOST_INTERACTIONS)
    if home.id == "lambda-v0":
        for name in ("cells", "actions"):
            value = getattr(home, name)
            _bounded(
                name,
                max((one or 0) for one in value) if isinstance(value, tuple) else value,
                MOST_CELLS,
            )
        _bounded("objects", home.objects, MOST_OBJECTS)
        _bounded("sensitive_within", home.sensitive_within, 1000)
        _check_switches(home)
    elif home.id == "lambda-star-v0":
        _bounded("rows x cols", home.rows * home.cols, 4 * MOST_CELLS)
    elif home.id == "framotec-v0":
        _check_size_of_task(home.family)


def check_description(home: Any, description: Any) -> None:
    """Refuse an environment that no page could show, or that would hold the server up."""
    _bounded("subjects", seats_of(home, description), MOST_SEATS)
    _bounded("horizon", horizon_of(description), MOST_INTERACTIONS)
    if home.id == "lambda-v0":
        space = description.space
        _bounded("The number of cells", space.cells, MOST_CELLS)
        _bounded("The number of actions", space.actions, MOST_CELLS)
        _bounded("The number of objects", len(description.objects), MOST_OBJECTS)
        _check_switches(description)
        if runs_programs(description) and isinstance(description.junk, int):
            _bounded("junk", description.junk, MOST_JUNK_OF_PROGRAMS)
    elif home.id == "lambda-star-v0":
        _bounded("rows x cols", description.rows * description.cols, 4 * MOST_CELLS)
    elif home.id == "framotec-v0":
        _check_size_of_task(description.task)


def runs_programs(description: Any) -> bool:
    """Whether a Lambda environment has Markov programs, whose work depends on what happens."""
    from mensura.worlds.lambda_class.behaviors import Markov

    behaviors = (description.good_and_evil, *description.objects)
    return any(isinstance(one, Markov) for one in behaviors)


def _check_switches(switches: Any) -> None:
    if isinstance(switches.junk, int):
        _bounded("junk", switches.junk, MOST_JUNK)
    _bounded("junk_limit", switches.junk_limit, MOST_JUNK)
    _bounded("steps", switches.steps, MOST_REWRITING)
    _bounded("longest", switches.longest, MOST_REWRITING)


def _check_size_of_task(task: Any) -> None:
    _bounded("The number of objects", len(task.flat.objects), MOST_OBJECTS)
    _bounded("The number of steps of dt in a controller step", task.steps_per_action, MOST_STEPS)


def _bounded(name: str, value: Any, most: int) -> None:
    if isinstance(value, int) and value > most:
        raise MensuraError(
            f"{name} is {value}; the research view takes at most {most}. On the command line there is no such bound."
        )


# Subjects -----------------------------------------------------------------------------


def subjects_of(home: Any) -> list[tuple[str, str, dict[str, float]]]:
    """The built-in subjects for a world: name, a line on each, parameters with their defaults."""
    own = subject_names(home)
    found = [(name, about, dict(subject_parameters(home, name))) for name, about in own.items()]
    for name in AGENTS.names():
        if name not in own:
            agent = AGENTS.load(name)
            parameters = {one.name: one.default for one in parameters_of(agent)}
            found.append((name, first_line(agent), parameters))
    return found


def seated_by(address: str, home: Any) -> Subject:
    """The built-in subject of an address. An address that names code is refused: it is code."""
    if any(is_foreign(part) for part in parse(address)):
        raise Refused(403, f"{address!r} is not built in; only built-in subjects play here.")
    try:
        return resolve(address, home)
    except (TypeError, ValueError) as error:
        raise MensuraError(f"There is no subject {address!r}: {error}.") from error


# What the command line would say --------------------------------------------------------


def command(made: Any, home: Any, subject: str, file: str) -> str:
    """How a saved environment is used in an assessment: the command, with what the world needs to be told.

    ``made`` is the world that was asked for, ``home`` the same fitted to the environment.
    """
    kind = type(home)
    words = ["mensura", "assess", quote(subject or "random"), "--world", kind.id]
    for one in known(home).values():
        value = getattr(home, one.name)
        if one.name == "task" and home.id == "framotec-v0":
            value = _told_task(made)
        elif one.name == "controllers" and len(value) == 1:
            continue  # all motors are that controller's anyway
        elif one.name == "subjects" and home.id == "framotec-v0":
            continue
        if value != one.default and one.name not in RIGHTS:
            words += ["--set", quote(f"{one.name}={_typed(value)}")]
    return " ".join([*words, "--from", quote(file)])


RIGHTS = ("future", "rewards_seen", "knowing", "velocity_seen")
"""Parameters that say who may see what: an environment's file has them, and subjects bring their own."""


def _told_task(made: Any) -> str:
    """A sample task by its name; else the file that the page saves."""
    from mensura.worlds.framotec.files import shipped

    task: str = made.task
    return task if task in shipped() else "task.yaml"


def _typed(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_typed, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(plain(value))
