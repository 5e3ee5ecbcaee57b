"""Train Stable-Baselines3's PPO to get over obstacles in PAGI World, and see what it is worth at a gap.

    pip install "mensura[rl,sb3,pagi]"
    python examples/ppo_on_pagi.py

An apple lies beyond an obstacle. PPO chooses among named moves and feels its body: touch, place, velocity. Trained on
obstacles alone, it is tested at new obstacles and at gaps in the ground, beside its untrained twin: what it gains over
the twin at gaps is transfer (Atreya et al. 2016, section 4.4.2).
"""

import argparse
import os

# Before torch is imported: the networks are small, and more threads only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import gymnasium
import numpy as np
from gymnasium.wrappers import TransformObservation
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

import mensura.adapters.gymnasium  # noqa: F401  (registers the environments)
from mensura.worlds.pagi.world import Pagi

FELT = 18 * 7
SCALE = 20.0
"""Places, speeds and seconds are divided by this: networks like small numbers."""


def scaled(observation):
    """Which sensors touch something, then place, velocity, hands, rotation, what is held, endorphins and time."""
    numbers = np.asarray(observation, np.float32)
    touch = numbers[:FELT].reshape(18, 7)[:, 0]
    return np.clip(np.concatenate([touch, numbers[FELT:] / SCALE]), -5.0, 5.0).astype(np.float32)


def share_solved(model, grade: int, episodes: int) -> float:
    """In how many environments of a grade the apple is eaten."""
    world = Pagi(task="obstacle-gap", grade=grade, actions="discrete", sees="nothing", ends=True)
    solved = 0.0
    for key in range(10_000, 10_000 + episodes):
        environment = world.build(world.sample(key))
        turn = environment.reset(key)
        while turn.ended is None:
            seen = scaled(np.frombuffer(turn.observations[0]))
            action, _ = model.predict(seen, deterministic=False)
            turn = environment.step([int(action)], [0.0])
        solved += environment.measures()["solved"]
    return solved / episodes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100_000, help="interactions of training")
    parser.add_argument("--episodes", type=int, default=20, help="environments of each test")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    task = {
        "task": "obstacle-gap",
        "grade": 1,
        "actions": "discrete",
        "sees": "nothing",
        "ends": True,
    }
    size = 18 + 13
    space = gymnasium.spaces.Box(-5.0, 5.0, (size,), np.float32)

    def make() -> gymnasium.Env:
        """Obstacles, as the body feels them."""
        return TransformObservation(gymnasium.make("mensura/Pagi-v1", **task), scaled, space)

    envs = make_vec_env(make, n_envs=8, seed=options.seed)
    settings = {
        "n_steps": 256,
        "batch_size": 256,
        "gamma": 0.99,
        "ent_coef": 0.01,
        "learning_rate": 1e-3,
    }
    models = {}
    for name in ("untrained", "trained"):
        models[name] = PPO("MlpPolicy", envs, **settings, seed=options.seed, device="cpu")
    models["trained"].learn(options.steps)
    for where, grade in (("obstacles", 1), ("higher obstacles", 3), ("gaps", 4), ("wide gaps", 7)):
        shares = {
            name: share_solved(model, grade, options.episodes) for name, model in models.items()
        }
        gain = shares["trained"] - shares["untrained"]
        print(
            f"{where:18} untrained {shares['untrained']:4.0%}  trained {shares['trained']:4.0%}  gain {gain:+.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
