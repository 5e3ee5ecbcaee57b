"""The service against a real server that misbehaves on purpose, with the real SDK."""

from __future__ import annotations

import logging
import pickle
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.agents.language_model.server import Act, Server, completion, error

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Discrete
from mensura.agents.language_model.actions import function
from mensura.agents.language_model.rates import shared
from mensura.agents.language_model.services import patience as module
from mensura.agents.language_model.services.openai import OpenAIService, read_body
from mensura.agents.language_model.services.reply import LateError, TooLongError
from mensura.agents.language_model.settings import Settings
from mensura.core.contract import Stopped
from mensura.core.players import Unanswered

TOLD: list[dict[str, Any]] = [{"role": "user", "content": "what now?"}]
TOOLS = [function(Discrete(3))]
KEY = "sk-test-0123456789abcdefghij"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")  # here, since it takes a second
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def service(server: Server) -> Iterator[OpenAIService]:
    made = OpenAIService(Settings("toy", base_url=server.url, retries=3, patience=5.0))
    yield made
    made.close()


def test_an_answer_comes_with_its_call_its_tokens_and_its_time(service: OpenAIService) -> None:
    reply = service.complete(TOLD, TOOLS, 60.0)
    assert reply.calls == (("act", '{"action": 0}'),)
    assert (reply.tokens_in, reply.tokens_out, reply.retries) == (100, 10, 0)
    assert 0.0 < reply.seconds < 60.0


PASSING = {
    "429": Act(429, error("slow down")),
    "500": Act(500, error("oops")),
    "503 in plain text": Act(503, b"upstream", content_type="text/plain"),
    "408": Act(408, b""),
    "hangs up": Act(hang_up=True),
    "truncated": Act(truncate=40),
    "no JSON": Act(body=b"<html>welcome</html>", content_type="text/html"),
    "JSON of something else": Act(body=[1, 2]),
    "no choices": Act(body={**completion("x"), "choices": []}),
    "choices that are none": Act(body={**completion("x"), "choices": ["x"]}),
    "empty body": Act(body=b""),
    "wrong content type": Act(body=b"data: {}\n\n", content_type="text/event-stream"),
    "deep nonsense": Act(body=b"[" * 100_000),
}


@pytest.mark.parametrize("act", PASSING.values(), ids=PASSING)
def test_what_fails_in_passing_is_asked_again(
    server: Server, service: OpenAIService, act: Act
) -> None:
    server.script = [act, act]
    reply = service.complete(TOLD, TOOLS, 60.0)
    assert reply.calls
    assert reply.retries == 2
    assert len(server.requests) == 3


@pytest.mark.parametrize("act", PASSING.values(), ids=PASSING)
def test_what_does_not_stop_failing_ends_the_run_with_a_sentence(
    server: Server, service: OpenAIService, act: Act
) -> None:
    server.script = [act] * 10
    with pytest.raises(Unanswered, match=r"failed 4 times and was not asked again: .+\."):
        service.complete(TOLD, TOOLS, 60.0)
    assert len(server.requests) == 4


def test_a_good_answer_of_the_wrong_content_type_is_an_answer(
    server: Server, service: OpenAIService
) -> None:
    server.script = [Act(content_type="text/plain")]
    assert service.complete(TOLD, TOOLS, 60.0).retries == 0


def test_pauses_double_and_are_jittered(service: OpenAIService) -> None:
    for attempt in range(1, 12):
        most = min(0.01 * 2.0 ** (attempt - 1), module.LONGEST_PAUSE)
        pauses = {service._pause_before(attempt, None) for _ in range(20)}
        assert all(most / 2 <= pause <= most for pause in pauses)
        assert len(pauses) > 1


@pytest.mark.parametrize("headers", [{"Retry-After": "0.3"}, {"Retry-After-Ms": "300"}])
def test_retry_after_is_honored(
    server: Server, service: OpenAIService, headers: dict[str, str]
) -> None:
    server.script = [Act(429, error("slow down"), headers)]
    service.complete(TOLD, TOOLS, 60.0)
    assert server.times[1] - server.times[0] >= 0.29


def test_retry_after_holds_for_everybody_who_asks_the_same_service(server: Server) -> None:
    settings = Settings("shared", base_url=server.url)
    first, second = OpenAIService(settings), OpenAIService(settings)
    server.script = [Act(429, error("slow down"), {"Retry-After": "0.4"})]
    asking = threading.Thread(target=first.complete, args=(TOLD, TOOLS, 60.0))
    asking.start()
    rates = shared(
        settings.url, settings.model, settings.requests_per_minute, settings.tokens_per_minute
    )
    while not rates._closed_until:
        time.sleep(0.005)
    second.complete(TOLD, TOOLS, 60.0)
    asking.join()
    assert all(later - server.times[0] >= 0.39 for later in server.times[1:])
    first.close()
    second.close()


def test_a_retry_after_beyond_patience_is_not_waited_for(
    server: Server, service: OpenAIService
) -> None:
    server.script = [Act(429, error("come back tomorrow"), {"Retry-After": "86400"})]
    with pytest.raises(Unanswered, match="come back tomorrow"):
        service.complete(TOLD, TOOLS, 60.0)
    assert len(server.requests) == 1


