"""What the author of an agent imports, and all of Mensura that a subject in a process of its own can see.

It imports nothing else of ours: the rest of the house takes these classes from here.
"""

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
