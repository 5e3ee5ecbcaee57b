"""Many environments of several seats as one batch: a row for each seat, as those expect who share a policy.

::

    envs = seat_vector("lambda-star-v2", 256, subjects=3)      # 768 rows
    observations, infos = envs.reset(seed=1)
    observations, rewards, terminated, truncated, infos = envs.step(actions)       # one for each row

Rows e * n to (e + 1) * n - 1 are the n seats of environment e. All seats of an environment act together;
``envs.acts`` is a mask of the rows whose next action counts: where an episode has ended and the next one begins with
the next step, none of that environment does. Compiled worlds are stepped by one call, others by PettingZoo's parallel
view, one after the other.
"""

from __future__ import annotations

from typing import Any

from gymnasium.vector import AutoresetMode

from mensura.adapters.block_vector import BlockVector
from mensura.adapters.episodes import Within, make_world
from mensura.adapters.parallel_rows import ParallelRows
from mensura.adapters.pettingzoo import WorldParallelEnv
from mensura.adapters.vector import WorldVector, in_blocks
from mensura.agent.errors import MensuraError
from mensura.core.contract import World
from mensura.core.devices import check_device


def seat_vector(
    world: str | World = "lambda-star-v2",
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
