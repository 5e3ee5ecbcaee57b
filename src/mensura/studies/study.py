"""A study as data: who is assessed on which worlds, how, how often, and what is crossed.

The models here say what a study file may hold; :mod:`mensura.studies.files` reads one, and
:mod:`mensura.studies.expand` turns it into cells. Worlds, subjects and assessments are names here: nothing is
looked up or loaded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from mensura.core.errors import neighbors
from mensura.core.keys import MASK
from mensura.studies.misfits import Misfit, Where, misfit, shown

FORMAT = 1
"""The version of the file format; a newer one is refused with a sentence."""

_NAME = r"[A-Za-z0-9]+([._-][A-Za-z0-9]+)*"
_LONGEST_NAME = 64


# Values -----------------------------------------------------------------------


def _check_plain(value: Any) -> Any:
    """Refuse what JSON could not write: parameters are numbers, text, true or false, and lists of them."""
    if isinstance(value, list | tuple):
        return [_check_plain(item) for item in value]
    if value is None or not isinstance(value, bool | int | float | str):
        raise PydanticCustomError(
            "sentence", "must be a number, text, true or false, or a list of them"
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise PydanticCustomError("sentence", "must be a finite number")
    return value


def _check_line(text: str) -> str:
    """Refuse names that would break a table, or look like another name."""
    if text != text.strip() or not text.isprintable():
        raise PydanticCustomError("sentence", "must be one line, without spaces around it")
    return text


def _short(field: str) -> Callable[[Any], Any]:
    """Let text stand for a mapping with this one field."""

    def lengthened(data: Any) -> Any:
        return {field: data} if isinstance(data, str) else data

    return lengthened


Value = Annotated[
    Any,
    AfterValidator(_check_plain),
    WithJsonSchema({"type": ["number", "string", "boolean", "array"]}),
]
Parameters = dict[str, Value]
Text = Annotated[str, Field(min_length=1, max_length=10_000)]
Label = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_check_line)]
Count = Annotated[int, Field(ge=0, le=10**9)]
Positive = Annotated[float, Field(gt=0)]


class _Part(BaseModel):
    """What all parts of a study have in common: nothing unknown, nothing bent into shape, nothing changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
    short: ClassVar[bool] = False
    """Whether text may stand for it."""


# The parts of a study ---------------------------------------------------------


class SubjectEntry(_Part):
    """Who is assessed. An address alone may stand for it."""

    short = True

    subject: Text = Field(
        description="Its address: a built-in name, file.py:Class, package.module:Class, or a collective as "
        "oracle+local-search*4."
    )
    name: Label | None = Field(
        default=None, description="How reports call it; its address where it has no name."
    )
    parameters: Parameters = Field(
        default_factory=dict, description="Its parameters, as {alpha: 0.1}."
    )
    worlds: tuple[Label, ...] = Field(
        default=(),
        strict=False,
        description="The names of the worlds where it is assessed; all of them if left out.",
    )
    training: Count | None = Field(
        default=None,
        description="Training episodes before each assessed one; as many as the subject asks for where it is left out.",
    )
    in_process: bool = Field(
        default=False,
        description="Whether its code runs inside the worker: faster, but it can crash or stop it.",
    )
    ask_once: bool = Field(
        default=False,
        description="Whether each of its answers is safe on disk before it is used, because it cannot be asked again "
        "(people, paid models).",
    )


class WorldEntry(_Part):
    """Where it is assessed. The name of a world alone may stand for it."""

    short = True

    world: Text = Field(description="The world, as `mensura worlds list` names it.")
    name: Label | None = Field(
        default=None,
        description="How reports call it; the world with the parameters given where it has no name.",
    )
    preset: Text | None = Field(
        default=None,
        description="A named set of parameters of the world, as `mensura worlds parameters`.",
    )
    parameters: Parameters = Field(
        default_factory=dict,
        description="Parameters of the world that differ from those of the preset.",
    )
    stream: Label | None = Field(
        default=None,
        description="A name for draws of its own: worlds with different ones share no draws, so that their "
        "environments are independent. Left out, sittings of one number begin with the same draws in all worlds, "
        "which makes differences between worlds clearer.",
    )


