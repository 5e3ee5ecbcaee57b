"""Answers to questions: read from a form, checked, and kept once, with the checks that somebody failed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, select, update

from mensura.agent.errors import MensuraError
from mensura.records import schema
from mensura.records.encoding import clean
from mensura.records.provenance import now
from mensura.studies.people import PeopleEntry, QuestionEntry
from mensura.web.people.writing import refusal_of
from mensura.web.refusals import Refused

if TYPE_CHECKING:
    from mensura.web.people.participants import Participant

LONGEST_TEXT = 2000
"""So many letters of an answer to a question are kept."""

QUESTIONS: dict[str, tuple[str, ...]] = {
    "age": ("", "under-18", "18-29", "30-44", "45-59", "60-over"),
    "input": ("", "mouse", "touch", "keyboard", "reader", "other"),
    "motivated": ("", "1", "2", "3", "4", "5"),
    "clear": ("", "1", "2", "3", "4", "5"),
    "distracting": ("", "1", "2", "3", "4", "5"),
    "before": ("", "no", "yes"),
}
"""The questions of the pages with a choice and what may be chosen; nothing need be."""

WRITTEN = ("strategy", "comment")
"""The questions that are answered in words. Section 6.4 asks for motivation, usability and strategies."""


def check_names(people: PeopleEntry) -> None:
    """Refuse own questions that are called as those of the pages."""
    for one in (*people.before, *people.after):
        if one.name in (*QUESTIONS, *WRITTEN):
            raise MensuraError(
                f"The pages ask a question {one.name} themselves; give your own another name."
            )


def usual_answers(form: Mapping[str, Any]) -> dict[str, str]:
    """The answers to the questions of the pages."""
    answers = {}
    for name, choices in QUESTIONS.items():
        chosen = form.get(name, "")
        if chosen not in choices:
            raise Refused(422, f"{name}: choose one of the answers that are offered.")
        answers[name] = str(chosen)
    for name in WRITTEN:
        answers[name] = _text(name, form.get(name, ""))
    return answers


def own_answers(questions: Sequence[QuestionEntry], form: Mapping[str, Any]) -> dict[str, str]:
    """The answers to the experimenter's own questions, empty where one need not be given and is not."""
    return {
        one.name: _answer(one, _text(one.name, form.get(f"own-{one.name}", "")))
        for one in questions
    }


def _text(name: str, given: Any) -> str:
    if not isinstance(given, str) or len(given) > LONGEST_TEXT:
        raise Refused(422, f"{name}: that is too long; {LONGEST_TEXT} letters are taken.")
    return given


def _answer(one: QuestionEntry, text: str) -> str:
    text = text.strip()
    if not text:
        if one.required or one.right is not None:
            raise Refused(422, f"{one.name}: this question has to be answered.")
        return ""
    if one.answers and text not in one.answers:
        raise Refused(422, f"{one.name}: choose one of the answers that are offered.")
    if one.kind == "number":
        try:
            value = float(text.replace(",", "."))
        except ValueError:
            value = math.nan
        low, high = (
            (-math.inf if one.low is None else one.low),
            (math.inf if one.high is None else one.high),
        )
        if not math.isfinite(value) or not low <= value <= high:
            raise Refused(422, f"{one.name}: that is not a number that can be given here.")
        return f"{value:.15g}"
    return text


def failed_checks(questions: Sequence[QuestionEntry], answers: Mapping[str, str]) -> list[str]:
    """The questions with a right answer that were answered otherwise."""
    return [
        one.name
        for one in questions
        if one.right is not None and not _is_right(one, answers[one.name])
    ]


def _is_right(one: QuestionEntry, answer: str) -> bool:
    return answer.casefold() == str(one.right).casefold()


def keep_answers(
    connection: Connection,
    study: int,
    number: int,
    answers: Mapping[str, str],
    *,
    before: bool,
    failed: Sequence[str],
) -> None:
    """Within a transaction: keep the answers of one page; those of a page that was answered already stay."""
    row = _locked(connection, study, number)
    if (row.before_at if before else row.after_at) is not None:
        return
    _insert(connection, study, number, answers)
    checks = [f"attention: {name}" for name in failed]
    changed = {
        "before_at" if before else "after_at": now(),
        "excluded": "; ".join([*filter(None, [row.excluded]), *checks]) or None,
    }
    _update(connection, study, number, changed)


def keep_attempt(
    connection: Connection,
    one: Participant,
    attempt: int,
    answers: Mapping[str, str],
    right: bool,
    most: int,
) -> None:
    """Within a transaction: an attempt, counted from 0, counts once, however often it is sent."""
    row = _locked(connection, one.study, one.number)
    if row.checked_at is not None or (row.tries or 0) != attempt or row.state != "consented":
        return
    tries = attempt + 1
    numbered = {f"{name}#{tries}": answer for name, answer in answers.items()}
    _insert(connection, one.study, one.number, numbered)
    changed: dict[str, Any] = {"tries": tries}
    if right:
        changed["checked_at"] = now()
    elif tries >= most:
        changed |= {"state": "screened", "excluded": "comprehension"}
    _update(connection, one.study, one.number, changed)


def _locked(connection: Connection, study: int, number: int) -> Any:
    """The row of a participant, for whom nobody else writes meanwhile."""
    who = schema.participant
    row = connection.execute(
        select(who).where(who.c.study == study, who.c.number == number).with_for_update()
    ).one_or_none()
    if row is None or row.state in ("withdrawn", "screened"):
        raise refusal_of(None if row is None else row.state)
    return row


def _update(connection: Connection, study: int, number: int, values: Mapping[str, Any]) -> None:
    who = schema.participant
    mine = who.c.study == study, who.c.number == number
    connection.execute(update(who).where(*mine).values(dict(values)))


def _insert(connection: Connection, study: int, number: int, answers: Mapping[str, str]) -> None:
    if answers:
        connection.execute(
            insert(schema.questionnaire),
            [
                {
                    "study": study,
                    "participant": number,
                    "question": question,
                    "answer": clean(answer)[:LONGEST_TEXT],
                }
                for question, answer in answers.items()
            ],
        )
