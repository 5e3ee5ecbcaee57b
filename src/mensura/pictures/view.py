"""How commands and pages see a world: text, a picture, sentences, tables of the state, and what seats can do.

A world may have a view of its own (``world.view()``), mostly the plain one with some of it said better;
:func:`view_of` gives that, or else the plain one, which works for every environment that keeps the contract, whether it
has a ``picture`` or not. A view is made for one episode, and observes it.
"""

from __future__ import annotations

import inspect
import json
import re
from typing import Any, Protocol

from mensura.agent.spaces import Box, Discrete, Space, to_plain
from mensura.core.abilities import own_view, picture_of
from mensura.core.contract import Turn
from mensura.pictures.picture import Picture, Shape, Words
from mensura.pictures.scenes import Choice, Controls, Knob, Table
from mensura.pictures.text import as_text, plain

MOST_CHOICES = 400
"""So many actions of a seat are offered one by one."""
LONGEST, LONGEST_IN_TEXT = 60, 200
"""So many characters of an observation are shown, in a picture and in a line of text."""
_REFERENCE = re.compile(r":\w+:`~?(?:\w+\.)*(\w+)`|``([^`]*)``")


class View(Protocol):
    """What commands and pages ask of a world, for one episode, which it observes: a picture may tell of the past."""

    def started(self, environment: Any, turn: Turn) -> None:
        """An episode begins."""

    def stepped(self, environment: Any, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""

    def text(self, environment: Any, turn: Turn) -> str:
        """The moment in characters, with the interaction and the last rewards."""

    def picture(self, environment: Any, turn: Turn) -> Picture:
        """The moment as a picture, nothing hidden: for whoever studies an environment, never for a subject."""

    def explain(self, environment: Any) -> tuple[str, ...]:
        """What the world is, in sentences."""

    def remarks(self, environment: Any) -> tuple[str, ...]:
        """What is going on in this very environment, in sentences, nothing hidden: how things behave, and the like."""

    def tables(self, environment: Any) -> tuple[Table, ...]:
        """The state, for the research view."""

    def controls(self, environment: Any) -> tuple[Controls, ...]:
        """What each seat can do."""


class PlainView:
    """The view of every world that has no own: what seats observe, and pictures where environments have them."""

    def __init__(self, world: Any) -> None:
        self._world = world
        self._interaction: int | None = None

    def started(self, environment: Any, turn: Turn) -> None:
        """An episode begins; it has no past."""
        self._interaction = 0

    def stepped(self, environment: Any, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""
        self._interaction = (self._interaction or 0) + 1

    def text(self, environment: Any, turn: Turn) -> str:
        """The moment in characters, with the interaction and the last rewards."""
        drawn = picture_of(environment)
        if drawn is not None:
            moment = as_text(drawn)
        else:
            moment = "\n".join(plain(line) for line in _observed(turn, LONGEST_IN_TEXT))
        return f"{moment}\n{self._status(environment, turn)}".strip("\n")

    def _status(self, environment: Any, turn: Turn) -> str:
        """The line below: how far the episode is, whose turn it is where that is not everybody's, and rewards."""
        parts = []
        if self._interaction is not None:
            end = f" of {environment.horizon}" if environment.horizon else ""
            parts.append(f"interaction {self._interaction}{end}")
        if turn.ended is not None:
            parts.append(turn.ended)
        elif len(turn.due) < len(environment.seats):
            parts.append(f"due {', '.join(f'seat {seat}' for seat in turn.due)}")
        parts.append(f"rewards {'  '.join(f'{float(reward):+.2f}' for reward in turn.rewards)}")
        return "   ".join(parts)

    def picture(self, environment: Any, turn: Turn) -> Picture:
        """The environment's own picture, or else what the seats that are due observe."""
        own: Picture | None = picture_of(environment)
        if own is not None:
            return own
        return observed_picture(_observed(turn), "What the seats observe")

    def explain(self, environment: Any) -> tuple[str, ...]:
        """The docstring of the world, or else of the environment, a sentence or more for each paragraph."""
        text = inspect.getdoc(type(self._world)) or inspect.getdoc(type(environment)) or ""
        paragraphs = (" ".join(one.split()) for one in text.split("\n\n"))
        return tuple(
            _REFERENCE.sub(lambda match: match[1] or match[2], one) for one in paragraphs if one
        )

    def remarks(self, environment: Any) -> tuple[str, ...]:
        """Nothing beyond tables and picture."""
        return ()

    def tables(self, environment: Any) -> tuple[Table, ...]:
        """Who has a seat, with what spaces; and the state, where the environment has one that can be read."""
        rows = tuple(
            (
                seat.index,
                seat.group,
                ", ".join(sorted(seat.rights)),
                *map(_space, environment.spaces(seat.index)),
            )
            for seat in environment.seats
        )
        seats = Table("seats", ("seat", "group", "rights", "observation", "action"), rows)
        state = getattr(environment, "state", None)
        if state is None or not hasattr(state, "__dict__"):
            return (seats,)
        values = tuple(
            (name, _short(value)) for name, value in vars(state).items() if name != "description"
        )
        return seats, Table("state", ("name", "value"), values)

    def controls(self, environment: Any) -> tuple[Controls, ...]:
        """What the action space of each seat offers, as far as it is allowed now."""
        return tuple(
            _allowed(environment, seat.index, controls_of(environment.spaces(seat.index)[1]))
            for seat in environment.seats
        )


def view_of(world: Any) -> View:
    """A view of a world for an episode: its own, or the plain one."""
    own: View | None = own_view(world)
    return PlainView(world) if own is None else own


def controls_of(space: Space) -> Controls:
    """What can be done in an action space that nobody has names for: choices, or knobs, or neither."""
    if isinstance(space, Discrete) and space.n <= MOST_CHOICES:
        return Controls(tuple(Choice(i, str(i)) for i in range(space.start, space.start + space.n)))
    if isinstance(space, Box) and len(space.shape) == 1 and space.size <= MOST_CHOICES:
        low, high = max(space.low, -1e9), min(space.high, 1e9)
        return Controls(knobs=tuple(Knob(str(i), low, high) for i in range(space.size)))
    return Controls()


def _allowed(environment: Any, seat: int, controls: Controls) -> Controls:
    return Controls(
        tuple(one for one in controls.choices if environment.legal(seat, one.action)),
        controls.knobs,
    )


def _observed(turn: Turn, longest: int = LONGEST) -> list[str]:
    """A line for each seat that is due: what it observes."""
    seen = zip(turn.due, turn.observations, strict=True)
    return [f"seat {seat} observes {_short(observation, longest)}" for seat, observation in seen]


def observed_picture(lines: list[str], label: str) -> Picture:
    """Some lines of text as a picture."""
    width = max(10.0, max((len(line) for line in lines), default=0) * 0.25 + 1.0)
    shapes: list[Shape] = [
        Words(line, (0.25, 0.3 + 0.5 * i), 0.35, anchor="start") for i, line in enumerate(lines)
    ]
    return Picture(shapes, (width, 0.5 * max(len(lines), 1) + 0.1), label)


def _short(value: Any, longest: int = LONGEST) -> str:
    """A value on one line, cut where it is long."""
    text = json.dumps(to_plain(value), ensure_ascii=False, default=repr)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _space(space: Space) -> str:
    return _short(space.to_json())
