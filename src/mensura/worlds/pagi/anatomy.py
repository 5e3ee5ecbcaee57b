"""The measures of a body, as the program of the authors has them."""

from __future__ import annotations

RADIUS = 1.14
MASS = 50.0
HAND_MASS = 1.0
HAND_DRAG = 1.0
ROPE = 3.7
SHOULDERS = {"L": (-1.9, 0.2), "R": (1.9, 0.2)}
WRIST = (0.0, -0.5)
GRAVITY = 9.81
BODY_FRICTION = 0.5
"""Of a body; the friction of two that touch is the product of theirs."""
FELT = frozenset({"dispenser", "button", "switch", "hook", "weight"})
"""Roles of what can be felt and gripped though nothing collides with it."""
