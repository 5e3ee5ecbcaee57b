"""What all parts of a study's report are made from: its conditions, where subjects stand, what factors did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mensura.agent.errors import MensuraError
from mensura.records.results import RunResult, StudyResult
from mensura.reports import sections
from mensura.reports.levels import Effect, effects
from mensura.reports.protocols import Unit, common_unit
from mensura.reports.standing import Parts, Standing, measured, standings
from mensura.statistics.interval import Estimate
from mensura.statistics.replication import Replication, replication_of
from mensura.statistics.sample import Sample


@dataclass(frozen=True)
class View:
    """What all parts of a report are made from."""

    result: StudyResult
    conditions: tuple[RunResult, ...]
    levels: tuple[Mapping[str, str], ...]
    samples: Sequence[Sample]
    """Single scores of those whose score is valid."""
    parts: Parts
    standings: list[Standing]
    effects: list[Effect]
    replication: Replication
    """What all intervals take as replicated."""
    shared: list[tuple[str, str]]
    """The settings that all conditions have in common."""

    @staticmethod
    def of(result: StudyResult, samples: Sequence[Sample]) -> View:
        given = [*result.levels, *({} for _ in result.conditions[len(result.levels) :])]
        played = [
            (condition, own)
            for condition, own in zip(result.conditions, given, strict=True)
            if any(one.moments.count for one in condition.subjects)
        ]
        if not played:
            name = f"The run {result.name}" if result.name else "This run"
            raise MensuraError(
                f"{name} has no subjects with episodes, so there is nothing to report; assess at least one."
            )
        conditions = tuple(condition for condition, _ in played)
        levels = tuple(own for _, own in played)
        replication = replication_of(samples)
        parts = measured(conditions, samples, replication)
        # What is said of single scores, and of factors, is said of those that are their subject's own.
        valid = {at: part for at, part in parts.items() if part.result.valid}
        return View(
            result,
            conditions,
            levels,
            [one for one in samples if len(one) and (one.condition, one.label) in valid],
            parts,
            standings(parts),
            effects(conditions, levels, valid),
            replication,
            list(shared_settings(conditions)),
        )

    @property
    def several(self) -> bool:
        return len(self.conditions) > 1

    @property
    def unit(self) -> Unit:
        """What one sitting is called."""
        return common_unit(self.conditions)

    @property
    def measure(self) -> str:
        return str(self.conditions[0].assessment.get("measure") or "")

    @property
    def subjects(self) -> list[str]:
        return [one.subject for one in self.standings]

    def ranked_samples(self, condition: str | None = None) -> list[Sample]:
        """The single scores of a condition, or of the only one, the best subject first; none where some are missing."""
        title = self.conditions[0].title if condition is None else condition
        own = {one.label: one for one in self.samples if one.condition == title}
        return [own[name] for name in self.subjects if name in own]

    def score(self, condition: RunResult, subject: str) -> Estimate | None:
        """The score of a subject under a condition; None where it did not play."""
        part = self.parts.get((condition.title, subject))
        return part.score[0] if part is not None else None


def shared_settings(conditions: Sequence[RunResult]) -> Iterator[tuple[str, str]]:
    """The settings that all conditions have in common."""
    first, *others = (dict(sections.settings(condition)) for condition in conditions)
    for name, text in first.items():
        if all(other.get(name) == text for other in others):
            yield name, text
