"""An entry of a leaderboard: the score of one subject, and all that it takes to judge it and to play it again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.api.standings import Scored
from mensura.core.abilities import NOT_STATED
from mensura.core.account import FEWEST
from mensura.core.registry import WORLDS
from mensura.core.usage import COST, REQUESTS
from mensura.records.cell import Cell, is_of_people
from mensura.records.holding import NOT_RECORDED, is_fully_isolated
from mensura.records.results import RunResult, StudyResult, SubjectResult
from mensura.records.validity import LIMIT, is_valid
from mensura.statistics.moments import Moments

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store


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
    content: str
    """Where the environments came from, as the world said."""
    isolation: str
    """How the subject was held, in the words of the record."""
    fresh_seed: bool
    """Whether Mensura drew the seed, so that nobody could know it beforehand."""
    cost: float | None = None
    requests: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What whoever adds it wants to say: who they are, where the model can be had."""
    digest: str = ""
    """Of the records behind it and of everything above; who has the records can make it again."""

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
            content=self.content,
            isolation=self.isolation,
            fresh_seed=self.fresh_seed,
        )

    @property
    def identity(self) -> tuple[Any, ...]:
        """What two entries of the same score have in common."""
        kind = json.dumps([self.parameters, self.given], sort_keys=True, default=str)
        return self.subject, self.training, self.seed, self.world, self.assessment, kind

    def signed(self, records: bytes) -> Entry:
        """The same with its digest, over what it says and the digest of the records behind it."""
        said = {name: value for name, value in asdict(self).items() if name != "digest"}
        text = json.dumps(said, sort_keys=True, default=str)
        return replace(self, digest=blake2b(records + text.encode(), digest_size=32).hexdigest())


def entries_of(
    store: Store,
    run: Run,
    subjects: Sequence[str] = (),
    extra: Mapping[str, Any] | None = None,
    *,
    apart: bool = False,
) -> list[Entry]:
    """The scores of a run as entries; a sentence where a rule of the leaderboard is broken.

    ``apart`` takes those whose subject could have known its environments, too; they are listed apart.
    """
    _check_run(run, apart)
    result = store.result(run)
    _check_names(run, result, subjects)
    cells = store.cells(run)
    return [
        _entry(run, condition, one, extra or {}, apart).signed(
            records_digest(store, run, cells_of(cells, condition.title, one.subject))
        )
        for condition in result.conditions
        for one in condition.subjects
        if not subjects or one.subject in subjects
    ]


def cells_of(cells: Sequence[Cell], condition: str, subject: str) -> list[Cell]:
    """The cells behind the score of a subject under a condition."""
    return [cell for cell in cells if (cell.condition, cell.name) == (condition, subject)]


def records_digest(store: Store, run: Run, cells: Sequence[Cell]) -> bytes:
    """The digest of all sittings of some cells: their scores, their episodes, and every answer that was journaled."""
    state = blake2b(digest_size=32)
    state.update(f"{run.seed} {run.fresh_seed} {run.study_hash} {run.ended}".encode())
    for cell in cells:
        state.update(f"{cell.subject} {cell.isolation} {cell.content} {cell.seed}".encode())
        for batch in store.batches(run, cell.number):
            episodes = batch.episodes
            for column in (
                *(batch.item, batch.score, batch.lost, batch.interactions),
                *(episodes.item, episodes.environment, episodes.reward, episodes.defaults),
            ):
                state.update(column.tobytes())
            for item in batch.item.tolist():
                for page in store.journal(run, cell.number, item):
                    state.update(page)
    return state.digest()


def _check_run(run: Run, apart: bool) -> None:
    if run.status != "finished":
        raise MensuraError(
            f"The run {run.name} is {run.status}; only finished ones are added: mensura study resume {run.name}"
        )
    if is_of_people(run.study):
        raise MensuraError(
            f"The run {run.name} is of people, whose scores are not published one by one."
        )
    if not run.fresh_seed and not apart:
        raise MensuraError(
            f"Somebody chose the seed of the run {run.name}, and who knows a seed can know the environments: run it "
            "again without one, or list it apart with --apart."
        )


def _check_names(run: Run, result: StudyResult, subjects: Sequence[str]) -> None:
    known = list(dict.fromkeys(one.subject for c in result.conditions for one in c.subjects))
    for name in subjects:
        if name not in known:
            raise MensuraError(
                f"The run {run.name} has no subject {name!r}; {neighbors(name, known)}"
            )


def _check_score(run: Run, condition: RunResult, one: SubjectResult, apart: bool) -> None:
    for sentence in _broken_rules(run, condition, one, apart):
        raise MensuraError(sentence)


def _broken_rules(run: Run, condition: RunResult, one: SubjectResult, apart: bool) -> Iterator[str]:
    changed = WORLDS.outdated(condition.world)
    if changed is not None:
        yield f"The run {run.name} was made under other rules: {changed}"
    if one.moments.count < FEWEST:
        yield (
            f"{one.subject} has {one.moments.count} scores in the run {run.name}; it takes at least {FEWEST} to tell "
            "an error."
        )
    if one.reason:
        yield f"{one.subject} has no score in the run {run.name}: it {one.reason} answers."
    if not is_valid(one.default_share):
        yield (
            f"Of the actions of {one.subject}, {one.default_share:.0%} were the environment's default, for want of an "
            f"answer; at most {LIMIT} may be. Its score would not be its own."
        )
    if not is_fully_isolated(one.isolation) and not apart:
        yield (
            f"{one.subject} was not fully isolated in the run {run.name} ({one.isolation or NOT_RECORDED}), so that it "
            "could have known its environments: run it again in full isolation, or list it apart with --apart."
        )


def _entry(
    run: Run, condition: RunResult, one: SubjectResult, extra: Mapping[str, Any], apart: bool
) -> Entry:
    _check_score(run, condition, one, apart)
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
        condition.content or NOT_STATED,
        one.isolation or NOT_RECORDED,
        run.fresh_seed,
        _total(one, COST),
        _total(one, REQUESTS),
        dict(extra),
    )


def _total(one: SubjectResult, name: str) -> float | None:
    moments = one.measures.get(name)
    return None if moments is None or not moments.count else moments.mean * moments.count
