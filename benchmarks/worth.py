"""Why claims of docs/worth.md fail, or hold only just: ``python benchmarks/worth.py`` prints what that page says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from mensura.agent.keys import Key, key
from mensura.assessments.grades import strata
from mensura.core.contract import Plan
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.paper import mu_3
from mensura.worlds.lambda_class.world import Lambda

DRAWN = 300


def main() -> None:
    """Print three short tables."""
    print("Good and Evil never move in 50 interactions in which the subject stays:")
    for generator in ("thesis", "universal"):
        world = Lambda(generator=generator)
        still = sum(_still(world.sample(key(i, "worth")), key(i, "reset")) for i in range(DRAWN))
        print(f"  generator {generator}: {still / DRAWN:.0%} of {DRAWN} environments")

    print("The lowest stratum: its mass, and how many of 60 environments have 2 cells:")
    world = Lambda()
    for measure in world.measures:
        lowest = strata(world, measure, 24)[0]
        drawn = [world.sample(key(i, "worth"), lowest.within(measure)) for i in range(60)]
        sizes = Counter(one.space.cells for one in drawn)
        print(f"  {measure}: {lowest.mass:.2f}, {sizes[2]}")

    print("mu_3, 300 interactions: the mean score by whether Evil stands on the way to Good:")
    for name in ("follower", "oracle"):
        free, barred = _on_the_ring(name)
        print(f"  {name}: {_mean(free):.3f} if not, {_mean(barred):.3f} if so")


def _still(description: Description, reset: Key) -> bool:
    environment = LambdaEnvironment(description)
    environment.reset(reset)
    first = environment.positions()
    for _ in range(50):
        environment.step([0])
        now = environment.positions()
        if (now["good"], now["evil"]) != (first["good"], first["evil"]):
            return False
    return True


def _on_the_ring(name: str) -> tuple[list[float], list[float]]:
    """Scores in mu_3, whose ring has one way round: with Evil behind Good, and before it."""
    world = Lambda(horizon=300, sieves=())
    group = world.group([(name, {}, 1)])
    host = world.hosting(group)
    one = replace(mu_3(horizon=300), future=host.future, rewards_seen=host.rewards_seen)
    free: list[float] = []
    barred: list[float] = []
    for i in range(DRAWN):
        environment = LambdaEnvironment(one)
        environment.reset(key(i, "reset"))
        at = environment.positions()
        here = at["subjects"][0]
        good, evil = ((at[who] - here) % 4 for who in ("good", "evil"))
        episode = host.play_compiled(group, Plan(one, key(i, "reset")), key(i, "subject"))
        (barred if 0 < evil < good else free).append(episode.mean_reward)
    return free, barred


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    main()
