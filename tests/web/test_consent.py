"""Consent: own texts in versions, what is kept of it, a copy to take home, and leaving at any time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Served, log_in, violations
from tests.web.test_people import new_study, play

from mensura.agent.errors import MensuraError
from mensura.web.people.consenting import consent_for, revise, texts_of
from mensura.web.people.studies import People, PeopleStudy

STUDIES = "/api/experimenter/studies"
TEXTS = {"en": "# Please *read*\n\n<script>alert(1)</script>", "es": "Lea esto."}


def made(served: Served, name: str, **people: Any) -> tuple[People, PeopleStudy]:
    found: People = served.app.state.people
    return found, new_study(found, name, people=people)


def test_a_new_version_is_for_those_who_agree_after_it(served: Served) -> None:
    people, study = made(served, "versions", consent=TEXTS)
    ((one, code), (other, late)) = people.invite(study, 2)
    with served.client(headers={"accept-language": "es"}) as client:
        text = client.get(f"/p/{code}/consent").text
        assert "Lea esto." in text
        agreed = client.post(f"/p/{code}/consent", data={"agreed": "yes", "version": "1"})
        assert agreed.status_code == 303
        assert revise(people, study, {"en": "Second."}) == 2
        assert revise(people, study, {"en": "Second."}) == 2, "the same is no new version"
        stale = client.post(f"/p/{late}/consent", data={"agreed": "yes", "version": "1"})
        assert stale.status_code == 409
        assert people.by_code(late).state == "invited"
        text = client.get(f"/p/{late}/consent").text
        assert 'lang="en"><p>Second.</p>' in text
        client.post(f"/p/{late}/consent", data={"agreed": "yes", "version": "2"})
        again = client.post(f"/p/{code}/consent", data={"agreed": "yes", "version": "2"})
        assert again.status_code == 303
    one, other = people.by_code(code), people.by_code(late)
    assert (one.consent_version, one.consent_language) == (1, "es")
    assert (other.consent_version, other.consent_language) == (2, "en")
    assert one.consented
    assert texts_of(people, study) == {1: TEXTS, 2: {"en": "Second."}}
    assert consent_for(people, study, one, "en").text == "Lea esto."


def test_without_own_texts_version_0_is_agreed_to_and_kept(served: Served) -> None:
    people, study = made(served, "plain")
    ((_, code),) = people.invite(study, 1)
    with served.client() as client:
        text = client.get(f"/p/{code}/consent").text
        assert "small artificial environments" in text
        client.post(f"/p/{code}/consent", data={"agreed": "yes", "version": "0"})
        assert people.by_code(code).consent_version == 0
        assert "small artificial environments" in client.get(f"/p/{code}/consent.html").text
        wrong = client.post(f"/p/{code}/consent", data={"agreed": "yes", "version": "x"})
        assert wrong.status_code == 422


def test_further_use_is_asked_apart_and_told_in_the_copy(served: Served) -> None:
    people, study = made(served, "reuse", reuse=True)
    (_, yes), (_, no) = people.invite(study, 2)
    with served.client() as client:
        assert "may also be used further" in client.get(f"/p/{yes}/consent").text
        client.post(f"/p/{yes}/consent", data={"agreed": "yes", "reuse": "yes", "version": "0"})
        client.post(f"/p/{no}/consent", data={"agreed": "yes", "version": "0"})
        assert "You allowed that" in client.get(f"/p/{yes}/consent.html").text
        assert "You did not allow that" in client.get(f"/p/{no}/consent.html").text
        refused = client.post(f"/p/{no}/consent", data={"reuse": "yes", "version": "0"})
        assert refused.status_code == 422
    assert (people.by_code(yes).reuse, people.by_code(no).reuse) == (True, False)
    people, study = made(served, "not-asked")
    ((_, code),) = people.invite(study, 1)
    with served.client() as client:
        assert "may also be used further" not in client.get(f"/p/{code}/consent").text
        client.post(f"/p/{code}/consent", data={"agreed": "yes", "reuse": "yes", "version": "0"})
    assert people.by_code(code).reuse is None


def test_own_text_is_marked_up_and_never_script(served: Served) -> None:
    people, study = made(served, "marked", consent=TEXTS)
    ((_, code),) = people.invite(study, 1)
    with served.client() as client:
        for path in (f"/p/{code}/consent", f"/p/{code}/consent.html"):
            text = client.get(path).text
            assert "<h2>Please <em>read</em></h2>" in text
            assert "<script>alert" not in text


def test_the_copy_has_text_version_time_and_the_way_out(served: Served) -> None:
    people, study = made(served, "copied", consent=TEXTS)
    ((one, code),) = people.invite(study, 1)
    people.consent(one, 1, "es")
    revise(people, study, {"es": "Otra cosa."})
    with served.client() as client:
        copy = client.get(f"/p/{code}/consent.html")
    assert copy.headers["content-disposition"] == 'attachment; filename="consent.html"'
    assert "Lea esto." in copy.text
    assert "Otra cosa." not in copy.text
    assert "versión 1" in copy.text
    assert str(people.by_code(code).consented) in copy.text
    assert f"{served.url}/p/{code}/withdraw" in copy.text


def test_whoever_has_finished_withdraws_by_code_and_is_in_no_result(served: Served) -> None:
    people, study = made(served, "late")
    ((one, code), (other, _)) = people.invite(study, 2)
    for each in (one, other):
        people.finish(play(people, study, each), study.id)
        people.answer_questions(each, {"comment": "x"})
    with served.client() as client:
        entered = client.post("/p", data={"code": code})
        assert entered.status_code == 303
        assert f"/p/{code}/withdraw" in client.get(f"/p/{code}/result").text
        assert client.get(f"/p/{code}/withdraw").status_code == 200
        assert client.post(f"/p/{code}/withdraw").status_code == 303
        assert client.get(f"/p/{code}/result").headers["location"].endswith("/withdrawn")
    assert people.by_code(code).state == "withdrawn"
    assert people.results(one) == []
    assert people.results(other)
    assert {row["pseudonym"] for row in people.rows(study)} == {other.pseudonym}
    assert {row["pseudonym"] for row in people.questionnaires(study)} == {other.pseudonym}


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({"xx": "Text."}, "no pages in the language 'xx'"),
        ({"en": " \n"}, "needs 1 to 50000"),
        ({"en": "x" * 50_001}, "50000|50,000"),
    ],
)
def test_wrong_texts_are_refused(tmp_path: Path, texts: dict[str, str], sentence: str) -> None:
    people = People(tmp_path / "people.db")
    try:
        with pytest.raises(MensuraError, match=sentence):
            new_study(people, people={"consent": texts})
        study = new_study(people)
        for wrong in (texts, {}):
            with pytest.raises(MensuraError):
                revise(people, study, wrong)
        assert texts_of(people, study) == {}
    finally:
        people.end()


def test_deleting_the_run_deletes_its_texts(tmp_path: Path) -> None:
    people = People(tmp_path / "people.db")
    try:
        study = new_study(people, people={"consent": TEXTS})
        people.store.delete(people.store.find("short"))
        assert texts_of(people, study) == {}
    finally:
        people.end()


@pytest.mark.thorough
def test_texts_are_written_and_revised_in_a_browser(
    served: Served, browser_page: Any, tmp_path: Path
) -> None:
    page = browser_page
    people, study = made(served, "revised")
    ((_, code),) = people.invite(study, 1)
    log_in(page, served.url)
    page.goto(f"{served.url}/experimenter/revised")
    page.get_by_text("Consent", exact=True).click()
    page.locator("#revise button:enabled").wait_for()
    page.get_by_label("Text (English)").fill("You *may* go.\n\n- one\n- two")
    page.get_by_role("button", name="Make a new version").click()
    page.get_by_text("Version 1 holds from now on.").first.wait_for()
    assert violations(page) == []
    page.goto(f"{served.url}/p/{code}")
    assert page.get_by_role("listitem").filter(has_text="two").is_visible()
    assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="A copy of this").click()
    assert download.value.suggested_filename == "consent.html"
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url("**/instructions")
    download.value.save_as(tmp_path / "consent.html")
    page.goto((tmp_path / "consent.html").as_uri())
    assert violations(page) == []
    page.goto(f"{served.url}/p/{code}/instructions")
    page.get_by_role("link", name="Stop taking part").click()
    page.get_by_role("button", name="Delete my answers and stop").click()
    page.wait_for_url("**/withdrawn")
    assert people.by_code(code).consent_version == 1
