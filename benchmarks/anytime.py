"""What the anytime test costs, and what policies gain that play with time (``python benchmarks/anytime.py``)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from measure import REPEATS, Figure

from mensura.core.contract import counted_interactions

BUDGET = 10_000_000
INTERACTIONS = 20_000


def anytime_compiled(quick: bool) -> Iterator[Figure]:
    """Seconds of one chain of the anytime test on Lambda, in one thread, environments drawn and all."""
    from mensura.assessments.anytime import Anytime
    from mensura.studies.runner import run
    from mensura.worlds.lambda_class.world import Lambda

    world = Lambda()
    budget = BUDGET // 100 if quick else BUDGET
    for name in ("random", "q-learning", "planner"):
        subject = world.group([(name, {}, 1)])
        run(world, [subject], Anytime(interactions=1000, sittings=1), 1, threads=1)
        start = time.perf_counter()
        run(world, [subject], Anytime(interactions=budget, sittings=1, overrun=False), 1, threads=1)
        goal = None if name == "planner" or quick else 5.0
        unit = f"s for {budget:,} interactions"
        taken = time.perf_counter() - start
        yield Figure(f"Anytime test: {name}", taken, unit, goal, higher_is_better=False)


def anytime_slots(quick: bool) -> Iterator[Figure]:
    """What slots add to an interaction of an agent in Python."""
    from mensura.agent.in_process import Agents
    from mensura.core.loop import play
    from mensura.core.players import drive
    from mensura.worlds.lambda_class.world import Lambda

    class Still:
        def act(self, observation: Any, reward: float) -> int:
            return 0

    world = Lambda(horizon=INTERACTIONS)
    environment = world.build(world.sample(3))
    player = Agents([Still()])

    def ticking() -> Callable[[], float]:
        """The clock of the computer, until so many interactions are made."""
        left = INTERACTIONS

        def clock() -> float:
            nonlocal left
            left -= 1
            return time.perf_counter() + (1e9 if left < 0 else 0.0)

        return clock

    def taken(**slot: Any) -> float:
        best = float("inf")
        for _ in range(REPEATS):
            own = {"clock": ticking()} if "seconds" in slot else {}
            start = time.perf_counter()
            drive(play(environment, 1, world=world.id, seed=1, **slot, **own), player)  # type: ignore[arg-type]
            best = min(best, time.perf_counter() - start)
        return best / INTERACTIONS * 1e6

    unit = "microseconds/interaction"
    plain = taken()
    yield Figure("Anytime test: the loop without a slot", plain, unit, higher_is_better=False)
    slots: dict[str, dict[str, Any]] = {
        "interactions": {"interactions": INTERACTIONS},
        "seconds": {"seconds": 1e6},
        "seconds, history diminishing": {"seconds": 1e6, "diminishing": True},
    }
    for name, slot in slots.items():
        added = taken(**slot) - plain
        yield Figure(f"Anytime test: a slot of {name} adds", added, unit, 1.0, False)


PARTS = (anytime_compiled, anytime_slots)


# Policies that play with time ------------------------------------------------------------

Policy = Callable[["np.ndarray[Any, Any]", int], tuple[int, int]]
"""The running sums of rewards if all actions are made, and the slot; how many are made, and when the last."""


def _ahead(sums: Any, slot: int, by: float, least: int) -> int:
    """After how many actions the mean is first so high; all of the slot where it never is."""
    made = np.arange(1, slot + 1)
    found = np.flatnonzero((sums[1 : slot + 1] >= by * made) & (made >= least))
    return int(found[0]) + 1 if len(found) else slot


def stop(by: float, least: int) -> Policy:
    """Act fast, and stop for good once ahead."""

    def policy(sums: Any, slot: int) -> tuple[int, int]:
        n = _ahead(sums, slot, by, least)
        return n, n

    return policy


def stop_at(actions: int) -> Policy:
    """Act fast so often, and stop if ahead then."""
    return lambda sums, slot: (actions, actions) if sums[actions] > 0 else (slot, slot)


def slow_down(by: float, least: int, seldom: int) -> Policy:
    """Act fast until ahead, and then seldom."""

    def policy(sums: Any, slot: int) -> tuple[int, int]:
        n = _ahead(sums, slot, by, least)
        more = (slot - n) // seldom
        return n + more, n + more * seldom

    return policy


def wake_up(by: float, least: int) -> Policy:
    """Stop once ahead, and act once more just before the end, which one has to know."""

    def policy(sums: Any, slot: int) -> tuple[int, int]:
        n = _ahead(sums, slot, by, least)
        return (n + 1, slot) if n < slot else (n, n)

    return policy


POLICIES: dict[str, Policy] = {
    "acts all the time": lambda sums, slot: (slot, slot),
    "acts for a tenth of the slot": lambda sums, slot: (slot // 10, slot // 10),
    "starts in the middle of the slot": lambda sums, slot: (slot // 2, slot),
    "acts seldom": lambda sums, slot: (slot // 50, slot),
    "stops once ahead": stop(1e-9, 1),
    "stops once the mean is 0.2, after 10 or more": stop(0.2, 10),
    "stops once the mean is 0.5, after 4 or more": stop(0.5, 4),
    "stops after 10 if ahead then": stop_at(10),
    "stops after a tenth of the slot if ahead then": stop_at(100),
    "acts seldom once the mean is 0.2": slow_down(0.2, 10, 50),
    "acts seldom once the mean is 0.5": slow_down(0.5, 4, 100),
    "stops at 0.2, acts once more at the end": wake_up(0.2, 10),
    "stops at 0.5, acts once more at the end": wake_up(0.5, 4),
}


def main(slot: int = 1000, count: int = 20_000) -> None:
    """What each policy gets where rewards are tosses of a coin, by both averages."""
    rng = np.random.Generator(np.random.PCG64(1))
    print(f"{'policy':48s} {'plain':>15s} {'diminishing':>15s}")
    for name, policy in POLICIES.items():
        gained = np.zeros((count, 2))
        for i in range(count):
            sums = np.concatenate([[0], np.cumsum(rng.integers(0, 2, slot + 1) * 2 - 1)])
            n, last = policy(sums, slot)
            counted = counted_interactions(n, float(last), float(slot))
            gained[i] = sums[n] / n, sums[counted] / counted if counted else 0.0
        means, errors = gained.mean(0), gained.std(0) / np.sqrt(count)
        cells = [f"{m:+.3f} ±{e:.3f}" for m, e in zip(means, errors, strict=True)]
        print(f"{name:48s} {cells[0]:>15s} {cells[1]:>15s}")


if __name__ == "__main__":
    main()
