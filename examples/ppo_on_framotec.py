"""Train Stable-Baselines3's PPO on FraMoTEC's car race through Gymnasium, and see what it costs to get there.

    pip install "mensura[rl,sb3]"
    python examples/ppo_on_framotec.py

PPO sets the power of the motor as it likes, from full speed back to full speed ahead. Before and after training it
makes a few attempts at the task, beside controllers that were told what the task is.
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
from mensura.agent.in_process import InProcess
from mensura.assessments.attempts import Attempts
from mensura.studies.runner import run
from mensura.studies.subjects import resolve
from mensura.worlds.framotec.world import Framotec

SCALES = np.array([150.0, 60.0, 5000.0], np.float32)
"""The length of the track and the limits of time and energy: networks like numbers from 0 to 1."""


def scaled(observation):
    """The reading of the position, the time and the energy so far, as shares."""
    return np.clip(np.asarray(observation, np.float32) / SCALES, 0.0, 2.0)


class Learned:
    """A trained model as a subject: it is shown what it was trained on."""

    def __init__(self, model):
        self.model = model

    def act(self, observation, reward):
        action, _ = self.model.predict(scaled(np.frombuffer(observation)), deterministic=True)
        return np.clip(action, -1.0, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100_000, help="interactions of training")
    parser.add_argument("--attempts", type=int, default=20, help="attempts of each sitting")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    task = {"task": "car-race", "ends": True}
    space = gymnasium.spaces.Box(0.0, 2.0, SCALES.shape, np.float32)

    def make() -> gymnasium.Env:
        """The race, seen in shares."""
        return TransformObservation(gymnasium.make("mensura/Framotec-v1", **task), scaled, space)

    envs = make_vec_env(make, n_envs=8, seed=options.seed)
    settings = {"n_steps": 256, "batch_size": 256, "gamma": 0.99, "learning_rate": 1e-3}
    model = PPO("MlpPolicy", envs, **settings, seed=options.seed, device="cpu")
    world = Framotec(**task)
    protocol = Attempts(sittings=2, attempts=options.attempts)

    def assess(name: str, subject=None) -> None:
        subject = subject or InProcess("ppo", lambda: Learned(model))
        made = run(world, [subject], protocol, seed=options.seed).subjects[0].attempts
        solved = np.concatenate([one.solved for one in made])
        time = np.concatenate([one.time for one in made])[solved]
        energy = np.concatenate([one.energy for one in made])[solved]
        cost = f" in {time.mean():5.1f} s, {energy.mean():6.0f} J" if len(time) else ""
        print(f"{name:24} solved {solved.mean():4.0%}{cost}", flush=True)

    assess("PPO, untrained")
    model.learn(options.steps)
    assess(f"PPO, {options.steps:,} steps")
    for name in ("random", "plotter", "pid", "coasting"):
        assess(name, resolve(name, world))


if __name__ == "__main__":
    main()
