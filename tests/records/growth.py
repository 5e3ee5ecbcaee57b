"""Writes a run of any size and reads it back, and says what room that took; run in a process of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.peak import peak
from tests.records.toys import make_batches, make_cells, new_run

from mensura.records.export import export
from mensura.records.store import open_store


def main(folder: Path, episodes: int) -> None:
    cells = make_cells(("a", "b"), episodes // 2)
    count = 0
    with open_store(folder / "store.db") as store:
        run = store.begin(new_run("growth", cells))
        with store.seize(run) as lease:
            for cell in cells:
                for batch in make_batches(cell, 1000):
                    lease.commit([batch])
                    count += len(batch)
            lease.finish("finished")
        assert store.result(run).done == count
        assert sum(map(len, store.samples(run))) == count
        for format in ("parquet", "csv"):
            export(store, run, folder / format, format)  # type: ignore[arg-type]
    print(json.dumps({"bytes": (folder / "store.db").stat().st_size / count, "megabytes": peak()}))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
