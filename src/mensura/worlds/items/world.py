"""Items: questions with one answer, of several families, as tests of intelligence have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from mensura.agent.errors import MensuraError
from mensura.agent.keys import DRAWN_ANEW, Key, fold
from mensura.core.chance import generator
from mensura.worlds.items.drawing import drawn
from mensura.worlds.items.families.c_test import Asks, CTest
from mensura.worlds.items.families.family import Dice, Family, Item, Within
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.families.winograd import BATTERY, BOTH, Winograd
from mensura.worlds.items.generator import Drawn, draw_item, item_of
from mensura.worlds.items.observations import Seen, observation_space, observed
from mensura.worlds.items.questions import ItemQuestions
from mensura.worlds.items.sentences import Sentences, told
from mensura.worlds.items.subjects.table import MINDS
from mensura.worlds.items.winograd.files import samples, text_of
from mensura.worlds.kit import (
    BANK,
    GENERATED,
    BaseDescription,
    BaseWorld,
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
)

MIXED = "mixed"
THREE = 3
"""Options of a schema where one may say that both are possible, which comes last."""
PRESETS: Mapping[str, Mapping[str, Any]] = {
    **{name: {"family": name} for name in (*FAMILIES, MIXED)},
    "c-test-prediction": {"family": "c-test", "asks": "prediction"},
    "c-test-abduction": {"family": "c-test", "asks": "abduction"},
    "winograd-calibration": {"family": "winograd", "options": 3},
}
MEASURES: Mapping[str, Measure] = {
    one.name: one
    for one in (
        Measure("bits", "the length of the rule", "bits"),
        Measure("elements", "how many elements the rule combines"),
        Measure("memory", "how many things have to be remembered at a time"),
        Measure("operations", "how many operations the rule has"),
        Measure(
            "kt",
            "the length of the rule plus log2 of the steps that it takes (Levin's Kt): of c-test instructions and the "
            "steps until the last shown letter, elsewhere bits and operations",
        ),
        Measure(
            "k",
            "the published scale of the C-test: instructions plus log2 of the steps until the sixth letter, rounded"
            " down",
        ),
        Measure(
            "depth",
            "how many facts have to be combined; 0 where the set of schemas does not say",
            "facts",
        ),
        Measure("length", "how long the sentence is", "words"),
    )
}


class Items(BaseWorld):
    """One item is shown and answered, by the number of an option or by a text; then the episode ends.

    An item follows from a rule. Its complexity is that of the rule, and it is kept only if no other rule of its family
    that costs less than 2 bits more has another answer.
    """

    id = "items-v1"
    changes: ClassVar[Mapping[int, str]] = {1: DRAWN_ANEW}
    family: str = parameter(
        next(iter(FAMILIES)), "The family of the items", choices=(*FAMILIES, MIXED)
    )
    answer: Literal["choice", "open"] = parameter(
        "choice", "Whether one of several options is chosen or a text is written"
    )
    options: int = parameter(
        0, "How many options there are; 0: as many as is usual in the family", at_least=0, at_most=8
    )

    asks: Asks = parameter(
        "any", "Of c-test: whether the next letter is asked for, one within the series, or any"
    )

    file: str = parameter(
        "", f"Of winograd: a set of schemas, as a file, its text, or a name; empty: {BATTERY}"
    )

    minds = MINDS
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS

    @cached_property
    def measures(self) -> Mapping[str, Measure]:  # type: ignore[override]
        """The complexities that all families have; of the C-test its own come first."""
        first = self.families[0]
        common = [
            name for name in first.measures if all(name in one.measures for one in self.families)
        ]
        common.sort(key=lambda name: name not in first.own_measures)
        return {name: MEASURES[name] for name in common}

    @property
    def promises(self) -> frozenset[str]:  # type: ignore[override]
        """Bounded always; balanced where options are chosen."""
        return frozenset({"bounded", "balanced"} if self.answer == "choice" else {"bounded"})

    @property
    def content(self) -> str:  # type: ignore[override]
        """The weakest of the families that items are drawn from: a single item out of a bank can be known."""
        return BANK if any(one.content == BANK for one in self.families) else GENERATED

    @property
    def horizon(self) -> int:
        """One answer."""
        return 1

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """Those that items are drawn from."""
        if self.family == MIXED:
            return tuple(one for one in FAMILIES.values() if one.is_mixed)
        if self.family == CTest.name:
            return (CTest(self.asks),)
        return (Winograd(self.file) if self.family == Winograd.name else FAMILIES[self.family],)

    def check(self) -> None:
        """Every family has so many options; a set of schemas is read, and its text takes the place of its name."""
        if self.file and self.family != Winograd.name:
            raise MensuraError(
                f"file of {self.id} is a set of schemas, and the family is {self.family}; it belongs to winograd."
            )
        object.__setattr__(self, "file", self.embed_files({"file": self.file})["file"])
        if self.file:
            assert isinstance(self.families[0], Winograd)
            self.families[0].schemas  # noqa: B018 - a sentence where it is none
        for one in self.families:
            if self.options and self.options not in one.choices:
                raise MensuraError(
                    f"options of {self.id} is {self.options}; items of {one.name} have "
                    f"{' or '.join(map(str, one.choices))}, and 0 takes the usual {one.usual_options}."
                )

    @classmethod
    def embed_files(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with the text of a set in the place of the name of its file."""
        named = parameters.get("file")
        if not isinstance(named, str) or not named or "\n" in named:
            return dict(parameters)
        return {**parameters, "file": text_of(named)}

    @staticmethod
    def check_given(given: Mapping[str, Any]) -> None:
        """Raise if pages name a set by a path, which would be one on the server."""
        named = given.get("file") or ""
        if isinstance(named, str) and named and "\n" not in named and named not in samples():
            raise MensuraError(
                f"There is no set of schemas {named[:60]!r}; there is {', '.join(samples())}. One of your own is given "
                "as its text."
            )

    def describe_from_json(self, data: Mapping[str, Any]) -> BaseDescription:
        """An item from plain data, which never names a file."""
        named = data.get("file")
        if isinstance(named, str) and named and "\n" not in named:
            raise MensuraError("A description holds its item; it never names a file.")
        return super().describe_from_json(data)

    # Items

    def _drawn(self, drawn: Mapping[str, Any]) -> BaseDescription:
        """An item is whole in itself: its description does not hold the set that it is from."""
        return super(Items, replace(self, file="") if self.file else self)._drawn(drawn)

    def draw(self, rng: Generator, within: Within | None = None) -> Mapping[str, Any]:
        """A rule, and a number from which all else of the item follows."""
        found = self._draw(rng, within, Counter())
        return {"kind": found.family, "rule": found.rule, "surface": found.surface}

    def _draw(self, rng: Generator, within: Within | None, thrown_away: Counter[str]) -> Drawn:
        dice = Dice(int(rng.integers(1 << 63)))
        return draw_item(self.families, dice, within, self.options, thrown_away)

    def thrown_away(self, key: Key, within: Within | None = None) -> Mapping[str, int]:
        """How many items were thrown away, by reason, before the one that is sampled for a key."""
        counts: Counter[str] = Counter()
        # Sampling is drawing once: an item that is drawn is one to keep.
        self._draw(generator(fold(key, 0)), within, counts)
        return counts

    def keep(self, description: BaseDescription) -> bool:
        """Whether a description, maybe from a file, is one of an item beyond question."""
        families = {one.name: one for one in self.families}
        if description.kind not in families or not families[description.kind].knows(
            description.rule
        ):
            return False
        return isinstance(_made(description), Item)

    def complexity(self, description: BaseDescription, measure: str) -> float:
        """That of the rule."""
        return FAMILIES[description.kind].complexities(description.rule)[measure]

    def kind_of(self, description: BaseDescription) -> str:
        """The family: equally complex items of two families are not equally difficult."""
        return str(description.kind)

    def item(self, description: BaseDescription) -> Item:
        """The item of a description."""
        made = _made(description)
        if isinstance(made, str):
            raise MensuraError(f"This is no item beyond question: {made}.")
        return made

    # Pairs of items: those whose answers flip

    @property
    def usual_assessment(self) -> str:
        """Schemas are assessed in pairs, other items by the anytime test."""
        return "pairs" if self.family == Winograd.name else "anytime"

    def pair_count(self) -> int:
        """How many schemas there are; 0 in other families."""
        return len(self._schemas.pairs) if self._schemas else 0

    def pair(self, number: int) -> Mapping[str, BaseDescription]:
        """The items of a schema by form: special, alternate, and both switched where that is possible."""
        assert self._schemas is not None
        return {
            name: self._drawn({"kind": Winograd.name, "rule": rule, "surface": number})
            for name, rule in self._schemas.pairs[number]
        }

    def pair_words(self, description: BaseDescription) -> tuple[str, str, str]:
        """An item of a pair for reports: its sentence, what is right, and what is wrong."""
        _, _, sentence, candidates, right, _ = description.rule
        return sentence, candidates[right], candidates[1 - right]

    @cached_property
    def _schemas(self) -> Winograd | None:
        one = self.families[0]
        return one if isinstance(one, Winograd) else None

    # The rules

    @cached_property
    def _spaces(self) -> tuple[Record, Space]:
        most = max(self.options or one.usual_options for one in self.families)
        if self.answer == "open":
            one = self.families[0] if len(self.families) == 1 else Family
            return observation_space(self.families, 0), Text(one.longest, one.characters)
        return observation_space(self.families, most), Discrete(most + 1)

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        """The item's numbers; the number of an option, or a text."""
        return self._spaces

    def start(self, state: State, rng: Generator) -> None:
        """Nothing was answered yet."""
        state.answered = state.both = False

    def observe(self, state: State, seat: int) -> Any:
        """The item."""
        description = state.description
        return observed(FAMILIES[description.kind], self.item(description), self._spaces[0])

    def legal(self, state: State, seat: int, action: Any) -> bool:
        """An open answer has the form of an answer, or is empty."""
        if self.answer == "choice" or not action:
            return True
        try:
            self.read_answer(state.description, action)
        except MensuraError:
            return False
        return True

    def read_answer(self, description: BaseDescription, text: str) -> tuple[int, ...]:
        """An open answer as a part of its item; a sentence where it has another form."""
        return FAMILIES[description.kind].read(text.strip())

    def advance(self, state: State, actions: Mapping[int, Any], rng: Generator) -> Sequence[float]:
        """1 for the right answer; a wrong option costs what guessing would gain."""
        state.answered = True
        item, action = self.item(state.description), actions[0]
        if self.answer == "open":
            right = action and self.read_answer(state.description, action) == item.answer
            return [1.0 if right else 0.0]
        state.both = self._agreeing and action == THREE
        return [reward_of(item, action)]

    def ended(self, state: State) -> Ended | None:
        """After the answer."""
        return "terminated" if state.answered else None

    def figures(self, state: State) -> Mapping[str, float]:
        """Of a schema, whether it was said that both are possible; of people that is an answer."""
        if not self._agreeing:
            return {}
        return {BOTH: float(state.both)}

    # What is said and shown

    @property
    def _agreeing(self) -> bool:
        """Whether it is asked what people agree on, and not what they know."""
        return self.family == Winograd.name and self.options == THREE

    def tells_rewards(self, description: BaseDescription) -> bool:
        """Who is asked for agreement is not told which answers were expected."""
        return not self._agreeing

    def instructions(self, description: BaseDescription, seat: int) -> str:
        """What is asked."""
        return told([FAMILIES[description.kind]], self.answer, self._agreeing)

    def words(self) -> Sentences:
        """The item for subjects who read."""
        return Sentences(self.families, self.answer, self._agreeing)

    def questions(self) -> ItemQuestions:
        """The item for pages."""
        return ItemQuestions(self.families, self.answer, self._agreeing)

    def seen(self, description: BaseDescription) -> Seen:
        """What a subject may see of an item."""
        item = self.item(description)
        family = FAMILIES[description.kind]
        if self.answer == "open":
            return Seen(family, item.shown or item.options, ())
        return Seen(family, item.shown, item.options)

    def picture(self, state: State, seat: int | None = None) -> Picture:
        """The item; the right option is marked where it may be told."""
        right = self.item(state.description).right if seat is None else None
        return drawn(self.seen(state.description), right)


def _made(description: BaseDescription) -> Item | str:
    return item_of(description.kind, description.rule, description.surface, description.options)


def reward_of(item: Item, action: int) -> float:
    """The reward of choosing an option, counted from 1: 1 for the right one, and guessing has the mean 0.

    0 is no answer, and so is a number beyond the options, of which some items of a mixed test have fewer.
    """
    count = len(item.options)
    if not 1 <= action <= count:
        return 0.0
    return 1.0 if action - 1 == item.right else -1.0 / (count - 1)
