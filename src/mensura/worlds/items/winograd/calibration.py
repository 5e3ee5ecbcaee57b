"""Whose common sense? A schema stays in a set if people agree on both of its halves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mensura.worlds.items.winograd.schema import HALVES, SchemaSet

FEWEST = 10
"""So many people have to answer a half."""
AGREEMENT = 0.70
"""The lower 95% bound of agreement (Wilson, 1927) has to be at least this."""
Z = 1.959963984540054


@dataclass(frozen=True)
class Answers:
    """What people answered to one half."""

    right: int = 0
    other: int = 0
    both: int = 0
    """Who said that both are possible."""
    none: int = 0
    """Who gave no answer; they count as disagreeing."""

    @property
    def count(self) -> int:
        """How many were asked."""
        return self.right + self.other + self.both + self.none


@dataclass(frozen=True)
class Verdict:
    """Whether a schema stays, and why not."""

    schema: int
    stays: bool
    why: str
    """Empty where it stays."""


def wilson_low(right: int, count: int) -> float:
    """The lower end of Wilson's 95% interval of a share."""
    if not count:
        return 0.0
    share, square = right / count, Z * Z
    middle = share + square / (2 * count)
    reach = Z * math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    return max(0.0, (middle - reach) / (1 + square / count))


def half_stays(answers: Answers) -> bool:
    """Whether enough people were asked and agree with the answer of a half."""
    return answers.count >= FEWEST and wilson_low(answers.right, answers.count) >= AGREEMENT


def reason(half: str, answers: Answers) -> str:
    """Why a half does not stay, in a sentence; nothing where it does."""
    if half_stays(answers):
        return ""
    if answers.count < FEWEST:
        return (
            f"Only {answers.count} of the {FEWEST} people that are needed answered the {half} half."
        )
    return (
        f"Of {answers.count} people, {answers.right} agreed with the answer of the {half} half (lower 95% bound "
        f"{wilson_low(answers.right, answers.count):.2f}, needed {AGREEMENT:.2f}); {answers.other} meant the other "
        f"candidate, {answers.both} both."
    )


def verdicts(count: int, answers: Mapping[tuple[int, str], Answers]) -> list[Verdict]:
    """Of every schema of a set whether it stays; answers are by the number of the schema and the half."""
    found = []
    for number in range(count):
        reasons = [reason(half, answers.get((number, half), Answers())) for half in HALVES]
        why = " ".join(one for one in reasons if one)
        found.append(Verdict(number, not why, why))
    return found


def kept(one: SchemaSet, found: Sequence[Verdict]) -> SchemaSet:
    """The schemas that stay."""
    stay = [schema for schema, verdict in zip(one.schemas, found, strict=True) if verdict.stays]
    return replace(one.with_schemas(stay), calibration="calibrated")


@dataclass(frozen=True)
class GroupAgreement:
    """How far people who describe themselves alike agree with the answers of a set."""

    group: str
    people: int
    answers: int
    agree: float
    both: float
    """The share of answers that both are possible."""


def agreement_by_group(
    by_group: Mapping[str, Mapping[tuple[int, str], Answers]], members: Mapping[str, int]
) -> list[GroupAgreement]:
    """Whose common sense is it? Of every group, over all halves that it was asked."""
    found = []
    for group, answers in by_group.items():
        count = sum(one.count for one in answers.values())
        right, both = (
            sum(getattr(one, kind) for one in answers.values()) for kind in ("right", "both")
        )
        found.append(
            GroupAgreement(group, members.get(group, 0), count, right / count, both / count)
        )
    return found
