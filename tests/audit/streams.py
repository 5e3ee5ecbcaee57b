"""The law of the streams: no draw of which at most 4 bits may show shows more, and every stream is in one table.

The table is docs/reference/streams.csv, written by the product itself: python -m tests.audit.streams, or of some cells
only: python -m tests.audit.streams CELL... (see `stream_probe` for how streams are found and what is measured).
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from tests.audit.law import Law
from tests.audit.places import fitting
from tests.audit.stream_probe import EPISODES_OF_FOUR_BITS

from mensura.agent.errors import MensuraError
from mensura.core.abilities import make, presets
from mensura.core.registry import WORLDS

TABLE = Path(__file__).parents[2] / "docs" / "reference" / "streams.csv"
COLUMNS = ("world", "preset", "wrapper", "stream", "drawn", "by", "changes", "episodes")

WRAPPERS: Mapping[str, Mapping[str, float]] = {
    "none": {},
    "perturbed": {
        "observation_noise": 0.3,
        "observation_dropped": 0.3,
        "action_noise": 0.3,
        "action_dropped": 0.3,
        "reward_noise": 0.3,
        "distraction_observations": 0.5,
    },
}
"""Perturbations that draw; the others follow from what is there."""

SMALL: Mapping[str, Any] = {
    "horizon": 6,
    "rows": 4,
    "cols": 4,
    "sieves": (),
    "n": 4,
    "peaks": 2,
    "limit": 30,
    "tape": 40,
    "dropping": False,
    "observation": "ram",
}
"""Parameters that make a world small, where it has them and its preset allows them."""

LETTERS: Mapping[str, Any] = {"letters": 2, "longest": 16}
"""The same of problems of distributed constraints: letters of any length take seconds to perturb uncompiled."""

STEPS = 12
USUAL = "usual"
"""The name of the preset of a world without presets."""


def cells() -> list[str]:
    """World, preset, wrapper."""
    return [
        f"{name}/{preset}/{wrapper}"
        for name in WORLDS.names()
        for preset in presets(WORLDS.load(name)) or [USUAL]
        for wrapper in WRAPPERS
    ]


def fixed() -> list[str]:
    """Of each wrapper and each kind of rules one: the kit's, compiled ones, and what is drawn in Python."""
    wanted = (
        ("echo-v", "none"),
        ("framotec-v", "none"),
        ("bf-v", "none"),
        ("lambda-star-v", "perturbed"),
    )
    return [
        next(cell for cell in cells() if cell.startswith(name) and cell.endswith(wrapper))
        for name, wrapper in wanted
    ]


def daily() -> list[str]:
    """Those of small worlds."""
    quick = ("echo-v", "lambda-star-v", "framotec-v", "lambda-v", "bf-v", "items-v")
    return [cell for cell in cells() if cell.startswith(quick)]


def settings(name: str, preset: str) -> dict[str, Any]:
    """The parameters of a small world under a preset: whatever of `SMALL` it allows, one after the other."""
    small = {**SMALL, **(LETTERS if name.startswith("constraints-v") else {})}
    return fitting(WORLDS.load(name), {} if preset == USUAL else {"preset": preset}, small)


def streams(cell: str) -> list[dict[str, Any]] | None:
    """What is measured in a cell; None where the wrapper cannot be around the world."""
    name, preset, wrapper = cell.split("/")
    chosen = settings(name, preset) | WRAPPERS[wrapper]
    if WRAPPERS[wrapper]:
        name = f"perturbed-{name}"
        try:
            make(WORLDS.load(name), **chosen)
        except MensuraError:
            return None
    probe = (sys.executable, "-m", "tests.audit.stream_probe")
    command = [*probe, name, json.dumps(chosen), str(STEPS)]
    uncompiled = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=uncompiled)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    listing: list[dict[str, Any]] = json.loads(done.stdout)
    return listing


def rows_of(cell: str, listing: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """The rows of a cell in the table."""
    return [
        [
            *cell.split("/"),
            *(row["stream"], row["drawn"], row["by"]),
            " ".join(row["changes"]) or "nothing here",
            str(row["shown"] or ""),
        ]
        for row in listing
    ]


def check(cell: str) -> str | None:
    """What failed in a cell."""
    rows = streams(cell)
    if rows is None:
        return None
    for row in rows:
        if row["shown"] > EPISODES_OF_FOUR_BITS:
            return f"a quick draw of {row['stream']} shows more than 4 bits: draw it by prf"
    if rows_of(cell, rows) != table().get(cell, []):
        return f"its streams are not as {TABLE.name} has them: python -m tests.audit.streams {cell}"
    return None


@cache
def table() -> Mapping[str, list[list[str]]]:
    """The rows of the table by cell."""
    rows: dict[str, list[list[str]]] = {}
    if TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as file:
            for row in list(csv.reader(file))[1:]:
                rows.setdefault("/".join(row[:3]), []).append(row)
    return rows


def write(wanted: list[str]) -> None:
    """Write some cells of the table anew, or all."""
    known = dict(table()) if wanted else {}

    def measured(cell: str) -> tuple[str, list[list[str]]]:
        return cell, rows_of(cell, streams(cell) or [])

    with ThreadPoolExecutor(2) as pool:
        for cell, rows in pool.map(measured, wanted or cells()):
            known[cell] = rows
            sys.stdout.write(f"{cell}: {len(rows)} streams\n")
            sys.stdout.flush()
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(_in_order(known))


def _in_order(known: Mapping[str, list[list[str]]]) -> Iterator[list[str]]:
    for cell in cells():
        yield from known.get(cell, [])


LAW = Law(
    "streams",
    "In every world, preset and wrapper, each stream of chance is in the table of streams with what it changes, and a "
    "draw by the quick mixer shows at most 4 bits.",
    cells,
    check,
    fixed,
    daily,
)

if __name__ == "__main__":
    write(sys.argv[1:])
