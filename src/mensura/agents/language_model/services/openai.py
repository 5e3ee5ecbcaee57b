"""The wire of OpenAI: the chat-completions API, which many services and servers of one's own speak."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from mensura.agents.language_model.actions import response_format
from mensura.agents.language_model.conversation import Message
from mensura.agents.language_model.services.batches import UndoneError
from mensura.agents.language_model.services.patience import (
    LARGEST_RESULTS,
    SECONDS_OF_BATCH,
    PatientService,
    Told,
    is_too_long,
    passes,
)
from mensura.agents.language_model.services.reply import (
    OtherwiseError,
    PassingError,
    RefusedError,
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

LIMITS = ("max_completion_tokens", "max_tokens")
"""The names of the limit on the length of an answer, the newer one first."""

LIKELIEST = 20
"""Of so many tokens in each place the probabilities are asked for, which is the most that there are."""

ENDPOINT = "/v1/chat/completions"
"""Where requests of a batch go."""

_UNKNOWN = re.compile(
    r"unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|not permitted|extra (inputs|fields)",
    re.IGNORECASE,
)


class OpenAIService(PatientService):
    """A service that speaks the chat-completions API of OpenAI."""

    needs = "Language models need the extra models: pip install 'mensura[models]'."

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        # Compatible services know the older name; whichever one refuses is asked by the other.
        self._limit = LIMITS[1] if settings.is_elsewhere else LIMITS[0]

    def _connected(self) -> Any:
        from openai import OpenAI

        return OpenAI(api_key=self.settings.key(), base_url=self.settings.url, max_retries=0)

    def _arguments(
        self, messages: list[Message], tools: Sequence[Mapping[str, Any]], max_tokens: int
    ) -> dict[str, Any]:
        settings = self.settings
        given: dict[str, Any] = {
            "model": settings.model,
            "messages": _with_pictures(messages),
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "seed": settings.seed,
            "reasoning_effort": settings.reasoning_effort,
            self._limit: max_tokens,
        }
        if settings.logprobs:
            given |= {"logprobs": True, "top_logprobs": LIKELIEST}
        if tools and settings.answer == "json":
            given["response_format"] = response_format(tools[0])
        elif tools:
            named = {"type": "function", "function": {"name": tools[0]["function"]["name"]}}
            choice = named if settings.tool_choice == "function" else settings.tool_choice
            given |= {"tools": list(tools), "tool_choice": choice}
            given["parallel_tool_calls"] = settings.parallel_tool_calls
        given["extra_body"] = settings.body_fields or None
        given["extra_headers"] = settings.header_fields() or None
        return {name: value for name, value in given.items() if value is not None}

    def _answer(self, arguments: dict[str, Any], seconds: float) -> Reply:
        import openai

        create = self._open().chat.completions.with_streaming_response.create
        try:
            body, _ = self._streamed(
                openai, create(**arguments, timeout=max(seconds, 0.001)), seconds
            )
        except openai.APIStatusError as error:
            raise self._failure(self._told(error), arguments) from None
        except openai.OpenAIError as error:
            raise PassingError(self._clean(in_words(error))) from None
        return read_body(body)

    def _told(self, error: Any) -> Told:
        """What the service says with a status."""
        body = mapping(error.body)
        code = str(body.get("code") or body.get("type") or "")
        said = self._clean(str(body.get("message") or error.message))
        return Told(int(error.status_code), said, code, retry_after(error.response.headers))

    def _failure(self, told: Told, arguments: Mapping[str, Any]) -> Exception:
        """What a status says: again later, otherwise, too long, or never."""
        status, said, code, after = told
        if passes(status) and code != "insufficient_quota":
            return PassingError(f"status {status}: {said}", after, free=True)
        refused, instead = LIMITS if LIMITS[0] in arguments else LIMITS[::-1]
        if status in (400, 422) and refused in said and (instead in said or _UNKNOWN.search(said)):
            return OtherwiseError(said)
        if status in (400, 413, 422) and ("context" in code or is_too_long(said)):
            return TooLongError()
        # Some services put into an error that the model was not allowed to say anything, or came to nothing in time.
        if status == 400 and ("content_filter" in code or "output limit" in said.lower()):
            return RefusedError(said)
        return self._final(status, said, where="the address up to /v1")

    def _rewritten(self, arguments: dict[str, Any], error: OtherwiseError) -> dict[str, Any]:
        """The limit on the length of an answer by its other name, from now on."""
        refused, instead = LIMITS if LIMITS[0] in arguments else LIMITS[::-1]
        self._limit = instead
        return {instead if name == refused else name: one for name, one in arguments.items()}

    # Batches: a file of requests is sent, and files of answers and of errors come of it

    def send_batch(self, bodies: Mapping[str, Mapping[str, Any]]) -> str:
        """Send requests, each by its name; the id of the batch."""
        lines = (
            {"custom_id": name, "method": "POST", "url": ENDPOINT, "body": body}
            for name, body in bodies.items()
        )
        content = "".join(json.dumps(line) + "\n" for line in lines).encode()
        client = self._batch_client()
        files, batches = (
            client.files.with_streaming_response,
            client.batches.with_streaming_response,
        )
        file = self._fetched(
            files.create(file=("requests.jsonl", content), purpose="batch"), sent=False
        )
        made = self._fetched(
            batches.create(input_file_id=id_in(file), endpoint=ENDPOINT, completion_window="24h"),
            sent=False,
        )
        return id_in(made)

    def batch_results(self, batch: str) -> Mapping[str, Mapping[str, Any]] | None:
        """What came of each request by its name; None while the batch is under way."""
        client = self._batch_client()
        found = mapping(
            read_json(self._fetched(client.batches.with_streaming_response.retrieve(batch)))
        )
        status = found.get("status")
        if status == "failed":
            raise UndoneError(self._invalid(found))
        if status not in ("completed", "expired", "cancelled"):
            return None
        results: dict[str, Mapping[str, Any]] = {}
        for name in ("output_file_id", "error_file_id"):
            file = found.get(name)
            if isinstance(file, str) and file:
                results |= read_lines(
                    self._fetched(client.files.with_streaming_response.content(file))
                )
        return results

    def _fetched(self, response: AbstractContextManager[Any], *, sent: bool = True) -> bytes:
        """The body of a response about a batch that was sent, or is to be."""
        import openai

        try:
            return self._streamed(openai, response, SECONDS_OF_BATCH, LARGEST_RESULTS)[0]
        except openai.APIStatusError as error:
            raise self._batch_failure(self._told(error), sent=sent) from None
        except openai.OpenAIError as error:
            raise PassingError(self._clean(in_words(error))) from None

    def _invalid(self, batch: Mapping[str, Any]) -> Exception:
        """Why a batch was not begun."""
        errors = mapping(batch.get("errors")).get("data")
        first = mapping(errors[0]) if isinstance(errors, list) and errors else {}
        said = self._clean(str(first.get("message") or "it failed"))
        if "limit" in str(first.get("code")):  # too much is under way already
            return PassingError(said, free=True)
        settings = self.settings
        return Unanswered(f"{settings.model} at {settings.host} refuses a batch ({said}).")

    def _read_result(self, result: Mapping[str, Any], arguments: Mapping[str, Any]) -> Reply:
        """The answer in a line of a file of answers or errors."""
        response = mapping(result.get("response"))
        status, body = count(response.get("status_code")), response.get("body")
        if status == 200:
            return read_data(body)
        error = mapping(mapping(body).get("error")) if status else mapping(result.get("error"))
        said = self._clean(str(error.get("message") or "its batch ended without an answer"))
        if not status:  # expired, or cancelled
            raise PassingError(said, free=True)
        code = str(error.get("code") or error.get("type") or "")
        raise self._failure(Told(status, said, code), arguments)


def _with_pictures(messages: list[Message]) -> list[Message]:
    """A conversation with pictures as parts of messages; that of the result of a call, which is a text, comes after."""
    found: list[Message] = []
    for message in messages:
        picture = message.get("picture")
        if picture is None:
            found.append(message)
            continue
        plain = {name: value for name, value in message.items() if name != "picture"}
        url = {"url": f"data:image/png;base64,{picture.png}"}
        parts: list[dict[str, Any]] = [{"type": "image_url", "image_url": url}]
        if message["role"] == "tool":
            found += [plain, {"role": "user", "content": parts}]
        else:
            text = {"type": "text", "text": message["content"]}
            found.append({**plain, "content": [text, *parts]})
    return found


def read_body(body: bytes) -> Reply:
    """The answer in the body of a response."""
    return read_data(read_json(body))


def read_data(data: Any) -> Reply:
    """The answer in a response. Whatever is not a chat completion is a failure of the service."""
    choices = data.get("choices") if isinstance(data, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise PassingError("it answered without a choice, which is no chat completion")
    usage = mapping(data.get("usage"))
    details_in, details_out = (
        mapping(usage.get(f"{name}_tokens_details")) for name in ("prompt", "completion")
    )
    return Reply(
        text=_text(message.get("content")) or _text(message.get("refusal")),
        calls=tuple(_calls(message.get("tool_calls"))),
        cut=choice.get("finish_reason") == "length",
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
        tokens_cached=count(details_in.get("cached_tokens")),
        tokens_reasoning=count(details_out.get("reasoning_tokens")),
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        finish=word(choice.get("finish_reason")),
        refused=bool(_text(message.get("refusal"))),
        model=word(data.get("model")),
        fingerprint=word(data.get("system_fingerprint")),
        tokens=tuple(_tokens(mapping(choice.get("logprobs")).get("content"))),
    )


def _tokens(content: Any) -> Iterator[tuple[str, tuple[tuple[str, float], ...]]]:
    """The tokens of an answer with the likeliest ones in their places, as far as they have that form."""
    for one in content if isinstance(content, list) else []:
        found = [
            (part["token"], float(part["logprob"]))
            for part in (mapping(each) for each in mapping(one).get("top_logprobs") or [])
            if isinstance(part.get("token"), str) and isinstance(part.get("logprob"), int | float)
        ]
        if isinstance(mapping(one).get("token"), str):
            yield mapping(one)["token"], tuple(found)


def _text(content: Any) -> str:
    """The words of a message; some services send them in parts."""
    if isinstance(content, str):
        return sendable(content)
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return sendable("".join(part for part in parts if isinstance(part, str)))
    return ""


def _calls(calls: Any) -> list[tuple[str, str]]:
    found = []
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            arguments = function.get("arguments")
            if not isinstance(arguments, str):
                arguments = json.dumps(arguments)
            found.append((sendable(str(function.get("name"))), sendable(arguments)))
    return found
