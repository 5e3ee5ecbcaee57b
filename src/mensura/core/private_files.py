"""The files of a run that no subject may read: its store and journals, its study file, what it writes.

They are named here by whoever opens them, and left out where a subject that runs in a process of its own is shown a
folder they lie in. Worker processes inherit the list.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_VARIABLE = "MENSURA_KEPT"

MOST = 200
"""So many are remembered, those named last: an environment has a size."""


def make_private(path: str | Path) -> None:
    """Let no subject that is started from now on read this file or folder, nor what lies beside a store."""
    real = os.path.realpath(path)
    others = [one for one in private() if one != real]
    os.environ[_VARIABLE] = json.dumps([*others[1 - MOST :], real])


def private() -> tuple[str, ...]:
    """The files and folders that subjects may not read."""
    return tuple(json.loads(os.environ.get(_VARIABLE) or "[]"))


@contextmanager
def forgetting() -> Iterator[None]:
    """Forget at the end what was named inside."""
    before = os.environ.get(_VARIABLE)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_VARIABLE, None)
        else:
            os.environ[_VARIABLE] = before
