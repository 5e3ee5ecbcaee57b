"""What a study file says of people who take part: how they come, what they agree to and are asked, where they go."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from mensura.core.yaml_text import Misfit, Where
from mensura.studies.entries import Label, Parameters, Part, Text
from mensura.studies.orders import balanced_orders

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


Seconds = Annotated[float, Field(gt=0, le=86_400)]


class PracticeEntry(Part):
    """Exercises that come first and count nowhere."""

    parameters: Parameters = Field(
        default_factory=dict,
        description="Of the assessment, where they differ from those of the test; as short as it can be if left out.",
    )
    world_parameters: Parameters = Field(
        default_factory=dict, description="Of the world, where they differ from those of the test."
    )


class BreakEntry(Part):
    """When people may rest."""

    every: Annotated[int, Field(ge=1, le=1000)] = Field(
        description="After so many exercises, practice aside."
    )
    seconds: Seconds = Field(
        default=60.0,
        description="How long a break is meant to be; whoever is ready sooner goes on, and nobody is hurried.",
    )


class ClockEntry(Part):
    """How much time there is, with a clock that people see. What is left undone is done by the default."""

    exercise: Seconds | None = Field(default=None, description="Seconds for each exercise.")
    test: Seconds | None = Field(
        default=None,
        description="Seconds for all of the test, from its first exercise, practice aside.",
    )


class TogetherEntry(Part):
    """Several players in one episode: people, and programs in the other seats."""

    people: Annotated[int, Field(ge=1, le=50)] = Field(
        description="So many seats of a room are for people, the first ones."
    )
    programs: Text | None = Field(
        default=None,
        description="Who is in the other seats, as local-search*3; nobody if left out: all seats are for people.",
    )
    turn: Seconds = Field(
        default=30.0, description="Seconds for an action; then the default action is played."
    )
    misses: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=3,
        description="Whoever misses so many turns in a row has left: the next who waits takes the seat, or else the "
        "default action is played in it.",
    )
    wait: Seconds = Field(
        default=300.0, description="Seconds that somebody waits for the others at most."
    )
    fill: Text | None = Field(
        default=None,
        description="A program, as random, that takes the seats of those who have not come by then; if left out, "
        "whoever waited is sent on as one who could not take part.",
    )
    chat: bool = Field(
        default=False,
        description="Whether people can tell each other one of twelve symbols with each action, as members of a "
        "collective tell before they act.",
    )
    machines: tuple[Text, ...] = Field(
        default=(),
        strict=False,
        max_length=20,
        description="Of conversations: machines, of which each room has one, all of them equally often; in the place "
        "of programs.",
    )
    games: Annotated[int, Field(ge=1, le=50)] = Field(
        default=1,
        description="Of conversations: how many games everybody plays, with other people in each.",
    )
    again: bool = Field(
        default=False,
        description="Of conversations: whether a judge may meet a machine again, as in a study about learning.",
    )


Measured = Literal[
    "failed_checks",
    "focus_losses",
    "tries",
    "minutes",
    "median_response_ms",
    "fast_share",
]
"""What a rule of exclusion may go by; the score is not among it."""


class ExclusionEntry(Part):
    """Whom the analysis leaves out; results are shown with and without them."""

    measured: Measured = Field(
        description="failed_checks: checks of attention that were failed. focus_losses: how often the page was left. "
        "tries: at the questions on the instructions. minutes: from the first to the last answer. "
        "median_response_ms: of all answers. fast_share: the share of answers below 200 ms."
    )
    above: float | None = Field(default=None, description="Whoever is above it is left out.")
    below: float | None = Field(default=None, description="Whoever is below it is left out.")
    because: Text | None = Field(default=None, description="Why, for the report.")

    def leaves_out(self, value: float | None) -> bool:
        """Whether somebody of this value is left out; whoever has none is not."""
        if value is None:
            return False
        return (self.above is not None and value > self.above) or (
            self.below is not None and value < self.below
        )

    def __str__(self) -> str:
        bounds = {"above": self.above, "below": self.below}
        told = [f"{name} {bound:g}" for name, bound in bounds.items() if bound is not None]
        return f"{self.measured} {' or '.join(told)}"


class PeopleEntry(Part):
    """How people take part in `mensura serve`."""

    places: Quota = Field(
        default=50, description="How many participants there may be, those who withdraw included."
    )
    theme: Literal["colors", "neutral"] = Field(
        default="colors", description="How cells look: with colors, or without."
    )
    language: str = Field(
        default="", max_length=10, description="Of the pages; that of each participant if left out."
    )
    design: Literal["between", "within"] = Field(
        default="between",
        description="Where the study has several conditions. between: everybody is in one, drawn evenly in blocks. "
        "within: everybody goes through all of them.",
    )
    order: Literal["latin-square", "fixed"] = Field(
        default="latin-square",
        description="Of the conditions within everybody. latin-square: balanced for position and for what came "
        "before, rows drawn evenly in blocks. fixed: as the study has them.",
    )
    quotas: dict[Label, Quota] = Field(
        default_factory=dict,
        description="How many may take part in each condition, by its name; as many as the whole allows if left out.",
    )
    practice: PracticeEntry | None = Field(
        default=None, description="Practice before the test; none if left out."
    )
    breaks: BreakEntry | None = Field(default=None, description="Breaks between exercises.")
    clock: ClockEntry | None = Field(default=None, description="Time limits with a visible clock.")
    together: TogetherEntry | None = Field(
        default=None,
        description="Rooms in which several play together; everybody alone if left out.",
    )
    exclude: tuple[ExclusionEntry, ...] = Field(
        default=(),
        strict=False,
        max_length=20,
        description="Whom the analysis leaves out, written before there are data.",
    )
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
    reuse: bool = Field(
        default=False,
        description="Whether people are asked, apart from the rest, if what they do may be used further: as "
        "checkpoints and experience of programs, and in publications. They can mark checkpoints then.",
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
    show_others: bool = Field(
        default=True,
        description="Whether participants who are told their score see the mean of the others, once 10 have finished.",
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

    def courses(self, conditions: int) -> tuple[tuple[int, ...], ...]:
        """The ways through so many conditions, one of which everybody is given."""
        if self.design == "between":
            return tuple((one,) for one in range(conditions))
        if self.order == "fixed":
            return (tuple(range(conditions)),)
        return balanced_orders(conditions)


def check_people(people: PeopleEntry) -> None:
    """Raise if what is said of people contradicts itself."""
    if people.design == "within" and people.quotas:
        raise Misfit(
            ("people", "quotas"),
            "Everybody goes through all conditions, so that they have no quotas of their own; write quota.",
        )
    if people.clock is not None and people.clock.exercise is None and people.clock.test is None:
        raise Misfit(("people", "clock"), "A clock needs seconds for exercise, for test, or both.")
    if people.together is not None:
        for name in ("practice", "breaks", "clock"):
            if getattr(people, name) is not None:
                raise Misfit(
                    ("people", name),
                    f"Rooms have turns of their own: leave {name} out, or together.",
                )
        if people.together.machines and people.together.programs is not None:
            raise Misfit(
                ("people", "together", "programs"),
                "A room has one of the machines, so that programs say nothing more: leave programs out, or machines.",
            )
        if len(set(people.together.machines)) < len(people.together.machines):
            raise Misfit(("people", "together", "machines"), "A machine is named twice.")
    for i, rule in enumerate(people.exclude):
        if rule.above is None and rule.below is None:
            raise Misfit(
                ("people", "exclude", i),
                f"The rule on {rule.measured} says neither above nor below which value.",
            )
    _check_questions(people)


def _check_questions(people: PeopleEntry) -> None:
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
