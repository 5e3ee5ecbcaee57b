"""What everything costs: prints the figures beside their goals and writes them as JSON.

Run it on an idle machine: ``make bench``. Figures are the best of several repetitions, since noise only ever slows
things down; ratios are taken within one run. ``--only WORD`` runs the parts whose name holds the word.
``benchmarks/pages.py`` brings what was written into the documentation.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import adaptivity
import analogy
import anytime
import atari
import bf
import c_test
import constraints
import framotec
import items
import lambda_class
import numpy as np
import pagi
import pagi_clients
import peers
import studies
import vectors
from measure import Figure, best_rate

SIDE, SEATS, HORIZON = 10, 5, 50


def compilation() -> Iterator[Figure]:
    """The first run compiles, later ones load from the cache."""
    code = (
        "import time; s = time.perf_counter()\n"
        "from mensura.worlds.lambda_star.world import LambdaStar\n"
        "from mensura.assessments.battery import Battery\n"
        "from mensura.studies.runner import run\n"
        "w = LambdaStar(); run(w, [w.group([('random', {}, 1)])], Battery(2), 1)\n"
        "print(time.perf_counter() - s)"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for name, goal in (("first run, compiling", None), ("later runs, from the cache", 3.0)):
            out = subprocess.run(
                [sys.executable, "-c", code],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            yield Figure(f"start-up: {name}", float(out.stdout), "s", goal, False)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "mensura.cli.main", "--help"], capture_output=True, check=True
    )
    yield Figure("start-up: mensura --help", time.perf_counter() - start, "s", 1.0, False)


def rollouts() -> Iterator[Figure]:
    """The compiled door: agent-steps a second on one core and on all."""
    from mensura.assessments.battery import Battery
    from mensura.studies.runner import run
    from mensura.worlds.lambda_star.torus.subjects import KINDS
    from mensura.worlds.lambda_star.world import LambdaStar

    goals = {"random": 20e6, "local-search": 12e6, "oracle": None}
    world = LambdaStar(SIDE, SIDE, SEATS, HORIZON)
    cores = os.cpu_count() or 1
    for name in KINDS:
        group = world.group([(name, {}, 1)])
        lessons = 100 if group.training else 0
        count = 200 if lessons else 40_000
        steps = count * (lessons + 1) * SEATS * HORIZON
        run(world, [group], Battery(2), 1, training=1)
        items = Battery(count).items(1, 0, count)
        patterns = world.sample_many(items.keys, "K", items.low, items.high)

        def one_core() -> int:
            world.rollout(group, patterns, items.resets, items.keys, lessons)
            return steps

        def all_cores() -> int:
            run(world, [group], Battery(count), 1, training=lessons, threads=cores)
            return steps

        def one_thread() -> int:
            run(world, [group], Battery(count), 1, training=lessons, threads=1)
            return steps

        goal = goals.get(name, 10e6 if lessons else 6e6)
        alone = best_rate(one_core)
        yield Figure(f"rollout, one core: {name}", alone, "agent-steps/s", goal)
        if name in ("random", "local-search", "q-learning", "stigmergy"):
            ratio = best_rate(all_cores) / best_rate(one_thread)
            yield Figure(f"rollout, {cores} cores over one: {name}", ratio, "x", 0.9 * cores)


def questions() -> Iterator[Figure]:
    """Lambda Star's wider questions: what an agent-step takes over one of the plain search, through both doors."""
    from mensura.assessments.battery import Battery
    from mensura.worlds.lambda_star.torus.subjects import KINDS
    from mensura.worlds.lambda_star.world import LambdaStar

    def rolled(world: LambdaStar, name: str) -> float:
        group = world.group([(name, {}, 1)])
        items = Battery(4000).items(1, 0, 4000)
        measure = next(iter(world.measures), "")
        drawn = world.sample_many(items.keys, measure, items.low, items.high)
        return best_rate(
            lambda: len(world.rollout(group, drawn, items.resets, items.keys, 0)) * HORIZON * SEATS
        )

    def stepped(world: LambdaStar) -> float:
        environment = world.build(world.sample(1))

        def bare() -> int:
            for reset in range(100):
                environment.reset(reset)
                for _ in range(HORIZON):
                    environment.step([5] * SEATS, ())
            return 100 * HORIZON

        return best_rate(bare)

    for preset in list(LambdaStar.presets)[2:]:
        world = LambdaStar.preset(preset, rows=SIDE, cols=SIDE, subjects=SEATS, horizon=HORIZON)
        plain = LambdaStar(SIDE, SIDE, SEATS, HORIZON, world.range)
        own = next(one for one in (*world.demo, *world.subject_names) if one != "random")
        for name in ("random", own):
            usual = name if name in KINDS else "local-search"
            ratio = rolled(plain, usual) / rolled(world, name)
            yield Figure(f"{preset}: rollout over plain, {name}", ratio, "x", 2.0, False)
        ratio = stepped(plain) / stepped(world)
        yield Figure(f"{preset}: environment.step over plain", ratio, "x", 2.0, False)


