"""Who is better, by how much, how sure that is, and what it would take to be surer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.api.results import Result
from mensura.api.tables import Shown, Table, frame_of
from mensura.records.results import plain_numbers, write_whole
from mensura.reports.comparison_page import (
    conclusion,
    design,
    row,
    several_conditions,
    summary,
)
from mensura.reports.pairing import about, choose, valid_only
from mensura.statistics.compare import Comparison, compare_all
from mensura.statistics.multiple import CORRECTIONS
from mensura.statistics.sample import Sample

TOLD = 12
"""Of more comparisons only those that are open are told in sentences, and no more than that."""


class Comparisons(Shown):
    """A family of comparisons of scores, with intervals, effect sizes and plain conclusions."""

    def __init__(
        self, comparisons: Sequence[Comparison], names: Sequence[str], about: Sequence[str]
    ) -> None:
        self.comparisons = tuple(comparisons)
        """Each pair of subjects under each condition."""
        self.names = tuple(names)
        """Of the one run or the two."""
        self.about = tuple(about)
        """What was compared, and what was left out, in sentences."""

    @property
    def summary(self) -> tuple[str, ...]:
        """How many comparisons are settled and which are not; nothing where there is only one."""
        several = len(self.comparisons) > 1 or bool(self.comparisons[0].differs)
        return tuple(summary(self.comparisons)) if several else ()

    @property
    def conclusions(self) -> tuple[str, ...]:
        """What each comparison says; of very many, those that are open."""
        told = self.comparisons
        if len(told) > TOLD:
            told = tuple(one for one in told if one.verdict == "open")[:TOLD]
        several = several_conditions(self.comparisons)
        return tuple(conclusion(one, several) for one in told)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The summary and the conclusions, then what was compared."""
        return (*self.summary, *self.conclusions, *self.about)

    def tables(self) -> list[Table]:
        """The differences, a table for each condition."""
        tables = []
        for condition in dict.fromkeys(one.condition for one in self.comparisons):
            some = [one for one in self.comparisons if one.condition == condition]
            mixed = len({one.paired for one in some}) > 1
            columns = [
                ("pair", "pair"),
                ("n", "n"),
                ("unit", "unit"),
                *([("design", "paired")] if mixed else []),
                ("difference", "difference"),
                (f"{100 * some[0].difference.level:g}% interval", "interval"),
                ("effect", "effect"),
                ("p, corrected", "corrected"),
                ("better in", "improvement"),
            ]
            tables.append(
                Table(
                    f"{condition}: differences of scores (mean reward per subject and iteration)"
                    + ("" if mixed else f", {design(some[0])}"),
                    [(name, name != "pair") for name, _ in columns],
                    [[line[key] for _, key in columns] for line in map(row, some)],
                )
            )
        return tables

    def frame(self) -> Any:
        """A row for each comparison, as a data frame of pandas, or of polars where pandas is not installed."""
        return frame_of(
            [
                {
                    "condition": one.condition,
                    "one": one.one,
                    "two": one.two,
                    "difference": one.difference.value,
                    "low": one.difference.low,
                    "high": one.difference.high,
                    "p": one.p,
                    "corrected": one.corrected,
                    "verdict": one.verdict,
                }
                for one in self.comparisons
            ]
        )

    def report(self, path: str | Path, command: str = "") -> Path:
        """Write the page of the comparison, one HTML file with figures; where it went."""
        from mensura.api.reporting import check_can_report
        from mensura.reports.comparison_page import render_compare

        check_can_report()
        where = Path(path)
        title = (
            " and ".join(self.names) if len(self.names) == 2 else f"The subjects of {self.names[0]}"
        )
        write_whole(where, render_compare(self.comparisons, title, self.about, command))
        return where

    def to_json(self) -> list[Any]:
        """The comparisons as data that ``json.dump`` takes."""
        data: list[Any] = plain_numbers([one.to_json() for one in self.comparisons])
        return data


def compare(
    result: Result,
    other: Result | None = None,
    *,
    subjects: str | Sequence[str] = (),
    level: float = 0.95,
    correction: str = "holm",
    anyway: bool = False,
) -> Comparisons:
    """Compare the subjects of a result with each other, or those of two results, as ``mensura compare`` does.

    Args:
        result: What :func:`assess`, a study or :func:`load` gave.
        other: A second result, whose conditions and subjects are matched with those of the first.
        subjects: Compare these only; with two results, a second one is that of the second.
        level: Of intervals and conclusions.
        correction: For many comparisons: "holm", "benjamini-hochberg" or "none".
        anyway: Compare also what more than the subject differs in, as the world; such lines are marked.

    Example:
        >>> import mensura as ms
        >>> result = ms.assess(["random", "follower"], budget=200, sittings=9, seed=1)
        >>> ms.compare(result).comparisons[0].one
        'random'
    """
    check_manner(level, correction)
    results = [result] if other is None else [result, other]
    for one in results:
        if not isinstance(one, Result):
            raise MensuraError(
                f"A value of type {type(one).__name__} cannot be compared; hand over what ms.assess, a study or "
                "ms.load('RUN') gave."
            )
        if one.details.done and not one.samples:
            raise MensuraError(
                f"The single scores of {one.name} were too many to hold without a store; run it with store=, then "
                "compare."
            )
    return compare_samples(
        [(one.name, one.samples) for one in results],
        [one.name for one in results if not one.finished],
        subjects=[subjects] if isinstance(subjects, str) else subjects,
        level=level,
        correction=correction,
        anyway=anyway,
    )


def check_manner(level: float, correction: str) -> None:
    """Raise if there is no such level or correction: now, and not after all has been read."""
    if not 0.0 < level < 1.0:
        raise MensuraError(f"The level is {level}; it lies between 0 and 1, as 0.95.")
    if correction not in CORRECTIONS:
        raise MensuraError(
            f"There is no correction {correction!r}; {neighbors(correction, list(CORRECTIONS))}"
        )


def compare_samples(
    runs: Sequence[tuple[str, Sequence[Sample]]],
    unfinished: Sequence[str] = (),
    *,
    subjects: Sequence[str] = (),
    level: float = 0.95,
    correction: str = "holm",
    anyway: bool = False,
) -> Comparisons:
    """Compare the single scores of one run or two, each with its name; those that are ``unfinished`` are told."""
    names = [name for name, _ in runs]
    read = [[one for one in samples if len(one)] for _, samples in runs]
    for name, samples in zip(names, read, strict=True):
        if not samples:
            raise MensuraError(f"The run {name} has no scores yet, so nothing can be compared.")
    valid, left_out = valid_only(read, subjects)
    comparisons = compare_all(choose(names, valid, subjects), level, correction, anyway)
    return Comparisons(comparisons, names, [*about(names, comparisons, unfinished), *left_out])
