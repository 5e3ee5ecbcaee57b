"""What a report says of each assessment: what one sitting of it is called, what was done, and what its score means.

The assessments themselves bring it (:mod:`mensura.core.account`), and are found by their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.abilities import account_of, published_spread
from mensura.core.account import EPISODE, SITTING, Account, Unit, unnamed
from mensura.core.contract import Measure
from mensura.core.registry import ASSESSMENTS, WORLDS
from mensura.records.results import RunResult, SubjectResult
from mensura.reports.number_words import listed, whole

__all__ = [
    "EPISODE",
    "SITTING",
    "Unit",
    "assessed",
    "at_random",
    "balanced",
    "common_unit",
    "first",
    "meaning",
    "paths",
    "score",
    "unit_of",
]

BALANCED = (
    "Rewards lie between -1 and 1 and are balanced: acting at random is worth 0 in the long run; 1 would be the "
    "largest reward in every iteration."
)

BOUNDED = "Rewards lie between -1 and 1. They are not balanced: what acting at random is worth is for the run to show."


def balanced(world: str, parameters: Mapping[str, Any]) -> bool:
    """Whether acting at random is worth 0 in a world with these parameters, as far as anybody knows.

    Whoever is not told otherwise by the world takes it for balanced.
    """
    try:
        return "balanced" in _told(world, parameters, "promises")
    except (AttributeError, MensuraError, TypeError):  # the world is gone, or has changed since
        return True


def at_random(condition: RunResult) -> bool:
    """Whether acting at random is worth 0 in a condition, as far as anybody knows."""
    known = balanced(condition.world, condition.world_parameters)
    return known and account_for(condition.assessment).balanced


def measure_of(world: str, parameters: Mapping[str, Any], name: str) -> Measure | None:
    """A complexity of a world with these parameters; None where it has none of that name, or is gone."""
    try:
        found: Measure | None = _told(world, parameters, "measures").get(name)
        return found
    except (AttributeError, MensuraError, TypeError):
        return None


def published(world: str) -> float | None:
    """The spread between identical experiments that was published of a world."""
    try:
        return published_spread(WORLDS.present(world))
    except MensuraError:
        return None


def _told(world: str, parameters: Mapping[str, Any], member: str) -> Any:
    """What a world says of itself: its class, or where that depends on its parameters, the world with these."""
    kind = WORLDS.present(world)
    told = getattr(kind, member)
    if not isinstance(told, property):
        return told
    given = {name: tuple(v) if isinstance(v, list) else v for name, v in parameters.items()}
    return getattr(kind(**given), member)


def account_for(given: Mapping[str, Any]) -> Account:
    """What is said of the assessment with these parameters; something plain where it is gone, or says nothing."""
    try:
        return account_of(ASSESSMENTS.load(str(given.get("name")))) or unnamed(given)
    except MensuraError:
        return unnamed(given)


def unit_of(assessment: Mapping[str, Any]) -> Unit:
    """What a sitting of an assessment is called."""
    return account_for(assessment).unit(assessment)


def adapts(assessment: Mapping[str, Any]) -> bool:
    """Whether environments of an assessment follow what a subject does, so that subjects do not meet the same ones."""
    return account_for(assessment).adapts


def common_unit(conditions: Sequence[RunResult]) -> Unit:
    """What sittings are called where there are several conditions: by one name only if that fits all."""
    units = dict.fromkeys(unit_of(condition.assessment) for condition in conditions)
    return next(iter(units)) if len(units) == 1 else SITTING


def assessed(result: RunResult, subjects: Sequence[SubjectResult]) -> Iterator[str]:
    """What the assessment was, in sentences."""
    given = result.assessment
    account = account_for(given)
    yield from account.done(given)
    yield _drawn(result.seed, timed=given.get("seconds") is not None)
    trained = [f"{one.subject} ({whole(one.training)})" for one in subjects if one.training]
    if trained:
        yield f"Subjects that learn were given training episodes {account.training}: {listed(trained)}."


def _drawn(seed: int | None, *, timed: bool) -> str:
    """What everything was drawn from, and what the same again would give."""
    if seed is None:
        return "All was drawn from one seed, which is not shown here: the environments of people follow from it."
    if timed:
        return (
            f"All was drawn from the seed {seed}. What a subject got also depends on how quick it was, since its "
            "time is limited in seconds: the same seed gives the same choices, and nearly the same scores."
        )
    return (
        f"All was drawn from the seed {seed}, after which nothing was left to chance: the same seed gives the same "
        "result."
    )


def meaning(
    world: str, assessment: Mapping[str, Any], parameters: Mapping[str, Any] | None = None
) -> list[str]:
    """What a score means, in sentences."""
    account = account_for(assessment)
    rewards = BALANCED if balanced(world, parameters or {}) else BOUNDED
    told = [*account.meaning(assessment), account.rewards or rewards]
    return [*told, account.source] if account.source else told


def score(assessment: Mapping[str, Any]) -> str:
    """What the score is, short; nothing where it is the mean over environments."""
    return account_for(assessment).score


def first(conditions: Sequence[RunResult]) -> list[str]:
    """What comes before all else in a report, as far as assessments say something."""
    return list(
        dict.fromkeys(told for one in conditions if (told := account_for(one.assessment).first))
    )


def paths(assessment: Mapping[str, Any]) -> str:
    """What figures of single sittings show beside complexities and scores."""
    return account_for(assessment).paths
