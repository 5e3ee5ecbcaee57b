"""Sentences that point into a text which cannot be read: what stands where, and what belongs there."""

from mensura.agent.errors import MensuraError

_SHOWN = 30
"""How many characters are quoted to each side of the wrong one."""


def misread(what: str, text: str, at: int, right: str) -> MensuraError:
    """The error for `text[at]`, or for the end of the text; `right` says what would be right.

    `what` names the text: "The space", "Rule 3". Characters are counted from 1.
    """
    first, last = max(0, at - _SHOWN), min(len(text), at + _SHOWN)
    dots = "..." if first else "", "..." if last < len(text) else ""
    quoted = f"'{dots[0]}{text[first:last]}{dots[1]}'"
    if at >= len(text):
        return MensuraError(f"{what} {quoted} ends after character {len(text)}; {right}.")
    return MensuraError(f"{what} {quoted} has {text[at]!r} at character {at + 1}; {right}.")
