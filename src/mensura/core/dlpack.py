"""DLPack: how arrays in the memory of a GPU are handed from one library to another without a copy.

The layout is that of DLPack's ``DLManagedTensor`` (https://dmlc.github.io/dlpack/latest/), which PyTorch, JAX and CuPy
speak, in a capsule called "dltensor".
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError

CUDA = 2
"""DLPack's number for GPUs of NVIDIA's."""

_NAME = b"dltensor"
_KINDS = {"i": 0, "u": 1, "f": 2, "b": 6}
_LETTERS = {number: letter for letter, number in _KINDS.items()}


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("kind", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (
        ("tensor", _Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = (
    ctypes.py_object,
    [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
)
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]

_lent: dict[int, tuple[Any, ...]] = {}
"""What others hold, by number: the array and its description stay as long as that."""
_numbers = itertools.count(1)


def _take_back(managed: Any) -> None:
    _lent.pop(managed.contents.context, None)


def _take_back_unused(capsule: int) -> None:
    """Of a capsule that nobody took over; who does gives it another name."""
    if _is_valid(capsule, _NAME):
        _take_back(ctypes.cast(_pointer(capsule, _NAME), ctypes.POINTER(_Managed)))


_deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))(_take_back)
_destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_take_back_unused)


def lend(owner: Any, address: int, shape: Sequence[int], dtype: Any, device: int) -> Any:
    """A capsule for an array in C's order at an address of a GPU; ``owner`` is kept while somebody holds it."""
    kind = np.dtype(dtype)
    managed = _Managed()
    sizes = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    tensor = managed.tensor
    tensor.data, tensor.device_type, tensor.device = address, CUDA, device
    tensor.ndim, tensor.kind, tensor.bits, tensor.lanes = (
        *(len(shape), _KINDS[kind.kind]),
        *(8 * kind.itemsize, 1),
    )
    tensor.shape = ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64))
    managed.context = number = next(_numbers)
    managed.deleter = ctypes.cast(_deleter, ctypes.c_void_p).value
    _lent[number] = owner, managed, sizes
    return _new(ctypes.addressof(managed), _NAME, ctypes.cast(_destructor, ctypes.c_void_p))


class Borrowed(NamedTuple):
    """An array of somebody else's, for as long as this is held."""

    address: int
    shape: tuple[int, ...]
    dtype: Any
    device: tuple[int, int]
    capsule: Any


def borrow(capsule: Any) -> Borrowed:
    """What a capsule holds; one that is not in C's order is refused."""
    managed = ctypes.cast(_pointer(id(capsule), _NAME), ctypes.POINTER(_Managed)).contents
    tensor = managed.tensor
    shape = tuple(tensor.shape[n] for n in range(tensor.ndim))
    if tensor.strides:
        step = 1
        for size, stride in zip(shape[::-1], tensor.strides[: tensor.ndim][::-1], strict=True):
            if size > 1 and stride != step:
                raise MensuraError("This array is not contiguous; copy it into one that is.")
            step *= size
    letter = _LETTERS.get(tensor.kind)
    if letter is None or tensor.lanes != 1 or tensor.bits % 8:
        raise MensuraError("This array has elements that are neither numbers nor truth values.")
    return Borrowed(
        (tensor.data or 0) + tensor.offset,
        shape,
        np.dtype(f"{letter}{tensor.bits // 8}"),
        (tensor.device_type, tensor.device),
        capsule,
    )
