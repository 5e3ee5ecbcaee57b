"""Ratings: read two texts and what corresponds in them, and say how novel, useful and challenging the analogy is.

The scales are those of Hurley, Abgaz, Ali and O'Donoghue (2016): 1 to 5, for an analogy as novel, as useful, and as
challenging the normal view of its topic. Nobody is right or wrong here, so there is no reward.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import DRAWN_ANEW
from mensura.agent.task import Task
from mensura.texts.evaluations.ratings import (
    HIGHEST,
    JOINT,
    LONGEST_PAIR,
    LONGEST_TEXT,
    MOST_PAIRS,
    SCALES,
)
from mensura.worlds.kit import (
    FIXED,
    BaseDescription,
    BaseWorld,
    Discrete,
    Ended,
    Generator,
    Line,
    Measure,
    Picture,
    Record,
    Several,
    Shape,
    Space,
    State,
    Text,
    Words,
    parameter,
)

LONGEST_COMMENT = 2000
LONGEST_DRAWN = 38

EXAMPLE = json.dumps(
    {
        "source": "A guard watches a gate. The gate stops thieves because the guard locks the gate.",
        "target": "A valve guards a pipe. The pipe stops gas because the valve closes the pipe.",
        "pairs": ["guard = valve", "gate = pipe", "thief = gas", "gate stop thief = pipe stop gas"],
    }
)


class Reading:
    """The world in words: both texts, then the pairs."""

    beside_picture = True

    def rules(self, task: Task) -> str:
        """What an action is."""
        return (
            f"Your action is a record: for each of {', '.join(SCALES)} a number from 1 (not at all) to {HIGHEST} "
            "(very), or 0 where you cannot say, and a comment, which may be empty."
        )

    def observation(self, task: Task, observation: Any) -> str:
        """All that is shown."""
        lines = ["First text:", observation["source"], "Second text:", observation["target"]]
        return "\n".join([*lines, "What corresponds:", "; ".join(observation["pairs"])])


class Ratings(BaseWorld):
    """Two texts and what corresponds in them are shown once; the action rates the analogy. Every reward is 0."""

    id = "ratings-v1"
    content = FIXED
    changes = {1: DRAWN_ANEW}
    analogy: str = parameter(
        EXAMPLE,
        "Two texts and what corresponds in them, as JSON with source, target and pairs, each pair as a = b",
    )

    measures = {"words": Measure("words", "how long both texts are", "words")}
    presets = {"example": {}}
    promises = frozenset({"bounded", "unrewarded"})

    @property
    def horizon(self) -> int:
        """One rating."""
        return 1

    @cached_property
    def shown(self) -> dict[str, Any]:
        """What raters see: source, target and pairs."""
        try:
            found = json.loads(self.analogy)
        except ValueError:
            found = None
        if (
            not isinstance(found, dict)
            or set(found) != {"source", "target", "pairs"}
            or not isinstance(found["pairs"], list)
            or not all(
                isinstance(one, str) for one in (found["source"], found["target"], *found["pairs"])
            )
        ):
            raise MensuraError(
                f"The analogy {self.analogy!r:.60} is none; it is JSON with two texts, source and target, and a list "
                "of pairs."
            )
        return found

    def check(self) -> None:
        """Raise if there is nothing to rate, or too much."""
        for name in ("source", "target"):
            text = self.shown[name]
            if not text.strip() or not Text(LONGEST_TEXT).contains(text):
                raise MensuraError(
                    f"{name} has {len(text)} characters; a text to be rated has 1 to {LONGEST_TEXT}, and no control "
                    "characters."
                )
        pairs = self.shown["pairs"]
        if not 0 < len(pairs) <= MOST_PAIRS:
            raise MensuraError(
                f"There are {len(pairs)} pairs; an analogy to be rated has 1 to {MOST_PAIRS}."
            )
        for one in pairs:
            if not Text(LONGEST_PAIR).contains(one) or not all(_sides(one)):
                raise MensuraError(
                    f"The pair {one!r:.60} is none; one is written as matrix{JOINT}filter, with at most "
                    f"{LONGEST_PAIR} characters."
                )

    def complexity(self, description: BaseDescription, measure: str) -> float:
        return float(sum(len(self.shown[name].split()) for name in ("source", "target")))

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        seen = Record(
            (
                ("source", Text(LONGEST_TEXT)),
                ("target", Text(LONGEST_TEXT)),
                ("pairs", Several(Text(LONGEST_PAIR), MOST_PAIRS)),
            )
        )
        scales = [(name, Discrete(HIGHEST + 1)) for name in SCALES]
        return seen, Record((*scales, ("comment", Text(LONGEST_COMMENT))))

    def instructions(self, description: BaseDescription, seat: int) -> str:
        return (
            "Read both texts and what corresponds in them. How novel is this analogy, how useful, and how much does it "
            "challenge the normal view of its topic?"
        )

    def start(self, state: State, rng: Generator) -> None:
        state.rated = None

    def observe(self, state: State, seat: int) -> dict[str, Any]:
        return {**self.shown, "pairs": list(self.shown["pairs"])}

    def advance(self, state: State, actions: Mapping[int, Any], rng: Generator) -> list[float]:
        state.rated = {name: int(actions[0][name]) for name in SCALES}
        return [0.0]

    def ended(self, state: State) -> Ended | None:
        return None if state.rated is None else "terminated"

    def figures(self, state: State) -> dict[str, float]:
        """The ratings that were given."""
        return {name: float(value) for name, value in (state.rated or {}).items() if value}

    def words(self) -> Reading:
        """How it is read."""
        return Reading()

    def picture(self, state: State, seat: int | None = None) -> Picture:
        """The pairs, each on a line of its own."""
        shapes: list[Shape] = []
        pairs = self.shown["pairs"]
        for row, pair in enumerate(pairs):
            first, second = map(_short, _sides(pair))
            y = 0.7 + row
            shapes += [
                Words(first, (11.5, y), 0.5, "ink", "end"),
                Line(((11.8, y), (14.2, y)), "subject", 0.08),
                Words(second, (14.5, y), 0.5, "ink", "start"),
            ]
        return Picture(shapes, (26, len(pairs) + 0.4), f"{len(pairs)} pairs that correspond")


def _sides(pair: str) -> tuple[str, str]:
    first, _, second = pair.partition(JOINT)
    return first.strip(), second.strip()


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_DRAWN else f"{text[: LONGEST_DRAWN - 1]}…"