class AssessmentEntry(_Part):
    """How it is assessed. The name of an assessment alone may stand for it."""

    short = True

    assessment: Text = Field(description="The assessment: battery.")
    name: Label | None = Field(
        default=None,
        description="How reports call it; the assessment with the parameters given where it has no name.",
    )
    parameters: Parameters = Field(
        default_factory=dict,
        description="Its parameters. A battery has episodes (1000), measure (the world's first), training, and "
        "spread: the lowest and the highest complexity, as [2, 23], or any to take environments as the world draws "
        "them; left out, it is the range of the world. Its tolerance (0) says how far a complexity may lie from the "
        "one drawn.",
    )


Subject = Annotated[
    SubjectEntry,
    BeforeValidator(_short("subject"), json_schema_input_type=str | SubjectEntry),
]
World = Annotated[
    WorldEntry, BeforeValidator(_short("world"), json_schema_input_type=str | WorldEntry)
]
Assessment = Annotated[
    AssessmentEntry,
    BeforeValidator(_short("assessment"), json_schema_input_type=str | AssessmentEntry),
]


class Level(_Part):
    """One value of a factor: what it changes, and how it is called."""

    label: Label = Field(description="How reports call it.")
    value: float | None = Field(
        default=None,
        description="Where it stands on an axis; left out for a level without a number.",
    )
    preset: Text | None = Field(default=None, description="The preset of the world at this level.")
    world: Parameters = Field(
        default_factory=dict, description="Parameters of the world at this level."
    )
    assessment: Parameters = Field(
        default_factory=dict, description="Parameters of the assessment at this level."
    )
    parameters: Parameters = Field(
        default_factory=dict, description="Parameters of the subjects at this level."
    )
    subject: Subject | None = Field(
        default=None,
        description="Who is assessed at this level, where the factor is who acts; a study then has no subjects.",
    )


class Factor(_Part):
    """Something that may matter, with its levels."""

    name: Label = Field(description="How reports call it.")
    axis: Label | None = Field(
        default=None,
        description="The label of an axis, with its unit; the name where it is left out.",
    )
    levels: tuple[Level, ...] = Field(strict=False, min_length=1, description="Its levels.")
    baseline: Label | None = Field(
        default=None,
        description="The label of the level that holds while other factors vary; the first where it is left out.",
    )

    @property
    def base(self) -> int:
        """The place of the baseline."""
        labels = [level.label for level in self.levels]
        return 0 if self.baseline is None else labels.index(self.baseline)


class LimitsEntry(_Part):
    """What a subject may use. Enforced for code in a process of its own.

    For agents inside a worker process, limits on an episode and on memory end the worker; elsewhere time is only
    measured.
    """

    seconds_per_action: Positive = Field(default=10.0, description="Seconds for one answer.")
    seconds_to_start: Positive = Field(default=60.0, description="Seconds until it is ready.")
    seconds_per_episode: Positive | None = Field(
        default=None,
        description="Seconds for all answers of a seat in an episode; without a limit if left out.",
    )
    memory_mb: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="Megabytes that its process may take; without a limit if left out.",
    )
    faults: Annotated[int, Field(ge=1)] = Field(
        default=3, description="After so many faults a seat is not asked again in its sitting."
    )


class Keep(_Part):
    """What is kept beyond the scores and one row for each assessed episode."""

    training: Count = Field(
        default=100,
        description="For so many first sittings of each cell the episodes of training are kept, for learning curves.",
    )
    traces: bool = Field(
        default=False, description="Whether every interaction is kept, in compressed files."
    )


class Published(_Part):
    """A table of published values, to stand beside ours."""

    world: Label | None = Field(
        default=None,
        description="The name of the world that they belong to; every world if left out.",
    )
    levels: dict[str, str] = Field(
        default_factory=dict,
        description="The levels that they belong to, as {factor: label}; every level of factors that are left out.",
    )
    values: dict[str, float] = Field(min_length=1, description="The values, by subject.")
    doubts: dict[str, Text] = Field(
        default_factory=dict,
        description="Why a correct program would give another value, by subject, where that is known.",
    )


