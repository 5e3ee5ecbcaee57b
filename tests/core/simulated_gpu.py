"""Play sittings through the kernel of the third door in numba's simulator, and print their rewards as JSON.

Started by a test with NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1: python simulated_gpu.py NAME TRAINING
"""

import json
import sys
from typing import Any

import numpy as np
from numba import cuda

from mensura.core import third_door
from mensura.core.devices import playing_on
from mensura.core.keys import fold_array, numbers
from mensura.worlds.lambda_star.world import LambdaStar

COUNT = 5
LARGEST = 300
"""Numbers of minds that are kept on the chip; tables of learners are larger."""


class Simulated(third_door.ThirdDoor):
    """The door whose kernel runs in Python: four threads in two blocks."""

    def __call__(self, row: Any, minds: Any, drawn: Any, *rest: Any) -> None:
        resets, seeds, training, out, told = rest
        room = third_door.LARGE if len(minds) > LARGEST else third_door.roomy(len(minds))
        kernel = third_door.kernel_of(self._sitting, third_door.roomy(len(row)), room)
        tables = np.zeros((4, len(minds)), np.int64)
        cuda.jit(kernel)[2, 2](row, minds, drawn, resets, seeds, training, out, told, tables)


def main(name: str, training: int) -> None:
    third_door.third_door = Simulated
    third_door.find_gpu = lambda: None
    import mensura.core.gpu as gpu

    gpu.find_gpu = lambda number=0: None  # type: ignore[assignment]
    world = LambdaStar(rows=4, cols=4, subjects=2, horizon=6)
    subject = world.group([(name, {}, 1)])
    keys, resets, seeds = (fold_array(root, numbers(0, COUNT)) for root in (7, 8, 9))
    free = np.full(COUNT, np.inf)
    patterns = world.sample_many(keys, "K", -free, free)
    with playing_on("gpu"):
        there = world.rollout(subject, patterns, resets, seeds, training, True)
    json.dump(there.tolist(), sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
