"""Training: environments are played, batches are learned from, and everything is kept so that it can go on.

Whatever is interrupted goes on from its file: parameters, optimizer and counters are written every minute. What is not
kept is the memory of transitions; it is filled again before learning goes on, as it was at first.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold, key
from mensura.core import archives
from mensura.core.blocks import SHARE_OF_MEMORY
from mensura.core.room import available, gibibytes
from mensura.records.results import write_whole
from mensura.training.actors import GOES_ON, TERMINATED, Actors, Place, Shape
from mensura.training.experience import Experience
from mensura.training.learner import Learner
from mensura.training.memory import Memory
from mensura.training.networks import Network
from mensura.training.settings import Settings

HELD = 128
"""States whose values are followed through training (Hosu and Rebedea, figure 2)."""
RECENT = 100
"""Episodes over which the score is averaged."""
EVERY_SECONDS = 60.0
TOLD_SECONDS = 10.0


@dataclass
class Progress:
    """How training stands."""

    interactions: int = 0
    """Of each learner."""
    seconds: float = 0.0
    episodes: list[int] = field(default_factory=list)
    scores: list[list[float]] = field(default_factory=list)
    """The rewards of the last episodes, by learner."""


class Trainer:
    """Several learners, each in its own place, with the same settings."""

    def __init__(
        self, places: Sequence[Place], settings: Settings, *, device: str = "cpu", workers: int = 0,
        seed: Key = 0, experience: Sequence[Experience] = (), kept: Path | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """``kept`` is the file from which training goes on, where it is there and ``about`` the same training."""
        self.settings, self._kept, self._seed = settings, kept, seed
        self._about = {"seed": seed, "learners": len(places), **(about or {})}
        seed = key(seed, "train")
        self.device = device_of(device)
        check_room(places[0], len(places) * settings.memory, self.device)
        torch.manual_seed(int(seed & 0x7FFF_FFFF))
        self._rng = np.random.Generator(np.random.PCG64(fold(seed, 1)))
        before = None if kept is None else _read(kept)
        if before is not None:
            self._check_same(before)
        start = 0 if before is None else int(before["interactions"])
        # Another part of the stream of environments than before, so that none is played twice.
        self.actors = Actors(
            places, settings.environments, workers=workers, seed=fold(fold(seed, 2), start)
        )
        shape = self.shape = self.actors.shape
        rings = (settings.environments, settings.memory // settings.environments)
        network = Network(shape.seen, shape.actions, settings.hidden)
        others: Sequence[Experience | None] = experience or [None] * len(places)
        self.learners = [
            Learner(
                network,
                settings,
                Memory(rings, shape.one, shape.stack, self.device),
                None if other is None else other.memory(shape, self.device),
                int(fold(seed, number) & 0x7FFF_FFFF),
            )
            for number, other in enumerate(others)
        ]
        self.progress = Progress(episodes=[0] * len(places), scores=[[] for _ in places])
        self._filled = 0
        self._owed = 0.0
        self._held: list[torch.Tensor] = []
        if before is not None:
            self._load(before)
        self._seen: list[torch.Tensor] = []
        for learner, fresh in zip(self.learners, self.actors.now["fresh"], strict=True):
            screens = torch.from_numpy(fresh.copy())
            with learner.here():
                for environment, one in enumerate(screens):
                    learner.memory.begin(environment, one)
                self._seen.append(self._stacked(screens).to(self.device))

    def _stacked(self, screens: torch.Tensor) -> torch.Tensor:
        """Screens (environments, stack, ...) as they are seen."""
        return screens.movedim(1, -1).contiguous() if self.shape.screens else screens.flatten(1)

    def run(
        self, tell: Callable[[dict[str, Any]], None] | None = None, until: float = np.inf
    ) -> bool:
        """Train to the end, or until so many seconds have passed; whether it is the end."""
        started = told = kept = time.monotonic()
        base = self.progress.seconds
        begun = self.progress.interactions
        while self.progress.interactions < self.settings.interactions:
            self._interact()
            now = time.monotonic()
            self.progress.seconds = base + now - started
            if now - told >= TOLD_SECONDS and tell is not None:
                tell(self.report(begun, now - started))
                told = now
            if now - kept >= EVERY_SECONDS:
                self.keep()
                kept = now
            if now - started > until:
                break
        self.keep()
        if tell is not None:
            tell(self.report(begun, time.monotonic() - started))
        return self.progress.interactions >= self.settings.interactions

    def _interact(self) -> None:
        """One action in every environment, and the updates that are due by then."""
        settings, progress = self.settings, self.progress
        actions = self._choose(settings.epsilon_at(progress.interactions))
        self.actors.send(actions)
        if self._filled >= min(settings.fill, settings.memory // 2):
            self._owed += settings.environments / settings.every
            due = int(self._owed)
            self._owed -= due
            for learner in self.learners:
                learner.update(due)
        came = self.actors.receive()
        for number in range(len(self.learners)):
            self._take(number, actions[number], came)
        progress.interactions += settings.environments
        self._filled += settings.environments

    def _choose(self, epsilon: float) -> npt.NDArray[np.int64]:
        size = (self.actors.learners, self.actors.environments)
        chosen = self._rng.integers(self.shape.actions, size=size)
        greedy = self._rng.random(size) >= epsilon
        best = []
        for learner, seen in zip(self.learners, self._seen, strict=True):
            with learner.here():
                best.append(learner.values(seen).argmax(1))
        for number, (learner, one) in enumerate(zip(self.learners, best, strict=True)):
            with learner.here():
                told = one.cpu().numpy()
            chosen[number, greedy[number]] = told[greedy[number]]
        return chosen

    def _take(self, number: int, actions: npt.NDArray[np.int64], came: dict[str, Any]) -> None:
        """Let a learner remember what came of its actions."""
        learner, device = self.learners[number], self.device
        end = came["end"][number].copy()
        with learner.here():
            screens = torch.from_numpy(came["screen"][number].copy()).to(device)
            learner.memory.add(
                torch.from_numpy(actions.copy()).to(device),
                torch.from_numpy(came["reward"][number].copy()).to(device),
                torch.from_numpy(end == TERMINATED).to(device),
                screens,
            )
            if self.shape.screens:
                seen = torch.cat((self._seen[number][..., 1:], screens.unsqueeze(-1)), dim=-1)
            else:
                seen = screens
            for environment in np.flatnonzero(end != GOES_ON).tolist():
                fresh = torch.from_numpy(came["fresh"][number, environment].copy())
                learner.memory.begin(environment, fresh)
                seen[environment] = self._stacked(fresh[None])[0].to(device)
                self.progress.episodes[number] += 1
                scores = self.progress.scores[number]
                scores.append(float(came["score"][number, environment]))
                del scores[:-RECENT]
            self._seen[number] = seen

    def report(self, begun: int = 0, seconds: float = 0.0) -> dict[str, Any]:
        """How it stands, by learner where that differs."""
        progress = self.progress
        values = []
        for number, learner in enumerate(self.learners):
            with learner.here():
                if number == len(self._held) and learner.updates:
                    self._held.append(learner.memory.draw(HELD, learner.generator).seen.clone())
                if number < len(self._held):
                    values.append(float(learner.values(self._held[number]).amax(1).mean()))
        return {
            "interactions": progress.interactions,
            "updates": self.learners[0].updates,
            "seconds": round(progress.seconds, 1),
            "rate": round((progress.interactions - begun) / max(seconds, 1e-9)),
            "epsilon": round(self.settings.epsilon_at(progress.interactions), 4),
            "episodes": list(progress.episodes),
            "score": [round(float(np.mean(one)), 4) if one else None for one in progress.scores],
            "value": values,
        }

    # Files

    def keep(self) -> None:
        """Write all that is needed to go on, whole or not at all."""
        if self._kept is None:
            return
        progress = self.progress
        state = {
            "settings": asdict(self.settings),
            "about": self._about,
            "interactions": progress.interactions,
            "seconds": progress.seconds,
            "episodes": progress.episodes,
            "scores": progress.scores,
            "held": [one.cpu() for one in self._held],
            "learners": [one.state() for one in self.learners],
        }
        buffer = BytesIO()
        torch.save(state, buffer)
        write_whole(self._kept, buffer.getvalue())

    def _check_same(self, before: Any) -> None:
        """Raise if what was kept is other training, with which this must not go on."""
        told = {**before["settings"], **before["about"]}
        wanted = {**asdict(self.settings), **self._about}
        for name in ("interactions", "environments"):  # which may be others when training goes on
            told.pop(name), wanted.pop(name)
        if told != wanted:
            raise MensuraError(
                f"{self._kept} holds other training: {_differing(told, wanted)}. Name another file, or move it away to "
                "begin anew."
            )

    def _load(self, before: Any) -> None:
        for learner, state in zip(self.learners, before["learners"], strict=True):
            learner.load(state)
        progress = self.progress
        progress.interactions = int(before["interactions"])
        progress.seconds = float(before["seconds"])
        progress.episodes = [int(one) for one in before["episodes"]]
        progress.scores = [[float(x) for x in one] for one in before["scores"]]
        self._held = [one.to(self.device) for one in before["held"]]

    def close(self) -> None:
        """Let the environments go."""
        self.actors.close()


def device_of(name: str) -> torch.device:
    """A device by its name; raises where it is not there."""
    if name in ("cuda", "gpu") and not torch.cuda.is_available():
        raise MensuraError("PyTorch finds no GPU here; --device cpu trains without one, slowly.")
    try:
        return torch.device("cuda" if name == "gpu" else name)
    except RuntimeError:
        raise MensuraError(f"{name!r:.40} is no device; cpu and cuda are.") from None


def check_room(place: Place, transitions: int, device: torch.device) -> None:
    """Raise if the memory of transitions would not fit into that of the machine."""
    if device.type != "cpu":
        return  # PyTorch says so itself, at once
    example = place.make()
    shape = Shape.of(example)
    example.close()
    each = math.prod(shape.one) * np.dtype(shape.kind).itemsize
    free = available()
    if transitions * each > SHARE_OF_MEMORY * free:
        raise MensuraError(
            f"{transitions:,} transitions of {each:,} bytes do not fit into the {gibibytes(free)} of memory that are "
            f"free; --with memory={int(SHARE_OF_MEMORY * free / each)} does."
        )


def _read(path: Path) -> Any:
    """What was kept; None where nothing was. Nothing that is read is run."""
    if not path.exists():
        return None
    try:
        with archives.opened(path):  # counted and weighed
            return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise MensuraError(
            f"{path} holds no training to go on with ({type(error).__name__}); move it away to begin anew."
        ) from None


def kept_seed(path: Path) -> int | None:
    """The seed of training that was kept; None where none was."""
    before = _read(path)
    return None if before is None else int(before["about"]["seed"])


def _differing(told: dict[str, Any], settings: dict[str, Any]) -> str:
    names = [one for one in {**told, **settings} if told.get(one) != settings.get(one)]
    return ", ".join(
        f"{one} was {told.get(one)!r:.80}, not {settings.get(one)!r:.80}" for one in names
    )


def written_as_lines(path: Path) -> Callable[[dict[str, Any]], None]:
    """Tell progress to a file, a line of JSON each."""

    def tell(report: dict[str, Any]) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(report) + "\n")

    return tell
