"""Studies of people in the store: invitations, sittings made again, commits that count once, what is forgotten."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event
from tests.postgres import Cluster
from tests.sizes import examples
from tests.web.conftest import in_a_loop

from mensura.agent.errors import MensuraError
from mensura.api.checkpoints_from_run import from_run
from mensura.records.store import open_store
from mensura.studies.place import Place
from mensura.studies.replay import replay
from mensura.studies.runs import resume
from mensura.web.people.live import Given, Live
from mensura.web.people.marked import marked_pool
from mensura.web.people.participants import Participant
from mensura.web.people.showing import SYMBOLS, colors, sign, symbols
from mensura.web.people.sittings import Sittings
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.people.writing import Agreement
from mensura.web.refusals import Refused

GOOD_BEFORE = ["cross", "ring", "ring", "star", "bars", "arch", "crescent"]
"""The symbol of Good in the first exercises of all people, in studies before version 6 of the store."""

SHORT = {"fewest": 3, "most": 4, "per_cell": 2}


def new_study(people: People, /, name: str = "short", **more: Any) -> PeopleStudy:
    values: dict[str, Any] = {
        "name": name,
        "title": "A short study",
        "assessment": "exercises",
        "parameters": SHORT,
        "world": "lambda-v1",
        "world_parameters": {},
        "places": 5,
        "theme": "colors",
        "language": "",
        "seed": 7,
    }
    return people.create(**{**values, **more})


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    made = People(tmp_path / "people.db")
    yield made
    made.end()


@pytest.fixture
def study(people: People) -> PeopleStudy:
    return new_study(people)


def play(people: People, study: PeopleStudy, one: Participant, steps: int = 10_000) -> Live:
    """Agree, and answer so many times, or to the end, each answer kept before it is used."""
    people.consent(one)
    live = people.live(study.id, one.number)
    for _ in range(steps):
        if live.is_over:
            break
        shown = live.shown()
        cell = shown.reachable[live.number % len(shown.reachable)] if shown.reachable else None
        answer = Given(
            live.number, None if cell is None else live.action_to(cell), time.time(), 300.0, 350.0
        )
        people.writer.write(study.id, one.number, answer).result(30)
        live.take(answer)
    return live


def test_a_study_is_found_again_with_what_it_was_made_of(people: People) -> None:
    made = new_study(people, theme="neutral", language="es")
    assert people.study("short") == made
    assert people.studies() == [made]
    assert (made.theme, made.language, made.places, made.seed) == ("neutral", "es", 5, 7)
    assert made.parameters["per_cell"] == 2
    with pytest.raises(Refused, match="no study of people called 'other'"):
        people.study("other")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"assessment": "battery"}, "People cannot take the assessment 'battery'"),
        ({"theme": "loud"}, "There is no theme 'loud'"),
        ({"language": "xx"}, "There is no language 'xx'"),
        ({"places": 0}, "1 to 100000 places"),
        ({"world": "lambda-star-v2"}, "has no such spaces"),
        (
            {"world": "lambda-star-v2", "assessment": "anytime", "parameters": {}},
            "participant is alone",
        ),
        ({"world": "nowhere"}, "no world 'nowhere'"),
        ({"world_parameters": {"subjects": 2}}, "a participant is alone"),
        ({"world_parameters": {"future": (0,)}}, "no rights to see more"),
        ({"parameters": {"per_cell": 0}}, "per_cell"),
        ({"parameters": {"speed": 1}}, "speed"),
        ({"parameters": {"memory": "fresh"}}, "People cannot forget"),
        ({"parameters": {"sittings": 3}}, "places"),
        ({"name": "a b"}, "name"),
    ],
)
def test_bad_input_is_a_sentence_and_leaves_nothing_behind(
    people: People, change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        new_study(people, **change)
    assert people.studies() == []
    assert people.store.runs() == []


def test_a_name_is_given_once(people: People, study: PeopleStudy) -> None:
    with pytest.raises(MensuraError, match="already a run short"):
        new_study(people)


def test_codes_are_long_all_different_and_kept_as_hashes_only(
    people: People, study: PeopleStudy, tmp_path: Path
) -> None:
    invited = people.invite(study, 5)
    codes = [code for _, code in invited]
    assert len(set(codes)) == 5
    assert all(len(code) * 6 >= 128 for code in codes)
    assert [people.by_code(code) for code in codes] == [one for one, _ in invited]
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert not any(code.encode() in kept for code in codes)
    with pytest.raises(Refused, match="0 places left"):
        people.invite(study, 1)
    with pytest.raises(Refused, match="Nobody was invited"):
        people.by_code(codes[0][:-1])


def test_a_whole_sitting_is_in_the_run_once_and_can_be_replayed(
    people: People, study: PeopleStudy
) -> None:
    ((one, _), (other, _)) = people.invite(study, 2)
    live = play(people, study, other)
    score = people.finish(live, study.id)
    assert people.finish(people.live(study.id, other.number), study.id) == score
    run = people.store.find("short")
    assert people.store.progress(run).done == 1
    again = replay(people.store, run, other.number)
    assert again.identical
    assert again.from_journal
    (row,) = people.store.result(run).conditions[0].rows()
    assert row["subject"] == "people"
    assert row["score"] == score
    waiting, finished = people.participants(study)
    assert (waiting.number, waiting.state, waiting.answered) == (one.number, "invited", 0)
    assert (finished.state, finished.score, finished.exercise) == ("finished", score, 2)
    assert finished.answered == 4 + 6


def test_what_people_played_becomes_a_pool_without_their_names(
    people: People, study: PeopleStudy
) -> None:
    invited = people.invite(study, 3)
    for one, _ in invited[:2]:
        people.finish(play(people, study, one), study.id)
    run = people.store.find("short")
    pool = from_run(people.store, run, interactions=2, pictures=False)
    assert pool.world == "lambda-v1"
    assert len(pool.episodes) == 4  # two people with two exercises each
    assert len(pool) == 2 * (
        1 + 2
    )  # of 4 and of 6 interactions, of which the last is nobody's start
    names = {one.player for one in pool.checkpoints}
    assert len(names) == 2
    assert all(name.startswith("person-") for name in names)
    assert not names & {one.pseudonym for one in people.participants(study)}
    # Each answer took 300 ms.
    timed = from_run(people.store, run, seconds=0.6, pictures=False)
    assert [one.interaction for one in timed.checkpoints] == [2, 2, 4] * 2


def test_what_somebody_does_is_used_further_only_where_they_allow_it(people: People) -> None:
    study = new_study(people, people={"reuse": True})
    ((yes, _), (no, _), (other, _)) = people.invite(study, 3)
    for one, reuse in ((yes, True), (no, False), (other, True)):
        people.consent(one, reuse=reuse)
        live = play(people, study, one)
        people.finish(live, study.id)
    run = people.store.find("short")
    pool = from_run(people.store, run, interactions=2, pictures=False)
    assert len({one.player for one in pool.checkpoints}) == 2
    assert people.store.refused_reuse(run) == {no.number}
    people.withdraw(other)
    assert len({one.player for one in from_run(people.store, run, interactions=2).checkpoints}) == 1
    people.withdraw(yes)
    with pytest.raises(MensuraError, match="1 person did not allow"):
        from_run(people.store, run, interactions=2)


def test_marked_moments_become_a_pool(people: People, tmp_path: Path) -> None:
    study = new_study(people, people={"reuse": True})
    ((yes, code), (no, refused)) = people.invite(study, 2)
    people.consent(yes, reuse=True)
    people.consent(no, reuse=False)

    async def answered() -> None:
        sittings = Sittings(people)
        for who in (code, refused):
            shown = await sittings.shown(who)
            for marked in (
                False,
                True,
                False,
                True,
            ):  # the first begins, where there is nothing to mark
                cell = shown.reachable[0] if shown.reachable else None
                shown = await sittings.answer(who, shown.number, cell, None, marked=marked)

    in_a_loop(answered())
    assert [one.marked for one in people.given(study.id, yes.number)] == [False, True, False, True]
    assert not any(one.marked for one in people.given(study.id, no.number))
    pool = marked_pool(tmp_path / "people.db", "short")
    assert [one.interaction for one in pool.checkpoints] == [0, 2]
    assert len(pool.pictures) == 2
    assert len(pool.episodes) == 1
    live = people.live(study.id, yes.number)
    assert live.environment is not None
    live.environment.restore(pool.snapshots[pool.checkpoints[-1].digest])
    with pytest.raises(MensuraError, match=r"nowhere\.db"):
        marked_pool(tmp_path / "nowhere.db", "short")
    assert not (tmp_path / "nowhere.db").exists()
    people.withdraw(yes)
    with pytest.raises(MensuraError, match="Nobody who allows it marked"):
        marked_pool(tmp_path / "people.db", "short")


@settings(max_examples=examples(8, 20), deadline=None)
@given(cut=st.integers(0, 12))
def test_a_sitting_made_again_from_its_answers_is_where_it_was(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    people = People(tmp_path_factory.getbasetemp() / "rebuilt.db")
    known = [one.name for one in people.studies()]
    study = people.study("short") if "short" in known else new_study(people, places=1000)
    ((one, _),) = people.invite(study, 1)
    before = play(people, study, one, cut)
    after = people.live(study.id, one.number)
    assert after.shown() == before.shown()
    assert after.number == cut
    assert after.last == before.last
    people.end()


def test_no_answer_is_kept_twice_and_others_do_not_suffer(
    people: People, study: PeopleStudy
) -> None:
    ((one, _), (other, _), (third, _)) = people.invite(study, 3)
    for each in (one, other):
        people.consent(each)
    first = Given(0, None, 1.0, 2.0, 3.0)
    writes = [
        people.writer.write(study.id, number, first)
        for number in (one.number, one.number, other.number, third.number, 77)
    ]
    outcomes = [write.exception(30) for write in writes]
    assert [outcome is None for outcome in outcomes] == [True, False, True, False, False]
    assert all(isinstance(outcome, Refused) for outcome in outcomes if outcome is not None)
    assert people.given(study.id, one.number) == [first]
    assert people.given(study.id, third.number) == []


def test_rows_say_what_was_shown_done_and_got(people: People, study: PeopleStudy) -> None:
    ((one, _),) = people.invite(study, 1)
    live = play(people, study, one)
    assert live.is_over
    rows = list(people.rows(study))
    assert [(row["exercise"], row["interaction"]) for row in rows] == [
        *((1, i) for i in range(4)),
        *((2, i) for i in range(6)),
    ]
    assert {row["pseudonym"] for row in rows} == {one.pseudonym}
    for exercise, mean in enumerate(live.results[0].episodes.reward.tolist(), 1):
        got = [row["reward"] for row in rows if row["exercise"] == exercise]
        assert sum(got) / len(got) == pytest.approx(mean)
    for row in rows:
        assert 0 <= row["action"] < len(row["observation"]["ways"])
        assert (row["response_ms"], row["waited_ms"]) == (300.0, 350.0)
    for earlier, later in pairwise(rows):
        if earlier["exercise"] == later["exercise"]:
            assert earlier["observation"]["ways"][earlier["action"]] == later["observation"]["cell"]


def test_whoever_is_forgotten_leaves_nothing(
    people: People, study: PeopleStudy, tmp_path: Path
) -> None:
    ((one, code), (other, _)) = people.invite(study, 2)
    for each in (one, other):
        people.finish(play(people, study, each), study.id)
    people.answer_questions(one, {"comment": "a remark that only I make"})
    assert [row["answer"] for row in people.questionnaires(study)] == ["a remark that only I make"]
    people.forget(study, one.number)
    assert [left.number for left in people.participants(study)] == [other.number]
    assert {row["pseudonym"] for row in people.rows(study)} == {other.pseudonym}
    assert list(people.questionnaires(study)) == []
    run = people.store.find("short")
    assert people.store.sitting(run, one.number)[2] is None
    assert people.store.journal(run, 0, one.number) == []
    assert people.store.progress(run).done == 1
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert b"a remark that only I make" not in kept
    with pytest.raises(Refused, match="Nobody was invited"):
        people.by_code(code)
    with pytest.raises(Refused, match="no participant"):
        people.forget(study, one.number)
    ((third, _),) = people.invite(study, 1)
    assert third.number not in (one.number, other.number)


def test_whoever_withdraws_keeps_no_answer_and_no_score(people: People, study: PeopleStudy) -> None:
    ((one, code),) = people.invite(study, 1)
    people.finish(play(people, study, one), study.id)
    people.withdraw(one)
    left = people.by_code(code)
    assert (left.state, left.answered, left.score) == ("withdrawn", 0, None)
    assert people.results(one) == []


def test_of_many_who_arrive_at_once_one_makes_what_all_need(
    people: People, study: PeopleStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To compile, or to calibrate a test, takes seconds: everybody would wait for everybody's."""
    people.invite(study, 5)
    made: list[str] = []
    everybody = threading.Barrier(5)
    place_of, warm_up = Place.of.__func__, Place.warm_up  # type: ignore[attr-defined]

    def making(cell: Any) -> Place:
        made.append("place")
        return place_of(Place, cell)  # type: ignore[no-any-return]

    def warming(place: Place) -> None:
        made.append("warm")
        warm_up(place)

    monkeypatch.setattr(Place, "of", making)
    monkeypatch.setattr(Place, "warm_up", warming)
    again = People(tmp_path / "people.db")

    def arrive(number: int) -> int:
        everybody.wait(60)
        return again.live(study.id, number).item

    with ThreadPoolExecutor(5) as pool:
        assert sorted(pool.map(arrive, range(5))) == list(range(5))
    assert made == ["place", "warm"]
    again.end()


