"""A vector whose environments are on a GPU, and whose observations and rewards stay there.

    envs = gymnasium.make_vec("mensura/LambdaStar-v2", num_envs=1_000_000, device="gpu", arrays="torch")
    obs, _ = envs.reset(seed=1)                                # a tensor of PyTorch's on the GPU
    obs, rewards, terminated, truncated, infos = envs.step(policy(obs))

Environment i is that of the vector on the processor, to the bit. Without ``arrays`` what is returned are arrays that
speak DLPack and ``__cuda_array_interface__``, for ``torch.from_dlpack``, ``jax.dlpack.from_dlpack`` and
``cupy.from_dlpack``: all without a copy, so the next step changes them. Arrays of JAX never change, so with
``arrays="jax"`` each step returns copies, which stay on the GPU too. Actions are an array of any of these libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from mensura.adapters.block_vector import Array, BlockVector
from mensura.adapters.episodes import Within
from mensura.agent.errors import MensuraError
from mensura.agent.keys import Keys, fold_array, fresh, numbers
from mensura.agent.spaces import Box
from mensura.core.contract import World
from mensura.core.dlpack import CUDA, Borrowed, borrow
from mensura.core.gpu import SHARED_STREAM, Held
from mensura.core.gpu_blocks import ACTIONS, GpuBlock, Mode

LIBRARIES = {"torch": "torch", "jax": "jax.dlpack", "cupy": "cupy"}
"""Where each library has its ``from_dlpack``."""

COPIED = ("jax",)
"""Libraries whose arrays never change, so that each step needs new ones."""

_MODES: dict[AutoresetMode, Mode] = {
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.DISABLED: "disabled",
}


class GpuVector(BlockVector):
    """So many environments of a world, stepped by a GPU.

    Parameters:
        world, environments, autoreset_mode, within, redraw: as of a vector on the processor. arrays: "torch", "jax" or
        "cupy", whose arrays are returned.

    A curriculum: ``envs.hold(low, high)`` sets the complexity for each environment, from its next episode on; where
    always the same environment is played (``redraw=False``), from the next reset on.
    """

    def __init__(
        self,
        world: World,
        environments: int,
        *,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        within: Within | None = None,
        redraw: bool = True,
        arrays: str | None = None,
    ) -> None:
        super().__init__(world, environments, autoreset_mode, within)
        self._take = _taking(arrays)
        spaces = self._single.spaces[0]
        mode = _MODES[autoreset_mode]
        self._block = GpuBlock(self._layout, environments, spaces, self._single.blank, mode, redraw)
        self._open()
        self._block.seed(np.arange(environments), fold_array(fresh(), numbers(0, environments)))
        if within is not None:
            self._block.want(self._measure, self._low, self._high)
        rows, told = (self.num_envs,), self._block.told
        width = self._block.obs.shape[-1]
        self._arrays = [
            self._block.obs.reshaped((*rows, width)),
            *(one.reshaped(rows) for one in (told.rewards, told.terminated, told.truncated)),
        ]
        if autoreset_mode is AutoresetMode.SAME_STEP:
            self._arrays.append(told.final.reshaped((*rows, width)))
        self._shown = None if arrays in COPIED else [self._take(one) for one in self._arrays]

    @property
    def acts(self) -> Any:
        """Which rows' next actions count, as an array of the processor's: not those of episodes that have ended."""
        return np.repeat(self._block.going(), self._seats)

    def hold(self, low: Any, high: Any | None = None, measure: str | None = None) -> None:
        """Wanted from the next episodes on: a complexity from ``low`` to ``high``, one for all or one for each.

        ``measure`` names it, the world's first one by default. Where only ``low`` is given, that one is wanted.
        """
        super().hold(low, high, measure)
        self._block.want(self._measure, self._low, self._high)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One interaction of every environment; those whose episode had ended begin the next, as the mode says.

        In the mode same-step, ``infos["final_obs"]`` are the last observations of episodes that ended, in the rows of
        ``infos["_final_obs"]``; other rows are of no meaning.
        """
        if not self._begun:
            raise RuntimeError("no episode has begun: reset first")
        if self._mode is AutoresetMode.DISABLED and not (going := self._block.going()).all():
            raise RuntimeError(
                f"the episode of environment {np.argmin(going)} has ended: reset it with "
                "options={'reset_mask': ...}"
            )
        self._block.step(self._borrowed(actions))
        seen, rewards, terminated, truncated, *final = self._told()
        infos: dict[str, Any] = {}
        if final:
            over = None if self._take is _as_it_is else terminated | truncated
            infos = {"final_obs": final[0], "_final_obs": over}
        return seen, rewards, terminated, truncated, infos

    def _start_over(self, at: Array, streams: Keys) -> None:
        """The environments at these places have the episodes of these keys, from the first on."""
        self._block.seed(at, streams)

    def _begin(self, at: Array) -> None:
        """The next episode of the environments at these places."""
        self._block.begin(at)

    def _observations(self) -> Any:
        """What all rows observe now."""
        return self._told()[0]

    def _told(self) -> list[Any]:
        """What the last step tells, in arrays of the library that was asked for."""
        return [self._take(one) for one in self._arrays] if self._shown is None else self._shown

    def _borrowed(self, actions: Any) -> Borrowed:
        """Actions by environment, those of its seats side by side; they are checked where they are played."""
        if not hasattr(actions, "__dlpack__") or actions.__dlpack_device__()[0] != CUDA:
            raise ValueError(
                "actions are an array on the GPU, of PyTorch, JAX or CuPy; this is a "
                f"{type(actions).__module__}.{type(actions).__name__} that is not there"
            )
        given = borrow(actions.__dlpack__(stream=SHARED_STREAM))
        shape = self.num_envs, *(self._played.shape if isinstance(self._played, Box) else ())
        kinds = "iuf" if isinstance(self._played, Box) else "iu"
        if given.shape != shape or given.dtype.kind not in kinds or str(given.dtype) not in ACTIONS:
            wanted = "numbers" if isinstance(self._played, Box) else "whole numbers"
            raise ValueError(
                f"actions are {wanted} of 32 or 64 bits of shape {shape}; these are of shape {given.shape} and type "
                f"{given.dtype}"
            )
        size = int(np.prod(shape[1:], dtype=np.int64)) * self._seats
        return given._replace(shape=(self._environments, size))


def _as_it_is(held: Held) -> Any:
    return held


def _taking(library: str | None) -> Any:
    """What makes an array of a library's of one that is on the GPU, without a copy."""
    if library is None:
        return _as_it_is
    if library not in LIBRARIES:
        raise MensuraError(
            f"Arrays are of {', '.join(sorted(LIBRARIES))}; {library!r} is none of them."
        )
    try:
        taking = import_module(LIBRARIES[library]).from_dlpack
    except ImportError:
        raise MensuraError(f"{library} is not installed here.") from None
    if library not in COPIED:
        return taking
    return lambda held: taking(held).copy().block_until_ready()
