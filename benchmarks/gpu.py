"""How quick whole sittings are on a GPU, and whether they are the same to the bit as on the processor.

    python benchmarks/gpu.py                         # all subjects, up to a million sittings
    python benchmarks/gpu.py --subjects random --sittings 65536
    python benchmarks/gpu.py --same                  # every task and subject, a few sittings each: is it the same?

Needs mensura[gpu] and a GPU, and prints which one it saw. Agent-steps are interactions of a seat: Lambda Star, 10 x
10 cells, five seats, 50 iterations.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from mensura.core.devices import playing_on
from mensura.core.doors import sitting_of
from mensura.core.gpu import find_gpu
from mensura.core.keys import fold_array, numbers
from mensura.core.third_door import third_door
from mensura.worlds.lambda_star.torus.patterns import Patterns
from mensura.worlds.lambda_star.world import LambdaStar

GOALS = {"random": 1e11, "local-search": 2e10, "q-learning": 1e10}
TRAINING = {"q-learning": 20, "sarsa": 20}
SAME = 4096
"""Sittings that are compared with those of the processor."""


def tiled(patterns: Patterns, count: int) -> Patterns:
    """So many patterns, of which later ones repeat the first."""
    times = -(-count // len(patterns.rows))
    return Patterns(
        np.tile(patterns.rows, (times, 1))[:count], np.tile(patterns.complexity, times)[:count]
    )


def measure(name: str, most: int) -> dict[str, Any]:
    """Rates by the number of sittings, and whether the results are those of the processor."""
    world = LambdaStar()
    subject = world.group([(name, {}, 1)])
    training = TRAINING.get(name, 0)
    few = 65_536
    keys = fold_array(77, numbers(0, few))
    free = np.full(few, np.inf)
    drawn = world.sample_many(keys, "K", -free, free)

    def play(count: int, where: str) -> np.ndarray:
        resets, seeds = (fold_array(root, numbers(0, count)) for root in (78, 79))
        with playing_on(where):
            found: np.ndarray = world.rollout(subject, tiled(drawn, count), resets, seeds, training)
        return found

    begun = time.perf_counter()
    there = play(SAME, "gpu")
    first = time.perf_counter() - begun
    begun = time.perf_counter()
    here = play(SAME, "cpu")
    steps = 5 * 50 * (training + 1)
    processor = SAME * steps / (time.perf_counter() - begun)
    door = third_door(sitting_of(world.doors.rules, world.doors.mind_rules))
    rates = []
    count = 8192
    while count <= most:
        begun = time.perf_counter()
        play(count, "gpu")
        whole = time.perf_counter() - begun
        rates.append((count, count * steps / door.seconds, count * steps / whole))
        count *= 4
    return {
        "subject": name,
        "same": bool(np.array_equal(there, here)),
        "first": first,
        "processor": processor,
        "rates": rates,
    }


def everywhere() -> list[tuple[str, Any]]:
    """A world for each kind of rules."""
    from mensura.worlds.bf.world import BF
    from mensura.worlds.lambda_class.world import Lambda

    made: list[tuple[str, Any]] = [
        (preset, LambdaStar.preset(preset, **({"subjects": 3} if preset != "opinion" else {})))
        for preset in LambdaStar.presets
    ]
    return [*made, ("lambda", Lambda()), ("bf", BF(horizon=50))]


def compare(names: list[str], count: int = 96) -> bool:
    """Whether all subjects of all tasks, or of those named, play the same there as here; prints who does not."""
    from mensura.core.abilities import subject_names
    from mensura.studies.subjects import resolve

    right = True
    keys, resets, seeds = (fold_array(root, numbers(0, count)) for root in (1, 2, 3))
    free = np.full(count, np.inf)
    for title, world in everywhere():
        if names and title not in names:
            continue
        drawn = world.sample_many(keys, next(iter(world.measures), ""), -free, free)
        begun, same, differ = time.perf_counter(), 0, []
        for name in subject_names(world):
            subject = resolve(name, world)
            if not world.compiles(subject):
                continue
            sums = []
            try:
                for where in ("gpu", "cpu"):
                    with playing_on(where):
                        sums.append(world.rollout(subject, drawn, resets, seeds, 2, True))
            except Exception as error:
                differ.append(f"{name} (cannot be played: {error!r:.80})")
                continue
            if np.array_equal(*sums):
                same += 1
            else:
                most = float(np.abs(sums[0] - sums[1]).max())
                differ.append(f"{name} (by {most:.3g} at most)")
        right = right and not differ
        told = f", but not {', '.join(differ)}" if differ else ""
        print(
            f"{title}: {same} subjects the same to the bit{told} ({time.perf_counter() - begun:.0f} s)",
            flush=True,
        )
    return right


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--subjects", nargs="+", default=["random", "local-search", "stigmergy", "q-learning"]
    )
    parser.add_argument("--sittings", type=int, default=2**20 + 2**18)
    parser.add_argument(
        "--same", nargs="*", help="compare all tasks, or those named, and measure nothing"
    )
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    gpu = find_gpu()
    print(f"{gpu.name}, compute capability {gpu.capability}, {gpu.processors} processors")
    if given.same is not None:
        raise SystemExit(0 if compare(given.same) else 1)
    found = []
    for name in given.subjects:
        one = measure(name, given.sittings)
        found.append(one)
        print(
            f"{name}: the same to the bit as on the processor: {one['same']}; first call {one['first']:.1f} s"
        )
        print(f"  one core of the processor: {one['processor']:.3g} agent-steps/s")
        for count, rate, whole in one["rates"]:
            print(f"  {count:>9,} sittings: {rate:.3g} agent-steps/s, {whole:.3g} with copying")
        if name in GOALS:
            best = max(rate for _, rate, _ in one["rates"])
            print(f"  goal {GOALS[name]:.0e}: {best / GOALS[name]:.2f} of it")
    if given.json is not None:
        given.json.write_text(json.dumps({"gpu": gpu.name, "found": found}, indent=1))


if __name__ == "__main__":
    main()
