"""The report of one condition: what a command that assessed subjects at once writes down."""

from __future__ import annotations

from collections.abc import Sequence

from mensura.records.results import RunResult, StudyResult
from mensura.reports.page import Picture
from mensura.reports.study import render_study
from mensura.statistics.sample import Sample

__all__ = ["Picture", "render"]


def render(
    result: RunResult,
    pictures: Sequence[Picture] = (),
    about: Sequence[str] = (),
    samples: Sequence[Sample] = (),
) -> str:
    """The report of one condition as one HTML page: that of a study which has no other."""
    study = StudyResult(
        name="",
        title="",
        status="finished",
        conditions=(result,),
        seed=result.seed,
        machine=result.machine,
        started=result.started,
        seconds=result.seconds,
    )
    return render_study(study, samples, pictures, about)
