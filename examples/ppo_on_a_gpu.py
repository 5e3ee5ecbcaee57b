"""Train a small PPO on Lambda Star, wholly on a GPU or wholly on the processor, and draw how quickly it learns.

    pip install "mensura[rl,gpu]" torch
    python examples/ppo_on_a_gpu.py --device gpu --device cpu --seconds 60 -o ppo.svg

Environments, observations, rewards, the network and its training are all on one device: on the GPU nothing is copied
back but a number now and then, to be printed. A loop as in CleanRL: collect, estimate advantages, a few epochs of
clipped gradients. The curves are mean rewards an interaction against seconds of the wall clock.
"""

import argparse
import json
import time
from pathlib import Path

import gymnasium
import torch
from torch import nn

import mensura.adapters.gymnasium  # noqa: F401  (registers the environments)

GAMMA, LAMBDA, CLIP, EPOCHS = 0.9, 0.9, 0.2, 2


class Policy(nn.Module):
    """Two layers, a head for actions and one for the value."""

    def __init__(self, numbers: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(numbers, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.actions, self.value = nn.Linear(64, actions), nn.Linear(64, 1)
        nn.init.orthogonal_(self.actions.weight, 0.01)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inside = self.body(seen)
        return self.actions(inside), self.value(inside).squeeze(-1)


class Envs:
    """A vector whose arrays are tensors, on either device; observations are scaled to -1 to 1."""

    def __init__(self, device: str, count: int, **world) -> None:
        there = {"device": "gpu", "arrays": "torch"} if device == "gpu" else {"copy": False}
        self.inner = gymnasium.make_vec(
            "mensura/LambdaStar-v2", num_envs=count, autoreset_mode="SameStep", **there, **world
        )
        self.device = torch.device("cuda" if device == "gpu" else "cpu")
        space = self.inner.single_observation_space
        low, high = (torch.as_tensor(one, dtype=torch.float32) for one in (space.low, space.high))
        low, high = torch.clamp(low, -100, 100), torch.clamp(high, -100, 100)
        self.middle = ((low + high) / 2).to(self.device)
        self.half = torch.clamp((high - low) / 2, min=1e-6).to(self.device)
        self.numbers, self.actions = space.shape[0], int(self.inner.single_action_space.n)

    def reset(self, seed: int) -> torch.Tensor:
        return self._scaled(self.inner.reset(seed=seed)[0])

    def step(self, actions: torch.Tensor):
        given = actions if self.device.type == "cuda" else actions.numpy()
        seen, rewards, ended, cut, _ = self.inner.step(given)
        rewards, over = torch.as_tensor(rewards), torch.as_tensor(ended) | torch.as_tensor(cut)
        return self._scaled(seen), rewards.float(), over.float()

    def _scaled(self, seen) -> torch.Tensor:
        return (torch.as_tensor(seen).float() - self.middle) / self.half


def train(device: str, count: int, seconds: float, seed: int, rows: int) -> list[tuple]:
    """Learn for so many seconds; (seconds, interactions, mean reward) after every update."""
    torch.manual_seed(seed)
    envs = Envs(device, count, rows=rows, cols=rows, subjects=1)
    steps = 32
    policy = Policy(envs.numbers, envs.actions).to(envs.device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    envs.reset(seed)
    envs.step(torch.zeros(count, dtype=torch.int64, device=envs.device))
    kept = {
        name: torch.zeros((steps, count, *more), device=envs.device)
        for name, more in {
            "seen": (envs.numbers,),
            "chance": (),
            "value": (),
            "reward": (),
            "over": (),
        }.items()
    }
    chosen = torch.zeros((steps, count), dtype=torch.int64, device=envs.device)
    curve, played = [], 0
    _update(policy, optimizer, kept, chosen)  # whatever starts slowly starts before the clock
    policy.load_state_dict(Policy(envs.numbers, envs.actions).state_dict())
    seen = envs.reset(seed)
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds:
        with torch.no_grad():
            for t in range(steps):
                logits, value = policy(seen)
                acting = torch.distributions.Categorical(logits=logits, validate_args=False)
                action = acting.sample()
                kept["seen"][t], kept["value"][t], chosen[t] = seen, value, action
                kept["chance"][t] = acting.log_prob(action)
                seen, kept["reward"][t], kept["over"][t] = envs.step(action)
            last = policy(seen)[1]
        _update(policy, optimizer, kept, chosen, last)
        played += steps * count
        curve.append((time.perf_counter() - begun, played, kept["reward"].mean().item()))
    return curve


def _update(policy, optimizer, kept, chosen, last=None) -> None:
    """Generalized advantages, then a few epochs of clipped gradients."""
    steps, count = chosen.shape
    ahead = torch.zeros(count, device=chosen.device) if last is None else last
    gain = torch.zeros_like(kept["reward"])
    running = torch.zeros_like(ahead)
    for t in reversed(range(steps)):
        going = 1.0 - kept["over"][t]
        wrong = kept["reward"][t] + GAMMA * going * ahead - kept["value"][t]
        running = wrong + GAMMA * LAMBDA * going * running
        gain[t], ahead = running, kept["value"][t]
    flat = {name: one.flatten(0, 1) for name, one in kept.items()}
    actions, gains = chosen.flatten(), gain.flatten()
    target = gains + flat["value"]
    share = max(256, len(actions) // 4)
    for _ in range(EPOCHS):
        order = torch.randperm(len(actions), device=actions.device)
        for first in range(0, len(actions), share):
            at = order[first : first + share]
            logits, value = policy(flat["seen"][at])
            acting = torch.distributions.Categorical(logits=logits, validate_args=False)
            ratio = (acting.log_prob(actions[at]) - flat["chance"][at]).exp()
            own = (gains[at] - gains[at].mean()) / (gains[at].std() + 1e-8)
            clipped = torch.clamp(ratio, 1 - CLIP, 1 + CLIP)
            loss = (
                -torch.min(ratio * own, clipped * own).mean()
                + 0.5 * (value - target[at]).pow(2).mean()
                - 0.01 * acting.entropy().mean()
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", action="append", choices=["cpu", "gpu"])
    parser.add_argument(
        "--envs", type=int, help="environments; 256 on the processor, 8192 on a GPU"
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--size", type=int, default=5, help="rows and columns of the torus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the curves here")
    parser.add_argument(
        "--from", type=Path, dest="kept", help="draw curves that were written, and learn nothing"
    )
    parser.add_argument("-o", "--picture", type=Path, help="draw the curves here, as SVG")
    given = parser.parse_args()
    curves = json.loads(given.kept.read_text()) if given.kept else {}
    for device in [] if given.kept else given.device or ["cpu"]:
        count = given.envs or (8192 if device == "gpu" else 256)
        curve = train(device, count, given.seconds, given.seed, given.size)
        label = f"{device}, {count:,} environments"
        curves[label] = curve
        spent, played, _ = curve[-1]
        some = [reward for _, _, reward in curve[-max(1, len(curve) // 10) :]]
        print(
            f"{label}: {played:,} interactions in {spent:.0f} s, mean reward first "
            f"{curve[0][2]:+.3f}, last {sum(some) / len(some):+.3f}",
            flush=True,
        )
    if given.json:
        given.json.write_text(json.dumps(curves))
    if given.picture:
        draw(curves, given.picture)


def draw(curves: dict, path: Path) -> None:
    """Curves against the wall clock."""
    from mensura.reports.drawing import drawn

    def paint(axes) -> None:
        for label, curve in curves.items():
            axes.plot([one[0] for one in curve], [one[2] for one in curve], label=label)
        axes.set_xscale("log")
        axes.set_xlabel("time since training began [s]")
        axes.set_ylabel("mean reward [per interaction]")
        axes.legend()

    name = path.stem
    drawn(520, 260, name, "Mean reward against time", paint).save(path.parent, ["svg"])


if __name__ == "__main__":
    main()
