"""A leaderboard as a file that many can add to: scores of finished runs, each checked when it is added.

It is JSON and holds of each score what it takes to compare it, and to play it again: the world with all parameters, the
assessment, the seed that was drawn for the run, the versions, how many actions were the environment's default, and of
language models what it cost.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.api.standings import Board, Scored, boards
from mensura.core.account import FEWEST
from mensura.core.registry import WORLDS
from mensura.core.usage import COST, REQUESTS
from mensura.records.cell import is_of_people
from mensura.records.results import RunResult, StudyResult, SubjectResult, write_whole
from mensura.records.run import Run
from mensura.records.validity import LIMIT, is_valid
from mensura.statistics.moments import Moments

FORMAT = 1
"""The version of the file's format."""

ROUNDING = 1e-9
"""A mean may lie so far beyond the smallest and the largest of equal scores."""

LARGEST = 50 << 20
"""A file of more bytes is no leaderboard."""


@dataclass(frozen=True)
class Entry:
    """The score of one subject under one condition of a run."""

    subject: str
    summary: str
    run: str
    world: str
    parameters: Mapping[str, Any]
    assessment: str
    given: Mapping[str, Any]
    training: int
    seed: int
    count: int
    mean: float
    squares: float
    minimum: float
    maximum: float
    actions: int
    defaults: float | None
    """How many of them were the environment's default; None where that was not recorded."""
    added: str
    """When the run ended."""
    version: str
    """Of Mensura."""
    cost: float | None = None
    requests: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What whoever adds it wants to say: who they are, where the model can be had."""

    @property
    def scored(self) -> Scored:
        """As the leaderboard counts it."""
        return Scored(
            self.run,
            self.world,
            self.parameters,
            self.assessment,
            self.given,
            self.subject,
            self.training,
            self.seed,
            Moments(self.count, self.mean, self.squares, self.minimum, self.maximum),
            self.actions,
            math.nan if self.defaults is None else self.defaults,
        )

    @property
    def identity(self) -> tuple[Any, ...]:
        """What two entries of the same score have in common."""
        kind = json.dumps([self.parameters, self.given], sort_keys=True, default=str)
        return self.subject, self.training, self.seed, self.world, self.assessment, kind


def entries_of(
    run: Run,
    result: StudyResult,
    subjects: Sequence[str] = (),
    extra: Mapping[str, Any] | None = None,
) -> list[Entry]:
    """The scores of a run as entries; a sentence where a rule of the leaderboard is broken."""
    if run.status != "finished":
        raise MensuraError(
            f"The run {run.name} is {run.status}; only finished ones are added: mensura study resume {run.name}"
        )
    if is_of_people(run.study):
        raise MensuraError(
            f"The run {run.name} is of people, whose scores are not published one by one."
        )
    if not run.fresh_seed:
        raise MensuraError(
            f"Somebody chose the seed of the run {run.name}, and who knows a seed can know the environments: run it "
            "again without one."
        )
    known = list(dict.fromkeys(one.subject for c in result.conditions for one in c.subjects))
    for name in subjects:
        if name not in known:
            raise MensuraError(
                f"The run {run.name} has no subject {name!r}; {neighbors(name, known)}"
            )
    wanted = subjects or known
    return [
        _entry(run, condition, one, extra or {})
        for condition in result.conditions
        for one in condition.subjects
        if one.subject in wanted
    ]


def _entry(run: Run, condition: RunResult, one: SubjectResult, extra: Mapping[str, Any]) -> Entry:
    changed = WORLDS.outdated(condition.world)
    if changed is not None:
        raise MensuraError(f"The run {run.name} was made under other rules: {changed}")
    if one.moments.count < FEWEST:
        raise MensuraError(
            f"{one.subject} has {one.moments.count} scores in the run {run.name}; it takes at least {FEWEST} to tell "
            "an error."
        )
    if one.reason:
        raise MensuraError(
            f"{one.subject} has no score in the run {run.name}: it {one.reason} answers."
        )
    if not is_valid(one.default_share):
        raise MensuraError(
            f"Of the actions of {one.subject}, {one.default_share:.0%} were the environment's default, for want of an "
            f"answer; at most {LIMIT} may be. Its score would not be its own."
        )
    name, given = condition.assessment.get("name", ""), dict(condition.assessment)
    given.pop("name", None)
    return Entry(
        one.subject,
        one.summary,
        run.name,
        condition.world,
        dict(condition.world_parameters),
        str(name),
        given,
        one.training,
        run.seed,
        one.moments.count,
        one.moments.mean,
        one.moments.squares,
        one.moments.minimum,
        one.moments.maximum,
        one.actions,
        None if math.isnan(one.defaults) else one.defaults,
        run.ended,
        str(run.versions.get("mensura", "")),
        _total(one, COST),
        _total(one, REQUESTS),
        dict(extra),
    )


def _total(one: SubjectResult, name: str) -> float | None:
    moments = one.measures.get(name)
    return None if moments is None or not moments.count else moments.mean * moments.count


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
        if isinstance(value, bool) or not isinstance(value, _KINDS[name]):
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


def cost_of(entries: Sequence[Entry], board: Board, subject: str) -> float | None:
    """What the scores of a subject on a board cost; None where nobody says."""
    runs = {
        run for standing in board.standings if standing.subject == subject for run in standing.runs
    }
    own = [
        one.cost
        for one in entries
        if one.subject == subject and one.run in runs and one.world == board.world
    ]
    known = [cost for cost in own if cost is not None]
    return sum(known) if known and len(known) == len(own) else None
