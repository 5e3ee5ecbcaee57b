"""What an assessment or a study found, as people hold it in Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mensura.agent.errors import MensuraError
from mensura.api.naming import AtHand
from mensura.api.tables import Shown, Table, frame_of
from mensura.core import palette
from mensura.records.results import (
    RunResult,
    StudyResult,
    SubjectResult,
    plain_numbers,
    write_whole,
)
from mensura.records.validity import LIMIT
from mensura.statistics.sample import Sample

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mensura.reports.standing import Known
    from mensura.statistics.replication import Replication


class Score(NamedTuple):
    """The score of a subject under a condition, with its 95% interval."""

    label: str
    score: float
    low: float
    high: float
    n: int
    """How many sittings it rests on."""
    valid: bool
    """Whether the score is the subject's own: not where the environment mostly acted for it."""
    condition: str = ""


class Result(Shown):
    """What an assessment or a study found.

    A notebook shows it as a table with intervals, and so does ``print``.
    """

    def __init__(
        self,
        details: StudyResult,
        samples: Sequence[Sample] = (),
        *,
        store: str = "",
        at_hand: AtHand | None = None,
    ) -> None:
        self.details = details
        """All that is known of the run: conditions, measures, faults, seed, versions."""
        self.samples: tuple[Sample, ...] = tuple(samples) or details.samples
        """Single scores, one sample for each subject under each condition; none where they were too many."""
        self.store = store
        """Where the run is kept; nothing where it is not."""
        self._at_hand = at_hand or AtHand()

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.details.name

    @property
    def seed(self) -> int | None:
        """The seed: the same seed gives the same result."""
        return self.details.seed

    @property
    def finished(self) -> bool:
        """Whether all sittings were played; not where somebody stopped it."""
        return self.details.status == "finished"

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores, condition by condition, the best first and those that are not valid last."""
        played = self._played()
        known, _ = self._known(played)
        return tuple(
            Score(
                one.subject,
                one.score.value,
                known[condition.title, one.subject][0].low,
                known[condition.title, one.subject][0].high,
                one.moments.count,
                one.valid,
                condition.title,
            )
            for condition in played
            for one in ranking(condition.subjects)
        )

    def _known(
        self, played: Sequence[RunResult]
    ) -> tuple[dict[tuple[str, str], Known], Replication]:
        """Scores with their errors, by condition and subject, and what these take as replicated, once for all."""
        from mensura.reports.standing import scored
        from mensura.statistics.replication import replication_of

        replication = replication_of(self.samples)
        parts = scored(played, self.samples, replication)
        return {at: part.score for at, part in parts.items()}, replication

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the result should know."""
        own = [note for condition in self.details.conditions for note in condition.notes]
        return tuple(dict.fromkeys([*self.details.notes, *own]))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Where subjects stand among the references, whose scores are not valid, faults, notes, and the seed."""
        from mensura.assessments.references import placed
        from mensura.reports.usage import used

        subjects = [one for condition in self._played() for one in condition.subjects]
        faults = [
            f"fault of {one.subject}: {example}"
            for one in subjects
            for example in one.fault_examples
        ]
        invalid = invalid_scores(subjects)
        told = [*placed(self.details), *([invalid] if invalid else []), *used(subjects), *faults]
        where = f", kept as the run {self.name} in {self.store}" if self.store else ""
        end = "" if self.finished else f"{self.details.status} before its end; "
        last = f"{end}seed {self.seed}, {self.details.seconds:.1f} s{where}"
        return (*self.details.warnings, *told, *self.notes, last)

    def tables(self) -> list[Table]:
        """The scores, in a table."""
        from mensura.reports import units
        from mensura.reports.number_words import score_of, share_by_default
        from mensura.reports.protocols import common_unit

        played = self._played()
        if not played:
            return []
        known, replication = self._known(played)
        behind = units.behind((error for _, error in known.values()), common_unit(played))
        several = len(self.details.conditions) > 1
        faulty = any(
            one.faults or one.default_share > 0.0 for each in played for one in each.subjects
        )
        rows = []
        for condition in played:
            for place, one in enumerate(ranking(condition.subjects)):
                row = [condition.title if place == 0 else ""] if several else []
                around = units.around(known[condition.title, one.subject][0], replication)
                row += [labelled(one), score_of(one), around]
                row.append(str(one.moments.count))
                if faulty:
                    row += [str(one.faults), share_by_default(one.default_share)]
                rows.append(row)
        columns = [("condition", False)] if several else []
        columns += [("subject", False), ("score", True), ("95% interval", True)]
        columns.append((common_unit(played).many, True))
        if faulty:
            columns += [("faults", True), ("by default", True)]
        where = "" if several else f" on {played[0].world}"
        return [
            Table(
                f"Scores{where}: {common_unit(played).measured}, from -1 to 1, with intervals over {behind}"
                f"{' each' if several else ''}",
                columns,
                rows,
            )
        ]

    def frame(self, what: str = "scores") -> Any:
        """A data frame, of pandas, or of polars where pandas is not installed.

        Args:
            what: "scores", a row for each subject under each condition, or "sittings", a row for each single score.

        Example:
            >>> result.frame().sort_values("score")                       # doctest: +SKIP
            >>> result.frame("sittings").groupby("subject").score.std()   # doctest: +SKIP
        """
        if what == "scores":
            return frame_of(self.rows())
        if what != "sittings":
            raise MensuraError(f"There is no frame {what!r}; it is 'scores' or 'sittings'.")
        return frame_of(
            [
                {
                    "condition": sample.condition,
                    "subject": sample.label,
                    "repetition": int(sample.run[i]),
                    "environment": f"{int(sample.environment[i]):016x}",
                    "complexity": float(sample.complexity[i]),
                    "score": float(sample.score[i]),
                }
                for sample in self.samples
                for i in range(len(sample))
            ]
        )

    def plot(self) -> Figure:
        """The scores with their intervals, as a figure of Matplotlib: the first one of the report.

        Example:
            >>> result.plot().savefig("scores.pdf")  # doctest: +SKIP
        """
        with palette.extra("A figure"):
            import matplotlib.style

        from mensura.reports import figures

        several = len(self.details.conditions) > 1
        played = self._played()
        known, _ = self._known(played)
        entries = [
            (
                f"{one.subject} ({condition.title})" if several else one.subject,
                known[condition.title, one.subject][0],
            )
            for condition in played
            for one in ranking(condition.subjects)
            if one.valid
        ]
        if not entries:
            raise MensuraError("There is no valid score to draw.")
        with matplotlib.style.context(["default", palette.STYLE]):
            figure: Figure = figures.scores(entries).paint()
        # Notebooks show a figure by themselves only where pyplot made it.
        vars(figure)["_repr_png_"] = partial(_png, figure)
        return figure

    def report(self, path: str | Path) -> Path:
        """Write the report, one HTML file that loads nothing from elsewhere; where it went.

        Example:
            >>> result.report("report.html")  # doctest: +SKIP
        """
        from mensura.api.reporting import check_can_report, page_of

        check_can_report()
        where = Path(path)
        with self._at_hand.lend():
            write_whole(where, page_of(self.details, self.samples))
        return where

    def model_report(self, path: str | Path, *, people: str | None = None) -> Path:
        """Write the page of language models, what they cost and what they are worth; where it went.

        The run has to be in a store: what was learned within episodes comes from playing them again.

        Args:
            path: Where the page goes.
            people: A run of people in the same store, to be shown beside the models.

        Example:
            >>> result.model_report("models.html")  # doctest: +SKIP
        """
        from mensura.api.model_studies import model_study
        from mensura.api.reporting import check_can_report
        from mensura.records.store import open_store
        from mensura.reports.models_page import render_models

        if not self.store:
            raise MensuraError(
                "This result is in no store, so its episodes cannot be played again; run the study with store=FILE."
            )
        check_can_report()
        where = Path(path)
        with open_store(self.store, create=False) as records:
            study = model_study(records, records.find(self.name), people=people)
        write_whole(where, render_models(study))
        return where

    def rows(self) -> list[dict[str, Any]]:
        """The scores as plain data, a row for each subject under each condition, as ``--json`` writes them."""
        return [
            {"condition": condition.title, **row}
            for condition in self._played()
            for row in condition.rows()
        ]

    def to_json(self) -> dict[str, Any]:
        """The scores and where they come from, as data that ``json.dump`` takes.

        Example:
            >>> json.dump(result.to_json(), file)  # doctest: +SKIP
        """
        details = self.details
        data: dict[str, Any] = plain_numbers(
            {
                "name": details.name,
                "title": details.title,
                "status": details.status,
                "seed": details.seed,
                "seconds": details.seconds,
                "versions": details.versions,
                "study": details.study,
                "warnings": details.warnings,
                "notes": self.notes,
                "scores": self.rows(),
            }
        )
        return data

    def _played(self) -> list[RunResult]:
        """The conditions in which somebody has a score."""
        from dataclasses import replace

        played = [
            replace(one, subjects=tuple(who for who in one.subjects if who.moments.count))
            for one in self.details.conditions
        ]
        return [one for one in played if one.subjects]


def load(run: str | int, store: str | Path | None = None) -> Result:
    """Read a run that is kept in a store, by its name or number.

    Args:
        run: As ``mensura runs list`` shows it.
        store: A file, or a URL as postgresql://HOST/DATABASE; by default that of commands, ``mensura.db``.

    Example:
        >>> ms.load("my-run").plot()  # doctest: +SKIP
    """
    from mensura.records.store import open_store

    with open_store(store, create=False) as records:
        found = records.find(str(run))
        return Result(records.result(found), records.samples(found), store=records.url)


def ranking(subjects: Iterable[SubjectResult]) -> list[SubjectResult]:
    """Subjects as tables have them: the best first, those without a valid score last."""
    return sorted(subjects, key=lambda one: (not one.valid, -one.score.value if one.valid else 0.0))


def labelled(one: SubjectResult) -> str:
    """How tables of scores call a subject."""
    return one.subject if one.valid else f"{one.subject} ({one.reason or 'invalid'})"


def invalid_scores(subjects: Iterable[SubjectResult]) -> str:
    """A sentence on whose scores are not their own; nothing where all are."""
    from mensura.reports.number_words import listed, some

    subjects = list(subjects)
    refused = dict.fromkeys(f"{one.subject} {one.reason}" for one in subjects if one.reason)
    names = dict.fromkeys(one.subject for one in subjects if not one.valid and not one.reason)
    told = []
    if refused:
        told.append(f"No score: {listed(list(refused))}.")
    if names:
        told.append(
            f"No valid score: {listed(list(names))}. More than {LIMIT} of the actions were the environment's default, "
            "so a score would say nothing of the subject: it has none, and is not placed, ranked or compared."
        )
    silent = [
        f"{one.subject} ({some(one.faults, 'fault')} in {some(int(one.asked), 'question')})"
        for one in subjects
        if one.asked > 0 and one.faults >= one.asked and not one.reason
    ]
    if silent:
        told.append(
            f"Nothing that was answered could be used: {listed(list(dict.fromkeys(silent)))}."
        )
    return " ".join(told)


def _png(figure: Figure) -> bytes:
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()
