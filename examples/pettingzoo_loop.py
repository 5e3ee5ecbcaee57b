"""A group of five through PettingZoo's parallel interface: an episode of a policy that is given rows of numbers."""

import numpy as np

from mensura.adapters.pettingzoo import parallel_env

REWARDS = slice(5, 14)
"""Where the rewards of the nine cells around a subject stand in its row; see the docs of Lambda Star."""

STAY = 4
"""Actions count from 0 here: up-left, up, ..., down-right."""


def policy(row: np.ndarray) -> int:
    """Go to the best cell in sight, and stay where all are alike."""
    rewards = row[REWARDS]
    return STAY if rewards.max() == rewards.min() else int(rewards.argmax())


env = parallel_env("lambda-star-v2", rows=10, cols=10, subjects=5, horizon=50)
observations, infos = env.reset(seed=1)
totals = dict.fromkeys(env.agents, 0.0)
steps = 0
while env.agents:
    actions = {agent: policy(observations[agent]) for agent in env.agents}
    observations, rewards, terminations, truncations, infos = env.step(actions)
    for agent, reward in rewards.items():
        totals[agent] += reward
    steps += 1
for agent, total in totals.items():
    print(f"{agent}: mean reward {total / steps:+.3f} over {steps} interactions")
