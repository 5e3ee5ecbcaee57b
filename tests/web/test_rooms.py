"""Rooms: people and programs in one episode, turn by turn; who waits, misses, leaves, returns, withdraws, is killed."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Served, in_a_loop, log_in, violations

from mensura.agent.errors import MensuraError
from mensura.records import schema
from mensura.records.store import open_store
from mensura.studies.replay import replay
from mensura.web.codebook import TABLES
from mensura.web.pages import phrases
from mensura.web.people.admission import NotAdmitted
from mensura.web.people.rooms.hall import Hall
from mensura.web.people.rooms.live import LATE
from mensura.web.people.rooms.record import read_room, remade, room_rows, rooms_of
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.refusals import Refused

ROOM: dict[str, Any] = {"people": 2, "programs": "local-search*3", "turn": 600.0}


def room_study(
    people: People, /, name: str = "room", horizon: int = 4, **together: Any
) -> PeopleStudy:
    return people.create(
        name=name,
        title="A room",
        assessment="attempts",
        parameters={"attempts": 2},
        world="lambda-star-v2",
        world_parameters={"horizon": horizon},
        places=9,
        theme="colors",
        language="",
        seed=7,
        people={"together": {**ROOM, **together}, "usual_questions": False},
    )


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    made = People(tmp_path / "people.db")
    yield made
    made.end()


def invited(people: People, study: PeopleStudy, count: int, **more: Any) -> list[str]:
    """The codes of some who have agreed."""
    codes = []
    for one, code in people.invite(study, count, **more):
        people.consent(one)
        codes.append(code)
    return codes


def played(people: People, work: Callable[[Hall], Awaitable[None]]) -> None:
    """Do something in the hall of a server of its own."""

    async def go() -> None:
        hall = Hall(people)
        try:
            await work(hall)
        finally:
            await hall.end()

    in_a_loop(go())


async def act(hall: Hall, code: str, action: int = 6, **more: Any) -> dict[str, Any]:
    told = await hall.state(code)
    message, took = more.get("message"), more.get("response_ms", 5.0)
    return await hall.answer(code, told["turn"], action, message, took)


async def to_the_end(hall: Hall, codes: list[str]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for _ in range(100):
        for i, code in enumerate(codes):
            told = await act(hall, code, 4 + i)
        if told["phase"] == "done":
            return told
    raise AssertionError("the room does not end")


def test_a_room_begins_when_enough_are_there_and_ends_as_one_sitting(
    people: People, tmp_path: Path
) -> None:
    study = room_study(people)
    one, other = invited(people, study, 2)

    async def work(hall: Hall) -> None:
        assert (await hall.state(one))["phase"] == "lobby"
        assert (await hall.state(one))["here"] == 1
        told = await hall.state(other)
        assert (told["phase"], told["seat"], told["turn"]) == ("act", 1, 0)
        assert told["svg"].startswith("<svg")
        assert [player["person"] for player in told["players"]] == [True, True, False, False, False]
        told = await act(hall, one)
        assert (told["phase"], told["turn"], told["form"]) == ("wait", 0, None)
        assert (await hall.state(other))["players"][0]["acted"] is True
        told = await act(hall, other)
        assert (told["phase"], told["turn"]) == ("act", 1)
        assert (await hall.state(one))["reward"] in (-1, 0, 1)
        assert (await to_the_end(hall, [one, other]))["phase"] == "done"

    played(people, work)
    states = {who.pseudonym: (who.state, who.room) for who in people.participants(study)}
    assert states == {"P0001": ("finished", 0), "P0002": ("finished", 0)}
    with open_store(tmp_path / "people.db") as store:
        run = store.find("room")
        (result,) = store.result(run).conditions
        assert [one.subject for one in result.subjects] == ["people*2+local-search*3"]
        batch = store.sitting(run, 0)[2]
        assert batch is not None
        names = {row.name for row in batch.measures}
        assert {"reward of people", "reward of local-search"} <= names
        again = replay(store, run, 0)
        assert again.identical
    rows = list(room_rows(people, study, pilot=False))
    assert len(rows) == 2 * 2 * 4
    assert {row["pseudonym"] for row in rows} == {"P0001", "P0002"}
    assert all(set(row) <= set(TABLES["interactions"]) for row in rows)


def test_a_room_is_made_again_from_what_is_kept_by_another_server(people: People) -> None:
    study = room_study(people)
    one, other = invited(people, study, 2)
    seen = []

    async def first(hall: Hall) -> None:
        await hall.state(one)
        await hall.state(other)
        for _ in range(5):
            await act(hall, one)
            await act(hall, other, 2)
        await act(hall, one, 1)
        seen.append({**await hall.state(other), "seconds": 0, "version": 0})

    async def second(hall: Hall) -> None:
        again = {**await hall.state(other), "seconds": 0, "version": 0}
        assert again == seen[0]
        assert (await hall.state(one))["phase"] == "wait"
        await to_the_end(hall, [other, one])

    played(people, first)
    played(people, second)
    assert all(who.state == "finished" for who in people.participants(study))


def test_two_servers_never_play_a_turn_twice(people: People) -> None:
    study = room_study(people)
    one, other = invited(people, study, 2)

    async def work(hall: Hall) -> None:
        elsewhere = Hall(people)
        await hall.state(one)
        await hall.state(other)
        await elsewhere.state(one)
        await act(hall, one, 1)
        with pytest.raises(Refused, match="Look again"):
            await elsewhere.answer(one, 0, 2, None, None)
        assert (await elsewhere.state(one))["phase"] == "wait"
        await elsewhere.end()

    played(people, work)
    facts = read_room(people, study.id, 0)
    assert [done.value for done in facts.answers.values()] == [1]


def test_the_same_answer_again_changes_nothing_and_nonsense_is_refused(people: People) -> None:
    study = room_study(people, chat=True)
    one, other = invited(people, study, 2)

    async def work(hall: Hall) -> None:
        await hall.state(one)
        await hall.state(other)
        for action in (0, 99, "up", None, [1]):
            with pytest.raises(Refused, match="not an action"):
                await hall.answer(one, 0, action, None, None)
        with pytest.raises(Refused, match="cannot be told"):
            await hall.answer(one, 0, 1, "hello there", None)
        first = await hall.answer(one, 0, 1, "star", None)
        again = await hall.answer(one, 0, 2, "ring", None)
        assert again["turn"] == first["turn"] == 0
        await hall.answer(other, 0, 3, None, None)
        assert (await hall.state(other))["heard"] == [[0, "star"]]
        assert (await hall.answer(one, 0, 5, None, None))["turn"] == 1

    played(people, work)
    values = {key: done.value for key, done in read_room(people, study.id, 0).answers.items()}
    assert values == {(0, 0, "act"): 1, (0, 1, "act"): 3}


def test_whoever_misses_turns_has_left_and_who_waits_takes_the_seat(people: People) -> None:
    study = room_study(people, misses=2)
    one, other, third = invited(people, study, 3)

    async def work(hall: Hall) -> None:
        for code in (one, other, third):
            await hall.state(code)
        room = hall._rooms[study.id, 0]
        for _ in range(2):
            assert (await hall.state(other))["phase"] == "act"
            await act(hall, one, 5)
            assert (await hall.state(one))["phase"] == "wait"
            await hall._time_over(room, room.live.turn)
        assert (await hall.state(other))["phase"] == "replaced"
        assert (await hall.state(third))["seat"] == 1

    played(people, work)
    states = {who.pseudonym: who.state for who in people.participants(study)}
    assert states["P0002"] == "screened"
    facts = read_room(people, study.id, 0)
    late = [key for key, done in facts.answers.items() if done.value == LATE]
    assert {seat for _, seat, _ in late} == {1}
    assert [who for _, who in facts.seats[1]] == [1, 2]


def test_a_room_that_all_have_left_is_given_up(people: People) -> None:
    study = room_study(people, turn=0.05, misses=1)
    codes = invited(people, study, 2)

    async def work(hall: Hall) -> None:
        for code in codes:
            await hall.state(code)
        while rooms_of(people, study)[0][1] == "open":
            await asyncio.sleep(0.02)

    played(people, work)
    assert rooms_of(people, study)[0][1] == "void"
    assert {who.state for who in people.participants(study)} == {"consented"}


def test_a_program_fills_the_seat_of_those_who_do_not_come(people: People) -> None:
    study = room_study(people, wait=0.05, fill="random")
    (one,) = invited(people, study, 1)

    async def work(hall: Hall) -> None:
        told = await hall.state(one)
        while told["phase"] == "lobby":
            await asyncio.sleep(0.02)
            told = await hall.state(one)
        assert [player["person"] for player in told["players"]].count(True) == 1
        await to_the_end(hall, [one])

    played(people, work)
    (who,) = people.participants(study)
    assert who.state == "finished"
    live, _ = remade(people, study, read_room(people, study.id, 0))
    assert live.played is not None, "the program acts the same again"


def test_without_a_program_to_fill_who_waited_in_vain_is_sent_on(people: People) -> None:
    study = room_study(people, wait=0.02)
    (one,) = invited(people, study, 1)

    async def work(hall: Hall) -> None:
        told = await hall.state(one)
        while told["phase"] == "lobby":
            await asyncio.sleep(0.02)
            told = await hall.state(one)
        assert told == {"phase": "alone"}

    played(people, work)
    (who,) = people.participants(study)
    assert (who.state, who.excluded) == ("screened", "nobody came")


def test_whoever_withdraws_leaves_nothing_in_the_room_and_the_other_waits_again(
    people: People, tmp_path: Path
) -> None:
    study = room_study(people)
    codes = invited(people, study, 4)

    async def work(hall: Hall) -> None:
        for code in codes[:2]:
            await hall.state(code)
        await act(hall, codes[0])
        one = people.by_code(codes[0])
        await hall.leave(one, lambda: people.withdraw(one))
        assert (await hall.state(codes[1]))["phase"] == "lobby"
        assert (await hall.state(codes[2]))["phase"] == "act", "the next room"
        await to_the_end(hall, codes[1:3])

    played(people, work)
    assert [state for _, state, _, _ in rooms_of(people, study)] == ["void", "over"]
    with people.reading() as connection:
        kept = connection.execute(schema.room_answer.select()).all()
    assert {row.room for row in kept} == {1}
    states = [who.state for who in people.participants(study)]
    assert states == ["withdrawn", "finished", "finished", "consented"]
    # Also afterwards, and the sitting goes with it.
    gone = people.participants(study)[1]
    people.withdraw(gone)
    with open_store(tmp_path / "people.db") as store:
        assert not store.done(store.find("room"))[0].any()


@pytest.mark.thorough
def test_the_pilot_has_rooms_of_its_own_and_is_in_no_result(people: People, tmp_path: Path) -> None:
    study = room_study(people)
    pilots = invited(people, study, 2, pilot=True)
    (real,) = invited(people, study, 1)

    async def work(hall: Hall) -> None:
        assert (await hall.state(real))["phase"] == "lobby"
        assert (await hall.state(pilots[0]))["phase"] == "lobby"
        assert (await hall.state(pilots[1]))["phase"] == "act"
        await to_the_end(hall, pilots)

    played(people, work)
    with open_store(tmp_path / "people.db") as store:
        assert not store.done(store.find("room"))[0].any()
    assert len(list(room_rows(people, study, pilot=True))) == 16
    assert list(room_rows(people, study, pilot=False)) == []


@pytest.mark.thorough
def test_nobody_begins_in_a_study_that_is_closed_and_who_plays_goes_on(people: People) -> None:
    study = room_study(people)
    codes = invited(people, study, 4)

    async def work(hall: Hall) -> None:
        for code in codes[:2]:
            await hall.state(code)
        people.close(study)
        with pytest.raises(NotAdmitted, match="closed"):
            await hall.state(codes[2])
        await to_the_end(hall, codes[:2])

    played(people, work)
    states = [who.state for who in people.participants(study)]
    assert states == ["finished", "finished", "consented", "consented"]


def test_events_come_when_others_act(people: People) -> None:
    study = room_study(people)
    one, other = invited(people, study, 2)

    async def work(hall: Hall) -> None:
        await hall.state(one)
        await hall.state(other)
        stream = hall.events(one)
        first = await anext(stream)
        assert first["turn"] == 0
        coming = asyncio.ensure_future(anext(stream))
        await act(hall, other)
        assert (await asyncio.wait_for(coming, 30))["players"][1]["acted"] is True
        coming = asyncio.ensure_future(anext(stream))
        await act(hall, one)
        assert (await asyncio.wait_for(coming, 30))["turn"] == 1
        await stream.aclose()

    played(people, work)


def test_what_a_seat_is_told_holds_nothing_of_the_others(people: People) -> None:
    study = room_study(people)
    one, other = invited(people, study, 2)

    async def work(hall: Hall) -> None:
        await hall.state(one)
        await hall.state(other)
        await hall.answer(other, 0, 7, None, 123.0)
        told = json.dumps(await hall.state(one))
        assert "123" not in told
        assert "local-search" not in told, "who is a program is told, not which"
        assert "P000" not in told

    played(people, work)


@pytest.mark.parametrize(
    ("together", "sentence"),
    [
        ({"people": 6}, r"people\*6\+local-search\*3 has 9 members and the environment 5 seats"),
        ({"people": 5, "programs": "local-search*0"}, "local-search"),
        ({"programs": None}, r"people\*2 has 2 members and the environment 5 seats"),
        ({"programs": "local-search*2"}, "seats|members"),
        ({"programs": "nobody*3"}, "no subject 'nobody'"),
        ({"turn": 0}, "turn"),
    ],
)
def test_rooms_that_cannot_be_are_refused_in_a_sentence(
    people: People, together: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        room_study(people, **together)
    assert people.studies() == []


def test_two_people_play_in_two_browsers(served: Served, chromium: Any) -> None:
    people: People = served.app.state.people
    study = room_study(people, name="browsers", horizon=2, chat=True)
    codes = invited(people, study, 2)
    contexts = [chromium.new_context() for _ in codes]
    pages = [context.new_page() for context in contexts]
    try:
        for page, code in zip(pages, codes, strict=True):
            page.goto(f"{served.url}/p/{code}")
            page.get_by_role("link", name="To the exercises").click()
            if page is pages[0]:
                page.get_by_role("heading", name="Waiting room").wait_for()
                assert violations(page) == []
        for page in pages:
            page.get_by_text("It is your turn.").first.wait_for()
            assert violations(page) == []
        one, other = pages
        one.get_by_role("button", name="star", exact=True).click()
        one.locator("#form button").first.click()
        one.get_by_text("Waiting for the others.").first.wait_for()
        other.get_by_text("Player 1: has acted").wait_for()
        other.keyboard.press("5")
        other.get_by_text("Player 1 says:").wait_for()
        one.get_by_role("heading", name="Round 1, turn 2").wait_for()
        one.reload()
        one.get_by_role("heading", name="Round 1, turn 2").wait_for()
        for turn in range(2, 5):
            for page in pages:
                page.locator("#form button").first.click()
                page.locator("#told", has_text=re.compile("Waiting|over|your turn")).wait_for()
            if turn < 4:
                for page in pages:
                    page.get_by_role("heading", name=f"turn {turn + 1}").wait_for()
        for page in pages:
            page.get_by_text("All rounds are over.").first.wait_for()
            page.get_by_role("link", name="Go on").click()
            page.wait_for_url("**/result")
    finally:
        for context in contexts:
            context.close()
    assert {who.state for who in people.participants(study)} == {"finished"}


@pytest.mark.thorough
def test_the_experimenter_sees_rooms_and_closes_one(served: Served, browser_page: Any) -> None:
    page = browser_page
    people: People = served.app.state.people
    study = room_study(people, name="seen")
    codes = invited(people, study, 2)
    with served.client() as client:
        for code in codes:
            client.get(f"/api/rooms/{code}/state")
    log_in(page, served.url)
    page.goto(f"{served.url}/experimenter/seen")
    page.get_by_role("cell", name="P0001, P0002").wait_for()
    assert violations(page) == []
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_role("cell", name="closed").wait_for()
    with served.client() as client:
        assert client.get(f"/api/rooms/{codes[0]}/state").json()["phase"] == "lobby"


def test_no_code_of_the_server_is_named_from_a_browser(served: Served) -> None:
    file = """mensura: 1
