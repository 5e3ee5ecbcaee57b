"""The API as a whole: whatever is sent to any operation, it answers as its description says, and never with a 500.

What the application describes is what is tested: a part that is added is tested with the others.
"""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    ensure_resource_availability,
    ignored_auth,
    missing_required_header,
    negative_data_rejection,
    positive_data_acceptance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
    use_after_free,
)
from tests.web.conftest import Serve, Served

from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.files import parse_study
from mensura.web.app import create_app
from mensura.web.settings import Settings

CHECKS = (
    not_a_server_error,
    negative_data_rejection,
    positive_data_acceptance,
    missing_required_header,
    ignored_auth,
    allow_header_conformance,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
)
"""Of one answer. Of its other checks Schemathesis has two for answers that follow one another, which have a test of
their own below; ``object_level_authorization`` needs users who own things, and here is one experimenter; and
``max_response_time`` would test the machine."""

REFUSALS = {
    "checks": {
        # A body that is too large is refused before anybody reads what is in it.
        "negative_data_rejection": {
            "expected-statuses": ["400", "401", "403", "404", "405", "409", "413", "422", "429"]
        },
        # A study, a task, a space are texts in languages of their own. What has the form that is described is never
        # refused as if it had not (422); what its text says may well be wrong (400).
        "positive_data_acceptance": {
            "expected-statuses": ["2xx", "400", "401", "403", "404", "409", "429"]
        },
    }
}

STREAMS = r"/progress$"
"""Streams of events last a minute each; their own tests read them."""

VISITS = r"/research/visits"
"""What is begun, used and ended by links of the description."""

THERE = {"/api/runs": "a", "/api/experimenter": "p"}
"""What is there to be found, by the beginning of the path."""

STUDY = """\
mensura: 1
name: a
seed: 5
worlds: [lambda-star-v0]
subjects: [random, local-search]
assessments:
  - assessment: battery
    parameters: {episodes: 4}
"""


@pytest.fixture(scope="module")
def whole(serve: Serve) -> Served:
    """A server with something in its store."""
    served = serve()
    with open_store(served.settings.store) as store:
        run = runs.begin(store, parse_study(STUDY).study)
        runs.resume(store, run, manner=runs.Manner("threads", 1))
    with served.experimenter() as client:
        client.timeout = httpx.Timeout(120)  # the first study may have to compile its world
        made = client.post("/api/experimenter/studies", json={"name": "p", "places": 100_000})
        assert made.status_code == 201
    return served


@pytest.fixture(scope="module")
def client(whole: Served) -> Iterator[httpx.Client]:
    """The experimenter, logged in once."""
    with whole.experimenter() as client:
        yield client


def described(secured: bool) -> Any:
    """The API as its description has it; what the experimenter may do without the word on who may."""
    description = create_app(Settings()).openapi()
    for path in description["paths"].values():
        for operation in path.values():
            if not secured:
                operation.pop("security", None)
    config = SchemathesisConfig.from_dict(REFUSALS)
    return schemathesis.openapi.from_dict(description, config=config).exclude(path_regex=STREAMS)


strangers, known = described(True), described(False)
few = settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@strangers.parametrize()
@few
def test_every_operation_answers_strangers_as_described(
    case: schemathesis.Case, whole: Served
) -> None:
    case.call_and_validate(base_url=whole.url, checks=CHECKS, timeout=120)


@known.parametrize()
@few
def test_every_operation_answers_the_experimenter_as_described(
    case: schemathesis.Case, whole: Served, client: httpx.Client
) -> None:
    cookies = dict(client.cookies)
    case.call_and_validate(base_url=whole.url, checks=CHECKS, cookies=cookies, timeout=120)
    for start, name in THERE.items():
        if case.path.startswith(start) and "name" in (case.path_parameters or {}):
            case.path_parameters["name"] = name
            case.call_and_validate(base_url=whole.url, checks=CHECKS, cookies=cookies, timeout=120)


def test_what_was_made_is_there_and_what_was_deleted_is_gone(
    whole: Served, client: httpx.Client
) -> None:
    """Operations one after another, as the links of the description have them."""
    drawn = client.post("/api/research/environments", json={"world": "lambda-v0"}).json()
    begin = {"world": "lambda-v0", "description": drawn["description"]}
    done: list[str] = []

    class Following(known.include(path_regex=VISITS).as_state_machine()):  # type: ignore[misc]
        def get_call_kwargs(self, case: schemathesis.Case) -> dict[str, Any]:
            return {"base_url": whole.url, "cookies": dict(client.cookies), "timeout": 60}

        def before_call(self, case: schemathesis.Case) -> None:
            if case.operation.label == "POST /api/research/visits":
                case.body = begin

        def validate_response(self, response: Any, case: schemathesis.Case, **_: Any) -> None:
            if response.status_code < 300:
                done.append(case.operation.label)
            checks = [not_a_server_error, use_after_free, ensure_resource_availability]
            super().validate_response(response, case, checks=checks)

    wanted = {"GET /api/research/visits/{name}", "DELETE /api/research/visits/{name}"}
    for count in (8, 24, 72):  # which way it goes is drawn
        Following.run(
            settings=settings(
                few, max_examples=count, stateful_step_count=6, phases=[Phase.generate]
            )
        )
        if wanted <= set(done):
            break
    assert wanted <= set(done)


def test_every_operation_is_described(whole: Served) -> None:
    with whole.client() as stranger:
        paths = stranger.get("/api/openapi.json").json()["paths"]
    assert all(path.startswith("/api/") for path in paths)
    assert all(one.get("description") for path in paths.values() for one in path.values())


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe", b'{"text": 1}', b"null", b"NaN"])
def test_bodies_that_are_no_json_are_refused_with_a_sentence(
    client: httpx.Client, body: bytes
) -> None:
    answer = client.post(
        "/api/studies/check", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code in (400, 422)
    assert answer.json()["error"].endswith(".")


def test_a_body_that_is_too_large_is_refused(client: httpx.Client) -> None:
    answer = client.post("/api/studies/check", json={"text": "x" * 300_000})
    assert answer.status_code == 413
    assert client.post("/api/studies/check", json={"text": "x" * 210_000}).status_code == 422
