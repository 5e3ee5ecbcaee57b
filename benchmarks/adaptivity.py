"""What transfer costs, and what perturbations cost in compiled worlds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from unittest.mock import patch

from measure import Figure

TASKS = 12
OPERATORS = (
    "observation_noise",
    "observation_latency",
    "observation_dropped",
    "action_noise",
    "action_latency",
)


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
    """The share of its speed that Q-learning keeps under each compiled operator, on one core."""
    import mensura as ms

    few, many = (4, 8) if quick else (40, 160)
    for world in ("lambda", "lambda-star"):

        def seconds(home: ms.World) -> float:
            """Of some sittings, without what a study takes to begin."""

            def took(episodes: int) -> float:
                start = time.process_time()
                ms.assess(
                    "q-learning", home, "battery", episodes=episodes, spread="any", training=50, seed=1, threads=1
                )  # fmt: skip
                return time.process_time() - start

            took(few)
            return min(took(many) for _ in range(3)) - min(took(few) for _ in range(3))

        bare = seconds(ms.make(world))
        for operator in OPERATORS:
            share = bare / seconds(ms.make(f"perturbed-{world}", **{operator: 0.3}))
            name = operator.replace("_", "-")
            yield Figure(f"perturbed {world}: speed that is kept under {name}", share, "", 0.5)


PARTS = (transfer_matrix, perturbed_speed)
