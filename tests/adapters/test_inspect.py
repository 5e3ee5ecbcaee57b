"""Assessments as tasks of Inspect AI, end to end against a server on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Act, Server, completion, error, first_action

pytest.importorskip("inspect_ai")

ROOT = Path(__file__).resolve().parents[2]
TASK = ROOT / "src" / "mensura" / "adapters" / "inspect.py"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


def evaluated(server: Server, folder: Path, task: str, *more: str) -> dict[str, Any]:
    """The log of ``inspect eval`` of a task of ours, in a process of its own, as people run it."""
    environment = {
        **os.environ,
        "TOY_API_KEY": "sk-test-0123456789abcdefghij",
        "TOY_BASE_URL": server.url,
        "PYTHONPATH": str(ROOT / "src"),
        "INSPECT_LOG_DIR": str(folder),
        "INSPECT_LOG_FORMAT": "json",
        "INSPECT_DISPLAY": "plain",
    }
    command = [sys.executable, "-m", "inspect_ai", "eval", task, "--model", "openai-api/toy/model"]
    done = subprocess.run(
        [*command, "--no-fail-on-error", *more],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    logs = list(folder.glob("*.json"))
    assert len(logs) == 1, done.stdout + done.stderr
    log: dict[str, Any] = json.loads(logs[0].read_text(encoding="utf-8"))
    return log


def metrics(log: dict[str, Any]) -> dict[str, float]:
    (scores,) = log["results"]["scores"]
    return {name: one["value"] for name, one in scores["metrics"].items()}


def test_the_anytime_test_is_a_task_with_a_sample_for_each_sitting(
    server: Server, tmp_path: Path
) -> None:
    """Also when the service misbehaves: Inspect tries again, and answers that are no action are mended once."""
    bad = [Act(500, error("oops")), Act(body=completion("I go left"))]
    server.script = bad
    log = evaluated(
        *(server, tmp_path, f"{TASK}@anytime"),
        *("-T", "budget=12", "-T", "sittings=3", "-T", "seed=5"),
    )
    assert log["status"] == "success", log.get("error")
    assert len(log["samples"]) == 3
    assert set(metrics(log)) == {"mean", "stderr", "interval_low", "interval_high"}
    found = metrics(log)
    assert found["interval_low"] <= found["mean"] <= found["interval_high"]
    sittings = [one["metadata"]["sitting"] for one in log["samples"]]
    assert all(not sitting["faults"] for sitting in sittings)
    assert sum(sitting["measures"]["repairs"] for sitting in sittings) == 1
    assert all(sitting["interactions"] >= 12 for sitting in sittings)
    assert "A star and a diamond go about" in server.requests[-1]["messages"][0]["content"]
    assert server.requests[-1]["tools"][0]["function"]["name"] == "act"
    assert "sk-test" not in json.dumps(log)
    assert sum(len(one["messages"]) for one in log["samples"]) > 3 * 24
    for sample in log["samples"]:
        messages = sample["messages"]
        assert [one["role"] for one in messages[:3]] == ["system", "user", "assistant"]
        assert messages[-1]["role"] == "assistant"
        assert sample["output"]["choices"][0]["message"]["role"] == "assistant"
        answers = [one for one in messages if one["role"] == "assistant"]
        results = [one for one in messages if one["role"] == "tool"]
        named = [call["id"] for one in answers for call in one.get("tool_calls") or ()]
        # The last call of each conversation has no result, and keeps the name that the service gave it.
        assert [one["tool_call_id"] for one in results] == [one for one in named if one != "x0"]
    said = [one["content"] for sample in log["samples"] for one in sample["messages"]]
    assert said.count("I go left") == 1


def test_scores_are_those_of_our_own_loop(server: Server, tmp_path: Path) -> None:
    """Inspect's model and our own service give the same answers, so the scores are the same."""
    pytest.importorskip("openai")
    from mensura.studies import runs
    from mensura.studies.study import study_from_plain

    log = evaluated(
        *(server, tmp_path, f"{TASK}@anytime"),
        *("-T", "budget=8", "-T", "sittings=2", "-T", "seed=9", "-T", "answer=text"),
    )
    assert log["status"] == "success", log.get("error")
    own = runs.run_study(
        study_from_plain(
            {
                "mensura": 1,
                "name": "own",
                "title": "own",
                "seed": 9,
                "subjects": [
                    {
                        "subject": "openai:toy",
                        "parameters": {"base_url": server.url, "answer": "text"},
                    }
                ],
                "worlds": ["lambda"],
                "assessments": [
                    {
                        "assessment": "anytime",
                        "parameters": {"interactions": 8, "sittings": 2},
                    }
                ],
            }
        )
    )
    assert metrics(log)["mean"] == pytest.approx(own.conditions[0].subjects[0].moments.mean)


def test_a_request_holds_as_much_of_the_history_as_is_wanted(
    server: Server, tmp_path: Path
) -> None:
    log = evaluated(
        *(server, tmp_path, f"{TASK}@battery"),
        *("-T", "episodes=1", "-T", "seed=9", "-T", "history=window", "-T", "window=1"),
    )
    assert log["status"] == "success", log.get("error")
    # The instructions, a turn of two messages, and what is told now.
    assert [len(one["messages"]) for one in server.requests[:4]] == [2, 4, 4, 4]


def test_an_answer_that_does_not_come_is_late(server: Server, tmp_path: Path) -> None:
    def answer(request: dict[str, Any]) -> Any:
        import time

        time.sleep(1.5 if len(request["messages"]) == 2 else 0.0)
        return first_action(request)

    server.answerer = answer
    log = evaluated(
        *(server, tmp_path, f"{TASK}@anytime"),
        *("-T", "budget=8", "-T", "sittings=1", "-T", "seed=9", "-T", "timeout=0.7"),
    )
    assert log["status"] == "success", log.get("error")
    (sample,) = log["samples"]
    assert sample["metadata"]["sitting"]["faults"][0].startswith("late: no answer after 0.7 s")
