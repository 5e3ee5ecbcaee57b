"""Where a run comes from: versions, commit and machine, found out when it begins."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

import mensura

PACKAGES = ("mensura", "numpy", "numba", "sqlalchemy", "ray")
"""Whose versions might explain a difference."""

PACKAGE = Path(mensura.__file__).parent

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


def commit(package: Path = PACKAGE) -> str:
    """The commit that the installed package was made of, with `+changes` if its files differ from it; else nothing.

    Known where it was installed from a repository (PEP 610), or is played from a checkout.
    """
    recorded = _recorded()
    if recorded and package == PACKAGE:
        return recorded
    if _git(package, "ls-files", "--error-unmatch", "__init__.py")[0] != 0:
        return ""
    _, name = _git(package, "rev-parse", "--verify", "--quiet", "HEAD")
    how = ("--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
    words = ("diff", *how, "HEAD", "--", ".")
    changed = bool(name) and _git(package, *words, settings=_filters(package))[0] == 1
    return f"{name}+changes" if changed else name


def _recorded() -> str:
    """The commit that the installer wrote down."""
    try:
        text = distribution("mensura").read_text("direct_url.json")
        commit = json.loads(text or "{}").get("vcs_info", {}).get("commit_id", "")
    except (PackageNotFoundError, ValueError, AttributeError):
        return ""
    return str(commit)


def _filters(package: Path) -> list[str]:
    """Settings that undo those of the repository by which git would start programs to compare files."""
    how = ("--show-scope", "--includes", "--name-only", "--get-regexp")
    _, said = _git(package, "config", *how, r"^filter\.")
    lines = [line.split("\t", 1) for line in said.splitlines()]
    return [f"{name}=" for scope, name in lines if scope in ("local", "worktree")]


def _git(folder: Path, *words: str, settings: Sequence[str] = ()) -> tuple[int, str]:
    """Its exit status and what it says in a folder.

    It starts no program that the folder names: whoever brought an agent may have brought the folder.
    """
    options = [word for one in (*_HARMLESS, *settings) for word in ("-c", one)]
    try:
        said = subprocess.run(
            ["git", "-C", str(folder), *options, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=10,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "none"},
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return -1, ""
    return said.returncode, said.stdout.strip()
