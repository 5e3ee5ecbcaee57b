"""Transitions, on the device where a network learns from them.

What was seen is kept screen by screen and put together when it is drawn: each environment has a ring of its own, in
which the screens of an episode lie one after another. Where an episode begins, all screens of its first observation are
written, so that nothing has to be made up.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

TRIES = 4
"""So many places are drawn for each transition that is wanted, since some begin none."""


class Batch(NamedTuple):
    """Transitions: (batch, ...)."""

    seen: Tensor
    actions: Tensor
    rewards: Tensor
    ended: Tensor
    then: Tensor
    """What was seen afterwards."""
    weights: Tensor
    """0 where too few transitions were found: those count nothing."""


class Memory:
    """Rings of transitions: (environments, places)."""

    def __init__(
        self, rings: tuple[int, int], shape: tuple[int, ...], stack: int, device: torch.device
    ) -> None:
        """``rings``: environments and places; ``shape``: of a screen or a row, of which ``stack`` are seen."""
        self.environments, self.places = rings
        self.stack, self._device = stack, device
        kind = torch.uint8 if len(shape) == 2 else torch.float32
        self.seen = torch.zeros((*rings, *shape), dtype=kind, device=device)
        self.actions = torch.zeros(rings, dtype=torch.int64, device=device)
        self.rewards = torch.zeros(rings, dtype=torch.float32, device=device)
        self.ended = torch.zeros(rings, dtype=torch.bool, device=device)
        self.whole = torch.zeros(rings, dtype=torch.float32, device=device)
        """1 where a transition begins of which all is there."""
        self.filled = torch.zeros((), dtype=torch.float32, device=device)
        """So many first places of the rings have been written."""
        self._most = 0
        self._at = torch.zeros(self.environments, dtype=torch.int64)
        self._ring = torch.arange(self.environments, device=device)
        self._window = torch.arange(1 - stack, 2, device=device)
        self._later = torch.arange(stack + 1, device=device)

    def begin(self, environment: int, seen: Tensor) -> None:
        """An episode begins with all screens (stack, ...) of its first observation."""
        for screen in seen:
            self._write(environment, screen)

    def put(
        self, environment: int, action: int, reward: float, ended: bool, screen: Tensor
    ) -> None:
        """A transition of one environment, as :meth:`add` takes those of all."""
        at = (environment, (int(self._at[environment]) - 1) % self.places)
        self.actions[at], self.rewards[at], self.ended[at] = action, reward, ended
        self._write(environment, screen)
        self.whole[at] = 1.0

    def _write(self, environment: int, screen: Tensor) -> None:
        place = int(self._at[environment])
        self.seen[environment, place] = screen.to(self._device)
        # What needs a screen that is overwritten now, or one that comes after it, is no longer whole.
        self.whole[environment, (place + self._later) % self.places] = 0.0
        self._at[environment] = (place + 1) % self.places
        self._written(place + 1)

    def add(self, actions: Tensor, rewards: Tensor, ended: Tensor, screens: Tensor) -> None:
        """A transition of every environment: from what was seen last to what is seen with one screen more."""
        at = self._at.to(self._device)
        last = (self._ring, (at - 1) % self.places)
        self.actions[last], self.rewards[last], self.ended[last] = actions, rewards, ended
        self.seen[self._ring, at] = screens
        self.whole[self._ring.unsqueeze(1), (at.unsqueeze(1) + self._later) % self.places] = 0.0
        self.whole[last] = 1.0
        self._written(int(self._at.max()) + 1)
        self._at = (self._at + 1) % self.places

    def _written(self, places: int) -> None:
        if places > self._most:
            self._most = places
            self.filled.fill_(float(places))

    def draw(self, batch: int, generator: torch.Generator) -> Batch:
        """Transitions, drawn evenly among those that are whole."""
        drawn = torch.rand(2, TRIES * batch, device=self._device, generator=generator)
        rings = (drawn[0] * self.environments).long()
        places = (drawn[1] * self.filled).long()
        whole = self.whole[rings, places]
        order = whole.argsort(descending=True, stable=True)[:batch]
        at = (rings[order], places[order])
        window = (at[1].unsqueeze(1) + self._window) % self.places
        screens = self.seen[at[0].unsqueeze(1), window]
        seen, then = screens[:, :-1], screens[:, 1:]
        if self.seen.dtype == torch.uint8:
            seen, then = seen.movedim(1, -1), then.movedim(1, -1)
        else:
            seen, then = seen.squeeze(1), then.squeeze(1)
        return Batch(seen, self.actions[at], self.rewards[at], self.ended[at], then, whole[order])


def joined(first: Batch, second: Batch) -> Batch:
    """Two batches as one."""
    return Batch(*(torch.cat(pair) for pair in zip(first, second, strict=True)))
