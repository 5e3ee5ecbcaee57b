"""Worlds for the research view: made from a form, drawn from, and fitted to an environment that was built by hand.

What only a world itself knows, as how large a page can show it, it says (:class:`~mensura.core.abilities.Explorable`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from shlex import quote
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key, fold, key
from mensura.agent.parameters import parameters_of
from mensura.agents.address import is_foreign, parse
from mensura.assessments.battery import ENVIRONMENT
from mensura.core.abilities import (
    bounded,
    check_explorable,
    check_given,
    command_parameters,
    horizon,
    horizon_of,
    make,
    right_parameters,
    seats,
    seats_of,
    subject_names,
    subject_parameters,
)
from mensura.core.abilities import (
    fitted as fitted_world,
)
from mensura.core.players import Subject
from mensura.core.registry import AGENTS, WORLDS
from mensura.studies.subjects import first_line, resolve
from mensura.web.refusals import Refused
from mensura.web.research.parameters import fits, known, plain, read_parameters

MOST_SEATS = 20
MOST_INTERACTIONS = 30_000
"""The horizon of an environment that a page shows."""


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
    check_given(kind, given)
    try:
        return make(kind, preset or None, **given)
    except (TypeError, ValueError, OverflowError) as error:
        raise MensuraError(f"{kind.id} cannot be made so: {error}.") from error


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
    return fitted_world(replace(home, **changes) if changes else home, description)


# Bounds -------------------------------------------------------------------------------


def check_world(home: Any) -> None:
    """Refuse to draw from a world whose environments no page could show."""
    bounded("subjects", seats(home), MOST_SEATS)
    bounded("horizon", horizon(home), MOST_INTERACTIONS)
    check_explorable(home)


def check_description(home: Any, description: Any) -> None:
    """Refuse an environment that no page could show, or that would hold the server up."""
    bounded("subjects", seats_of(home, description), MOST_SEATS)
    bounded("horizon", horizon_of(description), MOST_INTERACTIONS)
    check_explorable(home, description)


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
    changed = {
        one.name: value
        for one in known(home).values()
        if (value := getattr(home, one.name)) != one.default
        and one.name not in right_parameters(home)
    }
    for name, value in command_parameters(made, changed).items():
        words += ["--set", quote(f"{name}={_typed(value)}")]
    return " ".join([*words, "--from", quote(file)])


def _typed(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_typed, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(plain(value))