name: coded
worlds: [lambda-star]
assessments: [{assessment: attempts, parameters: {attempts: 1}}]
people:
  together: {people: 2, programs: "os:system*3"}
"""
    with served.experimenter() as client:
        for text in (file, file.replace("local", "x"), file.replace("programs", "fill")):
            refused = client.post("/api/experimenter/study-files", json={"text": text})
            assert refused.status_code == 400
            assert "names code is code" in refused.json()["error"]
        made = {
            "name": "coded",
            "assessment": "attempts",
            "world": "lambda-star-v2",
            "people": {"together": {**ROOM, "programs": "mine.py:Mine*3"}},
        }
        refused = client.post("/api/experimenter/studies", json=made)
        assert refused.status_code == 400
        assert "names code is code" in refused.json()["error"]


@pytest.mark.thorough
def test_a_model_in_a_room_is_not_asked_again_after_an_interruption(people: People) -> None:
    study = room_study(people, programs="scripted:mate?ability=0.5*3")
    codes = invited(people, study, 2)

    async def first(hall: Hall) -> None:
        for code in codes:
            await hall.state(code)
        for _ in range(2):
            for code in codes:
                await act(hall, code)

    async def second(hall: Hall) -> None:
        told = await hall.state(codes[0])
        assert told["turn"] == 2
        assert (await to_the_end(hall, codes))["phase"] == "done"

    played(people, first)
    kept = read_room(people, study.id, 0).answers
    assert {seat for _, seat, _ in kept} == {0, 1, 2, 3, 4}
    assert sum(seat > 1 for _, seat, _ in kept) == 3 * 3, (
        "three turns were asked for, two were played"
    )
    played(people, second)
    after = read_room(people, study.id, 0).answers
    assert {key: after[key] for key in kept} == kept
    assert all(who.state == "finished" for who in people.participants(study))


def test_a_room_is_told_in_spanish(served: Served) -> None:
    people: People = served.app.state.people
    study = room_study(people, name="en-una-sala")
    codes = invited(people, study, 2)
    with served.client() as client:
        for code in codes:
            told = client.get(f"/api/rooms/{code}/state", headers={"accept-language": "es"}).json()
    say = phrases("es")
    text = " ".join([*told["words"], *(one["name"] for one in told["form"]["choices"])])
    for english in ("the ", "You ", "star", "reward", "down", "stay"):
        assert english not in text
        assert english not in told["svg"].replace("start", "")
    assert say("The star: 1 up 2 left.") == "La estrella: 1 arriba y 2 a la izquierda."
