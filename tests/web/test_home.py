"""The first page, languages and logging in, in a real browser and without one."""

from typing import Any

import httpx
import pytest
from tests.web.conftest import PASSWORD, Serve, Served, violations


def test_the_first_page_has_no_violation_and_fetches_nothing_from_elsewhere(
    served: Served, browser_page: Any
) -> None:
    browser_page.goto(served.url)
    assert violations(browser_page) == []
    assert all(url.startswith(served.url) for url in browser_page.requested)
    assert browser_page.problems == []


@pytest.mark.thorough
def test_the_language_is_chosen_and_kept(served: Served, browser_page: Any) -> None:
    browser_page.goto(f"{served.url}/login")
    assert browser_page.get_by_role("heading").inner_text() == "Log in"
    browser_page.get_by_role("link", name="Español").click()
    browser_page.get_by_role("heading", name="Iniciar sesión").wait_for()
    assert browser_page.locator("html").get_attribute("lang") == "es"
    browser_page.goto(served.url)
    assert browser_page.locator("html").get_attribute("lang") == "es"


def test_a_language_that_was_chosen_is_kept(served: Served) -> None:
    with served.client() as client:
        assert '<html lang="en">' in client.get("/login").text
        chosen = client.get("/language/es", params={"back": "/login"})
        assert chosen.headers["location"] == "/login"
        for path in ("/login", "/"):
            assert '<html lang="es">' in client.get(path).text


def test_a_browser_is_answered_in_a_language_that_it_accepts(served: Served) -> None:
    with served.client() as client:
        for accepted, language in (
            ("es-MX,en;q=0.8", "es"),
            ("fr, en;q=0.2", "en"),
            ("xx;q=a", "en"),
        ):
            answer = client.get("/", headers={"accept-language": accepted})
            assert f'<html lang="{language}">' in answer.text


def test_the_experimenter_logs_in_and_out(served: Served, browser_page: Any) -> None:
    browser_page.goto(f"{served.url}/login")
    browser_page.get_by_label("Password").fill("wrong password")
    browser_page.get_by_role("button", name="Log in").click()
    browser_page.get_by_text("not the password").wait_for()
    browser_page.get_by_label("Password").fill(PASSWORD)
    browser_page.get_by_role("button", name="Log in").click()
    browser_page.wait_for_url("**/dashboard")
    browser_page.get_by_role("button", name="Log out").click()
    browser_page.get_by_role("link", name="Experimenter").wait_for()


def test_a_session_that_was_ended_is_worth_nothing(served: Served) -> None:
    with served.experimenter() as client:
        kept = dict(client.cookies)
        assert "Log out" in client.get("/").text
        client.post("/logout")
    with served.client(cookies=kept) as again:
        assert "Log out" not in again.get("/").text


def test_a_changed_session_is_none(served: Served) -> None:
    with served.experimenter() as client:
        (name, value), *_ = client.cookies.items()
    for changed in (value[:-1] + ("A" if value[-1] != "A" else "B"), "x" + value, "", "."):
        with served.client(cookies={name: changed}) as thief:
            assert "Log out" not in thief.get("/").text


@pytest.mark.thorough
def test_after_logging_in_one_is_where_one_wanted_to_be(served: Served, browser_page: Any) -> None:
    page = browser_page
    page.goto(f"{served.url}/research?world=lambda-v1")
    assert page.locator("h1").inner_text() == "Log in"
    assert violations(page) == []
    page.get_by_role("link", name="Español").click()
    page.get_by_label("Contraseña").fill("wrong password")
    page.get_by_role("button", name="Entrar").click()
    page.get_by_role("alert").wait_for()
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_role("button", name="Entrar").click()
    page.wait_for_url("**/research?world=lambda-v1")
    page.goto(f"{served.url}/login?next=/leaderboard")
    page.wait_for_url("**/leaderboard")


@pytest.mark.parametrize(
    "there",
    [
        "//evil.example/",
        "https://evil.example/",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "\n//evil.example",
        "evil.example",
        "javascript:alert(1)",
    ],
)
def test_nobody_is_sent_elsewhere(served: Served, there: str) -> None:
    with served.client() as client:
        answer = client.get("/language/es", params={"back": there})
        assert answer.headers["location"] == "/"
        assert 'action="/login"' in client.get("/login", params={"next": there}).text
        answer = client.post("/login", params={"next": there}, data={"password": PASSWORD})
        assert answer.headers["location"] == "/dashboard"
        answer = client.get("/login", params={"next": there})
        assert answer.headers["location"] == "/dashboard"


def test_wrong_passwords_cannot_be_tried_for_long_and_right_ones_do_not_count(serve: Serve) -> None:
    served = serve()
    with served.client() as client:

        def tried(password: str) -> int:
            return client.post("/login", data={"password": password}).status_code

        assert [tried(PASSWORD) for _ in range(12)] == [303] * 12
        statuses = [tried("a guess") for _ in range(14)]
        assert statuses[0] == 403
        assert statuses[-1] == 429
        assert tried(PASSWORD) == 429
    # Somebody at another address is not locked out by that.
    with served.client(transport=httpx.HTTPTransport(local_address="127.0.0.2")) as other:
        assert other.post("/login", data={"password": PASSWORD}).status_code == 303
