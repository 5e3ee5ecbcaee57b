"""The way of a participant: which page comes next, which others they may see, and questions in their language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mensura.studies.people import QuestionEntry
from mensura.web.people.participants import Participant
from mensura.web.people.studies import PeopleStudy


def is_to_check(study: PeopleStudy, one: Participant) -> bool:
    """Whether somebody has yet to answer the questions on the instructions."""
    return study.people.comprehension is not None and one.checked_at is None


def step_of(study: PeopleStudy, one: Participant) -> str:
    """The page that a participant should be on."""
    if one.state == "consented":
        if study.people.before and one.before_at is None:
            return "before"
        return "exercises" if one.exercise else "instructions"
    if one.state == "finished":
        asks = study.people.usual_questions or study.people.after
        return "questions" if asks and one.after_at is None else "result"
    return {
        "invited": "consent",
        "playing": "exercises",
        "withdrawn": "withdrawn",
        "screened": "screened",
    }[one.state]


def may_see(study: PeopleStudy, one: Participant) -> set[str]:
    """All pages that a participant may see now."""
    due = step_of(study, one)
    pages = {due} if due == "withdrawn" else {due, "withdraw"}
    if due in ("instructions", "exercises"):
        waiting = one.state == "consented" and is_to_check(study, one)
        pages |= {"instructions", "comprehension" if waiting else "exercises"}
    return pages


@dataclass(frozen=True)
class ShownQuestion:
    """A question of the experimenter's own in one language."""

    name: str
    kind: str
    asked: str
    required: bool
    choices: tuple[tuple[str, str], ...]
    """What can be chosen, each with how it is shown."""


def shown_questions(
    study: PeopleStudy, questions: Sequence[QuestionEntry], language: str
) -> list[ShownQuestion]:
    """Questions as a page shows them."""
    return [
        ShownQuestion(
            one.name,
            one.kind,
            in_language(study, one.asked, language),
            one.required or one.right is not None,
            tuple((value, _said(study, one, value, language)) for value in one.answers),
        )
        for one in questions
    ]


def _said(study: PeopleStudy, one: QuestionEntry, value: str, language: str) -> str:
    if one.kind == "choice":
        said = next(choice.said for choice in one.choices if choice.value == value)
        return in_language(study, said, language) or value
    ends = {one.answers[0]: one.lowest, one.answers[-1]: one.highest}
    meaning = in_language(study, ends.get(value, {}), language)
    return f"{value}: {meaning}" if meaning else value


def in_language(study: PeopleStudy, texts: Mapping[str, str], language: str) -> str:
    """A text in a language, or else in that of the study, or in any; empty where there is none."""
    for code in (language, study.language, *texts):
        if code in texts:
            return texts[code]
    return ""
