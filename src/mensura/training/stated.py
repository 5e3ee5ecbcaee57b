"""The studies of this room that state what they expect before they run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mensura.api.expectations import Expectation, Stated, Tell
from mensura.core.errors import MensuraError
from mensura.core.keys import Key


def _checkpoint_replay(seed: Key, episodes: int | None, tell: Tell) -> list[Expectation]:
    try:
        from mensura.training.checkpoint_replay import SMALL, Size, checkpoint_replay
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "mensura":
            raise
        raise MensuraError(
            "Checkpoint replay needs the extra rl: pip install 'mensura[rl]'"
        ) from None
    size = Size() if episodes is None else replace(SMALL, tests=episodes)
    return checkpoint_replay(seed, size, tell)


EXPECTING: Mapping[str, Stated] = {
    "checkpoint-replay-2016": Stated(
        _checkpoint_replay,
        "Hosu and Rebedea (2016) report one run each, on two Atari games: 379.1 from checkpoints, 218 with experience "
        "and 177.1 by chance in Montezuma's Revenge, 1264.4 from checkpoints and -41 by chance in Private Eye. Their "
        "claim is put to small worlds here",
    )
}
