"""The tests that a set of schemas has to pass: those of form are made on reading, those of content are here.

They are after Levesque's pitfalls: an answer that a selectional restriction gives away, one that is ambiguous, and one
that only some people would give. The last two need people (:mod:`mensura.worlds.items.winograd.calibration`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mensura.worlds.items.winograd.association import MARGIN, by_association, by_counts
from mensura.worlds.items.winograd.kinds import kinds_of
from mensura.worlds.items.winograd.making import runs_of_set, shared_run
from mensura.worlds.items.winograd.schema import Schema, SchemaSet, phrase, words_of

Z = 3.5
"""Beyond so many standard errors above one half, a scorer is not at chance. Schemas that share words are not
independent, so it is more than the usual 2."""


@dataclass(frozen=True)
class Finding:
    """Something wrong with a schema, or with the set as a whole."""

    test: str
    line: int
    """Of the schema in its file; 0: the set as a whole."""
    sentence: str


@dataclass(frozen=True)
class Scorer:
    """How a scorer with partial input does over a set."""

    name: str
    right: float
    """The share of halves that it gets right; where it has no preference, half of them."""
    preferring: int
    """Halves in which it prefers a candidate."""
    halves: int
    above_chance: bool


@dataclass(frozen=True)
class Checked:
    """What all tests found."""

    findings: tuple[Finding, ...]
    scorers: tuple[Scorer, ...]
    unknown: int
    """Schemas with a candidate of which no supersense is known: a name, or a word that WordNet does not have."""


TESTS: dict[str, str] = {
    "twice": "no half is there twice",
    "kind": "both candidates have a supersense of WordNet in common; names and unknown words pass",
    "association": "associations of the special word alone do not get both halves right by a margin",
    "switching": "candidates that can be switched are named once or more, and nothing else changes",
    "published": "no five words in a row are those of a published set that was named",
    "partial input": "over the whole set, partial input is at chance",
}
"""What is tested, by name."""


def check_set(one: SchemaSet, published: Sequence[SchemaSet] = ()) -> Checked:
    """All tests of a set."""
    lines = one.lines or tuple(range(1, len(one.schemas) + 1))
    taken = runs_of_set(published)
    findings: list[Finding] = []
    seen: dict[str, int] = {}
    unknown = 0
    for schema, line in zip(one.schemas, lines, strict=True):
        for sentence in (schema.sentence, schema.with_alternate):
            name = " ".join(words_of(sentence))
            if name in seen:
                findings.append(
                    Finding("twice", line, f"This half is there already, in line {seen[name]}.")
                )
            seen.setdefault(name, line)
        kinds = [kinds_of(candidate) for candidate in schema.candidates]
        unknown += not all(kinds)
        for test, sentence in _of_schema(schema, kinds):
            findings.append(Finding(test, line, sentence))
        run = shared_run(schema, taken)
        if run is not None:
            findings.append(
                Finding(
                    "published", line, f"The words {' '.join(run)!r} are in a published set too."
                )
            )
    scorers = (
        _scorer("associations", [by_association(schema) for schema in one.schemas]),
        _scorer("counts", by_counts(one.schemas)),
    )
    findings += [
        Finding(
            "partial input",
            0,
            f"From candidates and special word alone, {one.name} get {one.right:.0%} of the halves right.",
        )
        for one in scorers
        if one.above_chance
    ]
    return Checked(tuple(findings), scorers, unknown)


def _of_schema(schema: Schema, kinds: Sequence[frozenset[str]]) -> Iterator[tuple[str, str]]:
    if all(kinds) and not kinds[0] & kinds[1]:
        first, second = (" or ".join(sorted(one)) for one in kinds)
        yield (
            "kind",
            f"To WordNet {schema.candidates[0]!r} is {first} and {schema.candidates[1]!r} {second}; candidates "
            "without a supersense in common can be told apart without the sentence.",
        )
    if min(by_association(schema)) >= MARGIN:
        yield (
            "association",
            f"{schema.special!r} goes with {schema.answers[0]!r} and {schema.alternate!r} with {schema.answers[1]!r} "
            "without the sentence.",
        )
    if schema.switchable:
        for candidate in schema.candidates:
            if phrase(candidate).search(schema.special) or phrase(candidate).search(
                schema.alternate
            ):
                yield (
                    "switching",
                    f"The candidate {candidate!r} is part of what is exchanged, so it cannot be switched.",
                )


def _scorer(name: str, preferences: Sequence[tuple[float, float]]) -> Scorer:
    flat = [one for pair in preferences for one in pair]
    right = sum(1.0 if one > 0 else 0.5 if one == 0 else 0.0 for one in flat)
    preferring = sum(one != 0 for one in flat)
    # Halves of a schema are not independent: one counts as much as both.
    shares = [sum((one > 0) - (one < 0) for one in pair) / 4.0 for pair in preferences]
    error = math.sqrt(math.fsum(one * one for one in shares)) / len(shares)
    above = right / len(flat) - 0.5
    return Scorer(name, right / len(flat), preferring, len(flat), error > 0 and above > Z * error)