class FigureEntry(_Part):
    """A figure for the page of the study."""

    kind: Literal["curve", "map", "complexity", "histogram", "boxes"] = Field(
        description="curve: the score along a factor, a line for each subject and a panel for each world. map: the "
        "score over two factors as colors, a panel for each subject. complexity: each sitting by the complexity of "
        "its environment, with lines of regression. histogram: how the scores of sittings are spread. boxes: the "
        "same as boxes, world by world."
    )
    title: Label = Field(description="Its heading.")
    caption: str = Field(default="", description="What it shows, below it.")
    worlds: tuple[Label, ...] = Field(
        default=(), strict=False, description="The names of its worlds; all if left out."
    )
    subjects: tuple[Label, ...] = Field(
        default=(),
        strict=False,
        description="Its subjects, or members of collectives; all if left out.",
    )
    factors: tuple[Label, ...] = Field(
        default=(),
        strict=False,
        max_length=2,
        description="The factor of a curve, or the two of a map, its x and its y; those of the study if left out.",
    )
    levels: dict[str, str] = Field(
        default_factory=dict,
        description="The levels of other factors, as {factor: label}; the baseline if left out.",
    )
    together: bool = Field(
        default=False,
        description="Whether a figure by complexity also has a panel of all its worlds together.",
    )
    mark: tuple[float, float] | None = Field(
        default=None, strict=False, description="A point to mark in a map, as a published choice."
    )


class StatisticEntry(_Part):
    """A statistic of a whole sample, published beside the same over our repetitions."""

    statistic: Literal[
        "mean", "standard deviation", "standard deviation of tests", "correlation", "anova"
    ] = Field(
        description="Of the scores of sittings: their mean, their standard deviation, their correlation with the "
        "complexity of environments, or the F of an analysis of variance with repeated measures of two subjects by "
        "worlds. The sittings of one number, one in each world, are one test: the standard deviation of tests is that "
        "of their means, and in an analysis of variance a test is one who was measured."
    )
    worlds: tuple[Label, ...] = Field(
        default=(), strict=False, description="The names of its worlds; all if left out."
    )
    subjects: tuple[Label, ...] = Field(
        default=(),
        strict=False,
        description="Whose it is; all if left out. An analysis of variance has two.",
    )
    levels: dict[str, str] = Field(
        default_factory=dict,
        description="The levels of factors, as {factor: label}; the baseline if left out.",
    )
    published: dict[str, float] = Field(
        default_factory=dict,
        description="What was published, by subject; of an analysis of variance by subject, world and interaction. Who "
        "is not assessed here, as people, may be named too.",
    )


