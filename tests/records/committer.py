"""A coordinator that can be killed: it commits what is missing of a run, and says so after each commit."""

from __future__ import annotations

import sys

import numpy as np
from tests.records.toys import make_batch

from mensura.records.store import open_store


def main(where: str, name: str, size: int) -> None:
    with open_store(where) as store:
        run = store.find(name)
        cells = store.cells(run)
        with store.seize(run) as lease:
            for cell, marks in zip(cells, store.done(run), strict=True):
                missing = np.flatnonzero(~marks)
                for start in range(0, len(missing), size):
                    items = missing[start : start + size].tolist()
                    batches = [make_batch(cell, item, item + 1, rich=True) for item in items]
                    lease.commit(batches)
                    sys.stdout.write("".join(f"{cell.number} {item}\n" for item in items))
                    sys.stdout.flush()
            lease.finish("finished")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
