"""What vectors of compiled worlds share, wherever their environments are: spaces, seeds, and wanted complexities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from mensura.adapters.conversion import action_space, observation_space
from mensura.adapters.episodes import Episodes, Within
from mensura.agent.errors import MensuraError
from mensura.agent.keys import MASK, Keys, key
from mensura.agent.spaces import Box, Discrete
from mensura.core.abilities import InBlocks, complexity_bounds, drawn_as
from mensura.core.contract import World

Array = npt.NDArray[Any]


class BlockVector(VectorEnv[Any, Any, Any]):
    """So many environments of a world, each a row of one block of memory.

    Where an environment has several seats, each of them is a row of the vector: rows e * seats to (e + 1) * seats - 1
    are the seats of environment e, which act together.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self, world: World, environments: int, autoreset_mode: AutoresetMode, within: Within | None
    ) -> None:
        layout = world.block() if isinstance(world, InBlocks) else None
        if layout is None:
            raise MensuraError(f"{world.id} has no compiled vector here.")
        if environments < 1:
            raise MensuraError(f"num_envs is {environments}; it is at least 1.")
        self.world = world
        self._layout = layout
        # What one environment is like, and what is wrong with the interval.
        self._single = Episodes(world, None, within)
        observed, played = self._single.spaces[0]
        assert isinstance(played, Discrete | Box)
        self._environments = environments
        self._seats: int = layout.seats
        self._played = played
        self.num_envs = environments * layout.seats
        self.single_observation_space = observation_space(observed)
        self.single_action_space = action_space(played)
        self.metadata = {**self.metadata, "autoreset_mode": autoreset_mode}
        self._mode = autoreset_mode
        self._measure = within[0] if within else None
        self._within = within[1:] if within else (-np.inf, np.inf)
        self._begun = False

    def _open(self) -> None:
        """Note what is wanted of each environment, once it is known that there is room for so many."""
        low, high = self._within
        self._low = np.full(self._environments, float(low))
        self._high = np.full(self._environments, float(high))
        self._changed = np.zeros(self._environments, bool)

    @property
    def seats(self) -> int:
        """How many rows each environment has."""
        return self._seats

    # The spaces of all rows are as large as the vector, so they are made for those who ask.

    @cached_property
    def observation_space(self) -> Space[Any]:  # type: ignore[override]
        """What all rows observe."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> Space[Any]:  # type: ignore[override]
        """What all rows can do."""
        return batch_space(self.single_action_space, self.num_envs)

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

    # What Gymnasium asks for

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in every environment, or in those of ``options["reset_mask"]``."""
        at = self._masked((options or {}).get("reset_mask"))
        seeded, streams = self._seeded(seed, at)
        if len(seeded):
            self._start_over(seeded, streams)
        self._begin(at)
        self._begun = True
        return self._observations(), {}

    def _start_over(self, at: Array, streams: Keys) -> None:
        """The environments at these places have the episodes of these keys, from the first on."""
        raise NotImplementedError

    def _begin(self, at: Array) -> None:
        """The next episode of the environments at these places."""
        raise NotImplementedError

    def _observations(self) -> Any:
        """What all rows observe now."""
        raise NotImplementedError

    def _masked(self, mask: Any) -> Array:
        """The environments that a mask of rows names; all of them where there is none."""
        if mask is None:
            return np.arange(self._environments)
        chosen = np.asarray(mask)
        if chosen.shape != (self.num_envs,) or chosen.dtype != bool or not chosen.any():
            raise MensuraError(
                f"reset_mask has to be {self.num_envs} truth values, at least one of them true."
            )
        return np.flatnonzero(chosen.reshape(self._environments, self._seats).any(axis=1))

    def _seeded(self, seed: int | Sequence[int | None] | None, at: Array) -> tuple[Array, Keys]:
        """Which of these environments start over, and the keys of all their episodes."""
        if seed is None:
            return np.zeros(0, np.int64), np.zeros(0, np.uint64)
        seeds = [seed + i for i in range(self._environments)] if isinstance(seed, int) else seed
        if len(seeds) != self._environments:
            raise MensuraError(
                f"{len(seeds)} seeds were given for {self._environments} environments; give one, or one for each."
            )
        places, streams = [], []
        for i in at.tolist():
            own = seeds[i]
            if own is None:
                continue
            if not 0 <= own <= MASK:
                raise ValueError(f"the seed {own} is out of range; it is from 0 to 2**64 - 1")
            places.append(i)
            streams.append(key(int(own), drawn_as(self.world), "episodes"))
        return np.array(places, np.int64), np.array(streams, np.uint64)
