"""What transfer costs, and what perturbations cost in compiled worlds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from measure import Figure

TASKS = 12
OPERATORS = (
    "observation_noise",
    "observation_latency",
    "observation_dropped",
    "action_noise",
    "action_latency",
    "action_dropped",
)
SUBJECTS = {
    "lambda": ("random", "follower", "q-learning"),
    "lambda-star": ("random", "local-search", "q-learning"),
}


def transfer_matrix(quick: bool) -> Iterator[Figure]:
    """Raw transfer of Q-learning among tasks of Lambda, and the same where each test is trained for by itself."""
    import mensura as ms

    tasks = [("lambda", number) for number in range(1, TASKS + 1)]
    interactions = 500 if quick else 20_000

    def seconds(learners: int) -> float:
        start = time.perf_counter()
        ms.transfer("q-learning", tasks, interactions=interactions, learners=learners, seed=1)
        return time.perf_counter() - start

    name = f"transfer: {TASKS} x {TASKS} tasks, {interactions:,} interactions"
    ms.transfer("q-learning", tasks[:2], interactions=10, learners=1, seed=1)
    yield Figure(f"{name}, 8 learners", seconds(8), "s", 20.0, False)
    shared = min(seconds(1) for _ in range(2))
    with patch("mensura.studies.trainer.saved", lambda player: None):
        anew = seconds(1)
    yield Figure(f"{name}: faster by sharing training", anew / shared, "times", 6.0)


def perturbed_speed(quick: bool) -> Iterator[Figure]:
    """The share of its speed that a subject keeps under each compiled operator, in bare rollouts on one core."""
    import numpy as np

    from mensura.agent.keys import key
    from mensura.core.registry import WORLDS
    from mensura.studies.subjects import resolve

    def seconds(world: Any, name: str) -> float:
        """Of processor time, for some sittings without what a study adds."""
        training = 20 if name == "q-learning" else 0
        count = (20 if quick else 200) if training else (300 if quick else 3000)
        subject = resolve(name, world)
        keys = np.array([key(3, i) for i in range(count)], np.uint64)
        free = np.full(count, np.inf)
        drawn = world.sample_many(keys, next(iter(world.measures)), -free, free)

        def took() -> float:
            start = time.process_time()
            world.rollout(subject, drawn, keys, keys, training)
            return time.process_time() - start

        took()
        return min(took() for _ in range(5))

    for world, subjects in SUBJECTS.items():
        for name in subjects:
            bare = seconds(WORLDS.load(world)(), name)
            for operator in OPERATORS:
                share = bare / seconds(WORLDS.load(f"perturbed-{world}")(**{operator: 0.3}), name)
                said = operator.replace("_", "-")
                yield Figure(
                    f"perturbed {world}: speed that {name} keeps under {said}", share, "", 0.5
                )


PARTS = (transfer_matrix, perturbed_speed)
