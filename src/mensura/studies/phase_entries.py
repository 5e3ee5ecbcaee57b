"""Phases of training in study files: a list, and lists that branch off it, after which subjects are assessed.

    phases:
      - {name: easy, parameters: {cells: 4}, interactions: 2000}
      - name: hard
        interactions: 2000
        then:
          - [{name: back, parameters: {cells: 4}, interactions: 2000}]
          - [{name: elsewhere, environment: 7, interactions: 2000}]

Each place of this tree at which subjects are assessed is a level of a factor that is called phases, so that conditions,
tables and figures know them as any other levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from mensura.core.yaml_text import Misfit, Where
from mensura.studies.entries import Label, Parameters, Part, Text
from mensura.studies.phases import checkpoints

FACTOR = "phases"
"""The name of the factor whose levels are the places of the tree."""

MOST_PLACES = 10_000
LONGEST_LABEL = 200


class PhaseEntry(Part):
    """A phase of training before subjects are assessed."""

    name: Label | None = Field(
        default=None,
        description="How reports call it; its world and length where it is left out.",
    )
    world: Text | None = Field(
        default=None,
        description="The world that is trained in; that of the condition where it is left out.",
    )
    preset: Text | None = Field(default=None, description="A named set of parameters of the world.")
    parameters: Parameters = Field(
        default_factory=dict,
        description="Parameters of the world that differ from those of the preset, or of the condition.",
    )
    environment: Annotated[int, Field(ge=0, le=2**64 - 1)] | None = Field(
        default=None,
        description="The seed of one environment; left out, a new one is drawn for each episode.",
    )
    interactions: Annotated[int, Field(ge=0, le=10**9)] | None = Field(
        default=None,
        description="How long it is, in interactions; 0 is no training at all, to assess newborns.",
    )
    episodes: Annotated[int, Field(ge=1, le=10**6)] | None = Field(
        default=None,
        description="How long it is, in episodes, in the place of interactions, where the world has a horizon.",
    )
    learning: bool = Field(default=True, description="Whether subjects are told that they train.")
    measure: Literal["end", "checkpoints", "never"] = Field(
        default="end",
        description="When subjects are assessed: when it is over, also after 16, 32, 64, ... interactions of it, or "
        "never.",
    )
    then: tuple[Annotated[tuple[PhaseEntry, ...], Field(strict=False, min_length=1)], ...] = Field(
        default=(),
        strict=False,
        description="What may follow: lists of phases, each a branch that goes on from what was learned here. Only the "
        "last phase of a list has branches.",
    )

    @property
    def title(self) -> str:
        """How reports call it."""
        if self.name is not None:
            return self.name
        if self.interactions == 0:
            return "untrained"
        where = [] if self.world is None else [self.world]
        where += [] if self.environment is None else [f"environment {self.environment}"]
        long = f"{self.episodes} episodes" if self.interactions is None else f"{self.interactions}"
        return " ".join([*where, long])


_LIST: TypeAdapter[tuple[PhaseEntry, ...]] = TypeAdapter(
    Annotated[tuple[PhaseEntry, ...], Field(strict=False)]
)


@dataclass(frozen=True)
class AssessedPlace:
    """A place of the tree at which subjects are assessed."""

    label: str
    phases: tuple[tuple[Where, PhaseEntry], ...]
    """What comes before it, each with where it stands in the study."""
    until: int | None = None
    """The interactions of the last phase, where it is not over."""

    @property
    def interactions(self) -> int | None:
        """How many interactions come before it; None where some are counted in episodes."""
        total = 0
        for _, one in self.phases:
            if one.interactions is None:
                return None
            total += one.interactions
        if self.until is None:
            return total
        last = self.phases[-1][1].interactions or 0
        return total - last + self.until


def assessed_places(entries: Sequence[PhaseEntry]) -> list[AssessedPlace]:
    """The places of the tree at which subjects are assessed; :class:`Misfit` says what cannot be."""
    found: dict[str, AssessedPlace] = {}
    for place in _places(entries, ("phases",), ()):
        where = place.phases[-1][0]
        if place.label in found:
            raise Misfit(
                where,
                f"Two ways through the phases are both called {place.label!r}; give a phase another name.",
            )
        if len(place.label) > LONGEST_LABEL:
            raise Misfit(
                where,
                f"The way to this phase is called {place.label[:40]!r}..., which has more than {LONGEST_LABEL} "
                "characters; give phases shorter names.",
            )
        found[place.label] = place
        if len(found) > MOST_PLACES:
            raise Misfit(
                ("phases",), f"Subjects would be assessed at more than {MOST_PLACES} places."
            )
    if entries and not found:
        raise Misfit(
            ("phases",), "Subjects are never assessed; leave out measure: never of one phase."
        )
    return list(found.values())


def _places(
    entries: Sequence[PhaseEntry], where: Where, before: tuple[tuple[Where, PhaseEntry], ...]
) -> Iterator[AssessedPlace]:
    for i, entry in enumerate(entries):
        at: Where = (*where, i)
        _check(entry, at, last=i == len(entries) - 1)
        before = (*before, (at, entry))
        trained = [one.title for _, one in before[:-1] if one.interactions != 0]
        label = " > ".join([*trained, entry.title])
        if entry.measure == "checkpoints":
            for cut in checkpoints(entry.interactions or 0)[:-1]:
                yield AssessedPlace(f"{label} at {cut}", before, cut)
        if entry.measure != "never":
            yield AssessedPlace(label, before)
        for j, branch in enumerate(entry.then):
            yield from _places(branch, (*at, "then", j), before)


def _check(entry: PhaseEntry, where: Where, *, last: bool) -> None:
    if (entry.interactions is None) == (entry.episodes is None):
        both = "has both interactions and episodes" if entry.episodes else "has no length"
        raise Misfit(
            where,
            f"The phase {both}; write one of them, as interactions: 2000.",
        )
    if entry.measure == "checkpoints" and entry.interactions is None:
        raise Misfit(
            (*where, "measure"),
            "Checkpoints are counted in interactions; write the length of the phase in interactions.",
        )
    if entry.then and not last:
        raise Misfit(
            (*where, "then"),
            "A phase with branches is the last one of its list; put what follows it into a branch of then.",
        )


@dataclass(frozen=True)
class TrainingCount:
    """How many phases one learner begins."""

    shared: int
    """With every beginning that several places share trained once."""
    alone: int
    """With each place trained for by itself."""


def trainings(entries: Sequence[PhaseEntry]) -> TrainingCount:
    """How many trainings a tree of phases needs, and how many it would need without shared beginnings."""
    ways: set[tuple[Where, ...]] = set()
    alone = 0
    for place in assessed_places(entries):
        trained = [at for at, one in place.phases if one.interactions != 0]
        ways |= {tuple(trained[: i + 1]) for i in range(len(trained))}
        alone += len(trained)
    return TrainingCount(len(ways), alone)


def with_phases(data: Mapping[str, Any]) -> dict[str, Any]:
    """A study as plain data in which the places of its phases are levels of a factor."""
    told = data.get("phases")
    if not told:
        return dict(data)
    try:
        entries = _LIST.validate_python(told)
    except ValidationError:
        return dict(data)  # told with its place when the study itself is checked
    levels: list[dict[str, Any]] = []
    for one in assessed_places(entries):
        value = {} if one.interactions is None else {"value": float(one.interactions)}
        levels.append({"label": one.label, **value})
    factor = {"name": FACTOR, "axis": "Interactions of training", "levels": levels}
    given = data.get("factors") or ()
    if not isinstance(given, Sequence) or isinstance(given, str):
        return dict(data)
    for i, one in enumerate(given):
        if isinstance(one, Mapping) and one.get("name") == FACTOR:
            if one != factor:
                raise Misfit(
                    ("factors", i),
                    "The factor phases is made of the phases of the study; call this one otherwise.",
                )
            return dict(data)
    return {**data, "factors": [*given, factor]}
