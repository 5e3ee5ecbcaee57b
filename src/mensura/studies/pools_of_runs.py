"""The pools of checkpoints that runs need: found for a store, taken from one, and laid out for workers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mensura.core.abilities import pools_of
from mensura.records.pool_shelf import FOLDER, SHELF, lay_out_pools
from mensura.records.pools import Pool
from mensura.studies.place import Place

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store


def digests_needed(places: Sequence[Place]) -> list[str]:
    """The pools that the assessments of places start episodes from, each once."""
    return list(dict.fromkeys(one for place in places for one in pools_of(place.assessment)))


def pools_needed(places: Sequence[Place]) -> list[Pool]:
    """The same with what they hold."""
    return [SHELF.find(digest) for digest in digests_needed(places)]


def shelve_pools(store: Store, run: Run) -> None:
    """Have the pools of a run at hand, so that it can be played without their files."""
    for digest in store.pools(run):
        if not SHELF.has(digest):
            pool = store.pool(digest)
            assert pool is not None
            SHELF.put(pool)


def lay_out_for_workers(places: Sequence[Place], folder: Path) -> None:
    """Write the pools of places where workers of other processes find them; ``folder`` is that of the journals."""
    lay_out_pools(digests_needed(places), folder / FOLDER)
