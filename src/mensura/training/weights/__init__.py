"""Networks that were trained for the published experiments: numbers in half precision, in archives of NumPy's."""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO

import numpy as np
import torch

from mensura.core.archives import arrays
from mensura.training.networks import Parameters

FRAMES = "frames"
"""The member that tells how long it was trained."""


def shipped(game: str, way: str) -> tuple[Parameters, int]:
    """The network of a game, trained in a way, and the frames of its training."""
    content = files("mensura.training.weights").joinpath(f"{game}.{way}.npz").read_bytes()
    archive = arrays(BytesIO(content))
    frames = int(archive.pop(FRAMES))
    found = {name: torch.from_numpy(one.astype(np.float32)) for name, one in archive.items()}
    return found, frames


def packed(parameters: Parameters, frames: int) -> bytes:
    """A network as such an archive."""
    buffer = BytesIO()
    halves = {name: one.detach().cpu().half().numpy() for name, one in parameters.items()}
    np.savez_compressed(buffer, allow_pickle=False, **halves, **{FRAMES: np.array(frames)})
    return buffer.getvalue()
