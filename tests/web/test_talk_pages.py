"""Conversations in real browsers: from consent to verdict, with a tab that is closed and a server that is killed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.ports import free_port
from tests.web.conftest import Served, violations
from tests.web.test_participant_api import start
from tests.web.test_talks import talk_study

from mensura.api.imitation_games import games_of
from mensura.records.store import open_store
from mensura.web.people.rooms.record import rooms_of
from mensura.web.people.studies import People


def enter(page: Any, url: str, code: str) -> None:
    """Agree, read the instructions, and go to the waiting room."""
    page.goto(f"{url}/p/{code}")
    page.get_by_label("I have read this and agree to take part.").check()
    page.get_by_label("I am 18 years old or older.").check()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("link", name="To the waiting room").click()
    page.locator("#heading").wait_for()


def role_of(page: Any) -> str:
    """Whether somebody is the judge or a witness, once they are in a room."""
    page.locator("#channels .log").first.wait_for()
    return "judge" if page.locator("#channel-A-text").count() else "witness"


def say(page: Any, channel: str, text: str) -> None:
    field = page.locator(f"#channel-{channel}-text")
    field.fill(text)
    field.press("Enter")


def decide(page: Any) -> None:
    page.get_by_role("button", name="Decide now").click()
    page.get_by_role("radio", name="Witness B").check()
    page.get_by_label("In your own words").fill("just <i>so</i>")
    page.get_by_role("button", name="Give this verdict").click()


def talked(judge: Any, witness: Any, said: str) -> None:
    """Questions to both, and answers from both, one of which the machine gives."""
    for channel in "AB":
        say(judge, channel, f"Who are you, {channel}?")
        asked = judge.locator(f"#channel-{channel}-log").get_by_text(f"Who are you, {channel}?")
        asked.first.wait_for()  # a parrot says it again
    witness.get_by_text("Who are you").wait_for()
    say(witness, "own", said)
    judge.get_by_text(said).wait_for()
    for channel in "AB":
        judge.locator(f"#channel-{channel}-log").get_by_role("button").first.wait_for()


@pytest.mark.thorough
@pytest.mark.long
def test_three_people_and_a_machine_go_from_consent_to_verdict(
    tmp_path: Path, chromium: Any
) -> None:
    store, port = tmp_path / "talk.db", free_port()
    people = People(store)
    study = talk_study(people, games=2, machines=["eliza", "parrot"])
    codes = [code for _, code in people.invite(study, 3)]
    people.end()
    url = f"http://127.0.0.1:{port}"
    server = start(store, port)
    contexts = [chromium.new_context(locale="en-US") for _ in codes]
    for one in contexts:
        one.set_default_timeout(60_000)
    pages = [context.new_page() for context in contexts]
    problems: list[str] = []
    for page in pages:
        page.on("pageerror", lambda error: problems.append(str(error)))
    try:
        for page, code in zip(pages[:2], codes, strict=False):
            enter(page, url, code)
        roles = {role_of(page): page for page in pages[:2]}
        judge, witness = roles["judge"], roles["witness"]
        talked(judge, witness, "<b>me</b>, that is who")
        assert violations(judge) == violations(witness) == []

        # A witness's page and browser hold nothing of the other channel, nor of roles.
        labels = [one for one in "AB" if witness.get_by_text(f"Who are you, {one}?").count()]
        assert len(labels) == 1
        kept = witness.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
        assert kept == "[{},{}]"
        assert [one["name"] for one in contexts[pages.index(witness)].cookies()] == []
        for hidden in (f"Who are you, {'AB'.replace(labels[0], '')}?", "eliza", "parrot"):
            assert hidden not in witness.content()

        # The witness closes the tab and returns: all is there.
        at = pages.index(witness)
        witness.close()
        witness = pages[at] = contexts[at].new_page()
        witness.goto(f"{url}/p/{codes[at]}")
        witness.get_by_text("<b>me</b>, that is who").wait_for()

        # The server is killed while the judge writes: what was sent is there, and what is sent meanwhile comes through.
        server.send_signal(signal.SIGKILL)
        server.wait()
        say(judge, "A", "Are you still there?")
        judge.get_by_text("The server cannot be reached").wait_for()
        server = start(store, port)
        judge.locator("#channel-A-log").get_by_text("Are you still there?").wait_for()
        assert judge.locator("#channel-A-log").get_by_text("Are you still there?").count() == 1
        witness.get_by_text("<b>me</b>, that is who").wait_for()

        enter(pages[2], url, codes[2])
        pages[2].get_by_role("heading", name="Waiting room").wait_for()
        assert violations(pages[2]) == []
        decide(judge)
        for page in (judge, witness):
            page.get_by_text("was the machine").wait_for()
            page.get_by_role("button", name="Go on").click()
            page.get_by_text("was the machine").wait_for(state="hidden")
        # The third plays with one of the two, and the other waits: nobody is paired twice.
        assert role_of(pages[2])
        while not (inside := [one for one in pages[:2] if one.locator("#channels .log").count()]):
            pages[0].wait_for_timeout(20)
        (other,) = inside
        (alone,) = [one for one in pages[:2] if one is not other]
        alone.get_by_role("heading", name="Waiting room").wait_for()
        roles = {role_of(page): page for page in (pages[2], other)}
        talked(roles["judge"], roles["witness"], "still me")
        decide(roles["judge"])
        for page in roles.values():
            page.get_by_text("was the machine").wait_for()
    finally:
        for context in contexts:
            context.close()
        server.terminate()
        server.wait()
    assert problems == []
    after = People(store)
    assert [state for _, state, _, _ in rooms_of(after, after.study("talk"))] == ["over", "over"]
    states = sorted(one.state for one in after.participants(after.study("talk")))
    assert states == ["consented", "finished", "playing"], "the third has a game to come"
    after.end()


@contextmanager
def in_browsers(
    tmp_path: Path, chromium: Any, count: int, **study: Any
) -> Iterator[tuple[str, list[Any], list[str], Path]]:
    """A server with a study, and so many pages, each in a browser of its own."""
    store, port = tmp_path / "talk.db", free_port()
    people = People(store)
    codes = [code for _, code in people.invite(talk_study(people, **study), count)]
    people.end()
    server = start(store, port)
    contexts = [chromium.new_context(locale="en-US") for _ in codes]
    problems: list[str] = []
    try:
        pages = []
        for one in contexts:
            one.set_default_timeout(60_000)
            pages.append(one.new_page())
            pages[-1].on("pageerror", lambda error: problems.append(str(error)))
        yield f"http://127.0.0.1:{port}", pages, codes, store
    finally:
        for context in contexts:
            context.close()
        server.terminate()
        server.wait()
    assert problems == []


@pytest.mark.thorough
@pytest.mark.long
def test_a_sustained_game_in_browsers_asks_for_a_verdict_after_each_round(
    tmp_path: Path, chromium: Any
) -> None:
    with in_browsers(tmp_path, chromium, 2, world={"rounds": 2}) as (url, pages, codes, store):
        for page, code in zip(pages, codes, strict=True):
            enter(page, url, code)
        roles = {role_of(page): page for page in pages}
        judge, witness = roles["judge"], roles["witness"]
        talked(judge, witness, "it is me")
        assert "Round 1 of 2" in judge.locator("#told").inner_text()
        decide(judge)
        judge.get_by_text("Round 2 of 2").first.wait_for()
        assert judge.locator("#verdict").is_hidden(), "the next verdict is asked for when it is due"
        assert judge.locator("#truth").is_hidden()
        assert "machine" not in witness.locator("#truth").inner_text()
        say(judge, "A", "And now?")
        judge.locator("#channel-A-log").get_by_text("And now?").wait_for()
        judge.get_by_role("button", name="Decide now").click()
        assert judge.get_by_role("radio", checked=True).count() == 0, "chosen anew"
        judge.get_by_role("radio", name="Witness A").check()
        judge.get_by_role("button", name="Give this verdict").click()
        for page in (judge, witness):
            page.get_by_text("was the machine").wait_for()
    assert verdicts(store) == [["B", "A"]]


@pytest.mark.thorough
@pytest.mark.long
def test_a_jury_in_browsers_votes_deliberates_and_votes_again(
    tmp_path: Path, chromium: Any
) -> None:
    jury = {"jurors": 3, "minutes": 0.5}
    with in_browsers(tmp_path, chromium, 4, world=jury, people=4) as (url, pages, codes, store):
        for page, code in zip(pages, codes, strict=True):
            enter(page, url, code)
        for page in pages:
            page.locator("#channels .log").first.wait_for()
        jurors = [page for page in pages if page.locator("#channel-A-log").count()]
        (witness,) = [page for page in pages if page not in jurors]
        assert len(jurors) == 3
        asks = next(page for page in jurors if page.locator("#channel-A-text").is_visible())
        say(asks, "A", "Who are you?")
        for page in jurors:
            page.locator("#channel-A-log").get_by_text("Who are you?").wait_for()
        for page, choice in zip(jurors, "ABB", strict=True):
            vote(page, f"Witness {choice}")
        for page in jurors:
            page.locator("#jury").wait_for()
            assert violations(page) == []
        field = jurors[2].locator("#jury-text")
        field.fill("I say <b>B</b>.")
        field.press("Enter")
        jurors[0].locator("#jury-log").get_by_text("I say <b>B</b>.").wait_for()
        assert "I say" not in witness.content()
        for page in jurors:
            page.locator("#ready").click()
        for page in jurors:
            vote(page, "Witness A")
        for page in (*jurors, witness):
            page.get_by_text("was the machine").wait_for()
    assert verdicts(store) == [["A"]]


def vote(page: Any, choice: str) -> None:
    """Give one's voice, once it is asked for."""
    page.get_by_role("radio", name=choice).check()
    page.get_by_role("button", name="Give this verdict").click()
    page.locator("#verdict").wait_for(state="hidden")


