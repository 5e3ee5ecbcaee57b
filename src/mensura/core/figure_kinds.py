"""The kinds of figures that a study can ask for."""

from typing import Literal

FigureKind = Literal[
    "curve",
    "map",
    "complexity",
    "histogram",
    "boxes",
    "speed",
    "attempts",
    "interactions",
    "profile",
    "solved",
    "difficulty",
    "agreement",
]
"""What a study can ask to be drawn."""
