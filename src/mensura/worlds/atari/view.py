"""How commands and pages see a game."""

from __future__ import annotations

from typing import Any

from mensura.pictures.scenes import Choice, Controls
from mensura.pictures.view import PlainView
from mensura.worlds.atari.environment import ACTIONS

KEYS = ("up", "down", "left", "right", "fire")


class AtariView(PlainView):
    """The plain view, with names for what the joystick does."""

    def controls(self, environment: Any) -> tuple[Controls, ...]:
        """The actions by name."""
        choices = (
            Choice(
                k, ACTIONS[one], held=tuple(word for word in KEYS if word in ACTIONS[one].split())
            )
            for k, one in enumerate(environment.actions)
        )
        return (Controls(tuple(choices)),)
