"""A game that is over, as plain data, from the state at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mensura.records.conversation import MACHINE, Game
from mensura.worlds.imitation.records import MIDDLE
from mensura.worlds.imitation.rules import broken
from mensura.worlds.kit import State


def game_of(state: State, labels: Mapping[str, str]) -> Game:
    """The game that a state at its end tells of."""
    breaks = {label: broken(state, 0, label) for label in labels}
    own = [label for label, role in labels.items() if role == MACHINE]
    marks = [number for _, number in state.marks]
    return Game(
        dict(labels),
        [dict(one) for one in state.messages],
        [dict(one) for one in state.votes],
        [dict(one) for one in state.verdicts],
        marks,
        breaks,
        bool(own) and state.verdicts[-1]["won"] == 0 and _lone_blunder(state, own[0], marks),
    )


def _lone_blunder(state: State, label: str, marks: Sequence[int]) -> bool:
    moves = [
        (after, value) for who, where, value, after in state.moves if (who, where) == (0, label)
    ]
    own = [number for number in marks if state.messages[number]["channel"] == label]
    if len(own) != 1 or not moves:
        return False
    before = [value for after, value in moves if after < own[0]]
    later = [value for after, value in moves if after >= own[0]]
    return (
        all(value >= MIDDLE for value in before) and bool(later) and all(v < MIDDLE for v in later)
    )
