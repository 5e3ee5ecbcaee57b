"""The tables of the store: one schema for SQLite and PostgreSQL, and its version.

A row an episode is all that a study of a million leaves behind, so rows are narrow: integer keys, what many rows
share stands once in another table, and there is no index beside the primary keys and the names that must be
unique. Where the key is most of the row, SQLite keeps the table in the order of its key alone (WITHOUT ROWID).
Sittings are numbered through all runs: that of item `i` of a cell is its `first_sitting + i`, so that the primary key
itself refuses a second commit. Rows of sittings come and go with them in one transaction and are never changed, so
foreign keys, which cost PostgreSQL two thirds of its speed, are kept for the small tables. Keys of 64 bits are stored
with a sign, since neither database has them without.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    text,
)

HEAD = "0015"
"""The version of this schema: the last revision in `mensura/records/migrations`."""

VERSION_TABLE = "mensura_version"
"""Where a database says which version it has."""

DONE, LOST = 0, 1
"""The status of a sitting."""

# SQLite makes a column of this very type its row number, which costs no room.
Number = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pk",
        "fk": "%(table_name)s_%(column_0_name)s_fk",
        "uq": "%(table_name)s_%(column_0_name)s_uq",
    }
)


def _column(name: str, kind: Any, *more: Any, doc: str, **options: Any) -> Column[Any]:
    options.setdefault("nullable", False)
    return Column(name, kind, *more, doc=doc, **options)


def _key(name: str, kind: Any, *more: Any, doc: str) -> Column[Any]:
    return _column(name, kind, *more, doc=doc, primary_key=True, autoincrement=False)


def _of_sitting() -> Column[Any]:
    return _key("sitting", BigInteger, doc="The sitting that it is of.")


run = Table(
    "run",
    metadata,
    Column("id", Number, primary_key=True, doc="Its number; never given twice."),
    _column("name", Text, unique=True, doc="How commands call it."),
    _column("title", Text, doc="What it is, in words."),
    _column("status", Text, doc="running, finished, stopped or failed."),
    _column("study", Text, doc="The study file as JSON, its seed filled in."),
    _column("study_hash", Text, doc="BLAKE2b of the study, which tells whether it was changed."),
    _column("seed", BigInteger, doc="The root of all draws."),
    _column("command", Text, doc="What to type to run it again."),
    _column("commit_hash", Text, doc="Of the installed Mensura; empty where it is not known."),
    _column("versions", Text, doc="Of Python and the packages that matter, as JSON."),
    _column("machine", Text, doc="What it was started on."),
    _column("started", Text, doc="When, as ISO 8601 in UTC."),
    _column("ended", Text, doc="When it last came to an end; empty while it runs."),
    _column("seconds", Double, doc="Wall time over all of its stretches, up to the last commit."),
    _column("sittings", BigInteger, doc="How many there are to be."),
    _column(
        "epoch",
        BigInteger,
        doc="How often it was seized; who holds an older number can no longer write.",
    ),
    _column(
        "fresh_seed",
        Boolean,
        doc="Whether the seed was drawn for this run; empty in runs of earlier versions.",
        nullable=True,
    ),
    sqlite_autoincrement=True,
)

configuration = Table(
    "configuration",
    metadata,
    Column("id", Number, primary_key=True, doc="Its number."),
    _column("hash", LargeBinary, unique=True, doc="BLAKE2b of the rest: each stands here once."),
    _column("world", Text, doc="The id of the world, with its version."),
    _column("parameters", Text, doc="All parameters of the world, as JSON."),
    _column("assessment", Text, doc="The id of the assessment."),
    _column("assessment_parameters", Text, doc="Its parameters, as JSON."),
)

subject = Table(
    "subject",
    metadata,
    Column("id", Number, primary_key=True, doc="Its number."),
    _column("hash", LargeBinary, unique=True, doc="BLAKE2b of the rest: each stands here once."),
    _column("address", Text, doc="What a command calls it: local-search, my_agent.py:MyAgent."),
    _column("name", Text, doc="What reports call it; also the name of its stream of draws."),
    _column("summary", Text, doc="A line on what it is."),
    _column("in_process", Boolean, doc="Whether code of the user ran inside the worker."),
    _column("ask_once", Boolean, doc="Whether it cannot be asked again, so answers are journaled."),
    _column("limits", Text, doc="What it might use, as JSON."),
)

cell = Table(
    "cell",
    metadata,
    _key("run", Number, ForeignKey("run.id"), doc="The run that it is of."),
    _key("number", Integer, doc="Its place in the study, from 0."),
    _column(
        "configuration",
        Number,
        ForeignKey("configuration.id"),
        doc="The world and the assessment with their parameters.",
    ),
    _column("subject", Number, ForeignKey("subject.id"), doc="Who was assessed."),
    _column("condition", Text, doc="The world, the assessment and the levels, in words."),
    _column("repetition", Integer, doc="Which of several experiments that differ in seed only."),
    _column("seed", BigInteger, doc="The root of all draws of its repetition."),
    _column("levels", Text, doc="The level of each factor, as JSON."),
    _column("sittings", BigInteger, doc="How many there are to be."),
    _column("training", BigInteger, doc="Training episodes before each assessed one."),
    _column(
        "keep_training", BigInteger, doc="So many first sittings keep their training episodes."
    ),
    _column("traces", Boolean, doc="Whether every interaction is kept."),
    _column("compiled", Boolean, doc="Whether whole sittings were played compiled."),
    _column(
        "first_sitting",
        BigInteger,
        doc="The number of its first sitting; the others follow without a gap.",
    ),
    _column(
        "keep",
        Text,
        server_default=text("''"),
        doc="The folder of its lives; empty where they end with the sitting.",
    ),
    _column(
        "phases",
        Text,
        server_default=text("''"),
        doc="The phases of training before it, as JSON; empty where there are none.",
    ),
    _column(
        "content",
        Text,
        nullable=True,
        doc="Where its environments come from, as the world said; NULL in runs of earlier versions.",
    ),
    _column(
        "isolation",
        Text,
        nullable=True,
        doc="How its subject was held, in words; NULL in runs of earlier versions.",
    ),
    sqlite_with_rowid=False,
)

sitting = Table(
    "sitting",
    metadata,
    Column(
        "id",
        Number,
        primary_key=True,
        autoincrement=False,
        doc="first_sitting of its cell plus its item; a row here is the mark that it is done.",
    ),
    _column("status", SmallInteger, doc="0: done; 1: lost, its worker died each time."),
    _column("attempts", Integer, doc="How often it was begun."),
    _column("score", Double, doc="What the assessment made of its episodes."),
    _column(
        "interactions", BigInteger, doc="Actions of all seats, training included, kept or not."
    ),
    _column("wall", Double, doc="Seconds that the subject took, as for episodes."),
    _column(
        "cpu",
        Double,
        nullable=True,
        doc="Seconds of its processor time; NULL if it cannot be told.",
    ),
    _column("faults", Integer, doc="How many there were in all of its episodes."),
    _column(
        "asked",
        BigInteger,
        nullable=True,
        doc="How many questions were put to the subject; NULL in rows of earlier versions.",
    ),
)

episode = Table(
    "episode",
    metadata,
    _of_sitting(),
    _key("sequence", Integer, doc="Its number in the sitting, training included, from 0."),
    _column(
        "configuration",
        Number,
        doc="What its environment was sampled from.",
    ),
    _column("learning", Boolean, doc="Training, or assessed."),
    _column(
        "environment",
        BigInteger,
        doc="The key that the environment was sampled with; of equal keys they are equal.",
    ),
    _column(
        "complexity", Double, nullable=True, doc="By the assessment's measure; NULL if unknown."
    ),
    _column("reward", Double, doc="The average reward per subject and iteration."),
    _column("interactions", BigInteger, doc="Actions of all seats."),
    _column(
        "wall",
        Double,
        doc="Seconds that the subject took over its answers; compiled, over the whole episode.",
    ),
    _column(
        "cpu",
        Double,
        nullable=True,
        doc="Seconds of its processor time; NULL if it cannot be told.",
    ),
    _column("faults", Integer, doc="How many there were; the table fault has the details."),
    _column(
        "defaults",
        BigInteger,
        nullable=True,
        doc="Actions that the environment's default was played for; NULL in rows of earlier versions.",
    ),
    sqlite_with_rowid=False,
)

fault = Table(
    "fault",
    metadata,
    _of_sitting(),
    _key("number", Integer, doc="Its number in the sitting, from 0."),
    _column("sequence", Integer, doc="The episode."),
    _column("seat", Integer, doc="Whose fault."),
    _column("interaction", BigInteger, doc="When, in interactions of the seat."),
    _column("kind", Text, doc="raised, late, illegal, died or garbled."),
    _column("detail", Text, doc="What happened, in words."),
)

measure = Table(
    "measure",
    metadata,
    _of_sitting(),
    _key("sequence", Integer, doc="The episode."),
    _key("name", Text, doc="What was measured: messages, tokens, coverage."),
    _column("value", Double, nullable=True, doc="How much; NULL if it was not a number."),
    sqlite_with_rowid=False,
)

journal = Table(
    "journal",
    metadata,
    _of_sitting(),
    _key("sequence", Integer, doc="The episode."),
    _column("answers", LargeBinary, doc="Every answer of it, compressed."),
)

description = Table(
    "description",
    metadata,
    _of_sitting(),
    _key("sequence", Integer, doc="The episode."),
    _column("json", Text, doc="Its environment, where it was made by hand and not sampled."),
)

printed = Table(
    "printed",
    metadata,
    _of_sitting(),
    _column(
        "text",
        Text,
        doc="What the subject printed, shortened: in its first sitting, and where something went wrong.",
    ),
)

trace = Table(
    "trace",
    metadata,
    _of_sitting(),
    _key("hash", LargeBinary, doc="BLAKE2b of the file in traces/ that holds its interactions."),
    sqlite_with_rowid=False,
)

start = Table(
    "start",
    metadata,
    _of_sitting(),
    _key("sequence", Integer, doc="The episode, which began in a checkpoint."),
    _column("snapshot", Text, doc="The state that it began in, by its digest."),
    sqlite_with_rowid=False,
)

snapshot = Table(
    "snapshot",
    metadata,
    _key("digest", Text, doc="BLAKE2b of the state: each stands here once."),
    _column("state", LargeBinary, doc="The state of an episode, compressed."),
)

pool = Table(
    "pool",
    metadata,
    _key("digest", Text, doc="BLAKE2b of all that it says."),
    _column("world", Text, doc="The id of the world that its states are of."),
    _column("environments", Text, doc="The descriptions of its environments, as JSON."),
)

checkpoint = Table(
    "checkpoint",
    metadata,
    _key("pool", Text, ForeignKey("pool.digest"), doc="The pool that it is in."),
    _key("number", Integer, doc="Its place there, from 0."),
    _column("snapshot", Text, doc="Its state, by digest."),
    _column("environment", Integer, doc="Its environment in the pool, from 0."),
    _column("player", Text, doc="Who played, by a pseudonym."),
    _column("episode", Text, doc="The episode that it is of."),
    _column("interaction", BigInteger, doc="When in that episode."),
    _column("score", Double, doc="The rewards of all seats until then."),
    sqlite_with_rowid=False,
)

run_pool = Table(
    "run_pool",
    metadata,
    _key("run", Number, ForeignKey("run.id"), doc="A run whose episodes begin in checkpoints."),
    _key("pool", Text, ForeignKey("pool.digest"), doc="A pool that it needs."),
    sqlite_with_rowid=False,
)

people_study = Table(
    "people_study",
    metadata,
    _key("run", Number, ForeignKey("run.id"), doc="The run that its finished sittings are in."),
    _column("theme", Text, doc="How cells look: colors or neutral."),
    _column("language", Text, doc="Of its pages; empty for that of each participant."),
    _column("created", Text, doc="When, as ISO 8601 in UTC."),
    _column("closed", Boolean, doc="Whether nobody can begin any more."),
    _column("places", BigInteger, doc="How many participants there may be."),
    _column("invited", BigInteger, doc="How many numbers of participants have been given."),
    _column(
        "own_symbols",
        Boolean,
        nullable=True,
        doc="Whether symbols have a meaning for each participant; NULL in older studies: the same for all.",
    ),
    _column(
        "token", Text, nullable=True, doc="Of the link that all join by; NULL in older studies."
    ),
    _column("pilot_token", Text, nullable=True, doc="Of the link of the pilot."),
    _column(
        "secret", LargeBinary, nullable=True, doc="What codes are made with of those who join."
    ),
    _column("quota", BigInteger, nullable=True, doc="How many may agree to take part; NULL: all."),
    _column("ends", Text, nullable=True, doc="When nobody can begin any more; NULL: never."),
    _column("wave", Text, nullable=True, doc="Of those who join from now on; NULL: none."),
    _column("piloted", BigInteger, nullable=True, doc="How many have come in the pilot."),
    _column(
        "courses",
        Integer,
        nullable=True,
        doc="How many ways there are through its conditions; NULL in older studies: one.",
    ),
    _column(
        "course_quotas",
        Text,
        nullable=True,
        doc="How many may be on each of them, as JSON, null where as many as come; NULL: as many as come on all.",
    ),
    sqlite_with_rowid=False,
)

participant = Table(
    "participant",
    metadata,
    _key("study", Number, ForeignKey("people_study.run"), doc="The study, by its run."),
    _key(
        "number",
        Integer,
        doc="The item of the participant's sitting in its cell; from 1,000,000 in the pilot, which has no sittings.",
    ),
    _column("pseudonym", Text, doc="What the participant is called; no name is ever asked for."),
    _column("code", LargeBinary, unique=True, doc="SHA-256 of the code; the code is not kept."),
    _column("state", Text, doc="invited, consented, playing, finished, withdrawn or screened."),
    _column("score", Double, nullable=True, doc="Of the sitting; NULL until it is over."),
    _column(
        "external",
        Text,
        nullable=True,
        doc="The id that they joined with, as of a recruiting service; NULL where they have a link of their own.",
    ),
    _column("wave", Text, nullable=True, doc="The wave in which they came; NULL: none."),
    _column(
        "consented", Text, nullable=True, doc="When they agreed; NULL: not, or before version 8."
    ),
    _column(
        "consent_version",
        Integer,
        nullable=True,
        doc="The version of the text that they agreed to; 0 is the text of the pages themselves.",
    ),
    _column("consent_language", Text, nullable=True, doc="The language of that text."),
    _column(
        "before_at",
        Text,
        nullable=True,
        doc="When they answered the questions before; NULL: not yet.",
    ),
    _column(
        "checked_at", Text, nullable=True, doc="When they passed the questions on the instructions."
    ),
    _column("tries", Integer, nullable=True, doc="How often they tried these."),
    _column(
        "after_at",
        Text,
        nullable=True,
        doc="When they answered the questions after; NULL: not yet.",
    ),
    _column("device", Text, nullable=True, doc="What their browser tells of itself, as JSON."),
    _column(
        "excluded",
        Text,
        nullable=True,
        doc="Why they were screened out, or which checks they failed.",
    ),
    _column(
        "course",
        Integer,
        nullable=True,
        doc="Which way they go through the conditions, drawn when they agree; NULL until then, and the first.",
    ),
    _column("room", Integer, nullable=True, doc="The room that they are in; NULL: none yet."),
    _column(
        "reuse",
        Boolean,
        nullable=True,
        doc="Whether what they do may be used further, as for training programs; NULL: they were not asked.",
    ),
    sqlite_with_rowid=False,
)

answer = Table(
    "answer",
    metadata,
    _key("study", Number, doc="The study, by its run."),
    _key("participant", Integer, doc="The participant, by number."),
    _key("number", Integer, doc="Its number in the sitting, from 0: none is taken twice."),
    _column("action", Integer, nullable=True, doc="What was done, where that is a whole number."),
    _column("at", Double, doc="When it came, in seconds since 1970."),
    _column(
        "response_ms",
        Double,
        nullable=True,
        doc="Milliseconds from showing to acting, by the clock of the browser.",
    ),
    _column("waited_ms", Double, doc="The same by the clock of the server, the network included."),
    _column(
        "value",
        Text,
        nullable=True,
        doc="What was done, as JSON, where it is anything else; both are NULL where an exercise begins.",
    ),
    _column(
        "marked",
        Boolean,
        nullable=True,
        doc="Whether the moment before it was marked as a checkpoint; NULL: it was not.",
    ),
    ForeignKeyConstraint(("study", "participant"), ("participant.study", "participant.number")),
    sqlite_with_rowid=False,
)

questionnaire = Table(
    "questionnaire",
    metadata,
    _key("study", Number, doc="The study, by its run."),
    _key("participant", Integer, doc="The participant, by number."),
    _key("question", Text, doc="Which question."),
    _column("answer", Text, doc="What was answered."),
    ForeignKeyConstraint(("study", "participant"), ("participant.study", "participant.number")),
    sqlite_with_rowid=False,
)

consent_text = Table(
    "consent_text",
    metadata,
    _key("study", Number, ForeignKey("people_study.run"), doc="The study, by its run."),
    _key("version", Integer, doc="From 1; a version is never changed."),
    _key("language", Text, doc="The language of the text, as en."),
    _column("text", Text, doc="What people agree to, in Markdown."),
    _column("created", Text, doc="When, as ISO 8601 in UTC."),
    sqlite_with_rowid=False,
)

room = Table(
    "room",
    metadata,
    _key("study", Number, ForeignKey("people_study.run"), doc="The study, by its run."),
    _key(
        "number",
        Integer,
        doc="The item of the room's sitting in its cell; from 1,000,000 in the pilot, which has no sittings.",
    ),
    _column(
        "state", Text, doc="open, over, void where it was given up, or reported by somebody in it."
    ),
    _column("created", Text, doc="When, as ISO 8601 in UTC."),
    sqlite_with_rowid=False,
)

room_seat = Table(
    "room_seat",
    metadata,
    _key("study", Number, doc="The study, by its run."),
    _key("room", Integer, doc="The room, by number."),
    _key("seat", Integer, doc="The seat, from 0."),
    _key("since", Integer, doc="The turn from which on it is theirs."),
    _column("participant", Integer, nullable=True, doc="Who; NULL where it is a program."),
    ForeignKeyConstraint(("study", "room"), ("room.study", "room.number")),
    sqlite_with_rowid=False,
)

room_answer = Table(
    "room_answer",
    metadata,
    _key("study", Number, doc="The study, by its run."),
    _key("room", Integer, doc="The room, by number."),
    _key(
        "turn",
        Integer,
        doc="The turn of the room, from 0: nobody acts twice in one. In a conversation the order of arrival.",
    ),
    _key("seat", Integer, doc="The seat that answered."),
    _key(
        "kind",
        Text,
        doc="act, tell of a program that was asked for a message, or said in a conversation.",
    ),
    _column("value", Text, doc="What was done or told, as JSON."),
    _column("message", Text, nullable=True, doc="What a person told with it, for the next turn."),
    _column("at", Double, doc="When it came, in seconds since 1970."),
    _column("response_ms", Double, nullable=True, doc="As in answer."),
    _column("waited_ms", Double, doc="As in answer."),
    _column("kept", Text, nullable=True, doc="What a program needs to be reminded, as JSON."),
    ForeignKeyConstraint(("study", "room"), ("room.study", "room.number")),
    sqlite_with_rowid=False,
)

OF_PEOPLE = (
    questionnaire,
    answer,
    participant,
    consent_text,
    room_answer,
    room_seat,
    room,
    people_study,
)
"""The tables of studies of people, each before those that its rows refer to."""

part = Table(
    "part",
    metadata,
    _key("run", Number, ForeignKey("run.id"), doc="The run, which is a profile."),
    _key("name", Text, doc="Which part of it, as transfer; settings, or profile when it is whole."),
    _key("subject", Text, doc="Whose part; empty where it is of all."),
    _column("content", Text, doc="What was found, as JSON."),
    sqlite_with_rowid=False,
)

skeleton = Table(
    "skeleton",
    metadata,
    _key("digest", Text, doc="Of the text that it was made of, and of what made it."),
    _column("content", LargeBinary, doc="The skeleton as JSON, compressed."),
)

OF_SITTINGS = (episode, fault, measure, journal, description, printed, trace, start)
"""The tables whose rows belong to sittings."""
