"""A leaderboard as a file that many can add to: scores of finished runs, each checked when it is added.

It is JSON and holds of each score what it takes to compare it, to judge it and to play it again
(:mod:`mensura.api.leaderboard_entry`). Anybody can write into it: what is not verified
(:mod:`mensura.api.leaderboard_verifying`) is as told by whoever added it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.api.leaderboard_entry import Entry
from mensura.api.standings import Board, boards
from mensura.core.registry import WORLDS
from mensura.records.results import write_whole

FORMAT = 2
"""The version of the file's format."""

ROUNDING = 1e-9
"""A mean may lie so far beyond the smallest and the largest of equal scores."""

LARGEST = 50 << 20
"""A file of more bytes is no leaderboard."""


# The file ----------------------------------------------------------------------------


def read(file: Path) -> list[Entry]:
    """The entries of a file; a sentence that says where it is wrong."""
    try:
        if file.stat().st_size > LARGEST:
            raise MensuraError(f"{file} is too large for a leaderboard.")
        data = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MensuraError(
            f"There is no leaderboard {file}; `mensura leaderboard add RUN --file {file}` begins one."
        ) from None
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise MensuraError(f"{file} is no leaderboard: {error}.") from None
    if not isinstance(data, dict) or "mensura_leaderboard" not in data:
        raise MensuraError(f"{file} is no leaderboard: it has no field mensura_leaderboard.")
    if data["mensura_leaderboard"] != FORMAT:
        raise MensuraError(
            f"{file} has the format {data['mensura_leaderboard']!r} and this version of Mensura reads {FORMAT}."
        )
    rows = data.get("entries")
    if not isinstance(rows, list):
        raise MensuraError(f"{file} is no leaderboard: its entries are no list.")
    return [_checked(row, f"{file}, entry {number + 1}") for number, row in enumerate(rows)]


_KINDS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("subject", "summary", "run", "world", "assessment", "added", "version"), str),
    **dict.fromkeys(("content", "isolation", "digest"), str),
    "fresh_seed": bool,
    **dict.fromkeys(("parameters", "given", "extra"), dict),
    **dict.fromkeys(("training", "seed", "count", "actions"), int),
    **dict.fromkeys(("mean", "squares", "minimum", "maximum"), (int, float)),
    **dict.fromkeys(("defaults", "cost", "requests"), (int, float, type(None))),
}


def _checked(row: Any, where: str) -> Entry:
    if not isinstance(row, dict):
        raise MensuraError(f"{where}: This is no entry, which would have named fields.")
    for name in _KINDS:
        if name not in row:
            raise MensuraError(f"{where}: There is no field {name!r}.")
    for name, value in row.items():
        if name not in _KINDS:
            raise MensuraError(
                f"{where}: There is no field {name!r}; {neighbors(name, list(_KINDS))}"
            )
        is_flag = _KINDS[name] is bool
        if isinstance(value, bool) != is_flag or not isinstance(value, _KINDS[name]):
            raise MensuraError(f"{where}: {name} is {value!r}, which it cannot be.")
        if isinstance(value, float) and not math.isfinite(value):
            raise MensuraError(f"{where}: {name} is {value!r}; it must be finite.")
    entry = Entry(**row)
    possible = (
        entry.count >= 1
        and entry.squares >= 0
        and entry.actions >= 0
        and 0 <= (entry.defaults or 0) <= entry.actions
        and entry.minimum - ROUNDING <= entry.mean <= entry.maximum + ROUNDING
    )
    if not possible:
        raise MensuraError(f"{where}: These numbers cannot be scores of {entry.subject}.")
    return entry


def add(file: Path, entries: Sequence[Entry]) -> list[Entry]:
    """Add entries to a file, or begin one; those that are there already are refused. All that it holds then."""
    there = read(file) if file.exists() else []
    known = {one.identity for one in there}
    for one in entries:
        if one.identity in known:
            raise MensuraError(
                f"The score of {one.subject} in the run {one.run} is in {file} already; nothing was added."
            )
        known.add(one.identity)
    everything = [*there, *entries]
    rows = [asdict(one) for one in everything]
    text = json.dumps(
        {"mensura_leaderboard": FORMAT, "entries": rows}, indent=1, ensure_ascii=False
    )
    write_whole(file, text + "\n")
    return everything


def shown(entries: Sequence[Entry]) -> tuple[list[Board], list[str]]:
    """The boards of entries whose world is of the present version, and a sentence on each that is left out."""
    left_out = list(_left_out(entries))
    names = {id(one) for one, _ in left_out}
    present = [one.scored for one in entries if id(one) not in names]
    return boards(present), [sentence for _, sentence in left_out]


def _left_out(entries: Sequence[Entry]) -> Iterator[tuple[Entry, str]]:
    for one in entries:
        try:
            changed = WORLDS.outdated(one.world)
        except MensuraError as error:
            changed = str(error)
        if changed is not None:
            yield one, f"{one.subject} in the run {one.run} is left out: {changed}"


def entries_behind(entries: Sequence[Entry], board: Board, subject: str) -> list[Entry]:
    """The entries of a subject that stand behind its row on a board."""
    runs = {
        run for standing in board.standings if standing.subject == subject for run in standing.runs
    }
    kind = (board.world, dict(board.parameters), board.assessment)
    return [
        one
        for one in entries
        if one.subject == subject
        and one.run in runs
        and (one.world, dict(one.parameters), one.assessment) == kind
    ]


def cost_of(entries: Sequence[Entry], board: Board, subject: str) -> float | None:
    """What the scores of a subject on a board cost; None where nobody says."""
    costs = [one.cost for one in entries_behind(entries, board, subject)]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None
