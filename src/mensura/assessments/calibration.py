"""The calibration of an adaptive test: a world's built-in subjects, assessed as references, make its scale.

A world that has none is calibrated by random and the learners that know no world.

A calibration is a pure function of the world, the measure of complexity and a seed. Those of the worlds as they are by
default are shipped in ``calibrations.json``, which spares their calculation and changes nothing else;
``benchmarks/calibrate.py`` writes that file.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.agent.keys import Key, fold, fold_array, key, numbers
from mensura.assessments.battery import ENVIRONMENT, Battery
from mensura.core.abilities import (
    Bulk,
    drawn_as,
    hosting,
    kind_of,
    learns_with,
    references,
    seats,
    subject_names,
)
from mensura.core.contract import Description, World
from mensura.core.players import Subject
from mensura.core.registry import AGENTS
from mensura.core.sitting import sit
from mensura.statistics.item_response import Scale
from mensura.statistics.item_response import calibrate as calibrate_records

SEED: Key = 2011
ENVIRONMENTS = 600

SHIPPED = "calibrations.json"


def calibrate(
    world: World,
    measure: str,
    seed: Key = SEED,
    environments: int = ENVIRONMENTS,
    references: Sequence[str] | None = None,
) -> Scale:
    """The scale of a world: what its built-in subjects get in environments as it draws them, by their complexity."""
    names = needed_references(world) if references is None else tuple(references)
    root = key(seed, drawn_as(world), "calibration", measure)
    complexity, rewards, kinds = _records(world, measure, root, environments, names)
    try:
        return calibrate_records(complexity, rewards, kinds=kinds)
    except ValueError as error:
        raise MensuraError(f"{world.id} cannot be calibrated by {measure}: {error}.") from error


def needed_references(world: World) -> tuple[str, ...]:
    """The same as :func:`references_for`; raises where there are none."""
    names = references_for(world)
    if not names:
        raise MensuraError(
            f"{world.id} has no built-in subjects, and none of the learners can play in it; an adaptive test takes "
            "these as references for how difficult its environments are: a battery needs none."
        )
    return names


def references_for(world: World) -> tuple[str, ...]:
    """The built-in subjects of a world; where it has none, random and the registered learners that can play in it."""
    own = references(world)
    if own:
        return own
    environment = world.build(world.sample(key(SEED, world.id, "references")))
    spaces = [environment.spaces(one.index) for one in environment.seats if one.group == "subject"]
    learners = [
        name
        for name in AGENTS.names()
        if all(learns_with(AGENTS.load(name), *one) for one in spaces)
    ]
    return ("random", *learners) if learners else ()


def _records(
    world: Any, measure: str, root: Key, count: int, names: Sequence[str]
) -> tuple[npt.NDArray[np.float64], dict[str, npt.NDArray[np.float64]], list[str]]:
    """The complexities of so many environments, the mean rewards of the references in them, and their kinds."""
    battery = Battery(count, measure=measure)
    rewards = {}
    own: Any = world
    if isinstance(world, Bulk) and set(names) <= set(subject_names(own)):
        items = battery.items(root, 0, count)
        sampled = world.sample_many(items.keys, measure, items.low, items.high)
        for name in names:
            seeds = fold_array(key(root, name), numbers(0, count))
            group = own.group([(name, {}, 1)])
            sums = world.rollout(group, sampled, items.resets, seeds, 0)
            rewards[name] = sums[:, -1, :].mean(axis=1) / own.horizon
        return sampled.complexity, rewards, []
    drawn = _environments(world, root, count)
    complexity = np.array([world.complexity(one, measure) for one in drawn])
    rewards = {name: _by_steps(world, battery, name, root) for name in names}
    return complexity, rewards, [kind_of(world, one) for one in drawn]


def _environments(world: World, root: Key, count: int) -> list[Description]:
    """Those that a battery of so many episodes has."""
    return [world.sample(fold(fold(root, i), ENVIRONMENT)) for i in range(count)]


def _by_steps(world: Any, battery: Battery, name: str, root: Key) -> npt.NDArray[np.float64]:
    """The rewards of a reference in a world without a second door."""
    subject: Subject = (
        world.group([(name, {}, 1)])
        if name in subject_names(world)
        else InProcess(name, AGENTS.load(name))
    )
    host = hosting(world, subject)
    seed = key(root, name)
    scores = []
    for i in range(battery.episodes):
        player = subject.sit(seats(world))
        try:
            scores.append(sit(battery, host, player, fold(root, i), fold(seed, i)).score)
        finally:
            player.close()
    return np.array(scores)


# What is shipped ------------------------------------------------------------------------------


def scale_of(world: World, measure: str) -> Scale:
    """The scale of a world: the shipped one where there is one, else calibrated now and kept for this process."""
    shipped = _shipped().get(_name(world, measure))
    if shipped is not None:
        return Scale.from_json(shipped)
    return _calibrated(world, measure) if isinstance(world, Hashable) else calibrate(world, measure)


@lru_cache(maxsize=16)
def _calibrated(world: World, measure: str) -> Scale:
    return calibrate(world, measure)


def entry(world: World, measure: str) -> dict[str, Any]:
    """What the file of shipped calibrations holds of a world and a measure."""
    return {
        "world": world.id,
        "measure": measure,
        "seed": SEED,
        "environments": ENVIRONMENTS,
        "parameters": parameters_of(world),
        "scale": calibrate(world, measure).to_json(),
    }


def parameters_of(world: Any) -> Any:
    """The parameters of a world as a file holds them."""
    known: Mapping[str, Any] = (
        asdict(world) if is_dataclass(world) and not isinstance(world, type) else {}
    )
    return json.loads(json.dumps(known, sort_keys=True, default=str))


def _name(world: Any, measure: str) -> str:
    return json.dumps([world.id, measure, parameters_of(world)], sort_keys=True)


@lru_cache(maxsize=1)
def _shipped() -> dict[str, Any]:
    text = files("mensura.assessments").joinpath(SHIPPED).read_text("utf-8")
    return {
        json.dumps([one["world"], one["measure"], one["parameters"]], sort_keys=True): one["scale"]
        for one in json.loads(text)["calibrations"]
    }
