"""Whether a series is unquestionable: whether it has one continuation that nobody can well dispute.

The four conditions are ours; the publications name the idea and not the numbers:

1. goes on: the cheapest program writes six more letters.
2. no rival: every program with another letter costs at least 1 more.
3. stable: without its last letter the series has the same continuation.
4. no exceptions: each WRITE of the cheapest program runs at least twice within the shown letters.
"""

from collections.abc import Callable
from dataclasses import dataclass

from mensura.complexity.c_test.instructions import LETTERS
from mensura.complexity.c_test.machine import LONGEST_RUN, least_shown, run
from mensura.complexity.c_test.search import Candidate, Explanation, explain

MORE_LETTERS = 6
LEAST_MARGIN = 1.0
TOLERANCE = 1e-9
"""The bound of a search is a logarithm, and not exact as costs are."""

GOES_ON, NO_RIVAL, STABLE, NO_EXCEPTIONS = CONDITIONS = (
    "goes on",
    "no rival",
    "stable",
    "no exceptions",
)


@dataclass(frozen=True)
class Condition:
    """One of the four conditions, and what was found."""

    name: str
    holds: bool | None
    """None where longer programs would have to be tried to tell."""
    sentence: str


@dataclass(frozen=True)
class Judgment:
    """The four conditions of one series."""

    conditions: tuple[Condition, ...]

    @property
    def unquestionable(self) -> bool | None:
        """Whether all conditions hold; None where none fails but one cannot be told."""
        verdicts = [condition.holds for condition in self.conditions]
        return False if False in verdicts else None if None in verdicts else True

    @property
    def failed(self) -> Condition | None:
        """The first condition that does not hold, or cannot be told."""
        for verdict in (False, None):
            for condition in self.conditions:
                if condition.holds is verdict:
                    return condition
        return None


def judge(
    explanation: Explanation,
    *,
    length: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Judgment:
    """Judge a series by what explains it; the shorter series is searched as far as `length`, or as the whole one was.

    >>> from mensura.complexity.c_test.search import explain
    >>> judge(explain("a b c d")).unquestionable
    True
    """
    best = explanation.candidates[0] if explanation.candidates else None
    if best is None or explanation.cheapest is None:
        sentence = f"no program of up to {explanation.length} instructions prints it and goes on"
        return Judgment(tuple(Condition(name, None, sentence) for name in CONDITIONS))
    return Judgment(
        (
            _goes_on(explanation, explanation.cheapest),
            _no_rival(explanation, best),
            _stable(
                explanation, best, length or max(explanation.length, len(best.program)), progress
            ),
            _no_exceptions(explanation, explanation.cheapest),
        )
    )


def _goes_on(explanation: Explanation, cheapest: Candidate) -> Condition:
    count = 0 if cheapest.letter is None else len(explanation.continuation(MORE_LETTERS))
    if count == MORE_LETTERS:
        return Condition(GOES_ON, True, "the cheapest program writes six more letters")
    return Condition(GOES_ON, False, f"of six more letters the cheapest program writes {count}")


def _no_rival(explanation: Explanation, best: Candidate) -> Condition:
    for rival in explanation.candidates[1:2]:
        margin = rival.kt - best.kt
        if rival.cost < best.cost << 1:
            assert rival.letter is not None
            letter = LETTERS[rival.letter]
            return Condition(
                NO_RIVAL, False, f"{letter} costs only {margin:.2f} more ({rival.text})"
            )
    if explanation.bound - best.kt < LEAST_MARGIN - TOLERANCE:
        return Condition(
            NO_RIVAL,
            None,
            f"programs of more than {explanation.length} instructions might be rivals",
        )
    return Condition(
        NO_RIVAL, True, f"every other letter costs at least {explanation.margin:.2f} more"
    )


def _stable(
    explanation: Explanation,
    best: Candidate,
    length: int,
    progress: Callable[[int, float], None] | None,
) -> Condition:
    """The cheapest program of the series without its last letter has to write that letter, and the same answer."""
    series = explanation.series
    shorter = series[:-1]
    if not any(letter >= 0 for letter in shorter):
        return Condition(STABLE, False, "without its last letter nothing is left")
    found = explain(
        shorter,
        length=length,
        margin=0,
        steps=explanation.steps,
        machine=explanation.machine,
        known=best.program,
        progress=progress,
    )
    if (
        not found.candidates
    ):  # never so while `best` is within the length, since it prints the shorter series too
        return Condition(STABLE, None, "nothing was found that explains it without its last letter")
    wanted = run(best.program, LONGEST_RUN, len(series) + 1, explanation.machine).letters
    for candidate in found.candidates:
        letters = run(candidate.program, LONGEST_RUN, len(series) + 1, explanation.machine).letters
        if letters != wanted:
            return Condition(
                STABLE,
                False,
                f"without its last letter {candidate.text} explains it, and goes on differently",
            )
    return Condition(STABLE, True, "without its last letter it has the same continuation")


def _no_exceptions(explanation: Explanation, cheapest: Candidate) -> Condition:
    shown = len(explanation.series)
    if least_shown(cheapest.program, shown, explanation.machine) is None:
        return Condition(
            NO_EXCEPTIONS, False, "a WRITE runs fewer than twice within the shown letters"
        )
    return Condition(NO_EXCEPTIONS, True, "each WRITE runs at least twice within the shown letters")