def verdicts(store: Path) -> list[list[str]]:
    """The choices of all rounds of each game."""
    with open_store(store) as records:
        return [
            [one["choice"] for one in game.verdicts]
            for game in games_of(records, records.find("talk"))
        ]


def test_nobody_takes_part_without_saying_that_they_are_of_age(served: Served) -> None:
    people: People = served.app.state.people
    study = talk_study(people, name="of-age")
    ((one, code),) = people.invite(study, 1)
    with served.client() as client:
        text = client.get(f"/p/{code}/consent").text
        for kept in (one.pseudonym, "what you write", "may be machines", "may also be published"):
            assert kept in text
        refused = client.post(f"/p/{code}/consent", data={"agreed": "yes"})
        assert refused.status_code == 422
        assert "Only adults" in refused.text
        agreed = client.post(f"/p/{code}/consent", data={"agreed": "yes", "adult": "yes"})
        assert agreed.status_code == 303
    assert people.by_code(code).reuse is False


def test_what_is_too_large_or_no_message_is_refused_and_nothing_is_kept(served: Served) -> None:
    people: People = served.app.state.people
    study = talk_study(people, name="large")
    codes = []
    for one, code in people.invite(study, 2):
        people.consent(one)
        codes.append(code)
    with served.client() as client:
        for code in [*codes, *codes]:
            told = client.get(f"/api/talks/{code}/state").json()
        role = told["page"]["role"]
        record = {"kind": "say", "channel": "A", "text": "", "choice": "", "value": 50}
        for text, status in (("x" * 10_000_000, 413), ("", 422), ("a\x00b", 422), ("x" * 999, 422)):
            action = text if role == "witness" else {**record, "text": text}
            body = {"id": "0123456789", "action": action}
            refused = client.post(f"/api/talks/{codes[1]}/doings", json=body)
            assert refused.status_code == status, refused.text
            assert set(refused.json()) == {"error"}
        told = client.get(f"/api/talks/{codes[1]}/state", headers={"accept-language": "es"})
        assert told.status_code == 200
        empty = {"id": "0123456789", "action": "" if role == "witness" else record}
        spanish = client.post(
            f"/api/talks/{codes[1]}/doings", json=empty, headers={"accept-language": "es"}
        )
        assert spanish.json()["error"] == "El mensaje está vacío; escriba algo."
        assert client.get("/api/talks/nobody/state").status_code == 404
    assert rooms_of(people, study)[0][3] == 0


