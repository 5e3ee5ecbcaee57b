"""Conversations: people and machines on an open floor; who waits, leaves, returns, reports, withdraws, is killed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import in_a_loop

from mensura.agent.errors import MensuraError
from mensura.records import schema
from mensura.records.store import open_store
from mensura.studies.replay import replay
from mensura.web.codebook import TABLES
from mensura.web.people.rooms.parlor import AWAY, Parlor
from mensura.web.people.rooms.record import rooms_of
from mensura.web.people.rooms.talk_record import read_talk, talk_rows
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.refusals import Refused

QUICK: dict[str, Any] = {"exchange": "open", "seated": "all", "typing": False, "minutes": 5.0}


def talk_study(
    people: People, /, name: str = "talk", world: dict[str, Any] | None = None, **together: Any
) -> PeopleStudy:
    return people.create(
        name=name,
        title="A conversation",
        assessment="games",
        parameters={},
        world="imitation-v1",
        world_parameters={**QUICK, **(world or {})},
        places=9,
        theme="colors",
        language="",
        seed=7,
        people={
            "together": {"people": 2, "machines": ["eliza"], **together},
            "usual_questions": False,
            "reuse": True,
        },
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


def played(people: People, work: Callable[[Parlor], Awaitable[None]], **more: Any) -> None:
    """Do something in the parlor of a server of its own."""

    async def go() -> None:
        parlor = Parlor(people, **more)
        try:
            await work(parlor)
        finally:
            await parlor.end()

    in_a_loop(go())


def record(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "channel": "", "text": "", "choice": "", "value": 50, **more}


IDS = iter(f"id-{number:08}" for number in range(10**8))


async def do(parlor: Parlor, code: str, action: Any, id: str = "") -> dict[str, Any]:
    return await parlor.do(code, id or next(IDS), action)


async def seated(parlor: Parlor, codes: list[str]) -> tuple[str, str]:
    """The codes of judge and witness, once both are in a room."""
    for code in codes:
        await parlor.state(code)
    roles = {}
    for code in codes:
        roles[(await parlor.state(code))["page"]["role"]] = code
    return roles["judge"], roles["witness"]


async def seen(parlor: Parlor, code: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = (await parlor.state(code))["page"]["messages"]
    return messages


async def answered(parlor: Parlor, judge: str) -> None:
    """Wait until the judge was answered in both channels: nothing more happens by itself."""
    while (
        len(spoke := {one["channel"] for one in await seen(parlor, judge) if not one["mine"]}) < 2
    ):
        await asyncio.sleep(0.02)
    assert spoke == {"A", "B"}


async def to_the_end(parlor: Parlor, judge: str, witness: str) -> dict[str, Any]:
    for channel in "AB":
        await do(parlor, judge, record("say", channel=channel, text="Who are you?"))
    await do(parlor, witness, "a person, I hope")
    await answered(parlor, judge)
    return await do(parlor, judge, record("verdict", choice="A", value=80, text="style: x"))


def test_a_game_goes_from_the_waiting_room_to_the_verdict_and_is_one_sitting(
    people: People, tmp_path: Path
) -> None:
    study = talk_study(people)
    codes = invited(people, study, 2)

    async def work(parlor: Parlor) -> None:
        told = await parlor.state(codes[0])
        assert told["phase"] == "lobby"
        assert set(told) == {"phase", "seconds"}, "not who else is here"
        judge, witness = await seated(parlor, codes)
        told = await do(parlor, judge, record("say", channel="A", text="Hello <b>you</b>"))
        assert told["page"]["messages"][0]["text"] == "Hello <b>you</b>"
        await do(parlor, judge, record("slider", channel="A", value=20))
        told = await to_the_end(parlor, judge, witness)
        assert told["page"]["phase"] == "over"
        assert "was the machine" in told["page"]["truth"]
        assert "was the machine" in (await parlor.state(witness))["page"]["truth"]

    played(people, work)
    assert {who.state for who in people.participants(study)} == {"finished"}
    with open_store(tmp_path / "people.db") as store:
        run = store.find("talk")
        assert replay(store, run, 0).identical
        from mensura.api.imitation_games import games_of, imitation_page_of

        (game,) = games_of(store, run)
        page = imitation_page_of(store, run)
    assert not game.void
    assert (game.judged_by, game.publishable, game.machine) == ("people", False, "eliza")
    assert {game.judge, game.person} == {"P0001", "P0002"}
    assert page is not None
    told = page()
    assert "Judged by people" in told
    assert "a person, I hope" not in told, "nobody has allowed that it is shown"
    assert "a person, I hope" in game.text()
    rows = list(talk_rows(people, study, pilot=False))
    assert {row["pseudonym"] for row in rows} == {"P0001", "P0002"}
    assert all(set(row) <= set(TABLES["interactions"]) for row in rows)


@pytest.mark.thorough
def test_a_sustained_game_goes_on_after_the_first_verdict(people: People, tmp_path: Path) -> None:
    study = talk_study(people, world={"rounds": 2})
    codes = invited(people, study, 2)

    async def work(parlor: Parlor) -> None:
        judge, witness = await seated(parlor, codes)
        told = await to_the_end(parlor, judge, witness)
        assert (told["page"]["phase"], told["page"]["round"]) == ("talk", 2)
        assert told["page"]["truth"] == ""
        assert (await parlor.state(witness))["page"]["says"]
        told = await do(parlor, judge, record("verdict", choice="B", value=90, text="style: y"))
        assert told["page"]["phase"] == "over"

    played(people, work)
    with open_store(tmp_path / "people.db") as store:
        run = store.find("talk")
        assert replay(store, run, 0).identical
        from mensura.api.imitation_games import games_of

        (game,) = games_of(store, run)
    assert [one["choice"] for one in game.verdicts] == ["A", "B"]


def test_a_killed_room_is_made_again_and_what_is_sent_again_is_taken_once(people: People) -> None:
    study = talk_study(people)
    codes = invited(people, study, 2)
    seats: list[str] = []
    seen = []

    async def first(parlor: Parlor) -> None:
        seats.extend(await seated(parlor, codes))
        judge, witness = seats
        await do(parlor, judge, record("say", channel="A", text="One?"), id="same-name")
        await do(parlor, judge, record("say", channel="B", text="Two?"))
        await do(parlor, witness, "here")
        await answered(parlor, judge)
        seen.extend([(await parlor.state(code))["page"] for code in seats])

    async def second(parlor: Parlor) -> None:
        judge, witness = seats
        again = [(await parlor.state(code))["page"] for code in seats]
        assert again == seen
        await do(parlor, judge, record("say", channel="A", text="One?"), id="same-name")
        assert (await parlor.state(judge))["page"] == seen[0]
        await do(parlor, judge, record("verdict", choice="B", value=50))
        assert (await parlor.state(witness))["page"]["phase"] == "over"

    played(people, first)
    played(people, second)
    assert {who.state for who in people.participants(study)} == {"finished"}


def test_two_servers_keep_one_order_of_arrival(people: People) -> None:
    study = talk_study(people)
    codes = invited(people, study, 2)

    async def work(parlor: Parlor) -> None:
        elsewhere = Parlor(people)
        judge, witness = await seated(parlor, codes)
        await elsewhere.state(witness)
        await do(parlor, judge, record("say", channel="A", text="One?"))
        with pytest.raises(Refused, match="Look again"):
            await do(elsewhere, witness, "hello")
        await elsewhere.state(witness)
        await do(elsewhere, witness, "hello")
        await elsewhere.end()

    played(people, work)
    assert len(read_talk(people, study, 0).said) == 2


def test_a_witness_is_told_nothing_of_the_other_channel_nor_of_roles(people: People) -> None:
    study = talk_study(people)
    codes = invited(people, study, 2)

    async def work(parlor: Parlor) -> None:
        judge, witness = await seated(parlor, codes)
        own = parlor._rooms[study.id, 0].live._environment
        label = own.rules.labels(own.description)[1]
        other = "B" if label == "A" else "A"
        stream = parlor.events(witness)
        before = await anext(stream)
        coming = asyncio.ensure_future(anext(stream))
        for number in range(5):
            await do(parlor, judge, record("say", channel=other, text=f"secret {number}"))
        await do(parlor, judge, record("slider", channel=other, value=3))
        await do(parlor, judge, record("slider", channel=label, value=3))
        assert not coming.done(), "nothing comes over the wire"
        assert await parlor.state(witness) == before
        await do(parlor, judge, record("say", channel=label, text="open"))
        after = await asyncio.wait_for(coming, 30)
        assert after["version"] == before["version"] + 1
        told = json.dumps(after)
        assert [one["text"] for one in after["page"]["messages"]] == ["open"]
        for hidden in ("secret", "eliza", "machine", "P000", f'"{label}"', f'"{other}"', "slider"):
            assert hidden not in told
        assert after["seconds"] is None
        await stream.aclose()

    played(people, work)


def test_messages_that_are_none_get_a_sentence(people: People) -> None:
    study = talk_study(people)
    codes = invited(people, study, 2)
    messages: list[tuple[Any, str]] = [
        ("", "empty"),
        ("   \n ", "empty"),
        ("x" * 301, "301 characters; it may have 300"),
        ("bell \x07", "control characters"),
        (7, "form|text"),
        ({"kind": "say"}, "A message is a text"),
    ]

    async def work(parlor: Parlor) -> None:
        _, witness = await seated(parlor, codes)
        for action, sentence in messages:
            with pytest.raises(Refused, match=sentence):
                await do(parlor, witness, action)

    played(people, work)
    assert read_talk(people, study, 0).said == []


def test_verdicts_after_the_end_and_nonsense_of_judges_get_a_sentence(people: People) -> None:
    study = talk_study(people)
    codes = invited(people, study, 2)

    async def work(parlor: Parlor) -> None:
        judge, witness = await seated(parlor, codes)
        for action, sentence in (
            (record("say", channel="C", text="x"), "channels are A, B"),
            (record("mark", value=900), "Only a message of a witness"),
            (record("verdict", choice="C"), "The choice is one of"),
            (record("verdict", choice="A", value=7), "confidence is from 50"),
            (record("dance"), "no such kind"),
            ({"kind": "say"}, "A message is a text"),
            ([1], "form|text"),
        ):
            with pytest.raises(Refused, match=sentence):
                await do(parlor, judge, action)
        await to_the_end(parlor, judge, witness)
        with pytest.raises(Refused, match="The game is over"):
            await do(parlor, judge, record("verdict", choice="B", value=60))
        with pytest.raises(Refused, match="The game is over"):
            await do(parlor, witness, "late")

    played(people, work)


def test_a_jury_votes_in_secret_deliberates_and_votes_again(people: People) -> None:
    study = talk_study(people, world={"jurors": 3}, people=4)
    codes = invited(people, study, 4)

    async def work(parlor: Parlor) -> None:
        for code in codes:
            await parlor.state(code)
        (witness,) = [c for c in codes if (await parlor.state(c))["page"]["role"] == "witness"]
        jurors = [code for code in codes if code != witness]
        asks = [code for code in jurors if (await parlor.state(code))["page"]["asks"]]
        assert len(asks) == 1
        with pytest.raises(Refused, match="Another juror asks"):
            await do(
                parlor,
                next(c for c in jurors if c not in asks),
                record("say", channel="A", text="x"),
            )
        for channel in "AB":
            for code in jurors:
                if (await parlor.state(code))["page"]["asks"]:
                    await do(parlor, code, record("say", channel=channel, text="Who?"))
                    break
        await do(parlor, witness, "me")
        assert (await parlor.state(jurors[0]))["page"]["phase"] == "talk"
        parlor._rooms[study.id, 0].began -= 60 * QUICK["minutes"]  # time is over
        await do(parlor, jurors[0], record("verdict", choice="A", value=90))
        with pytest.raises(Refused, match="voted already"):
            await do(parlor, jurors[0], record("verdict", choice="B", value=90))
        other = await parlor.state(jurors[1])
        assert not other["page"]["voted"]
        assert "90" not in json.dumps(other["page"]), "votes are secret"
        for code in jurors[1:]:
            await do(parlor, code, record("verdict", choice="B", value=60))
        told = await parlor.state(jurors[0])
        assert (told["page"]["phase"], told["page"]["voted"]) == ("deliberate", False)
        await do(parlor, jurors[2], record("say", channel="J", text="It is B."))
        assert (await parlor.state(jurors[0]))["page"]["messages"][-1]["author"].startswith("juror")
        assert "It is B." not in json.dumps(await parlor.state(witness))
        for code in jurors:
            await do(parlor, code, record("silence"))
        for code in jurors:
            await do(parlor, code, record("verdict", choice="B", value=70))
        told = await parlor.state(jurors[0])
        assert (told["page"]["phase"], told["page"]["verdict"]) == ("over", "B")

    played(people, work)
    assert {who.state for who in people.participants(study)} == {"finished"}


def test_who_leaves_before_saying_anything_is_replaced_and_later_the_game_is_void(
    people: People,
) -> None:
    study = talk_study(people)
    codes = invited(people, study, 3)

    async def leaves(parlor: Parlor, code: str) -> None:
        found = parlor._chair(code)
        assert found is not None
        found[2].seen -= AWAY
        await parlor.look_around()

    async def work(parlor: Parlor) -> None:
        judge, witness = await seated(parlor, codes[:2])
        assert (await parlor.state(codes[2]))["phase"] == "lobby"
        await leaves(parlor, witness)
        assert (await parlor.state(witness))["phase"] == "replaced"
        assert (await parlor.state(codes[2]))["page"]["role"] == "witness"
        await do(parlor, codes[2], "hello")
        assert (await parlor.state(judge))["phase"] == "talk"
        await leaves(parlor, codes[2])
        assert (await parlor.state(judge))["phase"] in ("lobby", "void")

    played(people, work)
    assert rooms_of(people, study)[0][1] == "void"
    with people.reading() as connection:
        assert connection.execute(schema.room_answer.select()).all() == []


def test_a_room_that_all_have_left_is_given_up_by_itself(people: People) -> None:
    study = talk_study(people)
    codes = invited(people, study, 2)

    async def work(parlor: Parlor) -> None:
        for code in codes:
            await parlor.state(code)
        while rooms_of(people, study)[0][1] == "open":
            await asyncio.sleep(0.02)

    played(people, work, away=0.1)
    assert rooms_of(people, study)[0][1] == "void"


def test_a_report_closes_a_room_at_once_and_the_experimenter_can_read_it(people: People) -> None:
    study = talk_study(people)
    codes = invited(people, study, 2)

    async def work(parlor: Parlor) -> None:
        judge, witness = await seated(parlor, codes)
        await do(parlor, judge, record("say", channel="A", text="something vile"))
        stream = parlor.events(witness)
        await anext(stream)
        coming = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        await parlor.report(witness)
        while (told := await asyncio.wait_for(coming, 30))["phase"] != "void":
            coming = asyncio.ensure_future(anext(stream))
        assert told == {"phase": "void", "why": "reported"}
        with pytest.raises(Refused, match="no room"):
            await do(parlor, judge, record("say", channel="A", text="more"))
        assert (await parlor.state(judge))["phase"] == "lobby", "and never with the same person"
        assert (await parlor.state(witness))["phase"] == "lobby"
        seen = await parlor.watch(study, 0)
        assert (seen["state"], seen["page"]["messages"][0]["text"]) == (
            "reported",
            "something vile",
        )
        await parlor.close_room(study, 0)
        assert (await parlor.watch(study, 0)) == {"state": "void", "page": None}

    played(people, work)
    assert list(talk_rows(people, study, pilot=False)) == []


def test_whoever_withdraws_leaves_nothing_in_any_game(people: People, tmp_path: Path) -> None:
    study = talk_study(people, games=2, again=True)
    codes = invited(people, study, 3)

    async def work(parlor: Parlor) -> None:
        judge, witness = await seated(parlor, codes[:2])
        await to_the_end(parlor, judge, witness)
        assert {who.state for who in people.participants(study)} == {"playing", "consented"}
        await parlor.next(judge)
        await parlor.next(witness)
        assert (await parlor.state(judge))["phase"] == "lobby"
        assert (await parlor.state(witness))["phase"] == "lobby", "nobody is paired twice"
        told = await parlor.state(codes[2])
        assert told["phase"] == "talk"
        leaver = judge if (await parlor.state(judge))["phase"] == "talk" else witness
        one = people.by_code(leaver)
        await parlor.leave(one, lambda: people.withdraw(one))
        assert (await parlor.state(codes[2]))["phase"] == "talk", "with who is left"

    played(people, work)
    with people.reading() as connection:
        assert connection.execute(schema.room_answer.select()).all() == []
    with open_store(tmp_path / "people.db") as store:
        assert not store.done(store.find("talk"))[0].any()


@pytest.mark.thorough
def test_what_people_allow_is_said_again_until_they_withdraw(
    people: People, tmp_path: Path
) -> None:
    from mensura.api.imitation_games import games_of, lines_of
    from mensura.worlds.imitation.witnesses import Lines, Replay

    study = talk_study(people)
    codes = []
    for one, code in people.invite(study, 2):
        people.consent(one, reuse=True)
        codes.append(code)

    async def work(parlor: Parlor) -> None:
        await to_the_end(parlor, *await seated(parlor, codes))

    played(people, work)
    with open_store(tmp_path / "people.db") as store:
        found = lines_of(games_of(store, store.find("talk")))
        assert found == [("Who are you?", "a person, I hope")]
        machine = Replay(Lines(found))
        assert machine.reply(["who might you be?"]) == "a person, I hope"
        people.withdraw(people.by_code(codes[0]))
        assert lines_of(games_of(store, store.find("talk"))) == []


def test_a_machine_that_takes_its_time_is_asked_once_whatever_happens(people: People) -> None:
    study = talk_study(people, machines=["scripted:mate?ability=0.5&guide=eliza"])
    codes = invited(people, study, 2)
    seats: list[str] = []

    async def first(parlor: Parlor) -> None:
        seats.extend(await seated(parlor, codes))
        for channel in "AB":
            await do(parlor, seats[0], record("say", channel=channel, text="Who are you?"))
        while len(read_talk(people, study, 0).said) < 3:
            await asyncio.sleep(0.02)

    played(people, first)
    kept = read_talk(people, study, 0).said
    assert 2 in {one.seat for one in kept}

    async def second(parlor: Parlor) -> None:
        await parlor.state(seats[0])
        await asyncio.sleep(0.2)

    played(people, second)
    assert read_talk(people, study, 0).said[: len(kept)] == kept


@pytest.mark.thorough
def test_two_machines_are_met_equally_often(people: People) -> None:
    study = talk_study(people, machines=["eliza", "parrot"])
    codes = invited(people, study, 8)

    async def work(parlor: Parlor) -> None:
        for code in codes:
            await parlor.state(code)

    played(people, work)
    assert sorted(number for number, *_ in rooms_of(people, study)) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("together", "world", "sentence"),
    [
        ({"people": 1}, {}, "2 and a machine, or 3 people|members"),
        ({"machines": []}, {}, "members|name the machines"),
        ({"people": 3}, {}, "members|leave the machines out"),
        ({"machines": ["nobody"]}, {}, "nobody"),
        ({"machines": ["eliza", "eliza"]}, {}, "named twice"),
        ({"programs": "eliza"}, {}, "leave programs out"),
        ({}, {"jurors": 2}, "it must be 1, or from 3 to 12"),
    ],
)
def test_conversations_that_cannot_be_are_refused_in_a_sentence(
    people: People, together: dict[str, Any], world: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        talk_study(people, world=world, **together)
    assert people.studies() == []


def test_with_many_rooms_at_once_nothing_is_lost_doubled_or_out_of_order(people: People) -> None:
    study = talk_study(
        people, world={"trait": "a nurse"}, people=3, machines=[], name="many", games=1
    )
    codes = invited(people, study, 9)

    async def work(parlor: Parlor) -> None:
        for number, code in enumerate(codes):
            told = await parlor.state(code)
            assert (told["trait"], told["told"]) == ("a nurse", False)
            await parlor.describe(code, bool(number % 2))
        roles = {code: (await parlor.state(code))["page"]["role"] for code in codes}
        for number, code in enumerate(codes):
            page = (await parlor.state(code))["page"]
            assert page["role"] == "judge" or page["pretends"] != bool(number % 2)
        assert sorted(roles.values()) == ["judge"] * 3 + ["witness"] * 6

        async def talks(code: str) -> None:
            for number in range(6):
                text = f"{code[:6]} {number}"
                judge = roles[code] == "judge"
                said = record("say", channel="AB"[number % 2], text=text) if judge else text
                await do(parlor, code, said)

        shown: dict[str, list[str]] = {code: [] for code in codes}

        async def listens(code: str) -> None:
            async for told in parlor.events(code):
                shown[code] = [one["text"] for one in told["page"]["messages"]]

        listening = [asyncio.ensure_future(listens(code)) for code in codes]
        await asyncio.gather(*map(talks, codes))
        for code in codes:
            wanted = await seen(parlor, code)
            while len(shown[code]) < len(wanted):
                await asyncio.sleep(0.01)
        for task in listening:
            task.cancel()
        for code, texts in shown.items():
            assert len(texts) == len(set(texts))
            assert len(texts) == (18 if roles[code] == "judge" else 9)
            by_author: dict[str, list[int]] = {}
            for text in texts:
                author, number = text.split()
                by_author.setdefault(author, []).append(int(number))
            assert all(numbers == sorted(numbers) for numbers in by_author.values())

    played(people, work)
    assert [len(read_talk(people, study, number).said) for number in range(3)] == [18, 18, 18]


def test_in_two_party_games_a_coin_decides_whether_a_judge_talks_with_a_person(
    people: People,
) -> None:
    study = talk_study(people, world={"witnesses": 1})
    codes = invited(people, study, 8)
    parts: list[tuple[str, ...]] = []

    async def work(parlor: Parlor) -> None:
        for code in codes:
            await parlor.state(code)
        inside: dict[int | None, list[str]] = {}
        for code in codes:
            if (one := people.by_code(code)).room is not None:
                inside.setdefault(one.room, []).append((await parlor.state(code))["page"]["role"])
        parts.extend(tuple(sorted(roles)) for roles in inside.values())
        told = next(
            one
            for one in [await parlor.state(code) for code in codes]
            if one.get("page", {}).get("role") == "judge"
        )
        assert told["page"]["choices"] == ["person", "machine"]
        assert told["page"]["channels"] == ["A"]

    played(people, work)
    assert set(parts) == {("judge",), ("judge", "witness")}
