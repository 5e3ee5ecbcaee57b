"""Items as questions for pages: parts in rows with a picture and words for each, and options to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mensura.pictures.picture import Picture, Words
from mensura.pictures.questions import Example, Option, Panel, Question
from mensura.worlds.items.drawing import moved
from mensura.worlds.items.examples import example_of
from mensura.worlds.items.families.family import Family, Part
from mensura.worlds.items.observations import Seen, read_observation
from mensura.worlds.items.sentences import answering


class ItemQuestions:
    """The questions of the world under some parameters."""

    def __init__(self, families: Sequence[Family], answer: str, agreeing: bool = False) -> None:
        self._families = families
        self._open = answer == "open"
        self.scoring = answering(answer, agreeing)
        """How one answers and what an answer is worth."""

    def question(self, observation: Any) -> Question:
        """What is observed, as a question."""
        return self._question(read_observation(observation))

    def examples(self) -> tuple[Example, ...]:
        """An easy item of each family."""
        made = []
        for family in self._families:
            item, why = example_of(family)
            shown = (item.shown or item.options) if self._open else item.shown
            seen = Seen(family, shown, () if self._open else item.options)
            made.append(Example(self._question(seen), panel(family, item.answer), why))
        return tuple(made)

    def _question(self, seen: Seen) -> Question:
        family = seen.family
        parts: list[Panel | None] = [panel(family, part) for part in seen.shown]
        if parts and family.asks_next(seen.shown):
            parts.append(None)
        across = family.columns or len(parts) or 1
        return Question(
            family.question,
            tuple(tuple(parts[at : at + across]) for at in range(0, len(parts), across)),
            tuple(
                Option(number, panel(family, part)) for number, part in enumerate(seen.options, 1)
            ),
            "" if self._open else 0,
            family.form if self._open else "",
        )


def panel(family: Family, part: Part) -> Panel:
    """A part in words, and drawn where it is more than its words."""
    shapes, (wide, high) = family.shapes(part), family.room
    if all(isinstance(one, Words) for one in shapes):
        return Panel(family.text(part))
    return Panel(
        family.text(part), Picture(moved(shapes, (wide / 2, high / 2)), family.room, "A figure")
    )
