"""Environments that PettingZoo's parallel view steps one after the other, as one batch with a row for each seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from mensura.adapters.pettingzoo import WorldParallelEnv
from mensura.agent.errors import MensuraError

Mask = npt.NDArray[np.bool_]


class ParallelRows(VectorEnv[Any, Any, Any]):
    """Environments of PettingZoo's parallel view as one batch; all their agents have the same spaces."""

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        environments: Sequence[WorldParallelEnv],
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        if autoreset_mode is AutoresetMode.DISABLED:
            raise MensuraError(
                "Here the next episode begins with the next step, or in the same one."
            )
        first = environments[0]
        agents = first.possible_agents
        seen = {str(first.observation_space(name)) for name in agents}
        if len(seen) > 1 or len({str(first.action_space(name)) for name in agents}) > 1:
            raise MensuraError(
                f"The seats of {first.world.id} have different spaces, so they are no rows of one batch; use "
                "parallel_env."
            )
        self._environments, self._mode = environments, autoreset_mode
        self._agents = agents
        self.num_envs = len(environments) * len(agents)
        self.single_observation_space: Space[Any] = first.observation_space(agents[0])
        self.single_action_space: Space[Any] = first.action_space(agents[0])
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.metadata = {**self.metadata, "autoreset_mode": autoreset_mode}
        self._over = np.zeros(len(environments), bool)

    @property
    def seats(self) -> int:
        """How many rows each environment has."""
        return len(self._agents)

    @property
    def acts(self) -> Mask:
        """Which rows' next actions count."""
        return np.repeat(~self._over, len(self._agents))

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in every environment; environment i has the seed plus i."""
        count = len(self._environments)
        seeds = [seed + i for i in range(count)] if isinstance(seed, int) else seed
        observations: list[Any] = []
        for environment, start in zip(self._environments, seeds or [None] * count, strict=True):
            observations.extend(environment.reset(seed=start)[0].values())
        self._over[:] = False
        return self._batch(observations), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One interaction of every environment; those whose episode had ended begin the next, as the mode says."""
        seats = len(self._agents)
        choices = list(iterate(self.action_space, actions))
        if len(choices) != self.num_envs:
            raise ValueError(f"there are {len(choices)} actions for {self.num_envs} rows")
        observations: list[Any] = []
        rewards, ended, cut = np.zeros(self.num_envs), *np.zeros((2, self.num_envs), bool)
        final = np.full(self.num_envs, None, object)
        for e, environment in enumerate(self._environments):
            rows = slice(e * seats, (e + 1) * seats)
            if self._over[e]:
                observations.extend(environment.reset()[0].values())
                self._over[e] = False
                continue
            played = dict(zip(self._agents, choices[rows], strict=True))
            seen, earned, over, truncated, _ = environment.step(played)
            rewards[rows], ended[rows], cut[rows] = (
                [column[name] for name in self._agents] for column in (earned, over, truncated)
            )
            if not environment.agents:
                if self._mode is AutoresetMode.SAME_STEP:
                    for row, last in zip(
                        range(*rows.indices(self.num_envs)), seen.values(), strict=True
                    ):
                        final[row] = last
                    seen = environment.reset()[0]
                else:
                    self._over[e] = True
            observations.extend(seen.values())
        infos: dict[str, Any] = {}
        if self._mode is AutoresetMode.SAME_STEP and (ended | cut).any():
            infos = {"final_obs": final, "_final_obs": ended | cut}
        return self._batch(observations), rewards, ended, cut, infos

    def _batch(self, observations: list[Any]) -> Any:
        room: Any = create_empty_array(self.single_observation_space, self.num_envs)
        return concatenate(self.single_observation_space, observations, room)