class Study(_Part):
    """Subjects by worlds by assessments by levels by repetitions, as data."""

    mensura: Literal[1] = Field(description="The version of this format: 1.")
    name: str = Field(
        pattern=f"^{_NAME}$",
        max_length=_LONGEST_NAME,
        description="The name of the study, safe as the name of a file: letters and digits, and single - _ or . "
        "between them.",
    )
    title: str = Field(default="", description="A line on what it is, for reports.")
    source: str = Field(default="", description="Where it was published.")
    notes: tuple[Text, ...] = Field(
        default=(), strict=False, description="Sentences for the reader of a report."
    )
    seed: Annotated[int, Field(ge=0, le=MASK)] | None = Field(
        default=None,
        description="The root of all draws; the same seed gives the same result. Left out, it is fresh, and recorded.",
    )
    repetitions: Annotated[int, Field(ge=1, le=10**6)] = Field(
        default=1, description="How often everything is run, with other draws each time."
    )
    subjects: tuple[Subject, ...] = Field(
        default=(),
        strict=False,
        description="Who is assessed: addresses, or entries with parameters.",
    )
    worlds: tuple[World, ...] = Field(
        strict=False,
        min_length=1,
        description="Where: names of worlds, or entries with parameters.",
    )
    assessments: tuple[Assessment, ...] = Field(
        default=(AssessmentEntry(assessment="battery"),),
        strict=False,
        min_length=1,
        description="How: names of assessments, or entries with parameters. One battery if left out.",
    )
    factors: tuple[Factor, ...] = Field(
        default=(), strict=False, description="What is varied: factors with their levels."
    )
    design: Literal["grid", "one-at-a-time", "pairs"] = Field(
        default="grid",
        description="How factors are crossed. grid: every combination of levels. one-at-a-time: each factor alone, the "
        "others at their baseline. pairs: each alone, and each pair crossed.",
    )
    limits: LimitsEntry = Field(default=LimitsEntry(), description="What a subject may use.")
    records: Keep = Field(default=Keep(), description="What is kept beyond the scores.")
    published: tuple[Published, ...] = Field(
        default=(), strict=False, description="Tables of published values, to stand beside ours."
    )
    figures: tuple[FigureEntry, ...] = Field(
        default=(), strict=False, description="Figures for the page of the study."
    )
    statistics: tuple[StatisticEntry, ...] = Field(
        default=(),
        strict=False,
        description="Statistics of whole samples, published beside the same over our repetitions.",
    )

    def to_plain(self) -> dict[str, Any]:
        """Canonical plain data: what equals its default is left out, and short forms are used."""
        data = self.model_dump(mode="json", exclude_defaults=True)
        for group, field in (
            ("subjects", "subject"),
            ("worlds", "world"),
            ("assessments", "assessment"),
        ):
            if group in data:
                data[group] = [_shortened(entry, field) for entry in data[group]]
        for factor in data.get("factors", ()):
            for level in factor["levels"]:
                if "subject" in level:
                    level["subject"] = _shortened(level["subject"], "subject")
        return data

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if self.name.isdigit():
            raise Misfit(
                ("name",),
                f"The name {self.name} is only digits, which could be mistaken for the number of a run; "
                "add a letter.",
            )
        _check_who(self)
        _check_factors(self)
        _check_published(self)
        _check_shown(self)
        return self


def _shortened(entry: dict[str, Any], field: str) -> Any:
    return entry if len(entry) > 1 else entry[field]


def study_from_plain(data: Any) -> Study:
    """The study that plain data describes; :class:`Misfit` says in a sentence what is wrong, and where."""
    if not isinstance(data, Mapping):
        raise Misfit((), f"A study is a mapping with named fields, not {shown(data)}.")
    _check_format(data)
    try:
        return Study.model_validate(data)
    except ValidationError as error:
        raise misfit(error, Study) from None


