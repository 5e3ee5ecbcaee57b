"""Studies of people, in the store: who was invited, how far they are, what they answered. Pseudonyms only.

A study of people is a run whose one cell has a sitting for each participant; the sitting of a participant is committed
to it when it is over, like that of any other subject. Until then there are the answers, each kept as it comes.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.agent.spaces import to_plain
from mensura.core.abilities import instructions_for, own_questions
from mensura.records import schema
from mensura.records.batch import Batch
from mensura.records.database import in_words, kept_open, open_database, reading, writing
from mensura.records.database import locate as locate_store
from mensura.records.deletion import give_room_back
from mensura.records.provenance import now
from mensura.records.run import Run
from mensura.records.store import Store
from mensura.studies.people import PeopleEntry
from mensura.studies.place import Place
from mensura.studies.runs import begin
from mensura.studies.study import Study
from mensura.web.page_texts import languages
from mensura.web.people.admission import FIRST_PILOT, TAKING_PART, Barred, add, barred, is_pilot
from mensura.web.people.answers import check_names, keep_answers, keep_attempt
from mensura.web.people.consenting import add_version, check_texts
from mensura.web.people.course import Course, courses_of
from mensura.web.people.fitting import check_showable, study_file
from mensura.web.people.live import Given, Live
from mensura.web.people.participants import (
    Participant,
    leave_room,
    mark_finished,
    participant_of,
    participants_of,
    remove_answers,
    when,
)
from mensura.web.people.questions import plain_example
from mensura.web.people.rooms.live import check_room
from mensura.web.people.rooms.talk_live import check_talk, is_talk
from mensura.web.people.showing import kind_of
from mensura.web.people.writing import Agreement, Writer, refusal_of
from mensura.web.refusals import Refused

Theme = Literal["colors", "neutral"]

MOST_PLACES = 100_000

CODE_BYTES = 18
"""A code has 144 bits: nobody guesses one."""


@dataclass(frozen=True)
class PeopleStudy:
    """One study of people."""

    id: int
    """The number of its run."""
    name: str
    title: str
    assessment: str
    parameters: Mapping[str, Any]
    world: str
    world_parameters: Mapping[str, Any]
    seed: Key
    places: int
    """How many participants there may be."""
    created: str
    closed: bool
    """Whether nobody can begin any more."""
    theme: Theme
    language: str
    """Of its pages; empty for that of each participant."""
    people: PeopleEntry
    """How people take part, as the study file says; the quota, the end and the wave as they are now."""
    token: str
    """Of the link that all join by; empty in studies that were made before there was one."""
    pilot_token: str
    """The same for the pilot."""
    conditions: tuple[str, ...] = ()
    """The names of its conditions, in the order of the study."""
    courses: tuple[tuple[int, ...], ...] = ()
    """The ways through them, by number, one of which everybody is given."""

    def conditions_on(self, course: int | None) -> tuple[str, ...]:
        """The conditions of a way, in its order; none where there is but one, or nobody is on a way yet."""
        if course is None or len(self.conditions) < 2:
            return ()
        return tuple(self.conditions[one] for one in self.courses[course])

    @property
    def timed(self) -> bool:
        """Whether time counts."""
        return self.parameters.get("seconds") is not None


class Known(NamedTuple):
    """What is made once of a study."""

    places: Sequence[Place]
    """Of its conditions, by number."""
    courses: tuple[Course, ...]


class People:
    """The studies of people of one server; any thread may ask."""

    def __init__(self, store: str | Path | None) -> None:
        url = locate_store(store)
        self._engine = open_database(url, create=True)
        self._reader = kept_open(self._engine)
        self.store = Store(url, self._engine)
        self.writer = Writer(self._engine)
        self._known: dict[int, Known] = {}
        self._studies: dict[int, tuple[Any, PeopleStudy]] = {}
        self._making = Lock()
        """Held by who makes something that all share: else many who arrive at once would each make it."""
        self._warm: set[int] = set()
        self._runs: dict[int, Run] = {}
        self._own_symbols: dict[int, bool] = {}
        self._talks: dict[int, bool] = {}
        self._finishing = Lock()

    def end(self) -> None:
        """Before the server ends: commit what came."""
        self.writer.close()
        self._reader.dispose()
        self.store.close()

    def warm_up(self) -> None:
        """Let whatever must be compiled be, before the first participant waits for it."""
        for study in self.studies():
            try:
                self._warm_courses(study.id)
            except MensuraError:
                continue

    # Studies -----------------------------------------------------------------------------------------

    def create(
        self,
        *,
        name: str,
        title: str,
        assessment: str,
        parameters: Mapping[str, Any],
        world: str,
        world_parameters: Mapping[str, Any],
        places: int,
        theme: str,
        language: str,
        people: Mapping[str, Any] | None = None,
        conditions: Mapping[str, Mapping[str, Any]] | None = None,
        seed: Key | None = None,
        check: Callable[[Study], None] = lambda study: None,
    ) -> PeopleStudy:
        """A new study that people can be invited to; ``check`` may refuse what it names."""
        if theme not in get_args(Theme):
            raise MensuraError(f"There is no theme {theme!r}; there are colors and neutral.")
        if not 1 <= places <= MOST_PLACES:
            raise MensuraError(
                f"A study of people has 1 to {MOST_PLACES} places for participants, not {places}."
            )
        if "sittings" in parameters:
            raise MensuraError(
                "Each participant has one sitting; say with places how many may come."
            )
        about = {**(people or {}), "places": places, "theme": theme, "language": language}
        study = study_file(
            name, title, assessment, parameters, world, world_parameters, about, conditions
        )
        check(study)
        return self.begin(study, seed=seed)

    def begin(self, study: Study, *, seed: Key | None = None) -> PeopleStudy:
        """A new study from one that :func:`for_people` made."""
        entry = study.people or PeopleEntry()
        if entry.language and entry.language not in languages():
            raise MensuraError(
                f"There is no language {entry.language!r}; there are {', '.join(languages())}."
            )
        if any(run.name == study.name for run in self.store.runs()):
            raise Refused(
                409, f"There is already a run {study.name} in the store; choose another name."
            )
        check_texts(entry.consent)
        check_names(entry)
        run = begin(self.store, study, seed=seed, command="mensura serve")
        try:
            courses = self._courses(run.id)
            for course in courses:
                for part in course.parts:
                    if entry.together is None:
                        check_showable(part.place, part.place.first_environment()[0])
                    elif is_talk(part.place):
                        check_talk(part.place, entry.together)
                    else:
                        check_room(part.place, entry.together)
            with self.writing() as connection:
                connection.execute(
                    insert(schema.people_study).values(
                        run=run.id,
                        theme=entry.theme,
                        language=entry.language,
                        created=now(),
                        closed=False,
                        places=entry.places,
                        invited=0,
                        own_symbols=True,
                        token=secrets.token_urlsafe(CODE_BYTES),
                        pilot_token=secrets.token_urlsafe(CODE_BYTES),
                        secret=secrets.token_bytes(32),
                        quota=entry.quota,
                        ends=entry.ends,
                        wave=entry.wave,
                        piloted=0,
                        courses=len(courses),
                        course_quotas=_quotas(entry, courses),
                    )
                )
                if entry.consent:
                    add_version(connection, run.id, 1, entry.consent)
        except BaseException:
            for made in (self._known, self._runs, self._studies):
                made.pop(run.id, None)
            self.store.delete(run)
            raise
        with self._finishing, self.store.seize(run) as lease:
            lease.finish("stopped")
        return self.study(study.name)

    def studies(self) -> list[PeopleStudy]:
        """All studies of people, the newest first."""
        with self.reading() as connection:
            rows = connection.execute(select(schema.people_study)).all()
        by_run = {row.run: row for row in rows}
        return [
            self._to_study(run, by_run[run.id]) for run in self.store.runs() if run.id in by_run
        ]

    def study(self, name: str | int) -> PeopleStudy:
        """The study of a name, or of a number."""
        wanted = _BY_NUMBER if isinstance(name, int) else _BY_NAME
        with self.reading() as connection:
            row = connection.execute(wanted, {"name": name}).one_or_none()
        if row is None:
            raise Refused(404, f"There is no study of people called {name!r}.")
        return self._to_study(self._run(row.run), row)

    def _to_study(self, run: Run, row: Any) -> PeopleStudy:
        """A study as its row says; the same row is the same study, and it seldom changes."""
        row_now = tuple(row)
        known = self._studies.get(run.id)
        if known is None or known[0] != row_now:
            known = self._studies[run.id] = row_now, self._made(run, row)
        return known[1]

    def _made(self, run: Run, row: Any) -> PeopleStudy:
        courses = self._courses(run.id)
        cells = [place.cell for place in self.places(run.id)]
        cell = cells[0]
        now_set = {"quota": row.quota, "ends": row.ends, "wave": row.wave}
        return PeopleStudy(
            id=run.id,
            name=run.name,
            title=run.title,
            assessment=cell.assessment,
            parameters=cell.assessment_parameters,
            world=cell.world,
            world_parameters=cell.parameters,
            seed=run.seed,
            places=row.places,
            created=row.created,
            closed=row.closed,
            theme=row.theme,
            language=row.language,
            people=PeopleEntry.model_validate({**run.study.get("people", {}), **now_set}),
            token=row.token or "",
            pilot_token=row.pilot_token or "",
            conditions=tuple(one.condition for one in cells),
            courses=tuple(
                tuple(one.place.cell.number for one in course.parts if not one.practice)
                for course in courses
            ),
        )

    def close(self, study: PeopleStudy) -> None:
        """Let nobody begin any more; those who have begun can go on."""
        table = schema.people_study
        with self.writing() as connection:
            connection.execute(update(table).where(table.c.run == study.id).values(closed=True))
        self._settle(study.id)

    # Participants ------------------------------------------------------------------------------------

    def invite(
        self, study: PeopleStudy, count: int, *, pilot: bool = False
    ) -> list[tuple[Participant, str]]:
        """New participants with their codes, which are shown here and never again."""
        if count < 1:
            raise MensuraError(f"{count} participants are none; invite 1 or more.")
        codes = [secrets.token_urlsafe(CODE_BYTES) for _ in range(count)]
        with self.writing() as connection:
            numbers = add(connection, study.id, list(map(hash_of, codes)), pilot=pilot)
        known = {one.number: one for one in self.participants(study)}
        return [(known[number], code) for number, code in zip(numbers, codes, strict=True)]

    def barred(self, one: Participant) -> Barred | None:
        """Why a participant cannot begin; None where they can, or have."""
        if one.state != "invited":
            return None
        table = schema.people_study
        with self.reading() as connection:
            row = connection.execute(select(table).where(table.c.run == one.study)).one()
            return barred(connection, row, pilot=one.pilot)

    def participants(self, study: PeopleStudy) -> list[Participant]:
        """Everybody who was invited, by number."""
        with self.reading() as connection:
            return participants_of(connection, study.id, self._exercises(study.id))

    def by_code(self, code: str) -> Participant:
        """Whose code it is."""
        with self.reading() as connection:
            one = participant_of(connection, hash_of(code), self._exercises)
        if one is None:
            raise refusal_of(None)
        return one

    def consent(
        self, one: Participant, version: int = 0, language: str = "", reuse: bool | None = None
    ) -> None:
        """Somebody agrees to take part, and to this text; whoever did so already stays where they are.

        ``reuse``: whether what they do may be used further, where they were asked.
        """
        self.writer.write(one.study, one.number, Agreement(version, language, reuse)).result()

    def withdraw(self, one: Participant) -> None:
        """Somebody does not want to go on: what they answered is removed, that they withdrew is kept.

        In one transaction, which whatever is written of a participant looks at: nothing of them is kept afterwards.
        """
        table = schema.participant
        with self.writing() as connection:
            connection.execute(
                update(table)
                .where(table.c.study == one.study, table.c.number == one.number)
                .values(state="withdrawn", score=None, device=None, tries=None, excluded=None)
            )
            self._remove(connection, one.study, one.number)
        self._removed(one.study)

    def forget(self, study: PeopleStudy, number: int) -> None:
        """Delete all that there is of a participant, for good; the number is not given again."""
        table = schema.participant
        mine = table.c.study == study.id, table.c.number == number
        with self.writing() as connection:
            # Whoever writes of the participant meanwhile waits for this row.
            there = connection.execute(select(table.c.number).where(*mine).with_for_update())
            if there.one_or_none() is None:
                raise Refused(404, f"The study {study.name} has no participant {number}.")
            self._remove(connection, study.id, number)
            connection.execute(delete(table).where(*mine))
        self._removed(study.id)

    def _remove(self, connection: Connection, study: int, number: int) -> None:
        alone = self._courses(study)[0].people.together is None
        (remove_answers if alone else leave_room)(connection, study, number)

    def _removed(self, study: int) -> None:
        """After the data of a participant was removed: the disk keeps nothing of it, and the run may be over."""
        with in_words(self.store.url):
            give_room_back(self._engine)
        with suppress(
            MensuraError
        ):  # another server is writing to the run; whoever ends last settles it
            self._settle(study)

    # Answers -----------------------------------------------------------------------------------------

    def live(self, study: int, number: int, *, remember: bool = False) -> Live:
        """A participant's sitting as the answers so far leave it."""
        live = self.began(study, number, remember=remember)
        for given in self.given(study, number):
            live.take(given)
        return live

    def began(self, study: int, number: int, *, remember: bool = True) -> Live:
        """A participant's sitting before the first answer."""
        own_symbols = self._owns_symbols(study)
        course = self._warm_courses(study)[self._course_of(study, number)]
        return Live(course, number, remember=remember, own_symbols=own_symbols)

    def given(self, study: int, number: int) -> list[Given]:
        """All answers of a participant, in order."""
        table = schema.answer
        with self.reading() as connection:
            rows = connection.execute(
                select(
                    table.c.number,
                    table.c.action,
                    table.c.value,
                    table.c.at,
                    table.c.response_ms,
                    table.c.waited_ms,
                    table.c.marked,
                )
                .where(table.c.study == study, table.c.participant == number)
                .order_by(table.c.number)
            ).all()
        return [Given.of_row(*row) for row in rows]

    def finish(self, live: Live, study: int) -> float | None:
        """Commit a sitting that is over to its run, once however often this is called; its score.

        The participant is called finished in the same transaction, which is undone where they take part no more. Where
        nothing was measured there is no score, and no sitting in the run.
        """
        assert live.is_over
        number, score = live.item, live.score

        def mark(connection: Connection) -> None:
            mark_finished(connection, study, number, score)

        if is_pilot(number) or not live.results:
            with self.writing() as connection:
                mark(connection)
            if not is_pilot(number):
                self._settle(study)
            return score
        self.commit(study, live.results, mark)
        return score

    def commit(
        self, study: int, batches: Sequence[Batch], mark: Callable[[Connection], None]
    ) -> None:
        """Commit sittings of one item to the run, all at once, unless they are there; with them what ``mark`` does."""
        with self._finishing:
            run = self.store.find(str(study))
            place = self.places(study)[batches[0].cell]
            if self._batch(run, place, int(batches[0].item[0])) is None:
                with self.store.seize(run) as lease:
                    try:
                        lease.commit(batches, mark)
                    finally:
                        lease.finish("stopped")
            else:
                with self.writing() as connection:
                    mark(connection)
        self._settle(study)

    def screen(self, one: Participant, why: str) -> None:
        """Somebody cannot go on, through no wish of their own."""
        table = schema.participant
        with self.writing() as connection:
            connection.execute(
                update(table)
                .where(table.c.study == one.study, table.c.number == one.number)
                .where(table.c.state.in_(TAKING_PART))
                .values(state="screened", excluded=why)
            )
        with suppress(MensuraError):
            self._settle(one.study)

    def _settle(self, study: int) -> None:
        """Call the run finished when nobody is left to play."""
        with self.reading() as connection:
            row = connection.execute(
                select(schema.people_study).where(schema.people_study.c.run == study)
            ).one()
            states = list(
                connection.execute(
                    select(schema.participant.c.state).where(
                        schema.participant.c.study == study,
                        schema.participant.c.number < FIRST_PILOT,
                    )
                ).scalars()
            )
        on_the_way = any(state in ("consented", "playing") for state in states)
        waiting = not row.closed and (row.invited < row.places or "invited" in states)
        run = self.store.find(str(study))
        if not on_the_way and not waiting and run.status != "finished":
            with self._finishing, self.store.seize(run) as lease:
                lease.finish("finished")

    def results(self, one: Participant) -> list[Batch]:
        """What is recorded of a participant's sittings, in their order; of one in the pilot, what its answers lead to.

        None until all of them are over.
        """
        if one.pilot:
            if one.room is not None:
                return []
            live = self.live(one.study, one.number)
            return list(live.results) if live.is_over else []
        run = self.store.find(str(one.study))
        if self._courses(one.study)[0].people.together is not None:
            places = self.places(one.study)
            place = places[(one.room or 0) % len(places)]
            batch = None if one.room is None else self._batch(run, place, one.room)
            return [] if batch is None else [batch]
        course = self._courses(one.study)[one.course or 0]
        found = [
            self._batch(run, part.place, one.number) for part in course.parts if not part.practice
        ]
        return [batch for batch in found if batch is not None]

    def _batch(self, run: Run, place: Place, item: int) -> Batch | None:
        """What is recorded of a sitting; all conditions have as many."""
        return self.store.sitting(run, place.cell.number * place.cell.sittings + item)[2]

    def rows(self, study: PeopleStudy, *, pilot: bool = False) -> Iterator[Mapping[str, Any]]:
        """Every interaction of everybody, or of those in the pilot, as it was shown and answered.

        Whose answers cannot be played again is one row with the problem, and nobody else suffers from it.
        """
        for one in self.participants(study):
            if not one.answered or one.state == "withdrawn" or one.pilot != pilot:
                continue
            try:
                past = self.live(study.id, one.number, remember=True).past
            except Exception as error:
                why = " ".join(str(error).split()) or type(error).__name__
                yield {
                    "pseudonym": one.pseudonym,
                    "problem": f"The answers of {one.pseudonym} cannot be played again: {why}",
                }
                continue
            for each in past:
                yield {
                    "pseudonym": one.pseudonym,
                    "condition": each.condition if len(study.conditions) > 1 else None,
                    "practice": int(each.practice),
                    "exercise": each.exercise,
                    "interaction": each.interaction,
                    "observation": to_plain(each.observation),
                    "action": each.given.action,
                    "reward": None if each.reward is None else float(each.reward),
                    "response_ms": each.given.response_ms,
                    "waited_ms": each.given.waited_ms,
                    "at": when(each.given.at),
                }

    # The questionnaire -------------------------------------------------------------------------------

    def answer_questions(
        self,
        one: Participant,
        answers: Mapping[str, str],
        *,
        before: bool = False,
        failed: Sequence[str] = (),
    ) -> None:
        """Keep what somebody says before or after the exercises, once, and which checks of attention they failed."""
        with self.writing() as connection:
            keep_answers(connection, one.study, one.number, answers, before=before, failed=failed)

    def check(
        self, one: Participant, attempt: int, answers: Mapping[str, str], *, right: bool, most: int
    ) -> None:
        """Keep an attempt at the questions on the instructions; after the last one somebody is screened out."""
        with self.writing() as connection:
            keep_attempt(connection, one, attempt, answers, right, most)

    def questions_answered(self, one: Participant) -> bool:
        """Whether somebody has been through the questions after the exercises."""
        return self.one(one.study, one.number).after_at is not None

    def one(self, study: int, number: int) -> Participant:
        """A participant by number."""
        with self.reading() as connection:
            found = participants_of(connection, study, self._exercises(study), number)
        if not found:
            raise refusal_of(None)
        return found[0]

    def questionnaires(
        self, study: PeopleStudy, *, pilot: bool = False
    ) -> Iterator[Mapping[str, Any]]:
        """What everybody, or everybody in the pilot, answered: one row an answer."""
        table, who = schema.questionnaire, schema.participant
        with self.reading() as connection:
            rows = connection.execute(
                select(who.c.number, who.c.pseudonym, table.c.question, table.c.answer)
                .join(
                    who,
                    (who.c.study == table.c.study) & (who.c.number == table.c.participant),
                )
                .where(table.c.study == study.id)
                .order_by(table.c.participant, table.c.question)
            ).all()
        for row in rows:
            if is_pilot(row.number) != pilot:
                continue
            yield {"pseudonym": row.pseudonym, "question": row.question, "answer": row.answer}

    # Inside ------------------------------------------------------------------------------------------

    def _run(self, study: int) -> Run:
        """The run of a study, as it was when it was first asked for; its status may have changed since."""
        if study not in self._runs:
            self._runs[study] = self.store.find(str(study))
        return self._runs[study]

    def _courses(self, study: int) -> tuple[Course, ...]:
        """The ways through a study."""
        if study not in self._known:
            with self._making:
                if study not in self._known:
                    run = self._run(study)
                    people = PeopleEntry.model_validate(run.study.get("people", {}))
                    places = list(map(Place.of, self.store.cells(run)))
                    self._known[study] = Known(places, courses_of(places, people))
        return self._known[study].courses

    def places(self, study: int) -> Sequence[Place]:
        """The places of the conditions of a study, by number."""
        self._courses(study)
        return self._known[study].places

    def _warm_courses(self, study: int) -> tuple[Course, ...]:
        """The same, once whatever takes long the first time is done: compiling, or to calibrate a test."""
        courses = self._courses(study)
        if study not in self._warm:
            with self._making:
                if study not in self._warm:
                    for place in {
                        id(part.place): part.place for c in courses for part in c.parts
                    }.values():
                        place.warm_up()
                    self._warm.add(study)
        return courses

    def _course_of(self, study: int, number: int) -> int:
        """Which way somebody goes; the first where none was drawn."""
        if len(self._courses(study)) == 1:
            return 0
        table = schema.participant
        with self.reading() as connection:
            found = select(table.c.course).where(table.c.study == study, table.c.number == number)
            return connection.execute(found).scalar() or 0

    def _owns_symbols(self, study: int) -> bool:
        if study not in self._own_symbols:
            table = schema.people_study
            with self.reading() as connection:
                found = select(table.c.own_symbols).where(table.c.run == study)
                self._own_symbols[study] = bool(connection.execute(found).scalar())
        return self._own_symbols[study]

    def shows_cells(self, study: int) -> bool:
        """Whether environments of a study are shown as cells."""
        if self.asks_questions(study):
            return False
        environment, _ = self.places(study)[0].first_environment()
        return kind_of(environment.spaces(0)[0]) == "cells"

    def talks(self, study: int) -> bool:
        """Whether people talk with each other in a study, each when they like."""
        if study not in self._talks:
            together = self._courses(study)[0].people.together
            self._talks[study] = together is not None and is_talk(self.places(study)[0])
        return self._talks[study]

    def asks_questions(self, study: int) -> bool:
        """Whether a study asks about a phenomenon."""
        return self.places(study)[0].asks_questions

    def is_unrewarded(self, study: int) -> bool:
        """Whether nothing is gained or lost in a study."""
        return all("unrewarded" in one.world.promises for one in self.places(study))

    def task_of(self, study: int) -> str:
        """What the first environment of a study tells about its task."""
        environment, _ = self.places(study)[0].first_environment()
        return instructions_for(environment, 0)

    def examples(self, study: int) -> tuple[str, list[dict[str, Any]]]:
        """How the questions of a study are answered and what that is worth, with worked examples, where it has any."""
        questions = own_questions(self.places(study)[0].world)
        if questions is None:
            return "", []
        return questions.scoring, list(map(plain_example, questions.examples()))

    def _exercises(self, study: int) -> int:
        return self._courses(study)[0].exercises

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the store."""
        with in_words(self.store.url), reading(self._reader) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection in a transaction that is committed at the end."""
        with in_words(self.store.url), writing(self._engine) as connection:
            yield connection


_BY_NUMBER, _BY_NAME = (
    select(schema.people_study)
    .join(schema.run, schema.run.c.id == schema.people_study.c.run)
    .where(column == bindparam("name"))
    for column in (schema.run.c.id, schema.run.c.name)
)
"""Statements are made once: to put one together takes longer than to run it."""


def hash_of(code: str) -> bytes:
    """What is kept of a code; a code is long and drawn evenly, so that one round of SHA-256 keeps it safe."""
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).digest()


def _quotas(people: PeopleEntry, courses: Sequence[Course]) -> str | None:
    """The quotas of the ways through a study as JSON; None where there are none."""
    if not people.quotas:
        return None
    names = [course.parts[-1].place.cell.condition for course in courses]
    return json.dumps([people.quotas.get(name) for name in names])
