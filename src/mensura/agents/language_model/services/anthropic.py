"""The wire of Anthropic: its Messages API, through its own SDK.

What differs from other services: instructions stand apart from the conversation, calls and their results are blocks of
messages, what the model thought comes as blocks of its own, and tokens that its cache holds are counted apart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import urlsplit

from mensura.agent.errors import MensuraError
from mensura.agents.language_model.actions import response_format
from mensura.agents.language_model.conversation import Message, arguments_of
from mensura.agents.language_model.services.patience import (
    LARGEST_RESULTS,
    SECONDS_OF_BATCH,
    PatientService,
    Told,
    is_too_long,
    passes,
)
from mensura.agents.language_model.services.reply import (
    PassingError,
    Reply,
    TooLongError,
    count,
    id_in,
    in_words,
    mapping,
    read_json,
    read_lines,
    retry_after,
    sendable,
    word,
)
from mensura.agents.language_model.settings import Settings
from mensura.core.players import Unanswered

EFFORTS = ("low", "medium", "high", "xhigh", "max")
"""How much it may think, in Anthropic's words."""


STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The statuses of failures, which results of batches name by their kind; 500 of any other."""


class AnthropicService(PatientService):
    """A service that speaks Anthropic's Messages API."""

    needs = "Models of Anthropic need the extra anthropic: pip install 'mensura[anthropic]'."

    def __init__(self, settings: Settings) -> None:
        """Raise if something is asked for that Anthropic does not offer."""
        super().__init__(settings)
        if settings.seed is not None:
            raise MensuraError("Anthropic's models take no seed; leave seed out.")
        effort = settings.reasoning_effort
        if effort is None or effort == "none":
            return
        if effort not in EFFORTS:
            raise MensuraError(
                f"reasoning_effort is {effort!r}; Anthropic's models know none, {', '.join(EFFORTS[:-1])} and "
                f"{EFFORTS[-1]}."
            )
        if settings.answer == "tool" and settings.tool_choice != "auto":
            raise MensuraError(
                "Anthropic's models do not reason where they are held to call a function; with reasoning_effort, add "
                "tool_choice=auto, or answer=json or text."
            )

    def _connected(self) -> Any:
        from anthropic import Anthropic

        settings = self.settings
        return Anthropic(
            api_key=settings.key(), base_url=settings.url, max_retries=0, open_telemetry=False
        )

    def _arguments(
        self, messages: list[Message], tools: Sequence[Mapping[str, Any]], max_tokens: int
    ) -> dict[str, Any]:
        settings = self.settings
        in_calls = bool(tools) and settings.answer == "tool"
        given: dict[str, Any] = {
            "model": settings.model,
            "max_tokens": max_tokens,
            "system": "\n\n".join(_instructions(messages)) or None,
            "messages": blocks(messages, in_calls=in_calls),
        }
        output: dict[str, Any] = {}
        if settings.reasoning_effort == "none":
            given["thinking"] = {"type": "disabled"}
        elif settings.reasoning_effort is not None:
            given["thinking"] = {"type": "adaptive", "display": "summarized"}
            output["effort"] = settings.reasoning_effort
        if in_calls:
            given |= {"tools": [_tool(one) for one in tools], "tool_choice": self._choice(tools)}
        elif tools:
            output["format"] = {"type": "json_schema", "schema": _schema(tools[0])}
        given["output_config"] = output or None
        # The SDK has no arguments for these, which newer models do not take; it sends them as they are.
        others = {"temperature": settings.temperature, "top_p": settings.top_p}
        others = {name: value for name, value in others.items() if value is not None}
        given["extra_body"] = {**others, **settings.body_fields} or None
        given["extra_headers"] = settings.header_fields() or None
        return {name: value for name, value in given.items() if value is not None}

    def _choice(self, tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        settings = self.settings
        choice: dict[str, Any] = {"type": "any"}
        if settings.tool_choice == "function":
            choice = {"type": "tool", "name": tools[0]["function"]["name"]}
        elif settings.tool_choice == "auto":
            choice = {"type": "auto"}
        return {**choice, "disable_parallel_tool_use": not settings.parallel_tool_calls}

    def _answer(self, arguments: dict[str, Any], seconds: float) -> Reply:
        import anthropic

        create = self._open().messages.with_streaming_response.create
        try:
            body, headers = self._streamed(
                anthropic, create(**arguments, timeout=max(seconds, 0.001)), seconds
            )
        except anthropic.APIStatusError as error:
            raise self._failure(self._told(error)) from None
        except anthropic.AnthropicError as error:
            raise PassingError(self._clean(in_words(error))) from None
        return read_body(body, headers)

    def _told(self, error: Any) -> Told:
        """What the service says with a status."""
        told = mapping(mapping(error.body).get("error"))
        said = self._clean(str(told.get("message") or error.message))
        return Told(int(error.status_code), said, after=retry_after(error.response.headers))

    def _failure(self, told: Told) -> Exception:
        """What a status says: again later, too long, or never."""
        status, said = told.status, told.said
        if passes(status):  # 529 is a service that has too much to do
            return PassingError(f"status {status}: {said}", told.after, free=True)
        if status == 413 or (
            status == 400 and (is_too_long(said) or "exceed context limit" in said.lower())
        ):
            return TooLongError()
        if status == 400 and "tool_choice" in said and "thinking" in said.lower():
            return Unanswered(self._refused(status, said) + "; add tool_choice=auto.")
        return self._final(status, said)

    # Batches

    def send_batch(self, bodies: Mapping[str, Mapping[str, Any]]) -> str:
        """Send requests, each by its name; the id of the batch."""
        requests = [{"custom_id": name, "params": body} for name, body in bodies.items()]
        batches = self._batch_client().messages.batches.with_streaming_response
        return id_in(self._fetched(batches.create(requests=requests), sent=False))

    def batch_results(self, batch: str) -> Mapping[str, Mapping[str, Any]] | None:
        """What came of each request by its name; None while the batch is under way."""
        batches = self._batch_client().messages.batches.with_streaming_response
        found = mapping(read_json(self._fetched(batches.retrieve(batch))))
        if found.get("processing_status") != "ended":
            return None
        place = urlsplit(str(found.get("results_url") or "")).netloc
        if place != urlsplit(self.settings.url).netloc:
            raise Unanswered(
                f"The results of a batch at {self.settings.host} are said to be at {self._clean(place) or 'no place'}; "
                "the key is not sent there."
            )
        return read_lines(self._fetched(batches.results(batch)))

    def _fetched(self, response: AbstractContextManager[Any], *, sent: bool = True) -> bytes:
        """The body of a response about a batch that was sent, or is to be."""
        import anthropic

        try:
            return self._streamed(anthropic, response, SECONDS_OF_BATCH, LARGEST_RESULTS)[0]
        except anthropic.APIStatusError as error:
            raise self._batch_failure(self._told(error), sent=sent) from None
        except anthropic.AnthropicError as error:
            raise PassingError(self._clean(in_words(error))) from None

    def _read_result(self, result: Mapping[str, Any], arguments: Mapping[str, Any]) -> Reply:
        """The answer in a line of the results of a batch."""
        told = mapping(result.get("result"))
        if told.get("type") == "succeeded":
            answer = mapping(told.get("message"))
            return read_data(answer, answer.get("id"))
        error = mapping(mapping(told.get("error")).get("error"))
        if not error:  # expired, or canceled
            raise PassingError("its batch ended without an answer", free=True)
        said = self._clean(str(error.get("message")))
        raise self._failure(Told(STATUSES.get(str(error.get("type")), 500), said))


def _instructions(messages: Sequence[Message]) -> list[str]:
    return [one["content"] for one in messages if one["role"] == "system" and one["content"]]


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    told = tool["function"]
    return {
        "name": told["name"],
        "description": told["description"],
        "input_schema": told["parameters"],
    }


def _schema(tool: Mapping[str, Any]) -> dict[str, Any]:
    """The form of an answer; what Anthropic does not enforce, as bounds of numbers, goes into descriptions."""
    from anthropic import transform_schema

    schema: dict[str, Any] = response_format(tool)["json_schema"]["schema"]
    found: dict[str, Any] = transform_schema(_without_lists(schema))
    return found


def _without_lists(schema: Any) -> Any:
    """A schema with each list of types as alternatives, as the SDK wants it."""
    if isinstance(schema, list):
        return [_without_lists(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _without_lists(one) for name, one in schema.items()}
    if isinstance(found.get("type"), list):
        found["anyOf"] = [{"type": one} for one in found.pop("type")]
    return found


def blocks(messages: Sequence[Message], *, in_calls: bool) -> list[dict[str, Any]]:
    """A conversation as Anthropic's messages. Without functions, earlier calls and their results are told in words."""
    found: list[dict[str, Any]] = []
    for message in messages:
        text, picture = message["content"], message.get("picture")
        content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        if picture is not None:
            source = {"type": "base64", "media_type": "image/png", "data": picture.png}
            content.append({"type": "image", "source": source})
        if message["role"] == "system":
            continue
        if message["role"] == "tool" and in_calls:
            result = {"type": "tool_result", "tool_use_id": message["tool_call_id"]}
            content = [{**result, "content": content}]
        for call in message.get("tool_calls", ()):
            function = call["function"]
            if in_calls:
                told = arguments_of(function["arguments"])
                use = {"type": "tool_use", "id": call["id"], "name": function["name"]}
                content.append({**use, "input": told})
            else:
                words = f"{function['name']}({function['arguments']})"
                content.append({"type": "text", "text": words})
        role = "assistant" if message["role"] == "assistant" else "user"
        found.append({"role": role, "content": content})
    return found


def read_body(body: bytes, headers: Mapping[str, str]) -> Reply:
    """The answer in a response."""
    # It tells no version beside the model's name: the request is what can be asked about.
    return read_data(mapping(read_json(body)), headers.get("request-id"))


def read_data(data: Mapping[str, Any], request: Any) -> Reply:
    """The answer in a message, with the id of its request. Whatever is not a message is a failure of the service."""
    content = data.get("content")
    if not isinstance(content, list):
        raise PassingError("it answered without content, which is no message")
    parts = [part for part in content if isinstance(part, dict)]
    finish = word(data.get("stop_reason"))
    text = _joined(parts, "text", "text")
    if finish == "refusal" and not text:
        text = word(mapping(data.get("stop_details")).get("explanation")) or "(a refusal)"
    usage = mapping(data.get("usage"))
    read, cached = count(usage.get("input_tokens")), count(usage.get("cache_read_input_tokens"))
    if read is not None:  # what went into the cache or came out of it is counted apart
        read += (cached or 0) + (count(usage.get("cache_creation_input_tokens")) or 0)
    details = mapping(usage.get("output_tokens_details"))
    return Reply(
        text=text,
        calls=tuple(
            (sendable(str(part.get("name"))), sendable(json.dumps(part.get("input"))))
            for part in parts
            if part.get("type") == "tool_use"
        ),
        cut=finish in ("max_tokens", "model_context_window_exceeded"),
        tokens_in=read,
        tokens_out=count(usage.get("output_tokens")),
        tokens_cached=cached,
        tokens_reasoning=count(details.get("thinking_tokens")),
        reasoning=_joined(parts, "thinking", "thinking"),
        finish=finish,
        model=word(data.get("model")),
        fingerprint=word(request),
    )


def _joined(parts: Sequence[Mapping[str, Any]], kind: str, name: str) -> str:
    found = [part.get(name) for part in parts if part.get("type") == kind]
    return sendable("".join(one for one in found if isinstance(one, str)))
