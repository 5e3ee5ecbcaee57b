"""The parts of a study file: who, where and how, factors, limits, published values, figures, statistics, claims."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from mensura.agent.task import MOST_FAULTS, MOST_MEGABYTES, MOST_PROCESSES, MOST_SECONDS
from mensura.core.figure_kinds import FigureKind

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


def _check_isolation(value: Any, _: Any) -> Any:
    if not isinstance(value, bool):
        raise PydanticCustomError("sentence", "must be true or false")
    return value


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
Seconds = Annotated[float, Field(gt=0, le=MOST_SECONDS)]
Megabytes = Annotated[int, Field(ge=1, le=MOST_MEGABYTES)]
Isolation = Annotated[
    bool,
    WrapValidator(_check_isolation),
    WithJsonSchema({"type": "boolean"}),
]


class Part(BaseModel):
    """What all parts of a study have in common: nothing unknown, nothing bent into shape, nothing changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
    short: ClassVar[bool] = False
    """Whether text may stand for it."""


# The parts of a study ---------------------------------------------------------


class SubjectEntry(Part):
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
    keep: Text | None = Field(
        default=None,
        description="A folder in which what each sitting has learned is kept, and from which it goes on the next time: "
        "so its development can be assessed at ages.",
    )
    ask_once: bool = Field(
        default=False,
        description="Whether each of its answers is safe on disk before it is used, because it cannot be asked again "
        "(people, paid models).",
    )


class WorldEntry(Part):
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
    perturb: tuple[dict[Label, float | tuple[float, ...]], ...] = Field(
        default=(),
        strict=False,
        description="Perturbations with their strengths from 0 to 1, as [{observation-noise: 0.3}]: `mensura worlds "
        "parameters perturbed-lambda` lists them. A list of strengths makes a factor.",
    )
    stream: Label | None = Field(
        default=None,
        description="A name for draws of its own: worlds with different ones share no draws, so that their "
        "environments are independent. Left out, sittings of one number begin with the same draws in all worlds, "
        "which makes differences between worlds clearer.",
    )


class AssessmentEntry(Part):
    """How it is assessed. The name of an assessment alone may stand for it."""

    short = True

    assessment: Text = Field(
        description="The assessment: battery, anytime, or another that `mensura assessments` lists."
    )
    name: Label | None = Field(
        default=None,
        description="How reports call it; the assessment with the parameters given where it has no name.",
    )
    parameters: Parameters = Field(
        default_factory=dict,
        description="Its parameters, as `mensura assessments` lists them. A battery has episodes (1000), "
        "measure (the world's first), training, and spread: the lowest and the highest complexity, as "
        "[2, 23], or any to take environments as the world draws them; left out, it is the range of the world. Its "
        "tolerance (0) says how far a complexity may lie from the one drawn.",
    )
    worlds: tuple[Label, ...] = Field(
        default=(),
        strict=False,
        description="The names of the worlds where it is given; all of them if left out.",
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


class Level(Part):
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


class Factor(Part):
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


class LimitsEntry(Part):
    """What a subject may use. Enforced for code in a process of its own.

    For agents inside a worker process, limits on an episode and on memory end the worker; elsewhere time is only
    measured.
    """

    seconds_per_action: Seconds = Field(default=10.0, description="Seconds for one answer.")
    seconds_to_start: Seconds = Field(default=60.0, description="Seconds until it is ready.")
    seconds_per_episode: Seconds | None = Field(
        default=None,
        description="Seconds for all answers of a seat in an episode; without a limit if left out.",
    )
    memory_mb: Megabytes | None = Field(
        default=None,
        description="Megabytes that its processes may take; 8192 for code in isolation if left out.",
    )
    cpu_seconds: Annotated[int, Field(ge=1, le=MOST_SECONDS)] | None = Field(
        default=None,
        description="Seconds of processor time for each of its processes; without a limit if left out.",
    )
    processes: Annotated[int, Field(ge=1, le=MOST_PROCESSES)] = Field(
        default=256, description="How many processes and threads it may have at once."
    )
    disk_mb: Megabytes = Field(
        default=1024, description="Megabytes that it may write into its temporary folder."
    )
    network: bool = Field(default=False, description="Whether it may use the network.")
    environment: tuple[Label, ...] = Field(
        default=(),
        strict=False,
        description="Names of variables of the environment that it sees beside those that it needs to run.",
    )
    readable: tuple[Text, ...] = Field(
        default=(),
        strict=False,
        description="Files and folders that it may read beside its own.",
    )
    isolation: Isolation = Field(
        default=True,
        description="Whether it is kept from our files, processes and network; false for code that you trust.",
    )
    faults: Annotated[int, Field(ge=1, le=MOST_FAULTS)] = Field(
        default=3, description="After so many faults a seat is not asked again in its sitting."
    )


class Keep(Part):
    """What is kept beyond the scores and one row for each assessed episode."""

    training: Count = Field(
        default=100,
        description="For so many first sittings of each cell the episodes of training are kept, for learning curves.",
    )
    traces: bool = Field(
        default=False, description="Whether every interaction is kept, in compressed files."
    )


class Published(Part):
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


class FigureEntry(Part):
    """A figure for the page of the study."""

    kind: FigureKind = Field(
        description="curve: the score along a factor, a line for each subject and a panel for each world. map: the "
        "score over two factors as colors, a panel for each subject. complexity: each sitting by the complexity of "
        "its environment, with lines of regression. histogram: how the scores of sittings are spread. boxes: the "
        "same as boxes, world by world. speed: learning speed, the interactions until a level of reward is reached and "
        "kept, along a factor of horizons. attempts: attempts at a task by time and energy, early and late ones, "
        "beside the least energy for each time where the world tells it, and the share that was solved as they go on. "
        "interactions: for each pair of factors that are crossed, the share of the differences between their levels "
        "that is more than both add up to, a panel for each subject. profile: the score of each subject in each world, "
        "and who is above guessing in which. solved: the share of environments with the full reward along complexity. "
        "difficulty: what solving depends on, each complexity with the others held, where the battery has "
        "`complexities: true`. agreement: how far subjects agree on which environments are hard."
    )
    title: Label = Field(description="Its heading.")
    caption: str = Field(default="", description="What it shows, below it.")
    published: str = Field(
        default="",
        description="What was published of it, in words, to stand beside what was measured.",
    )
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
        description="The factor of a curve or of learning speed, the two of a map, its x and its y, or those of "
        "interactions; those of the study if left out.",
    )
    levels: dict[str, str] = Field(
        default_factory=dict,
        description="The levels of other factors, as {factor: label}; the baseline if left out.",
    )
    measure: Label | None = Field(
        default=None,
        description="A further measure of episodes that the figure shows in place of the score, as coverage; reports "
        "list what a world tells.",
    )
    less: dict[str, str] = Field(
        default_factory=dict,
        description="Levels, as {factor: label}, from which the figure shows the difference, sitting by sitting in the "
        "same environments: as {who: alone} for the gain of a group over its members alone.",
    )
    together: bool = Field(
        default=False,
        description="Whether a figure by complexity also has a panel of all its worlds together.",
    )
    mark: tuple[float, float] | None = Field(
        default=None, strict=False, description="A point to mark in a map, as a published choice."
    )
    against: Label | None = Field(
        default=None,
        description="A subject from which the figure shows the difference, in the same environments: the gain over it.",
    )
    level: float | None = Field(
        default=None,
        description="The mean reward that is to be reached, of learning speed; left out, it is half of what the best "
        "subject has at the longest horizon of a world.",
    )


