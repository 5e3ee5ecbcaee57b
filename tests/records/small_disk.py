"""What happens on a disk of two megabytes when it is full; run in a process of its own, on that disk."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.records.toys import make_batch, make_cells, new_run

from mensura.agent.errors import MensuraError
from mensura.records.batch import Batch, TraceFile
from mensura.records.lease import Lease
from mensura.records.store import open_store

CELLS = make_cells(sittings=50_000)


def refused(lease: Lease, batch: Batch) -> str:
    """What is said where a batch does not fit; nothing where it does."""
    try:
        lease.commit([batch])
    except MensuraError as error:
        return str(error)
    return ""


def rows(disk: Path) -> None:
    """Rows are committed until there is no room, and go on when there is."""
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(1_000_000))
    with open_store(disk / "store.db") as store:
        run = store.begin(new_run("run", CELLS))
        with store.seize(run) as lease:
            done, said = 0, ""
            while not said:
                said = refused(lease, make_batch(CELLS[0], done, done + 1000))
                done += 0 if said else 1000
        assert "the disk is full; everything committed before is safe" in said, said
        assert "`mensura study resume run`" in said, said
        assert done >= 1000
        ballast.unlink()
        assert np.flatnonzero(store.done(run)[0]).tolist() == list(range(done))
        with store.seize(run) as lease:
            assert not refused(lease, make_batch(CELLS[0], done, done + 1000))
        assert store.progress(run).done == done + 1000


def trace(disk: Path) -> None:
    """A trace that does not fit leaves no part of itself, and rows still have room."""
    with open_store(disk / "store.db") as store:
        run = store.begin(new_run("run", CELLS))
        batch = make_batch(CELLS[0], 0, 10)
        with store.seize(run) as lease:
            said = refused(lease, replace(batch, traces=(TraceFile((0,), bytes(3_000_000)),)))
            assert "a trace could not be written: No space left" in said, said
            assert not [path for path in store.files.rglob("*") if path.suffix == ".part"]
            assert not refused(lease, batch)


if __name__ == "__main__":
    {"rows": rows, "trace": trace}[sys.argv[1]](Path(sys.argv[2]))