def test_many_who_agree_at_once_wait_for_few_commits(people: People, study: PeopleStudy) -> None:
    invited = people.invite(study, 5)
    commits: list[Any] = []
    with people.writing():  # nobody else can write meanwhile
        futures = [people.writer.write(one.study, one.number, Agreement()) for one, _ in invited]
        event.listen(people._engine, "commit", commits.append)
    for future in futures:
        future.result(30)
    assert {one.state for one in people.participants(study)} == {"consented"}
    assert len(commits) <= 3, "that of this test, one that was waiting, and one for all others"
    people.consent(invited[0][0])
    with pytest.raises(Refused, match="Nobody was invited"):
        people.writer.write(study.id, 77, Agreement()).result(30)


def test_an_answer_after_a_withdrawal_is_not_kept(people: People, study: PeopleStudy) -> None:
    ((one, code),) = people.invite(study, 1)
    play(people, study, one, 3)
    people.withdraw(one)
    late = people.writer.write(study.id, one.number, Given(3, 0, 1.0, None, 1.0)).exception(30)
    assert isinstance(late, Refused)
    assert late.status == 410
    with pytest.raises(Refused, match="withdrawn"):
        people.answer_questions(one, {"comment": "too late"})
    assert people.given(study.id, one.number) == []
    assert list(people.questionnaires(study)) == []
    assert people.by_code(code).state == "withdrawn"


