"""How commands and pages see PAGI World."""

from __future__ import annotations

from typing import Any

from mensura.pictures.scenes import Choice, Controls
from mensura.pictures.view import PlainView
from mensura.worlds.pagi.moves import moves


class PagiView(PlainView):
    """The plain view, with names for moves."""

    def controls(self, environment: Any) -> tuple[Controls, ...]:
        """The moves by name, where actions are moves."""
        if environment.description.actions != "discrete":
            return super().controls(environment)
        named = tuple(Choice(k, name) for k, name in enumerate(moves(environment.setup.words)))
        return tuple(Controls(named) for _ in environment.seats)
