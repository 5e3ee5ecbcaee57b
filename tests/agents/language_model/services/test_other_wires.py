"""What holds for OpenAI's wire holds for the others: patience, limits, secrets; and what each does not offer."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Act, Server

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Discrete
from mensura.agents.language_model.actions import function
from mensura.agents.language_model.schemes import MODEL_SCHEMES
from mensura.agents.language_model.services import patience, service_of
from mensura.agents.language_model.services.patience import PatientService
from mensura.agents.language_model.services.reply import LateError
from mensura.agents.language_model.settings import Settings
from mensura.api.assessing import are_paid, seconds_per_action
from mensura.cli.groups import ModelOptions
from mensura.core.players import Unanswered
from mensura.records.store import open_store
from mensura.studies import runs, transcripts
from mensura.studies.study import study_from_plain

TOLD: list[dict[str, Any]] = [{"role": "user", "content": "what now?"}]
TOOLS = [function(Discrete(3))]
KEY = "sk-test-0123456789abcdefghij"


def message(**more: Any) -> dict[str, Any]:
    """An answer of Anthropic's."""
    use = {"type": "tool_use", "id": "t", "name": "act", "input": {"action": 0}}
    usage = {"input_tokens": 100, "output_tokens": 10}
    return {"type": "message", "model": "toy", "content": [use], "usage": usage, **more}


def contents(**more: Any) -> dict[str, Any]:
    """An answer of Gemini's."""
    parts = [{"functionCall": {"name": "act", "args": {"action": 0}}}]
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
    return {"candidates": [candidate], "usageMetadata": usage, **more}


ANSWERS = {"anthropic": message, "gemini": contents}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST_PAUSE", 0.01)
    for scheme in ANSWERS:
        monkeypatch.setenv(MODEL_SCHEMES[scheme].key_variables[0], KEY)


@pytest.fixture(params=ANSWERS)
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(scheme: str) -> Iterator[Server]:
    with Server(lambda _: ANSWERS[scheme]()).running() as running:
        yield running


@pytest.fixture
def service(scheme: str, server: Server) -> Iterator[PatientService]:
    made = service_of(Settings("toy", scheme, base_url=server.root, retries=3, patience=5.0))
    assert isinstance(made, PatientService)
    yield made
    made.close()


PASSING = {
    "429": Act(429, {"error": {"message": "slow down"}}),
    "500": Act(500, {"error": {"message": "oops"}}),
    "503 in plain text": Act(503, b"upstream", content_type="text/plain"),
    "408": Act(408, b""),
    "hangs up": Act(hang_up=True),
    "truncated": Act(truncate=40),
    "no JSON": Act(body=b"<html>welcome</html>", content_type="text/html"),
    "JSON of something else": Act(body=[1, 2]),
    "nothing in it": Act(body={}),
    "content that is none": Act(body={"content": "x", "candidates": "x"}),
    "empty body": Act(body=b""),
    "deep nonsense": Act(body=b"[" * 100_000),
    "no Unicode": Act(body=b"\xff\xfe{"),
}
FEW = ("429", "hangs up", "truncated", "deep nonsense", "nothing in it")


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(act, id=name, marks=[] if name in FEW else [pytest.mark.thorough])
        for name, act in PASSING.items()
    ],
)
def test_what_fails_in_passing_is_asked_again(
    server: Server, service: PatientService, act: Act
) -> None:
    server.script = [act, act]
    reply = service.complete(TOLD, TOOLS, 60.0)
    assert reply.calls == (("act", '{"action": 0}'),)
    assert (reply.tokens_in, reply.tokens_out, reply.retries) == (100, 10, 2)
    assert len(server.requests) == 3


def test_bytes_are_bounded(
    server: Server, service: PatientService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "LARGEST_BODY", 1000)
    server.script = [Act(body=b" " * 5000)] * 4
    with pytest.raises(Unanswered, match="it sent over 1000 bytes"):
        service.complete(TOLD, TOOLS, 60.0)


def test_so_is_time(server: Server, service: PatientService) -> None:
    server.script = [Act(trickle=0.05)]
    with pytest.raises(LateError):
        service.complete(TOLD, TOOLS, 0.5)
    server.script = [Act(delay=2.0)]
    with pytest.raises(LateError):
        service.complete(TOLD, TOOLS, 0.3)


def test_nobody_there_is_said_in_a_sentence(scheme: str) -> None:
    service = service_of(Settings("toy", scheme, base_url="http://127.0.0.1:9", retries=1))
    with pytest.raises(Unanswered, match=r"The service at 127\.0\.0\.1:9 failed 2 times"):
        service.complete(TOLD, TOOLS, 60.0)


def test_one_small_request_checks_a_model_once(server: Server, service: PatientService) -> None:
    reply = service.check(TOOLS)
    assert reply is not None
    assert service.check(TOOLS) is None
    assert len(server.requests) == 1


