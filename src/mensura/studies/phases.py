"""Training in phases: tasks, how long each is trained in, and where what was learned can be looked at.

A phase is cut at powers of 2, so that learning curves and longer phases find their beginnings among shorter ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, below, draw, fold, key
from mensura.core.abilities import horizon, horizon_of
from mensura.core.contract import Description, Episode, Plan, World
from mensura.studies.parameters import plain_parameters

_ENVIRONMENT, _RESET = 0, 1
"""The streams of an episode."""

FIRST_CHECKPOINT = 16
"""The first checkpoint of a phase, in interactions; each further one is at twice as many."""


Draw: TypeAlias = Callable[[Key], tuple[Description, Key | None]]
"""From a key to an environment, with the key that it was sampled with, where it was sampled."""


@dataclass(frozen=True)
class TrainingTask:
    """A task-environment, or a set of them: one environment, or whatever a world draws."""

    name: str
    world: World
    environment: Key | None = None
    """The seed of its one environment, which ``mensura worlds show --seed`` shows; None: a new one for each episode."""
    description: Description | None = None
    """Its one environment, where that was made by hand."""
    is_rated: bool = True
    """Whether performance in it is measured, and not only training."""

    def __post_init__(self) -> None:
        """Raise if it is one environment twice over, or its rewards are not performances."""
        if self.environment is not None and self.description is not None:
            raise MensuraError(
                f"The task {self.name} has a seed of an environment and a description; give one of them."
            )
        if self.is_rated and "bounded" not in self.world.promises:
            raise MensuraError(
                f"{self.world.id} does not promise rewards from -1 to 1 as it is set, so performance in it has no "
                "scale; take a world that does."
            )

    @cached_property
    def identity(self) -> str:
        """What sets it apart from other tasks; the streams of its draws are named by it."""
        own = None if self.description is None else self.description.to_json()
        told = [self.world.id, plain_parameters(self.world), self.environment, own]
        return json.dumps(told, sort_keys=True, separators=(",", ":"))

    def drawing(self, world: World) -> Draw:
        """What draws the environments of its episodes in a world; a single one is drawn once."""
        if self.description is not None:
            made = self.description
            return lambda _: (made, None)
        if self.environment is None:
            return lambda own: (world.sample(own), own)
        seed = key(self.environment, "show")
        one = world.sample(seed)
        return lambda _: (one, seed)


@dataclass(frozen=True)
class Phase:
    """So many interactions in a task."""

    task: TrainingTask
    interactions: int
    learning: bool = True
    """Whether the subject is told that it is training."""

    def __post_init__(self) -> None:
        """Raise if it is shorter than nothing."""
        if self.interactions < 0:
            raise MensuraError(
                f"A phase of {self.interactions} interactions is impossible; 0 or more are possible."
            )


class Segment(NamedTuple):
    """A part of a phase between two checkpoints."""

    task: str
    """The identity of the task."""
    begin: int
    """How many interactions in this task were before it."""
    end: int
    learning: bool = True


Path: TypeAlias = tuple[Segment, ...]
"""What a learner went through, from its birth on."""


def checkpoints(interactions: int) -> list[int]:
    """Where a phase is cut, its end included: at powers of 2."""
    found = []
    at = FIRST_CHECKPOINT
    while at < interactions:
        found.append(at)
        at *= 2
    return [*found, interactions] if interactions else found


def path_of(phases: Sequence[Phase]) -> Path:
    """The segments of phases in a row. Neighbors in one task are one phase, and an empty phase is none."""
    joined: list[Phase] = []
    for phase in phases:
        last = joined[-1] if joined else None
        if not phase.interactions:
            continue
        if last is not None and (last.task.identity, last.learning) == (
            phase.task.identity,
            phase.learning,
        ):
            joined[-1] = replace(last, interactions=last.interactions + phase.interactions)
        else:
            joined.append(phase)
    had: dict[str, int] = {}
    path: list[Segment] = []
    for phase in joined:
        name = phase.task.identity
        start = at = had.get(name, 0)
        for end in checkpoints(phase.interactions):
            path.append(Segment(name, at, start + end, phase.learning))
            at = start + end
        had[name] = at
    return tuple(path)


def by_turns(x: TrainingTask, y: TrainingTask, interactions: int, order: Key) -> Path:
    """Two tasks by turns, an episode each; who of the two is first is drawn for each pair of turns."""
    lengths = [horizon(one.world) or max(interactions // FIRST_CHECKPOINT, 1) for one in (x, y)]
    had: dict[str, int] = {}
    path: list[Segment] = []
    left, turn = interactions, 0
    while left:
        flipped = below(draw(order, turn // 2, 0), 2)
        which = (turn + flipped) % 2
        name, length = (x, y)[which].identity, min(lengths[which], left)
        at = had.get(name, 0)
        if path and path[-1].task == name:
            path[-1] = path[-1]._replace(end=at + length)
        else:
            path.append(Segment(name, at, at + length))
        had[name] = at + length
        left -= length
        turn += 1
    return tuple(path)


def starts_phase(path: Path, number: int) -> bool:
    """Whether a segment of a path begins a phase, and does not go on with the one before it."""
    own = path[number]
    return not number or (path[number - 1].task, path[number - 1].learning) != (
        own.task,
        own.learning,
    )


def last_phase(path: Path) -> int:
    """The number of the segment with which the last phase of a path begins."""
    number = len(path) - 1
    while number > 0 and not starts_phase(path, number):
        number -= 1
    return max(number, 0)


@dataclass(frozen=True)
class Training:
    """A segment as an assessment: episodes, one after another, until its interactions are used up."""

    draw: Draw
    segment: Segment
    sittings: int = 1

    def sitting(self, world: World, key_: Key) -> Generator[Plan, Episode, float]:
        """Ask for episodes; that number n of interactions into the task has the stream n."""
        at = self.segment.begin
        while at < self.segment.end:
            own = fold(key_, at)
            left = self.segment.end - at
            description, environment = self.draw(fold(own, _ENVIRONMENT))
            length = horizon_of(description) or horizon(world)
            whole = length is not None and length <= left
            episode = yield Plan(
                description,
                fold(own, _RESET),
                learning=self.segment.learning,
                environment=environment,
                interactions=None if whole else left,
            )
            at += max(1, *episode.interactions)
        return 0.0


@dataclass(frozen=True)
class Testing:
    """Performance in a task as an assessment: the mean reward of some episodes that are not training."""

    draw: Draw
    episodes: int
    sittings: int = 1

    def sitting(self, world: World, key_: Key) -> Generator[Plan, Episode, float]:
        """Ask for the episodes; the mean of their mean rewards."""
        total = 0.0
        for number in range(self.episodes):
            own = fold(key_, number)
            description, environment = self.draw(fold(own, _ENVIRONMENT))
            episode = yield Plan(description, fold(own, _RESET), environment=environment)
            total += episode.mean_reward
        return total / self.episodes