def test_whoever_withdraws_while_the_last_answer_is_played_has_not_finished(
    people: People, study: PeopleStudy
) -> None:
    ((one, code), (other, _)) = people.invite(study, 2)
    for each, leave in ((one, people.withdraw), (other, lambda who: people.forget(study, 1))):
        over = play(people, study, each)
        leave(each)
        with pytest.raises(Refused):
            people.finish(over, study.id)
    left = people.by_code(code)
    assert (left.state, left.answered, left.score) == ("withdrawn", 0, None)
    run = people.store.find("short")
    assert people.store.progress(run).done == 0
    assert run.status == "stopped"
    assert list(people.rows(study)) == []


def test_a_run_is_over_when_the_last_one_withdraws(people: People) -> None:
    study = new_study(people)
    ((one, _),) = people.invite(study, 1)
    play(people, study, one, 3)
    people.close(study)
    people.withdraw(one)
    assert people.store.find("short").status == "finished"


def test_a_seat_is_gone_before_its_answers_are(people: People, study: PeopleStudy) -> None:
    """Another tab that answers meanwhile waits, and then finds nobody to answer for."""
    ((one, code),) = people.invite(study, 1)
    shown = play(people, study, one, 3).shown()
    sittings = Sittings(people)

    async def visits() -> None:
        await sittings.shown(code)
        loop = asyncio.get_running_loop()
        begun, removed = asyncio.Event(), threading.Event()

        def remove() -> None:
            loop.call_soon_threadsafe(begun.set)
            removed.wait(60)
            people.withdraw(one)

        leaving = asyncio.create_task(sittings.leave(study.id, one.number, remove))
        await begun.wait()
        assert len(sittings) == 0
        looking = asyncio.create_task(sittings.shown(code))
        await looking  # whoever comes anew before anything is removed sees where they were
        answering = asyncio.create_task(sittings.answer(code, 3, shown.reachable[0], 1.0))
        removed.set()
        await leaving
        assert len(sittings) == 0
        with pytest.raises(Refused, match="withdrawn"):
            await sittings.shown(code)
        await asyncio.wait([answering])

    in_a_loop(visits())
    assert people.given(study.id, one.number) == []


