"""The page of language models: from records, with true sentences also where there is little to tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.reports.studies import condition, study

from mensura.records.batch import FaultRow
from mensura.records.faults import FaultGroup
from mensura.records.results import RunResult
from mensura.reports.known_abilities import Known
from mensura.reports.models_page import Kinds, ModelStudy, headline, render_models, score_rows
from mensura.statistics.course import Course
from mensura.statistics.moments import Moments
from mensura.statistics.sample import Sample

COSTS = {"small": 0.01, "large": 0.5}
MEANS = {"random": 0.0, "small": 0.3, "large": 0.7}


def priced(run: RunResult, costs: dict[str, float | None]) -> RunResult:
    """Models among the subjects have requests, and a cost where it is known."""
    found = []
    for one in run.subjects:
        count = one.moments.count
        if one.subject in costs:
            cost = costs[one.subject]
            some: dict[str, float | None] = {"requests": 20.0, "repairs": 0.5, "cost": cost}
            measures = {
                name: Moments.of(np.full(count, value))
                for name, value in some.items()
                if value is not None
            }
            one = replace(one, measures=measures, asked=20.0 * count, actions=20 * count)
        found.append(one)
    return replace(run, subjects=tuple(found))


def courses(names: list[str], titles: list[str]) -> list[Course]:
    rng = np.random.default_rng(1)
    return [
        Course(name, title, tuple(rng.normal(0, 0.1, (8, 20)) + np.linspace(0, i / 4, 20)))
        for i, name in enumerate(names)
        for title in titles
    ]


def made(
    means: dict[str, float] = MEANS,
    costs: dict[str, float | None] | None = None,
    episodes: int = 20,
    known: dict[str, Known] | None = None,
    **more: Any,
) -> ModelStudy:
    costs = dict(COSTS) if costs is None else costs
    both = []
    for title in ("Lambda", "FraMoTEC"):
        run, samples = condition(title, means, episodes)
        both.append((priced(run, costs), samples))
    result, samples = study(both, title="Models")
    return ModelStudy(
        result,
        samples,
        Kinds(frozenset(costs), known or {}),
        courses(list(means), ["Lambda", "FraMoTEC"]),
        **more,
    )


def test_the_page_tells_scores_costs_learning_faults_and_order() -> None:
    page = render_models(made())
    for text in (
        "The highest score of a model is that of large: +0.7",
        "large and small are above acting at random",
        "On the front, by the points, are small",
        "Of 2 pairs of neighbors in the order, 2 are settled at 5%",
        'id="cost-front',
        "More reward at the end of an episode than at its beginning: ",
        "Acting at random changes by ",
        "No answer was late, missing or no action.",
        "large above small",
        "Settled already; 10 more pays for 9 further environments of each world",
    ):
        assert text in page, text
    assert "scripted" not in page
    assert "NOT FOUND" not in page


@pytest.mark.usefixtures("words_only")
def test_of_scripted_models_the_first_sentence_says_so() -> None:
    known = {"small": Known(0.5), "large": Known(0.9)}
    some = made(known=known)
    assert headline(some)[0].startswith("These are no language models: they are scripted models")
    assert headline(some)[-1] == "All that is known of the scripted models came out."
    page = render_models(some)
    assert page.index("These are no language models") < page.index("The highest score")
    assert "Found: Scores rise with ability: small (ability 0.5)" in page


@pytest.mark.usefixtures("words_only")
def test_what_did_not_come_out_is_said_loudly() -> None:
    some = made(known={"small": Known(0.9), "large": Known(0.5)})
    assert (
        headline(some)[-1] == "Of what is known of the scripted models, 1 thing did not come out."
    )
    assert "NOT FOUND: Scores rise with ability" in render_models(some)


@pytest.mark.usefixtures("words_only")
def test_an_unknown_price_is_reckoned_in_requests() -> None:
    page = render_models(made(costs={"small": None, "large": 0.5}))
    assert "1,000 more requests pay for 12 further environments of each world" in page
    assert "The cost of small is unknown" in page


@pytest.mark.usefixtures("words_only")
def test_ties_are_called_the_same() -> None:
    run, samples = condition("Lambda", {"small": 0.3, "random": 0.0})
    twin = replace(run.subjects[0], subject="large")
    run = replace(run, subjects=(*run.subjects, twin))
    samples = [*samples, replace(samples[0], label="large")]
    result, samples = study([(priced(run, dict(COSTS)), samples)])
    some = ModelStudy(result, samples, Kinds(frozenset(COSTS)))
    page = render_models(some)
    assert "The same in every environment: " in page
    assert "They scored the same in every environment, so there is no difference to settle." in page
    assert "so that nothing can be told of learning within them" in page


@pytest.mark.usefixtures("words_only")
def test_two_sittings_give_scores_and_no_verdict() -> None:
    page = render_models(made(episodes=2))
    assert "too few (2)" in page
    assert "Fewer than 5 sittings are too few for an interval" in page
    assert "Too few sittings to tell: " in page
    assert "Unknown: 2 sittings in a world are too few to reckon with." in page
    assert "settled at 5%" in page
    assert "above acting at random" not in page


@pytest.mark.usefixtures("words_only")
def test_a_model_that_failed_is_shown_and_not_ranked() -> None:
    some = made()
    broken = []
    for run in some.result.conditions:
        subjects = [
            replace(
                one,
                faults=60,
                asked=60.0,
                defaults=400.0,
                fault_groups=(FaultGroup(FaultRow(0, 0, 0, 1, "garbled", "no action"), 60),),
            )
            if one.subject == "large"
            else one
            for one in run.subjects
        ]
        broken.append(replace(run, subjects=tuple(subjects)))
    failed = replace(some, result=replace(some.result, conditions=tuple(broken)))
    assert headline(failed)[0].startswith("The highest score of a model is that of small")
    page = render_models(failed)
    assert "large: no valid score" in page
    assert "large above small" not in page
    assert "Only small (score" in page
    assert [row["subject"] for row in score_rows(failed)][-1] == "large (invalid)"
    assert "100%" in page


@pytest.mark.usefixtures("words_only")
def test_a_model_without_a_sitting_and_no_model_at_all_are_said() -> None:
    absent = made(costs={**COSTS, "silent": 0.1})
    assert "silent is not in the table: no sitting was finished." in render_models(absent)
    nobody = made({"random": 0.0}, {})
    assert headline(nobody) == ["No model has played yet."]
    page = render_models(nobody)
    assert "Fewer than two subjects have a valid score, so there is no order." in page
    assert "No subject with a valid score has a known cost" in page


@pytest.mark.usefixtures("words_only")
def test_people_stand_beside_models_where_they_played() -> None:
    rng = np.random.default_rng(2)
    people = Sample(
        "people",
        rng.normal(0.5, 0.1, 12),
        np.arange(100, 112, dtype=np.uint64),
        np.zeros(12, np.int64),
        np.full(12, np.nan),
        "Lambda",
        default_share=0.0,
    )
    some = made(people=[people])
    row = score_rows(some)[-1]
    assert (row["subject"], row["kind"], row["sittings"]) == ("people", "people", "12")
    assert row["scores"][1] == ""
    page = render_models(some)
    assert "People played in Lambda only: their score is of that world." in page
    assert "not the same ones; they are not paired" in page


@pytest.mark.parametrize(
    "cost", [0.0, *(pytest.param(one, marks=pytest.mark.thorough) for one in (1e-9, 1e6))]
)
def test_any_cost_can_be_drawn(cost: float) -> None:
    assert "cost-front" in render_models(made(costs={"small": cost, "large": 0.5}))