def test_keys_stay_out_of_sight(server: Server, service: PatientService) -> None:
    said = {"error": {"message": f"wrong key {KEY} or AIzaSyA-0123456789abc"}}
    server.script = [Act(400, said)]
    with pytest.raises(Unanswered) as caught:
        service.complete(TOLD, TOOLS, 60.0)
    assert "wrong key [key] or [key]" in str(caught.value)
    assert KEY not in repr(service)
    copy = pickle.dumps(service)
    assert KEY.encode() not in copy
    assert pickle.loads(copy).settings == service.settings
    assert KEY in str(server.headers[0])


def test_without_the_sdk_a_sentence_says_what_to_install(
    scheme: str, service: PatientService, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = {"anthropic": "anthropic", "gemini": "google"}[scheme]
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MensuraError, match=rf"pip install 'mensura\[{scheme}\]'\."):
        service.check(TOOLS)


def test_without_a_key_a_sentence_names_its_variable(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in MODEL_SCHEMES[scheme].key_variables:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv(MODEL_SCHEMES[scheme].url_variable, raising=False)
    first = MODEL_SCHEMES[scheme].key_variables[0]
    with pytest.raises(MensuraError, match=f"set the variable {first} of the environment"):
        Settings("toy", scheme).key()
    assert Settings("toy", scheme, base_url="http://127.0.0.1:1").key() == "none"


def test_gemini_has_its_key_from_either_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "other")
    assert Settings("toy", "gemini").key() == KEY
    monkeypatch.delenv("GEMINI_API_KEY")
    assert Settings("toy", "gemini").key() == "other"
    assert Settings("toy", "gemini").key_name == "GOOGLE_API_KEY"


def test_a_model_that_does_not_think_is_not_asked_for_thoughts_again() -> None:
    with Server(lambda _: contents()).running() as server:
        service = service_of(Settings("toy", "gemini", base_url=server.root))
        refusal = {"error": {"code": 400, "message": "Thinking is not enabled for this model"}}
        server.script = [Act(400, refusal)]
        for _ in range(2):
            assert service.complete(TOLD, TOOLS, 60.0).calls
        wished = ["thinkingConfig" in one["generationConfig"] for one in server.requests]
        assert wished == [True, False, False]


def test_a_model_is_assessed_through_each_wire(scheme: str, server: Server, tmp_path: Path) -> None:
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "wires",
            "title": "wires",
            "seed": 7,
            "subjects": [
                {
                    "subject": f"{scheme}:toy",
                    "parameters": {"base_url": server.root, "price_in": 1, "price_out": 2},
                }
            ],
            "worlds": [{"world": "lambda-v1", "parameters": {"horizon": 4}}],
            "assessments": [
                {"assessment": "battery", "parameters": {"episodes": 2, "spread": "any"}}
            ],
        }
    )
    with open_store(str(tmp_path / "store.db")) as store:
        run = runs.begin(store, study)
        result = runs.resume(store, run)
        (cell,) = store.cells(run)
        told = transcripts.transcript(store, run, 0)
    (one,) = result.conditions[0].subjects
    assert one.faults == 0
    taken = {name: moments.mean * moments.count for name, moments in one.measures.items()}
    assert taken["requests"] == 8
    assert taken["tokens_in"] == 900  # with the request that checked it
    assert taken["cost"] == pytest.approx((900 + 2 * 90) / 1e6)
    assert sum("Are you there?" not in str(request) for request in server.requests) == 8
    assert cell.subject.startswith(f"{scheme}:toy?base_url=http://127.0.0.1")
    assert len(told.interactions[-1].exchanges[0].requests[0]) == 8


def test_the_command_takes_options_and_limits_for_every_language_model(scheme: str) -> None:
    subjects = [f"{scheme}:toy", "random"]
    assert are_paid(subjects)
    assert seconds_per_action(subjects) == 120.0
    given = ModelOptions(answer="json", see="both").addresses(subjects)
    assert given == [f"{scheme}:toy?answer=json&see=both", "random"]


NOT_OFFERED = {
    "anthropic?seed=1": "take no seed; leave seed out",
    "anthropic?reasoning_effort=low": "add tool_choice=auto, or answer=json or text",
    "anthropic?reasoning_effort=minimal": "know none, low, medium, high, xhigh and max",
    "gemini?reasoning_effort=max": "know none, minimal, low, medium and high",
    "gemini?parallel_tool_calls=true": "leave parallel_tool_calls out",
    'anthropic?body={"system": "x"}': "'system' of the body is set by Mensura",
    'gemini?body={"contents": []}': "'contents' of the body is set by Mensura",
}


@pytest.mark.quick
@pytest.mark.parametrize(("asked", "words"), NOT_OFFERED.items(), ids=NOT_OFFERED)
def test_what_a_service_does_not_offer_is_refused_in_a_sentence(asked: str, words: str) -> None:
    from mensura.agents.address import Part
    from mensura.agents.language_model.settings import read_settings

    scheme, _, parameter = asked.partition("?")
    name, _, value = parameter.partition("=")
    with pytest.raises(MensuraError, match=words):
        service_of(read_settings(Part(f"{scheme}:toy", {name: value})))
