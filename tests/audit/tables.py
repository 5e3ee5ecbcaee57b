"""The results of an audit as they are committed: a small table for each law, and the page that shows them."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import groupby
from pathlib import Path

from tests.audit.code import ROOT
from tests.audit.journal import Result
from tests.audit.law import Law, group

SHOWN = 3
"""So many failures of a row are named on the page; the table has all."""


@dataclass(frozen=True)
class Row:
    """A group of cells; `commit` and `day` are of the newest result of the law, and so the same in all rows."""

    group: str
    cells: int
    failures: int
    seconds: int
    commit: str
    day: str
    failed: str
    """The names of cells, with spaces between them."""


def table_of(name: str, root: Path = ROOT) -> Path:
    return root / "docs" / "audit" / f"{name}.csv"


def page_of(root: Path = ROOT) -> Path:
    return root / "docs" / "audit.md"


def rows(results: Iterable[Result]) -> list[Row]:
    """The results of a law, in the order of its cells, by group."""
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        groups[group(result.cell)].append(result)
    newest = max((result for members in groups.values() for result in members), key=_day)
    return [_row(name, members, newest) for name, members in groups.items()]


def _day(result: Result) -> str:
    return result.day


def _row(name: str, results: list[Result], newest: Result) -> Row:
    failed = [result.cell for result in results if result.failure is not None]
    seconds = round(sum(result.seconds for result in results))
    return Row(
        name, len(results), len(failed), seconds, newest.commit, newest.day, " ".join(failed)
    )


def write(path: Path, table: Sequence[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Row))
        writer.writerows(asdict(row).values() for row in table)


def read(path: Path) -> list[Row]:
    """The rows of a table; none, where a law has not been played whole."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Row(
                row["group"],
                int(row["cells"]),
                int(row["failures"]),
                int(row["seconds"]),
                row["commit"],
                row["day"],
                row["failed"],
            )
            for row in csv.DictReader(file)
        ]


# The page -----------------------------------------------------------------------

HEAD = """# The audit

Some of what this documentation promises has to hold everywhere: in every world, under every wrapper, through every
door. Each such promise is a law, and each place where it has to hold is a cell. `make audit` plays all cells of all
laws, which takes hours; `make test` plays a few, others from day to day, and all that once failed. This page is made
from the tables of the last audit, in `docs/audit/`, by `python -m tests.audit --page`.

| law | cells | failures | seconds | commit | date |
|---|---|---|---|---|---|
"""


def page(laws: Sequence[Law], root: Path = ROOT) -> str:
    """What the tables of these laws say, as Markdown."""
    tables = {law.name: read(table_of(law.name, root)) for law in laws}
    summary = "".join(f"| [{name}](#{name}) {_sums(table)}\n" for name, table in tables.items())
    return HEAD + summary + "".join("".join(_section(law, tables[law.name])) for law in laws)


def _sums(table: list[Row]) -> str:
    if not table:
        return "| | | | | not yet played |"
    cells, failures, seconds = sums(table)
    return f"| {cells} | {failures} | {seconds} | {table[0].commit} | {table[0].day} |"


def sums(table: Sequence[Row]) -> tuple[int, int, int]:
    """Cells, failures and seconds of these rows."""
    columns = [(row.cells, row.failures, row.seconds) for row in table]
    cells, failures, seconds = map(sum, zip(*columns, strict=True))
    return cells, failures, seconds


def _section(law: Law, table: list[Row]) -> Iterator[str]:
    """By the first part of a cell's name; the table has a row for each two."""
    yield f"\n## {law.name}\n\n{law.sentence}\n"
    if table:
        yield "\n| of | cells | failures | seconds | failed |\n|---|---|---|---|---|\n"
    for part, groups in groupby(table, key=lambda row: row.group.split("/")[0]):
        members = list(groups)
        names = [name for row in members for name in row.failed.split()]
        more = [f"and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
        listing = ", ".join([*(f"`{name}`" for name in names[:SHOWN]), *more])
        cells, failures, seconds = sums(members)
        yield f"| {part} | {cells} | {failures} | {seconds} | {listing} |\n"
