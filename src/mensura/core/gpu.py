"""A GPU of NVIDIA's, by its driver: memory, code, and launches; nothing of Mensura is known here.

Needs the extra ``mensura[gpu]`` and a GPU; :func:`find_gpu` says in a sentence what is missing.
"""

from __future__ import annotations

import ctypes
import itertools
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.core import dlpack
from mensura.core.dlpack import Borrowed

Array = npt.NDArray[Any]

OWN_STREAM = 2
"""Of each thread its own: launches of several threads run side by side."""

SHARED_STREAM = 1
"""The one of all threads, on which other libraries work by default: what they ask for comes in turn with ours."""


class GPU(NamedTuple):
    """One that is ready to be used."""

    number: int
    """Counted from 0."""
    name: str
    capability: tuple[int, int]
    processors: int
    memory: int
    """Bytes."""
    driver: Any
    context: Any


_turns = itertools.count()
_mine = threading.local()


def own_gpu() -> GPU:
    """The GPU of this thread: where there are several, each thread has the next one, and keeps it."""
    first = find_gpu()
    if not hasattr(_mine, "number"):
        _mine.number = next(_turns) % int(_called(first.driver.cuDeviceGetCount()))
    return find_gpu(_mine.number)


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
        number,
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

    def __init__(
        self, gpu: GPU, shape: tuple[int, ...], kind: Any, stream: int = OWN_STREAM
    ) -> None:
        """Nothing is in it yet. ``stream`` is the one on which it is filled and read."""
        self._gpu, self._stream = gpu, stream
        self.shape, self.dtype = shape, np.dtype(kind)
        self.ndim = len(shape)
        self.bytes = max(1, int(np.prod(shape, dtype=np.int64)) * self.dtype.itemsize)
        enter(gpu)
        self.address = int(_called(gpu.driver.cuMemAlloc(self.bytes)))

    def take(self, array: Array) -> None:
        """Copy an array of this shape and type to the GPU."""
        host = np.ascontiguousarray(array, self.dtype)
        if host.nbytes:
            _called(
                self._gpu.driver.cuMemcpyHtoDAsync(
                    self.address, host.ctypes.data, host.nbytes, self._stream
                )
            )
            wait(self._gpu, self._stream)  # the array may be gone as soon as this returns

    def give(self, array: Array) -> None:
        """Copy it back into an array."""
        host = array if array.flags.c_contiguous else np.empty(self.shape, self.dtype)
        if host.nbytes:
            _called(
                self._gpu.driver.cuMemcpyDtoHAsync(
                    host.ctypes.data, self.address, host.nbytes, self._stream
                )
            )
            wait(self._gpu, self._stream)
        if host is not array:
            array[...] = host

    def reshaped(self, shape: tuple[int, ...]) -> Held:
        """The same memory in another shape."""
        made = object.__new__(Reshaped)
        vars(made).update(vars(self), shape=shape, ndim=len(shape), whole=self)
        return made

    def clear(self) -> None:
        """Zeros everywhere."""
        _called(self._gpu.driver.cuMemsetD8Async(self.address, 0, self.bytes, self._stream))

    def copy_from(self, other: Held) -> None:
        """What another array of the same size holds, without leaving the GPU."""
        size = min(self.bytes, other.bytes)
        _called(self._gpu.driver.cuMemcpyDtoDAsync(self.address, other.address, size, self._stream))

    def __del__(self) -> None:
        """Whoever took it over holds it, so nobody has it any more."""
        with suppress(Exception):  # when a program ends, the driver may be gone
            enter(self._gpu)
            self.free()

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
            "stream": self._stream,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        """Where it is, as DLPack numbers devices."""
        return dlpack.CUDA, self._gpu.number

    def __dlpack__(self, *, stream: int | None = None, **_: Any) -> Any:
        """How other libraries take the array over without a copy, with all that was asked for done."""
        if stream not in (-1, None, self._stream):
            wait(self._gpu, self._stream)
        return dlpack.lend(self, self.address, self.shape, self.dtype, self._gpu.number)


class Reshaped(Held):
    """Another shape of an array, which is held by it."""

    def free(self) -> None:
        """Its memory is somebody else's."""


def enter(gpu: GPU) -> None:
    """Let this thread use the GPU."""
    _called(gpu.driver.cuCtxSetCurrent(gpu.context))


def wait(gpu: GPU, stream: int = OWN_STREAM) -> None:
    """Until the GPU has done what this thread, or all of them, asked for."""
    _called(gpu.driver.cuStreamSynchronize(stream))


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

    def launch(
        self,
        blocks: int,
        threads: int,
        arguments: Sequence[Any],
        stream: int = OWN_STREAM,
    ) -> None:
        """Run so many blocks of so many threads; on a stream of its own, wait for them.

        Arguments are whole numbers, arrays there, and tuples of these.
        """
        enter(self._gpu)
        values = _flat(arguments)
        kinds = tuple([ctypes.c_int64] * len(values))
        shape = blocks, 1, 1, threads, 1, 1
        launched = self._gpu.driver.cuLaunchKernel(
            self._function, *shape, 0, stream, (tuple(values), kinds), 0
        )
        _called(launched)
        if stream == OWN_STREAM:
            wait(self._gpu)


def _flat(argument: Any) -> list[int]:
    """An argument as kernels of Numba's take it; an array: owners, numbers, bytes of each, address, shape, strides."""
    if isinstance(argument, int):
        return [argument]
    if not isinstance(argument, Held | Borrowed):
        return [number for one in argument for number in _flat(one)]
    strides: list[int] = []
    step = argument.dtype.itemsize
    for size in reversed(argument.shape):
        strides.insert(0, step)
        step *= size
    numbers = int(np.prod(argument.shape, dtype=np.int64))
    return [
        *(0, 0, numbers, argument.dtype.itemsize, argument.address),
        *argument.shape,
        *strides,
    ]
