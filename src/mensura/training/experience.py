"""What others did, as transitions that a learner can draw from (human experience replay)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.fitting import is_row, row_of
from mensura.agent.keys import Key, fold
from mensura.agent.spaces import Discrete
from mensura.core.abilities import hosting, measures_of, values
from mensura.core.contract import Environment, Turn, World
from mensura.core.players import Subject
from mensura.pictures.view import View

if TYPE_CHECKING:  # who only records needs no PyTorch
    import torch

    from mensura.training.memory import Memory


@dataclass
class Played:
    """One episode: what was seen from its beginning to its end, and what was done in between."""

    seen: list[Any] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    terminated: bool = False
    measures: Mapping[str, float] = field(default_factory=dict)
    """What the environment tells of it at its end."""


@dataclass
class Experience:
    """Episodes of somebody else."""

    episodes: list[Played] = field(default_factory=list)

    @property
    def interactions(self) -> int:
        """How many there are."""
        return sum(len(one.actions) for one in self.episodes)

    def places(self, stack: int) -> int:
        """How many places of a ring it takes."""
        return sum(len(one.actions) + stack for one in self.episodes)

    def memory(self, shape: Any, device: torch.device) -> Memory:
        """All of it, to be drawn from."""
        import torch

        from mensura.training.memory import Memory

        places = self.places(shape.stack) + shape.stack + 2
        memory = Memory((1, places), shape.one, shape.stack, device)
        for episode in self.episodes:
            first, *later = (
                shape.apart(np.asarray(one, shape.kind).reshape(shape.seen)) for one in episode.seen
            )
            memory.begin(0, torch.from_numpy(first.copy()))
            steps = zip(episode.actions, episode.rewards, later, strict=True)
            for number, (action, reward, seen) in enumerate(steps, 1):
                ended = episode.terminated and number == len(episode.actions)
                memory.put(0, action, reward, ended, torch.from_numpy(seen[-1].copy()))
        return memory


class Recorder:
    """Keeps what is seen and done in the episodes that it observes."""

    player = episode = ""
    """Who plays now; nobody is told."""

    def __init__(self, most: float = math.inf) -> None:
        """``most``: so many interactions are enough, where somebody asks."""
        self.experience = Experience()
        self._most = most

    def __len__(self) -> int:
        """How many interactions there are."""
        return self.experience.interactions

    @property
    def is_full(self) -> bool:
        """Whether they are enough."""
        return len(self) >= self._most

    def watch(self, view: View) -> Recorder:
        """Look on; nothing is drawn."""
        return self

    def started(self, environment: Environment, turn: Turn) -> None:
        """An episode begins."""
        self._spaces = environment.spaces(0)
        if not isinstance(self._spaces[1], Discrete):
            raise MensuraError("Experience is of actions that are one of a few.")
        self.experience.episodes.append(Played([self._shown(turn)]))

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""
        assert isinstance(self._spaces[1], Discrete)
        episode = self.experience.episodes[-1]
        episode.seen.append(self._shown(turn))
        episode.actions.append(int(actions[0]) - self._spaces[1].start)
        episode.rewards.append(float(turn.rewards[0]))
        episode.terminated = turn.ended == "terminated"
        if turn.ended is not None:
            episode.measures = dict(measures_of(environment))

    def _shown(self, turn: Turn) -> Any:
        seen = turn.observations[0]
        return np.array(row_of(seen) if is_row(self._spaces[0]) else seen)


def experience_of_run(store: str | None, name: str, world: World, interactions: int) -> Experience:
    """What was done in the assessed episodes of a run, by people or by programs; no more than so many interactions."""
    from mensura.api.checkpoints_from_run import play_run
    from mensura.records.store import open_store

    recorder = Recorder(interactions)
    with open_store(store, create=False) as records:
        run = records.find(name)
        found = play_run(records, run, recorder)
    if not found:
        raise MensuraError(f"Nothing was played in the run {name} that may be used.")
    wanted = {"world": world.id, **values(world)}
    for one in found:
        there = {"world": one.id, **values(one)}
        for parameter in {**wanted, **there}:
            if parameter != "horizon" and wanted.get(parameter) != there.get(parameter):
                raise MensuraError(
                    f"In the run {name} {parameter} is {there.get(parameter)!r}, not {wanted.get(parameter)!r}: that "
                    "is experience of another task."
                )
    return recorder.experience


def experience_of(
    subject: Subject, world: World, interactions: int, seed: Key, training: int | None = None
) -> Experience:
    """What a subject does in a world, episode by episode, until there are so many interactions."""
    from mensura.api.watching import play

    home = hosting(world, subject)
    recorder = Recorder()
    number = 0
    while recorder.experience.interactions < interactions:
        watched = play(
            subject, home, lambda view: [recorder], seed=fold(seed, number), training=training
        )
        if watched.faults:  # what was played in its place is not its experience
            fault = watched.faults[0]
            raise MensuraError(
                f"{subject.name} cannot give experience: it {fault.kind} at interaction {fault.interaction}."
            )
        number += 1
    return recorder.experience
