"""``ms.learn_rate``: tasks of a world or a family, and what comes back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.studies.learning import tasks_of
from mensura.studies.transfer import TransferStudy, run_transfer

WORLD = ms.make("lambda", cells=4, actions=2, horizon=20)
SMALL: dict[str, Any] = {"tasks": 8, "interactions": 128, "learners": 3, "seed": 1}


def test_a_learn_rate_has_its_coefficients_and_their_check(tmp_path: Path) -> None:
    found = ms.learn_rate("q-learning", WORLD, **SMALL, level=0.1)
    assert found.rate is not None
    assert found.rate.rate.low <= found.rate.rate.value <= found.rate.rate.high
    assert found.rate.by_complexity is not None
    assert found.rate.by_size is None, "all tasks have as many cells"
    assert found.rate.held_out.tasks == 8
    data = found.to_json()
    assert len(data["tasks"]) == len(data["times"]) == 8
    assert data["level"] == 0.1
    text = str(found)
    assert "learn rate r" in text
    assert "held-out" in text
    page = found.report(tmp_path / "rate.html", "mensura learn-rate").read_text()
    assert "Times by complexity" in page
    assert "Learning curves" in page
    assert "mensura learn-rate" in page


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_rate() -> None:
    one, two = (ms.learn_rate("q-learning", WORLD, **SMALL, level=0.1) for _ in range(2))
    assert one.to_json() == two.to_json()


@pytest.mark.thorough
def test_a_family_of_different_sizes_tells_what_size_does(tmp_path: Path) -> None:
    file = tmp_path / "sizes.yaml"
    tasks = "".join(
        f"  - {{parameters: {{cells: {3 + i % 4}, actions: 2, horizon: 20}}, environment: {i}}}\n"
        for i in range(12)
    )
    file.write_text(f"mensura: 1\ntasks:\n{tasks}")
    found = ms.learn_rate(
        "q-learning", "lambda", family=file, interactions=64, learners=2, seed=1, level=0.05
    )
    assert found.rate is not None
    assert found.rate.by_size is not None


def test_whoever_does_not_learn_has_no_rate() -> None:
    found = ms.learn_rate("random", WORLD, **SMALL)
    assert found.rate is None
    assert "Too few are left for a learn rate" in " ".join(found.sentences)
    out_of_reach = ms.learn_rate("random", WORLD, **SMALL, level=1.0)
    assert out_of_reach.rate is None
    assert "No learner of random reached the level +1.000" in out_of_reach.sentences[0]


def test_curves_are_those_of_transfer() -> None:
    study = TransferStudy("q-learning", tasks_of(WORLD, 6)[:2], 64, learners=2, episodes=1)
    whole = run_transfer(study, 1).table
    alone = run_transfer(replace(study, curves_only=True), 1).table
    assert np.array_equal(whole.curves, alone.curves)
    assert np.isnan(alone.raw).all()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"tasks": 5}, "5 tasks are too few"),
        ({"level": 1.5}, "The level 1.5 is no performance"),
        ({"measure": "weight"}, "has no complexity 'weight'; it has zlib_space_pattern"),
        ({"interactions": 0}, "0 interactions are too few"),
    ],
)
def test_bad_input_is_a_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        ms.learn_rate("random", WORLD, **{**SMALL, **given})


def test_a_task_without_a_single_environment_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "drawn.yaml"
    file.write_text("mensura: 1\ntasks:\n" + "".join(f"  - {{name: t{i}}}\n" for i in range(6)))
    with pytest.raises(MensuraError, match="The task t0 has a new environment for each episode"):
        ms.learn_rate("random", "lambda", family=file)
    with pytest.raises(MensuraError, match="2 subjects were named"):
        ms.learn_rate(["random", "q-learning"])  # type: ignore[arg-type]


@pytest.mark.thorough
def test_what_is_kept_gives_the_same_rate_and_is_not_trained_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {**SMALL, "tasks": 6, "level": 0.1}
    store = tmp_path / "store.db"
    kept = ms.learn_rate("q-learning", WORLD, **few, store=store)
    assert kept.name
    monkeypatch.setattr(
        "mensura.studies.desk.learner_sitting", lambda *given: pytest.fail("it was trained again")
    )
    again = ms.learn_rate("q-learning", WORLD, **few, store=store)
    assert again.to_json() == kept.to_json()
