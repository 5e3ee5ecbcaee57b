"""Transcripts of a run as logs of Inspect AI, read back by Inspect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Server, completion, first_action

pytest.importorskip("inspect_ai")
pytest.importorskip("openai")

from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool

from mensura.adapters.inspect_log import SCORER, write_log
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.study import study_from_plain
from mensura.studies.transcripts import listed, transcript


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """A model that reasons, and whose answer to some requests is no action at first."""
    good = first_action(request)
    good["choices"][0]["message"]["reasoning"] = "because"
    if len(request["messages"]) == 4:
        return completion("left or right?")
    return good


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[EvalLog, EvalLog, list[Any]]:
    """The logs of a run in both forms, and every request that was sent."""
    folder = tmp_path_factory.mktemp("logs")
    with pytest.MonkeyPatch.context() as patch, Server(reply).running() as server:
        patch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
        study = study_from_plain(
            {
                "mensura": 1,
                "name": "models",
                "seed": 7,
                "subjects": [
                    {
                        "subject": "openai:toy",
                        "parameters": {"base_url": server.url, "concurrency": 1},
                    }
                ],
                "worlds": [{"world": "lambda-v1", "parameters": {"horizon": 4}}],
                "assessments": [
                    {"assessment": "battery", "parameters": {"episodes": 3, "spread": "any"}}
                ],
            }
        )
        with open_store(folder / "mensura.db") as store:
            run = runs.begin(store, study)
            runs.resume(store, run, manner=runs.Manner("threads", 1))
            run = store.find("models")
            read = [transcript(store, run, one.number) for one in listed(store, run)]
    found = []
    for name in ("said.eval", "said.json"):
        write_log(folder / name, run, read)
        found.append(read_eval_log(str(folder / name)))
    sent = [one["messages"] for one in server.requests if one["max_tokens"] != 16]
    return found[0], found[1], sent


def test_a_sample_is_a_sitting_with_its_conversation(
    logs: tuple[EvalLog, EvalLog, list[Any]],
) -> None:
    log, as_json, sent = logs
    assert log.status == "success"
    assert log.samples is not None
    assert as_json.samples is not None
    assert [one.id for one in log.samples] == [0, 1, 2]
    texts = [[message.text for message in one.messages] for one in log.samples]
    assert texts == [[message.text for message in one.messages] for one in as_json.samples]
    first = log.samples[0].messages
    roles = ["system", "user", "assistant", "tool", "assistant", "user", "assistant"]
    assert [one.role for one in first[:7]] == roles
    assert [one.text for one in first[:2]] == [one["content"] for one in sent[0]]
    assert first[4].text == "left or right?"
    assert first[5].text == sent[2][-1]["content"]
    last = first[-1]
    assert isinstance(last, ChatMessageAssistant)
    assert last.tool_calls is not None
    assert "because" in str(last.content)
    assert last.metadata == {"episode": 0, "interaction": 3, "seat": 0}
    named = [
        call.id
        for one in first
        if isinstance(one, ChatMessageAssistant)
        for call in one.tool_calls or ()
    ]
    results = [one.tool_call_id for one in first if isinstance(one, ChatMessageTool)]
    assert results == named[: len(results)]


def test_scores_usage_rewards_and_prompts_are_in_it(
    logs: tuple[EvalLog, EvalLog, list[Any]],
) -> None:
    log, _, sent = logs
    assert log.samples is not None
    assert log.results is not None
    scores = [one.scores[SCORER].as_float() for one in log.samples if one.scores]
    (result,) = log.results.scores
    assert result.metrics["mean"].value == pytest.approx(sum(scores) / 3)
    assert result.metrics["interval_low"].value <= result.metrics["interval_high"].value
    (used,) = log.stats.model_usage.values()
    assert used.input_tokens == 100 * len(sent)
    for one in log.samples:
        assert len(one.metadata["rewards"]) == 4
        assert one.metadata["faults"] == []
        assert len(one.metadata["prompts"]) == 1
        assert one.metadata["identical"]
    assert "sk-test" not in log.model_dump_json()


def test_the_command_writes_logs(
    logs: tuple[EvalLog, EvalLog, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    from mensura.cli.main import main

    store = Path(logs[0].location.removeprefix("file://")).parent / "mensura.db"
    file = tmp_path / "two.eval"
    words = ["transcript", "models", "0", "2", "-o", str(file), "--store", str(store)]
    monkeypatch.setattr(sys, "argv", ["mensura", *words])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    samples = read_eval_log(str(file)).samples
    assert samples is not None
    assert [one.id for one in samples] == [0, 2]
