"""Train Stable-Baselines3's PPO on Lambda Star through Gymnasium, and let Mensura say what it has learned.

    pip install "mensura[rl,sb3]"
    python examples/ppo_on_lambda_star.py

PPO trains alone on ever new environments, so what it learns has to hold in all of them. Before and after, it is
assessed on the same ones, beside subjects that are known.
"""

import argparse
import os

# Before torch is imported: the networks are small, and more threads only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import gymnasium
import numpy as np
from gymnasium.wrappers import RescaleObservation
from stable_baselines3 import PPO

import mensura.adapters.gymnasium  # noqa: F401  (registers the environments)
from mensura.adapters.sb3 import vec_env
from mensura.agent.in_process import InProcess
from mensura.assessments.battery import Battery
from mensura.studies.runner import run
from mensura.studies.subjects import resolve
from mensura.worlds.lambda_star.world import LambdaStar


class Learned:
    """A trained model as a subject: it is shown what it was trained on, and its actions count from 1 again."""

    def __init__(self, model, scale):
        self.model, self.scale = model, scale

    def act(self, observation, reward):
        action, _ = self.model.predict(self.scale(np.frombuffer(observation)), deterministic=True)
        return 1 + int(action)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60_000, help="interactions of training")
    parser.add_argument("--episodes", type=int, default=100, help="environments of the assessment")
    parser.add_argument("--size", type=int, default=5, help="rows and columns of the torus")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    grid = {"rows": options.size, "cols": options.size}

    def make() -> gymnasium.Env:
        """Numbers from -1 to 1, which networks like better than cells and iterations."""
        return RescaleObservation(gymnasium.make("mensura/LambdaStar-v2", **grid), -1.0, 1.0)

    # All environments of training are stepped by one compiled call.
    envs = vec_env("lambda-star-v2", 8, rescale=True, **grid, subjects=1)
    envs.seed(options.seed)
    settings = {"n_steps": 128, "batch_size": 256, "gamma": 0.9, "learning_rate": 1e-3}
    model = PPO("MlpPolicy", envs, **settings, seed=options.seed, device="cpu")
    world = LambdaStar(**grid, subjects=1)
    scale = make().observation

    def assess(name: str, subject=None) -> None:
        subject = subject or InProcess(name, lambda: Learned(model, scale))
        score = (
            run(world, [subject], Battery(options.episodes), seed=options.seed).subjects[0].score
        )
        print(f"{name:24} {score.value:+.3f} [{score.low:+.3f}, {score.high:+.3f}]", flush=True)

    assess("PPO, untrained")
    model.learn(options.steps)
    assess(f"PPO, {options.steps:,} steps")
    for name in ("random", "local-search", "oracle"):
        assess(name, resolve(name, world))


if __name__ == "__main__":
    main()
