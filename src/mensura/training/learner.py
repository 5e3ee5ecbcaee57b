"""The update of deep Q-learning; on a GPU it is captured once and replayed as one graph.

Several learners can share a GPU: each has a stream of its own, and small kernels of different streams run side by side.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from mensura.training.memory import Batch, Memory, joined
from mensura.training.networks import Network
from mensura.training.settings import Settings

WARM_UP = 3
"""Updates before the graph is captured, as CUDA wants it."""


def loss_of(
    network: Network, parameters: Any, target: Any, batch: Batch, discount: float
) -> Tensor:
    """The mean error of a batch, whose slope is cut to 1 (Huber)."""
    with torch.no_grad():
        best = network.values(target, batch.then).amax(1)
        wanted = batch.rewards + discount * best * (~batch.ended)
    values = network.values(parameters, batch.seen)
    chosen = values.gather(1, batch.actions.unsqueeze(1)).squeeze(1)
    errors = functional.smooth_l1_loss(chosen, wanted, reduction="none") * batch.weights
    return errors.sum() / batch.weights.sum().clamp(min=1.0)


class Learner:
    """Parameters, their copy for targets, and the optimizer."""

    def __init__(
        self, network: Network, settings: Settings, memory: Memory,
        experience: Memory | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        """With ``experience`` half of each batch is drawn from it (human experience replay)."""
        self.network, self.settings = network, settings
        self.memory, self.experience = memory, experience
        self.device = memory.rewards.device
        self._on_gpu = self.device.type == "cuda"
        self._stream: Any = torch.cuda.Stream(self.device) if self._on_gpu else None
        drawn = network.fresh(torch.Generator().manual_seed(seed))
        self.parameters = {
            name: one.to(self.device).requires_grad_() for name, one in drawn.items()
        }
        self.target = {name: one.detach().clone() for name, one in self.parameters.items()}
        self.optimizer = torch.optim.RMSprop(
            self.parameters.values(),
            lr=settings.rate,
            alpha=settings.decay,
            eps=settings.added,
            centered=True,
            capturable=self._on_gpu,
        )
        self.generator = torch.Generator(self.device).manual_seed(seed)
        self.updates = 0
        self._made = 0
        """Updates that were made one kernel after another, in this process: capturing needs all that they allocate."""
        self._graph: Any = None

    def here(self) -> AbstractContextManager[Any]:
        """Where all that this learner computes is queued."""
        return torch.cuda.stream(self._stream) if self._on_gpu else nullcontext()

    def batch(self) -> Batch:
        """Transitions of its own, or as many of each of two memories."""
        size = self.settings.batch
        if self.experience is None:
            return self.memory.draw(size, self.generator)
        half = size // 2
        own = self.memory.draw(size - half, self.generator)
        return joined(own, self.experience.draw(half, self.generator))

    def _update(self) -> None:
        self.optimizer.zero_grad(set_to_none=False)
        batch = self.batch()
        loss_of(
            self.network, self.parameters, self.target, batch, self.settings.discount
        ).backward()
        self.optimizer.step()

    def update(self, count: int) -> None:
        """Learn from so many batches."""
        with self.here():
            for _ in range(count):
                if self._graph is None and self._on_gpu and self._made >= WARM_UP:
                    self._graph = self._captured()
                if self._graph is None:
                    self._update()
                    self._made += 1
                else:
                    self._graph.replay()
                self.updates += 1
                if self.updates % self.settings.copied == 0:
                    self.copy_target()

    def _captured(self) -> Any:
        torch.cuda.synchronize(self.device)
        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(self.generator)
        with torch.cuda.graph(graph, stream=self._stream):
            self._update()
        return graph

    def copy_target(self) -> None:
        """Let the targets be computed by the parameters of now."""
        with torch.no_grad():
            for name, one in self.parameters.items():
                self.target[name].copy_(one)

    def values(self, seen: Tensor) -> Tensor:
        """Action values of what is seen."""
        with torch.no_grad():
            return self.network.values(self.parameters, seen)

    def state(self) -> dict[str, Any]:
        """All that has to be kept to go on learning."""
        return {
            "parameters": {name: one.detach().cpu() for name, one in self.parameters.items()},
            "target": {name: one.cpu() for name, one in self.target.items()},
            "optimizer": self.optimizer.state_dict(),
            "updates": self.updates,
        }

    def load(self, state: Any) -> None:
        """Go on from what was kept."""
        with torch.no_grad():
            for name, one in self.parameters.items():
                one.copy_(state["parameters"][name])
                self.target[name].copy_(state["target"][name])
        self.optimizer.load_state_dict(state["optimizer"])
        for group in self.optimizer.param_groups:  # it may go on elsewhere than it was kept
            group["capturable"] = self._on_gpu
        self.updates = int(state["updates"])
        self._made = 0
        self._graph = None
