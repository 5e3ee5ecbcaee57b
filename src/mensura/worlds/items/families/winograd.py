"""Winograd schemas: what does the pronoun in brackets stand for? After Levesque (2011).

A rule is ``(schema, form, sentence, (first, second), right, depth)``: the number of the schema in its set, which of its
forms it is, the sentence with the pronoun in brackets, the candidates as the sentence has them, which of them is meant,
and how many facts have to be combined. So an item follows from its rule, without the set that it was drawn from.
Parts are texts, as the numbers of their characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

from mensura.core.abilities.content import BANK
from mensura.pictures.picture import Shape, Words
from mensura.worlds.items.families.family import Dice, Family, Item, Part, Rule
from mensura.worlds.items.winograd.files import parse_set, text_of
from mensura.worlds.items.winograd.schema import (
    LONGEST_CANDIDATE,
    LONGEST_SENTENCE,
    PRONOUN,
    Form,
    Schema,
    SchemaSet,
    words_of,
)

BATTERY = "winograd-150"
"""The set that is taken where none is named."""
BOTH = "both are possible"
"""The third option, where there are three; it is never right."""
LINE = 60
"""Characters of a line in a picture."""
LINES = 7
"""So many lines a part has room for."""
CHARACTER = 0.26
"""The width of a character in a picture."""
LINE_HEIGHT = 0.7


class Winograd(Family):
    """The schemas of a set."""

    name = "winograd"
    question = "What does the pronoun in brackets stand for?"
    form = "one of the two candidates, as the sentence has it"
    longest = LONGEST_CANDIDATE
    parts, width, highest = 1, LONGEST_SENTENCE, 0x10FFFF
    usual_options = 2
    choices = (2, 3)
    room = (LINE * CHARACTER + 0.6, LINES * LINE_HEIGHT + 0.4)
    columns = 1
    measures = ("depth", "length")
    own_measures = ("depth", "length")
    content = BANK
    is_mixed = False
    level = "depth"

    def __init__(self, text: str = "") -> None:
        self.text_of_set = text

    @cached_property
    def schemas(self) -> SchemaSet:
        """The set."""
        return _parsed(self.text_of_set)

    @cached_property
    def pairs(self) -> tuple[tuple[tuple[str, Rule], ...], ...]:
        """The rules of each schema, with the names of the forms."""
        return tuple(
            tuple((form.name, rule_of(number, form, schema)) for form in schema.forms())
            for number, schema in enumerate(self.schemas.schemas)
        )

    def all_rules(self) -> Sequence[Rule]:
        """All forms of all schemas."""
        return [rule for forms in self.pairs for _, rule in forms]

    def knows(self, rule: Rule) -> bool:
        """Whether it is a rule at all: an item does not need the set that it is from."""
        try:
            number, form, sentence, candidates, right, depth = rule
            first, second = candidates
        except (TypeError, ValueError):
            return False
        texts = (form, sentence, first, second)
        return (
            all(isinstance(one, str) and one and one.isprintable() for one in texts)
            and all(type(one) is int and one >= 0 for one in (number, right, depth))
            and len(sentence) <= LONGEST_SENTENCE
            and max(len(first), len(second)) <= LONGEST_CANDIDATE
            and len(PRONOUN.findall(sentence)) == 1
            and right < 2
            and first != second
        )

    def complexities(self, rule: Rule) -> Mapping[str, float]:
        """How many facts have to be combined, and how many words there are."""
        return {"depth": float(rule[5]), "length": float(len(words_of(rule[2])))}

    def make(self, rule: Rule, dice: Dice, options: int) -> Item | str:
        """The sentence, and both candidates in any order; with three options, that both are possible comes last."""
        _, _, sentence, candidates, right, _ = rule
        parts = [self.read(one) for one in candidates]
        answer = parts[right]
        mixed = dice.shuffled(parts)
        if options == 3:
            mixed.append(self.read(BOTH))
        return Item((self.read_part(sentence),), tuple(mixed), answer, mixed.index(answer))

    # Parts as text

    def text(self, part: Part) -> str:
        """Its characters."""
        return "".join(map(chr, part))

    def read(self, text: str) -> Part:
        """A candidate."""
        if not 0 < len(text) <= LONGEST_CANDIDATE or not text.isprintable():
            raise self.wrong_form(text)
        return tuple(map(ord, text))

    def read_part(self, text: str) -> Part:
        """A sentence, or a candidate."""
        return tuple(map(ord, text))

    def asks_next(self, shown: Sequence[Part]) -> bool:
        """The pronoun is asked for, within the sentence."""
        return False

    def read_shown(self, text: str) -> tuple[Part, ...]:
        """The sentence."""
        return (self.read_part(text.strip("\n")),) if text.strip() else ()

    # Parts as pictures

    def shapes(self, part: Part) -> list[Shape]:
        """Lines of words, one below the other."""
        lines = broken(self.text(part))
        top = -(len(lines) - 1) / 2
        return [
            Words(line, (0.0, (top + number) * LINE_HEIGHT), 0.45)
            for number, line in enumerate(lines)
        ]

    def read_shapes(self, shapes: Sequence[Shape]) -> Part:
        """The lines put together again."""
        lines = [one.text for one in shapes if isinstance(one, Words)]
        return self.read_part(" ".join(lines))


def rule_of(number: int, form: Form, schema: Schema) -> Rule:
    """The rule of a form of a schema."""
    return (number, form.name, form.sentence, form.candidates, form.right, schema.depth)


@lru_cache(maxsize=16)
def _parsed(text: str) -> SchemaSet:
    return parse_set(text or text_of(BATTERY))


def broken(text: str) -> list[str]:
    """A text in lines, broken between words; with one space between words, so that it can be put together again."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + len(word) < LINE:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
