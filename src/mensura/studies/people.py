"""What a study file says of people who take part: how they come, what they agree to and are asked, where they go."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from mensura.core.yaml_text import Misfit, Where
from mensura.studies.entries import Label, Part

PLACEHOLDER = "{id}"
"""What stands in the address of a redirect for the id that somebody came with."""

NAME = r"^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$"

MOST_POINTS = 11
"""So many points a Likert scale may have."""

PARAMETER = "PROLIFIC_PID"
"""The parameter of a link that Prolific puts the id of a participant into."""


def _check_address(text: str) -> str:
    """Refuse all but an https address; the id may stand only where it cannot change whose address it is."""
    try:
        parts = urlsplit(text)
        safe = parts.scheme == "https" and parts.hostname and "@" not in parts.netloc
        parts.port  # noqa: B018
    except ValueError:
        safe = False
    if not safe or not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        raise PydanticCustomError(
            "sentence", "must be an address that begins with https:// and a host"
        )
    if PLACEHOLDER in text.partition("?")[0]:
        raise PydanticCustomError(
            "sentence", f"may have {PLACEHOLDER} only after the question mark"
        )
    return text


def _check_time(text: str) -> str:
    if moment_of(text) is None:
        raise PydanticCustomError(
            "sentence", "must be a date, as 2030-12-31, or a time, as 2030-12-31T18:00:00+00:00"
        )
    return text


def moment_of(text: str) -> datetime | None:
    """When a study ends: a date ends with its last moment, a time without a zone is UTC; None if it is neither."""
    try:
        moment = datetime.fromisoformat(text)
        if len(text) <= len("2030-12-31"):
            moment = moment.replace(hour=23, minute=59, second=59, microsecond=999_999)
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    except ValueError:
        return None


Address = Annotated[str, Field(max_length=500), AfterValidator(_check_address)]
Moment = Annotated[str, Field(max_length=40), AfterValidator(_check_time)]
Language = Annotated[str, Field(min_length=2, max_length=10)]
LongText = Annotated[str, Field(min_length=1, max_length=50_000)]
Quota = Annotated[int, Field(ge=1, le=100_000)]


class RedirectEntry(Part):
    """Where somebody is sent at the end, with the code that proves it there."""

    url: Address | None = Field(
        default=None,
        description="An https address, fixed by the experimenter; {id} after its question mark is the id that "
        "somebody came with.",
    )
    code: Label | None = Field(
        default=None, description="A code that is shown, to be copied where no address is."
    )

    def address_for(self, external: str | None) -> str:
        """The address for somebody; empty where there is none."""
        return (self.url or "").replace(PLACEHOLDER, quote(external or "", safe=""))


Said = dict[Language, Annotated[str, Field(min_length=1, max_length=2000)]]
Name = Annotated[str, Field(max_length=64, pattern=NAME)]


class ChoiceEntry(Part):
    """One of the answers to choose from. A text alone may stand for it."""

    short = True

    value: Label = Field(description="What is kept where it is chosen.")
    said: Said = Field(
        default_factory=dict, description="How it is shown, by language; as its value if left out."
    )


Choice = Annotated[
    ChoiceEntry, BeforeValidator(lambda data: {"value": data} if isinstance(data, str) else data)
]


class QuestionEntry(Part):
    """A question of the experimenter's own."""

    name: Name = Field(description="What it is called in the data.")
    kind: Literal["choice", "likert", "number", "text"] = Field(
        description="choice: one of some answers. likert: a whole number from low to high. number: any number. text: "
        "some words."
    )
    asked: Said = Field(
        min_length=1, description="The question by language, as {en: ..., es: ...}."
    )
    choices: tuple[Choice, ...] = Field(
        default=(),
        strict=False,
        max_length=50,
        description="Of a choice: its answers, as texts or entries.",
    )
    low: float | None = Field(
        default=None, description="Of likert and number: the least; 1 for likert if left out."
    )
    high: float | None = Field(
        default=None, description="Of likert and number: the most; 5 for likert if left out."
    )
    lowest: Said = Field(
        default_factory=dict, description="Of likert: what its least means, by language."
    )
    highest: Said = Field(
        default_factory=dict, description="Of likert: what its most means, by language."
    )
    required: bool = Field(default=False, description="Whether it has to be answered.")
    right: Label | None = Field(
        default=None,
        description="The right answer, as it is kept, in quotes: the question checks attention or comprehension.",
    )

    @property
    def answers(self) -> tuple[str, ...]:
        """What can be chosen; empty where anything can be written."""
        if self.kind == "choice":
            return tuple(one.value for one in self.choices)
        if self.kind == "likert":
            return tuple(str(one) for one in range(*self.points))
        return ()

    @property
    def points(self) -> tuple[int, int]:
        """Of likert: the least, and the first beyond the most."""
        low, high = (
            (1.0 if self.low is None else self.low),
            (5.0 if self.high is None else self.high),
        )
        return int(low), int(high) + 1


