"""Networks that tell the value of each action, with the shapes and names that Stable-Baselines3 gives them."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

CONVOLUTIONS = ((32, 8, 4), (64, 4, 2), (64, 3, 1))
"""Channels, width and stride of each layer (Mnih et al. 2015)."""
UNITS = 512

Parameters: TypeAlias = dict[str, Tensor]


class Network:
    """The shape of a network, and what it computes; parameters are handed in."""

    def __init__(self, shape: tuple[int, ...], actions: int, hidden: int = 64) -> None:
        """``shape``: of what is seen, screens (height, width, screens) or a row (numbers,)."""
        self.shape, self.actions, self.hidden = shape, actions, hidden
        self.screens = len(shape) == 3
        self.layers: list[tuple[str, tuple[int, ...]]] = []
        if self.screens:
            sides, channels = list(shape[:2]), shape[2]
            for k, (out, width, stride) in enumerate(CONVOLUTIONS):
                name = f"q_net.features_extractor.cnn.{2 * k}"
                self.layers.append((name, (out, channels, width, width)))
                sides, channels = [(side - width) // stride + 1 for side in sides], out
            flat = sides[0] * sides[1] * channels
            self.layers.append(("q_net.features_extractor.linear.0", (UNITS, flat)))
            self.layers.append(("q_net.q_net.0", (actions, UNITS)))
        else:
            sizes = (math.prod(shape), hidden, hidden, actions)
            for k in range(3):
                self.layers.append((f"q_net.q_net.{2 * k}", (sizes[k + 1], sizes[k])))

    def fresh(self, generator: torch.Generator) -> Parameters:
        """Parameters drawn as PyTorch draws them for such layers."""
        found: Parameters = {}
        for name, shape in self.layers:
            bound = 1.0 / math.sqrt(math.prod(shape[1:]))
            for part, size in (("weight", shape), ("bias", shape[:1])):
                drawn = torch.rand(size, generator=generator)
                found[f"{name}.{part}"] = (2.0 * drawn - 1.0) * bound
        return found

    def values(self, parameters: Any, seen: Tensor) -> Tensor:
        """Action values (batch, actions) of what is seen (batch, ...)."""
        x = seen.flatten(1).float()
        if self.screens:
            x = (seen.float() / 255.0).movedim(3, 1)
        for k, (name, shape) in enumerate(self.layers):
            weight, bias = parameters[f"{name}.weight"], parameters[f"{name}.bias"]
            if len(shape) == 4:
                x = functional.conv2d(x, weight, bias, stride=CONVOLUTIONS[k][2])
            else:
                x = functional.linear(x.flatten(1), weight, bias)
            if k < len(self.layers) - 1:
                x = functional.relu(x)
        return x
