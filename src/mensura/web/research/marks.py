"""Checkpoints that whoever plays a visit marks, to be saved as a pool; nothing of it stays on the server."""

from __future__ import annotations

import secrets
from io import BytesIO
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError
from mensura.records.pools import Checkpoint, Pool, digest_of

if TYPE_CHECKING:
    from mensura.web.research.visit import Visit

MOST = 500
MOST_BYTES = 4 << 20
"""So many checkpoints of a visit are kept, and so many bytes of their states."""

WIDTH = 120.0


class Marks:
    """The checkpoints of a visit so far."""

    def __init__(self) -> None:
        self._player = f"person-{secrets.token_hex(8)}"
        self._episodes: dict[Any, str] = {}
        self._checkpoints: dict[str, Checkpoint] = {}
        self._snapshots: dict[str, bytes] = {}
        self._pictures: dict[str, bytes] = {}
        self._environments: list[dict[str, Any]] = []

    def __len__(self) -> int:
        return len(self._checkpoints)

    def mark(self, visit: Visit) -> None:
        """Keep the moment of a visit; the same moment again is kept once."""
        from mensura.pictures.pixels import as_image
        from mensura.pictures.view import view_of

        if visit.turn.ended is not None:
            raise MensuraError(
                "The episode is over, so that nobody can start here; go back a step first."
            )
        environment = visit.environment
        state = environment.snapshot()
        digest = digest_of(state)
        size = sum(map(len, self._snapshots.values())) + len(state)
        if digest not in self._checkpoints and (len(self) >= MOST or size > MOST_BYTES):
            raise MensuraError(
                f"A visit keeps {MOST} checkpoints at most, and fewer of large states; save the pool, and begin anew."
            )
        described: Any = environment.description
        plain = described.to_json()
        if plain not in self._environments:
            self._environments.append(plain)
        setting = visit.seed, visit.address, visit.training
        episode = self._episodes.setdefault(setting, secrets.token_hex(8))
        buffer = BytesIO()
        picture = view_of(visit.home).picture(environment, visit.turn)
        as_image(picture, WIDTH, legend=False).save(buffer, "PNG")
        self._snapshots[digest], self._pictures[digest] = state, buffer.getvalue()
        self._checkpoints[digest] = Checkpoint(
            digest,
            self._environments.index(plain),
            visit.address or self._player,
            episode,
            len(visit.steps),
            float(sum(total for total, _ in visit.totals())),
        )

    def pool(self, world: str) -> Pool:
        """All of them."""
        if not self._checkpoints:
            raise MensuraError("No checkpoint of this visit was marked.")
        return Pool(
            world,
            self._environments,
            list(self._checkpoints.values()),
            self._snapshots,
            self._pictures,
        )