def test_answers_that_cannot_be_played_again_are_named_and_the_others_exported(
    people: People, study: PeopleStudy, tmp_path: Path
) -> None:
    ((one, _), (other, _)) = people.invite(study, 2)
    for each in (one, other):
        play(people, study, each, 4)
    with sqlite3.connect(tmp_path / "people.db") as connection:
        connection.execute("DELETE FROM answer WHERE participant = 0 AND number = 1")
    connection.close()
    rows = list(people.rows(study))
    assert [row["pseudonym"] for row in rows] == [one.pseudonym, *[other.pseudonym] * 3]
    assert "P0001 cannot be played again: answer 2 is not the one" in rows[0]["problem"]
    assert not any("problem" in row for row in rows[1:])


def test_a_closed_study_invites_nobody_and_is_finished_when_all_are(people: People) -> None:
    study = new_study(people)
    ((one, _),) = people.invite(study, 1)
    people.consent(one)
    live = play(people, study, one)
    people.close(study)
    assert people.study("short").closed
    assert people.store.find("short").status == "stopped"
    people.finish(live, study.id)
    assert people.store.find("short").status == "finished"
    with pytest.raises(Refused, match="is closed"):
        people.invite(study, 1)


def test_nobody_else_goes_on_with_a_study_of_people(people: People, study: PeopleStudy) -> None:
    with pytest.raises(MensuraError, match="mensura serve"):
        resume(people.store, people.store.find("short"))


