"""What distributed constraints cost: messages by both doors, 100,000 agents, the published networks, and pyDCOP."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measure import Figure, best_rate

GOALS = {"dsa": 15e6, "awcs": 2e6}
"""Messages a second of one core, compiled."""
PLAIN = 50_000
"""Messages a second through agents in plain Python."""
PYDCOP = {"mgm": 10_900.0, "dsa": 8_100.0}
"""Messages a second of pyDCOP on 20 variables with 29 constraints, as once measured: by wall time on a busy machine."""
PYDCOP_DPOP = 3.8
"""Seconds that its DPOP took for the same problem, start included."""
PYDCOP_PYTHON, PROBLEMS = "MENSURA_PYDCOP_PYTHON", "MENSURA_PUBLISHED_PROBLEMS"
"""Where these name the Python of an environment with pyDCOP and the folder of its published problems, both solve one of
them, side by side. pyDCOP 0.1.1 is installed by ``pip install pydcop "numpy<2"`` and does not run as it is on Python
3.10 or newer: ``pydcop_started.py`` puts back what it misses."""
PUBLISHED = "pydcop/graph_coloring_10_4_15_0.1.yml"
ROOM: dict[str, Any] = {"letters": 1 << 20, "longest": 1 << 24, "proof": 0.0}


def _played(world: Any, name: str, key: int) -> float:
    """How many messages a compiled episode has."""
    from mensura.core.contract import Plan

    description = world.sample(key)
    episode = world.play_compiled(world.group([(name, {}, 1)]), Plan(description, key), key)
    return float(episode.measures["messages"])


def _compiled_rate(world: Any, name: str) -> float:
    from mensura.core.contract import Plan

    description, subject = world.sample(1), world.group([(name, {}, 1)])
    world.play_compiled(subject, Plan(description, 1), 1)
    return best_rate(
        lambda: int(world.play_compiled(subject, Plan(description, 1), 1).measures["messages"])
    )


def constraints_messages(quick: bool) -> Iterator[Figure]:
    """Messages a second on one core, by the second door and through plain agents."""
    from mensura.worlds.constraints.players import PLAYERS
    from mensura.worlds.constraints.solving import solve
    from mensura.worlds.constraints.world import Constraints

    nodes = 1000 if quick else 10_000
    coloring = Constraints(family="coloring", nodes=nodes, links=4 * nodes, horizon=100, **ROOM)
    networks = Constraints(family="scale-free", n=500, t=0.4, horizon=50 if quick else 300, **ROOM)
    queens = Constraints(family="queens", n=20, horizon=200, **ROOM)
    sparse = Constraints(family="coloring", nodes=1000, links=600, horizon=1000, **ROOM)
    special = {"awcs": networks, "dpop": sparse}
    for name, one in PLAYERS.items():
        world = special.get(name, queens if one.hard else coloring)
        rate = _compiled_rate(world, name)
        yield Figure(f"constraints, compiled: {name}", rate, "messages/s", GOALS.get(name))
    small = Constraints(family="coloring", nodes=100, links=300, **ROOM)
    problem = small.problem(small.sample(1))
    for name in ("dsa", "mgm", "awcs", "abt"):
        limit = 50 if quick else 200

        def play(name: str = name, limit: int = limit) -> int:
            found = solve(problem, name, seed=1, limit=limit, compiled=False)
            return int(found.metrics["messages"])

        rate = best_rate(play, clock=time.process_time)
        yield Figure(f"constraints, plain agents: {name}", rate, "messages/s", PLAIN)


def constraints_scale(quick: bool) -> Iterator[Figure]:
    """100,000 agents: 50 cycles of DSA, and weak-commitment search at constrainedness 0.4 until all is read."""
    from mensura.core.contract import Plan
    from mensura.worlds.constraints.world import Constraints

    n = 10_000 if quick else 100_000
    world = Constraints(family="coloring", nodes=n, links=4 * n, horizon=50, **ROOM)
    description, subject = world.sample(1), world.group([("dsa", {}, 1)])
    world.play_compiled(subject, Plan(description, 1), 1)
    rate = best_rate(lambda: world.play_compiled(subject, Plan(description, 1), 1) is not None)
    yield Figure(f"constraints, {n:,} agents: 50 cycles of dsa", 1 / rate, "s", 2.0, False)
    share = 8.0 / (n - 1)
    world = Constraints(family="random-binary", n=n, m=10, p1=share, p2=0.21, horizon=1000, **ROOM)
    begun = time.perf_counter()
    description, subject = world.sample(1), world.group([("awcs", {}, 1)])
    kappa = world.complexity(description, "constrainedness")
    drawn = time.perf_counter() - begun
    yield Figure(f"constraints, {n:,} agents: a problem drawn and measured", drawn, "s")
    begun = time.perf_counter()
    episode = world.play_compiled(subject, Plan(description, 1), 1)
    took = time.perf_counter() - begun
    assert episode is not None
    assert episode.measures["solved"], "weak-commitment search did not come to an end"
    what = f"awcs at constrainedness {kappa:.2f} until all is read"
    yield Figure(f"constraints, {n:,} agents: {what}", took, "s", 120.0, False)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    yield Figure(f"constraints, {n:,} agents: memory", memory, "GB", 4.0, False)


def constraints_networks(quick: bool) -> Iterator[Figure]:
    """100 published scale-free networks, cut off at 1,000 cycles: minutes on two cores, from a few on one."""
    from mensura.worlds.constraints.world import Constraints

    for n, gamma, goal in ((500, 1.8, 1.0), (1000, 2.1, 10.0)):
        world = Constraints(
            family="scale-free", n=n, gamma=gamma, t=0.4, horizon=100 if quick else 1000, **ROOM
        )
        _played(world, "awcs", 0)
        some = 1 if quick else 4
        begun = time.process_time()
        for key in range(1, 1 + some):
            _played(world, "awcs", key)
        minutes = 100 * (time.process_time() - begun) / some / 2 / 60
        name = f"constraints, scale-free {n}, {gamma}: 100 networks of {world.horizon} cycles, two cores"
        yield Figure(name, minutes, "min", goal, False)


def constraints_pydcop(quick: bool) -> Iterator[Figure]:
    """Multiples of what pyDCOP gave on problems of the size of its own."""
    from mensura.worlds.constraints.generators import FAMILIES
    from mensura.worlds.constraints.solving import solve
    from mensura.worlds.constraints.world import Constraints

    for name, theirs in PYDCOP.items():
        world = Constraints(
            family="coloring", nodes=20, links=29, horizon=1000 if quick else 20_000, **ROOM
        )
        ratio = _compiled_rate(world, name) / theirs
        yield Figure(f"constraints, over pyDCOP as once measured: {name}", ratio, "x", 100.0)
    problem = FAMILIES["coloring"].problem(np.random.default_rng(1), nodes=20, links=29, colors=3)
    rate = best_rate(lambda: int(solve(problem, "dpop").verdict != "unfinished"))
    ratio = PYDCOP_DPOP * rate
    yield Figure("constraints, over pyDCOP as once measured: dpop", ratio, "x", 100.0)


def constraints_beside_pydcop(quick: bool) -> Iterator[Figure]:
    """Messages a second of both on one of pyDCOP's own problems. Its DPOP finds the best but was
    not seen to end by itself (10 s, two problems), so it has no time."""
    python, folder = os.environ.get(PYDCOP_PYTHON), os.environ.get(PROBLEMS)
    if not python or not folder:
        return
    from mensura.worlds.constraints.formats import read_problem
    from mensura.worlds.constraints.solving import solve

    path = Path(folder) / PUBLISHED
    problem = read_problem(path)
    started = [python, str(Path(__file__).with_name("pydcop_started.py"))]
    cycles = 2000 if quick else 20_000
    for name in ("mgm", "dsa"):
        command = [
            *started,
            "--timeout",
            "3" if quick else "20",
            "solve",
            "--algo",
            name,
            str(path),
        ]
        told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        found = json.loads(told[told.index("{") :])
        theirs = found["msg_count"] / found["time"]
        ours = best_rate(
            lambda name=name: int(solve(problem, name, limit=cycles).metrics["messages"])
        )
        yield Figure(f"constraints, beside pyDCOP: its {name}", theirs, "messages/s")
        yield Figure(f"constraints, beside pyDCOP: {name} over its own", ours / theirs, "x", 100.0)


PARTS = (
    constraints_messages,
    constraints_scale,
    constraints_networks,
    constraints_pydcop,
    constraints_beside_pydcop,
)