def paper() -> Iterator[Figure]:
    """The 13-group experiment of the paper: about 100 million agent-steps."""
    from mensura.assessments.battery import Battery
    from mensura.studies.files import read_study
    from mensura.studies.runner import run
    from mensura.worlds.lambda_star.world import LambdaStar

    world = LambdaStar.preset("authors-2016")
    names = [entry.subject for entry in read_study("lambda-star-2016").subjects]
    groups = [world.group([(name, {}, 1)]) for name in names]
    seconds = 1 / best_rate(lambda: bool(run(world, groups, Battery(1000), 1)), 2)
    yield Figure("13 groups, 1000 episodes, 100 training", seconds, "s", 10.0, False)


def sampling() -> Iterator[Figure]:
    """Environments a second, as they come and of a wanted complexity."""
    from mensura.worlds.lambda_star.world import LambdaStar

    world = LambdaStar(SIDE, SIDE, SEATS, HORIZON)
    keys = np.arange(5000, dtype=np.uint64)
    wanted = 2.0 + (np.arange(5000) % 22)
    for name, low, high in (
        ("as they come", np.full(5000, -np.inf), np.full(5000, np.inf)),
        ("of a wanted K from 2 to 23", wanted, wanted),
    ):
        rate = best_rate(
            lambda low=low, high=high: len(world.sample_many(keys, "K", low, high).rows)
        )
        yield Figure(f"sampling environments {name}", rate, "environments/s")


def step_door() -> Iterator[Figure]:
    """Python agents through the one loop."""
    from mensura.agent.in_process import Agents
    from mensura.core.loop import play
    from mensura.core.players import drive
    from mensura.worlds.lambda_star.world import LambdaStar

    class Still:
        def act(self, observation: object, reward: float) -> int:
            return 5

    for seats in (1, SEATS):
        world = LambdaStar(SIDE, SIDE, seats, 5000)
        environment = world.build(world.sample(1))
        player = Agents([Still() for _ in range(seats)])

        def episode() -> int:
            drive(play(environment, 1, world=world.id, seed=1), player)
            return 5000

        yield Figure(f"the one loop, {seats} Python agents", best_rate(episode), "turns/s")

        def bare() -> int:
            environment.reset(1)
            for _ in range(5000):
                environment.step([5] * seats, ())
            return 5000

        yield Figure(f"environment.step, {seats} seats", best_rate(bare), "steps/s")


def pettingzoo_door() -> Iterator[Figure]:
    """PettingZoo's view with trivial Python agents."""
    from mensura.adapters.pettingzoo import parallel_env

    for seats, goal in ((1, 150_000), (SEATS, 80_000)):
        env = parallel_env("lambda-star-v2", subjects=seats, horizon=20_000)

        def episode() -> int:
            observations, _ = env.reset(seed=1)
            steps = 0
            while env.agents:
                observations, *_ = env.step(dict.fromkeys(observations, 4))
                steps += 1
            return steps

        yield Figure(f"PettingZoo, {seats} agents", best_rate(episode), "steps/s", goal)


