"""The items that the documentation shows: three of each family, from the simplest to the most complex of some.

Print them, and draw their pictures anew: python -m tests.worlds.items.examples
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from mensura.pictures.picture import Area, Picture, Shape
from mensura.pictures.svg import as_svg
from mensura.worlds.items.drawing import drawn, moved
from mensura.worlds.items.families.family import Item
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.generator import Drawn, generate
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.sentences import written

COUNT = 60
"""Of so many items the simplest, the middle one and the most complex are shown."""


IMAGES = Path(__file__).parents[3] / "docs" / "images"


def measure_of(name: str) -> str:
    """The complexity that items are ordered by: bits, where the family has them."""
    measures = FAMILIES[name].measures
    return "bits" if "bits" in measures else measures[0]


def chosen(name: str) -> list[tuple[float, Drawn, Item]]:
    """Three items of a family, with their bits or another complexity."""
    family, measure = FAMILIES[name], measure_of(name)
    batch = generate(name, COUNT, 2026)
    pairs = list(zip(batch.drawn, batch.items, strict=True))
    bits = [
        (family.complexities(one.rule)[measure], number) for number, (one, _) in enumerate(pairs)
    ]
    return [
        (cost, *pairs[number]) for cost, number in (sorted(bits)[i] for i in (0, COUNT // 2, -1))
    ]


def examples(name: str) -> str:
    """Three items of a family, with their bits, rules and answers."""
    family = FAMILIES[name]
    return "\n\n---\n\n".join(
        f"{cost:.1f} {measure_of(name)}: {json.dumps(one.rule)}\n\n"
        f"{written(Seen(family, item.shown, item.options))}\n\n"
        f"The answer is {item.right + 1}."
        for cost, one, item in chosen(name)
    )


def picture(name: str) -> Picture:
    """The same items, one below the other, as a subject sees them."""
    family = FAMILIES[name]
    shapes: list[Shape] = []
    width = height = 0.0
    for _, _, item in chosen(name):
        one = drawn(Seen(family, item.shown, item.options))
        # Nothing can be clicked in a page.
        shapes += [
            replace(shape, action=None, cell=None) if isinstance(shape, Area) else shape
            for shape in moved(one.shapes, (0.0, height))
        ]
        width, height = max(width, one.size[0]), height + one.size[1]
    return Picture(shapes, (width, height), f"Three items of {name}")


def place(name: str) -> Path:
    """Where the picture of a family is."""
    return IMAGES / f"items-{name}.svg"


if __name__ == "__main__":
    for name in FAMILIES:
        sys.stdout.write(f"{name}\n\n```text\n{examples(name)}\n```\n\n")
        place(name).write_text(as_svg(picture(name)), encoding="utf-8")
