"""A GPU of NVIDIA's, by its driver: memory, code, and launches; nothing of Mensura is known here.

Needs the extra ``mensura[gpu]`` and a GPU; :func:`find_gpu` says in a sentence what is missing.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.core.errors import MensuraError

Array = npt.NDArray[Any]

OWN_STREAM = 2
"""Of each thread its own: launches of several threads run side by side."""


class GPU(NamedTuple):
    """One that is ready to be used."""

    name: str
    capability: tuple[int, int]
    processors: int
    memory: int
    """Bytes."""
    driver: Any
    context: Any


@cache
def find_gpu(number: int = 0) -> GPU:
    """The GPU of this number; a sentence where there is none, or where the extra is not installed."""
    try:
        from cuda.bindings import driver
    except ImportError:
        raise MensuraError(
            "Playing on a GPU needs numba-cuda: pip install 'mensura[gpu]'."
        ) from None
    try:
        _called(driver.cuInit(0))
        count = _called(driver.cuDeviceGetCount())
    except (RuntimeError, MensuraError) as error:
        raise MensuraError(f"There is no GPU here that can be used ({error}).") from None
    if number >= count:
        raise MensuraError(f"There is no GPU {number} here; there are {count}, counted from 0.")
    one = _called(driver.cuDeviceGet(number))
    attribute = driver.CUdevice_attribute

    def told(name: str) -> int:
        asked = getattr(attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(_called(driver.cuDeviceGetAttribute(asked, one)))

    return GPU(
        bytes(_called(driver.cuDeviceGetName(100, one))).split(b"\0")[0].decode(),
        (told("COMPUTE_CAPABILITY_MAJOR"), told("COMPUTE_CAPABILITY_MINOR")),
        told("MULTIPROCESSOR_COUNT"),
        int(_called(driver.cuDeviceTotalMem(one))),
        driver,
        _called(driver.cuDevicePrimaryCtxRetain(one)),
    )


def _called(result: tuple[Any, ...]) -> Any:
    """What a function of the driver gave; its error as an exception."""
    status, *rest = result
    if int(status) != 0:
        raise MensuraError(f"the GPU's driver says {getattr(status, 'name', status)}")
    return rest[0] if len(rest) == 1 else tuple(rest)


class Held:
    """An array in the memory of a GPU."""

    def __init__(self, gpu: GPU, shape: tuple[int, ...], kind: Any) -> None:
        self._gpu = gpu
        self.shape, self.dtype = shape, np.dtype(kind)
        self.bytes = max(1, int(np.prod(shape, dtype=np.int64)) * self.dtype.itemsize)
        enter(gpu)
        self.address = int(_called(gpu.driver.cuMemAlloc(self.bytes)))

    def take(self, array: Array) -> None:
        """Copy an array of this shape and type to the GPU."""
        host = np.ascontiguousarray(array, self.dtype)
        if host.nbytes:
            _called(
                self._gpu.driver.cuMemcpyHtoDAsync(
                    self.address, host.ctypes.data, host.nbytes, OWN_STREAM
                )
            )
            wait(self._gpu)  # the array may be gone as soon as this returns

    def give(self, array: Array) -> None:
        """Copy it back into an array."""
        host = array if array.flags.c_contiguous else np.empty(self.shape, self.dtype)
        if host.nbytes:
            _called(
                self._gpu.driver.cuMemcpyDtoHAsync(
                    host.ctypes.data, self.address, host.nbytes, OWN_STREAM
                )
            )
            wait(self._gpu)
        if host is not array:
            array[...] = host

    def free(self) -> None:
        """Give its memory back."""
        if self.address:
            self._gpu.driver.cuMemFree(self.address)
            self.address = 0

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """How other libraries take the array over without a copy."""
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address, False),
            "version": 3,
            "strides": None,
        }


def enter(gpu: GPU) -> None:
    """Let this thread use the GPU."""
    _called(gpu.driver.cuCtxSetCurrent(gpu.context))


def wait(gpu: GPU) -> None:
    """Until the GPU has done what this thread asked for."""
    _called(gpu.driver.cuStreamSynchronize(OWN_STREAM))


def free_memory(gpu: GPU) -> int:
    """Bytes of the GPU's memory that nobody uses."""
    enter(gpu)
    return int(_called(gpu.driver.cuMemGetInfo())[0])


class Code:
    """A kernel that was loaded onto a GPU from PTX."""

    def __init__(self, gpu: GPU, ptx: str) -> None:
        self._gpu = gpu
        enter(gpu)
        entry = re.search(r"\.entry\s+(\S+?)\(", ptx)
        assert entry is not None
        module = _called(gpu.driver.cuModuleLoadData(ptx.encode() + b"\0"))
        self._function = _called(gpu.driver.cuModuleGetFunction(module, entry[1].encode()))

    def launch(self, blocks: int, threads: int, arguments: Sequence[Held | int]) -> None:
        """Run so many blocks of so many threads, and wait for them."""
        enter(self._gpu)
        values: list[int] = []
        for one in arguments:
            values.extend(_flat(one) if isinstance(one, Held) else [one])
        kinds = tuple([ctypes.c_int64] * len(values))
        driver = self._gpu.driver
        _called(
            driver.cuLaunchKernel(
                self._function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                0,
                OWN_STREAM,
                (tuple(values), kinds),
                0,
            )
        )
        wait(self._gpu)


def _flat(held: Held) -> list[int]:
    """An array as kernels of Numba's take it: owners, how many numbers of how many bytes, address, shape, strides."""
    strides: list[int] = []
    step = held.dtype.itemsize
    for size in reversed(held.shape):
        strides.insert(0, step)
        step *= size
    numbers = int(np.prod(held.shape, dtype=np.int64))
    return [0, 0, numbers, held.dtype.itemsize, held.address, *held.shape, *strides]
