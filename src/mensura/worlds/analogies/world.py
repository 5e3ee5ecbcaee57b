"""The world of analogies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import DRAWN_ANEW
from mensura.pictures.svg import as_svg
from mensura.texts.graphs import Graph, Relation, Search, is_proved
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
from mensura.worlds.analogies.rows import draw_row, row_bits, row_of, row_sizes, told_row
from mensura.worlds.analogies.sentences import AnalogyView, Sentences
from mensura.worlds.analogies.shapes import NAMES
from mensura.worlds.analogies.stories import STORIES, draw_others, is_less, looks_of_stories
from mensura.worlds.analogies.subjects.table import MINDS
from mensura.worlds.kit import (
    GENERATED,
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

Asks = Literal["element", "mapping", "inference", "retrieval"]
LONGEST = 12_000
"""Characters of all stories."""
LONGEST_DRAWING = 100_000
SHAPES: words.Names = tuple((one, one) for one in NAMES)


class Read(NamedTuple):
    """A problem as it is shown."""

    base: Graph
    target: Graph
    pairs: tuple[int, ...]
    asked: int
    looks: tuple[tuple[int, ...], ...]
    """Of the base, the target and the others."""
    names: tuple[tuple[str, ...], ...]
    """The same."""
    among: tuple[int, ...]
    """The concepts of the target that one chooses among, where one is asked for."""
    options: tuple[Relation, ...]
    """The same of an inference."""
    right: int
    """The place of the right one among them, or of the target among all stories, from 0."""
    others: tuple[Graph, ...] = ()
    """Stories that are not analogous to the base, where one chooses among stories."""
    is_row: bool = False
    """Whether both are rows of shapes."""

    @property
    def shown(self) -> tuple[Graph, ...]:
        """The base, and what it is compared with, as it is shown."""
        return self.base, *self._placed(self.target, self.others)

    @property
    def shown_names(self) -> tuple[tuple[str, ...], ...]:
        """Their names."""
        return self.names[0], *self._placed(self.names[1], self.names[2:])

    @property
    def shown_looks(self) -> tuple[tuple[int, ...], ...]:
        """And looks."""
        return self.looks[0], *self._placed(self.looks[1], self.looks[2:])

    def _placed(self, target: Any, others: Sequence[Any]) -> list[Any]:
        found = list(others)
        found.insert(self.right if others else 0, target)
        return found


class Analogies(BaseWorld):
    """Two structures are shown; the question is what in the second corresponds to something in the first.

    The second is an image of the first under other names, both with relations that have no counterpart. The answer is
    proved: any other pairs have fewer relations in common. Names may lead to it, or away from it (``pull``).
    """

    id = "analogies-v1"
    content: ClassVar[str] = GENERATED
    changes: ClassVar[Mapping[int, str]] = {1: DRAWN_ANEW}
    asks: Asks = parameter(
        "element",
        "What is asked for: the counterpart of one concept, those of all, what else holds in the second, or which of "
        "five is analogous",
    )
    material: Literal["stories", "rows"] = parameter(
        "stories",
        "Of what a problem is made: things that act on one another, or rows of shapes by place and size",
    )
    surface: Literal["story", "arrays", "drawing"] = parameter(
        "story", "Whether problems are told in sentences, shown as numbers or drawn (SVG)"
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
        "The share of concepts whose counterpart looks alike; below 0 the share that another one looks like, or of "
        "another story's",
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
    references: ClassVar[tuple[str, ...]] = ("structure-mapper", "look-alike", "bag-of-relations")
    promises = frozenset({"bounded", "balanced"})
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "element": {},
        "mapping": {"asks": "mapping"},
        "inference": {"asks": "inference"},
        "retrieval": {"asks": "retrieval", "pull": -1.0},
        "figures": {"material": "rows", "surface": "drawing", "pull": -1.0},
    }
    measures: ClassVar[Mapping[str, Measure]] = {
        "bits": Measure(
            "bits", "the description length of the base and of what has no counterpart", "bits"
        ),
        "order": Measure("order", "how deeply relations are nested"),
        "relations": Measure("relations", "how many relations have a counterpart"),
        "distractors": Measure(
            "distractors", "how many have none, or of rows how many shapes, in each of the two"
        ),
    }

    def check(self) -> None:
        """Of rows, counterparts are asked for."""
        if self.material == "rows" and self.asks not in ("element", "mapping"):
            raise MensuraError(
                f"material of {self.id} is rows, of which asks is element or mapping, not {self.asks}."
            )

    @property
    def horizon(self) -> int:
        """One answer."""
        return 1

    # Problems

    def draw(
        self, rng: Generator, within: tuple[str, float, float] | None = None
    ) -> Mapping[str, Any]:
        able = [one for one in self._sizes() if self._fits(one, within)]
        if not able:
            assert within is not None
            raise MensuraError(f"No analogy has {within[0]} from {within[1]:g} to {within[2]:g}.")
        while True:
            size = able[int(rng.integers(len(able)))]
            problem = self._problem(rng, size)
            if problem is not None:
                found, others = problem
                return self._plain(rng, size, found, others)
            able = [one for one in able if one != size]
            if not able:
                raise MensuraError(
                    f"No analogy of this size could be proved with a margin of {self.margin}."
                )

    def _problem(self, rng: Generator, size: Size) -> tuple[Problem, tuple[Graph, ...]] | None:
        """A problem of a size, with other stories where one chooses among such; None where none was found."""
        whole = self.asks == "mapping"
        if self.material == "rows":
            row = draw_row(rng, size, margin=self.margin, whole=whole)
            return None if row is None else (row, ())
        infers = self.asks == "inference"
        problem = draw(rng, size, kinds=self.kinds, margin=self.margin, whole=whole, infers=infers)
        if problem is None or self.asks != "retrieval":
            return None if problem is None else (problem, ())
        others = draw_others(rng, problem, size, kinds=self.kinds, margin=self.margin)
        return None if others is None else (problem, others)

    def _sizes(self) -> tuple[Size, ...]:
        return row_sizes() if self.material == "rows" else sizes(self.kinds)

    def _pool(self) -> words.Names:
        if self.names == "syllables":
            return words.OF_SYLLABLES
        return SHAPES if self.material == "rows" else words.NOUNS

    def _plain(
        self, rng: Generator, size: Size, problem: Problem, others: tuple[Graph, ...]
    ) -> dict[str, Any]:
        looks: Sequence[Sequence[int]] = (
            looks_of_stories(rng, problem, others, self.pull)
            if others
            else looks_of(rng, problem, self.pull)
        )
        among: list[int] = []
        right = 0
        if others:
            right = int(rng.integers(STORIES))
        elif problem.withheld is not None:
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
            "called": words.named(rng, looks, self._pool()),
            "among": among,
            "options": [list(one) for one in problem.options],
            "right": right,
            "others": [to_plain(one) for one in others],
        }

    def keep(self, description: BaseDescription) -> bool:
        """Whether it is a problem whose answer is proved; one from a file may hold anything."""
        try:
            one = self._read(description)
            base, target = one.base, one.target
            counts = [graph.concepts for graph in (base, target, *one.others)]
            sound = (
                len(one.pairs) == base.concepts
                and counts == [len(looks) for looks in one.looks]
                and counts == [len(names) for names in one.names]
                and 0 <= one.asked < base.concepts
                and all(-1 <= to < target.concepts for to in one.pairs)
                and one.pairs[one.asked] >= 0
                and Size(*description.size) in self._sizes()
                and all(len(set(side)) == len(side) for side in one.names)
                and (len(one.options) == OPTIONS if self.asks == "inference" else not one.options)
                and (self.asks == "mapping" or 0 <= one.right < self._choices)
                and self._offers(one)
            )
            if not sound:
                return False
            if one.is_row:
                row_of(base)
                row_of(target)
            if self.asks == "retrieval":
                most = Search(base, target).best().common
                return len(one.others) == STORIES - 1 and all(
                    is_less(base, other, most, self.margin) for other in one.others
                )
            mapped = [k for k, to in enumerate(one.pairs) if to >= 0]
            asked = [one.asked] if self.asks == "element" else mapped
            return all(is_proved(base, target, k, one.pairs[k], self.margin) for k in asked)
        except (ValueError, TypeError, KeyError, IndexError):
            return False

    @property
    def _choices(self) -> int:
        """How many one chooses among, where it is not each concept of the target."""
        return STORIES if self.asks == "retrieval" else OPTIONS

    def _read(self, description: BaseDescription) -> Read:
        return _read(description)._replace(is_row=self.material == "rows")

    def _offers(self, one: Read) -> bool:
        """Whether one chooses among what one should."""
        if one.others and self.asks != "retrieval":
            return False
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
            return self._bits(size)
        if measure == "relations":
            return float(size.relations + size.links)
        return float(getattr(size, measure))

    def _fits(self, size: Size, within: tuple[str, float, float] | None) -> bool:
        if within is None:
            return self._bits(size) <= self.largest
        measure, low, high = within
        return low <= self._measured(size, measure) <= high

    def _bits(self, size: Size) -> float:
        return row_bits(size) if self.material == "rows" else size.bits(self.kinds)

    # An episode

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        one = self._read(description)
        if self.surface == "arrays" or self.may(seat, "sees_graph"):
            seen = _array_space(one)
        else:
            shown = ("stories", Text(LONGEST))
            if self.surface == "drawing":
                shown = ("drawing", Text(LONGEST_DRAWING))
            seen = Record((shown, ("question", Text(LONGEST))))
        if self.asks != "mapping":
            return seen, Discrete(self._choices, 1)
        choice = Discrete(one.target.concepts, 1)
        return seen, Record(tuple((name, choice) for name in one.names[0]))

    def observe(self, state: State, seat: int) -> Any:
        one = self._read(state.description)
        if self.surface == "arrays" or self.may(seat, "sees_graph"):
            return _arrays(one)
        question = "\n".join(self._question(one, self.answers(state.description)))
        if self.surface == "drawing":
            return {"drawing": as_svg(drawn(one, show=False)), "question": question}
        return {"stories": "\n".join(_told(one)), "question": question}

    def answers(self, description: BaseDescription) -> list[str]:
        """What one chooses among, in words; nothing where each concept is asked about."""
        one = self._read(description)
        if self.asks == "retrieval":
            return [f"story {k}" for k in range(1, STORIES + 1)]
        if self.asks == "inference":
            return [words.phrase(option, one.names[1], 1) for option in one.options]
        return [f"the {one.names[1][k]}" for k in one.among]

    def _question(self, one: Read, answers: Sequence[str]) -> list[str]:
        """What is asked, and the numbered answers."""
        thing = "row" if one.is_row else "story"
        if self.asks == "retrieval":
            return [f"Which of the stories 1 to {STORIES} is analogous to the first?"]
        if self.asks == "inference":
            asked = "Which of these should hold in the second story, too, by analogy?"
        elif self.asks == "element":
            asked = f"What in the second {thing} corresponds to the {one.names[0][one.asked]} of the first?"
        else:
            each = ", ".join(f"the {name}" for name in one.names[0])
            asked = f"What in the second {thing} corresponds to each of these of the first: {each}?"
        shown = answers or [f"the {name}" for name in one.names[1]]
        return [asked, *(f"{number}: {text}" for number, text in enumerate(shown, 1))]

    def advance(self, state: State, actions: Mapping[int, Any], rng: Generator) -> list[float]:
        one = self._read(state.description)
        if self.asks == "mapping":
            given = actions[0]
            mapped = [k for k, to in enumerate(one.pairs) if to >= 0]
            right = [given[one.names[0][k]] == one.pairs[k] + 1 for k in mapped]
            state.right = sum(right) / len(right)
            return [sum(_reward(each, one.target.concepts) for each in right) / len(right)]
        state.right = float(actions[0] == one.right + 1)
        return [_reward(bool(state.right), self._choices)]

    def start(self, state: State, rng: Generator) -> None:
        state.right = -1.0

    def ended(self, state: State) -> Ended | None:
        return "terminated" if state.right >= 0.0 else None

    def figures(self, state: State) -> Mapping[str, float]:
        return {"right": max(0.0, float(state.right))}

    def instructions(self, description: BaseDescription, seat: int) -> str:
        return (
            f"{self._shown()} Pairs that have as many relations in common as possible are right, whatever things are "
            "called or look like."
        )

    def _shown(self) -> str:
        if self.asks == "retrieval":
            return (
                f"A structure is shown and {STORIES} others. Find the one that is analogous to the first: whose "
                "things can be paired with its things."
            )
        two = "rows of shapes" if self.material == "rows" else "structures"
        return f"Two {two} are shown. Find what in the second corresponds to what is asked about in the first."

    def words(self) -> Sentences:
        """The problem for subjects who read."""
        return Sentences()

    def view(self) -> AnalogyView:
        """The plain view, with answers by name."""
        return AnalogyView(self)

    def picture(self, state: State, seat: int | None = None) -> Picture:
        one = self._read(state.description)
        return drawn(one, show=seat is None)


def _reward(right: bool, count: int) -> float:
    """1, or what makes guessing worth nothing."""
    return 1.0 if right else -1.0 / (count - 1)


def _told(one: Read) -> list[str]:
    """All structures in words."""
    lines = []
    for number, (graph, names) in enumerate(zip(one.shown, one.shown_names, strict=True)):
        if one.is_row:
            lines.append(f"{('First', 'Second')[number]} row. {told_row(graph, names)}")
            continue
        title = (
            "First story." if number == 0 else f"Story {number}." if one.others else "Second story."
        )
        lines.append(f"{title} {' '.join(words.told(graph, names, min(number, 1)))}")
    return lines


def _array_names(one: Read) -> list[str]:
    return (
        ["base", *(f"story{k}" for k in range(1, STORIES + 1))]
        if one.others
        else ["base", "target"]
    )


def _array_space(one: Read) -> Space:
    most = float(VERBS + LINKS + 100)
    fields: list[tuple[str, Space]] = []
    for name, graph in zip(_array_names(one), one.shown, strict=True):
        fields.append((f"{name}_concepts", Discrete(64)))
        fields.append((name, Box(0.0, most, (len(graph.relations), 3))))
        fields.append((f"{name}_looks", Box(0.0, most, (graph.concepts,))))
    fields.append(("asked", Discrete(one.base.concepts)))
    fields.append(("among", Box(0.0, most, (len(one.among),))))
    fields.append(("options", Box(0.0, most, (len(one.options), 3))))
    return Record(tuple(fields))


def _arrays(one: Read) -> dict[str, Any]:
    """All structures as numbers."""
    found: dict[str, Any] = {}
    for name, graph, looks in zip(_array_names(one), one.shown, one.shown_looks, strict=True):
        found[f"{name}_concepts"] = graph.concepts
        found[name] = _table(graph.relations)
        found[f"{name}_looks"] = np.array(looks, np.float64)
    return found | {
        "asked": one.asked,
        "among": np.array(one.among, np.float64),
        "options": _table(one.options),
    }


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
        tuple(tuple(int(n) for n in side) for side in plain["looks"]),
        tuple(tuple(str(n) for n in side) for side in plain["called"]),
        tuple(int(n) for n in plain["among"]),
        tuple(Relation(*(int(n) for n in one)) for one in plain["options"]),
        int(plain["right"]),
        tuple(from_plain(one) for one in plain["others"]),
    )


def _read(description: BaseDescription) -> Read:
    told: Any = description.to_json()
    return _read_text(json.dumps(told, sort_keys=True))
