"""Arrays that are handed on without a copy, as far as that can be tested without a GPU."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.core import dlpack


@pytest.mark.parametrize("kind", ["int32", "int64", "uint64", "float32", "float64", "bool"])
def test_what_is_lent_is_what_is_borrowed(kind: str) -> None:
    array = np.ones((3, 4), kind)
    held = dlpack.borrow(dlpack.lend(array, array.ctypes.data, array.shape, array.dtype, 1))
    assert (held.address, held.shape, held.dtype) == (array.ctypes.data, (3, 4), np.dtype(kind))
    assert held.device == (dlpack.CUDA, 1)


def test_an_owner_is_kept_while_its_array_is_lent_and_no_longer() -> None:
    array = np.zeros(2)
    before = len(dlpack._lent)
    capsule: Any = dlpack.lend(array, array.ctypes.data, (2,), array.dtype, 0)
    assert len(dlpack._lent) == before + 1
    del capsule
    gc.collect()
    assert len(dlpack._lent) == before


def test_who_takes_an_array_over_gives_it_back_itself() -> None:
    """NumPy takes arrays over too, those of the processor, and reads the same description."""

    class Lender:
        def __init__(self) -> None:
            self.array = np.arange(6.0).reshape(2, 3)

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

        def __dlpack__(self, **_: Any) -> Any:
            return dlpack.lend(self, self.array.ctypes.data, (2, 3), self.array.dtype, 0)

    before = len(dlpack._lent)
    original, dlpack.CUDA = dlpack.CUDA, 1
    try:
        taken = np.from_dlpack(Lender())
    finally:
        dlpack.CUDA = original
    assert taken.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert len(dlpack._lent) == before + 1
    del taken
    gc.collect()
    assert len(dlpack._lent) == before


def test_an_array_in_another_order_is_refused() -> None:
    array = np.arange(6.0).reshape(2, 3)
    assert dlpack.borrow(array.__dlpack__()).shape == (2, 3)
    with pytest.raises(MensuraError, match="not contiguous"):
        dlpack.borrow(array.T.__dlpack__())
    with pytest.raises(MensuraError, match="neither numbers"):
        dlpack.borrow(array.astype(complex).__dlpack__())
