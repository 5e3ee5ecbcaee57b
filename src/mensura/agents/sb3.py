"""Trained models of Stable-Baselines3 as subjects: ``sb3:model.zip``.

A model sees and does what it did in Gymnasium's view of the world (:mod:`mensura.adapters.gymnasium`): flat rows
in the size of the largest environment, actions counted from 0. A file of a model can hold code, so it is loaded in a
process of its own, as any code that is not ours.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.fitting import is_row
from mensura.agent.keys import key
from mensura.agent.spaces import Box, Discrete, to_plain
from mensura.agent.task import Limits
from mensura.agents.address import Part
from mensura.agents.language_model.text import space_in_words
from mensura.agents.process import ProcessSubject
from mensura.core import archives
from mensura.core.abilities import (
    largest_spaces,
)
from mensura.core.contract import World
from mensura.records.training_note import training_note

ALGORITHMS = {
    "PPO": "clip_range",
    "DQN": "exploration_fraction",
    "SAC": "target_entropy",
    "TD3": "policy_delay",
    "A2C": "vf_coef",
}
"""The algorithms, and by what in its file a model of each is known; the first that fits."""

MOST_DATA = 16 << 20
"""Bytes of what a file says of its model."""

SETTINGS = ("algorithm", "deterministic", "rescale")


def from_model(part: Part, world: World, limits: Limits) -> ProcessSubject:
    """The subject of ``sb3:FILE?algorithm=PPO&deterministic=true&rescale=false``."""
    file = Path(part.target).expanduser()
    for name in part.parameters:
        if name not in SETTINGS:
            raise MensuraError(
                f"{part.label} has no parameter {name!r}; {neighbors(name, list(SETTINGS))}"
            )
    algorithm = algorithm_of(file, part.parameters.get("algorithm", ""))
    settings = {
        **part.parameters,
        "algorithm": algorithm,
        "path": str(file.resolve()),
        "view": json.dumps(_view(world), separators=(",", ":")),
    }
    limits = replace(limits, readable=(*limits.readable, str(file.resolve())))
    subject = ProcessSubject(Part("mensura.agent.sb3:Model", settings), limits)
    subject.name = part.label
    subject.trained_on = training_note(file) if zipfile.is_zipfile(file) else None
    subject.summary = f"a model that Stable-Baselines3 trained by {algorithm}"
    return subject


def algorithm_of(file: Path, named: str = "") -> str:
    """The algorithm that a file says a model was trained by, or the one named; nothing is loaded."""
    if named:
        found = {one.upper(): one for one in ALGORITHMS}.get(named.upper())
        if found is None:
            raise MensuraError(
                f"There is no algorithm {named!r}; {neighbors(named, list(ALGORITHMS))}"
            )
        return found
    try:
        with archives.opened(file) as archive:
            told = dict(archive.json("data", MOST_DATA))
    except FileNotFoundError:
        raise MensuraError(
            f"There is no file {file}; a path is read from the current folder."
        ) from None
    except archives.BROKEN as error:
        why = f" ({str(error)[:200]})" if type(error) is ValueError else ""
        raise MensuraError(
            f"{file} is not a model that Stable-Baselines3 saved{why}; model.save(FILE) writes one."
        ) from error
    for name, mark in ALGORITHMS.items():
        if mark in told:
            return name
    raise MensuraError(
        f"{file} does not say by which algorithm it was trained; write sb3:{file}?algorithm=NAME, "
        f"one of {', '.join(ALGORITHMS)}."
    )


def _view(world: World) -> dict[str, Any]:
    """What is seen and done in Gymnasium's view of the world, and how smaller environments lie in it."""
    example = world.build(world.sample(key(0, "shape")))
    observed, played = example.spaces(0)
    blank: list[float] = []
    largest = largest_spaces(world)
    if largest is not None:
        observed, nothing, played = largest
        blank = np.frombuffer(nothing, np.float64).tolist()
    if not is_row(observed) and not isinstance(observed, Box):
        raise MensuraError(
            f"Observations in {world.id} are {space_in_words(observed)}; a model of Stable-Baselines3 can only play "
            "where they are numbers or arrays."
        )
    if not isinstance(played, Discrete | Box) or getattr(played, "dtype", "") == "uint8":
        raise MensuraError(
            f"An action in {world.id} is {space_in_words(played)}; a model of Stable-Baselines3 can only play where it "
            "is one of a few or an array of numbers."
        )
    return {
        "observed": observed.to_json(),
        "played": played.to_json(),
        "blank": blank,
        "default": to_plain(example.default(0)),
    }
