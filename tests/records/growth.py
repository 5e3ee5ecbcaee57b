"""Writes a run of any size and reads it back, and says what that took; run in a process of its own."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from time import perf_counter

from tests.records.toys import make_batches, make_cells, new_run

from mensura.records.export import export
from mensura.records.store import open_store


def main(folder: Path, episodes: int) -> None:
    cells = make_cells(("a", "b"), episodes // 2)
    took: list[float] = []
    sizes: list[int] = []
    with open_store(folder / "store.db") as store:
        run = store.begin(new_run("growth", cells))
        with store.seize(run) as lease:
            for cell in cells:
                for batch in make_batches(cell, 1000):
                    begun = perf_counter()
                    lease.commit([batch])
                    took.append(perf_counter() - begun)
                    sizes.append(len(batch))
            lease.finish("finished")
        assert store.result(run).done == sum(sizes)
        assert sum(map(len, store.samples(run))) == sum(sizes)
        for format in ("parquet", "csv"):
            export(store, run, folder / format, format)  # type: ignore[arg-type]
    # In kilobytes on Linux, in bytes on macOS.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tenth = max(1, len(took) // 10)
    print(  # noqa: T201
        json.dumps(
            {
                "rate": sum(sizes) / sum(took),
                "early": sum(sizes[:tenth]) / sum(took[:tenth]),
                "late": sum(sizes[-tenth:]) / sum(took[-tenth:]),
                "bytes": (folder / "store.db").stat().st_size / sum(sizes),
                "megabytes": peak / (1e6 if sys.platform == "darwin" else 1e3),
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
