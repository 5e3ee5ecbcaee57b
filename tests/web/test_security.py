"""What keeps strangers out: signatures, limits, headers, and requests of other sites."""

import json
import re
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.conftest import Served

from mensura.web.security import (
    HEADERS,
    LARGEST_BODY,
    Limiter,
    Signer,
    fits,
    hashed,
    local_path,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(VALUES)
def test_what_was_signed_is_read_back(value: object) -> None:
    signer = Signer(b"secret", "test")
    assert signer.read(signer.sign(value, 60)) == value


@given(st.text())
def test_what_was_never_signed_is_nothing(text: str) -> None:
    assert Signer(b"secret", "test").read(text) is None


def test_a_signature_is_for_one_secret_one_purpose_and_some_time() -> None:
    signed = Signer(b"secret", "test").sign("me", 60)
    assert Signer(b"other", "test").read(signed) is None
    assert Signer(b"secret", "other").read(signed) is None
    assert Signer(b"secret", "test").read(Signer(b"secret", "test").sign("me", -2)) is None


def test_a_password_is_kept_as_a_hash() -> None:
    kept = hashed("a long password")
    assert "password" not in kept
    assert fits("a long password", kept)
    assert not fits("another password", kept)
    assert hashed("a long password") != kept


def test_a_limiter_lets_a_burst_pass_and_then_so_many_a_second() -> None:
    now = [0.0]
    limiter = Limiter(3, 1.0, clock=lambda: now[0])
    assert [limiter.allows("a") for _ in range(5)] == [True, True, True, False, False]
    assert limiter.allows("b")
    now[0] = 2.0
    assert [limiter.allows("a") for _ in range(3)] == [True, True, False]


def test_what_is_given_back_does_not_count() -> None:
    limiter = Limiter(2, 0.0, clock=lambda: 0.0)
    for _ in range(5):
        assert limiter.allows("a")
        limiter.give_back("a")
    limiter.give_back("a")
    assert [limiter.allows("a") for _ in range(3)] == [True, True, False]


@given(st.text(alphabet=st.sampled_from("/\\:@?#.%\t\n\r evil") | st.characters()))
def test_a_local_path_leads_nowhere_else(text: str) -> None:
    there = local_path(text, "/otherwise")
    assert there in (text, "/otherwise")
    # As browsers read it: without tabs and line breaks, backslashes as slashes.
    read = re.sub(r"[\t\n\r]", "", there).strip().replace("\\", "/")
    assert urlsplit(urljoin("http://here.example/login", read)).netloc == "here.example"


@pytest.mark.parametrize("path", ["/", "/login", "/nowhere", "/static/style.css", "/api/nowhere"])
def test_every_answer_has_the_headers(served: Served, path: str) -> None:
    with served.client() as client:
        answer = client.get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert "server" not in answer.headers or "uvicorn" in answer.headers["server"]
    if not path.startswith("/static"):
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_change_nothing(served: Served, headers: dict[str, str]) -> None:
    with served.client() as client:
        answer = client.post("/logout", headers=headers)
    assert answer.status_code == 403
    assert answer.json() == {"error": "Changes are taken from our own pages only."}


def test_large_bodies_are_refused_told_or_not(served: Served) -> None:
    def pieces() -> object:
        for _ in range(LARGEST_BODY // 1000 + 2):
            yield b"x" * 1000

    with served.client() as client:
        told = client.post("/login", content=b"x" * (LARGEST_BODY + 1))
        untold = client.post(
            "/login",
            content=pieces(),
            headers={"content-type": "application/x-www-form-urlencoded"},
        )  # type: ignore[arg-type]
    assert told.status_code == untold.status_code == 413
    assert "too large" in json.loads(told.text)["error"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("OPTIONS", "/api/studies", "GET, POST"),
        ("PUT", "/api/research/visits/x", "DELETE, GET"),
        ("PATCH", "/login", "GET, POST"),
        ("POST", "/static/style.css", "GET, HEAD"),
    ],
)
def test_what_cannot_be_done_says_what_can(
    served: Served, method: str, path: str, allowed: str
) -> None:
    with served.client() as client:
        answer = client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


def test_errors_are_sentences_for_people_and_for_programs(served: Served) -> None:
    with served.client() as client:
        page, answer = client.get("/nowhere"), client.get("/api/nowhere")
        wrong = client.post("/login", data={})
    assert page.status_code == answer.status_code == 404
    assert "There is nothing here." in page.text
    assert answer.json() == {"error": "There is nothing here."}
    assert wrong.status_code == 422
