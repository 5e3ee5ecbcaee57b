"""One sitting by the step door: an assessment's plans played one after another by one subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from mensura.core.contract import Assessment, Environment, Episode, Limits, Plan, World
from mensura.core.keys import Key, fold
from mensura.core.loop import Observer, Standing, play
from mensura.core.players import Player, cpu_seconds, drive


@dataclass(frozen=True)
class Sitting:
    """What a sitting left behind: its score and the episodes that were assessed."""

    score: float
    episodes: tuple[tuple[Plan, Episode], ...]


def sit(
    assessment: Assessment,
    world: World,
    player: Player,
    key: Key,
    seed: Key,
    *,
    limits: Limits | None = None,
    observers: Callable[[Plan, Environment], Iterable[Observer]] | None = None,
    after: Callable[[Plan, Episode], None] | None = None,
) -> Sitting:
    """Play a sitting. ``key`` is the item's, ``seed`` the root of the subject's own draws.

    Episode e of the sitting begins with ``fold(seed, e)``. An environment is built once and reset for each
    episode in it. ``after`` is called after each episode.
    """
    limits = limits or Limits()
    standing = Standing(limits.faults)
    plans = assessment.sitting(world, key)
    environment: Environment | None = None
    episodes: list[tuple[Plan, Episode]] = []
    try:
        plan = next(plans)
        number = 0
        while True:
            if environment is None or environment.description != plan.description:
                environment = world.build(plan.description)
            watching = observers(plan, environment) if observers is not None else ()
            before = cpu_seconds(player)
            episode = drive(
                play(
                    environment,
                    plan.key,
                    world=world.id,
                    seed=fold(seed, number),
                    learning=plan.learning,
                    speakers=player.speakers,
                    limits=limits,
                    standing=standing,
                    observers=watching,
                ),
                player,
            )
            episode = replace(episode, cpu=cpu_seconds(player) - before)
            if after is not None:
                after(plan, episode)
            number += 1
            if not plan.learning:
                episodes.append((plan, episode))
            plan = plans.send(episode)
    except StopIteration as stop:
        return Sitting(float(stop.value), tuple(episodes))