class ComprehensionEntry(Part):
    """Questions on the instructions; whoever does not answer them rightly does not go on."""

    tries: Annotated[int, Field(ge=1, le=10)] = Field(
        default=3, description="How often somebody may try; then they cannot take part."
    )
    questions: tuple[QuestionEntry, ...] = Field(
        strict=False,
        min_length=1,
        max_length=50,
        description="The questions, each with its right answer.",
    )


class PeopleEntry(Part):
    """How people take part in `mensura serve`."""

    parameter: Annotated[
        str, Field(max_length=64, pattern=r"^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$")
    ] = Field(
        default=PARAMETER,
        description="The parameter of the link that holds the id of whoever comes: PROLIFIC_PID of Prolific, "
        "workerId of MTurk, or what a class list is sent with.",
    )
    quota: Quota | None = Field(
        default=None,
        description="How many may agree to take part; who withdraws makes room. As many as there are places if left "
        "out.",
    )
    ends: Moment | None = Field(
        default=None,
        description="The last day, or the moment, at which somebody may begin, in UTC.",
    )
    wave: Label | None = Field(
        default=None, description="A name or number that is kept with everybody who comes, as 1."
    )
    consent: dict[Language, LongText] = Field(
        default_factory=dict,
        description="What people agree to, in Markdown by language, as {en: ..., es: ...}; that of the pages if "
        "left out.",
    )
    before: tuple[QuestionEntry, ...] = Field(
        default=(),
        strict=False,
        max_length=100,
        description="Own questions before the instructions.",
    )
    comprehension: ComprehensionEntry | None = Field(
        default=None, description="Questions on the instructions, before the exercises."
    )
    after: tuple[QuestionEntry, ...] = Field(
        default=(), strict=False, max_length=100, description="Own questions after the exercises."
    )
    usual_questions: bool = Field(
        default=True,
        description="Whether the questions of the pages are asked after the exercises, too.",
    )
    show_score: bool = Field(
        default=True, description="Whether participants are told their score at the end."
    )
    feedback: dict[Language, LongText] = Field(
        default_factory=dict,
        description="What participants read at the end, in Markdown by language.",
    )
    completed: RedirectEntry = Field(
        default=RedirectEntry(), description="Where those are sent who have finished."
    )
    screened: RedirectEntry = Field(
        default=RedirectEntry(), description="Where those are sent who cannot take part."
    )


def check_people(people: PeopleEntry) -> None:
    """Raise if questions contradict themselves or each other."""
    groups: list[tuple[Where, tuple[QuestionEntry, ...]]] = [
        (("people", "before"), people.before),
        (("people", "after"), people.after),
    ]
    if people.comprehension is not None:
        where: Where = ("people", "comprehension", "questions")
        groups.append((where, people.comprehension.questions))
        for i, one in enumerate(people.comprehension.questions):
            if one.right is None:
                raise Misfit(
                    (*where, i),
                    f"The question {one.name} checks comprehension and has no right answer.",
                )
    met: set[str] = set()
    for where, questions in groups:
        for i, one in enumerate(questions):
            if one.name in met:
                raise Misfit(
                    (*where, i, "name"),
                    f"There are two questions {one.name}; each needs its own name.",
                )
            met.add(one.name)
            wrong = _wrong_with(one)
            if wrong:
                raise Misfit((*where, i), f"The question {one.name} {wrong}.")


def _wrong_with(one: QuestionEntry) -> str:
    if one.kind == "choice" and len(set(one.answers)) < max(2, len(one.answers)):
        return "is a choice and needs two different choices at least, none of them twice"
    if one.kind != "choice" and one.choices:
        return f"is a {one.kind} and has no choices; leave them out"
    if one.kind == "likert" and not 2 <= len(one.answers) <= MOST_POINTS:
        return f"has a scale of {len(one.answers)} points; 2 to {MOST_POINTS} can be shown"
    if one.kind == "number" and one.low is not None and one.high is not None and one.low > one.high:
        return "has a low above its high"
    if one.right is not None and one.answers and one.right not in one.answers:
        return f"has {one.right!r} as its right answer, which is none of its answers"
    return ""
