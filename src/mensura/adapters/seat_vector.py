"""Many environments of several seats as one batch: a row for each seat, as those expect who share a policy.

::

    envs = seat_vector("lambda-star-v1", 256, subjects=3)      # 768 rows
    observations, infos = envs.reset(seed=1)
    observations, rewards, terminated, truncated, infos = envs.step(actions)       # one for each row

Rows e * n to (e + 1) * n - 1 are the n seats of environment e. All seats of an environment act together;
``envs.acts`` is a mask of the rows whose next action counts: where an episode has ended and the next one begins with
the next step, none of that environment does. Compiled worlds are stepped by one call, others by PettingZoo's parallel
view, one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from mensura.adapters.block_vector import BlockVector
from mensura.adapters.episodes import Within, make_world
from mensura.adapters.pettingzoo import WorldParallelEnv
from mensura.adapters.vector import WorldVector, in_blocks
from mensura.core.contract import World
from mensura.core.devices import check_device
from mensura.core.errors import MensuraError

Mask = npt.NDArray[np.bool_]


def seat_vector(
    world: str | World = "lambda-star-v1",
    num_envs: int = 1,
    *,
    within: Within | None = None,
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    device: str = "cpu",
    **parameters: Any,
) -> BlockVector | ParallelRows:
    """So many environments of a world, by its id and parameters or as an object, with a row for each seat."""
    made, mode = make_world(world, parameters), AutoresetMode(autoreset_mode)
    check_device(device)
    if in_blocks(made):
        if device == "cpu":
            return WorldVector(made, num_envs, autoreset_mode=mode, within=within)
        from mensura.adapters.gpu_vector import GpuVector

        return GpuVector(made, num_envs, autoreset_mode=mode, within=within)
    if device != "cpu":
        raise MensuraError(f"{made.id} has no compiled vector here, so it cannot be on a GPU.")
    if num_envs < 1:
        raise MensuraError(f"num_envs is {num_envs}; it is at least 1.")
    return ParallelRows([WorldParallelEnv(made, within=within) for _ in range(num_envs)], mode)


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
        shown: list[Any] = []
        for one, own in zip(self._environments, seeds or [None] * count, strict=True):
            shown.extend(one.reset(seed=own)[0].values())
        self._over[:] = False
        return self._batch(shown), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One interaction of every environment; those whose episode had ended begin the next, as the mode says."""
        seats = len(self._agents)
        given = list(iterate(self.action_space, actions))
        if len(given) != self.num_envs:
            raise ValueError(f"there are {len(given)} actions for {self.num_envs} rows")
        shown: list[Any] = []
        rewards, ended, cut = np.zeros(self.num_envs), *np.zeros((2, self.num_envs), bool)
        final = np.full(self.num_envs, None, object)
        for e, one in enumerate(self._environments):
            rows = slice(e * seats, (e + 1) * seats)
            if self._over[e]:
                shown.extend(one.reset()[0].values())
                self._over[e] = False
                continue
            played = dict(zip(self._agents, given[rows], strict=True))
            seen, earned, over, truncated, _ = one.step(played)
            rewards[rows], ended[rows], cut[rows] = (
                [told[name] for name in self._agents] for told in (earned, over, truncated)
            )
            if not one.agents:
                if self._mode is AutoresetMode.SAME_STEP:
                    for row, last in zip(
                        range(*rows.indices(self.num_envs)), seen.values(), strict=True
                    ):
                        final[row] = last
                    seen = one.reset()[0]
                else:
                    self._over[e] = True
            shown.extend(seen.values())
        infos: dict[str, Any] = {}
        if self._mode is AutoresetMode.SAME_STEP and (ended | cut).any():
            infos = {"final_obs": final, "_final_obs": ended | cut}
        return self._batch(shown), rewards, ended, cut, infos

    def _batch(self, shown: list[Any]) -> Any:
        room: Any = create_empty_array(self.single_observation_space, self.num_envs)
        return concatenate(self.single_observation_space, shown, room)
