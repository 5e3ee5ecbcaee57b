"""The world of analogies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from mensura.core.errors import MensuraError
from mensura.texts.graphs import Graph, Relation, is_proved
from mensura.worlds.analogies import words
from mensura.worlds.analogies.picture import drawn
from mensura.worlds.analogies.problems import (
    LINKS,
    OPTIONS,
    VERBS,
    Problem,
    Size,
    choices,
    draw,
    from_plain,
    looks_of,
    sizes,
    to_plain,
)
from mensura.worlds.analogies.subjects.table import MINDS
from mensura.worlds.kit import (
    BaseDescription,
    BaseWorld,
    Box,
    Discrete,
    Ended,
    Generator,
    Measure,
    Picture,
    Record,
    Space,
    State,
    Text,
    parameter,
    seat_rights,
)

Asks = Literal["element", "mapping", "inference"]
LONGEST = 8_000
"""Characters of a story."""


class Read(NamedTuple):
    """A problem as it is shown."""

    base: Graph
    target: Graph
    pairs: tuple[int, ...]
    asked: int
    looks: tuple[tuple[int, ...], tuple[int, ...]]
    names: tuple[tuple[str, ...], tuple[str, ...]]
    among: tuple[int, ...]
    """The concepts of the target that one chooses among, where one is asked for."""
    options: tuple[Relation, ...]
    """The same of an inference."""
    right: int
    """The place of the right one among them, from 0."""


class Analogies(BaseWorld):
    """Two structures are shown; the question is what in the second corresponds to something in the first.

    The second is an image of the first under other names, both with relations that have no counterpart. The answer is
    proved: any other pairs have fewer relations in common. Names may lead to it, or away from it (``pull``).
    """

    id = "analogies-v0"
    asks: Asks = parameter(
        "element",
        "What is asked for: the counterpart of one concept, those of all, or what else holds in the second",
    )
    surface: Literal["story", "arrays"] = parameter(
        "story", "Whether problems are told in sentences or shown as numbers"
    )
    names: Literal["words", "syllables"] = parameter(
        "words", "Of stories: whether concepts are called by nouns or by syllables"
    )
    kinds: int = parameter(
        3,
        "How many kinds of relations there are: with many of them one can tell by these alone",
        at_least=2,
        at_most=VERBS,
    )
    pull: float = parameter(
        0.0,
        "The share of concepts whose counterpart is named alike; below 0 the share that another one is named like",
        at_least=-1.0,
        at_most=1.0,
    )
    margin: int = parameter(
        1, "How many relations more the right answer has in common, at least", at_least=1, at_most=4
    )
    largest: float = parameter(
        60.0,
        "The most bits of a problem, where no complexity is wanted",
        at_least=13.0,
        at_most=200.0,
    )
    rights: tuple[str, ...] = seat_rights(
        sees_graph="it is shown the two structures as numbers, whatever the surface is"
    )

    minds = MINDS
    promises = frozenset({"bounded", "balanced"})
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "element": {},
        "mapping": {"asks": "mapping"},
        "inference": {"asks": "inference"},
    }
    measures: ClassVar[Mapping[str, Measure]] = {
        "bits": Measure(
            "bits", "the description length of the base and of what has no counterpart", "bits"
        ),
        "order": Measure("order", "how deeply relations are nested"),
        "relations": Measure("relations", "how many relations have a counterpart"),
        "distractors": Measure("distractors", "how many have none, in each of the two"),
    }

    @property
    def horizon(self) -> int:
        """One answer."""
        return 1

    # Problems

    def draw(
        self, rng: Generator, within: tuple[str, float, float] | None = None
    ) -> Mapping[str, Any]:
        able = [one for one in sizes(self.kinds) if self._fits(one, within)]
        if not able:
            assert within is not None
            raise MensuraError(f"No analogy has {within[0]} from {within[1]:g} to {within[2]:g}.")
        while True:
            size = able[int(rng.integers(len(able)))]
            problem = draw(
                rng,
                size,
                kinds=self.kinds,
                margin=self.margin,
                whole=self.asks == "mapping",
                infers=self.asks == "inference",
            )
            if problem is not None:
                return self._plain(rng, size, problem)
            able = [one for one in able if one != size]
            if not able:
                raise MensuraError(
                    f"No analogy of this size could be proved with a margin of {self.margin}."
                )

    def _plain(self, rng: Generator, size: Size, problem: Problem) -> dict[str, Any]:
        looks = looks_of(rng, problem, self.pull)
        among: list[int] = []
        right = 0
        if problem.withheld is not None:
            right = problem.options.index(problem.withheld)
        elif self.asks == "element":
            among = choices(rng, problem, looks)
            right = among.index(problem.pairs[problem.asked])
        return {
            "size": list(size),
            "base": to_plain(problem.base),
            "target": to_plain(problem.target),
            "pairs": list(problem.pairs),
            "asked": problem.asked,
            "looks": [list(one) for one in looks],
            "called": words.named(rng, looks, self.names == "words"),
            "among": among,
            "options": [list(one) for one in problem.options],
            "right": right,
        }

    def keep(self, description: BaseDescription) -> bool:
        """Whether it is a problem whose answer is proved; one from a file may hold anything."""
        try:
            one = _read(description)
            base, target = one.base, one.target
            sound = (
                len(one.pairs) == base.concepts == len(one.looks[0]) == len(one.names[0])
                and target.concepts == len(one.looks[1]) == len(one.names[1])
                and 0 <= one.asked < base.concepts
                and all(-1 <= to < target.concepts for to in one.pairs)
                and one.pairs[one.asked] >= 0
                and Size(*description.size) in sizes(self.kinds)
                and all(len(set(side)) == len(side) for side in one.names)
                and (len(one.options) == OPTIONS if self.asks == "inference" else not one.options)
                and (self.asks == "mapping" or 0 <= one.right < OPTIONS)
                and self._offers(one)
            )
            if not sound:
                return False
            mapped = [k for k, to in enumerate(one.pairs) if to >= 0]
            asked = [one.asked] if self.asks == "element" else mapped
            return all(is_proved(base, target, k, one.pairs[k], self.margin) for k in asked)
        except (ValueError, TypeError, KeyError, IndexError):
            return False

    def _offers(self, one: Read) -> bool:
        """Whether one chooses among what one should."""
        if self.asks != "element":
            return not one.among
        known = all(0 <= k < one.target.concepts for k in one.among)
        return (
            known
            and len(set(one.among)) == OPTIONS
            and one.among[one.right] == one.pairs[one.asked]
        )

    def complexity(self, description: BaseDescription, measure: str) -> float:
        return self._measured(Size(*description.size), measure)

    def _measured(self, size: Size, measure: str) -> float:
        if measure == "bits":
            return size.bits(self.kinds)
        if measure == "relations":
            return float(size.relations + size.links)
        return float(getattr(size, measure))

    def _fits(self, size: Size, within: tuple[str, float, float] | None) -> bool:
        if within is None:
            return size.bits(self.kinds) <= self.largest
        measure, low, high = within
        return low <= self._measured(size, measure) <= high

    # An episode

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        one = _read(description)
        if self.surface == "story" and not self.may(seat, "sees_graph"):
            seen: Space = Record((("stories", Text(LONGEST)), ("question", Text(LONGEST))))
        else:
            most = float(VERBS + LINKS + 100)
            fields: list[tuple[str, Space]] = []
            for name, graph in (("base", one.base), ("target", one.target)):
                fields.append((f"{name}_concepts", Discrete(64)))
                fields.append((name, Box(0.0, most, (len(graph.relations), 3))))
                fields.append((f"{name}_looks", Box(0.0, most, (graph.concepts,))))
            fields.append(("asked", Discrete(one.base.concepts)))
            fields.append(("among", Box(0.0, most, (len(one.among),))))
            fields.append(("options", Box(0.0, most, (len(one.options), 3))))
            seen = Record(tuple(fields))
        if self.asks != "mapping":
            return seen, Discrete(OPTIONS, 1)
        choice = Discrete(one.target.concepts, 1)
        return seen, Record(tuple((name, choice) for name in one.names[0]))

    def observe(self, state: State, seat: int) -> Any:
        one = _read(state.description)
        if self.surface == "story" and not self.may(seat, "sees_graph"):
            return self._story(one)
        return {
            "base_concepts": one.base.concepts,
            "base": _table(one.base.relations),
            "base_looks": np.array(one.looks[0], np.float64),
            "target_concepts": one.target.concepts,
            "target": _table(one.target.relations),
            "target_looks": np.array(one.looks[1], np.float64),
            "asked": one.asked,
            "among": np.array(one.among, np.float64),
            "options": _table(one.options),
        }

    def _story(self, one: Read) -> dict[str, str]:
        names = one.names
        stories = [
            f"First story. {' '.join(words.told(one.base, names[0], 0))}",
            f"Second story. {' '.join(words.told(one.target, names[1], 1))}",
        ]
        lines: list[str] = []
        if self.asks == "inference":
            said = [words.phrase(option, names[1], 1) for option in one.options]
            lines.append("Which of these should hold in the second story, too, by analogy?")
        else:
            offered = one.among or range(one.target.concepts)
            said = [f"the {names[1][k]}" for k in offered]
            each = ", ".join(f"the {name}" for name in names[0])
            lines.append(
                f"What in the second story corresponds to the {names[0][one.asked]} of the first?"
                if self.asks == "element"
                else f"What in the second story corresponds to each of these of the first: {each}?"
            )
        lines += [f"{number}: {text}" for number, text in enumerate(said, 1)]
        return {"stories": "\n".join(stories), "question": "\n".join(lines)}

    def advance(self, state: State, actions: Mapping[int, Any], rng: Generator) -> list[float]:
        one = _read(state.description)
        if self.asks == "mapping":
            given = actions[0]
            mapped = [k for k, to in enumerate(one.pairs) if to >= 0]
            right = [given[one.names[0][k]] == one.pairs[k] + 1 for k in mapped]
            state.right = sum(right) / len(right)
            return [sum(_reward(each, one.target.concepts) for each in right) / len(right)]
        state.right = float(actions[0] == one.right + 1)
        return [_reward(bool(state.right), OPTIONS)]

    def start(self, state: State, rng: Generator) -> None:
        state.right = -1.0

    def ended(self, state: State) -> Ended | None:
        return "terminated" if state.right >= 0.0 else None

    def figures(self, state: State) -> Mapping[str, float]:
        return {"right": max(0.0, float(state.right))}

    def instructions(self, description: BaseDescription, seat: int) -> str:
        return (
            "Two structures are shown. Find what in the second corresponds to what is asked about in the first: pairs "
            "that have as many relations in common as possible are right, whatever things are called."
        )

    def picture(self, state: State, seat: int | None = None) -> Picture:
        one = _read(state.description)
        return drawn(one, show=seat is None)


def _reward(right: bool, count: int) -> float:
    """1, or what makes guessing worth nothing."""
    return 1.0 if right else -1.0 / (count - 1)


def _table(relations: Sequence[Relation]) -> Any:
    return np.array(relations, np.float64).reshape(-1, 3)


@lru_cache(maxsize=256)
def _read_text(text: str) -> Read:
    plain = json.loads(text)
    return Read(
        from_plain(plain["base"]),
        from_plain(plain["target"]),
        tuple(int(n) for n in plain["pairs"]),
        int(plain["asked"]),
        tuple(tuple(int(n) for n in side) for side in plain["looks"]),  # type: ignore[arg-type]
        tuple(tuple(str(n) for n in side) for side in plain["called"]),  # type: ignore[arg-type]
        tuple(int(n) for n in plain["among"]),
        tuple(Relation(*(int(n) for n in one)) for one in plain["options"]),
        int(plain["right"]),
    )


def _read(description: BaseDescription) -> Read:
    told: Any = description.to_json()
    return _read_text(json.dumps(told, sort_keys=True))
