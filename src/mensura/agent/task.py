"""What a subject is told about what it sits down to, and what it may use.

A :class:`Task` holds neither a key nor a description, from which a subject could rebuild its environment.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Space

Message: TypeAlias = Any
"""What one member of a collective tells the others: anything that JSON can write."""

Clock: TypeAlias = Literal["interactions", "simulated", "wall"]
"""What time is in an episode: interactions alone; or actions count after the seconds that they took, in a time of the
environment's own; or the slot itself is in seconds."""


@dataclass(frozen=True)
class Seat:
    """A place for one agent in an environment."""

    index: int
    group: str = "subject"
    """Only the seats of the group "subject" are scored."""
    rights: frozenset[str] = frozenset()
    """What the observation may hold beyond the ordinary: "sees_future", ..."""


MOST_MEGABYTES = 1 << 30
"""A petabyte: beyond it numbers of bytes no longer fit into what the system takes."""

MOST_SECONDS = 10**9
MOST_PROCESSES = 1 << 22
"""So many processes Linux can tell apart."""

MOST_FAULTS = 10**9


@dataclass(frozen=True)
class Limits:
    """What a subject may use; enforced for subjects in a process of their own.

    Inside our own process time is only measured; a worker process that an agent holds up, or whose memory it eats,
    is ended.
    """

    seconds_per_action: float = 10.0
    seconds_to_start: float = 60.0
    faults: int = 3
    """After so many faults a seat is not asked again in its sitting."""
    seconds_per_episode: float | None = None
    """All answers of a seat in an episode together; then it is not asked again in that episode."""
    memory_mb: int | None = None
    """What the processes of a subject may take, in megabytes."""
    cpu_seconds: int | None = None
    """The processor time that each process of a subject may take, in a sitting."""
    processes: int = 256
    """How many processes and threads a subject may have at once."""
    disk_mb: int = 1024
    """What a subject may write into its temporary folder, in megabytes."""
    network: bool = False
    """Whether a subject in a process of its own may use the network."""
    environment: tuple[str, ...] = ()
    """The variables of our environment that a subject sees, by name, beside those that it needs to run."""
    readable: tuple[str, ...] = ()
    """Files and folders that a subject may read beside its own."""
    isolation: bool = True
    """Whether a subject in a process of its own is kept from our files, processes and network."""

    def __post_init__(self) -> None:
        """Lists, as they come from a file, are tuples here; a limit that no machine can keep to is refused."""
        for name, most in _MOST.items():
            value = getattr(self, name)
            endless = name.startswith("seconds_") and value == math.inf
            if value is not None and not (0 < value <= most or endless):
                raise MensuraError(
                    f"The limit {name} is {value!r}; it must be above 0 and at most {most}."
                )
        if not isinstance(self.isolation, bool):
            raise MensuraError(
                f"The limit isolation is {self.isolation!r}; it must be true or false."
            )
        object.__setattr__(self, "environment", tuple(self.environment))
        object.__setattr__(self, "readable", tuple(self.readable))


_MOST = {
    "seconds_per_action": MOST_SECONDS,
    "seconds_to_start": MOST_SECONDS,
    "seconds_per_episode": MOST_SECONDS,
    "faults": MOST_FAULTS,
    "memory_mb": MOST_MEGABYTES,
    "cpu_seconds": MOST_SECONDS,
    "processes": MOST_PROCESSES,
    "disk_mb": MOST_MEGABYTES,
}


@dataclass(frozen=True)
class Task:
    """All that a subject is told about what it sits down to."""

    world: str
    seat: Seat
    seats: int
    observation_space: Space
    action_space: Space
    horizon: int | None
    clock: Clock = "interactions"
    limits: Limits = Limits()
    learning: bool = False
    """Training, or assessed."""
    instructions: str = ""
    """What the environment tells the seat about its task before it begins; more where its rights say so."""
