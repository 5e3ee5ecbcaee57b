"""The law of the wrappers: for every world, what is around it and door, the same observations, rewards and ends."""

from __future__ import annotations

from collections.abc import Callable

from tests.audit.courses import SEEDS, courses
from tests.audit.doors import DOORS, Courses, Place
from tests.audit.law import Law
from tests.audit.places import TOYS, of_presets, world_names, world_of, wrappers

from mensura.agent.errors import MensuraError

OF_COMPILED = ("rollout", "gpu")
"""Doors of what is compiled: nothing is refused there that could not be made."""


OF_PRESETS = (
    ("none", 0.0),
    ("perturbed", 0.0),
    ("perturbed-observation-noise", 0.5),
    ("perturbed-compiled", 0.5),
    ("perturbed-all", 1.0),
    ("withdrawing", 1.0),
    ("company", 1.0),
)
"""What is put around worlds under a preset other than the first."""


def cells() -> list[str]:
    """World, wrapper, strength, door; further presets of a world with some of the wrappers."""
    around = {name: list(wrappers()) for name in world_names()}
    around |= {name: list(OF_PRESETS) for name in of_presets()}
    return [
        f"{world}/{name}/{strength:g}/{door}"
        for world, several in around.items()
        for name, strength in several
        for door in DOORS
    ]


def check(cell: str) -> str | None:
    """What failed in a cell."""
    world, wrapper, strength, door = cell.split("/")
    place, bare, play = (world, wrapper, float(strength)), (world, "none", 0.0), DOORS[door]
    wanted, plain = _courses(place), _courses(bare)
    if plain is None:
        return (
            None if wanted is None else "with this around it a world is played that is not without"
        )
    if wanted is None:
        refused = door in OF_COMPILED or _through(play, place, plain)[0] is not None
        return None if refused else "this door plays what cannot be"
    refusal, failure = _through(play, place, wanted)
    if refusal is None or _through(play, bare, plain)[0] is not None:
        return failure
    return f"this door plays the world only without it: {refusal}"


def _courses(place: Place) -> Courses | None:
    """What the contract's loop plays; None where the world, or what is around it, is refused in a sentence."""
    try:
        world_of(*place)
        return {seed: courses(*place, seed) for seed in SEEDS}
    except MensuraError:
        return None


def _through(
    play: Callable[[Place, Courses], str | None], place: Place, wanted: Courses
) -> tuple[MensuraError | None, str | None]:
    """Why a door does not play such a world, and what failed where it does."""
    try:
        return None, play(place, wanted)
    except MensuraError as error:
        return error, None


NOISE = "perturbed-observation-noise/0.5"


def fixed() -> list[str]:
    """Every wrapper in two worlds, every world with two wrappers, every door."""
    around = [f"{name}/{strength:g}" for name, strength in wrappers()]
    return [
        *(f"echo-v1/{name}/vector" for name in around),
        *(f"line-v3-of-two/{name}/parallel" for name in around),
        *(f"{world}/perturbed/0/aec" for world in world_names()),
        *(f"{world}/{NOISE}/gymnasium" for world in world_names()),
        *(f"{world}/{NOISE}/vector" for world in ("lambda-star-v2", "lambda-v1", "bf-v1")),
        "lambda-star-v2/perturbed/0/vector",
        "lambda-v1/perturbed-distractions/0.5/gymnasium",
        "lambda-v1/perturbed-scarcity-horizon/0.5/vector",
        f"lambda-v1/{NOISE}/rollout",
        "lambda-v1/perturbed/0/rollout",
        f"echo-v1/{NOISE}/steps",
        f"echo-v1/{NOISE}/gpu",
    ]


COMPILED_AHEAD = ("echo-v1", "items-v1", "lambda-star-v2", "lambda-v1", "bf-v1", *TOYS)
"""Worlds whose environments take the tests little, and whose kernels are compiled before these start."""


def daily() -> list[str]:
    """Where an environment is played after another, and what needs no kernel that few tests need."""
    return [
        cell
        for cell in cells()
        if cell.split("/")[0] in COMPILED_AHEAD
        and cell.split("/")[-1] in ("steps", "gymnasium", "parallel", "aec")
    ]


LAW = Law(
    "wrappers",
    "For every world, whatever is around it and through every door, observations, rewards and ends are the same, seed "
    "by seed; at strength 0 they are those of the world itself.",
    cells,
    check,
    fixed,
    daily,
)
