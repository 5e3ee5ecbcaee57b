"""The API as a whole: whatever is sent to any operation, it answers as its description says, and never with a 500.

What the application describes is what is tested: a part that is added is tested with the others.
"""

from collections.abc import Iterator

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    ignored_auth,
    missing_required_header,
    negative_data_rejection,
    positive_data_acceptance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
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

STREAMS = r"/progress$"
"""Streams of events last a minute each; their own tests read them."""

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


api = schemathesis.openapi.from_dict(create_app(Settings()).openapi()).exclude(path_regex=STREAMS)
few = settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@api.parametrize()
@few
def test_every_operation_answers_strangers_as_described(
    case: schemathesis.Case, whole: Served
) -> None:
    case.call_and_validate(base_url=whole.url, checks=CHECKS, timeout=120)


@api.parametrize()
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
