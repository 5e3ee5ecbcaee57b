"""Transcripts in Inspect AI's log format, so that whatever reads its logs reads them: its viewer, its data frames.

A sample is a sitting. Its messages are the whole conversation in the order in which it was said, each message once;
requests leave out the oldest turns when they become too long, the log does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import Score

from mensura.adapters.inspect import chat_message
from mensura.agents.language_model.actions import FUNCTION
from mensura.agents.language_model.conversation import call_id
from mensura.records.run import Run
from mensura.statistics.moments import Moments
from mensura.studies.looking import Exchange, Interaction
from mensura.studies.transcripts import Transcript

SCORER = "score_of_sitting"
"""The name of the scores, which is that of the scorer where Inspect plays the sittings itself."""


def write_log(path: Path, run: Run, transcripts: Sequence[Transcript]) -> None:
    """Write transcripts of a run as a log: compact where the name ends in ``.eval``, as JSON where in ``.json``."""
    write_eval_log(log_of(run, transcripts), str(path))


def log_of(run: Run, transcripts: Sequence[Transcript]) -> EvalLog:
    """Transcripts of a run as a log, with a score for each subject under each condition."""
    groups: dict[tuple[str, str], list[Transcript]] = {}
    for one in transcripts:
        groups.setdefault((one.subject, one.condition), []).append(one)
    names = {
        group: SCORER if len(groups) == 1 else f"{SCORER}: {', '.join(filter(None, group))}"
        for group in groups
    }
    samples = [_sample(one, names[one.subject, one.condition]) for one in transcripts]
    used: dict[str, ModelUsage] = {}
    for sample in samples:
        for model, usage in sample.model_usage.items():
            used[model] = used.get(model, ModelUsage()) + usage
    status: Literal["success", "cancelled"] = "success" if run.status == "finished" else "cancelled"
    return EvalLog(
        status=status,
        eval=EvalSpec(
            run_id=run.name,
            created=run.started,
            task=run.name,
            task_id=run.study_hash,
            task_display_name=run.title or run.name,
            dataset=EvalDataset(
                name=run.name, samples=len(samples), sample_ids=[one.number for one in transcripts]
            ),
            model=", ".join(dict.fromkeys(one.subject for one in transcripts)),
            config=EvalConfig(),
            packages=dict(run.versions),
            metadata={"run": run.name, "seed": str(run.seed), "study_hash": run.study_hash},
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=len(samples),
            scores=[_score(names[group], own) for group, own in groups.items()],
        ),
        stats=EvalStats(started_at=run.started, completed_at=run.ended, model_usage=used),
        samples=samples,
    )


def _score(name: str, transcripts: Sequence[Transcript]) -> EvalScore:
    """The mean of some sittings with its 95% interval, as far as there are enough of them."""
    scores = np.array([one.score for one in transcripts], np.float64)
    estimate = Moments().add(scores).estimate()
    metrics = {
        "mean": estimate.value,
        "interval_low": estimate.low,
        "interval_high": estimate.high,
    }
    return EvalScore(
        name=name,
        scorer=SCORER,
        scored_samples=len(transcripts),
        metrics={
            metric: EvalMetric(name=metric, value=float(value))
            for metric, value in metrics.items()
            if math.isfinite(value)
        },
    )


def _sample(one: Transcript, scorer: str) -> EvalSample:
    messages = list(messages_of(one.interactions))
    last = next(
        (said for said in reversed(messages) if isinstance(said, ChatMessageAssistant)), None
    )
    faults = [
        {
            "episode": each.sequence,
            "interaction": each.interaction,
            "seat": each.seat,
            "kind": each.fault[0],
            "detail": each.fault[1],
        }
        for each in one.interactions
        if each.fault is not None
    ]
    usage = _usage(one.interactions)
    return EvalSample(
        id=one.number,
        epoch=1,
        input=f"Sitting {one.number} of the run {one.run}.",
        target="",
        messages=messages,
        output=ModelOutput()
        if last is None
        else ModelOutput.from_message(last).model_copy(update={"model": one.subject}),
        scores={
            scorer: Score(
                value=one.score,
                explanation=f"{one.steps} interactions, {len(one.episodes)} episodes, {len(faults)} faults",
            )
        },
        metadata={
            "subject": one.subject,
            "address": one.address,
            "condition": one.condition,
            "episodes": [
                {"training": training, "mean_reward": reward} for training, reward in one.episodes
            ],
            "rewards": [each.reward for each in one.interactions],
            "faults": faults,
            "prompts": list(one.prompts),
            "identical": one.identical,
        },
        model_usage={} if usage is None else {one.subject: usage},
        total_time=sum(each.seconds for each in one.interactions),
        turn_count=sum(len(each.exchanges) for each in one.interactions),
    )


def messages_of(interactions: Sequence[Interaction]) -> Iterator[ChatMessage]:
    """The conversation of a sitting, each message once; which episode, interaction and seat is in its metadata."""
    for one in interactions:
        where = {"episode": one.sequence, "interaction": one.interaction, "seat": one.seat}
        for number, exchange in enumerate(one.exchanges):
            system = exchange.requests[0][:1] if one.system and not number else ()
            told = [*system, exchange.requests[0][-1], *_repair(exchange)]
            for message in told:
                yield chat_message(dict(message)).model_copy(update={"metadata": where})
            yield _answer(exchange, where)


def _repair(exchange: Exchange) -> Sequence[Mapping[str, Any]]:
    """The first answer and what was said of it, where there was a second request."""
    return exchange.requests[1][-2:] if len(exchange.requests) > 1 else ()


def _answer(exchange: Exchange, where: Mapping[str, Any]) -> ChatMessageAssistant:
    """An answer, whole. Its call goes by the name that later requests have for it: the number of its turn."""
    kept = exchange.kept
    said: dict[str, Any] = {"role": "assistant", "content": str(kept.get("text") or "")}
    if kept.get("call"):
        turns = sum(one["role"] == "assistant" for one in exchange.requests[0])
        name = call_id(int(kept.get("dropped", 0)) + turns + 1)
        function = {"name": FUNCTION, "arguments": kept["call"]}
        said["tool_calls"] = [{"id": name, "function": function}]
    message = chat_message(said)
    assert isinstance(message, ChatMessageAssistant)
    content: Any = message.content
    if kept.get("reasoning"):
        content = [
            ContentReasoning(reasoning=str(kept["reasoning"])),
            ContentText(text=said["content"]),
        ]
    return message.model_copy(
        update={
            "content": content,
            "metadata": dict(where),
            "source": "generate",
            "model": kept.get("model") or None,
        }
    )


def _usage(interactions: Sequence[Interaction]) -> ModelUsage | None:
    """The tokens of a sitting; None where the service did not tell those of every answer."""
    told = [exchange.kept.get("usage", {}) for one in interactions for exchange in one.exchanges]
    counts = [(one.get("tokens_in"), one.get("tokens_out")) for one in told]
    if any(None in pair for pair in counts):
        return None
    read, written = (sum(int(pair[side] or 0) for pair in counts) for side in (0, 1))
    cached = sum(int(one.get("tokens_cached") or 0) for one in told)
    reasoning = sum(int(one.get("tokens_reasoning") or 0) for one in told)
    return ModelUsage(
        input_tokens=read - cached,
        output_tokens=written,
        total_tokens=read + written,
        input_tokens_cache_read=cached or None,
        reasoning_tokens=reasoning or None,
    )
