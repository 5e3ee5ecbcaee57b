"""What the author of an agent imports, and all of Mensura that a subject in a process of its own can see.

It imports nothing else of ours: the rest of the house takes these classes from here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # whoever asks for an error waits for no NumPy
    from mensura.agent.base import Agent, Probes
    from mensura.agent.errors import MensuraError
    from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text
    from mensura.agent.task import Limits, Message, Seat, Task

__all__ = [
    "Agent",
    "Box",
    "Discrete",
    "Limits",
    "MensuraError",
    "Message",
    "Probes",
    "Record",
    "Seat",
    "Several",
    "Space",
    "Task",
    "Text",
]

_HOMES = {
    **dict.fromkeys(("Agent", "Probes"), "base"),
    **dict.fromkeys(("Box", "Discrete", "Record", "Several", "Space", "Text"), "spaces"),
    **dict.fromkeys(("Limits", "Message", "Seat", "Task"), "task"),
    "MensuraError": "errors",
}
"""The module that each name comes from."""


def __getattr__(name: str) -> Any:
    """A name, whose module is imported when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
