"""Trained models of Stable-Baselines3 as subjects: ``sb3:model.zip``.

A model sees and does what it did in Gymnasium's view of the world (:mod:`mensura.adapters.gymnasium`): flat rows
in the size of the largest environment, actions counted from 0. A file of a model can hold code, so it is loaded in a
process of its own, as any code that is not ours.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agents.address import Part
from mensura.agents.language_model.text import space_in_words
from mensura.agents.process import ProcessSubject
from mensura.core.abilities import (
    largest_spaces,
)
from mensura.core.contract import Limits, Task, World
from mensura.core.errors import MensuraError, neighbors
from mensura.core.fitting import Fit, bounds_of, fit_into, is_row, row_of
from mensura.core.keys import key
from mensura.core.spaces import Box, Discrete, space_from_json, to_plain
from mensura.records.pools import BROKEN
from mensura.records.training_note import training_note

ALGORITHMS = {
    "PPO": "clip_range",
    "DQN": "exploration_fraction",
    "SAC": "target_entropy",
    "TD3": "policy_delay",
    "A2C": "vf_coef",
}
"""The algorithms, and by what in its file a model of each is known; the first that fits."""

SETTINGS = ("algorithm", "deterministic", "rescale")


def from_model(part: Part, world: World, limits: Limits) -> ProcessSubject:
    """The subject of ``sb3:FILE?algorithm=PPO&deterministic=true&rescale=false``."""
    file = Path(part.target).expanduser()
    for name in part.parameters:
        if name not in SETTINGS:
            raise MensuraError(
                f"{part.label} has no parameter {name!r}; {neighbors(name, list(SETTINGS))}"
            )
    algorithm = algorithm_of(file, part.parameters.get("algorithm", ""))
    settings = {
        **part.parameters,
        "algorithm": algorithm,
        "path": str(file.resolve()),
        "view": json.dumps(_view(world), separators=(",", ":")),
    }
    limits = replace(limits, readable=(*limits.readable, str(file.resolve())))
    subject = ProcessSubject(Part("mensura.agents.sb3:Model", settings), limits)
    subject.name = part.label
    subject.trained_on = training_note(file) if zipfile.is_zipfile(file) else None
    subject.summary = f"a model that Stable-Baselines3 trained by {algorithm}"
    return subject


def algorithm_of(file: Path, named: str = "") -> str:
    """The algorithm that a file says a model was trained by, or the one named; nothing is loaded."""
    if named:
        found = {one.upper(): one for one in ALGORITHMS}.get(named.upper())
        if found is None:
            raise MensuraError(
                f"There is no algorithm {named!r}; {neighbors(named, list(ALGORITHMS))}"
            )
        return found
    try:
        with zipfile.ZipFile(file) as archive:
            told = dict(json.loads(archive.read("data")))
    except FileNotFoundError:
        raise MensuraError(
            f"There is no file {file}; a path is read from the current folder."
        ) from None
    except BROKEN as error:
        raise MensuraError(
            f"{file} is not a model that Stable-Baselines3 saved; model.save(FILE) writes one."
        ) from error
    for name, mark in ALGORITHMS.items():
        if mark in told:
            return name
    raise MensuraError(
        f"{file} does not say by which algorithm it was trained; write sb3:{file}?algorithm=NAME, "
        f"one of {', '.join(ALGORITHMS)}."
    )


def _view(world: World) -> dict[str, Any]:
    """What is seen and done in Gymnasium's view of the world, and how smaller environments lie in it."""
    example = world.build(world.sample(key(0, "shape")))
    observed, played = example.spaces(0)
    blank: list[float] = []
    largest = largest_spaces(world)
    if largest is not None:
        observed, nothing, played = largest
        blank = np.frombuffer(nothing, np.float64).tolist()
    if not is_row(observed) and not isinstance(observed, Box):
        raise MensuraError(
            f"Observations in {world.id} are {space_in_words(observed)}; a model of Stable-Baselines3 can only play "
            "where they are numbers or arrays."
        )
    if not isinstance(played, Discrete | Box) or getattr(played, "dtype", "") == "uint8":
        raise MensuraError(
            f"An action in {world.id} is {space_in_words(played)}; a model of Stable-Baselines3 can only play where it "
            "is one of a few or an array of numbers."
        )
    return {
        "observed": observed.to_json(),
        "played": played.to_json(),
        "blank": blank,
        "default": to_plain(example.default(0)),
    }


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
