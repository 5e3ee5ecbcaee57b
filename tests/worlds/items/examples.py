"""The items that the documentation shows: three of each family, from the simplest to the most complex of some.

Print them: python -m tests.worlds.items.examples
"""

from __future__ import annotations

import json
import sys

from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.generator import generate
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.sentences import written

COUNT = 60
"""Of so many items the simplest, the middle one and the most complex are shown."""


def examples(name: str) -> str:
    """Three items of a family, with their bits, rules and answers."""
    family = FAMILIES[name]
    batch = generate(name, COUNT, 2026)
    drawn = zip(batch.drawn, batch.items, strict=True)
    bits = [
        (family.complexities(one.rule)["bits"], number) for number, one in enumerate(batch.drawn)
    ]
    pairs = list(drawn)
    blocks = []
    for cost, number in (sorted(bits)[i] for i in (0, COUNT // 2, -1)):
        one, item = pairs[number]
        blocks.append(
            f"{cost:.1f} bits: {json.dumps(one.rule)}\n\n{written(Seen(family, item.shown, item.options))}\n\n"
            f"The answer is {item.right + 1}."
        )
    return "\n\n---\n\n".join(blocks)


if __name__ == "__main__":
    for name in FAMILIES:
        sys.stdout.write(f"{name}\n\n```text\n{examples(name)}\n```\n\n")
