"""Train models of Stable-Baselines3 on Lambda Star, save them, and assess them by their files.

    pip install "mensura[rl,sb3]"
    python examples/sb3_models.py

All that a script for another Gymnasium environment has to change is the id. The models, PPO and DQN, are saved as
Stable-Baselines3 saves them; `mensura assess sb3:ppo.zip` then needs nothing else.
"""

import argparse
import os
import subprocess

# Before torch is imported: the networks are small, and more threads only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import gymnasium
from gymnasium.wrappers import RescaleObservation
from stable_baselines3 import DQN, PPO

import mensura.adapters.gymnasium  # noqa: F401  (registers the environments)
from mensura.core.interpreter import our_python


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60_000, help="interactions of training")
    parser.add_argument("--episodes", type=int, default=100, help="environments of the assessment")
    parser.add_argument("--size", type=int, default=5, help="rows and columns of the torus")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    grid = {"rows": options.size, "cols": options.size}

    for name, algorithm, settings in (
        ("ppo", PPO, {"n_steps": 512, "batch_size": 256, "gamma": 0.9, "learning_rate": 1e-3}),
        ("dqn", DQN, {"gamma": 0.9, "exploration_fraction": 0.3, "learning_rate": 5e-4}),
    ):
        # Numbers from -1 to 1, which networks like better than cells and iterations.
        env = RescaleObservation(gymnasium.make("mensura/LambdaStar-v2", **grid), -1.0, 1.0)
        model = algorithm("MlpPolicy", env, **settings, seed=options.seed, device="cpu")
        model.learn(options.steps)
        model.save(f"{name}.zip")

    models = [f"sb3:{name}.zip?rescale=true" for name in ("ppo", "dqn")]
    where = ["--world", "lambda-star", "--grid", f"{options.size}x{options.size}", "--agents", "1"]
    how = ["--assessment", "battery", "--episodes", str(options.episodes), "--in-process"]
    command = [
        "assess",
        *models,
        "random",
        "local-search",
        *where,
        *how,
        "--seed",
        str(options.seed),
    ]
    subprocess.run(our_python("mensura.cli.main", *command), check=True)


if __name__ == "__main__":
    main()
