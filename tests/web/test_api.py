"""The API as a whole: whatever is sent to any operation, it answers as its description says, and never with a 500.

What the application describes is what is tested: a part that is added is tested with the others.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, settings
from tests.web.conftest import Serve, Served

from mensura.agent.keys import fresh
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.files import parse_study

if TYPE_CHECKING:
    import schemathesis


def checks() -> list[Callable[..., Any]]:
    """Of one answer. Of its other checks Schemathesis has two for answers that follow one another, which have a test
    of their own below; ``object_level_authorization`` needs users who own things, and here is one experimenter; and
    ``max_response_time`` would test the machine."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks as openapi

    return [
        not_a_server_error,
        openapi.negative_data_rejection,
        openapi.positive_data_acceptance,
        openapi.missing_required_header,
        openapi.ignored_auth,
        openapi.allow_header_conformance,
        openapi.status_code_conformance,
        openapi.content_type_conformance,
        openapi.response_headers_conformance,
        openapi.response_schema_conformance,
        openapi.unsupported_method,
    ]


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

PARTS = ["experimenter", "research", "all others"]
"""Of the API, for tests that run side by side."""

VISITS = r"/research/visits"
"""What is begun, used and ended by links of the description."""

THERE = {"/api/runs": "a", "/api/experimenter": "p"}
"""What is there to be found, by the beginning of the path."""

STUDY = """\
mensura: 1
name: a
seed: 5
worlds: [lambda-star-v2]
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


Described = Callable[..., "schemathesis.BaseSchema"]


@pytest.fixture(scope="module")
def described(whole: Served) -> Described:
    """The API as its description has it; what the experimenter may do without the word on who may.

    Schemathesis is asked for its systematic cases only on request: the values at and beyond each border.
    """
    import schemathesis
    from schemathesis.config import SchemathesisConfig

    def describe(secured: bool, systematic: bool = True) -> schemathesis.BaseSchema:
        description = copy.deepcopy(whole.app.openapi())
        for path in description["paths"].values():
            for operation in path.values():
                if not secured:
                    operation.pop("security", None)
        config = SchemathesisConfig.from_dict(
            REFUSALS | {"phases": {"coverage": {"enabled": systematic}}}
        )
        whole_api = schemathesis.openapi.from_dict(description, config=config)
        return whole_api.exclude(path_regex=STREAMS)

    return describe


def part(schema: schemathesis.BaseSchema, name: str) -> schemathesis.BaseSchema:
    """The operations of one part of the API, or those of no part that is named."""
    if name == "all others":
        return schema.exclude(path_regex=f"^/api/({'|'.join(PARTS[:-1])})/")
    return schema.include(path_regex=f"^/api/{name}/")


def few(full_size: bool, some: int = 4) -> settings:
    return settings(
        max_examples=12 if full_size else some,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def try_every_operation(
    schema: schemathesis.BaseSchema,
    call: Callable[[schemathesis.Case], None],
    full_size: bool,
    some: int = 4,
) -> None:
    """Of the systematic cases, of which there are hundreds, one in five is tried, others in every run but CI's."""
    from schemathesis.generation.meta import TestPhase
    from schemathesis.pytest.lazy import get_all_tests

    numbers = count(0 if os.environ.get("CI") else fresh())

    def call_operation(case: schemathesis.Case) -> None:
        systematic = case.meta is not None and case.meta.phase.name == TestPhase.COVERAGE
        if full_size or not systematic or next(numbers) % 5 == 0:
            call(case)

    tests = list(
        get_all_tests(
            schema=schema,
            test_func=call_operation,
            settings=few(full_size, some),
            given_kwargs=None,
        )
    )
    assert tests
    for one in tests:
        _, test = one.ok()
        test()


@pytest.mark.thorough
def test_every_operation_answers_strangers_as_described(
    whole: Served, described: Described, full_size: bool
) -> None:
    wanted = checks()

    def call(case: schemathesis.Case) -> None:
        case.call_and_validate(base_url=whole.url, checks=wanted, timeout=120)

    # Where strangers are turned away before anybody reads what they sent, every border says the same.
    try_every_operation(described(secured=True, systematic=full_size), call, full_size, some=2)


@pytest.mark.thorough
@pytest.mark.parametrize("name", PARTS)
def test_every_operation_answers_the_experimenter_as_described(
    name: str, whole: Served, described: Described, client: httpx.Client, full_size: bool
) -> None:
    wanted = checks()
    cookies = dict(client.cookies)

    def call(case: schemathesis.Case) -> None:
        case.call_and_validate(base_url=whole.url, checks=wanted, cookies=cookies, timeout=120)
        for start, there in THERE.items():
            if case.path.startswith(start) and "name" in (case.path_parameters or {}):
                case.path_parameters = {**case.path_parameters, "name": there}
                # With the name put right nothing may be wrong but unknown names in the query, which nobody reads.
                known = {one.name for one in case.operation.query}
                case.query = {k: v for k, v in (case.query or {}).items() if k in known}
                case.call_and_validate(
                    base_url=whole.url, checks=wanted, cookies=cookies, timeout=120
                )

    try_every_operation(part(described(secured=False), name), call, full_size)


@pytest.mark.thorough
def test_what_was_made_is_there_and_what_was_deleted_is_gone(
    whole: Served, described: Described, client: httpx.Client, full_size: bool
) -> None:
    """Operations one after another, as the links of the description have them."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import ensure_resource_availability, use_after_free

    known = described(secured=False)
    drawn = client.post("/api/research/environments", json={"world": "lambda-v1"}).json()
    begin = {"world": "lambda-v1", "description": drawn["description"]}
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
    for examples in (8, 24, 72):  # which way it goes is drawn
        Following.run(
            settings=settings(
                few(full_size),
                max_examples=examples,
                stateful_step_count=6,
                phases=[Phase.generate],
            )
        )
        if wanted <= set(done):
            break
    assert wanted <= set(done)


@pytest.mark.thorough
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
