"""How items are drawn: a rule, then a surface, again and again until an item is beyond question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.worlds.items.families.family import Dice, Family, Item, Rule, Within
from mensura.worlds.items.families.table import FAMILIES

SURFACES = 1 << 31
"""So many surfaces a rule has."""
TRIES = 1_000
"""So many items are thrown away before a complexity counts as out of reach."""


@dataclass(frozen=True)
class Drawn:
    """What an item follows from."""

    family: str
    rule: Rule
    surface: int


@dataclass(frozen=True)
class Batch:
    """Some items, and how many others were thrown away on the way, by reason."""

    items: tuple[Item, ...]
    drawn: tuple[Drawn, ...]
    thrown_away: Mapping[str, int]


@lru_cache(maxsize=4096)
def item_of(family: str, rule: Rule, surface: int, options: int = 0) -> Item | str:
    """The item of a rule and a surface, or why it is thrown away. 0 options: as many as is usual in the family."""
    kind = FAMILIES[family]
    return kind.make(rule, Dice(surface), options or kind.usual_options)


def draw_item(
    families: Sequence[Family],
    dice: Dice,
    within: Within | None = None,
    options: int = 0,
    thrown_away: Counter[str] | None = None,
) -> Drawn:
    """An item beyond question of one of the families, a complexity of it within an interval where that is wanted."""
    able = families if within is None else [one for one in families if one.has(within)]
    reasons: Counter[str] = Counter() if thrown_away is None else thrown_away
    left = list(able or _nearest(families, within))
    while left:  # each family as often as another, whatever it throws away
        family = left.pop(dice.below(len(left)))
        for _ in range(TRIES):
            rule = family.draw(dice, within)
            surface = dice.below(SURFACES)
            made = item_of(family.name, rule, surface, options)
            if isinstance(made, Item):
                return Drawn(family.name, rule, surface)
            reasons[made] += 1
    wanted = "" if within is None else f" with {within[0]} from {within[1]:g} to {within[2]:g}"
    (reason, count), *_ = reasons.most_common(1)
    names = " or ".join(one.name for one in able)
    raise MensuraError(
        f"None of {TRIES} items of {names}{wanted} that were drawn is beyond question: mostly {reason} ({count})."
    )


def _nearest(families: Sequence[Family], within: Within | None) -> Sequence[Family]:
    """The family that comes nearest to a complexity that none has, to be named."""
    assert within is not None
    _, low, high = within

    def away(family: Family) -> float:
        near = family.nearest(within)
        return max(low - near, near - high)

    return [min(families, key=away)]


def generate(
    family: str, count: int, key: Key, within: Within | None = None, options: int = 0
) -> Batch:
    """So many items of a family, with a count of those that were thrown away for each reason."""
    thrown_away: Counter[str] = Counter()
    drawn, items = [], []
    for number in range(count):
        one = draw_item([FAMILIES[family]], Dice(fold(key, number)), within, options, thrown_away)
        made = item_of(one.family, one.rule, one.surface, options)
        assert isinstance(made, Item)
        drawn.append(one)
        items.append(made)
    return Batch(tuple(items), tuple(drawn), dict(thrown_away))
