"""Turing's imitation game: judges who talk with witnesses and say which of them is the person."""

from typing import Any


def play(judge: Any, witnesses: Any, **settings: Any) -> Any:
    """Play one game: see :func:`mensura.worlds.imitation.playing.play`."""
    from mensura.worlds.imitation.playing import play as played

    return played(judge, witnesses, **settings)
