"""Seeds as text: they have 64 bits, and browsers do not know all whole numbers of that size."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mensura.agent.errors import MensuraError
from mensura.agent.keys import MASK, Key

Seed = Annotated[str, Field(max_length=20, pattern=r"^[0-9]*$", description="From 0 to 2^64 - 1.")]


def seed_of(text: str) -> Key:
    """The seed that a text is."""
    if not text.isascii() or not text.isdigit() or len(text) > 20 or int(text) > MASK:
        raise MensuraError(f"The seed {text[:40]!r} is none; it is from 0 to 2^64 - 1.")
    return int(text)
