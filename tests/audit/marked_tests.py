"""The law that tests marked `audit` pass, too dear for `make thorough`: a cell is a test with all its parameters."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from functools import cache

from tests.audit.code import ROOT
from tests.audit.law import Law

MARK = "mark.audit"
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--audit")


@cache
def cells() -> Sequence[str]:
    """The tests' ids, without parameters, which may be any text. Only files that have the mark are collected."""
    files = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if MARK in path.read_text(encoding="utf-8")
    ]
    if not files:
        return []
    listing = subprocess.run(
        [*PYTEST, "--collect-only", *files], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode not in (0, 5):  # 5: none of them is marked
        raise RuntimeError(
            f"pytest cannot collect the tests that are marked: {listing.stdout[-2000:]}{listing.stderr[-2000:]}"
        )
    ids = [line.partition("[")[0] for line in listing.stdout.splitlines() if "::" in line]
    return list(dict.fromkeys(ids))


def check(cell: str) -> str | None:
    """One that is skipped is not passed."""
    run = subprocess.run([*PYTEST, cell], cwd=ROOT, capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    if run.returncode == 0 and any(" passed" in line for line in lines[-1:]):
        return None
    reasons = [line for line in lines if line.startswith(("FAILED", "ERROR", "SKIPPED"))]
    return " ".join(reasons) or f"pytest ended with status {run.returncode}"


LAW = Law(
    name="tests",
    sentence="Tests that are too dear for `make thorough`, those marked `audit`, pass.",
    cells=cells,
    check=check,
    fixed=tuple,
    daily=tuple,
)
