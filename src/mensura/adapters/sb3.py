"""Stable-Baselines3's view of thousands of environments: a ``VecEnv`` that is stepped by one compiled call.

::

    from mensura.adapters.sb3 import vec_env

    envs = vec_env("lambda-star-v2", 256, rows=5, cols=5, subjects=1)
    model = PPO("MlpPolicy", envs).learn(1_000_000)

Each seat is an environment for Stable-Baselines3, so the members of a group share what is learned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from mensura.adapters.episodes import Within
from mensura.adapters.seat_vector import seat_vector
from mensura.agent.errors import MensuraError
from mensura.core.contract import World


def vec_env(
    world: str | World = "lambda-star-v2",
    num_envs: int = 1,
    *,
    within: Within | None = None,
    rescale: bool = False,
    **parameters: Any,
) -> WorldVecEnv:
    """So many environments of a world. ``rescale`` shows numbers from -1 to 1, which networks like better."""
    inner = seat_vector(
        world, num_envs, within=within, autoreset_mode=AutoresetMode.SAME_STEP, **parameters
    )
    return WorldVecEnv(inner, rescale=rescale)


class WorldVecEnv(VecEnv):  # type: ignore[misc]
    """A vector of Gymnasium's, whose episodes begin in the step in which the last ones end, for Stable-Baselines3."""

    def __init__(self, inner: Any, *, rescale: bool = False) -> None:
        if inner.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            raise MensuraError("The vector has to have the autoreset mode SameStep.")
        self.inner = inner
        self._scale: tuple[Any, Any] | None = None
        seen = inner.single_observation_space
        if rescale:
            from gymnasium.spaces import Box

            if not isinstance(seen, Box) or not seen.is_bounded():
                raise MensuraError(
                    "Only observations that are numbers with bounds can be rescaled."
                )
            half = np.where(seen.high > seen.low, (seen.high - seen.low) / 2, 1.0)
            self._scale = (seen.high + seen.low) / 2, half
            seen = Box(-1.0, 1.0, seen.shape, np.float64)
        super().__init__(inner.num_envs, seen, inner.single_action_space)
        self._actions: Any = None

    def reset(self) -> Any:
        """Begin an episode everywhere, with the seeds that were set."""
        first = self._seeds[0]
        chosen = None if first is None else int(first)
        self._reset_seeds()
        self._reset_options()
        return self._shown(self.inner.reset(seed=chosen)[0])

    def step_async(self, actions: Any) -> None:
        """Note the actions of all rows."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Step all environments by the actions noted."""
        seen, rewards, ended, cut, told = self.inner.step(self._actions)
        over = ended | cut
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(over).tolist():
            infos[row] = {
                "terminal_observation": self._shown(told["final_obs"][row]),
                "TimeLimit.truncated": bool(cut[row]),
            }
        return self._shown(seen), rewards.astype(np.float32), over, infos

    def _shown(self, seen: Any) -> Any:
        if self._scale is None:
            return seen
        middle, half = self._scale
        return (seen - middle) / half

    def close(self) -> None:
        """Close the environments."""
        self.inner.close()

    # What Stable-Baselines3 asks of single environments, of which there are none here.

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """What the vector has by that name, for each row."""
        return [getattr(self.inner, attr_name, None)] * len(self._rows(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Nothing of single rows can be set."""
        raise MensuraError("Environments of a compiled vector have no attributes of their own.")

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **more: Any
    ) -> list[Any]:
        """Nothing can be called of single rows."""
        raise MensuraError("Environments of a compiled vector have no methods of their own.")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No row is wrapped."""
        return [False] * len(self._rows(indices))

    def _rows(self, indices: int | Iterable[int] | None) -> Sequence[int]:
        return list(self._get_indices(indices))
