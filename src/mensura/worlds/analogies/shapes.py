"""Forms of the shapes in rows: polygons around (0, 0) that fit into a circle of radius 1, none like another."""

from __future__ import annotations

import math

Form = tuple[tuple[float, float], ...]


def _star(points: int, inner: float, turned: float = 0.0) -> Form:
    found = []
    for k in range(2 * points):
        radius = 1.0 if k % 2 == 0 else inner
        angle = math.pi * k / points + turned
        found.append((radius * math.sin(angle), -radius * math.cos(angle)))
    return tuple(found)


def _regular(corners: int, turned: float = 0.0) -> Form:
    return tuple(
        (math.sin(angle), -math.cos(angle))
        for angle in (2 * math.pi * k / corners + turned for k in range(corners))
    )


_CROSS: Form = (
    (-0.3, -0.95), (0.3, -0.95), (0.3, -0.3), (0.95, -0.3), (0.95, 0.3), (0.3, 0.3),
    (0.3, 0.95), (-0.3, 0.95), (-0.3, 0.3), (-0.95, 0.3), (-0.95, -0.3), (-0.3, -0.3),
)  # fmt: skip
_CRESCENT: Form = (
    *((math.sin(math.pi * k / 12), -math.cos(math.pi * k / 12)) for k in range(13)),
    *((0.45 * math.sin(math.pi * k / 12), -math.cos(math.pi * k / 12)) for k in range(11, 0, -1)),
)
_GATE: Form = (
    (-0.8, 0.8), (-0.8, -0.8), (0.8, -0.8), (0.8, 0.8),
    (0.35, 0.8), (0.35, -0.35), (-0.35, -0.35), (-0.35, 0.8),
)  # fmt: skip
FORMS: dict[str, Form] = {
    "circle": _regular(32),
    "square": _regular(4, math.pi / 4),
    "triangle": _regular(3),
    "diamond": ((0, -1), (0.6, 0), (0, 1), (-0.6, 0)),
    "star": _star(5, 0.4),
    "cross": _CROSS,
    "hexagon": _regular(6),
    "pentagon": _regular(5),
    "arrow": ((0, -1), (0.8, 0), (0.35, 0), (0.35, 0.9), (-0.35, 0.9), (-0.35, 0), (-0.8, 0)),
    "hourglass": ((-0.7, -0.7), (0.7, -0.7), (0.12, 0), (0.7, 0.7), (-0.7, 0.7), (-0.12, 0)),
    "bar": ((-0.95, -0.3), (0.95, -0.3), (0.95, 0.3), (-0.95, 0.3)),
    "pillar": ((-0.25, -0.95), (0.25, -0.95), (0.25, 0.95), (-0.25, 0.95)),
    "trapezoid": ((-0.4, -0.6), (0.4, -0.6), (0.8, 0.6), (-0.8, 0.6)),
    "crescent": _CRESCENT,
    "corner": ((-0.8, -0.8), (-0.2, -0.8), (-0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (-0.8, 0.8)),
    "wedge": ((-0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)),
    "sun": _star(10, 0.65),
    "spark": _star(4, 0.3),
    "chevron": ((-0.8, -0.6), (0, -0.6), (0.7, 0), (0, 0.6), (-0.8, 0.6), (-0.1, 0)),
    "gate": _GATE,
}  # fmt: skip
NAMES = tuple(FORMS)
