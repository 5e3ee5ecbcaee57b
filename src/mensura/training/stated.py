"""The studies of this room that state what they expect before they run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mensura.agent.errors import MensuraError
from mensura.api.expectations import Expectation, Stated, Wanted


def _checkpoint_replay(wanted: Wanted) -> list[Expectation]:
    extras = "rl" if wanted.checkpoints is None else "atari,rl,sb3"
    try:
        if wanted.checkpoints is not None:
            from mensura.training.games import games

            return games(wanted)
        from mensura.training.checkpoint_replay import SMALL, Size, checkpoint_replay
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "mensura":
            raise
        raise MensuraError(
            f"Checkpoint replay needs more here ({error.name}): pip install 'mensura[{extras}]'"
        ) from None
    size = Size() if wanted.episodes is None else replace(SMALL, tests=wanted.episodes)
    return checkpoint_replay(wanted.seed, size, wanted.tell)


EXPECTING: Mapping[str, Stated] = {
    "checkpoint-replay-2016": Stated(
        _checkpoint_replay,
        "Hosu and Rebedea (2016) report one run each, on two Atari games: 379.1 from checkpoints, 218 with experience "
        "and 177.1 by chance in Montezuma's Revenge, 1264.4 from checkpoints and -41 by chance in Private Eye. Their "
        "claim is put to small worlds here, and with --checkpoints to these games",
        games=True,
    )
}
