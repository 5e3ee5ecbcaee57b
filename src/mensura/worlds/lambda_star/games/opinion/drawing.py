"""What is drawn of opinions: what each believes, beside it, and what is so."""

from __future__ import annotations

from collections.abc import Iterator

from mensura.pictures.picture import Disc, Place, Shape
from mensura.worlds.lambda_star.torus.drawing import Look
from mensura.worlds.lambda_star.torus.moment import Moment


def _belief(at: Place, size: float, belief: float) -> Shape:
    """What somebody believes: a full disc is yes."""
    role = "ink" if belief > 0 else "paper"
    words = "believes yes" if belief > 0 else "believes no"
    return Disc(at, size, role, outline="ink", width=0.3 * size, label=words)


def _subtitles(environment: Moment) -> Iterator[str]:
    content = environment.description.drawn_values
    if content:
        yield f"what is so: {'yes' if content[0] > 0 else 'no'}"


LOOK = Look(
    subtitles=_subtitles,
    signal=_belief,
    signals=((1.0, "believes yes"), (-1.0, "believes no")),
)
