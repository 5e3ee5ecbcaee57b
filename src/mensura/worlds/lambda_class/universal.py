"""The universal generator: programs drawn with the probability 2^-length, for the space and for all behaviors (3.6.6).

What is drawn is the code of `mensura.worlds.lambda_class.description_length` itself, choice by choice, so that an
environment is as likely as 2 to the power of minus its length, but for what is not left to chance: the space and all
behaviors are Markov programs of plain rules, which are universal already, while patterns, the ready behaviors and the
extended notation are there for people. Then some of it is sieved, which leaves all that remains as likely among itself
as it was:

- The numbers of cells, actions and objects are drawn among those that the world allows, and stay as they are drawn.
- The program of the space is drawn until the text that it writes, cleaned by `programmed_space`, is a space that is
  connected as asked.
- The programs of Good and Evil and then of each object are drawn one after another. Any program is a behavior, as one
  that names no action stays; but one that has not halted within the limits at the start, or in an episode with a
  random subject, is none, and all of them are drawn again.
- A program in which a symbol of its own goes unused, or comes before one with a lower number, or in which a rule is
  written out again, has a shorter description, under which it is drawn too; so it does not count under the longer one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from mensura.agent import keys
from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.complexity.integers import log_star, log_star_shares
from mensura.worlds.lambda_class import text
from mensura.worlds.lambda_class.behaviors import Behavior, Markov
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.description_length import (
    KINDS,
    Reader,
    Writer,
    code_behaviors,
    code_space_program,
)
from mensura.worlds.lambda_class.generator import SpaceDrawer
from mensura.worlds.lambda_class.kernels.programs import (
    A_SPACE,
    ANYTHING,
    DRAW,
    OWN,
    REPORT,
    programs_door,
)
from mensura.worlds.lambda_class.markov import SPACE_SYMBOLS, Program, programmed_space
from mensura.worlds.lambda_class.rules import Word
from mensura.worlds.lambda_class.sieves import random_episodes
from mensura.worlds.lambda_class.space import Space

T = TypeVar("T")

LARGEST_NUMBER = 1000
"""Numbers of rules, symbols and sides are drawn up to here; a fifth of all numbers are larger."""

LONGEST_CODE = 4000
"""How many choices a program may take."""

TRIES = 3_000_000
"""How many programs are drawn for a space, and for a behavior, before the next environment is tried."""

_TRIES_OF_ONE = 10_000
"""How many programs are drawn for an object, given those before, before all are drawn again."""

PLAYED = 50
"""Programs have to halt in each of so many interactions with a random subject, or in all of an episode."""

# Streams under an environment's key: its numbers, the program of its space, then its behaviors.
_STREAM_NUMBERS, _STREAM_SPACE, _STREAM_BEHAVIORS = range(3)
_SLOT_CELLS, _SLOT_ACTIONS, _SLOT_OBJECTS, _SLOT_OWN = range(4)


def draw_environment(
    key: Key, drawer: SpaceDrawer, objects: int, switches: dict[str, Any]
) -> Description | None:
    """The environment of a key, with up to so many objects; None where no program was found that does.

    `drawer` says how many cells and actions there may be, and `switches` how spaces are connected.
    """
    numbers = fold(key, _STREAM_NUMBERS)
    least, most = drawer.cells
    n_c = _draw_within(keys.prf(numbers, 0, _SLOT_CELLS), least, most, 2)
    fewest, highest = drawer.actions
    if drawer.as_many_actions_as_cells:
        highest = max(fewest, n_c)
    n_a = _draw_within(keys.prf(numbers, 0, _SLOT_ACTIONS), fewest, highest, 2)
    n_w = _draw_within(keys.prf(numbers, 0, _SLOT_OBJECTS), 0, objects, 0)
    actions = text.action_symbols(n_a)
    written = _draw_space(fold(key, _STREAM_SPACE), n_c, actions, switches["topology"])
    if written is None:
        return None
    program, space = written
    for behaviors in draw_behaviors(fold(key, _STREAM_BEHAVIORS), actions, n_w):
        found = Description(
            space=space,
            space_program=program,
            good_and_evil=behaviors[0],
            objects=tuple(behaviors[1:]),
            **switches,
        )
        if _halts(found):
            return found
    return None


def _draw_within(z: int, least: int, most: int, smallest: int) -> int:
    """A number by log*, counted from the smallest there is, given that it lies between these bounds."""
    shares = _shares_within(least, most, smallest)
    return least + int(np.searchsorted(shares, keys.unit(z) * shares[-1], side="right"))


@lru_cache(maxsize=64)
def _shares_within(least: int, most: int, smallest: int) -> npt.NDArray[np.float64]:
    return np.cumsum([2.0 ** -log_star(n - smallest + 1) for n in range(least, most + 1)])


# Programs -----------------------------------------------------------------------


def _draw_space(key: Key, n_c: int, actions: Word, topology: Any) -> tuple[Program, Space] | None:
    for program in draw_space_programs(key, actions):
        try:
            return program, programmed_space(program, n_c, actions).require(topology)
        except MensuraError:
            continue
    return None


def draw_space_programs(key: Key, actions: Word, goal: int = A_SPACE) -> Iterator[Program]:
    """Programs that may write a space, one after another; with the goal `ANYTHING`, any programs."""
    letters = len(actions) + len(SPACE_SYMBOLS)
    tried = 0
    while tried < TRIES:
        drawn = _draw_program(key, tried, (goal, len(actions), letters, DRAW, 0, 0, 1))
        tried += drawn.tried
        if drawn.choices:
            code = [drawn.own, 0, *drawn.choices]
            program = _read(code, lambda coder, known: code_space_program(coder, known, actions))
            if program is not None:
                yield program


def draw_behaviors(key: Key, actions: Word, n_w: int) -> Iterator[list[Behavior]]:
    """Programs for Good and Evil and for so many objects, one set after another."""
    letters = len(text.alphabet(actions, n_w))
    kinds = [KINDS.index(Markov)] * (1 + n_w)
    for number in range(TRIES):
        stream = fold(key, number)
        own, seen, rules = DRAW, 0, 0
        programs: list[int] = []
        for i in range(1 + n_w):
            asked = (ANYTHING, len(actions), letters, own, seen, rules, int(i == n_w))
            drawn = _draw_program(fold(stream, i), 0, asked)
            if not drawn.choices:
                break
            programs += drawn.choices
            own, seen, rules = drawn.own, drawn.seen, drawn.rules
        else:
            code = [*kinds, own, 0, *programs]
            found = _read(code, lambda coder, known: code_behaviors(coder, known, actions, n_w))
            if found is not None:
                yield found


def _read(code: list[int], part: Callable[[Writer, Any], T]) -> T | None:
    """What a row of choices describes, if it is its shortest description and has a meaning."""
    try:
        found = part(Reader(code), None)
    except MensuraError:  # a rule that stores twice
        return None
    writer = Writer()
    part(writer, found)
    return found if writer.choices == code else None


class _Drawn(NamedTuple):
    """A program by its choices (none if there was none), and how it came about; see `programs`."""

    choices: list[int]
    tried: int
    own: int
    seen: int
    rules: int


def _draw_program(key: Key, first: int, asked: tuple[int, ...]) -> _Drawn:
    shares = log_star_shares(LARGEST_NUMBER)
    out, report = np.empty(LONGEST_CODE, np.int64), np.zeros(REPORT, np.int64)
    tries = TRIES if asked[OWN] == DRAW else _TRIES_OF_ONE
    programs_door(np.uint64(key), first, tries, np.array(asked), shares, out, report)
    tried, count, own, seen, rules = report.tolist()
    return _Drawn(out[:count].tolist(), tried, own, seen, rules)


def _halts(d: Description) -> bool:
    """Whether no program was stopped at the start, or in the first interactions with a random subject."""
    for interactions in (1, min(d.horizon, PLAYED)):
        _, work = random_episodes(replace(d, horizon=interactions, junk=0), 1)
        if work[0, 1] >= d.steps + 2 + len(
            d.objects
        ):  # one that is stopped, and a decision of each
            return False
    return True
