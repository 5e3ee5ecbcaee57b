"""Who computes: threads of this process, processes of this machine, or a Ray cluster; all behind one interface.

Executors compute and never write. The coordinator hands them jobs and takes what comes back, in any order.
"""

from __future__ import annotations

import os

from mensura.agent.errors import MensuraError, neighbors
from mensura.studies.executors.executor import Executor

KINDS = ("auto", "threads", "processes", "ray")


def make_executor(
    kind: str,
    workers: int | None = None,
    address: str | None = None,
    concurrent: bool = True,
    side_by_side: int = 0,
    waits: int = 1,
    device: str = "cpu",
) -> Executor:
    """An executor by its name.

    "auto" is threads where they are enough (``concurrent``: subjects are compiled or have processes of their own),
    else processes. With threads, so many sittings ``side_by_side`` of subjects that are waited for share one of them.
    Where nobody says how many, there are as many threads as cores, or as many as subjects that mostly wait are worth
    (``waits``). On another ``device`` than the processor threads play, one more than there are cores: what is drawn for
    the next launch is drawn while the last one plays; on a Ray cluster each GPU has a worker.
    """
    if kind not in KINDS:
        raise MensuraError(f"There is no executor {kind!r}; {neighbors(kind, list(KINDS))}")
    if workers is not None and workers < 1:
        raise MensuraError(f"{workers} workers cannot do any work; at least 1 is needed.")
    if address is not None and kind != "ray":
        raise MensuraError(f"The executor {kind!r} needs no address; only 'ray' does.")
    count = workers or os.cpu_count() or 1
    if device != "cpu":
        from mensura.core.devices import check_device
        from mensura.studies.executors.threads import Threads

        if kind == "ray":
            from mensura.studies.executors.cluster import Cluster

            return Cluster(workers, address, device)
        check_device(device)
        if kind not in ("auto", "threads"):
            raise MensuraError(
                f"With the device {device!r} threads or workers of Ray play, not {kind!r}; leave out the executor."
            )
        return Threads(workers or count + 1, device=device)
    if kind == "auto":
        kind = "threads" if concurrent or count == 1 else "processes"
    if kind == "threads" and side_by_side:
        from mensura.studies.executors.side_by_side import SideBySide

        return SideBySide(count, workers or side_by_side)
    if kind == "threads":
        from mensura.studies.executors.threads import Threads

        return Threads(count if workers else max(count, waits))
    if kind == "processes":
        from mensura.studies.executors.processes import Processes

        return Processes(count)
    from mensura.studies.executors.cluster import Cluster

    return Cluster(workers, address)
