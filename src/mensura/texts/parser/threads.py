"""Linear algebra on one core: its products here are small, and threads that wait for one another only cost time."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any


@cache
def _controller() -> Any:
    """What sets the number of threads; None where threadpoolctl is not installed (extra ``text``)."""
    try:
        from threadpoolctl import ThreadpoolController
    except ModuleNotFoundError:
        return None
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """While it lasts, NumPy's products are computed by one thread."""
    controller = _controller()
    if controller is None:
        return nullcontext()
    limited: AbstractContextManager[Any] = controller.limit(limits=1, user_api="blas")
    return limited
