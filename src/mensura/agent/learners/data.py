"""Plain data from a memory that anybody may have written, checked as it is read.

All of these raise ValueError or TypeError, which :meth:`Learner.load` turns into a sentence.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np


def whole(value: Any) -> int:
    """A whole number from 0 on."""
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise ValueError
    return value


def finite(values: Any, count: int | None = None) -> list[float]:
    """A list of finite numbers, of so many."""
    numbers = [float(one) for one in values]
    if (count is not None and len(numbers) != count) or not all(map(math.isfinite, numbers)):
        raise ValueError
    return numbers


def places(values: Any, below: int) -> list[int]:
    """Different whole numbers below a bound, rising."""
    found = [whole(one) for one in values]
    if sorted(set(found)) != found or (found and found[-1] >= below):
        raise ValueError
    return found


def text_of(values: Sequence[float]) -> str:
    """Floats as text, to the bit."""
    return b64encode(np.asarray(values, "<f8").tobytes()).decode()


def floats_of(text: str) -> list[float]:
    """The finite floats of :func:`text_of`."""
    return finite(np.frombuffer(b64decode(text, validate=True), "<f8").tolist())


def text_of_hashes(hashes: Sequence[bytes]) -> str:
    """Hashes of 8 bytes as text."""
    return b64encode(b"".join(hashes)).decode()


def hashes_of(text: str) -> list[bytes]:
    """The hashes of :func:`text_of_hashes`, all different."""
    data = b64decode(text, validate=True)
    found = [data[i : i + 8] for i in range(0, len(data), 8)]
    if len(data) % 8 or len(set(found)) != len(found):
        raise ValueError
    return found
