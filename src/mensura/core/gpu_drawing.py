"""Environments drawn on a GPU by the rule of their world, a thread each, the same to the bit as on the processor."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numba import cuda, int64, uint64

from mensura.agent.keys import Keys
from mensura.core.blocks import Drawing, Rows
from mensura.core.gpu import Code, Held, own_gpu
from mensura.core.ptx import ptx_of

THREADS = 128

_codes: dict[Any, Code] = {}
_loading = Lock()


class Drawn(NamedTuple):
    """A row for each key, and its complexity; below 0 where no environment was found."""

    rows: Rows
    complexity: Rows


@cache
def kernel_of(draw, scratch):
    """The kernel in which each thread draws one environment after another."""

    def draw_kernel(rows, keys, low, high, settings, complexity):
        cells = cuda.local.array(scratch, np.int64)
        for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
            complexity[i] = draw(rows[i], keys[i], low[i], high[i], settings, cells)

    return draw_kernel


def draw_there(drawing: Drawing, keys: Keys, low: Rows, high: Rows) -> Drawn:
    """Draw an environment for each key on the GPU of this thread, a complexity of it within [low[i], high[i]]."""
    gpu = own_gpu()
    code = _code(gpu, drawing)
    out = Drawn(np.zeros((len(keys), drawing.width), np.int64), np.zeros(len(keys), np.int64))
    held = [Held(gpu, one.shape, one.dtype) for one in (*out, keys, low, high, drawing.settings)]
    try:
        rows, complexity, *given = held
        rows.clear()
        for one, array in zip(given, (keys, low, high, drawing.settings), strict=True):
            one.take(array)
        wanted, least, most, settings = given
        arguments = rows, wanted, least, most, settings, complexity
        code.launch(-(-len(keys) // THREADS), THREADS, arguments)
        rows.give(out.rows)
        complexity.give(out.complexity)
    finally:
        for one in held:
            one.free()
    return out


def _code(gpu: Any, drawing: Drawing) -> Code:
    key = gpu.number, drawing.one, drawing.scratch
    with _loading:  # several threads draw at once, and one of them compiles for all
        if key not in _codes:
            row, rows = int64[::1], int64[:, ::1]
            signature = rows, uint64[::1], row, row, row, row
            kernel = kernel_of(drawing.one, drawing.scratch)
            _codes[key] = Code(gpu, ptx_of(kernel, signature, gpu.capability))
        return _codes[key]