class StatisticEntry(Part):
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


class ClaimEntry(Part):
    """Something that should hold of the scores, to be held against them."""

    kind: Literal["zero", "order", "same", "agree", "settles", "error"] = Field(
        description="zero: mean scores are 0. order: scores rise along the names given. same: scores along the names "
        "given differ by less than a margin. agree: where one scores higher, so does it elsewhere (correlation of "
        "ranks). settles: the last change along a parameter of assessments is less than a margin. error: the error of "
        "the score falls as a power of the number of sittings, or of a parameter of assessments."
    )
    title: Label = Field(description="Its heading.")
    claim: Text = Field(description="The claim in a sentence.")
    worlds: tuple[Label, ...] = Field(
        default=(), strict=False, description="The names of its worlds; all if left out."
    )
    assessments: tuple[Label, ...] = Field(
        default=(), strict=False, description="The names of its assessments; all if left out."
    )
    subjects: tuple[Label, ...] = Field(
        default=(), strict=False, description="Its subjects; all if left out."
    )
    along: Literal["subjects", "worlds", "assessments"] = Field(
        default="subjects",
        description="What an order or a sameness runs along, in the order of the names; what is left of the others is "
        "tried one by one.",
    )
    against: Literal["neighbors", "first"] = Field(
        default="neighbors",
        description="Whether each name along it is held against the one before, or against the first.",
    )
    of: Literal["score", "complexity"] = Field(
        default="score",
        description="Whether it is about scores, or about the complexities of the environments.",
    )
    over: Literal["subjects", "environments"] = Field(
        default="subjects",
        description="Whether an agreement is over subjects, or over the environments of each subject.",
    )
    by_complexity: bool = Field(
        default=False, description="Whether scores are 0 at every complexity, not only in all."
    )
    parameter: Label | None = Field(
        default=None,
        description="The parameter of assessments along which scores settle or errors fall, as interactions.",
    )
    within: Positive | None = Field(
        default=None, description="The margin within which a difference counts as none."
    )
    rate: float | None = Field(
        default=None,
        description="The power by which an error should fall, as -0.5; any below 0 if left out.",
    )
