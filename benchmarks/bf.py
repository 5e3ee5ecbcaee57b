"""What BF costs: its subjects, and drawing programs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from measure import Figure, best_rate

AUTHORS = {"random": 1e6 / 16.5, "hlq-lambda": 1e6 / 131.7}
"""Interactions that the authors' program plays in a second of one core."""
TIMES = {"random": 100, "hlq-lambda": 300}
"""The goals, as multiples of that."""
HORIZON = 10_000


def bf_rollouts(quick: bool) -> Iterator[Figure]:
    """Interactions a second on one core, over programs as they are drawn."""
    from mensura.agent.keys import fold_array, numbers
    from mensura.worlds.bf.world import BF

    count = 20 if quick else 200
    keys = fold_array(1, numbers(0, count))
    anything = np.full(count, np.inf)
    for name in ("random", "freq", "q-lambda", "hlq-lambda", "mc-aixi"):
        slow = name == "mc-aixi"
        world = BF(horizon=(100 if quick else 1000) if slow else HORIZON)
        group = world.group([(name, {}, 1)])
        some = keys[:3] if slow else keys
        sampled = world.sample_many(some, None, -anything[: len(some)], anything[: len(some)])

        def play(world: BF = world, group=group, sampled=sampled, some=some) -> int:  # type: ignore[no-untyped-def]
            world.rollout(group, sampled, some, some, 0)
            return len(some) * world.horizon

        # 10,000 interactions of MC-AIXI in a minute.
        goal = HORIZON / 60 if slow else AUTHORS.get(name, 0) * TIMES.get(name, 0) or None
        yield Figure(f"BF, one core: {name}", best_rate(play), "interactions/s", goal)


def bf_programs(quick: bool) -> Iterator[Figure]:
    """Programs that are drawn, tried and sorted in a second: 10,000 within 6 s."""
    from mensura.agent.keys import fold
    from mensura.worlds.bf.programs import draw_program
    from mensura.worlds.bf.world import BF

    sampler, count = BF().sampler, 200 if quick else 10_000
    draw_program(sampler, 0, 0, 1e9)
    begun = time.perf_counter()
    for k in range(count):
        draw_program(sampler, fold(1, k), 0, 1e9)
    rate = count / (time.perf_counter() - begun)
    yield Figure("BF: programs drawn and sorted", rate, "programs/s", 10_000 / 6)


PARTS = (bf_rollouts, bf_programs)
