"""How commands and pages see PAGI World."""

from __future__ import annotations

from typing import Any

from mensura.pictures.scenes import Choice, Controls
from mensura.pictures.view import PlainView
from mensura.worlds.pagi.moves import moves

KEYS = {
    "left": "KeyF", "right": "KeyG", "jump": "Space", "turn left": "KeyR", "turn right": "KeyT",
    "left hand up": "KeyW", "left hand left": "KeyA", "left hand down": "KeyS", "left hand right": "KeyD",
    "right hand up": "ArrowUp", "right hand left": "ArrowLeft", "right hand down": "ArrowDown",
    "right hand right": "ArrowRight", "grip left": "ShiftLeft", "grip right": "ShiftRight", "release left": "KeyQ",
    "release right": "KeyE", "nothing": "KeyN",
}  # fmt: skip
"""The keys of the original for moves; to release and to do nothing are ours, since a move is not held."""


class PagiView(PlainView):
    """The plain view, with names for moves."""

    def controls(self, environment: Any) -> tuple[Controls, ...]:
        """The moves by name, where actions are moves."""
        if environment.description.actions != "discrete":
            return super().controls(environment)
        names = moves(environment.setup.words)
        named = tuple(Choice(k, name, key=KEYS.get(name, "")) for k, name in enumerate(names))
        return tuple(Controls(named) for _ in environment.seats)