def canonical(plain: Any) -> str:
    """Plain data as text, equal exactly for equal data whatever the order of keys."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)


# What fields must hold to each other -------------------------------------------


def _check_format(data: Mapping[str, Any]) -> None:
    version = data.get("mensura")
    if isinstance(version, int) and version > FORMAT:
        raise Misfit(
            ("mensura",),
            f"The study has format {version}, and this version of Mensura reads format {FORMAT}; "
            "a newer Mensura may read it.",
        )
    if version is None or version is True or version != FORMAT:
        given = f"mensura is {shown(version)}" if "mensura" in data else "The study has no mensura"
        raise Misfit(
            ("mensura",) if "mensura" in data else (),
            f"{given}; write mensura: {FORMAT}, the version of the format.",
        )


def _check_who(study: Study) -> None:
    """Subjects come from the study or from one factor, not from both."""
    choosing = [
        (i, factor)
        for i, factor in enumerate(study.factors)
        if any(level.subject for level in factor.levels)
    ]
    for i, factor in choosing:
        for j, level in enumerate(factor.levels):
            if level.subject is None:
                raise Misfit(
                    ("factors", i, "levels", j),
                    f"The level {level.label!r} of {factor.name} names no subject, and other levels of it do; "
                    "all of them must, or none.",
                )
    if len(choosing) > 1:
        raise Misfit(
            ("factors", choosing[1][0]),
            f"The factors {choosing[0][1].name} and {choosing[1][1].name} both name subjects; one can.",
        )
    if choosing and study.subjects:
        raise Misfit(
            ("subjects",),
            f"The factor {choosing[0][1].name} names the subjects, so the study can have no others; "
            "leave out subjects, or make them levels of it.",
        )
    if not choosing and not study.subjects:
        raise Misfit(("subjects",), "The study has no subjects; name at least one, as [random].")


def _check_factors(study: Study) -> None:
    _refuse_twice(("factors",), "factor", [factor.name for factor in study.factors])
    setters: dict[tuple[str, str], str] = {}
    for i, factor in enumerate(study.factors):
        labels = [level.label for level in factor.levels]
        _refuse_twice(("factors", i, "levels"), f"level of {factor.name}", labels)
        if factor.baseline is not None and factor.baseline not in labels:
            raise Misfit(
                ("factors", i, "baseline"),
                f"The baseline {factor.baseline!r} is no level of {factor.name}; "
                f"{neighbors(factor.baseline, labels)}",
            )
        for what in sorted({what for level in factor.levels for what in _changes(level)}):
            other = setters.setdefault(what, factor.name)
            if other != factor.name:
                raise Misfit(
                    ("factors", i),
                    f"The factors {other} and {factor.name} both set {' '.join(what).strip()}; "
                    "each must change something of its own.",
                )


def _changes(level: Level) -> Iterable[tuple[str, str]]:
    """What a level changes."""
    yield from (("the world's", name) for name in level.world)
    yield from (("the assessment's", name) for name in level.assessment)
    yield from (("the subjects'", name) for name in level.parameters)
    if level.preset is not None:
        yield "the preset", ""


def _check_levels(study: Study, where: Where, levels: Mapping[str, str]) -> None:
    """Levels that are named must be there."""
    factors = {factor.name: [level.label for level in factor.levels] for factor in study.factors}
    for factor, label in levels.items():
        _check_factor(study, (*where, factor), factor)
        if label not in factors[factor]:
            raise Misfit(
                (*where, factor),
                f"{label!r} is no level of {factor}; {neighbors(label, factors[factor])}",
            )


def _check_factor(study: Study, where: Where, name: str) -> None:
    factors = [factor.name for factor in study.factors]
    if name not in factors:
        known = neighbors(name, factors) if factors else "the study has none."
        raise Misfit(where, f"There is no factor {name!r} in this study; {known}")


def _check_shown(study: Study) -> None:
    """Figures and statistics speak of factors that are there."""
    for i, figure in enumerate(study.figures):
        _check_levels(study, ("figures", i, "levels"), figure.levels)
        for j, name in enumerate(figure.factors):
            _check_factor(study, ("figures", i, "factors", j), name)
        needed = {"curve": 1, "map": 2}.get(figure.kind, 0)
        named = len(figure.factors) or min(needed, len(study.factors))
        if named != needed:
            raise Misfit(
                ("figures", i, "factors") if figure.factors else ("figures", i),
                f"The figure {figure.title!r} is a {figure.kind} over {needed} factors, not {named}.",
            )
    for i, statistic in enumerate(study.statistics):
        _check_levels(study, ("statistics", i, "levels"), statistic.levels)
        if statistic.statistic == "anova" and len(statistic.subjects) != 2:
            raise Misfit(
                ("statistics", i),
                f"An analysis of variance here has two subjects, not {len(statistic.subjects)}; name them.",
            )


def _check_published(study: Study) -> None:
    for i, table in enumerate(study.published):
        _check_levels(study, ("published", i, "levels"), table.levels)
        for subject in table.doubts:
            if subject not in table.values:
                raise Misfit(
                    ("published", i, "doubts", subject),
                    f"There is a doubt about {subject!r} but no published value of it in this table; "
                    f"{neighbors(subject, list(table.values))}",
                )


def _refuse_twice(where: Where, noun: str, names: list[str]) -> None:
    for i, name in enumerate(names):
        first = names.index(name)
        if first < i:
            raise Misfit(
                (*where, i), f"The {noun} {name!r} is there twice; call one of them otherwise."
            )
