"""What assessments may say of themselves."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from mensura.core.abilities.worlds import graded_by

if TYPE_CHECKING:  # commands that compute nothing are to answer at once
    from mensura.agent.keys import Key
    from mensura.core.account import Account
    from mensura.core.contract import Description, Episode, Plan, World
    from mensura.core.players import Subject


class Assessing(Protocol):
    """What an assessment may say of itself beside its sittings."""

    measure: str | None
    """The complexity that it asks for; None leaves it to :func:`default_measure`."""
    graded: bool
    """Whether it goes by steps of complexity."""
    training: int
    """Training episodes before each assessed one."""
    seconds: float | None
    """Its budget in physical time."""
    complexities: bool
    """Whether it tells all complexities of an environment as measures of the episode."""
    spread: tuple[int, int] | None
    """The complexities over which its environments are spread."""
    exercises: int
    """Of people: how many exercises are at its beginning."""
    expected_seconds: float
    """Of a sitting, as far as it is known beforehand."""
    account: Account
    """What reports say of it."""

    def expected_interactions(self, world: World) -> int:
        """Of a sitting, likewise."""

    @staticmethod
    def command_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the command line sets where nobody does, beside what was given: less than a study takes."""

    @staticmethod
    def paid_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The same where answers are paid for: much less."""

    def check(self, world: World) -> None:
        """Raise if it cannot be given in a world."""

    def check_subject(self, subject: Subject) -> None:
        """Raise if it cannot be given to a subject."""

    def hosting(self, world: World) -> World:
        """The world with what the assessment brings into it, as company."""

    def sitting_of(self, world: World, key: Key, number: int) -> Generator[Plan, Episode, float]:
        """:meth:`mensura.core.contract.Assessment.sitting` where it matters which of its sittings it is, from 0."""

    def sittings_in(self, world: World) -> int:
        """How many sittings there are in a world, where that follows from the world."""

    def example(self, world: World, key: Key) -> Description:
        """An environment such as its sittings have, where it takes long to find the first of a sitting."""

    pools: tuple[str, ...]
    """The digests of the pools of checkpoints that its episodes start from; records keep them."""


def plans_of(
    assessment: Any, world: World, key: Key, number: int
) -> Generator[Plan, Episode, float]:
    """The plans of a sitting; an assessment that goes by the numbers of its sittings is told which one it is."""
    told = getattr(assessment, "sitting_of", None)
    plans: Generator[Plan, Episode, float] = (
        assessment.sitting(world, key) if told is None else told(world, key, number)
    )
    return plans


def sittings_of(assessment: Any, world: World) -> int:
    """How many sittings a subject has in a world: as many as the assessment says, or as the world has for it."""
    told: Callable[[World], int] | None = getattr(assessment, "sittings_in", None)
    return int(assessment.sittings) if told is None else told(world)


def example_of(assessment: Any, world: World, key: Key) -> Description | None:
    """An environment such as the sittings of an assessment have; None where the first of a sitting is found at once."""
    told: Callable[[World, Key], Description] | None = getattr(assessment, "example", None)
    return None if told is None else told(world, key)


def goes_by_number(assessment: Any) -> bool:
    """Whether it matters which of its sittings one is: then the same ones come in every repetition."""
    return hasattr(assessment, "sitting_of")


def pools_of(assessment: Any) -> tuple[str, ...]:
    """The digests of the pools of checkpoints that an assessment needs; none of most."""
    return tuple(getattr(assessment, "pools", ()))


def measure_of(assessment: Any, world: World) -> str:
    """The complexity that an assessment asks for: the one it names, or its choice; "" where there is none."""
    named: str | None = getattr(assessment, "measure", None)
    return default_measure(assessment, world) if named is None else named


def default_measure(assessment: Any, world: World) -> str:
    """The complexity of an assessment, or of a kind of them, that names none; "" where there is none.

    The first that its definition names (``preferred``) and the world has; else the world's first; for an assessment
    that goes by steps of complexity (``graded``) that by which the world grades its environments (``graded_by``), if
    it has one.
    """
    for name in getattr(assessment, "preferred", ()):
        if name in world.measures:
            return str(name)
    if getattr(assessment, "graded", False):
        graded = graded_by(world)
        if graded is not None:
            return graded
    return next(iter(world.measures), "")


def tells_complexities(assessment: Any) -> bool:
    """Whether an assessment tells all complexities of an environment as measures of the episode."""
    return bool(getattr(assessment, "complexities", False))


def trains(assessment: Any) -> bool:
    """Whether an assessment has training episodes before those that are assessed."""
    return hasattr(assessment, "training")


def seconds_of(assessment: Any) -> float | None:
    """The budget of an assessment in physical time; None where it goes by interactions."""
    told: float | None = getattr(assessment, "seconds", None)
    return told


def spread_of(assessment: Any) -> tuple[int, int] | None:
    """The complexities over which an assessment spreads its environments; None where it takes them as they come."""
    told: tuple[int, int] | None = getattr(assessment, "spread", None)
    return told


def exercises_of(assessment: Any) -> int:
    """How many exercises are at the beginning of an assessment of people."""
    return int(getattr(assessment, "exercises", 0))


def expected_interactions(assessment: Any, world: World) -> int | None:
    """The interactions of a sitting, where an assessment knows them beforehand."""
    told: Callable[[World], int] | None = getattr(assessment, "expected_interactions", None)
    return None if told is None else told(world)


def expected_seconds(assessment: Any) -> float:
    """The seconds of a sitting, where an assessment knows them beforehand."""
    return float(getattr(assessment, "expected_seconds", 0.0))


def command_defaults(
    kind: Any, given: Mapping[str, Any], *, paid: bool = False
) -> Mapping[str, Any]:
    """What the command line sets of an assessment where nobody does; nothing, where it does not say."""
    found: dict[str, Any] = {}
    for name in ("command_defaults", *(["paid_defaults"] if paid else [])):
        told: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = getattr(kind, name, None)
        found |= {} if told is None else told(given)
    return found


def account_of(assessment: Any) -> Account | None:
    """What reports say of an assessment, or of a kind of them; None where it says nothing."""
    told: Account | None = getattr(assessment, "account", None)
    return told


def check_fits(assessment: Any, world: World) -> None:
    """Raise if an assessment cannot be given in a world, as far as it can tell."""
    told: Callable[[World], None] | None = getattr(assessment, "check", None)
    if told is not None:
        told(world)


def check_may_take(assessment: Any, subject: Any) -> None:
    """Raise if an assessment cannot be given to a subject, as far as it can tell."""
    told: Callable[[Any], None] | None = getattr(assessment, "check_subject", None)
    if told is not None:
        told(subject)


def brings_company(assessment: Any) -> bool:
    """Whether an assessment brings something into the world."""
    return hasattr(assessment, "hosting")


def populated(assessment: Any, world: World) -> World:
    """The world with what an assessment brings into it."""
    told: Callable[[World], World] | None = getattr(assessment, "hosting", None)
    return world if told is None else told(world)
