"""A plain reading of the settled rules of `authors-2016`, for comparison with the compiled kernel.

One sub-step of an object:

- locked: nothing changes; at rest, level and with no motor attached: nothing changes;
- at rest: push a_P = sign(P) sqrt(|P| / (2 m dt)); a = a_P - g sin(angle). If |m a| exceeds mu_s N, N = m g cos(angle),
  the object starts with F = sign(a) (|m a| - mu_k N), v = F/m dt;
- moving: F = sign(P) |P / v| - m g sin(angle) - sign(v) mu_k N; v' = v + F/m dt, 0 if its sign would change;
- then x' = x + v' dt, clipped to the bounds; at a bound v' = 0.

A step is: transitions, objects, goals, time, energy, limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field


def sign(x: float) -> float:
    return math.copysign(1.0, x) if x else 0.0


@dataclass
class Body:
    x: float
    v: float
    m: float
    g: float
    angle: float
    mu_k: float
    mu_s: float
    bounds: tuple[float, float] | None = None
    motored: bool = True
    locked: bool = False

    def step(self, power: float, dt: float) -> None:
        if self.locked or (self.v == 0 and not self.motored and math.sin(self.angle) == 0):
            return
        along = self.g * math.sin(self.angle)
        normal = self.m * self.g * math.cos(self.angle)
        if self.v == 0:
            a = sign(power) * math.sqrt(abs(power) / (2 * self.m * dt)) - along
            v = 0.0
            if abs(self.m * a) > self.mu_s * normal:
                force = sign(a) * (abs(self.m * a) - self.mu_k * normal)
                v = force / self.m * dt
        else:
            force = sign(power) * abs(power / self.v) - self.m * along
            force -= sign(self.v) * self.mu_k * normal
            v = self.v + force / self.m * dt
            if v * self.v < 0:
                v = 0.0
        x = self.x + v * dt
        if self.bounds is not None:
            low, high = self.bounds
            if x <= low or x >= high:
                x, v = min(max(x, low), high), 0.0
        self.x, self.v = x, v


@dataclass
class Engine:
    body: int
    most: float
    reversible: bool
    asked: float = 0.0

    @property
    def given(self) -> float:
        return max(min(self.asked, self.most), -self.most if self.reversible else 0.0)

    @property
    def drawn(self) -> float:
        return abs(self.given) + abs(self.asked - self.given)


@dataclass
class Reference:
    """Bodies, engines, and goals (body, value, tolerance, numbers of prerequisites that hold now)."""

    bodies: list[Body]
    engines: list[Engine]
    goals: list[tuple[int, float, float, tuple[int, ...]]]
    dt: float
    time_limit: float
    energy_limit: float
    transition: Callable[[list[Body]], None] = lambda bodies: None
    time: float = 0.0
    energy: float = 0.0
    satisfied: list[bool] = field(default_factory=list)
    solved: bool = False
    failed: bool = False
    nearest: float = math.inf
    """How near the energy ever came to its limit: within rounding, the order of a sum decides."""

    def tick(self, steps: int) -> None:
        """A controller step; a task that is solved within it is charged for all of it."""
        if self.solved or self.failed:
            return
        self.satisfied = self.satisfied or [False] * len(self.goals)
        for _ in range(steps):
            self.transition(self.bodies)
            for number, body in enumerate(self.bodies):
                power = sum(engine.given for engine in self.engines if engine.body == number)
                body.step(power, self.dt)
            holds: list[bool] = []
            for body, value, tolerance, prior in self.goals:
                near = abs(self.bodies[body].x - value) <= tolerance
                holds.append(near and all(holds[other] for other in prior))
            self.satisfied = [a or b for a, b in zip(self.satisfied, holds, strict=True)]
            self.solved = self.solved or all(self.satisfied)
            self.time += self.dt
            self.energy += sum(engine.drawn for engine in self.engines) * self.dt
            self.nearest = min(self.nearest, abs(self.energy - self.energy_limit))
            late = self.time > self.time_limit - self.dt / 2
            if not self.solved and (late or self.energy > self.energy_limit):
                self.failed = True
                return
