"""What a study claims: which samples it is about, what is refused, and what the page and the digest tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.records.results import RunResult, StudyResult
from mensura.reports.experiment import render_experiment
from mensura.statistics.claims import Claim
from mensura.statistics.sample import Sample
from mensura.studies.claims import claimed, digest
from mensura.studies.conditions import conditions
from mensura.studies.expand import expand
from mensura.studies.figure_series import series_of
from mensura.studies.study import Study, study_from_plain

WHO = ["random", "follower", "sarsa", "q-learning", "dyna-q", "oracle"]


def study(*claims: dict[str, Any], **changes: Any) -> Study:
    return study_from_plain(
        {
            "mensura": 1,
            "name": "claims",
            "subjects": WHO,
            "worlds": [
                {"name": "near", "world": "lambda-v1"},
                {"name": "far", "world": "lambda-v1", "parameters": {"p_stop": 0.002}},
            ],
            "assessments": [
                {"assessment": "battery", "name": "short", "parameters": {"spread": "any"}},
                {"assessment": "anytime", "name": "10", "parameters": {"interactions": 10}},
                {"assessment": "anytime", "name": "100", "parameters": {"interactions": 100}},
            ],
            "claims": list(claims),
            **changes,
        }
    )


def samples(one: Study, n: int = 60, noise: float = 0.1) -> list[Sample]:
    """Scores that rise with the place of the subject, whatever the rest."""
    rng = np.random.default_rng(11)
    found = []
    for condition in conditions(one):
        hard = rng.normal(size=n) * noise
        complexity = rng.integers(1, 9, n).astype(float)
        for i, who in enumerate(WHO):
            found.append(
                Sample(
                    who,
                    0.1 * i + hard + 0.01 * rng.normal(size=n),
                    np.arange(n, dtype=np.uint64),
                    np.zeros(n, np.int64),
                    complexity + 100 * (condition.names[0] == "far"),
                    condition.text,
                )
            )
    return found


def held(one: Study, scores: list[Sample] | None = None) -> list[Claim]:
    result = StudyResult("claims", "", "finished", (), study=one.to_plain())
    return claimed(result, samples(one) if scores is None else scores)


def claim(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "title": kind, "claim": f"This is about {kind}.", **more}


def test_an_order_is_tried_in_every_world_by_every_assessment() -> None:
    (found,) = held(study(claim("order", subjects=["random", "sarsa", "oracle"])))
    assert found.verdict == "holds"
    assert [one.of for one in found.findings[:2]] == [
        "sarsa minus random, near, short",
        "oracle minus sarsa, near, short",
    ]
    assert len(found.findings) == 2 * 2 * 3
    assert found.findings[0].estimate.value == pytest.approx(0.2, abs=0.01)
    (turned,) = held(study(claim("order", subjects=["oracle", "random"], worlds=["far"])))
    assert turned.verdict == "does not hold"
    assert turned.count == {"holds": 0, "holds within error": 0, "does not hold": 3}


def test_an_order_may_run_along_worlds_and_be_one_of_complexity() -> None:
    (found,) = held(
        study(
            claim(
                "order",
                along="worlds",
                worlds=["near", "far"],
                subjects=["random"],
                assessments=["short"],
                of="complexity",
            )
        )
    )
    (one,) = found.findings
    assert one.of == "far minus near"
    assert one.estimate.value == pytest.approx(100, abs=3)


def test_a_claim_is_not_tried_on_scores_that_are_not_their_subjects_own() -> None:
    named = ["random", "sarsa", "oracle"]
    one = study(claim("order", subjects=named, worlds=["near"], assessments=["short"]))
    scores = samples(one)
    (whole,) = held(one, scores)
    assert whole.verdict == "holds"
    broken = [replace(s, default_share=1.0) if s.label == "sarsa" else s for s in scores]
    (rest,) = held(one, broken)
    assert not any("sarsa" in finding.of for finding in rest.findings)
    assert rest.verdict == "holds within error"
    assert rest.text.endswith("(Not tried on sarsa: no valid score.)")
    assert not any(series.subject == "sarsa" for series in series_of(one, broken))


def test_each_may_be_held_against_the_first() -> None:
    both = [
        held(study(claim("order", subjects=WHO[:3], against=against)))[0].findings[:2]
        for against in ("neighbors", "first")
    ]
    assert [one.of.split(",")[0] for one in both[0]] == [
        "follower minus random",
        "sarsa minus follower",
    ]
    assert [one.of.split(",")[0] for one in both[1]] == [
        "follower minus random",
        "sarsa minus random",
    ]


def test_subjects_agree_over_places_and_measures_over_environments() -> None:
    (found,) = held(study(claim("agree", assessments=["short"])))
    (one,) = found.findings
    assert one.of == "near and far"
    assert (one.estimate.value, one.estimate.n) == (1.0, len(WHO))
    assert found.verdict == "holds"
    (over,) = held(
        study(
            claim(
                "agree", over="environments", of="complexity", worlds=["near"], subjects=["random"]
            )
        )
    )
    assert len(over.findings) == 3
    assert over.findings[0].estimate.n == 60
    assert over.verdict == "holds within error"
    (falls,) = held(study(claim("agree", over="environments", subjects=["random"])))
    assert len(falls.findings) == 2 * 3


def test_scores_settle_along_a_parameter_in_pairs_of_sittings() -> None:
    one = study(claim("settles", parameter="interactions", within=0.05))
    scores = samples(one)
    prefix = {(s.label, s.condition): s for s in scores}
    for i, s in enumerate(scores):
        if s.condition.endswith("100"):
            score = prefix[s.label, s.condition.removesuffix("0")].score + 0.01
            scores[i] = replace(s, score=score, environment=s.environment + np.uint64(1000))
    (found,) = held(one, scores)
    assert found.verdict == "holds"
    assert found.findings[0].estimate.value == pytest.approx(0.01)
    assert found.findings[0].estimate.standard_error < 1e-9
    points = found.curves["random, near"]
    assert [x for x, _ in points] == [10.0, 100.0]


def test_errors_fall_with_sittings_or_along_a_parameter() -> None:
    one = study(claim("error", rate=-0.5, assessments=["short"], subjects=["random"]))
    (found,) = held(one, samples(one, 2000))
    assert found.verdict == "holds within error"
    assert found.axis == "sittings"
    two = study(claim("error", parameter="interactions", subjects=["random"]))
    louder = [
        replace(s, score=s.score * (0.2 if s.condition.endswith("100") else 1.0))
        for s in samples(two)
    ]
    (falls,) = held(two, louder)
    assert falls.verdict == "holds"
    assert falls.findings[0].estimate.value == pytest.approx(np.log10(0.2), abs=0.2)


def test_an_assessment_may_be_given_in_some_worlds() -> None:
    one = study(
        assessments=[
            {"assessment": "battery", "name": "short"},
            {"assessment": "anytime", "worlds": ["far"]},
        ]
    )
    assert [c.text for c in conditions(one)] == ["near, short", "far, short", "far, anytime"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"claims": [claim("same", subjects=WHO)]}, "is one of same, which needs within"),
        ({"claims": [claim("settles", within=0.1)]}, "is one of settles, which needs parameter"),
        ({"claims": [claim("order")]}, "runs along subjects, so it has to name two of them"),
        ({"claims": [claim("zero"), claim("zero")]}, "The claim 'zero' is there twice"),
        (
            {"claims": [claim("zero", worlds=["ner"])]},
            "no world called 'ner' in this study; did you",
        ),
        ({"claims": [claim("zero", assessments=["shor"])]}, "no assessment called 'shor' in this"),
        (
            {"assessments": [{"assessment": "battery", "worlds": ["near"]}]},
            "No assessment is given in the world 'far'",
        ),
    ],
)
def test_what_cannot_be_asked_gets_a_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        expand(study(**change) if "claims" not in change else study(*change["claims"]), 1)


@given(st.permutations(range(6)), st.integers(0, 5), st.integers(0, 59))
def test_a_digest_sees_every_bit_and_no_order(order: list[int], which: int, row: int) -> None:
    one = samples(study())[:6]
    assert digest([one[i] for i in order]) == digest(one)
    score = one[which].score.copy()
    score[row] = np.nextafter(score[row], 1.0)
    other = [replace(s, score=score) if i == which else s for i, s in enumerate(one)]
    assert digest(other) != digest(one)


@pytest.mark.usefixtures("words_only")
def test_the_page_has_every_claim_with_its_verdict() -> None:
    one = study(
        claim("order", subjects=["oracle", "random"]),
        claim("agree"),
        claim("settles", parameter="interactions", within=0.5),
        claim("error", rate=-0.5),
    )
    scores = samples(one, 300)
    condition = RunResult("near, short", "lambda-v1", {}, {}, seed=1)
    result = StudyResult(
        "claims", "Claims", "finished", (condition,), study=one.to_plain(), done=1, sittings=1
    )
    page = render_experiment(result, [], [], (), held(one, scores), digest(scores))
    assert "order: does not hold" in page
    assert "agree: holds" in page
    assert digest(scores) in page
    assert page.count("<svg") == 6
    assert "A published experiment" not in page
