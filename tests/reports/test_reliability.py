"""What reports say about reliability."""

import numpy as np
import pytest
from tests.statistics.samples import sample

from mensura.reports.protocols import Unit
from mensura.reports.reliability import covered, halved, panels, retested, sentences, settled
from mensura.statistics.sample import Sample

pytestmark = pytest.mark.quick


def subjects(count: int = 5, sittings: int = 40, runs: int = 2) -> list[Sample]:
    rng = np.random.default_rng(1)
    run = np.repeat(np.arange(runs), sittings // runs)
    return [
        sample(rng.normal(0.2 * i, 0.1, sittings), run=run, label=f"subject {i}")
        for i in range(count)
    ]


@pytest.mark.usefixtures("words_only")
def test_subjects_that_differ_are_reliable_and_settled() -> None:
    text = " ".join(sentences(subjects(), 1))
    assert "Twice as many sittings are expected to move a score by 0.0" in text
    assert "ICC(2,1) 0.99" in text or "ICC(2,1) 1.00" in text
    assert "Two halves of the environments agree on the subjects" in text
    assert "intervals at 95.0% held the mean" in text
    assert "drift" not in text


def test_a_drift_is_told() -> None:
    rising = sample(np.linspace(0, 1, 50), label="learner")
    assert any(
        "learner (+1.000 from the first sitting to the last)" in s for s in settled([rising])
    )


def test_nothing_is_said_where_nothing_can_be() -> None:
    alone = [sample([0.5], label="one")]
    assert list(settled(alone)) == [
        "A single sitting does not tell how far its score is from settled."
    ]
    assert not [*retested(alone), *halved(alone, 1), *covered(alone, 1)]


def test_rare_scores_are_told_to_have_short_intervals() -> None:
    rare = sample(np.eye(1, 40)[0], label="rare")
    assert any("too short" in sentence for sentence in covered([rare], 1))


def test_every_subject_has_a_figure_of_how_its_score_settled() -> None:
    found = panels(subjects(3), Unit("chain", "chains"))
    assert [one["name"] for one in found] == ["subject 0", "subject 1", "subject 2"]
    assert found[0]["caption"].startswith("After 40 chains: +0.0")
    assert "chains [number]" in found[0]["svg"]
    assert not panels([sample([0.1, 0.2], label="short")])


@pytest.mark.usefixtures("words_only")
def test_words_are_those_of_the_assessment() -> None:
    text = " ".join(sentences(subjects(), 1, Unit("chain", "chains")))
    assert "Twice as many chains are expected" in text
    assert "sitting" not in text


def test_of_thousands_nobody_tries_intervals() -> None:
    assert not list(covered([sample(np.tile([0.0, 1.0], 600))], 1))
