"""How many episodes an adaptive test takes against a battery, for the same error of the expected reward.

``python benchmarks/adaptive.py`` tests the built-in subjects of Lambda, each many times over, in environments that the
calibration has not seen, and prints for each wanted standard error:

- the score of a large battery, taken as the truth;
- the mean number of episodes of the adaptive tests, and of a battery with the same standard error;
- how far the tests really scatter about the truth, and the battery that would do as well: the fair comparison, since
  a test may be wrong about its own error;
- how often the 95% interval of a test holds the truth, and how often its person fit is significant at 5%.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from mensura.agent.keys import fold, fold_array, key, numbers
from mensura.assessments.adaptive import Adaptive
from mensura.assessments.battery import Battery
from mensura.core.contract import Episode
from mensura.core.scored import measures_of
from mensura.worlds.lambda_class.bulk import Sampled, packed
from mensura.worlds.lambda_class.world import Lambda

ROOT = key(5, "adaptive against battery")


def tested(world: Lambda, name: str, adaptive: Adaptive, item: int) -> tuple[float, dict]:  # type: ignore[type-arg]
    """One adaptive test, each episode through the compiled door with a subject that starts anew."""
    group = world.group([(name, {}, 1)])
    plans = adaptive.sitting(world, fold(ROOT, item))
    number = 0
    try:
        plan = next(plans)
        while True:
            sampled = Sampled(packed([plan.description]), np.zeros(1))
            seed = fold_array(fold(key(ROOT, name), item), np.uint64(number))
            sums = world.rollout(group, sampled, np.array([plan.key], np.uint64), seed, 0)
            number += 1
            plan = plans.send(Episode((float(sums[0, 0, 0]),), (world.horizon,), (0,)))
    except StopIteration as stop:
        return float(stop.value), dict(measures_of(stop.value))


def truth(world: Lambda, name: str, measure: str, episodes: int) -> np.ndarray:  # type: ignore[type-arg]
    """The rewards of a large battery."""
    root = key(ROOT, "truth")
    items = Battery(episodes, measure=measure).items(root, 0, episodes)
    sampled = world.sample_many(items.keys, measure, items.low, items.high)
    seeds = fold_array(key(root, name), numbers(0, episodes))
    group = world.group([(name, {}, 1)])
    return world.rollout(group, sampled, items.resets, seeds, 0)[:, 0, 0] / world.horizon


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--measure", default="zlib_space_pattern")
    options.add_argument("--tests", type=int, default=60)
    options.add_argument("--battery", type=int, default=4000)
    options.add_argument("--errors", type=float, nargs="+", default=[0.05, 0.03])
    asked = options.parse_args()
    world = Lambda()
    for error in asked.errors:
        print(f"\nstandard error {error:g}, {asked.measure}, {asked.tests} tests each")
        print(
            "subject      truth  adaptive  episodes  battery  real error  battery as good  covers  misfits"
        )
        adaptive = Adaptive(measure=asked.measure, standard_error=error, most=1000)
        for name in world.subject_names:
            rewards = truth(world, name, asked.measure, asked.battery)
            found = [tested(world, name, adaptive, item) for item in range(asked.tests)]
            scores = np.array([score for score, _ in found])
            claimed = np.array([own["standard error"] for _, own in found])
            episodes = np.mean([own["environments"] for _, own in found])
            fits = np.array([own.get("p of person fit", math.nan) for _, own in found])
            real = math.sqrt(float(np.mean((scores - rewards.mean()) ** 2)))
            covers = np.mean(np.abs(scores - rewards.mean()) <= 1.96 * claimed)
            print(
                f"{name:11s} {rewards.mean():+.3f}    {scores.mean():+.3f}     {episodes:5.0f}    "
                f"{rewards.var() / float(np.mean(claimed)) ** 2:5.0f}       {real:.3f}            "
                f"{rewards.var() / real**2:5.0f}    {covers:.2f}     {np.nanmean(fits < 0.05):.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
