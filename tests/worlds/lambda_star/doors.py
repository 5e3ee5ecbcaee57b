"""The same sittings of a task through both doors, with what is told of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mensura.agent.keys import fold, fold_array, key, numbers
from mensura.assessments.battery import Battery
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.core.sitting import sit
from mensura.worlds.lambda_star.torus.patterns import Patterns
from mensura.worlds.lambda_star.world import LambdaStar


def drawn(world: LambdaStar, count: int, seed: int = 7) -> tuple[Patterns, Any]:
    """So many environments of a world as they come, and the items of a battery."""
    items = Battery(count).items(key(seed, "battery"), 0, count)
    measure = next(iter(world.measures), "")
    return world.sample_many(items.keys, measure, items.low, items.high), items


def rolled(
    world: LambdaStar, name: str, count: int, training: int | None = None, **parameters: Any
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The mean reward of each sitting through the second door, and what is told of it."""
    group = world.group([(name, parameters, 1)])
    patterns, items = drawn(world, count)
    told = np.zeros((count, 1, len(world.tallies)))
    lessons = group.training if training is None else training
    seeds = fold_array(key(7, group.name), numbers(0, count))
    sums = world.rollout(group, patterns, items.resets, seeds, lessons, told=told)
    means = sums[:, 0].mean(axis=1) / world.horizon
    return means, {name: told[:, 0, i] for i, name in enumerate(world.tallies)}


def both_doors(
    world: LambdaStar, parts: list[tuple[str, dict[str, Any], int]], count: int, training: int
) -> tuple[tuple[bytes, bytes], tuple[bytes, bytes]]:
    """Rewards and tallies of all episodes through the rollout, and the same through the one loop."""
    battery = Battery(count, training=training)
    root = key(7, "battery")
    group = world.group(parts)
    stream = key(root, group.name)
    items = battery.items(root, 0, count)
    measure = next(iter(world.measures), "")
    patterns = world.sample_many(items.keys, measure, items.low, items.high)
    told = np.zeros((count, training + 1, len(world.tallies)))
    seeds = fold_array(stream, numbers(0, count))
    fast = world.rollout(
        group, patterns, items.resets, seeds, training, keep_training=True, told=told
    )
    assessed = world.rollout(group, patterns, items.resets, seeds, training)
    assert (assessed == fast[:, -1:]).all()
    slow: list[list[list[float]]] = []
    tallied: list[list[list[float]]] = []
    for i in range(count):
        rewards: list[list[float]] = []
        tallies: list[list[float]] = []

        def keep(_: Any, episode: Any, rewards: Any = rewards, tallies: Any = tallies) -> None:
            rewards.append(list(episode.rewards))
            tallies.append([episode.measures.get(name, np.nan) for name in world.tallies])

        sit(
            battery,
            world.hosting(group),
            group.sit(world.subjects),
            fold(root, i),
            fold(stream, i),
            after=keep,
        )
        slow.append(rewards)
        tallied.append(tallies)
    return (fast.tobytes(), told.tobytes()), (np.array(slow).tobytes(), np.array(tallied).tobytes())


class Moment(NamedTuple):
    """How things stand after an interaction: where all are, what they did, and what they got for it."""

    cells: list[tuple[int, int]]
    actions: list[int]
    rewards: list[float]


def story(
    world: LambdaStar, parts: list[tuple[str, dict[str, Any], int]], key: int
) -> list[Moment]:
    """One episode of a group through the one loop, moment by moment; in the first nobody has done anything."""
    told: list[Moment] = []

    class Watch:
        def started(self, environment: Any, turn: Any) -> None:
            told.append(Moment(environment.positions()["subjects"], [], []))

        def stepped(self, environment: Any, actions: list[Any], turn: Any) -> None:
            cells = environment.positions()["subjects"]
            told.append(Moment(cells, [int(a) for a in actions], list(turn.rewards)))

    player = world.group(parts).sit(world.subjects)
    loop = play(
        world.build(world.sample(key)),
        key,
        world=world.id,
        seed=key,
        speakers=player.speakers,
        observers=[Watch()],
    )
    drive(loop, player)
    return told
