"""What a report says of the world: of the environments that were met, and not of the first alone."""

import re

import pytest

from mensura.core.contract import World
from mensura.records.results import StudyResult
from mensura.reports import sentences
from mensura.reports.view import View
from mensura.studies import views
from mensura.studies.runs import run_study
from mensura.studies.study import study_from_plain


@pytest.fixture(scope="module")
def chains() -> StudyResult:
    """Chains of environments, the first of which are the simplest that there are."""
    return run_study(
        study_from_plain(
            {
                "mensura": 1,
                "name": "chains",
                "seed": 7,
                "subjects": ["random"],
                "worlds": ["lambda"],
                "assessments": [
                    {"assessment": "anytime", "parameters": {"interactions": 600, "sittings": 2}}
                ],
            }
        )
    )


def test_numbers_that_differ_become_ranges_and_what_is_of_one_environment_is_left_out() -> None:
    told = [
        ("It has 2 cells and 3 walls.", "Good goes left.", "It pays."),
        ("It has 9 cells and 3 walls.", "Good goes right.", "It pays."),
    ]
    assert views.together(told) == (
        "It has 2 to 9 cells and 3 walls.",
        "It pays.",
        "Where numbers differ, they are those of the first 2 environments.",
    )
    assert views.together(told[:1]) == told[0]
    assert views.together([]) == ()


def test_the_world_of_a_chain_is_told_from_the_environments_that_it_led_to(
    chains: StudyResult,
) -> None:
    place = views.first_place(chains)
    world: World = place.host
    (subject,) = chains.conditions[0].subjects
    plans = list(views._met(place, subject.paths, chains))
    recorded = [step.complexity for path in subject.paths for step in path.steps]
    found = [world.complexity(plan.description, place.measure) for plan in plans]
    assert found == recorded[: len(found)]
    assert len(found) > 5
    cells = [plan.description.space.cells for plan in plans]
    _, about = views.first_view(chains)
    assert f"on {min(cells)} to {max(cells)} cells" in about[0]
    assert "compressed" not in " ".join(about)  # no other complexity than the test goes by


def test_what_was_met_is_told_by_the_measure_of_the_assessment(chains: StudyResult) -> None:
    words = " ".join(sentences.assessed(View.of(chains, chains.samples)))
    measure = chains.conditions[0].assessment["measure"]
    assert f"The environments that were met have a complexity {measure} of 1" in words
    (subject,) = chains.conditions[0].subjects
    played = [step.interactions for path in subject.paths for step in path.steps]
    assert re.search(rf"played for {min(played)} to {max(played)} interactions", words)
