"""Assessments as tasks of Inspect AI, so that whatever Inspect can drive can be assessed.

::

    inspect eval mensura/anytime --model openai/MODEL -T budget=200 -T sittings=20
    inspect eval mensura/battery --model hf/MODEL -T world=lambda-star -T episodes=50

A sample is a sitting: a solver plays it, with every answer from Inspect's model, and the scorer gives its score. So
retries, rates, caches, limits and logs are Inspect's; conversations, prompts and what counts as an action are those of
:mod:`mensura.agents.language_model`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import numpy as np
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fresh
from mensura.agents.address import Part
from mensura.agents.language_model import SECONDS_PER_ACTION
from mensura.agents.language_model.conversation import Message
from mensura.agents.language_model.player import LanguageModel
from mensura.agents.language_model.services.reply import LateError, Reply
from mensura.agents.language_model.settings import Settings, read_values
from mensura.core import usage
from mensura.statistics.moments import Moments
from mensura.studies.layout import lay_out
from mensura.studies.place import Place
from mensura.studies.stepped import Played, step
from mensura.studies.study import study_from_plain


@task
def anytime(
    world: str = "lambda",
    budget: int = 100,
    sittings: int = 20,
    seed: int | None = None,
    answer: str = "tool",
    context: int = 8000,
    prompt: str | None = None,
    timeout: float = SECONDS_PER_ACTION,
    history: str = "all",
    window: int = 8,
) -> Task:
    """The anytime test (Hernandez-Orallo and Dowe, 2010): so many chains of so many interactions each.

    ``seed`` is the root of all draws, fresh if it is left out. ``answer`` is tool or text, ``context`` the tokens of a
    conversation that a request holds, ``prompt`` a folder of prompts or a file, ``timeout`` the seconds for an action.
    ``history`` is what a request holds of earlier turns: all, window (so many as ``window`` says) or notes.
    """
    given = {"interactions": budget, "sittings": sittings}
    told = _told(answer, context, prompt, history, window)
    return _task("anytime", given, world, seed, timeout, told)


@task
def battery(
    world: str = "lambda",
    episodes: int = 20,
    seed: int | None = None,
    answer: str = "tool",
    context: int = 8000,
    prompt: str | None = None,
    timeout: float = SECONDS_PER_ACTION,
    history: str = "all",
    window: int = 8,
) -> Task:
    """A battery: so many environments over the complexities of a world, an episode in each."""
    told = _told(answer, context, prompt, history, window)
    return _task("battery", {"episodes": episodes}, world, seed, timeout, told)


def _told(
    answer: str, context: int, prompt: str | None, history: str, window: int
) -> dict[str, Any]:
    """How the model is asked, as settings."""
    given = {
        "answer": answer,
        "context": str(context),
        "history": history,
        "window": str(window),
        **({"prompt": prompt} if prompt else {}),
    }
    if answer == "json":
        raise MensuraError("Inspect is asked for calls or for words: answer is tool or text.")
    return read_values(given, "of Inspect")


def _task(
    assessment: str,
    parameters: Mapping[str, Any],
    world: str,
    seed: int | None,
    timeout: float,
    values: Mapping[str, Any],
) -> Task:
    chosen = fresh() if seed is None else seed
    study = study_from_plain(
        {
            "mensura": 1,
            "name": f"inspect-{assessment}",
            "title": f"{assessment} on {world}",
            "seed": chosen,
            "subjects": ["random"],
            "worlds": [world],
            "assessments": [{"assessment": assessment, "parameters": dict(parameters)}],
            "limits": {"seconds_per_action": timeout},
        }
    )
    (place,) = lay_out(study, chosen).places
    return Task(
        dataset=[
            Sample(input=f"Sitting {item + 1} of {assessment} on {world}.", id=item + 1)
            for item in range(place.cell.sittings)
        ],
        solver=sit_down(place, values),
        scorer=score_of_sitting(),
        metadata={"world": place.world.id, "assessment": assessment, "seed": str(chosen)},
    )


@solver
def sit_down(place: Place, values: Mapping[str, Any]) -> Solver:
    """Play the sitting of a sample with the model of the evaluation in the place of the subject."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()
        name = f"inspect:{model}"
        part = Part(f"openai:{model}")
        settings = Settings(model=str(model), base_url="http://inspect", **values)
        service = InspectService(model)
        subject = LanguageModel(part, settings, place.world, service=service)
        cell = replace(place.cell, subject=str(part), name=name, compiled=False)
        own = Place(cell, place.world, subject, place.assessment)
        item = int(state.sample_id) - 1
        # Whoever cancels the sample does not wait for the thread: its next answer never comes.
        played = await anyio.to_thread.run_sync(partial(step, own, item), abandon_on_cancel=True)
        state.metadata["sitting"] = told_of(played, subject)
        state.messages = service.conversation
        state.output = service.output or state.output
        state.completed = True
        return state

    return solve


def told_of(played: Played, subject: LanguageModel) -> dict[str, Any]:
    """What a sitting left behind, as plain data."""
    totals: dict[str, float] = {}
    faults = []
    for _, episode, _ in played.episodes:
        for name, value in subject_measures(episode.measures).items():
            totals[name] = totals.get(name, 0.0) + value
        faults += [f"{fault.kind}: {fault.detail}" for fault in episode.faults]
    return {
        "score": played.score,
        "episodes": len(played.episodes),
        "interactions": sum(sum(episode.interactions) for _, episode, _ in played.episodes),
        "complexities": [complexity for _, _, complexity in played.episodes],
        "rewards": [episode.mean_reward for _, episode, _ in played.episodes],
        "faults": faults,
        "measures": totals,
        "prompts": subject.prompts.hash,
    }


