"""What a list of runs says of each: how far it is, and whether somebody is working on it now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store


def facts_of(records: Store, run: Run) -> dict[str, Any]:
    """What a list says of a run."""
    status = run.status
    if status == "running" and not records.held(run):
        # It may have ended since it was read.
        run = records.find(run.name)
        status = "interrupted" if run.status == "running" else run.status
    progress = records.progress(run)
    return {
        "run": run.name,
        "number": run.id,
        "title": run.title,
        "status": status,
        "done": progress.done,
        "sittings": run.sittings,
        "episodes": progress.episodes,
        "faults": progress.faults,
        "started": run.started,
        "ended": run.ended,
        "seconds": run.seconds,
    }
