"""What a person is shown of an environment: what its seat observes and the sign of the reward, and nothing more.

Environments of any world are shown by the picture that they draw for a seat and by words, and people act by a form
(:mod:`mensura.web.people.forms`). Those whose observations tell of cells are shown as cells with neutral symbols: as
section 6.2.2 of Insa-Cabrera (2011) has it, the order of colors is fixed for each number of an exercise and the same
for all people. What symbols mean is drawn for each participant, unlike there: whoever has finished could else tell the
next one which of them is good. What is sent tells as much as the observation does: everybody in sight by symbol, in
the order of the symbols and not of who is who.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import count
from typing import Any, Literal

from mensura.agent.keys import Key, key
from mensura.agent.spaces import Record

SYMBOLS = (
    "arch",
    "bars",
    "cross",
    "crescent",
    "diamond",
    "drop",
    "hexagon",
    "hourglass",
    "pentagon",
    "ring",
    "star",
    "triangle",
)
"""Shapes for everybody but the participant, who is a disc; none of them means anything."""

COLORS = 12
"""So many colors of cells there are; of more cells some look alike."""

WORDS = ("cell", "good", "evil", "ways")
"""What an observation has to tell for people to be shown it."""

Phase = Literal["begin", "act", "done"]

Kind = Literal["cells", "plain"]
"""How an environment is shown: as cells, or by a picture, words and a form."""


@dataclass(frozen=True)
class Shown:
    """All that a browser is told about a sitting."""

    number: int
    """Of the answer that is waited for."""
    phase: Phase
    """Whether an exercise is to begin, an action is wanted, or all is over."""
    exercise: int
    """Counted from 1."""
    exercises: int
    """How many there are; 0 where that is not known beforehand."""
    reward: Literal[-1, 0, 1] | None
    """The sign of the last reward; None where there was none yet."""
    late: bool
    """Whether the last action came after the end of its exercise, and was not played."""
    kind: Kind
    practice: bool = False
    """Whether what is done now counts nowhere."""
    rest: float = 0.0
    """The seconds of the break that comes now; 0 where none does."""
    seconds: float | None = None
    """How many are left of the exercise; None where there is no limit."""
    seconds_of_test: float | None = None
    """How many are left of the whole test."""
    step: int = 0
    """The interaction of the exercise that is waited for, from 1; 0 where none is."""
    steps: int = 0
    """How many interactions the exercise has; 0 where its subject is not told, as where time ends it."""
    cells: int = 0
    you: int = 0
    """The participant's cell, from 0."""
    reachable: tuple[int, ...] = ()
    """The cells that one can go to now."""
    others: tuple[tuple[str, int], ...] = ()
    """The symbols of all others in sight with their cells, in the order of the symbols."""
    colors: tuple[int, ...] = ()
    """The number of the color of each cell."""
    svg: str = ""
    """What the seat sees, as a picture; nothing where the environment draws none."""
    words: tuple[str, ...] = ()
    """What the seat is told and observes, in words."""
    beside: bool = False
    """Whether what is observed is read beside the picture, which does not tell it all."""
    form: dict[str, Any] | None = None
    """How one acts now."""
    question: dict[str, Any] | None = None
    """What is asked, where the environment is a question (:mod:`mensura.web.people.questions`)."""
    pace: float | None = None
    """Interactions a second, where keys are held instead of choosing each action."""
    probe: dict[str, Any] | None = None
    """What is asked about a phenomenon (:mod:`mensura.web.people.probes`)."""


def kind_of(space: Any) -> Kind:
    """How environments with this observation space are shown."""
    names = {name for name, _ in space.fields} if isinstance(space, Record) else set()
    return "cells" if set(WORDS) <= names else "plain"


def cells_of(space: Any) -> int:
    """How many cells a space of observations tells of."""
    return int(dict(space.fields)["cell"].high) + 1


@lru_cache(maxsize=20_000)
def symbols(exercise: int, stream: Key | None) -> tuple[str, ...]:
    """The symbols of Good, Evil and the objects in an exercise.

    They are drawn from the ``stream`` of a participant, and none means the same in two exercises in a row: those with
    odd numbers are drawn freely, the others until they differ from both neighbors. Without a stream they are those of
    older studies, the same for all people.
    """
    if stream is None or exercise % 2:
        return _shuffled(exercise, stream, 0)
    neighbors = symbols(exercise - 1, stream), symbols(exercise + 1, stream)
    for attempt in count():
        drawn = _shuffled(exercise, stream, attempt)
        if not any(one in others for one, *others in zip(drawn, *neighbors, strict=True)):
            return drawn
    raise AssertionError("one in seven differs from both")


def _shuffled(exercise: int, stream: Key | None, attempt: int) -> tuple[str, ...]:
    names = () if stream is None else (key(stream, "symbols"), attempt)
    return tuple(sorted(SYMBOLS, key=lambda name: _drawn("symbol", exercise, name, *names)))


@cache
def colors(exercise: int) -> tuple[int, ...]:
    """The order of colors in an exercise."""
    return tuple(sorted(range(COLORS), key=lambda number: _drawn("color", exercise, number)))


def _drawn(*names: object) -> bytes:
    return hashlib.blake2b(repr(names).encode(), digest_size=8).digest()


def others(observation: Any, exercise: int, stream: Key | None) -> tuple[tuple[str, int], ...]:
    """Whom an observation shows, by symbol."""
    cells = [int(observation["good"]), int(observation["evil"])]
    if "objects" in (observation.dtype.names or ()):
        cells += [int(cell) for cell in observation["objects"]]
    names = symbols(exercise, stream)
    found = ((names[i % len(names)], cell) for i, cell in enumerate(cells) if cell >= 0)
    return tuple(sorted(found))


def ways(observation: Any) -> tuple[int, ...]:
    """The cell that each action leads to."""
    return tuple(int(cell) for cell in observation["ways"])


def action_to(observation: Any, cell: int) -> int | None:
    """The first action that leads to a cell; None where none does."""
    found = ways(observation)
    return found.index(cell) if cell in found else None


def sign(reward: float) -> Literal[-1, 0, 1]:
    """Positive, neutral or negative: all that people see of a reward."""
    return 1 if reward > 0.0 else -1 if reward < 0.0 else 0


def undrawn(observation: Any) -> Any:
    """An observation for people who see its picture: without the drawings (SVG) among its texts."""
    if not isinstance(observation, dict):
        return observation
    return {
        name: "" if isinstance(one, str) and one.startswith("<svg ") else one
        for name, one in observation.items()
    }
