"""The third door: whole sittings on a GPU, each played by a thread, from the very rules of the other two.

:func:`mensura.core.doors.sitting_of` gives the rule that plays a sitting; here it is compiled by numba-cuda into a
kernel in which every thread plays one sitting after another, with the row of an environment and the memory of the minds
in memory of its own: on the chip where they are small, one stretch of the GPU's memory for each thread where they are
large, as tables of learners are. There is no second copy of any rule, and results are the same to the bit: draws are
functions of keys, sums and products of doubles are those of the processor, and no product is fused with a sum.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import cuda, float64, int64, uint64
from numba import types as kinds_of_numba

from mensura.agent.errors import MensuraError
from mensura.core.compiled import rule
from mensura.core.gpu import GPU, Code, Held, free_memory, own_gpu
from mensura.core.ptx import ptx_of

MOST_ON_CHIP = 4096
"""So many numbers of the minds are kept in a thread's own memory, which the hardware lays out side by side."""

THREADS = 128
BLOCKS_PER_PROCESSOR = 4
SHARE_OF_MEMORY = 0.8

Array = npt.NDArray[Any]


LARGE = 0
"""For the room of minds that are kept in the GPU's memory."""


def roomy(size: int) -> int:
    """So many numbers or a few more, so that environments and minds of nearly the same size share their code."""
    step = max(64, 1 << max(0, size.bit_length() - 3))
    return -(-size // step) * step


def kernel_of(sitting: Any, row_room: int, mind_room: int) -> Callable[..., Any]:
    """The kernel, as the function that is compiled; ``tables`` has a row for each thread where minds are large."""

    @rule
    def one_by_one(w, m, row, minds, drawn, resets, seeds, training, out, told, first, step):
        for k in range(row.size):
            w[k] = row[k]
        for k in range(minds.size):
            m[k] = minds[k]
        for i in range(first, resets.size, step):
            sitting(w, m, drawn, i, resets[i], seeds[i], training, 0, 0, out, told)

    def play_small(row, minds, drawn, resets, seeds, training, out, told, tables):
        w = cuda.local.array(row_room, np.int64)
        m = cuda.local.array(mind_room, np.int64)
        first, step = cuda.grid(1), cuda.gridsize(1)
        one_by_one(w, m, row, minds, drawn, resets, seeds, training, out, told, first, step)

    def play_large(row, minds, drawn, resets, seeds, training, out, told, tables):
        w = cuda.local.array(row_room, np.int64)
        first, step = cuda.grid(1), cuda.gridsize(1)
        m = tables[first]
        one_by_one(w, m, row, minds, drawn, resets, seeds, training, out, told, first, step)

    return play_large if mind_room == LARGE else play_small


def signature_of(parts: Any) -> tuple[Any, ...]:
    """The types of what the kernel takes, where this is drawn: one array, or several."""
    rows, many = int64[:, ::1], float64[:, :, ::1]
    kinds = [rows if one.ndim == 2 else int64[::1] for one in parts]
    return (
        *(int64[::1], int64[::1], kinds_of_numba.Tuple(kinds) if parts else rows),
        *(uint64[::1], uint64[::1], int64, many, many, rows),
    )


class ThirdDoor:
    """Plays as the second door does, with the same arguments, on a GPU."""

    def __init__(self, sitting: Any) -> None:
        self._sitting = sitting
        self._codes: dict[Any, Code] = {}
        self._loading = Lock()
        self.seconds = 0.0
        """That the last launch took, without copying."""

    def __call__(
        self,
        row: Array,
        minds: Array,
        drawn: Any,
        resets: Array,
        seeds: Array,
        training: int,
        out: Array,
        told: Array,
    ) -> None:
        """Play a sitting for each of ``resets``; ``out`` and ``told`` are filled."""
        gpu = own_gpu()
        parts = drawn if isinstance(drawn, tuple) else ()
        large = len(minds) > MOST_ON_CHIP
        code = self._code(gpu, roomy(len(row)), LARGE if large else roomy(len(minds)), parts)
        threads = THREADS * BLOCKS_PER_PROCESSOR * gpu.processors
        if large:
            fit = int(SHARE_OF_MEMORY * free_memory(gpu)) // (8 * len(minds))
            if fit < THREADS:
                raise MensuraError(
                    f"The memory of this subject takes {8 * len(minds):,} bytes a sitting, and {max(fit, 0)} fit "
                    f"into the {gpu.name}; {THREADS} have to."
                )
            threads = min(threads, fit // THREADS * THREADS)
        threads = min(threads, -(-len(resets) // THREADS) * THREADS)
        held: list[Held] = []

        def on(array: Array, copied: bool = True) -> Held:
            held.append(Held(gpu, array.shape, array.dtype))
            if copied:
                held[-1].take(array)
            return held[-1]

        try:
            given = [on(one) for one in parts] if parts else [on(drawn)]
            sums, measured = on(out, False), on(told, False)
            tables = Held(gpu, (threads if large else 0, len(minds)), np.int64)
            held.append(tables)
            arguments: list[Held | int] = [on(row), on(minds), *given, on(resets), on(seeds)]
            arguments += [int(training), sums, measured, tables]
            begun = perf_counter()
            code.launch(threads // THREADS, THREADS, arguments)
            self.seconds = perf_counter() - begun
            sums.give(out)
            measured.give(told)
        finally:
            for one in held:
                one.free()

    def _code(self, gpu: GPU, row_room: int, mind_room: int, parts: Any) -> Code:
        key = row_room, mind_room, tuple(one.ndim for one in parts), gpu.number
        with self._loading:  # several threads play at once, and one of them compiles for all
            if key not in self._codes:
                kernel = kernel_of(self._sitting, row_room, mind_room)
                self._codes[key] = Code(gpu, ptx_of(kernel, signature_of(parts), gpu.capability))
            return self._codes[key]


@cache
def third_door(sitting: Any) -> ThirdDoor:
    """The third door to a rule that plays a sitting."""
    return ThirdDoor(sitting)
