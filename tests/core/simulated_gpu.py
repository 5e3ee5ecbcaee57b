"""A GPU that is simulated: kernels run in numba's simulator, arrays there are arrays here.

Started by tests with NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1: ``python simulated_gpu.py sitting NAME TRAINING``
prints the rewards of sittings through the third door, ``python simulated_gpu.py vector WORLD MODE REDRAW`` whether a
vector there is the same as one here, both as JSON.
"""

import ctypes
import json
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import cuda

from mensura.agent.keys import fold_array, numbers
from mensura.core import dlpack, gpu, gpu_blocks, gpu_drawing, third_door
from mensura.core.devices import playing_on
from mensura.core.gpu import GPU
from mensura.worlds.lambda_star.torus import patterns
from mensura.worlds.lambda_star.world import LambdaStar

COUNT = 5
LARGEST = 300
"""Numbers of minds that are kept on the chip; tables of learners are larger."""

SIMULATED = GPU(0, "simulated GPU", (9, 0), 1, 1 << 40, None, None)


class SimulatedDoor(third_door.ThirdDoor):
    """The door whose kernel runs in Python: four threads in two blocks."""

    def __call__(self, row: Any, minds: Any, drawn: Any, *rest: Any) -> None:
        resets, seeds, training, out, told = rest
        room = third_door.LARGE if len(minds) > LARGEST else third_door.roomy(len(minds))
        kernel = third_door.kernel_of(self._sitting, third_door.roomy(len(row)), room)
        tables = np.zeros((4, len(minds)), np.int64)
        cuda.jit(kernel)[2, 2](row, minds, drawn, resets, seeds, training, out, told, tables)


class SimulatedArray:
    """An array in the memory of that GPU."""

    def __init__(self, _: GPU, shape: tuple[int, ...], kind: Any, stream: int = 0) -> None:
        self.array = np.zeros(shape, kind)
        self.shape, self.dtype, self.ndim = self.array.shape, self.array.dtype, self.array.ndim

    def take(self, array: Any) -> None:
        assert np.shape(array) == self.shape
        self.array[...] = array

    def give(self, array: Any) -> None:
        array[...] = self.array

    def clear(self) -> None:
        self.array[...] = 0

    def free(self) -> None:
        pass

    def copy_from(self, other: Any) -> None:
        self.array[...] = other.array

    def reshaped(self, shape: tuple[int, ...]) -> Any:
        made = SimulatedArray(SIMULATED, (0,), self.dtype)
        made.array = self.array.reshape(shape)
        made.shape, made.ndim = shape, len(shape)
        return made

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CUDA, 0

    def __dlpack__(self, *, stream: int) -> Any:
        return dlpack.lend(self, self.array.ctypes.data, self.shape, self.dtype, 0)


def here(argument: Any) -> Any:
    """An argument of a kernel as the simulator takes it."""
    if isinstance(argument, SimulatedArray):
        return argument.array
    if isinstance(argument, dlpack.Borrowed):
        size = int(np.prod(argument.shape)) * argument.dtype.itemsize
        held = (ctypes.c_byte * size).from_address(argument.address)
        return np.frombuffer(held, argument.dtype).reshape(argument.shape)
    if isinstance(argument, tuple):
        parts = [here(one) for one in argument]
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    return argument


def load(_: GPU, kernel: Any, signature: Any) -> Any:
    """A kernel that runs in Python."""

    def launch(blocks: int, threads: int, arguments: Any, stream: int = 0) -> None:
        cuda.jit(kernel)[blocks, threads](*[here(one) for one in arguments])

    return SimpleNamespace(launch=launch)


def simulate() -> None:
    """Have that GPU instead of a real one."""
    third_door.third_door = SimulatedDoor
    third_door.own_gpu = gpu_blocks.find_gpu = lambda: SIMULATED
    gpu.find_gpu = lambda number=0: SIMULATED  # type: ignore[assignment]
    gpu_blocks.Held, gpu_blocks.load = SimulatedArray, load  # type: ignore[misc, assignment]
    gpu_blocks.free_memory = lambda _: SIMULATED.memory
    gpu_blocks.THREADS = gpu_drawing.THREADS = 2
    gpu_drawing.Held, gpu_drawing.own_gpu = SimulatedArray, lambda: SIMULATED  # type: ignore[misc, assignment]
    gpu_drawing._code = lambda _, drawing: load(
        SIMULATED, gpu_drawing.kernel_of(drawing.one, drawing.scratch), ()
    )
    patterns.WORTH_A_LAUNCH = 1


def sitting(name: str, training: int) -> Any:
    """Rewards of a few sittings."""
    world = LambdaStar(rows=4, cols=4, subjects=2, horizon=6)
    subject = world.group([(name, {}, 1)])
    keys, resets, seeds = (fold_array(root, numbers(0, COUNT)) for root in (7, 8, 9))
    free = np.full(COUNT, np.inf)
    with playing_on("gpu"):
        there = world.sample_many(keys, "K", -free, free)
        return world.rollout(subject, there, resets, seeds, training, True).tolist()


PARAMETERS: dict[str, dict[str, Any]] = {
    "lambda-star-v2": {"rows": 4, "cols": 4, "subjects": 2, "horizon": 3},
    "lambda-v1": {"horizon": 3},
    "framotec-v1": {},
}


def vector(world: str, mode: str, redraw: bool) -> Any:
    """Whether a vector on that GPU does what one on the processor does, step by step."""
    import gymnasium

    import mensura.adapters.gymnasium  # noqa: F401

    ids = {
        "lambda-star-v2": "LambdaStar-v2",
        "lambda-v1": "Lambda-v1",
        "framotec-v1": "Framotec-v1",
    }
    within = {"within": ("K", 2, 3)} if world == "lambda-star-v2" and redraw else {}
    both = [
        gymnasium.make_vec(
            f"mensura/{ids[world]}",
            num_envs=3,
            redraw=redraw,
            autoreset_mode=mode,
            vectorization_mode="vector_entry_point",
            **where,
            **within,
            **PARAMETERS[world],
        )
        for where in ({}, {"device": "gpu"})
    ]
    first = [here(envs.reset(seed=5)[0]).copy() for envs in both]
    same = np.array_equal(*first)
    both[0].action_space.seed(1)
    ends = 0
    for _ in range(8):
        actions = both[0].action_space.sample()
        there = SimulatedArray(SIMULATED, actions.shape, actions.dtype)
        there.take(actions)
        stepped = [both[0].step(actions), both[1].step(there)]
        final = [one[4].get("final_obs") for one in stepped]
        over = stepped[0][2] | stepped[0][3]
        ends += int(over.sum())
        for one, other in zip(stepped[0][:4], stepped[1][:4], strict=True):
            same = same and np.array_equal(one, other.array)
        if mode == "SameStep":
            for row in np.flatnonzero(over):
                assert np.array_equal(final[0][row], final[1].array[row])
    return {"same": same, "ends": ends}


if __name__ == "__main__":
    simulate()
    what, *rest = sys.argv[1:]
    found = (
        sitting(rest[0], int(rest[1])) if what == "sitting" else vector(*rest[:2], rest[2] == "1")
    )  # type: ignore[arg-type]
    json.dump(found, sys.stdout)
