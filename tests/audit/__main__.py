"""The command behind `make audit`: python -m tests.audit --help."""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.audit import tables
from tests.audit.code import ROOT
from tests.audit.journal import InUseError
from tests.audit.law import verdict
from tests.audit.laws import LAWS, all_laws, load
from tests.audit.runner import Call, ChangedError, Standing, play, say

HELP = """\
Plays every law in all of its cells. What has been played stays, in .cache/audit, so it may be stopped at any
moment, even killed, and called again as often as one likes: it goes on with the next cell. A result counts as
long as src/, pyproject.toml, constraints.txt, the law and what it imports from tests/ stay as they are.

A law whose cells have all been played gets its table, docs/audit/LAW.csv, and its part of docs/audit.md: commit both. A
cell that fails is written to tests/audit/failed/LAW.txt, one of each group, so that make test plays it from
then on: commit that with whatever mends it. What cells print is in .cache/audit/LAW.txt.
"""

EXAMPLES = """\
examples:
  make audit                                    all laws, on all cores
  make audit LAW=wrappers MINUTES=30 JOBS=2     one law, half an hour of it
  python -m tests.audit --list                  how far each is
  python -m tests.audit --law wrappers --again  those of its cells once more that failed
  python -m tests.audit --law wrappers --cell CELL

It ends with status 1 where a cell failed, 130 after Ctrl-C, 2 where it could not begin or go on.
"""


def parser() -> argparse.ArgumentParser:
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    commands = argparse.ArgumentParser(
        prog="python -m tests.audit",
        description=HELP,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add: Any = commands.add_argument
    add("--law", metavar="LAW", help="this one alone, by its name, or as module:NAME (all laws)")
    add("--minutes", type=float, default=math.inf, help="begin no cell after so many (no limit)")
    add("--jobs", type=int, default=cores, help=f"cells at the same time (cores: {cores})")
    add("--limit", type=float, default=600, help="seconds that a cell may take (600)")
    add("--again", action="store_true", help="play cells that failed once more")
    add("--cell", metavar="CELL", help="play this one here and now, and keep nothing of it")
    add("--list", action="store_true", help="say how far each law is, and play nothing")
    add("--page", action="store_true", help="write docs/audit.md from the tables, and play nothing")
    add("--root", type=Path, default=ROOT, help="where src, docs and .cache are (this checkout)")
    return commands


def addresses(name: str | None) -> list[str]:
    """Those of the laws that are meant; none where there is no such law."""
    if name is None:
        return list(LAWS)
    if ":" in name:
        return [name]
    return [address for address in LAWS if load(address).name == name]


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def main(words: Sequence[str] | None = None) -> int:
    options = parser().parse_args(words)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "kernels"))
    laws = addresses(options.law)
    if not laws:
        say(f"No law is called {options.law}: python -m tests.audit --list tells all.")
        return 2
    if options.page:
        return page(options.root)
    if options.cell:
        return play_cell(laws, options.cell)
    if options.list:
        for address in laws:
            tell(Standing(address, options.root), options.jobs)
        return 0
    return play_all(laws, options)


def page(root: Path) -> int:
    tables.page_of(root).write_text(tables.page(all_laws(), root), encoding="utf-8")
    return 0


def play_cell(laws: list[str], cell: str) -> int:
    for law in map(load, laws):
        if cell in law.cells():
            failure = verdict(law, cell)
            say(f"{law.name}: {failure or 'it holds'}")
            return failure is not None
    say(f"No law has the cell {cell}.")
    return 2


def tell(standing: Standing, jobs: int) -> None:
    """A law, its sentence, how far it is, and what failed."""
    say(f"{standing.sentence(jobs)}\n    {standing.law.sentence}")
    for result in standing.failed():
        say(f"    failed: {result.cell}: {result.failure}")


def play_all(laws: list[str], options: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, interrupt)
    call = Call(
        options.root,
        options.jobs,
        options.limit,
        time.monotonic() + 60 * options.minutes,
        options.again,
    )
    failed = False
    for address in laws:
        try:
            standing = play(address, call)
        except KeyboardInterrupt:
            say(f"Stopped. {Standing(address, call.root).sentence(call.jobs)}; call it again.")
            return 130
        except ChangedError:
            say("The code has changed, so its results are stale: call it again to play this state.")
            return 2
        except InUseError as law:
            say(f"Another process plays the law {law}: wait for it, or stop it.")
            return 2
        failed |= bool(standing.failed())
        say(ending(standing, call.jobs))
    page(options.root)
    return int(failed)


def ending(standing: Standing, jobs: int) -> str:
    if not standing.cells:
        return f"{standing.law.name}: it has no cells today"
    if standing.missing():
        return f"The time is over. {standing.sentence(jobs)}; call it again."
    table = tables.table_of(standing.law.name, standing.root).relative_to(standing.root)
    return f"{standing.sentence(jobs)}: see {table} and docs/audit.md, and commit them"


if __name__ == "__main__":
    sys.exit(main())