@pytest.mark.parametrize("act", [Act(delay=3.0), Act(trickle=0.05)], ids=["silent", "trickling"])
def test_who_takes_longer_than_the_deadline_is_late(
    server: Server, service: OpenAIService, act: Act
) -> None:
    server.script = [act]
    with pytest.raises(LateError):
        service.complete(TOLD, TOOLS, 0.3)
    assert len(server.requests) == 1


def test_pauses_do_not_count_as_the_models_time(server: Server, service: OpenAIService) -> None:
    server.script = [Act(429, error("wait"), {"Retry-After": "2.2"})]
    assert service.complete(TOLD, TOOLS, 2.0).retries == 1


def test_nobody_there_is_a_service_that_fails() -> None:
    service = OpenAIService(Settings("toy", base_url="http://127.0.0.1:9/v1", retries=1))
    with pytest.raises(Unanswered, match=r"127\.0\.0\.1:9 failed 3 times.*refused"):
        service.check(TOOLS)
    service.close()


FOR_GOOD = {
    "401": (
        Act(401, error(f"Incorrect API key provided: {KEY}")),
        "does not accept the key in OPENAI_API_KEY",
    ),
    "403": (Act(403, error("not yours")), "may not use toy"),
    "404": (Act(404, error("no such model")), "There is no model 'toy'"),
    "400": (Act(400, error("tools are not supported")), "refuses the request.*add answer=text"),
    "422": (Act(422, error("unprocessable")), "refuses the request"),
    "no money": (Act(429, error("you exceeded your quota", "insufficient_quota")), "quota"),
}


@pytest.mark.parametrize(("act", "words"), FOR_GOOD.values(), ids=FOR_GOOD)
def test_what_fails_for_good_is_asked_once_and_told_in_a_sentence(
    server: Server, service: OpenAIService, act: Act, words: str
) -> None:
    server.script = [act]
    with pytest.raises(Unanswered, match=words) as caught:
        service.check(TOOLS)
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1
    service.check(TOOLS)  # it may be mended meanwhile
    service.check(TOOLS)
    assert len(server.requests) == 2


def test_a_context_that_is_exceeded_is_told_apart(server: Server, service: OpenAIService) -> None:
    server.script = [
        Act(400, error("This model's maximum context length is 10", "context_length_exceeded"))
    ]
    with pytest.raises(TooLongError):
        service.complete(TOLD, TOOLS, 60.0)


TOO_LONG = (
    "This model's maximum context length is 8192 tokens.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Input is too long for requested model.",
    "the request exceeds the available context size, try increasing it",
    "Please reduce the length of the messages or completion.",
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    "Prompt contains 40000 tokens, too many tokens for model",
)


@pytest.mark.parametrize("words", TOO_LONG)
def test_services_say_in_many_ways_that_it_is_too_long(
    server: Server, service: OpenAIService, words: str
) -> None:
    server.script = [Act(400, error(words))]
    with pytest.raises(TooLongError):
        service.complete(TOLD, TOOLS, 60.0)


def test_the_length_of_answers_is_limited_by_the_name_that_the_service_knows(
    server: Server, service: OpenAIService
) -> None:
    said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    server.script = [Act(400, error(said))]
    service.complete(TOLD, TOOLS, 60.0)
    service.complete(TOLD, TOOLS, 60.0)
    names = [sorted(name for name in one if name.startswith("max")) for one in server.requests]
    assert names == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]
    # One that knows neither, or wants a smaller number, is not asked for ever.
    server.script = [Act(400, error(said)), Act(400, error("max_completion_tokens: unknown"))]
    server.script += [Act(400, error("max_tokens is unknown"))] * 3
    with pytest.raises(Unanswered, match="max_"):
        service.complete(TOLD, TOOLS, 60.0)
    assert len(server.requests) <= 6


