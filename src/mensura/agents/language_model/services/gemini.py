"""The wire of Google's Gemini API, through its own SDK.

What differs from other services: a conversation has the roles "user" and "model" and is made of parts, instructions
stand apart, and what the model thought comes as parts that say so. Newer models sign their calls, and want the
signature back with every earlier call, since it holds what they thought. Nothing that a model thought is sent again, so
calls go back with the mark that Google documents for calls without a signature.
"""

from __future__ import annotations

import json
import math
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any, NamedTuple

from mensura.agent.errors import MensuraError
from mensura.agents.language_model.actions import FUNCTION, response_format
from mensura.agents.language_model.conversation import Message, arguments_of
from mensura.agents.language_model.services.patience import (
    PatientService,
    is_too_long,
    passes,
    read_within,
)
from mensura.agents.language_model.services.reply import (
    OtherwiseError,
    PassingError,
    Reply,
    TooLongError,
    count,
    mapping,
    read_json,
    retry_after,
    sendable,
    word,
)
from mensura.agents.language_model.settings import Settings

UNSIGNED = b"skip_thought_signature_validator"
"""What stands for the signature of a call that comes without what the model thought."""

LEVELS = ("minimal", "low", "medium", "high")
"""How much it may think, in Google's words."""

_DELAY = re.compile(r"(\d+(?:\.\d+)?)s")


