"""``ms.compare``: the subjects of one result, or of two."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mensura as ms
from mensura.records.samples import SITTINGS


@pytest.fixture(scope="module")
def compared(result: ms.Result) -> ms.Comparisons:
    return ms.compare(result)


def test_subjects_are_compared_in_tables_and_sentences(compared: ms.Comparisons) -> None:
    (one,) = compared.comparisons
    assert (one.one, one.two, one.verdict) == ("MyAgent", "q-learning", "lower")
    assert "MyAgent minus q-learning" in str(compared)
    assert compared.conclusions[0].startswith("q-learning scores higher than MyAgent: by ")
    assert compared.conclusions[0] in str(compared)
    html = compared._repr_html_()
    assert '<td style="text-align:left">MyAgent minus q-learning</td>' in html
    assert "q-learning scores higher" in html


@pytest.mark.usefixtures("words_only")
def test_they_are_data_a_frame_and_a_page(compared: ms.Comparisons, tmp_path: Path) -> None:
    assert json.loads(json.dumps(compared.to_json(), allow_nan=False))[0]["one"] == "MyAgent"
    assert list(compared.frame()["verdict"]) == ["lower"]
    assert "MyAgent" in compared.report(tmp_path / "c.html").read_text()


def test_two_results_are_matched(result: ms.Result, my_agent: Any) -> None:
    world = ms.make("echo", symbols=2, longest=0)
    other = ms.assess([my_agent, "q-learning"], world, "battery", episodes=12, seed=2)
    pairs = ms.compare(result, other, subjects="q-learning").comparisons
    assert len(pairs) == 1
    assert pairs[0].one.startswith("q-learning in assess-")
    assert not pairs[0].paired
    harder = ms.assess("random", "echo", "battery", episodes=12, seed=1)
    with pytest.raises(ms.MensuraError, match="have no subject under the same condition in common"):
        ms.compare(result, harder)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"level": 95}, "The level is 95; it lies between 0 and 1"),
        ({"correction": "hölm"}, "There is no correction 'hölm'; did you mean holm"),
        ({"subjects": "oracle"}, "There is no subject 'oracle' in the run"),
    ],
)
def test_bad_input_is_told_in_a_sentence(
    result: ms.Result, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ms.MensuraError, match=sentence):
        ms.compare(result, **given)


def test_only_results_are_compared(result: ms.Result) -> None:
    with pytest.raises(ms.MensuraError, match="A value of type str cannot be compared; hand over"):
        ms.compare(result, "my-run")  # type: ignore[arg-type]


def test_single_scores_that_were_too_many_to_hold_are_told(result: ms.Result) -> None:
    from dataclasses import replace

    assert SITTINGS > 12
    without = ms.Result(replace(result.details, samples=()))
    with pytest.raises(
        ms.MensuraError, match="too many to hold without a store; run it with store="
    ):
        ms.compare(without)