def own_process() -> Iterator[Figure]:
    """An agent of one's own in a process of its own."""
    from mensura.agents.address import parse
    from mensura.agents.process import ProcessSubject
    from mensura.core.loop import play
    from mensura.core.players import drive
    from mensura.worlds.lambda_star.world import LambdaStar

    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder) / "still.py"
        code.write_text("class Still:\n    def act(self, observation, reward):\n        return 5\n")
        for seats in (1, SEATS):
            world = LambdaStar(SIDE, SIDE, seats, 2000)
            environment = world.build(world.sample(1))
            player = ProcessSubject(parse(f"{code}:Still")[0]).sit(seats)

            def episode() -> int:
                drive(play(environment, 1, world=world.id, seed=1), player)
                return 2000

            rate = best_rate(episode)
            player.close()
            yield Figure(f"own process, {seats} agents", rate, "turns/s")


def memory() -> Iterator[Figure]:
    """Results do not live in memory: three million episodes take no more of it than one, where buffers are full."""
    code = (
        "import sys\n"
        "from tests.peak import peak\n"
        "from mensura.worlds.lambda_star.world import LambdaStar\n"
        "from mensura.assessments.battery import Battery\n"
        "from mensura.studies.runner import run\n"
        "w = LambdaStar(5, 5, 1, 10)\n"
        "run(w, [w.group([('random', {}, 1)])], Battery(int(sys.argv[1])), 1)\n"
        "print(peak())"
    )
    peaks = []
    for episodes in (1_000_000, 3_000_000):
        out = subprocess.run(
            [sys.executable, "-c", code, str(episodes)],
            cwd=Path(__file__).resolve().parents[1],
            capture_output=True,
            text=True,
            check=True,
        )
        peaks.append(float(out.stdout))
        yield Figure(f"peak memory, {episodes} episodes", peaks[-1], "MB")
    yield Figure("peak memory, three million over a million", peaks[1] / peaks[0], "x", 1.05, False)


PARTS = (
    compilation,
    rollouts,
    questions,
    paper,
    sampling,
    step_door,
    pettingzoo_door,
    own_process,
    memory,
)


def main() -> None:
    """Run the parts, print a line a figure, write all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="run the parts whose name holds this word")
    parser.add_argument(
        "--json", type=Path, default=Path(__file__).parent / "results" / "bench.json"
    )
    parser.add_argument(
        "--quick", action="store_true", help="studies at small sizes, to see that all of it works"
    )
    chosen = parser.parse_args()
    figures: list[Figure] = []
    print(f"load of the machine before: {os.getloadavg()[0]:.2f} (figures want an idle one)")
    sized = (
        *lambda_class.PARTS,
        *atari.PARTS,
        *bf.PARTS,
        *framotec.PARTS,
        *constraints.PARTS,
        *anytime.PARTS,
        *c_test.PARTS,
        *items.PARTS,
        *analogy.PARTS,
        *pagi.PARTS,
        *pagi_clients.PARTS,
        *peers.PARTS,
        *adaptivity.PARTS,
        *studies.PARTS,
        *vectors.PARTS,
    )
    further = {part.__name__: partial(part, chosen.quick) for part in sized}
    for name, part in {**{part.__name__: part for part in PARTS}, **further}.items():
        if chosen.only not in name:
            continue
        for figure in part():
            figures.append(figure)
            goal = ""
            if figure.goal is not None:
                sign = ">=" if figure.higher_is_better else "<="
                goal = f"  goal {sign} {figure.goal:,.4g}  {'met' if figure.met else 'MISSED'}"
            print(f"{figure.name:55} {figure.value:>16,.4g} {figure.unit}{goal}", flush=True)
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(
        json.dumps(
            {
                "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
                "python": platform.python_version(),
                "load": os.getloadavg(),
                "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "figures": [{**asdict(figure), "met": figure.met} for figure in figures],
            },
            indent=2,
        )
        + "\n"
    )
    print(f"written to {chosen.json}")


if __name__ == "__main__":
    main()
