"""Where the processes of Ray find modules: where this one does, and never in the current folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mensura.core.interpreter import import_path


def ray_job_config() -> Any:
    """What Ray tells workers of this driver: where it finds modules, without the current folder.

    Ray puts that before all others, unless it believes that workers get another folder to work in.
    """
    from ray.job_config import JobConfig

    class OurJobConfig(JobConfig):
        def _runtime_env_has_working_dir(self) -> bool:
            return True

    # Each is put before those that came before it.
    return OurJobConfig(_py_driver_sys_path=import_path()[::-1])


@contextmanager
def found_here() -> Iterator[None]:
    """In it, processes that are started find modules where this one does, and not in the current folder."""
    ours = {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(import_path())}
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
