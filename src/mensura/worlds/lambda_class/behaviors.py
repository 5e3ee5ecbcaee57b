"""How objects behave: random, along a pattern, reacting to subjects, or by a Markov program; as data.

Good and Evil share one behavior: the same logic, not the same moves (3.6.2 of Insa-Cabrera, 2011). All see where the
subjects and objects are, and nobody but the subjects tells Good from Evil.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.lambda_class.markov import Program

LONGEST_PATTERN = 100_000


@dataclass(frozen=True)
class Random:
    """Every action is as likely, each time."""


@dataclass(frozen=True)
class Pattern:
    """Actions in a row, again and again (4.4). The pattern goes on where a move is blocked, too."""

    moves: tuple[int, ...]

    def __post_init__(self) -> None:
        """Raise if it is no pattern in any space."""
        if not 1 <= len(self.moves) <= LONGEST_PATTERN:
            raise MensuraError(
                f"A pattern has from 1 to {LONGEST_PATTERN} actions, not {len(self.moves)}."
            )


@dataclass(frozen=True)
class Startled:
    """One action, and another while a subject shares the cell: example 3.6.1.

    As there, Good and Evil are both startled by a subject on the cell of either.
    """

    calm: int
    startled: int


@dataclass(frozen=True)
class Shy:
    """Stays, unless a subject shares its cell; then it leaves, for a cell without subjects where it can.

    Evenly by one of the actions that lead to such a cell, or else by one of those that lead elsewhere.
    """


@dataclass(frozen=True)
class Attached:
    """Stays with a subject on its cell; else goes to one in reach, or anywhere where none is.

    Evenly by one of the actions that lead to a cell with subjects, or else by any.
    """


@dataclass(frozen=True)
class Markov:
    """Does what a Markov program makes of the text of section 3.6.4, with a memory of its own (3.6.6).

    The program's alphabet begins, whatever else it has, with the actions, the actions as they are observed, π, ⊙,
    ω_1 and so on, and the separator ":". Good and Evil do all actions of the output, other objects the last of them.
    A program that does not halt within the limits, or names no action, stays.
    """

    program: Program


Behavior: TypeAlias = Random | Pattern | Startled | Shy | Attached | Markov

STILL = Pattern((0,))
"""An inanimate object (3.6.2): it does the reflexive action again and again."""


def actions_of(behavior: Behavior) -> tuple[int, ...]:
    """The actions that a behavior names."""
    if isinstance(behavior, Pattern):
        return behavior.moves
    if isinstance(behavior, Startled):
        return behavior.calm, behavior.startled
    return ()


def behavior_to_json(behavior: Behavior) -> dict[str, Any]:
    """A behavior as plain data."""
    kind = type(behavior).__name__.lower()
    if isinstance(behavior, Pattern):
        return {"kind": kind, "moves": list(behavior.moves)}
    if isinstance(behavior, Startled):
        return {"kind": kind, "calm": behavior.calm, "startled": behavior.startled}
    if isinstance(behavior, Markov):
        return {"kind": kind, "program": behavior.program.to_json()}
    return {"kind": kind}


def behavior_from_json(data: Any) -> Behavior:
    """The behavior that `behavior_to_json` wrote."""
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in _READERS:
        raise MensuraError(f"{kind!r} is no behavior; {neighbors(str(kind), list(_READERS))}")
    names, read = _READERS[kind]
    if set(data) != {"kind", *names}:
        raise MensuraError(f"The data of a {kind} behavior are {', '.join(('kind', *names))}.")
    return read(*(data[name] for name in names))


def _pattern(moves: Any) -> Pattern:
    if not isinstance(moves, list | tuple):
        raise MensuraError(f"The moves of a pattern are a list of actions, not {moves!r}.")
    return Pattern(tuple(moves))


_READERS: dict[str, tuple[tuple[str, ...], Callable[..., Behavior]]] = {
    "random": ((), Random),
    "pattern": (("moves",), _pattern),
    "startled": (("calm", "startled"), Startled),
    "shy": ((), Shy),
    "attached": ((), Attached),
    "markov": (("program",), lambda program: Markov(Program.from_json(program))),
}
