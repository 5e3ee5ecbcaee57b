"""Compiling ahead: every door of a world opened once, so that no later command waits for it.

What is compiled is found by content (see `mensura.core.compiled`) and kept, so it is done once for each version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import key
from mensura.agent.memory import seat
from mensura.assessments.battery import Battery
from mensura.core.abilities import Bulk, Planned, group, hosting, presets, seats, subject_names
from mensura.core.contract import Plan
from mensura.core.registry import WORLDS
from mensura.core.sitting import sit


def warm_up(name: str, wanted: Sequence[str] = ()) -> Iterator[str]:
    """Open the doors of a world under these presets, or all; tells what comes next, before it is done."""
    kind: Any = WORLDS.load(name)
    for preset in wanted or tuple(presets(kind)) or ("",):
        world = kind.preset(preset) if preset else kind()
        about = f"{name} {preset}".rstrip()
        subjects = list(subject_names(world))
        yield about
        open_environment(world)
        for subject in subjects:
            yield f"{about}: {subject}"
            with suppress(MensuraError):  # it is not for this world as it is set
                open_doors(world, [subject])


def open_environment(world: Any) -> None:
    """The doors by which anybody plays, of any kind: drawn, measured, and one interaction."""
    description = world.sample(0)
    for measure in world.measures:
        world.complexity(description, measure)
    environment = world.build(description)
    turn = environment.reset(0)
    environment.step([environment.default(one) for one in turn.due], [0.0] * len(turn.due))


def open_doors(world: Any, names: Sequence[str], *, only_bulk: bool = False) -> None:
    """The doors by which built-in subjects play: whole batteries, plans one by one, and interactions."""
    who = group(world, [(name, {}, 1) for name in names])
    host: Any = hosting(world, who)
    battery = Battery(1, training=1)
    if isinstance(host, Bulk) and host.compiles(who):
        items = battery.items(key(0), 0, 1)
        measure = next(iter(world.measures), "")
        sampled = host.sample_many(items.keys, measure, items.low, items.high)
        host.rollout(who, sampled, items.resets, items.keys, 1)
    if only_bulk:
        return
    planned: Any = host
    if isinstance(planned, Planned) and planned.compiles(who):
        planned.play_compiled(who, Plan(host.sample(0), 0, interactions=5), 0)
        sit(battery, host, seat(who, seats(world), None), key(0), key(0))