def test_the_experimenter_watches_and_stops_a_room(served: Served) -> None:
    people: People = served.app.state.people
    study = talk_study(people, name="watched")
    codes = []
    for one, code in people.invite(study, 2):
        people.consent(one)
        codes.append(code)
    with served.client() as client, served.experimenter() as boss:
        for code in codes:
            told = client.get(f"/api/talks/{code}/state").json()
        action: Any = "hello"
        if told["page"]["role"] == "judge":
            action = {"kind": "say", "channel": "A", "text": "hello", "choice": "", "value": 50}
        done = client.post(
            f"/api/talks/{codes[1]}/doings", json={"id": "0123456789", "action": action}
        )
        assert done.status_code == 200
        assert client.get("/api/experimenter/studies/watched/talks/0").status_code == 401
        seen = boss.get("/api/experimenter/studies/watched/talks/0").json()
        assert [one["text"] for one in seen["page"]["messages"]] == ["hello"]
        assert boss.get("/experimenter/watched/rooms/0").status_code == 200
        (line,) = boss.post("/api/experimenter/studies/watched/rooms/0/close").json()
        assert line["state"] == "void"
        assert client.get(f"/api/talks/{codes[0]}/state").json()["phase"] == "lobby"
        assert boss.get("/api/experimenter/studies/watched/folder.zip").status_code == 200


def test_the_study_of_the_documentation_can_be_made_and_joined(served: Served) -> None:
    text = Path("docs/worlds/imitation.md").read_text(encoding="utf-8")
    file = text.partition("```yaml\n")[2].partition("```")[0]
    assert "together" in file
    with served.experimenter() as boss:
        made = boss.post("/api/experimenter/study-files", json={"text": file})
        assert made.status_code in (200, 201), made.text
    people: People = served.app.state.people
    study = people.study("who-is-who")
    assert people.talks(study.id)
    codes = []
    for one, code in people.invite(study, 2):
        people.consent(one)
        codes.append(code)
    with served.client() as client:
        for code in codes:
            told = client.get(f"/api/talks/{code}/state").json()
        assert told["phase"] == "talk"
        page = client.get(f"/p/{codes[0]}/instructions")
        assert "You will play 2 games" in page.text