def test_deleting_the_run_deletes_its_people(people: People, study: PeopleStudy) -> None:
    ((one, code),) = people.invite(study, 1)
    play(people, study, one, 3)
    people.store.delete(people.store.find("short"))
    assert people.studies() == []
    with pytest.raises(Refused, match="Nobody was invited"):
        people.by_code(code)


@pytest.mark.parametrize(
    ("assessment", "parameters"),
    [
        ("anytime", {"interactions": 12}),
        ("anytime", {"seconds": 0.2, "first": 0.05}),
        pytest.param("adaptive", {"least": 1, "most": 2}, marks=pytest.mark.thorough),
    ],
)
def test_the_other_assessments_are_played_to_their_end(
    people: People, assessment: str, parameters: dict[str, Any]
) -> None:
    study = new_study(
        people,
        assessment=assessment,
        parameters=parameters,
        world_parameters={"cells": 3, "horizon": 6},
    )
    assert study.timed == ("seconds" in parameters)
    ((one, _),) = people.invite(study, 1)
    score = people.finish(play(people, study, one), study.id)
    assert -1.0 <= score <= 1.0
    assert replay(people.store, people.store.find("short"), one.number).identical


def _wait_for_a_lock(people: People) -> None:
    """Until somebody waits for a row that another has changed."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    for _ in range(6000):
        with people.reading() as connection:
            if connection.exec_driver_sql(waiting).scalar():
                return
        threading.Event().wait(0.01)
    raise AssertionError("nobody waits")


def test_it_is_the_same_in_postgresql(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: Cluster
) -> None:
    monkeypatch.setenv("MENSURA_FILES", str(tmp_path / "files"))
    people = People(cluster.create())
    study = new_study(people)
    ((one, code), (other, _)) = people.invite(study, 2)
    people.consent(one)
    live = play(people, study, one, 5)
    assert people.by_code(code).state == "playing"
    assert people.live(study.id, one.number).shown() == live.shown()
    twice = people.writer.write(study.id, one.number, Given(0, None, 1.0, None, 1.0))
    assert isinstance(twice.exception(30), Refused)
    score = people.finish(play(people, study, one), study.id)
    assert people.by_code(code).score == score
    assert replay(people.store, people.store.find("short"), one.number).identical
    people.answer_questions(one, {"comment": "x"})
    people.forget(study, one.number)
    assert [left.number for left in people.participants(study)] == [other.number]
    over = play(people, study, other)
    with people.writing() as withdrawing:
        withdrawing.exec_driver_sql("UPDATE participant SET state = 'withdrawn'")
        late = people.writer.write(study.id, other.number, Given(12, 0, 1.0, None, 1.0))
        _wait_for_a_lock(people)
    assert isinstance(late.exception(30), Refused)
    with pytest.raises(Refused, match="withdrawn"):
        people.finish(over, study.id)
    people.withdraw(other)
    assert people.given(study.id, other.number) == []
    assert people.store.progress(people.store.find("short")).done == 0
    people.store.delete(people.store.find("short"))
    assert people.studies() == []
    people.end()


def test_sittings_that_nobody_asks_for_leave_the_memory_and_come_back(
    people: People, study: PeopleStudy
) -> None:
    ((one, code), (other, another)) = people.invite(study, 2)
    for each in (one, other):
        people.consent(each)
    sittings = Sittings(people, most=1)

    async def visits() -> None:
        shown = await sittings.answer(code, 0, None, 1.0)
        await sittings.answer(another, 0, None, 1.0)
        assert len(sittings) == 1
        assert await sittings.shown(code) == shown
        moved = await sittings.answer(code, 1, shown.reachable[0], 1.0)
        await sittings.shown(another)
        assert await sittings.answer(code, 1, shown.reachable[0], 1.0) == moved

    in_a_loop(visits())
    assert [given.number for given in people.given(study.id, one.number)] == [0, 1]


def test_an_end_that_could_not_be_committed_is_committed_later(
    people: People, study: PeopleStudy
) -> None:
    ((one, code),) = people.invite(study, 1)
    people.consent(one)
    before = play(people, study, one, 11)
    shown = before.shown()
    sittings = Sittings(people)

    async def visits() -> None:
        with (
            people.store.seize(people.store.find("short")),
            pytest.raises(MensuraError, match="being written"),
        ):
            await sittings.answer(code, 11, shown.reachable[0], 1.0)
        assert people.by_code(code).state == "playing"
        assert (await sittings.shown(code)).phase == "done"

    in_a_loop(visits())
    assert people.by_code(code).state == "finished"
    assert people.store.progress(people.store.find("short")).done == 1


def test_an_answer_after_the_end_of_its_slot_is_not_played(people: People) -> None:
    study = new_study(
        people,
        assessment="anytime",
        parameters={"seconds": 30.0, "first": 10.0},
        world_parameters={"cells": 3, "horizon": 100},
    )
    ((one, _),) = people.invite(study, 1)
    live = people.live(study.id, one.number, remember=True)
    live.take(Given(0, None, 100.0, None, 1.0))
    live.take(Given(1, 0, 105.0, 100.0, 100.0))
    assert live.shown().phase == "act"
    live.take(Given(2, 0, 110.5, 100.0, 100.0))
    assert live.shown().phase == "begin"
    assert live.shown().reward is None
    assert live.shown().late
    assert [past.given.number for past in live.past] == [1]
    live.take(Given(3, None, 111.0, None, 1.0))
    assert not live.shown().late


def test_a_last_step_that_changes_nothing_is_one_all_the_same(people: People) -> None:
    study = new_study(people, world_parameters={"pattern": "0", "sieves": []})
    ((one, _),) = people.invite(study, 1)
    live = people.live(study.id, one.number, remember=True)
    while not live.is_over:
        shown = live.shown()
        stay = None if shown.phase == "begin" else live.action_to(shown.you)
        live.take(Given(live.number, stay, 0.0, 1.0, 1.0))
    assert len(live.past) == live.number - 2 == 10
    assert live.shown().reward is not None
    assert not live.shown().late


def test_an_environment_that_starts_again_shows_what_the_last_action_got(people: People) -> None:
    study = new_study(
        people,
        assessment="anytime",
        parameters={"interactions": 30, "first": 12},
        world_parameters={"cells": 3, "horizon": 4},
    )
    ((one, _),) = people.invite(study, 1)
    live = people.live(study.id, one.number, remember=True)
    live.take(Given(0, None, 0.0, None, 1.0))
    for number in range(1, 12):
        live.take(Given(number, number % 2, float(number), 1.0, 1.0))
        assert live.shown().reward == sign(live.past[-1].reward)
    assert len(live.past) == 11
    assert live.shown().exercise == 1


@pytest.mark.parametrize("stream", [None, 5, 6])
def test_every_symbol_and_color_is_shown_and_exercises_differ(stream: int | None) -> None:
    for exercise in range(1, 8):
        assert sorted(symbols(exercise, stream)) == sorted(SYMBOLS)
        assert sorted(colors(exercise)) == list(range(12))
    assert len({symbols(exercise, stream)[:2] for exercise in range(1, 8)}) > 4
    assert len({colors(exercise)[:3] for exercise in range(1, 8)}) > 4


@pytest.mark.parametrize("stream", [None, 5])
def test_who_comes_first_does_not_tell_who_is_who(stream: int | None) -> None:
    """Sent in the order of symbols, Good is first about as often as Evil over the exercises."""
    drawn = [symbols(exercise, stream) for exercise in range(1, 201)]
    first = [one[0] < one[1] for one in drawn]
    assert 70 < sum(first) < 130
    assert 0 < sum(first[:7]) < 7


@given(stream=st.integers(0, 2**64 - 1), exercise=st.integers(1, 10_000))
def test_no_symbol_means_the_same_twice_in_a_row(stream: int, exercise: int) -> None:
    now, then = symbols(exercise, stream), symbols(exercise + 1, stream)
    assert not any(one == other for one, other in zip(now, then, strict=True))


def test_what_one_participant_knows_of_symbols_helps_no_other(people: People) -> None:
    study = new_study(people, places=40)
    good = [
        symbols(1, people.live(study.id, one.number).symbols)[0]
        for one, _ in people.invite(study, 40)
    ]
    assert max(map(good.count, good)) < 12
    again = people.live(study.id, 3)
    assert symbols(1, again.symbols)[0] == good[3]


def test_symbols_of_older_studies_mean_what_they_meant(
    people: People, study: PeopleStudy, tmp_path: Path
) -> None:
    people.invite(study, 2)
    with sqlite3.connect(tmp_path / "people.db") as connection:
        connection.execute("UPDATE people_study SET own_symbols = NULL")
    connection.close()
    older = People(tmp_path / "people.db")
    for number in range(2):
        stream = older.live(study.id, number).symbols
        assert [symbols(exercise, stream)[0] for exercise in range(1, 8)] == GOOD_BEFORE
    older.end()


def test_a_store_of_people_is_opened_by_everybody(people: People, tmp_path: Path) -> None:
    new_study(people)
    with open_store(tmp_path / "people.db") as store:
        assert store.find("short").title == "A short study"
