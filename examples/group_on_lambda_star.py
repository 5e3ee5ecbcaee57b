"""Train a group on Lambda Star through PettingZoo, and assess it as a collective.

    pip install "mensura[rl,sb3]"
    python examples/group_on_lambda_star.py

All members learn one policy: SuperSuit turns PettingZoo's parallel environment into a vector of learners for
Stable-Baselines3. The saved model then takes every seat, beside groups that are known.
"""

import argparse
import os
import subprocess

# Before torch is imported: the networks are small, and more threads only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import supersuit
from stable_baselines3 import PPO

from mensura.adapters.pettingzoo import parallel_env
from mensura.core.interpreter import our_python


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=120_000, help="interactions of training")
    parser.add_argument("--episodes", type=int, default=100, help="environments of the assessment")
    parser.add_argument("--agents", type=int, default=3, help="members of the group")
    parser.add_argument("--size", type=int, default=5, help="rows and columns of the torus")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    group = parallel_env(rows=options.size, cols=options.size, subjects=options.agents)
    envs = supersuit.pettingzoo_env_to_vec_env_v1(group)
    envs = supersuit.concat_vec_envs_v1(envs, 4, num_cpus=1, base_class="stable_baselines3")
    envs.seed = lambda seed=None: (
        None
    )  # SuperSuit's vector has none; the environments draw by themselves
    settings = {"n_steps": 128, "batch_size": 256, "gamma": 0.9, "learning_rate": 1e-3}
    model = PPO("MlpPolicy", envs, **settings, seed=options.seed, device="cpu")
    model.learn(options.steps)
    model.save("group.zip")

    grid = f"{options.size}x{options.size}"
    where = ["--world", "lambda-star", "--grid", grid, "--agents", str(options.agents)]
    how = ["--assessment", "battery", "--episodes", str(options.episodes), "--in-process"]
    who = ["sb3:group.zip", "random", "local-search", "stigmergy"]
    command = ["assess", *who, *where, *how, "--seed", str(options.seed)]
    subprocess.run(our_python("mensura.cli.main", *command), check=True)


if __name__ == "__main__":
    main()