class GeminiService(PatientService):
    """A service that speaks the Gemini API."""

    needs = "Models of Google need the extra gemini: pip install 'mensura[gemini]'."

    def __init__(self, settings: Settings) -> None:
        """Raise if something is asked for that Gemini does not offer."""
        super().__init__(settings)
        self._shows_thoughts = True
        """Whether the model can be asked to show what it thought; one that does not think refuses it."""
        if settings.reasoning_effort not in (None, "none", *LEVELS):
            raise MensuraError(
                f"reasoning_effort is {settings.reasoning_effort!r}; Gemini models know none, "
                f"{', '.join(LEVELS[:-1])} and {LEVELS[-1]}."
            )
        if settings.parallel_tool_calls is not None:
            raise MensuraError(
                "Gemini models are not told whether calls may be parallel; leave parallel_tool_calls out."
            )

    def _connected(self) -> Any:
        import httpx2
        from google import genai

        settings = self.settings
        carrier = httpx2.Client(transport=_bounded(httpx2), timeout=None, follow_redirects=False)
        options: Any = {
            "base_url": settings.url,
            "httpx_client": carrier,
            "retry_options": {"attempts": 1},
        }
        client = genai.Client(vertexai=False, api_key=settings.key(), http_options=options)
        return _Connection(client, carrier)

    def _arguments(
        self, messages: list[Message], tools: Sequence[Mapping[str, Any]], max_tokens: int
    ) -> dict[str, Any]:
        settings = self.settings
        in_calls = bool(tools) and settings.answer == "tool"
        system = "\n\n".join(one["content"] for one in messages if one["role"] == "system")
        config: dict[str, Any] = {
            "system_instruction": system or None,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "seed": settings.seed,
            "max_output_tokens": max_tokens,
            "thinking_config": self._thinking(),
        }
        if in_calls:
            config["tools"] = [{"function_declarations": [_declared(one) for one in tools]}]
            config["tool_config"] = {"function_calling_config": self._mode(tools)}
        elif tools:
            schema = response_format(tools[0])["json_schema"]["schema"]
            config |= {"response_mime_type": "application/json", "response_json_schema": schema}
        config = {name: value for name, value in config.items() if value is not None}
        # Whatever it answers, one request is one request, read here.
        config |= {
            "automatic_function_calling": {"disable": True},
            "automatic_continuation": False,
            "should_return_http_response": True,
        }
        return {
            "model": settings.model,
            "contents": parts(messages, in_calls=in_calls),
            "config": config,
        }

    def _thinking(self) -> dict[str, Any] | None:
        effort = self.settings.reasoning_effort
        if effort == "none":
            return {"thinking_budget": 0}
        if effort is not None:
            return {"include_thoughts": True, "thinking_level": effort.upper()}
        return {"include_thoughts": True} if self._shows_thoughts else None

    def _mode(self, tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        if self.settings.tool_choice == "auto":
            return {"mode": "AUTO"}
        if self.settings.tool_choice == "function":
            name = tools[0]["function"]["name"]
            return {"mode": "ANY", "allowed_function_names": [name]}
        return {"mode": "ANY"}

    def _answer(self, arguments: dict[str, Any], seconds: float) -> Reply:
        connection = self._open()
        from google.genai import errors

        settings = self.settings
        options = {
            "timeout": max(math.ceil(1000 * seconds), 1),
            # Bytes are counted as they come, so nothing may unfold later.
            "headers": {"Accept-Encoding": "identity", **settings.header_fields()},
            "extra_body": settings.body_fields or None,
        }
        asked = {**arguments, "config": {**arguments["config"], "http_options": options}}
        try:
            response = connection.client.models.generate_content(**asked)
        except errors.APIError as error:
            raise self._failure(error, arguments) from None
        except Exception as error:
            self._raise_if_passing(error)
            raise
        return read_body((response.sdk_http_response.body or "").encode(errors="replace"))

    def _failure(self, error: Any, arguments: Mapping[str, Any]) -> Exception:
        """What a status says: again later, otherwise, too long, or never."""
        status = int(error.code)
        said = self._clean(str(error.message or error.status or ""))
        details = mapping(mapping(error.details).get("error")).get("details")
        details = (
            [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []
        )
        if passes(status):
            after = _retry_delay(details)
            if after is None:
                after = retry_after(error.response.headers)
            return PassingError(f"status {status}: {said}", after, free=True)
        if status == 400 and any(one.get("reason") == "API_KEY_INVALID" for one in details):
            return self._final(401, said)
        asked = arguments["config"].get("thinking_config")
        if status == 400 and asked == {"include_thoughts": True} and "think" in said.lower():
            return OtherwiseError(said)
        if status in (400, 413) and is_too_long(said):
            return TooLongError()
        return self._final(status, said)

    def _rewritten(self, arguments: dict[str, Any], error: OtherwiseError) -> dict[str, Any]:
        """Without the wish to be shown thoughts, from now on: this model has none."""
        self._shows_thoughts = False
        config = {
            name: one for name, one in arguments["config"].items() if name != "thinking_config"
        }
        return {**arguments, "config": config}


class _Connection(NamedTuple):
    """A client of the SDK, and what carries its requests."""

    client: Any
    carrier: Any

    def close(self) -> None:
        self.client.close()
        self.carrier.close()


def _bounded(httpx2: Any) -> Any:
    """A transport that stops reading a response which is too large, or takes longer than the request may."""

    class Body(httpx2.SyncByteStream):  # type: ignore[misc]
        def __init__(self, inner: Any, until: float) -> None:
            self._inner, self._until = inner, until

        def __iter__(self) -> Iterator[bytes]:
            yield read_within(self._inner, self._until)

        def close(self) -> None:
            self._inner.close()

    class Transport(httpx2.HTTPTransport):  # type: ignore[misc]
        def handle_request(self, request: Any) -> Any:
            allowed = request.extensions.get("timeout", {}).get("read")
            until = math.inf if allowed is None else monotonic() + allowed
            response = super().handle_request(request)
            if response.headers.get("content-encoding", "identity") != "identity":
                response.close()
                raise PassingError("it sent a compressed body, which nobody asked for")
            response.stream = Body(response.stream, until)
            return response

    return Transport()


def _declared(tool: Mapping[str, Any]) -> dict[str, Any]:
    told = tool["function"]
    return {
        "name": told["name"],
        "description": told["description"],
        "parameters_json_schema": told["parameters"],
    }


def parts(messages: Sequence[Message], *, in_calls: bool) -> list[dict[str, Any]]:
    """A conversation as Gemini's contents. Without functions, earlier calls and their results are told in words."""
    found: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "system":
            continue
        text, picture = message["content"], message.get("picture")
        content: list[dict[str, Any]] = [{"text": text}] if text else []
        if message["role"] == "tool" and in_calls:
            content = [{"function_response": {"name": FUNCTION, "response": {"output": text}}}]
        if picture is not None:
            blob = {"mime_type": "image/png", "data": b64decode(picture.png)}
            content.append({"inline_data": blob})
        for call in message.get("tool_calls", ()):
            function = call["function"]
            if in_calls:
                told = {"name": function["name"], "args": arguments_of(function["arguments"])}
                content.append({"function_call": told, "thought_signature": UNSIGNED})
            else:
                content.append({"text": f"{function['name']}({function['arguments']})"})
        role = "model" if message["role"] == "assistant" else "user"
        found.append({"role": role, "parts": content})
    return found


def read_body(body: bytes) -> Reply:
    """The answer in a response. Whatever holds neither an answer nor a reason for none is a failure of the service."""
    data = mapping(read_json(body))
    candidates = data.get("candidates")
    candidate = mapping(candidates[0]) if isinstance(candidates, list) and candidates else {}
    blocked = word(mapping(data.get("promptFeedback")).get("blockReason"))
    if not candidate and blocked is None:
        raise PassingError("it answered without a candidate, which is no answer")
    content = mapping(candidate.get("content")).get("parts")
    told = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    finish = word(candidate.get("finishReason")) or blocked
    text = _joined(told, thought=False)
    if not text and finish not in (None, "STOP", "MAX_TOKENS"):
        text = word(candidate.get("finishMessage")) or ""
    calls = [mapping(one["functionCall"]) for one in told if "functionCall" in one]
    usage = mapping(data.get("usageMetadata"))
    return Reply(
        text=text,
        calls=tuple(
            (sendable(str(call.get("name"))), sendable(json.dumps(call.get("args", {}))))
            for call in calls
        ),
        cut=finish == "MAX_TOKENS",
        tokens_in=count(usage.get("promptTokenCount")),
        tokens_out=_written(usage),
        tokens_cached=_told(usage, "cachedContentTokenCount"),
        tokens_reasoning=_told(usage, "thoughtsTokenCount"),
        reasoning=_joined(told, thought=True),
        finish=finish,
        model=word(data.get("modelVersion")),
        fingerprint=word(data.get("responseId")),
    )


def _joined(told: Sequence[Mapping[str, Any]], *, thought: bool) -> str:
    found = [one.get("text") for one in told if bool(one.get("thought")) is thought]
    return sendable("".join(one for one in found if isinstance(one, str)))


def _told(usage: Mapping[str, Any], name: str) -> int | None:
    """A count; where others are told, one that is left out is 0, as the API writes numbers."""
    return count(usage.get(name, 0)) if usage else None


def _written(usage: Mapping[str, Any]) -> int | None:
    """What it said and thought, which are counted apart."""
    said, thought = _told(usage, "candidatesTokenCount"), _told(usage, "thoughtsTokenCount")
    return None if said is None or thought is None else said + thought


def _retry_delay(details: Sequence[Mapping[str, Any]]) -> float | None:
    """The seconds that the service asks for, where it says so in the body."""
    for one in details:
        match = _DELAY.fullmatch(str(one.get("retryDelay", "")))
        if match is not None:
            return float(match[1])
    return None
