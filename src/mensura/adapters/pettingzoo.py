"""PettingZoo's parallel view of a world: one agent a seat, all of them acting at once.

::

    env = parallel_env("lambda-star-v2", subjects=3)
    observations, infos = env.reset(seed=1)
    while env.agents:
        actions = {agent: policy(observations[agent]) for agent in env.agents}
        observations, rewards, terminations, truncations, infos = env.step(actions)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import Space as GymSpace
from gymnasium.spaces import Box as GymBox
from gymnasium.spaces import Discrete as GymDiscrete
from pettingzoo import ParallelEnv

from mensura.adapters.conversion import (
    from_gymnasium,
    to_gymnasium,
)
from mensura.adapters.episodes import (
    Agents,
    Episodes,
    Rendering,
    Start,
    Within,
    make_world,
)
from mensura.agent.errors import MensuraError
from mensura.agent.fitting import is_row, row_of
from mensura.agent.spaces import Discrete
from mensura.core.abilities import step_rows
from mensura.core.contract import Description, Ended, Environment, Turn, World
from mensura.records.pools import Pool

Row: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = Sequence[Any] | Row
"""The observations of all seats, as one array (seats, size) where they are alike."""

Step: TypeAlias = Callable[[list[Any]], tuple[Rows, Sequence[float], Ended | None]]
"""Plays the actions of all seats: their observations, their rewards, and whether that was the end."""

PROBED_TURNS = 16
"""How far a new view looks for a turn at which not all seats are due."""


def parallel_env(
    world: str | World = "lambda-star-v2",
    *,
    description: Description | None = None,
    within: Within | None = None,
    render_mode: str | None = None,
    checkpoints: str | Path | Pool | None = None,
    limit: int | None = None,
    **parameters: Any,
) -> WorldParallelEnv:
    """The parallel view of a world, by its id and parameters or as an object.

    Each reset draws another environment, its complexity ``within`` ("K", 5, 10) where that is wanted; with a
    ``description`` it is always that one. With ``checkpoints``, a pool of them or its file, every episode starts from
    one. ``limit`` cuts episodes off after so many interactions.
    """
    return WorldParallelEnv(
        make_world(world, parameters),
        description=description,
        within=within,
        render_mode=render_mode,
        checkpoints=checkpoints,
        limit=limit,
    )


class WorldParallelEnv(ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """All seats of an environment, for learners that speak PettingZoo.

    Observation:
        A row of float64: the fields of the world's observation one after another. Where environments of the world
        differ in size, it has room for the largest; what an environment does not have is -1 or 0, as the world says.
        Arrays of another type, texts, lists (as tuples) and records that hold them keep their form.

    Actions:
        Counted from 0 as PettingZoo expects. Where the world counts from 1, action 0 here is 1 there. Where
        environments differ in size, an action that this one does not have is played as the world's default one. Where
        the world's actions are arrays, so are these; texts, records (as dictionaries) and lists (as tuples), too. Each
        agent has the spaces of its seat.

    End:
        All agents end together, terminated or truncated as the world says. The view never resets itself.

    A seed fixes the environments drawn and their resets: all episodes from there on. Without a seed no two
    views play the same. Neither keys nor descriptions are in the infos, from which an agent could learn them.
    """

    def __init__(
        self,
        world: World,
        *,
        description: Description | None = None,
        within: Within | None = None,
        render_mode: str | None = None,
        checkpoints: str | Path | Pool | None = None,
        limit: int | None = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise MensuraError(f"A limit of {limit} interactions is none; 1 is the least.")
        self._limit, self._made = limit, 0
        self.world = world
        self.render_mode = render_mode
        self._rendering = Rendering(world, render_mode)
        self.metadata = {
            "name": world.id.replace("-", "_"),
            "render_modes": list(Rendering.MODES),
            "is_parallelizable": True,
        }
        self._episodes = Episodes(world, description, within, checkpoints)
        self.possible_agents, self.observation_spaces, self.action_spaces = Agents.of(
            self._episodes
        )
        self.agents: list[str] = []
        self._starts: list[tuple[str, int]] = []
        self._shows: list[Callable[[Any], Any]] = []
        for name, (seen, done) in zip(self.possible_agents, self._episodes.spaces, strict=True):
            self._starts.append((name, done.start if isinstance(done, Discrete) else 0))
            self._shows.append(row_of if is_row(seen) else partial(to_gymnasium, seen))
        self._structured = not all(
            is_row(seen) and isinstance(self.action_spaces[name], GymDiscrete | GymBox)
            for name, (seen, _) in zip(self.possible_agents, self._episodes.spaces, strict=True)
        )
        """Whether observations or actions have a structure of their own, beside numbers and arrays."""
        self._names = tuple(self.possible_agents)
        self._numbered = tuple(enumerate(self._names))
        self._going = dict.fromkeys(self._names, False)
        self._environment: Environment | None = None
        self._episode: Start | None = None
        self._step: Step
        self._probe(description, within)

    def _probe(self, description: Description | None, within: Within | None) -> None:
        """Refuse a world whose seats act at different times, before anybody trains in it."""
        start = Episodes(self.world, description, within).next()
        turn = start.environment.reset(start.reset)
        self._all_due(turn)
        for _ in range(PROBED_TURNS):
            if turn.ended is None:
                defaults = [start.environment.default(seat) for seat in turn.due]
                turn = start.environment.step(defaults, [0.0] * len(defaults))
                self._all_due(turn)

    def _all_due(self, turn: Turn) -> None:
        if len(turn.due) != len(self._names):
            raise MensuraError(
                f"In {self.world.id} not all seats act at every turn, as PettingZoo's parallel interface "
                "wants them to; use mensura.adapters.aec instead."
            )

    def observation_space(self, agent: str) -> GymSpace[Any]:
        """What an agent observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> GymSpace[Any]:
        """What an agent can do: counted from 0, or an array, or whatever has a structure of its own."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start the next episode, or the first one of a seed; ``options["description"]`` names its environment."""
        if seed is not None:
            self._episodes.seed(seed)
        start = self._episodes.next(options)
        self._environment, self._episode = start.environment, start
        turn = start.environment.reset(start.reset)
        if start.state is not None:
            turn = start.environment.restore(start.state)
        self._made = 0
        self._all_due(turn)
        self._rendering.started(start.environment, turn)
        self._step = self._plain_step
        if not (self._structured or self._rendering.wanted):
            self._step = step_rows(start.environment) or self._plain_step
        if start.fit is not None:
            self._step = partial(self._fitted_step, start, self._step)
        # Where it is over as soon as it begins, nobody is left to act.
        self.agents = list(self._names) if turn.ended is None else []
        rows = [
            start.shown(seen, observation)
            for (seen, _), observation in zip(self._episodes.spaces, turn.observations, strict=True)
        ]
        return dict(zip(self._names, rows, strict=True)), {name: {} for name in self._names}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play one action for every agent."""
        # A step is played millions of times: one plain loop makes the three mappings, faster than zips or
        # comprehensions would, and what is wrong with actions is found out only after they failed.
        plays = []
        try:
            if self._structured:
                plays = self._played(actions)
            else:
                for name, start in self._starts:
                    plays.append(actions[name] + start)
            rows, rewards, ended = self._step(plays)
        except (AttributeError, KeyError, RuntimeError, TypeError, ValueError):
            self._refuse(actions)
            raise
        observations: dict[str, Any] = {}
        earned: dict[str, float] = {}
        infos: dict[str, dict[str, Any]] = {}
        for seat, name in self._numbered:
            observations[name] = rows[seat]
            earned[name] = rewards[seat]
            infos[name] = {}
        self._made += 1
        if ended is None and self._made == self._limit:
            ended = "truncated"
        if ended is None:
            return observations, earned, self._going.copy(), self._going.copy(), infos
        self.agents = []
        over, going = dict.fromkeys(self._names, True), self._going.copy()
        if ended == "terminated":
            return observations, earned, over, going, infos
        return observations, earned, going, over, infos

    def _played(self, actions: Mapping[str, Any]) -> list[Any]:
        """The world's own actions, where some have a structure."""
        return [
            actions[name] + start
            if isinstance(done, Discrete)
            else from_gymnasium(done, actions[name])
            for (name, start), (_, done) in zip(self._starts, self._episodes.spaces, strict=True)
        ]

    def _fitted_step(
        self, start: Start, step: Step, actions: list[Any]
    ) -> tuple[Rows, Sequence[float], Ended | None]:
        """A step of an environment that is smaller than the spaces of the view."""
        assert start.fit is not None
        played = actions
        for seat, action in enumerate(actions):
            if action > start.fit.last:
                name, first = self._starts[seat]
                space = self.action_spaces[name]
                if isinstance(space, GymDiscrete) and action >= first + space.n:
                    raise ValueError(f"{action!r} is not an action of {name}")
                played = [*played[:seat], start.action(seat, action), *played[seat + 1 :]]
        rows, rewards, ended = step(played)
        return start.fit.rows(np.asarray(rows)), rewards, ended

    def _plain_step(self, actions: list[Any]) -> tuple[Rows, Sequence[float], Ended | None]:
        """A step of an environment that has no quicker way to give its observations as rows."""
        assert self._environment is not None
        for seat, action in enumerate(actions):
            if not self._environment.legal(seat, action):
                raise ValueError(f"{action!r} is not an action of seat {seat} now")
        turn = self._environment.step(actions, [0.0] * len(actions))
        self._all_due(turn)
        self._rendering.stepped(self._environment, actions, turn)
        rows = [show(one) for show, one in zip(self._shows, turn.observations, strict=True)]
        return rows, turn.shown_rewards, turn.ended

    def _refuse(self, actions: Mapping[str, Any]) -> None:
        """Say what is wrong with actions that could not be played; nothing where it is not them."""
        if not self.agents:
            raise ValueError("the episode has ended or not begun: reset first")
        for name, start in self._starts:
            if name not in actions:
                raise ValueError(f"there is no action for {name}; every agent acts at every step")
            action, space = actions[name], self.action_spaces[name]
            if isinstance(space, GymBox):
                if not isinstance(action, np.ndarray) or not space.contains(action):
                    raise ValueError(
                        f"{action!r} is not an action of {name}; actions are arrays in {space}"
                    )
                continue
            if not space.contains(action):
                kinds = f"0 to {space.n - 1}" if isinstance(space, GymDiscrete) else f"in {space}"
                raise ValueError(f"{action!r} is not an action of {name}; actions are {kinds}")
            assert self._environment is not None
            assert self._episode is not None
            seat = self._names.index(name)
            done = self._episodes.spaces[seat][1]
            played = (
                self._episode.action(seat, int(action) + start)
                if isinstance(done, Discrete)
                else from_gymnasium(done, action)
            )
            if not self._environment.legal(seat, played):
                raise ValueError(f"{name} may not play {action!r} now")

    def render(self) -> Any:
        """The environment as text for the render mode "ansi", as an image for "rgb_array"."""
        return self._rendering.frame()

    def close(self) -> None:
        """Nothing is held open."""
