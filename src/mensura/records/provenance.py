"""Where a run comes from: versions, commit and machine, found out when it begins."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("mensura", "numpy", "numba", "sqlalchemy", "ray")
"""Whose versions might explain a difference."""

_HARMLESS = ("core.fsmonitor=false", "core.hooksPath=/dev/null")


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
    _, name = _git("rev-parse", "--verify", "--quiet", "HEAD")
    how = ("--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
    changed = bool(name) and _git("diff", *how, "HEAD", settings=_filters())[0] == 1
    return f"{name}+changes" if changed else name


def _filters() -> list[str]:
    """Settings that undo those of the repository by which git would start programs to compare files."""
    _, said = _git(
        "config", "--show-scope", "--includes", "--name-only", "--get-regexp", r"^filter\."
    )
    lines = [line.split("\t", 1) for line in said.splitlines()]
    return [f"{name}=" for scope, name in lines if scope in ("local", "worktree")]


def _git(*words: str, settings: Sequence[str] = ()) -> tuple[int, str]:
    """Its exit status and what it says.

    It starts no program that the folder names: whoever brought an agent may have brought the folder.
    """
    options = [word for one in (*_HARMLESS, *settings) for word in ("-c", one)]
    try:
        said = subprocess.run(
            ["git", *options, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=10,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "none"},
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return -1, ""
    return said.returncode, said.stdout.strip()
