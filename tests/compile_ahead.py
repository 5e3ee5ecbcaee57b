"""Compile the kernels that the tests need, before they start: python -m tests.compile_ahead.

A rule is translated once in a process, however many doors it is inlined into, so a few processes that each open many
doors take much less time than the many test processes that would each open some. What is compiled is found by
content (see `mensura.core.compiled`): nothing is done twice, and a test whose door is missing compiles it itself.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

CHECKED = os.environ.get("NUMBA_BOUNDSCHECK") == "1"
"""Whether it is for `make bounds`."""

PAGI_TASK = (
    '{"objects": [{"kind": "hook", "x": 3, "y": 6}, {"kind": "apple", "x": 5, "y": 6}], '
    '"ropes": [{"ties": ["hook", "apple"], "length": 4}], "reflexes": ["setReflex,r,Sx|>|9,addForce|J|1"]}'
)
"""A room with a rope and a reflex."""


def open_doors(world: Any, names: list[str]) -> None:
    """The doors of a world, by built-in subjects."""
    from mensura.studies import warming

    if not CHECKED:  # those tests go by the second door
        warming.open_environment(world)
    warming.open_doors(world, names, only_bulk=CHECKED)


def open_block(world: Any) -> None:
    """The doors by which a vector of environments is stepped."""
    import numpy as np

    from mensura.core.blocks import Block

    block = Block(world.block(), 2, world.build(world.sample(0)).spaces(0), None, 1)
    at, free = np.arange(2), np.full(2, np.inf)
    block.draw(at, at.astype(np.uint64), None, -free, free)
    block.begin(at, at.astype(np.uint64))
    block.step(np.zeros((2, 1), np.int64))


def lambda_star() -> None:
    """Every task, and search with and without its options: they share most of their rules."""
    from mensura.worlds.lambda_star.world import LambdaStar

    for preset in ("paper", "coordination"):
        open_doors(
            LambdaStar.preset(preset, horizon=4, subjects=3), ["random", "crowd", "stigmergy"]
        )
        open_doors(LambdaStar.preset(preset, horizon=4, subjects=1), ["planner"])
    for preset, teller in (("landscape", "swarm"), ("commons", "quota")):
        open_doors(LambdaStar.preset(preset, horizon=4, subjects=2), ["random", teller])
    for preset in ("dilemma", "opinion"):
        open_doors(LambdaStar.preset(preset, horizon=4, subjects=2), ["random", "q-learning"])
    if not CHECKED:
        open_block(LambdaStar(horizon=4, subjects=1))


def lambda_class() -> None:
    """Lambda with its sieves and perturbed, and BF, whose programs are as large."""
    from mensura.worlds.bf.world import BF
    from mensura.worlds.lambda_class.optimum import Optimum
    from mensura.worlds.lambda_class.sieves import expected_rewards
    from mensura.worlds.lambda_class.world import Lambda
    from mensura.worlds.perturbed.world import perturbed

    world = Lambda(horizon=4, junk_limit=4, cells=3)
    open_doors(world, ["q-learning"])
    if not CHECKED:
        noisy = perturbed(Lambda)(horizon=4, cells=3, observation_noise=0.1, reward_noise=0.1)
        open_doors(noisy, ["q-learning"])
        expected_rewards(world.sample(0))
        Optimum(world.sample(0)).regrets([(0, 0, 0)], [0])  # of profiles
        Lambda(horizon=4, subjects=3).sample(0)  # a sieve that tries
        Lambda(generator="universal", horizon=4).sample(0)
    open_doors(BF(horizon=4), ["q-lambda"])


def others() -> None:
    """Analogies, Atari, constraints, FraMoTEC and its schedules, the C-test, mappings, and PAGI World."""
    import numpy as np

    from mensura.complexity.c_test.pool import enumerate_programs
    from mensura.complexity.c_test.search import explain
    from mensura.studies.warming import open_environment
    from mensura.texts.mapping import map_skeletons
    from mensura.texts.skeletons import Concept, Skeleton, Verb
    from mensura.worlds.analogies.world import Analogies
    from mensura.worlds.atari.world import Atari
    from mensura.worlds.constraints.world import Constraints
    from mensura.worlds.framotec.play.simulation import simulate
    from mensura.worlds.framotec.world import Framotec
    from mensura.worlds.pagi.world import Pagi

    for name in ("abt", "awcs", "dpop", "dsa", "max-sum", "mgm"):
        open_doors(Constraints(n=4, horizon=4), [name])
    race = Framotec()
    open_environment(race)
    simulate(race.sample(0).task, np.zeros((1, 1, 1)))
    explain("a b", length=3)
    enumerate_programs(3)
    ring = Skeleton(
        tuple(Concept(f"noun{k}") for k in range(3)),
        tuple(Verb(f"verb{k}", k, (k + 1) % 3) for k in range(3)),
    )
    path = ring.part([3, 4])
    map_skeletons(ring, ring)  # by colors
    map_skeletons(ring, path)  # by relaxation, swaps and branches
    for world in (Analogies(), Atari(horizon=4), Pagi()):  # as the law of the wrappers plays them
        open_environment(world)
    open_environment(Pagi(task="water-diversion"))
    open_environment(Pagi(task=PAGI_TASK))


PARTS: dict[str, Callable[[], None]] = {
    "lambda-star": lambda_star,
    "lambda and bf": lambda_class,
    "others": others,
}
"""In the order of what they take, longest first."""

LONGEST = next(iter(PARTS))


def compile_part(part: str) -> str:
    start = time.monotonic()
    subprocess.run([sys.executable, "-m", "tests.compile_ahead", part], check=True)
    return f"compiled kernels: {part}, {time.monotonic() - start:.0f} s\n"


def main() -> None:
    if sys.argv[1:]:
        if sys.argv[1] != LONGEST:  # which everybody waits for in the end
            os.nice(3)
        gc.set_threshold(100_000, 50, 100)  # nearly all that the compiler makes stays
        PARTS[sys.argv[1]]()
        return
    # All at once: one that waited would leave a core idle at the end.
    with ThreadPoolExecutor(len(PARTS)) as pool:
        for line in pool.map(compile_part, PARTS):
            sys.stdout.write(line)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
