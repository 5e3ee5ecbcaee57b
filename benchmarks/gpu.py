"""How quick whole sittings are on a GPU, and whether they are the same to the bit as on the processor.

    python benchmarks/gpu.py                         # all subjects, up to a million sittings
    python benchmarks/gpu.py --subjects random --sittings 65536
    python benchmarks/gpu.py --same                  # every task and subject, a few sittings each: is it the same?
    python benchmarks/gpu.py --vectors               # vector environments: are they the same, and how quick
    python benchmarks/gpu.py --draw a.json b.json -o gpu.svg      # how figures written by --json grow, without a GPU

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

from mensura.agent.keys import fold_array, numbers
from mensura.core.devices import playing_on
from mensura.core.doors import sitting_of
from mensura.core.gpu import SHARED_STREAM, Held, find_gpu, wait
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


VECTORS: dict[str, dict[str, Any]] = {
    "LambdaStar-v2": {"subjects": 1},
    "Lambda-v1": {},
    "Bf-v1": {},
    "Framotec-v1": {},
}
GOAL_OF_VECTORS = 1e9
"""Steps a second of a million rows."""


def same_vector(name: str, given: dict[str, Any], count: int = 1000, steps: int = 120) -> float:
    """By how much a vector there differs at most from one here, over so many steps."""
    import gymnasium

    import mensura.adapters.gymnasium  # noqa: F401

    both = [
        gymnasium.make_vec(f"mensura/{name}", num_envs=count, **where, **given)
        for where in ({}, {"device": "gpu"})
    ]
    most = _apart(*[envs.reset(seed=3)[0] for envs in both])
    both[0].action_space.seed(4)
    for _ in range(steps):
        actions = both[0].action_space.sample()
        one, other = both[0].step(actions), both[1].step(_there(actions))
        most = max(most, *(_apart(*pair) for pair in zip(one[:4], other[:4], strict=True)))
    return most


def _there(array: Any) -> Held:
    held = Held(find_gpu(), array.shape, array.dtype, SHARED_STREAM)
    held.take(array)
    return held


def _apart(one: Any, held: Held) -> float:
    other = np.zeros(held.shape, held.dtype)
    held.give(other)
    return float(np.abs(one.astype(np.float64) - other.astype(np.float64)).max())


def vector_rate(name: str, given: dict[str, Any], count: int) -> float:
    """Steps a second of so many environments, by actions that are on the GPU."""
    import gymnasium

    import mensura.adapters.gymnasium  # noqa: F401

    envs = gymnasium.make_vec(f"mensura/{name}", num_envs=count, device="gpu", **given)
    envs.reset()
    one = envs.single_action_space
    rng = np.random.default_rng(1)
    if one.dtype.kind == "f":
        drawn = rng.uniform(one.low, one.high, (count, *one.shape))
    else:
        drawn = rng.integers(0, one.n, count)
    actions = _there(drawn)
    for _ in range(60):
        envs.step(actions)
    begun, steps = time.perf_counter(), 0
    while time.perf_counter() - begun < 1.0:
        for _ in range(50):
            envs.step(actions)
        steps += 50
    wait(find_gpu(), SHARED_STREAM)
    return count * steps / (time.perf_counter() - begun)


def measure_vectors(names: list[str], most: int) -> list[dict[str, Any]]:
    """Rates by the number of environments; what differs from the processor is told."""
    found = []
    for name in names or list(VECTORS):
        given = VECTORS[name]
        begun = time.perf_counter()
        apart = same_vector(name, given)
        words = "the same to the bit" if apart == 0 else f"apart by {apart:.3g} at most"
        print(f"{name}: {words} ({time.perf_counter() - begun:.0f} s)", flush=True)
        ways = [("drawn anew", {})] if name == "LambdaStar-v2" else []
        for way, more in [*ways, ("the same ones again", {"redraw": False})]:
            rates = []
            count = 4096
            while count <= most:
                rates.append((count, vector_rate(name, {**given, **more}, count)))
                print(f"  {count:>9,} environments, {way}: {rates[-1][1]:.3g} steps/s", flush=True)
                count *= 4
            found.append({"world": name, "way": way, "apart": apart, "rates": rates})
    return found


def draw(paths: list[Path], out: Path) -> None:
    """How rates grow with the number of sittings or of environments."""
    from mensura.reports.drawing import drawn, look_of

    lines: list[tuple[str, list[tuple[int, float]]]] = []
    for path in paths:
        data = json.loads(path.read_text())
        for one in data.get("found", []):
            label = f"sittings, {one['subject']} [agent-steps]"
            lines.append((label, [(count, rate) for count, rate, _ in one["rates"]]))
        made = data.get("vectors", [])
        lines += [(f"vector, {one['world']}, {one['way']}", one["rates"]) for one in made]

    def paint(axes: Any) -> None:
        for at, (label, rates) in enumerate(lines):
            color, kind = look_of(at)
            axes.plot(
                *zip(*rates, strict=True), color=color, linestyle=kind, marker=".", label=label
            )
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks([4**n for n in range(6, 11)], [f"{4**n:,}" for n in range(6, 11)])
        axes.yaxis.set_major_formatter(lambda rate, _: f"{rate / 1e6:,g} million")
        axes.set_xlabel("sittings or environments at once [number]")
        axes.set_ylabel("steps [per second]")
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=8)

    drawn(640, 300, out.stem, "Steps a second on a GPU", paint).save(out.parent, ["svg"])


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
    parser.add_argument(
        "--vectors", nargs="*", help="vector environments of all worlds, or of those named"
    )
    parser.add_argument("--json", type=Path)
    parser.add_argument("--draw", nargs="+", type=Path, help="files that --json wrote")
    parser.add_argument("-o", "--out", type=Path, default=Path("gpu.svg"))
    given = parser.parse_args()
    if given.draw:
        draw(given.draw, given.out)
        return
    gpu = find_gpu()
    print(f"{gpu.name}, compute capability {gpu.capability}, {gpu.processors} processors")
    if given.same is not None:
        raise SystemExit(0 if compare(given.same) else 1)
    if given.vectors is not None:
        made = measure_vectors(given.vectors, given.sittings)
        if given.json is not None:
            given.json.write_text(json.dumps({"gpu": gpu.name, "vectors": made}, indent=1))
        return
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