def subject_measures(measures: Mapping[str, float]) -> dict[str, float]:
    """Those of an episode's measures that tell what the model took."""
    names = (
        usage.REQUESTS,
        usage.TOKENS_IN,
        usage.TOKENS_OUT,
        usage.REQUEST_SECONDS,
        usage.REPAIRS,
        usage.REFUSALS,
        usage.HELD,
    )
    return {name: measures[name] for name in names if name in measures}


@metric
def interval_low() -> Metric:
    """The lower end of the 95% interval of the score, from the scatter of sittings."""

    def low(scores: list[SampleScore]) -> float:
        return _interval(scores)[0]

    return low


@metric
def interval_high() -> Metric:
    """The upper end of it."""

    def high(scores: list[SampleScore]) -> float:
        return _interval(scores)[1]

    return high


def _interval(scores: Sequence[SampleScore]) -> tuple[float, float]:
    values = np.array([one.score.as_float() for one in scores], np.float64)
    estimate = Moments().add(values).estimate()
    return float(estimate.low), float(estimate.high)


@scorer(metrics=[mean(), stderr(), interval_low(), interval_high()])
def score_of_sitting() -> Scorer:
    """The score of a sitting, from -1 to 1; a random subject scores 0 where the world is balanced."""

    async def score(state: TaskState, target: Target) -> Score:
        sitting = state.metadata["sitting"]
        faults = sitting["faults"]
        return Score(
            value=sitting["score"],
            explanation=f"{sitting['interactions']} interactions, {sitting['episodes']} episodes, {len(faults)} faults"
            + (f"; the first: {faults[0]}" if faults else ""),
            metadata=sitting,
        )

    return score


class InspectService:
    """Inspect's model as the service that completes chats; called in a thread beside Inspect's loop."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.conversation: list[ChatMessage] = []
        """What was said in all requests, in order, each message once."""
        self.output: ModelOutput | None = None
        """The last one."""

    def check(self, tools: Sequence[Mapping[str, Any]]) -> None:
        """Inspect finds out for itself."""

    def hurry(self) -> None:
        """Inspect cancels whoever waits."""

    def complete(
        self, messages: list[Message], tools: Sequence[Mapping[str, Any]], deadline: float
    ) -> Reply:
        """The answer of the model; Inspect's retries are part of its time."""
        reply: Reply = anyio.from_thread.run(self._generate, messages, tools, deadline)
        return reply

    def _note(self, sent: Sequence[ChatMessage]) -> None:
        """Take up what is new in a request: its last message, and its first where that is another than before."""
        told = [one for one in self.conversation if isinstance(one, ChatMessageSystem)]
        if not told or told[-1].text != sent[0].text:
            self.conversation.append(sent[0])
        if len(sent) > 2 and isinstance(sent[-1], ChatMessageTool):
            self._name_call(sent[-2], sent[-1].tool_call_id)
        self.conversation.append(sent[-1])

    def _name_call(self, answer: ChatMessage, name: str | None) -> None:
        """Let the call of the last such answer go by the name that requests have for it, as its result does."""
        assert isinstance(answer, ChatMessageAssistant)
        wanted = [one.arguments for one in answer.tool_calls or ()]
        for place, one in reversed([*enumerate(self.conversation)]):
            calls = one.tool_calls or [] if isinstance(one, ChatMessageAssistant) else []
            if name is not None and [call.arguments for call in calls[:1]] == wanted:
                renamed = [replace(call, id=name) for call in calls]
                self.conversation[place] = one.model_copy(update={"tool_calls": renamed})
                return

    async def _generate(
        self, messages: list[Message], tools: Sequence[Mapping[str, Any]], deadline: float
    ) -> Reply:
        begun = perf_counter()
        output = None
        sent = [chat_message(one) for one in messages]
        self._note(sent)
        with anyio.move_on_after(deadline):
            output = await self.model.generate(
                sent,
                tools=[_tool(one["function"]) for one in tools],
                tool_choice="any" if tools else "none",
            )
        seconds = perf_counter() - begun
        if output is None:
            raise LateError(seconds, 0)
        if not output.choices:
            return Reply("", seconds=seconds)
        message = output.message
        self.conversation.append(message)
        self.output = output
        used = output.usage
        read = None
        if used is not None:
            cached = (used.input_tokens_cache_read or 0) + (used.input_tokens_cache_write or 0)
            read = used.input_tokens + cached
        return Reply(
            text=message.text,
            calls=tuple(
                (call.function, "" if call.parse_error else json.dumps(call.arguments))
                for call in message.tool_calls or ()
            ),
            cut=output.stop_reason == "max_tokens",
            tokens_in=read,
            tokens_out=None if used is None else used.output_tokens,
            seconds=seconds,
        )


def chat_message(message: Message) -> ChatMessage:
    """A message of ours as Inspect's."""
    text = message["content"]
    if message["role"] == "system":
        return ChatMessageSystem(content=text)
    if message["role"] == "user":
        return ChatMessageUser(content=text)
    if message["role"] == "tool":
        return ChatMessageTool(content=text, tool_call_id=message["tool_call_id"], function="act")
    calls = [
        ToolCall(
            id=call["id"],
            function=call["function"]["name"],
            arguments=_arguments(call["function"]["arguments"]),
        )
        for call in message.get("tool_calls", ())
    ]
    return ChatMessageAssistant(content=text, tool_calls=calls or None)


def _arguments(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _tool(function: Mapping[str, Any]) -> ToolInfo:
    return ToolInfo(
        name=function["name"],
        description=function["description"],
        parameters=ToolParams.model_validate(function["parameters"]),
    )
