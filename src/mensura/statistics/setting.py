"""What scores were made under, and whether two of them can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Setting:
    """All that a score depends on beside the subject, the draws, and how much was played."""

    world: str
    """The id, with its version."""
    parameters: Mapping[str, Any]
    """Of the world, its seats among them."""
    assessment: str
    given: Mapping[str, Any]
    """The parameters of the assessment, without those that say how much is played."""


def differences(one: Setting | None, two: Setting | None) -> tuple[str, ...]:
    """In what two settings differ, in words; nothing where scores can be compared, or where one is not known.

    This is the one place where it is decided what can be compared.
    """
    return () if one is None or two is None else tuple(_differing(one, two))


def _differing(one: Setting, two: Setting) -> Iterator[str]:
    if one.world != two.world:
        names = [re.sub(r"-v\d+$", "", world) for world in (one.world, two.world)]
        what = "the version of the world" if names[0] == names[1] else "the world"
        yield f"{what} ({one.world} and {two.world})"
    else:
        yield from _values("the world's", one.parameters, two.parameters)
    if one.assessment != two.assessment:
        yield f"the assessment ({one.assessment} and {two.assessment})"
    else:
        yield from _values("the assessment's", one.given, two.given)


def _values(whose: str, one: Mapping[str, Any], two: Mapping[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys([*one, *two]):
        if name not in one or name not in two or one[name] != two[name]:
            yield f"{whose} {name} ({_shown(one, name)} and {_shown(two, name)})"


def _shown(values: Mapping[str, Any], name: str) -> str:
    if name not in values:
        return "not recorded"
    text = str(values[name])
    return text if len(text) <= 40 else f"{text[:37]}..."
