"""Where the environments of a world come from: what a subject could know of them before it is assessed.

What is generated afresh cannot be known beforehand. The items of a public bank, and environments that are always the
same, can be: a subject may bring the answers with it, and no isolation changes that. So only scores in worlds that
generate their environments are ranked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # commands that compute nothing are to answer at once
    from mensura.core.contract import World

GENERATED = "generated afresh"
BANK = "drawn from a public bank"
FIXED = "fixed"
NOT_STATED = "not stated"
"""Of a world that does not say; it is treated as one whose environments can be known."""

CONTENTS: Mapping[str, str] = {
    GENERATED: "each environment is made from a fresh seed",
    BANK: "environments or their answers are taken from a collection that anybody can have",
    FIXED: "the environment is always the same",
}
"""What a world may say, and what it means."""


class Sourced(Protocol):
    """A world that says where its environments come from."""

    content: str
    """One of :data:`CONTENTS`; it may depend on the parameters."""


def content_of(world: World) -> str:
    """Where the environments of a world come from; "not stated" where it does not say, or says something else."""
    content = getattr(world, "content", NOT_STATED)
    return content if isinstance(content, str) and content in CONTENTS else NOT_STATED


def can_be_memorized(content: str) -> bool:
    """Whether a subject may have brought the answers to such environments."""
    return content != GENERATED


def content_mark(content: str) -> str:
    """What is said of a score in such a world, as a sentence; nothing where environments are generated afresh."""
    if not can_be_memorized(content):
        return ""
    if content == NOT_STATED:
        return (
            "The world does not say where its environments come from (content: not stated): a subject may have brought "
            "the answers with it. No leaderboard ranks such scores."
        )
    return (
        f"The environments of this world are not generated afresh (content: {content}): a subject may have brought the "
        "answers with it. No leaderboard ranks such scores."
    )
