"""The text of an observation (Insa-Cabrera, 2011, section 3.6.4): cell by cell, who is there and what leads there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_class.rules import Word, check_symbol, write_word

SUBJECT, GOOD, EVIL, REWARDER, SEPARATOR = "π", "⊕", "⊖", "⊙", ":"
"""A subject; Good, Evil, and either of them to whoever cannot tell; what stands between two cells."""


def object_symbol(number: int) -> str:
    """A further object, counted from 1."""
    return f"ω_{number}"


def action_symbols(count: int, names: Sequence[str] = ()) -> Word:
    """The actions of a space as symbols: a_1, a_2, ..., or the names that were given."""
    if not names:
        return _numbered(count)
    if len(names) != count:
        raise MensuraError(f"{len(names)} names do not fit {count} actions.")
    for name in names:
        if check_symbol(name)[0] == name[0].upper():
            raise MensuraError(
                f"An action cannot be called {name!r}; its first letter is a small one, since observations show "
                "it as a capital."
            )
    if len(set(names)) < count:
        raise MensuraError(f"Actions need different names, not {', '.join(names)}.")
    return tuple(names)


@lru_cache(maxsize=256)
def _numbered(count: int) -> Word:
    return tuple(f"a_{number}" for number in range(1, count + 1))


def observed(actions: Sequence[str]) -> Word:
    """The actions as observations show them, on the cells that they lead to: A_1 for a_1."""
    return tuple(action[0].upper() + action[1:] for action in actions)


def alphabet(actions: Sequence[str], objects: int) -> Word:
    """What the alphabet of an object's program begins with; the compiled rules write these numbers."""
    others = (object_symbol(number) for number in range(1, objects + 1))
    return (*actions, *observed(actions), SUBJECT, REWARDER, *others, SEPARATOR)


def observation_text(
    cells: int, who: Iterable[tuple[str, int]], ways: Sequence[int], actions: Sequence[str]
) -> str:
    """The text: for each cell who is there, in the order given, then the actions that lead there.

    `who` pairs a symbol with a cell, or with -1 if it is out of sight; `ways` are the cells that each action leads to.

    >>> observation_text(4, [("π", 0), ("⊕", 2), ("⊖", 1), ("ω_1", 2), ("ω_2", 0)], [0, 2], ["a_1", "a_2"])
    'πω_2A_1:⊖:⊕ω_1A_2:'
    """
    contents: list[list[str]] = [[] for _ in range(cells)]
    for symbol, cell in who:
        if cell >= 0:
            contents[cell].append(symbol)
    for action, cell in zip(observed(actions), ways, strict=True):
        contents[cell].append(action)
    return SEPARATOR.join(map(write_word, contents))
