"""What reports say of an assessment: what one sitting of it is called, what was done, and what its score means.

An assessment brings it as its attribute ``account``; so it is one file, and reports know no assessment by name. All of
it is a function of the assessment's parameters as records hold them, so that a report can be written again years later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Given: TypeAlias = Mapping[str, Any]
"""The parameters of an assessment as records hold them, with its name."""

HERNANDEZ_ORALLO = (
    "Hernandez-Orallo and Dowe: Measuring Universal Intelligence: Towards an Anytime Intelligence "
    "Test (2010)"
)
INSA_CABRERA = (
    "Insa-Cabrera: Análisis de primeros prototipos de tests de inteligencia universales (2011)"
)


@dataclass(frozen=True)
class Unit:
    """What one sitting is called: its score is one of those that a score is the mean of."""

    one: str
    many: str
    sense: str = ""
    """What it is, for the words at the end of a report."""
    measured: str = "mean reward per subject and iteration"
    """What a score is in, for headings and axes."""

    def count(self, number: int) -> str:
        """So many of them."""
        return some(number, self.one, self.many)


SITTING = Unit(
    "sitting",
    "sittings",
    "The episodes of one subject that depend on one another; they have one score.",
)
EPISODE = Unit("episode", "episodes")


@dataclass(frozen=True)
class Account:
    """What is said of an assessment."""

    done: Callable[[Given], Iterable[str]]
    """What was done, in sentences."""
    meaning: Callable[[Given], Iterable[str]]
    """What the score of a subject means, in sentences."""
    source: str = ""
    """Where it is defined, in a sentence."""
    score: str = ""
    """What the score is, short, for the words at the end of a report; of others it is the mean over environments."""
    unit: Callable[[Given], Unit] = lambda _: SITTING
    """What one sitting is called."""
    training: str = "in each environment before the one that counts"
    """When subjects that learn were trained."""
    beside: tuple[str, ...] = ()
    """Measures of whole sittings that tables of scores show beside these, with their intervals."""
    adapts: bool = False
    """Whether its environments follow what a subject does, so that subjects do not meet the same ones."""
    balanced: bool = True
    """Whether acting at random is worth 0 under it in worlds that promise that."""
    rewards: str = ""
    """What acting at random is worth, where that is not as in the world."""
    first: str = ""
    """A sentence that comes before all others of a report; none of most."""
    warnings: Callable[[Given], Iterable[str]] = lambda _: ()
    """What to beware of in scores under these parameters, in sentences that stand beside every table of them."""
    paths: str = ""
    """What figures of single sittings show beside the complexities and scores, in sentences."""


def unnamed(given: Given) -> Account:
    """What is said of an assessment that says nothing of itself, or that is gone."""
    return Account(
        done=lambda _: (f"The assessment was {given.get('name', 'not named')}.",),
        meaning=lambda _: (
            "The score of a subject is the mean over sittings of what the assessment made of its rewards.",
        ),
    )


# Words that several of them use -----------------------------------------------------


def whole(value: float) -> str:
    """A count, with thin spaces between thousands where it is long."""
    return f"{round(value):,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def some(count: float, one: str, many: str = "") -> str:
    """A count with its noun: 1 subject, 2 subjects."""
    return f"{whole(count)} {one if count == 1 else many or one + 's'}"


FEWEST = 5
"""Below so many sittings an interval says more of its formula than of the subject: there is none, and no verdict."""


def listed(items: Sequence[str], most: int = 6) -> str:
    """Items in a sentence: a, b and c; of many, the first and how many more."""
    if len(items) > most:
        items = [*items[: most - 1], f"{len(items) - most + 1} more"]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def counted(given: Given, name: str, one: str) -> str:
    """A parameter that counts something, with its noun."""
    return some(int(given.get(name) or 0), one)


def complexity(given: Given) -> str:
    """The complexity that an assessment goes by."""
    return f"complexity {given['measure']}" if given.get("measure") else "complexity"


def memory(given: Given) -> str:
    """What a subject remembers, as a sentence without its end."""
    return (
        "A subject goes on from one environment to the next with what it knows"
        if given.get("memory") == "continuous"
        else "A subject starts anew in each environment"
    )


def time(given: Given) -> str:
    """A budget in seconds or interactions."""
    if given.get("seconds") is not None:
        return f"{given['seconds']:g} s"
    return counted(given, "interactions", "interaction")


def diminished(given: Given) -> str:
    """What is to be said of an average with diminishing history, before "in each"."""
    if given.get("average") != "diminishing":
        return ""
    return "with diminishing history (the earlier a subject stops, the fewer of its rewards count) "


def paid_for_stopping(given: Given) -> Iterator[str]:
    """The warning of a plain average over physical time, in which whoever stops while ahead keeps what it has."""
    if given.get("seconds") is not None and given.get("average") == "plain":
        yield (
            "Rewards were averaged plainly over time in seconds (average=plain): who stops acting once it is ahead "
            "keeps its lead and scores above 0 by that alone, so that such a score need not be ability; "
            "average=diminishing (Definition 16) is the default in seconds for this reason."
        )
