"""Gymnasium's vector view of a world: thousands of environments, stepped by one compiled call on all cores.

    envs = gymnasium.make_vec("mensura/LambdaStar-v2", num_envs=4096)

Environment i of a vector with seed s is the single environment with seed s + i, to the bit: the same environments
drawn, one episode after another, and the same observations and rewards. With device="gpu" they are on a GPU and stay
there (:mod:`mensura.adapters.gpu_vector`). Worlds without compiled rules, and environments
in which others sit, are stepped one after the other by Gymnasium's own class; where they have several seats, each of
these is a row.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from mensura.adapters.block_vector import Array, BlockVector
from mensura.adapters.episodes import Within, make_world
from mensura.adapters.gymnasium import WorldEnv
from mensura.adapters.parallel_rows import ParallelRows
from mensura.adapters.pettingzoo import WorldParallelEnv
from mensura.agent.errors import MensuraError
from mensura.agent.keys import Keys, fold_array, fresh
from mensura.agent.spaces import Box
from mensura.core.abilities import InBlocks, seats
from mensura.core.abilities import parameters as world_parameters
from mensura.core.blocks import ENVIRONMENT, RESET, Block
from mensura.core.contract import World
from mensura.core.devices import check_device
from mensura.core.registry import WORLDS


def make_vector(
    world: str | World = "lambda-star-v2",
    num_envs: int = 1,
    *,
    others: str | None = None,
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    render_mode: str | None = None,
    **parameters: Any,
) -> VectorEnv[Any, Any, Any]:
    """The vector of a world that ``gymnasium.make_vec`` gives: compiled where the world is, else one by one."""
    alone = isinstance(world, str) and others is None
    own = {
        name: parameters.pop(name)
        for name in ("within", "redraw", "copy", "threads", "device", "arrays")
        if name in parameters
    }
    if alone and "subjects" in world_parameters(WORLDS.load(str(world))):
        parameters.setdefault("subjects", 1)
    made = make_world(world, parameters)
    mode = AutoresetMode(autoreset_mode)
    device = own.pop("device", "cpu")
    check_device(device)
    misplaced = [
        name for name in (("arrays",) if device == "cpu" else ("copy", "threads")) if name in own
    ]
    if misplaced:
        raise MensuraError(f"With the device {device!r} there is no {misplaced[0]}; leave it out.")
    if others is None and render_mode is None and in_blocks(made):
        if device == "cpu":
            return WorldVector(made, num_envs, autoreset_mode=mode, **own)
        from mensura.adapters.gpu_vector import GpuVector

        return GpuVector(made, num_envs, autoreset_mode=mode, **own)
    if device != "cpu":
        raise MensuraError(f"{made.id} has no compiled vector here, so it cannot be on a GPU.")
    if own.get("redraw") is False or "threads" in own:
        raise MensuraError(
            f"{made.id} has no compiled vector here, so neither redraw nor threads can be set; leave them out."
        )

    if others is None and seats(made) > 1:
        within = own.get("within")
        views = [
            WorldParallelEnv(made, within=within, render_mode=render_mode) for _ in range(num_envs)
        ]
        return ParallelRows(views, mode)

    def one() -> gymnasium.Env[Any, Any]:
        return WorldEnv(made, others=others, within=own.get("within"), render_mode=render_mode)

    return SyncVectorEnv([one] * num_envs, copy=bool(own.get("copy", True)), autoreset_mode=mode)


def in_blocks(world: World) -> bool:
    """Whether environments of a world can be stepped by one compiled call."""
    return isinstance(world, InBlocks) and world.block() is not None


class WorldVector(BlockVector):
    """So many environments of a world, stepped by the processor.

    Parameters:
        world: a world whose rules are compiled. environments: how many. autoreset_mode: as Gymnasium has them. within:
        ("K", 5, 10) draws environments of such a complexity. redraw: a new environment for each episode, or always the
        first one with new draws inside it. copy: whether each call returns observations of their own; else they are
        one array, which the next step changes. threads: at most so many; all cores by default.

    A curriculum: ``envs.hold(low, high)`` sets the complexity for each environment, from its next episode on.
    """

    def __init__(
        self,
        world: World,
        environments: int,
        *,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        within: Within | None = None,
        redraw: bool = True,
        copy: bool = True,
        threads: int | None = None,
    ) -> None:
        super().__init__(world, environments, autoreset_mode, within)
        spaces = self._single.spaces[0]
        self._block = Block(self._layout, environments, spaces, self._single.blank, threads)
        self._open()
        self._redraw, self._copy = redraw, copy
        self._streams: Keys = fold_array(fresh(), np.arange(environments, dtype=np.uint64))
        self._episode = np.zeros(environments, np.uint64)

    @property
    def acts(self) -> Array:
        """Which rows' next actions count: not those of episodes that have ended."""
        return np.repeat(self._block.left > 0, self._seats)

    # Gymnasium

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """One interaction of every environment; those whose episode had ended begin the next, as the mode says."""
        if not self._begun:
            raise RuntimeError("no episode has begun: reset first")
        block = self._block
        over = np.flatnonzero(block.left == 0)
        if len(over) and self._mode is AutoresetMode.DISABLED:
            raise RuntimeError(
                f"the episode of environment {over[0]} has ended: reset it with options={{'reset_mask': ...}}"
            )
        block.step(self._checked(actions))
        if len(over):
            self._begin(over)
        ended = block.left == 0
        rewards = block.rewards.reshape(-1).copy()
        infos: dict[str, Any] = {}
        if self._mode is AutoresetMode.SAME_STEP and ended.any():
            infos = self._finals(ended)
            self._begin(np.flatnonzero(ended))
        over_now = np.repeat(ended, self._seats) if self._seats > 1 else ended
        truncated = over_now & (np.repeat(block.cut, self._seats) if self._seats > 1 else block.cut)
        return self._observations(), rewards, over_now & ~truncated, truncated, infos

    def _start_over(self, at: Array, streams: Keys) -> None:
        """The environments at these places have the episodes of these keys, from the first on."""
        self._streams[at] = streams
        self._episode[at] = 0
        self._changed[at] = True

    def close_extras(self, **_: Any) -> None:
        """Send the threads home."""
        self._block.close()

    def _checked(self, actions: Any) -> Array:
        """Actions by environment, those of its seats side by side."""
        given = np.asarray(actions)
        shape = self.num_envs, *(self._played.shape if isinstance(self._played, Box) else ())
        numbers, kinds = (
            ("numbers", "iuf") if isinstance(self._played, Box) else ("whole numbers", "iu")
        )
        if given.shape != shape or given.dtype.kind not in kinds:
            raise ValueError(
                f"actions are {numbers} of shape {shape}; these are of shape {given.shape} and type {given.dtype}"
            )
        if isinstance(self._played, Box):
            low, high = self._played.low, self._played.high
        else:
            low, high = 0, self._played.n - 1
        if not (given.min() >= low and given.max() <= high):
            where = int(
                np.argmax(~((given >= low) & (given <= high)).reshape(len(given), -1).all(axis=1))
            )
            raise ValueError(
                f"{given[where]!r} of row {where} is not an action; actions are {numbers} from {low} to {high}"
            )
        return given.reshape(self._environments, -1)

    def _observations(self) -> Array:
        shown = self._block.obs.reshape(self.num_envs, -1)
        return shown.copy() if self._copy else shown

    def _finals(self, ended: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """The last observations of episodes that have ended, as Gymnasium tells them."""
        rows = np.repeat(ended, self._seats)
        seen = np.full(self.num_envs, None, object)
        shown = self._block.obs.reshape(self.num_envs, -1)
        for row in np.flatnonzero(rows).tolist():
            seen[row] = shown[row].copy()
        return {"final_obs": seen, "_final_obs": rows.copy(), "final_info": {}, "_final_info": rows}

    def _begin(self, at: Array) -> None:
        """The next episode of the environments at these places."""
        roots = fold_array(self._streams[at], self._episode[at])
        fresh_ones = at if self._redraw else at[(self._episode[at] == 0) | self._changed[at]]
        if len(fresh_ones):
            keys = fold_array(roots[np.isin(at, fresh_ones)], ENVIRONMENT)
            self._block.draw(
                fresh_ones, keys, self._measure, self._low[fresh_ones], self._high[fresh_ones]
            )
            self._changed[fresh_ones] = False
        self._episode[at] += np.uint64(1)
        self._block.begin(at, fold_array(roots, RESET))
