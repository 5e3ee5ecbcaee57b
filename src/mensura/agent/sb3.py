"""A trained model of Stable-Baselines3 as an agent.

Its file can hold code, so it is loaded in a process of its own, as any code that is not ours.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.fitting import Fit, bounds_of, fit_into, is_row, row_of
from mensura.agent.spaces import Box, Discrete, space_from_json
from mensura.agent.task import Task


class Model:
    """A trained model of Stable-Baselines3."""

    def __init__(
        self,
        path: str,
        algorithm: str,
        view: str,
        deterministic: bool = True,
        rescale: bool = False,
    ) -> None:
        try:
            import stable_baselines3
        except ImportError as error:
            raise MensuraError(
                'Stable-Baselines3 is not installed; pip install "mensura[sb3]" installs it.'
            ) from error
        try:
            self._model: Any = getattr(stable_baselines3, algorithm).load(path, device="cpu")
        except Exception as error:
            raise MensuraError(
                f"{path} cannot be loaded as a model of {algorithm}: {type(error).__name__}: "
                f"{' '.join(str(error).split())[:200]}."
            ) from error
        self._deterministic = deterministic
        self._digest = blake2b(Path(path).read_bytes(), digest_size=16).digest()
        told = json.loads(view)
        self._seen, self._played = (space_from_json(told[one]) for one in ("observed", "played"))
        self._blank = np.array(told["blank"], np.float64)
        self._default = told["default"]
        self._scale = self._scaling(rescale)
        self._check_actions()

    def save(self) -> bytes:
        """Which model it is: it goes on learning nothing, so its file is all that it knows."""
        return self._digest

    def load(self, memory: bytes) -> None:
        """Nothing is to be taken up; the memory of another model is refused."""
        if memory != self._digest:
            raise MensuraError("The memory is that of another model; name the same file as before.")

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Find out how the environment lies in what the model was trained on."""
        own, view = (task.observation_space, task.action_space), (self._seen, self._played)
        self._fit: Fit | None = None
        if own != view:
            self._fit = fit_into(own, view, self._blank) if len(self._blank) else None
            if self._fit is None:
                raise MensuraError(
                    f"An environment of {task.world} does not fit into the view that the model was trained in."
                )
        if not self._deterministic:
            import torch

            torch.manual_seed(int(rng.integers(1 << 63)))

    def act(self, observation: Any, reward: float) -> Any:
        """What the model predicts to be best, or draws."""
        row = row_of(observation) if is_row(self._seen) else np.asarray(observation)
        if self._fit is not None:
            row = self._fit.rows(row)
        if self._scale is not None:
            row = self._scale[0] + self._scale[1] * row
        predicted, _ = self._model.predict(row, deterministic=self._deterministic)
        if isinstance(self._played, Box):
            return np.clip(np.asarray(predicted, np.float64), self._played.low, self._played.high)
        assert isinstance(self._played, Discrete)
        action = self._played.start + int(predicted)
        if self._fit is not None and action > self._fit.last:
            return self._default
        return action

    def _scaling(
        self, rescale: bool
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
        """Offset and factor that lead from the world's observations to those of the model; None where they agree."""
        low, high = bounds_of(self._seen)
        space = self._model.observation_space
        if space.shape != low.shape:
            raise MensuraError(
                f"The model was trained on observations of shape {space.shape}, and those here have {low.shape}; "
                "assess it in the world, and with the parameters, that it was trained in."
            )
        if np.allclose(space.low, low) and np.allclose(space.high, high):
            return None
        if not rescale:
            raise MensuraError(
                "The model was trained on observations with other bounds than the world's: add ?rescale=true if they "
                "were rescaled as Gymnasium's RescaleObservation does, or assess it as a class of your own that does "
                "what your wrapper did."
            )
        factor = (space.high - space.low) / (high - low)
        return space.low - factor * low, factor

    def _check_actions(self) -> None:
        space, played = self._model.action_space, self._played
        own: Any = played.n if isinstance(played, Discrete) else getattr(played, "shape", None)
        theirs = int(space.n) if hasattr(space, "n") else space.shape
        if own != theirs:
            raise MensuraError(
                f"The model was trained for actions of {theirs} and those here are of {own}; "
                "assess it in the world, and with the parameters, that it was trained in."
            )
