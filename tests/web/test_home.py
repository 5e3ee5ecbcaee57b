"""The first page, languages and logging in, in a real browser and without one."""

from typing import Any

import pytest
from tests.web.conftest import PASSWORD, Serve, Served, violations


def test_the_first_page_has_no_violation_and_fetches_nothing_from_elsewhere(
    served: Served, browser_page: Any
) -> None:
    browser_page.goto(served.url)
    assert violations(browser_page) == []
    assert all(url.startswith(served.url) for url in browser_page.requested)
    assert browser_page.problems == []


def test_the_language_is_chosen_and_kept(served: Served, browser_page: Any) -> None:
    browser_page.goto(f"{served.url}/login")
    assert browser_page.get_by_role("heading").inner_text() == "Log in"
    browser_page.get_by_role("link", name="Español").click()
    browser_page.get_by_role("heading", name="Iniciar sesión").wait_for()
    assert browser_page.locator("html").get_attribute("lang") == "es"
    browser_page.goto(served.url)
    assert browser_page.locator("html").get_attribute("lang") == "es"


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
    browser_page.get_by_role("button", name="Log out").wait_for()
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


@pytest.mark.parametrize("back", ["//evil.example/", "https://evil.example/", "/\\evil.example"])
def test_nobody_is_sent_elsewhere(served: Served, back: str) -> None:
    with served.client() as client:
        answer = client.get("/language/es", params={"back": back})
        assert answer.headers["location"] == "/"


def test_passwords_cannot_be_tried_for_long(serve: Serve) -> None:
    with serve().client() as client:
        statuses = [
            client.post("/login", data={"password": f"guess {i}"}).status_code for i in range(14)
        ]
    assert statuses[0] == 403
    assert statuses[-1] == 429
