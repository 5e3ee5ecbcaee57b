"""How often the 95% interval of an adaptive score holds the truth, when the scale too is made anew each time.

``python benchmarks/adaptive_coverage.py`` simulates studies in a world that is as the shipped scale of Lambda says:
each calibrates a scale with simulated references, then tests a person whom nobody has seen, who deviates from its curve
as the references do. ``--played`` calibrates and plays on Lambda itself, where no subject lies on a curve. Both print
the share of intervals that hold the truth, by the scatter of tests alone and with the error that tests share, for the
score of a subject, and for that of a single test by its own error.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mensura.agent.keys import fold_array, key, numbers
from mensura.assessments.adaptive import Adaptive
from mensura.assessments.calibration import ENVIRONMENTS, calibrate, scale_of
from mensura.core.steps import SHARED
from mensura.records.results import SubjectResult
from mensura.statistics.item_response import Person, Standing, curve, examine
from mensura.statistics.item_response import calibrate as calibrate_records
from mensura.statistics.moments import Moments
from mensura.worlds.lambda_class.world import Lambda

MEASURE = "zlib_space_pattern"
SEED = 2026
EVENLY = (np.arange(20_000) + 0.5) / 20_000


class Held(NamedTuple):
    """Whether intervals held the truth."""

    scatter: bool
    score: bool
    test_alone: bool
    test: bool
    error: float
    claimed: float


def held(standings: list[Standing], truth: float) -> Held:
    """Of one subject's tests."""
    moments = Moments.of([one.expected.value for one in standings])
    shared = Moments.of([one.shared for one in standings])
    score = SubjectResult("", moments=moments, measures={SHARED: shared}).score
    first = standings[0]
    gap = abs(first.expected.value - truth)
    alone = first.expected.standard_error
    return Held(
        truth in moments.estimate(),
        truth in score,
        gap <= 1.96 * alone,
        gap <= 1.96 * math.hypot(alone, first.shared),
        moments.mean - truth,
        score.standard_error,
    )


def simulated(asked: argparse.Namespace) -> Iterator[tuple[str, Held]]:
    """Studies of persons of the model, each with a scale of its own."""
    shipped = scale_of(Lambda(), MEASURE)
    middles = np.cumsum(shipped.weight) - shipped.weight / 2

    def difficulty(place: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return np.interp(place, middles, shipped.difficulty)

    for study in range(asked.first, asked.first + asked.studies):
        rng = np.random.default_rng([SEED, study])

        def person(one: Person, rng: np.random.Generator = rng) -> Callable:  # type: ignore[type-arg]
            """What somebody gets on average at a complexity, told by its place among all."""
            off = rng.normal(0.0, shipped.deviation, 10)
            return lambda place: (
                curve(one.ability, one.sensitivity, difficulty(place))
                + off[np.minimum(place * 10, 9).astype(int)]
            )

        places = rng.random(asked.environments)
        rewards = {
            name: person(one)(places) + rng.normal(0.0, one.scatter, len(places))
            for name, one in shipped.references.items()
        }
        scale = calibrate_records(places, rewards)
        one = Person(
            math.atanh(rng.uniform(-0.2, 0.95)), rng.uniform(0.0, 1.0), rng.uniform(0.1, 0.3)
        )
        gets = person(one)

        def answer(band: int) -> float:
            place = rng.uniform(scale.bands[band].low, scale.bands[band].high, 1)
            return float(gets(place)[0] + rng.normal(0.0, one.scatter))

        tests = [
            examine(scale, answer, error=asked.error, most=1000).standing()
            for _ in range(asked.tests)
        ]
        yield "simulated", held(tests, float(gets(EVENLY).mean()))


def played(asked: argparse.Namespace) -> Iterator[tuple[str, Held]]:
    """Tests of built-in subjects on Lambda, by scales from other environments each time."""
    from adaptive import truth

    world = Lambda()
    names = ("random", "follower", "q-learning", "planner", "oracle")
    truths = {name: truth(world, name, MEASURE, asked.battery).mean() for name in names}
    for study in range(asked.first, asked.first + asked.studies):
        scale = calibrate(world, MEASURE, key(SEED, study), asked.environments)
        for name in names:
            group = world.group([(name, {}, 1)])
            root = key(SEED, study, name)
            number = iter(range(10**9))

            def answer(band: int) -> float:
                here = fold_array(root, numbers(next(number), 1))
                ends = scale.bands[band]
                sampled = world.sample_many(
                    here, MEASURE, np.array([ends.low]), np.array([ends.high])
                )
                sums = world.rollout(group, sampled, here + np.uint64(1), here + np.uint64(2), 0)
                return float(sums[0, 0, 0]) / world.horizon

            tests = [
                examine(scale, answer, error=asked.error, most=Adaptive().most).standing()
                for _ in range(asked.tests)
            ]
            yield name, held(tests, float(truths[name]))


def main() -> None:
    """Print a line for each kind of subject."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--studies", type=int, default=300)
    options.add_argument("--first", type=int, default=0, help="the number of the first study")
    options.add_argument("--tests", type=int, default=10)
    options.add_argument("--error", type=float, default=0.05)
    options.add_argument("--environments", type=int, default=ENVIRONMENTS)
    options.add_argument("--played", action="store_true")
    options.add_argument("--battery", type=int, default=20_000)
    asked = options.parse_args()
    start = time.perf_counter()
    found: dict[str, list[Held]] = {}
    for name, one in played(asked) if asked.played else simulated(asked):
        found.setdefault(name, []).append(one)
    print(
        f"{asked.studies} studies, {asked.tests} tests each, standard error {asked.error:g}, scales from "
        f"{asked.environments} environments, {time.perf_counter() - start:.0f} s"
    )
    for name, rows in found.items():
        shares = []
        for i in range(4):
            n, k = len(rows), sum(row[i] for row in rows)
            z = 1.96
            middle = (k + z * z / 2) / (n + z * z)
            half = z * math.sqrt(k * (n - k) / n + z * z / 4) / (n + z * z)
            shares.append(f"{k} of {n}, {k / n:.1%} [{middle - half:.1%}, {middle + half:.1%}]")
        bias = np.mean([row.error for row in rows])
        real = math.sqrt(np.mean([row.error**2 for row in rows]))
        claimed = math.sqrt(np.mean([row.claimed**2 for row in rows]))
        print(
            f"{name:11s} score: by scatter {shares[0]}, with the shared error {shares[1]}; single test: by its own "
            f"error {shares[2]}, with the shared one {shares[3]}; bias {bias:+.4f}, "
            f"real error {real:.4f}, claimed {claimed:.4f}"
        )


if __name__ == "__main__":
    main()
