"""The shipped study of models, at a small size: what it prints holds of what was played."""

from __future__ import annotations

import pytest

from mensura.records.results import StudyResult
from mensura.records.store import open_store
from mensura.reports.difficulty_tables import table, words
from mensura.reports.experiment import render_experiment
from mensura.statistics.sample import Sample
from mensura.statistics.series import Asked
from mensura.studies import runs
from mensura.studies.figure_series import asked_figures
from mensura.studies.files import read_study
from mensura.studies.reproduce import with_episodes
from mensura.studies.study import study_from_plain
from mensura.worlds.items.experiments import IQ_MODELS
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.subjects.table import MINDS

QUICK = ("letter-series", "matrices", "geometric-analogies")
"""Families that are soon drawn from."""


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory, full_size: bool
) -> tuple[StudyResult, list[Sample]]:
    plain = with_episodes(read_study(IQ_MODELS), 200 if full_size else 24).to_plain()
    if not full_size:
        plain["worlds"] = [one for one in plain["worlds"] if one["name"] in QUICK]
    study = study_from_plain(plain)
    with open_store(str(tmp_path_factory.mktemp("iq") / "iq.db")) as store:
        run = runs.begin(store, study, seed=2)
        result = runs.resume(store, run)
        return result, store.samples(store.find(run.name))


def figure(kind: str, played: tuple[StudyResult, list[Sample]]) -> Asked:
    return next(one for one in asked_figures(*played) if one.kind == kind)


def test_all_built_in_subjects_and_families_take_part() -> None:
    study = read_study(IQ_MODELS)
    assert {one.subject.partition("?")[0] for one in study.subjects} == {*MINDS, "random"} - {
        "association",
        "nearest",
        "structure-mapper",
    }, (
        "two are for Winograd schemas, which have an assessment of their own, and one is of the world of analogies"
    )
    assert [one.preset for one in study.worlds] == [
        name for name, one in FAMILIES.items() if one.is_mixed
    ]


@pytest.mark.thorough
def test_specialists_are_above_guessing_at_home(
    played: tuple[StudyResult, list[Sample]],
) -> None:
    found = table(figure("profile", played))
    assert found is not None
    rows = {row[0]: dict(zip(found["head"], row, strict=True)) for row in found["rows"]}
    assert "*" in rows["raven (BETTERAVEN)"]["matrices"]
    assert "*" in rows["series-synthesis"]["letter-series"]
    assert "*" not in rows["raven (BETTERAVEN)"]["letter-series"]
    assert "(0%)" in rows["raven (BETTERAVEN)"]["letter-series"]
    assert set(found["head"][1:-1]) <= set(FAMILIES)
    (told,) = words(figure("profile", played))
    assert told.startswith("Who generalizes over the")


@pytest.mark.thorough
def test_all_complexities_are_told_of_every_item(
    played: tuple[StudyResult, list[Sample]],
) -> None:
    for sample in played[1]:
        names = {name for name in sample.measures if name.startswith("complexity ")}
        assert {
            f"complexity {one}" for one in ("bits", "elements", "memory", "operations")
        } <= names
        assert (sample.measures["complexity bits"] == sample.complexity).all()


@pytest.mark.thorough
def test_the_page_answers_the_questions_of_the_review(
    played: tuple[StudyResult, list[Sample]],
) -> None:
    result, samples = played
    figures = asked_figures(result, samples)
    page = render_experiment(result, figures, ())
    for text in ("Who generalizes", "What difficulty depends on", "agree on which environments"):
        assert text in page
    assert page.count("<svg") >= len(QUICK)
