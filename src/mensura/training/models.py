"""Trained networks as models that Stable-Baselines3 reads, so that ``sb3:FILE`` is their subject."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError
from mensura.core import archives
from mensura.records.pools import Pool
from mensura.records.results import write_whole
from mensura.records.training_note import MOST, NOTE, note_of

if TYPE_CHECKING:  # what a file tells is read without PyTorch
    from mensura.training.actors import Place
    from mensura.training.networks import Parameters

TOLD = "mensura.json"
"""A member of a model's file: the world, the settings, the pool, and how long it was trained."""


def check_installed() -> None:
    """Raise with a sentence where Stable-Baselines3 is missing."""
    try:
        import stable_baselines3  # noqa: F401
    except ImportError:
        raise MensuraError(
            "Training needs the extras sb3 and rl: pip install 'mensura[sb3,rl]'"
        ) from None


def as_model(place: Place, hidden: int, parameters: Parameters) -> Any:
    """A DQN of Stable-Baselines3 with these parameters."""
    from stable_baselines3 import DQN

    environment = place.make()
    screens = len(environment.observation_space.shape or ()) == 3
    model = DQN(
        "CnnPolicy" if screens else "MlpPolicy",
        environment,
        buffer_size=1,
        device="cpu",
        policy_kwargs={} if screens else {"net_arch": [hidden, hidden]},
    )
    state = {name: one.detach().cpu().float() for name, one in parameters.items()}
    for name in list(state):
        state[f"q_net_target{name.removeprefix('q_net')}"] = state[name]
    model.policy.load_state_dict(state)
    environment.close()
    return model


def write_model(
    path: Path, place: Place, hidden: int, parameters: Parameters, told: dict[str, Any],
    pool: Pool | None = None,
) -> None:  # fmt: skip
    """Write a model with what is told of its training and of its pool, whole or not at all."""
    buffer = BytesIO()
    model = as_model(place, hidden, parameters)
    model.save(buffer, exclude=["replay_buffer", "env"])
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(TOLD, json.dumps(told, indent=1))
        if pool is not None:
            archive.writestr(NOTE, note_of(pool))
    write_whole(path, buffer.getvalue())


def told_of(path: Path) -> dict[str, Any]:
    """What a model's file tells of its training; nothing where it was not written here."""
    try:
        with archives.opened(path) as archive:
            found = archive.json(TOLD, MOST)
    except archives.BROKEN:
        return {}
    return found if isinstance(found, dict) else {}
