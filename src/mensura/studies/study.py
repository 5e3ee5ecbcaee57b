"""A study as data: who is assessed on which worlds, how, how often, and what is crossed.

The models here say what a study file may hold; :mod:`mensura.studies.files` reads one, and
:mod:`mensura.studies.expand` turns it into cells. Worlds, subjects and assessments are names here: nothing is
looked up or loaded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    ValidationError,
    model_validator,
)

from mensura.agent.errors import neighbors
from mensura.agent.keys import MASK
from mensura.core.yaml_text import Misfit, Where, shown
from mensura.records.cell import is_of_people
from mensura.studies.entries import (
    Assessment,
    AssessmentEntry,
    ClaimEntry,
    Factor,
    FigureEntry,
    Keep,
    Level,
    LimitsEntry,
    Part,
    Published,
    StatisticEntry,
    Subject,
    Text,
    World,
)
from mensura.studies.misfits import misfit
from mensura.studies.people import PeopleEntry, check_people
from mensura.studies.perturbing import with_perturbations
from mensura.studies.phase_entries import FACTOR, PhaseEntry, assessed_places, with_phases

FORMAT = 1
"""The version of the file format; a newer one is refused with a sentence."""

_NAME = r"[A-Za-z0-9]+([._-][A-Za-z0-9]+)*"
_LONGEST_NAME = 64


FACTORS = {"curve": 1, "map": 2, "speed": 1}
"""Over how many factors a figure of each kind goes; others go over none."""


class Study(Part):
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
    device: Literal["cpu", "gpu"] = Field(
        default="cpu",
        description="Where whole sittings of built-in subjects are played; it changes no result.",
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
    phases: tuple[PhaseEntry, ...] = Field(
        default=(),
        strict=False,
        description="Training before subjects are assessed, one phase after another, with branches; every place at "
        "which they are assessed is a level of a factor called phases.",
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
    claims: tuple[ClaimEntry, ...] = Field(
        default=(),
        strict=False,
        description="What should hold of the scores, each with its verdict on the page.",
    )
    people: PeopleEntry | None = Field(
        default=None,
        description="How people take part in `mensura serve`; it changes nothing for programs.",
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
        _check_phases(self)
        _check_published(self)
        _check_shown(self)
        _check_claims(self)
        if self.people is not None:
            check_people(self.people)
        return self


def _shortened(entry: dict[str, Any], field: str) -> Any:
    return entry if len(entry) > 1 else entry[field]


def study_from_plain(data: Any) -> Study:
    """The study that plain data describes; :class:`Misfit` says in a sentence what is wrong, and where."""
    if not isinstance(data, Mapping):
        raise Misfit((), f"A study is a mapping with named fields, not {shown(data)}.")
    _check_format(data)
    try:
        return Study.model_validate(with_phases(with_perturbations(data)))
    except ValidationError as error:
        raise misfit(error, Study) from None


def canonical(plain: Any) -> str:
    """Plain data as text, equal exactly for equal data whatever the order of keys."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)


def study_hash(plain: Mapping[str, Any]) -> str:
    """The fingerprint of a plain study, whatever the order of its keys."""
    return hashlib.blake2b(canonical(plain).encode(), digest_size=16).hexdigest()


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
    if not choosing and not study.subjects and study.people is None:
        raise Misfit(("subjects",), "The study has no subjects; name at least one, as [random].")


def _check_phases(study: Study) -> None:
    """The places of phases are levels of their factor, and nobody comes to phases with a life behind them."""
    labels = [one.label for one in assessed_places(study.phases)]
    known = [
        [one.label for one in factor.levels] for factor in study.factors if factor.name == FACTOR
    ]
    if labels and known != [labels]:
        raise Misfit(("phases",), "The factor phases does not have the places of the phases.")
    if not labels:
        return
    for i, subject in enumerate(study.subjects):
        if subject.keep is not None:
            raise Misfit(
                ("subjects", i, "keep"),
                "Phases begin at birth, and who is kept goes on from another study; leave out keep, or the phases.",
            )
    if is_of_people(study.to_plain()):
        raise Misfit(("phases",), "People are not trained in phases; leave these out.")


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
        _check_levels(study, ("figures", i, "less"), figure.less)
        for j, name in enumerate(figure.factors):
            _check_factor(study, ("figures", i, "factors", j), name)
        needed = FACTORS.get(figure.kind, 0)
        named = len(figure.factors) or min(needed, len(study.factors))
        if figure.kind == "interactions":
            if (named := len(figure.factors or study.factors)) < 2:
                raise Misfit(
                    ("figures", i),
                    f"The figure {figure.title!r} is of interactions between two factors or more, not {named}.",
                )
        elif named != needed:
            raise Misfit(
                ("figures", i, "factors") if figure.factors else ("figures", i),
                f"The figure {figure.title!r} is a {figure.kind} over {needed} factors, not {named}.",
            )
        if figure.kind == "speed":
            _check_horizons(study, i, figure)
        for name in ("measure", "less", "against"):
            if getattr(figure, name) and figure.kind in ("speed", "attempts"):
                raise Misfit(
                    ("figures", i, name),
                    f"The figure {figure.title!r} is of {figure.kind}, which goes by measures of its own and has no "
                    f"{name}; leave it out.",
                )
    for i, statistic in enumerate(study.statistics):
        _check_levels(study, ("statistics", i, "levels"), statistic.levels)
        if statistic.statistic == "anova" and len(statistic.subjects) != 2:
            raise Misfit(
                ("statistics", i),
                f"An analysis of variance here has two subjects, not {len(statistic.subjects)}; name them.",
            )


def _check_horizons(study: Study, i: int, figure: FigureEntry) -> None:
    """Learning speed goes along a factor whose levels are numbers of interactions."""
    name = figure.factors[0] if figure.factors else study.factors[0].name
    (factor,) = (one for one in study.factors if one.name == name)
    values = [level.value or 0.0 for level in factor.levels]
    if min(values) <= 0.0 or len(set(values)) < len(values):
        raise Misfit(
            ("figures", i),
            f"The figure {figure.title!r} is of learning speed, along horizons: every level of {name} needs a value of "
            "its own, the number of interactions.",
        )


def _check_claims(study: Study) -> None:
    """Claims have what their kind needs."""
    _refuse_twice(("claims",), "claim", [claim.title for claim in study.claims])
    for i, claim in enumerate(study.claims):
        where: Where = ("claims", i)
        needed = {"same": ("within",), "settles": ("within", "parameter")}.get(claim.kind, ())
        for name in needed:
            if getattr(claim, name) is None:
                raise Misfit(
                    where, f"The claim {claim.title!r} is one of {claim.kind}, which needs {name}."
                )
        if claim.kind in ("order", "same") and len(getattr(claim, claim.along)) < 2:
            raise Misfit(
                where,
                f"The claim {claim.title!r} runs along {claim.along}, so it has to name two of them or more.",
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
