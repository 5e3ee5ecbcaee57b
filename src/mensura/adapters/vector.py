"""Gymnasium's vector view of a world: thousands of environments, stepped by one compiled call on all cores.

    envs = gymnasium.make_vec("mensura/LambdaStar-v1", num_envs=4096)

Environment i of a vector with seed s is the single environment with seed s + i, to the bit: the same environments
drawn, one episode after another, and the same observations and rewards. Worlds without compiled rules, and environments
in which others sit, are stepped one after the other by Gymnasium's own class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space

from mensura.adapters.conversion import action_space, observation_space
from mensura.adapters.episodes import ENVIRONMENT, RESET, Episodes, Within, make_world
from mensura.adapters.gymnasium import WorldEnv
from mensura.core.abilities import InBlocks, complexity_bounds
from mensura.core.abilities import parameters as world_parameters
from mensura.core.blocks import Block
from mensura.core.contract import World
from mensura.core.errors import MensuraError
from mensura.core.keys import MASK, Keys, fold_array, fresh, key
from mensura.core.registry import WORLDS
from mensura.core.spaces import Box, Discrete

Array = npt.NDArray[Any]


def make_vector(
    world: str | World = "lambda-star-v1",
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
        for name in ("within", "redraw", "copy", "threads")
        if name in parameters
    }
    if alone and "subjects" in world_parameters(WORLDS.load(str(world))):
        parameters.setdefault("subjects", 1)
    made = make_world(world, parameters)
    mode = AutoresetMode(autoreset_mode)
    if others is None and render_mode is None and in_blocks(made):
        return WorldVector(made, num_envs, autoreset_mode=mode, **own)
    if own.get("redraw") is False or "threads" in own:
        raise MensuraError(
            f"{made.id} has no compiled vector here, so neither redraw nor threads can be set; leave them out."
        )

    def one() -> gymnasium.Env[Any, Any]:
        return WorldEnv(made, others=others, within=own.get("within"), render_mode=render_mode)

    return SyncVectorEnv([one] * num_envs, copy=bool(own.get("copy", True)), autoreset_mode=mode)


def in_blocks(world: World) -> bool:
    """Whether environments of a world can be stepped by one compiled call."""
    return isinstance(world, InBlocks) and world.block() is not None


class WorldVector(VectorEnv[Array, Array, Array]):
    """So many environments of a world, each a row of one block of memory.

    Where an environment has several seats, each of them is a row of the vector: rows e * seats to (e + 1) * seats - 1
    are the seats of environment e, which act together.

    Parameters:
        world: a world whose rules are compiled. environments: how many. autoreset_mode: as Gymnasium has them. within:
        ("K", 5, 10) draws environments of such a complexity. redraw: a new environment for each episode, or always the
        first one with new draws inside it. copy: whether each call returns observations of their own; else they are
        one array, which the next step changes. threads: at most so many; all cores by default.

    A curriculum: ``envs.hold(low, high)`` sets the complexity for each environment, from its next episode on.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

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
        layout = world.block() if isinstance(world, InBlocks) else None
        if layout is None:
            raise MensuraError(f"{world.id} has no compiled vector here.")
        if environments < 1:
            raise MensuraError(f"num_envs is {environments}; it is at least 1.")
        self.world = world
        # What one environment is like, and what is wrong with the interval.
        single = Episodes(world, None, within)
        observed, played = single.spaces[0]
        assert isinstance(played, Discrete | Box)
        self._block = Block(layout, environments, (observed, played), single.blank, threads)
        self._environments, self._seats = environments, layout.seats
        self._played = played
        self.num_envs = environments * layout.seats
        self.single_observation_space = observation_space(observed)
        self.single_action_space = action_space(played)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.metadata = {**self.metadata, "autoreset_mode": autoreset_mode}
        self._mode = autoreset_mode
        self._redraw, self._copy = redraw, copy
        self._measure = within[0] if within else None
        low, high = within[1:] if within else (-np.inf, np.inf)
        self._low = np.full(environments, float(low))
        self._high = np.full(environments, float(high))
        self._changed = np.zeros(environments, bool)
        self._streams: Keys = fold_array(fresh(), np.arange(environments, dtype=np.uint64))
        self._episode = np.zeros(environments, np.uint64)
        self._fixed: Keys | None = None
        self._begun = False

    # Complexity

    def hold(self, low: Any, high: Any | None = None, measure: str | None = None) -> None:
        """Wanted from the next episodes on: a complexity from ``low`` to ``high``, one for all or one for each.

        ``measure`` names it, the world's first one by default. Where only ``low`` is given, that one is wanted.
        """
        wanted = measure or self._measure or next(iter(self.world.measures), None)
        if wanted is None or wanted not in self.world.measures:
            named = ", ".join(self.world.measures) or "none"
            raise MensuraError(f"{self.world.id} has no complexity {wanted!r}; it has {named}.")
        shape = (self._environments,)
        try:
            least = np.broadcast_to(np.asarray(low, np.float64), shape)
            most = np.broadcast_to(np.asarray(low if high is None else high, np.float64), shape)
        except ValueError:
            raise MensuraError(
                f"A complexity is one number, or one for each of the {self._environments} environments."
            ) from None
        if not (least <= most).all():
            where = int(np.argmin(least <= most))
            raise MensuraError(
                f"Environment {where} is to have {wanted} from {least[where]:g} to {most[where]:g}, which is empty."
            )
        bounds = complexity_bounds(self.world, wanted)
        if bounds is not None and (least.min() < bounds[0] or most.max() > bounds[1]):
            raise MensuraError(
                f"{wanted} from {least.min():g} to {most.max():g} goes beyond what {self.world.id} has, "
                f"{bounds[0]:g} to {bounds[1]:g}."
            )
        self._measure = wanted
        self._changed |= (self._low != least) | (self._high != most)
        self._low, self._high = least.copy(), most.copy()

    # Gymnasium

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        """Begin an episode in every environment, or in those of ``options["reset_mask"]``."""
        at = np.arange(self._environments)
        mask = (options or {}).get("reset_mask")
        if mask is not None:
            chosen = np.asarray(mask)
            if chosen.shape != (self.num_envs,) or chosen.dtype != bool or not chosen.any():
                raise MensuraError(
                    f"reset_mask has to be {self.num_envs} truth values, at least one of them true."
                )
            at = np.flatnonzero(chosen.reshape(self._environments, self._seats).any(axis=1))
        self._seed(seed, at)
        self._begin(at)
        self._begun = True
        return self._observations(), {}

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

    def _seed(self, seed: int | Sequence[int | None] | None, at: Array) -> None:
        """Start over with the episodes of these seeds: one for the first environment, or one for each."""
        if seed is None:
            return
        seeds = [seed + i for i in range(self._environments)] if isinstance(seed, int) else seed
        if len(seeds) != self._environments:
            raise MensuraError(
                f"{len(seeds)} seeds were given for {self._environments} environments; give one, or one for each."
            )
        for i in at.tolist():
            own = seeds[i]
            if own is None:
                continue
            if not 0 <= own <= MASK:
                raise ValueError(f"the seed {own} is out of range; it is from 0 to 2**64 - 1")
            self._streams[i] = key(int(own), self.world.id, "episodes")
            self._episode[i] = 0
            self._changed[i] = True

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
