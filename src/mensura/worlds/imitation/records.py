"""What judges do is one record with a kind: saying, moving a slider, marking a message, the verdict, silence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mensura.agent.spaces import Discrete, Record, Several, Space, Text
from mensura.records.conversation import LABELS, MACHINE, PERSON

__all__ = ["LABELS", "MACHINE", "PERSON"]

SAY, SLIDER, MARK, VERDICT, SILENCE = "say", "slider", "mark", "verdict", "silence"
KINDS = (SAY, SLIDER, MARK, VERDICT, SILENCE)
JURY = "J"
"""The channel in which a jury deliberates."""
CANNOT_TELL = ""
MOST = 100
"""Sliders and confidences go up to it."""
MIDDLE = 50
"""A slider in the middle: as much a person as a machine; and the confidence of who guesses."""
MOST_MESSAGES = 1000
SURE = 80
"""Characters of what is told at the end."""


def action(
    kind: str, *, channel: str = "", text: str = "", choice: str = "", value: int = MIDDLE
) -> dict[str, Any]:
    """A record of a judge."""
    return {"kind": kind, "channel": channel, "text": text, "choice": choice, "value": value}


SILENT: Mapping[str, Any] = action(SILENCE)


def judge_actions(longest: int) -> Space:
    """What a judge may do."""
    return Record(
        (
            ("kind", Text(8)),
            ("channel", Text(1)),
            ("text", Text(longest)),
            ("choice", Text(8)),
            ("value", Discrete(MOST_MESSAGES)),
        )
    )


def observations(longest: int) -> Space:
    """What a seat sees: the phase, whom it is to address, the messages of its channels, and at the end the truth."""
    message = Record(
        (
            ("number", Discrete(MOST_MESSAGES)),
            ("channel", Text(1)),
            ("author", Text(12)),
            ("text", Text(longest)),
        )
    )
    return Record(
        (
            ("phase", Text(12)),
            ("channel", Text(1)),
            ("channels", Text(2)),
            ("round", Discrete(100)),
            ("left", Discrete(MOST_MESSAGES)),
            ("messages", Several(message, MOST_MESSAGES)),
            ("truth", Text(SURE)),
        )
    )
