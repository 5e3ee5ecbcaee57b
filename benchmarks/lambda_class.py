"""What Lambda costs: its rules, its subjects, its Markov programs, its generator and its experiment."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import numpy as np
from measure import Figure, best_rate

CELLS = (3, 6, 9)
HORIZON = 10_000


def lambda_rollouts(quick: bool) -> Iterator[Figure]:
    """The compiled door: interactions a second on one core, over environments of 3, 6 and 9 cells."""
    from mensura.agent.keys import fold_array, numbers
    from mensura.worlds.lambda_class.agents import KINDS
    from mensura.worlds.lambda_class.world import Lambda

    count = 3 if quick else 20
    worlds = [Lambda(cells=cells, p_stop=0.01, horizon=HORIZON) for cells in CELLS]
    keys = fold_array(1, numbers(0, count))
    anything = np.full(count, -np.inf), np.full(count, np.inf)
    sampled = [world.sample_many(keys, "zlib_pattern", *anything) for world in worlds]
    for name in KINDS:
        groups = [world.group([(name, {}, 1)]) for world in worlds]

        def play(groups: list = groups) -> int:  # type: ignore[type-arg]
            for world, group, environments in zip(worlds, groups, sampled, strict=True):
                world.rollout(group, environments, keys, keys, 0)
            return len(worlds) * count * HORIZON

        goal = 10e6 if name in ("random", "follower", "oracle") else None
        yield Figure(f"Lambda, one core: {name}", best_rate(play), "interactions/s", goal)


def lambda_markov(quick: bool) -> Iterator[Figure]:
    """Rules of Markov algorithms a second: the reactive environment of figure 3.3, and strings that get very long."""
    from mensura.core.compiled import plain
    from mensura.worlds.lambda_class.behaviors import Markov
    from mensura.worlds.lambda_class.bulk import Sampled, packed
    from mensura.worlds.lambda_class.description import Description
    from mensura.worlds.lambda_class.kernels import interaction as kernel
    from mensura.worlds.lambda_class.markov import space_of_program
    from mensura.worlds.lambda_class.paper import (
        ACTIONS,
        BINARY_TO_UNARY,
        CORRIDOR,
        GOOD_AND_EVIL,
        RUNAWAY,
    )
    from mensura.worlds.lambda_class.world import Lambda

    horizon = 2_000 if quick else 50_000
    world = Lambda.preset("theory", horizon=horizon, junk=0, objects=1)
    corridor = Description(
        space=space_of_program(CORRIDOR, ACTIONS),
        good_and_evil=Markov(GOOD_AND_EVIL),
        objects=(Markov(RUNAWAY),),
        action_names=ACTIONS,
        **world.switches(),
    )
    environment = world.build(corridor)
    environment.reset(1)
    for step in range(1000):
        environment.step([step % 3], ())
    work = int(plain(kernel.open_row)(environment.row).clock[kernel.WORK])
    # Three programs decide and move once in each of the 1,001 responses; all else is rules.
    rules = work / 1001 - 2 * 3
    group = world.group([("random", {}, 1)])
    sampled = Sampled(packed([corridor]), np.zeros(1))
    key = np.ones(1, np.uint64)

    def play() -> int:
        world.rollout(group, sampled, key, key, 0)
        return int(horizon * rules)

    yield Figure("Lambda, Markov: figure 3.3", best_rate(play), "rules/s", 1e6)
    text = "1" * (12 if quick else 15)
    steps = BINARY_TO_UNARY.run(text, steps=10**9, longest=10**7).steps

    def rewrite() -> int:
        BINARY_TO_UNARY.run(text, steps=10**9, longest=10**7)
        return int(steps)

    name = f"Lambda, Markov: strings of up to {2 ** len(text) - 1:,} symbols"
    yield Figure(name, best_rate(rewrite), "rules/s")


def lambda_sampling(quick: bool) -> Iterator[Figure]:
    """1,000 environments of a wanted complexity, drawn by the thesis's generator and sieved."""
    from mensura.worlds.lambda_class.world import Lambda

    count = 50 if quick else 1000
    world = Lambda()
    typical = np.median([world.complexity(world.sample(key)) for key in range(200)])
    started = time.perf_counter()
    for key in range(count):
        world.sample(key, ("zlib_space_pattern", 0.95 * typical, 1.05 * typical))
    seconds = (time.perf_counter() - started) * 1000 / count
    yield Figure("Lambda, 1,000 environments of a wanted complexity", seconds, "s", 5.0, False)
    universal = Lambda(generator="universal")
    rate = best_rate(lambda: len([universal.sample(key) for key in range(50)]))
    yield Figure("Lambda, the universal generator", rate, "environments/s")


def lambda_experiment(quick: bool) -> Iterator[Figure]:
    """The experiment of section 5.4: 300 environments of 10,000 interactions for each of four subjects."""
    from mensura.assessments.battery import Battery
    from mensura.studies.runner import run
    from mensura.worlds.lambda_class.world import Lambda

    episodes = 5 if quick else 100
    cores = os.cpu_count() or 1
    subjects = ("random", "follower", "oracle", "q-learning")

    def experiment() -> bool:
        for cells in CELLS:
            world = Lambda(cells=cells, p_stop=0.01, horizon=HORIZON)
            groups = [world.group([(name, {}, 1)]) for name in subjects]
            run(world, groups, Battery(episodes), 1, threads=cores)
        return True

    seconds = 1 / best_rate(experiment, 2) * 100 / episodes
    yield Figure(f"Lambda, the experiment of 5.4 on {cores} cores", seconds, "s", 10.0, False)


PARTS = (lambda_rollouts, lambda_markov, lambda_sampling, lambda_experiment)
