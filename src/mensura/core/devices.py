"""On which device whole sittings are played: the processor, or a GPU for those who ask.

A study's executor says so for what it plays (``with playing_on("gpu"): ...``), and the second door of every world goes
there by itself (:mod:`mensura.core.doors`). Results are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, get_args

from mensura.agent.errors import MensuraError, neighbors

Device = Literal["cpu", "gpu"]
DEVICES: tuple[str, ...] = get_args(Device)

_device: ContextVar[str] = ContextVar("device", default="cpu")


def device() -> str:
    """Where sittings are played now."""
    return _device.get()


@contextmanager
def playing_on(name: str) -> Iterator[None]:
    """Play whole sittings there, in this thread."""
    check_device(name)
    token = _device.set(name)
    try:
        yield
    finally:
        _device.reset(token)


def check_device(name: str) -> None:
    """Raise a sentence where there is no such device here, or what it needs is not installed."""
    if name not in DEVICES:
        raise MensuraError(f"There is no device {name!r}; {neighbors(name, list(DEVICES))}")
    if name == "gpu":
        from mensura.core.gpu import find_gpu

        find_gpu()
