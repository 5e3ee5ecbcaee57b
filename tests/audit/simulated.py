"""The GPU's doors in a process of their own, whose kernels run in Python: ``python -m tests.audit.simulated CELL``."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

NOTHING = "it holds"


def failure_there(place: str) -> str | None:
    """What fails on a simulated GPU."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.audit.simulated", place],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    last = done.stdout.strip().splitlines()[-1:] or [done.stderr.strip()[-300:]]
    return None if last[0] == NOTHING and not done.returncode else last[0] or "no word"


def main(place: str) -> None:
    import numpy as np
    from tests.audit.courses import SEEDS, courses
    from tests.audit.doors import _by_loop, in_vector, sitting_subject, whole_sittings
    from tests.audit.places import world_of
    from tests.core.simulated_gpu import SIMULATED, SimulatedArray, simulate

    from mensura.adapters.gpu_vector import GpuVector
    from mensura.adapters.vector import in_blocks
    from mensura.agent.keys import key
    from mensura.core.abilities import hosting
    from mensura.core.devices import playing_on

    simulate()
    name, wrapper, strength = place.split("/")
    where = name, wrapper, float(strength)
    world, wanted = world_of(*where), {seed: courses(*where, seed) for seed in SEEDS}
    failure = None

    def there(actions: Any) -> SimulatedArray:
        array = SimulatedArray(SIMULATED, actions.shape, actions.dtype)
        array.take(actions)
        return array

    if in_blocks(world):
        failure = in_vector(
            GpuVector(world, len(wanted)),
            wanted,
            there,
            lambda array: np.asarray(array.array if isinstance(array, SimulatedArray) else array),
        )
    subject = sitting_subject(world)
    if failure is None and subject is not None:
        plain = world_of(name) if where[2] == 0.0 else world
        host, plain = hosting(world, subject), hosting(plain, subject)
        roots = [key(seed, "audit") for seed in wanted]
        stepped = [_by_loop(plain, subject, root) for root in roots]
        with playing_on("gpu"):
            failure = whole_sittings(host, subject, roots, stepped)
    sys.stdout.write(failure or NOTHING)


if __name__ == "__main__":
    main(sys.argv[1])
