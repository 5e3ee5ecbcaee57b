"""Pictures for tests: any picture at all, and an episode of discs that move."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from mensura.core.contract import Turn
from mensura.core.palette import ROLES
from mensura.pictures.picture import Area, Disc, Image, Line, Picture, Words

numbers = st.floats(-30, 30) | st.sampled_from([0.0, -0.0, 1e-9, 1e5])
positive = st.floats(0.01, 30)
places = st.tuples(numbers, numbers)
roles = st.sampled_from([*ROLES, "shade-0", "shade-0.37", "shade-1"])
shares = st.floats(0, 1)
outlines = st.sampled_from(["", "ink", "evil"])
texts = st.text(max_size=12) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        "]]>&amp;\"'",
        "\x1b[2J",
        "a\nb",
        "日本",
        "e\u0301",
        "\u0600",
        "\ufffe\ud800",
    ]
)
marks: dict[str, Any] = {
    "label": texts,
    "action": st.none() | st.integers() | st.lists(st.floats(-1, 1), max_size=2) | texts,
    "cell": st.none() | st.integers(0, 9),
}
points = st.lists(places, min_size=1, max_size=5)
pixels = st.integers(1, 4).map(lambda n: np.arange(n * 6, dtype=np.uint8).reshape(n, 2, 3))
shapes = st.one_of(
    st.builds(Line, points, roles, positive, st.booleans(), st.booleans(), **marks),
    st.builds(Area, points, roles, shares, outlines, **marks),
    st.builds(Disc, places, st.floats(0, 9), roles, shares, outlines, **marks),
    st.builds(
        Words,
        texts,
        places,
        positive,
        roles,
        st.sampled_from(["start", "middle", "end"]),
        numbers,
        **marks,
    ),
    st.builds(Image, pixels, places, st.tuples(positive, positive), **marks),
)
pictures = st.builds(
    Picture,
    st.lists(shapes, max_size=6),
    st.tuples(positive, positive),
    texts,
    st.lists(st.tuples(roles, texts), max_size=3),
)


class Seats:
    """As much of an environment as a film asks for."""

    description = None
    seats = (None, None)


def film_of(film: Any, frames: int, reward: float = 0.5) -> Any:
    """A film that has observed an episode of so many frames."""
    environment: Any = Seats()
    environment.frame = 0
    film.started(environment, Turn((0,), [0], [0.0]))
    for frame in range(1, frames):
        environment.frame = frame
        film.stepped(environment, [0], Turn((0,), [0], [reward]))
    return film
