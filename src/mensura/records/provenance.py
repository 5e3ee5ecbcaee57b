"""Where a run comes from: versions, commit and machine, found out when it begins."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("mensura", "numpy", "numba", "sqlalchemy", "ray")
"""Whose versions might explain a difference."""


def now() -> str:
    """The time, as it is written in the store."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def versions() -> dict[str, str]:
    """Of Python and the packages that matter, where they are installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            pass
    return found


def machine(isolation: str = "") -> str:
    """What this runs on, without its name; and how far foreign code is isolated on it, where there is any."""
    here = (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}"
    )
    return f"{here}, {isolation}" if isolation else here


def commit() -> str:
    """The commit of the project in the current folder, with `+changes` if files differ from it; else nothing."""
    try:
        said = subprocess.run(
            ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+changes"],
            capture_output=True,
            text=True,
            check=False,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""