def test_further_fields_and_headers_are_sent_and_their_secrets_shown_to_nobody(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_HEADER", "hidden-0123456789")
    settings = Settings(
        "toy",
        base_url=server.url,
        tool_choice="function",
        parallel_tool_calls=False,
        body='{"top_k": 40, "provider": {"order": ["a"]}}',
        headers='{"X-Title": "mensura", "api-key": "$MY_HEADER"}',
    )
    made = OpenAIService(settings)
    made.complete(TOLD, TOOLS, 60.0)
    (asked,) = server.requests
    assert (asked["top_k"], asked["provider"]) == (40, {"order": ["a"]})
    assert asked["tool_choice"] == {"type": "function", "function": {"name": "act"}}
    assert asked["parallel_tool_calls"] is False
    sent = {name.lower(): value for name, value in server.headers[-1].items()}
    assert (sent["x-title"], sent["api-key"]) == ("mensura", "hidden-0123456789")
    server.script = [Act(403, error("hidden-0123456789 is no good"))]
    with pytest.raises(Unanswered) as caught:
        made.complete(TOLD, TOOLS, 60.0)
    assert "hidden" not in str(caught.value) + repr(made) + repr(settings)
    monkeypatch.delenv("MY_HEADER")
    with pytest.raises(MensuraError, match="MY_HEADER of the environment, which is not set"):
        made.complete(TOLD, TOOLS, 60.0)
    made.close()


def test_a_filtered_request_is_a_refusal_in_words(server: Server, service: OpenAIService) -> None:
    server.script = [Act(400, error("filtered", "content_filter"))]
    assert service.complete(TOLD, TOOLS, 60.0).text == "filtered"


def test_a_model_that_came_to_nothing_has_answered_nothing_of_use(
    server: Server, service: OpenAIService
) -> None:
    server.script = [Act(400, error("max_tokens or model output limit was reached"))]
    service.check(TOOLS)
    assert len(server.requests) == 1


def test_rates_are_waited_for_beyond_all_patience(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mensura.agents.language_model.rates.MINUTE", 0.2)
    settings = Settings("rated", base_url=server.url, requests_per_minute=1, patience=0.1)
    service = OpenAIService(settings)
    service.check(TOOLS)  # opens the connection
    for _ in range(3):
        assert service.complete(TOLD, TOOLS, 60.0).retries == 0
    service.close()
    assert server.times[3] - server.times[1] >= 0.3


def test_refusals_parts_and_cut_answers_are_read() -> None:
    import json

    def read(body: dict[str, Any]) -> Any:
        return read_body(json.dumps(body).encode())

    assert read(completion(message={"refusal": "I cannot"})).text == "I cannot"
    assert (
        read(completion(message={"content": [{"type": "text", "text": "a"}, {"text": "b"}]})).text
        == "ab"
    )
    assert read(completion("x" * 100, finish_reason="length")).cut
    assert read({**completion("x"), "usage": None}).tokens_in is None
    assert (
        read(
            {**completion("x"), "usage": {"prompt_tokens": -4, "completion_tokens": True}}
        ).tokens_out
        is None
    )
    assert read(completion(calls=[("act", {"action": 3})])).calls == (("act", '{"action": 3}'),)


def test_a_response_without_end_is_cut(
    server: Server, service: OpenAIService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST_BODY", 1000)
    server.script = [Act(body=completion("x" * 5000))]
    assert service.complete(TOLD, TOOLS, 60.0).retries == 1


def test_whoever_waits_stops_when_told_to_hurry(server: Server, service: OpenAIService) -> None:
    server.script = [Act(429, error("wait"), {"Retry-After": "4"})]
    threading.Timer(0.2, service.hurry).start()
    with pytest.raises(Stopped):
        service.complete(TOLD, TOOLS, 60.0)
    assert len(server.requests) == 1


def test_settings_are_sent_and_nothing_that_was_not_asked_for(server: Server) -> None:
    service = OpenAIService(
        Settings("toy", base_url=server.url, temperature=0.0, seed=7, max_tokens=50)
    )
    service.complete(TOLD, (), 5.0)
    service.close()
    assert server.requests[0] == {
        "model": "toy",
        "messages": TOLD,
        "temperature": 0.0,
        "seed": 7,
        "max_tokens": 50,
    }


# The key --------------------------------------------------------------------------


def test_the_key_is_sent_to_the_service_and_shown_to_nobody(
    server: Server, service: OpenAIService, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    service.check(TOOLS)
    assert server.keys == [f"Bearer {KEY}"]
    shown = [repr(service), str(service), repr(service.settings), caplog.text]
    shown.append(repr(vars(service)))
    assert not any(KEY in text for text in shown)
    data = pickle.dumps(service)
    assert KEY.encode() not in data
    copy = pickle.loads(data)
    assert copy.settings == service.settings
    copy.close()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
def test_a_service_that_echoes_the_key_does_not_get_it_into_errors(
    server: Server, service: OpenAIService, status: int
) -> None:
    server.script = [
        Act(status, error(f"your key is {KEY}, or sk-abcdef***hij, see Bearer {KEY}"))
    ] * 9
    with pytest.raises(Unanswered) as caught:
        service.complete(TOLD, TOOLS, 60.0)
    shown = f"{caught.value!r} {caught.value} {caught.value.__cause__!r}"
    assert KEY not in shown
    assert "sk-abc" not in shown


def test_without_a_key_openai_itself_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    from mensura.agent.errors import MensuraError

    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(
        MensuraError, match="There is no key for gpt-x: set the variable OPENAI_API_KEY"
    ):
        OpenAIService(Settings("gpt-x")).check(TOOLS)


def test_another_variable_may_hold_the_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THEIR_KEY", "sk-theirs-0123456789")
    settings = Settings("toy", base_url=server.url, key_variable="THEIR_KEY")
    service = OpenAIService(settings)
    service.check(TOOLS)
    service.close()
    assert server.keys == ["Bearer sk-theirs-0123456789"]
    monkeypatch.delenv("THEIR_KEY")
    other = OpenAIService(replace(settings, model="other"))
    with pytest.raises(Exception, match="set the variable THEIR_KEY"):
        other.check(TOOLS)
