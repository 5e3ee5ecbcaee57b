"""Worked examples: an easy item of each family with the reason for its answer, for people who see the first one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mensura.worlds.items.families.family import Dice, Family, Item, Rule
from mensura.worlds.items.generator import draw_item, item_of


class Worked(NamedTuple):
    """What an example follows from, and why its answer is right."""

    rule: Rule
    surface: int
    why: str


WORKED: Mapping[str, Worked] = {
    "letter-series": Worked(
        (1, ((0, 0), (0, 1))),
        0,
        "Every letter stands there twice, and then comes the next one of the alphabet: l l, m m, n n. So o comes next.",
    ),
    "number-series": Worked(
        ("+", "previous", 3), 0, "Every number is 3 more than the one before. 23 and 3 are 26."
    ),
    "letter-analogies": Worked(
        (("letter", "last", "successor"),),
        14,
        "The last letter became the next one of the alphabet: r became s. So in hij the j becomes k.",
    ),
    "matrices": Worked(
        (("progression", 1), ("fixed",), ("constant",), ("fixed",), ("fixed",)),
        3,
        "In every row each cell has one figure more than the one before, all figures of a row have the same form, and "
        "size, fill and first place are the same everywhere. So three triangles come last.",
    ),
    "geometric-analogies": Worked(
        (("remove", "first"),),
        0,
        "The first figure was removed, and the other stayed as it was. So of the star and the pentagon the pentagon "
        "stays.",
    ),
    "odd-one-out": Worked(
        ("same", "form"),
        0,
        "In every pair but one both figures have the same form. A circle and a square do not.",
    ),
    "c-test": Worked(
        ("W + LOOPTOP", 6, 4),
        0,
        "Every letter is the next one of the alphabet. Between d and f there is e.",
    ),
    "winograd": Worked(
        (
            0,
            "special",
            "The lamp fell off the shelf, since [it] was too wide.",
            ("the lamp", "the shelf"),
            0,
            1,
        ),
        0,
        "A lamp falls if it is too wide for its shelf. A shelf that is too wide lets nothing fall.",
    ),
}
"""By family."""
DRAWN = 20
"""Of another family the simplest of so many items is taken."""
WHY = "It follows from the simplest rule that explains all that is shown; the other options do not."


def example_of(family: Family) -> tuple[Item, str]:
    """An easy item of a family, with as many options as is usual, and why its answer is right."""
    worked = WORKED.get(family.name)
    if worked is None:
        drawn = [draw_item([family], Dice(key)) for key in range(DRAWN)]
        easiest = min(drawn, key=lambda one: next(iter(family.complexities(one.rule).values())))
        worked = Worked(easiest.rule, easiest.surface, WHY)
    item = item_of(family.name, worked.rule, worked.surface)
    assert isinstance(item, Item)
    return item, worked.why
