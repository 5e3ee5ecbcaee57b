"""A second world of the kit for tests: two seats pull a rope in turn, and some see where it slips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mensura.worlds.kit import (
    BaseDescription,
    BaseWorld,
    Box,
    Ended,
    Generator,
    Measure,
    MensuraError,
    Mind,
    Range,
    Record,
    Space,
    State,
    parameter,
    seat_rights,
)


class Puller:
    """Pulls against the slip that it is shown. More is not said in lists."""

    def __init__(self, force: float) -> None:
        self.force = force

    def act(self, observation: Any, reward: float) -> Any:
        return np.array([self.force if observation["slip"][0] < 0 else -self.force])


class Tug(BaseWorld):
    """Whoever pulls the rope beyond 1 wins."""

    id = "tug-v0"
    content = "generated afresh"
    horizon: int = parameter(8, "Pulls of each", at_least=1)
    ends: bool = parameter(True, "Whether an episode ends when somebody has won")
    rights: tuple[str, ...] = seat_rights(sees_slip="the slips to come")

    measures = {"weight": Measure("weight", "how heavy the rope is")}
    minds = {"puller": Mind(Puller, {"force": (0.5, Range(0, 1))}, frozenset({"sees_slip"}))}

    def check(self) -> None:
        if self.horizon == 7:
            raise MensuraError("Seven is unlucky.")

    def draw(
        self, rng: Generator, within: tuple[str, float, float] | None = None
    ) -> Mapping[str, Any]:
        weight = rng.integers(1, 100) if within is None else np.ceil(within[1])
        return {"weight": int(weight), "slips": rng.uniform(-0.1, 0.1, 3)}

    def keep(self, description: BaseDescription) -> bool:
        return bool(description.weight != 13)

    def complexity(self, description: BaseDescription, measure: str) -> float:
        return float(description.weight)

    def seats(self, description: BaseDescription) -> Sequence[str]:
        return ("subject", "subject")

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        seen = Record((("rope", Box(-9, 9)), ("slip", Box(-1, 1, (seat + 1,)))))
        return seen, Box(-1, 1, (1,))

    def start(self, state: State, rng: Generator) -> None:
        state.rope = np.zeros(())
        state.path = []
        state.pulls = {0: (), 1: ()}
        state.slip = rng.uniform(-0.1, 0.1)

    def observe(self, state: State, seat: int) -> dict[str, Any]:
        slip = state.slip if self.may(seat, "sees_slip") else 0.0
        return {"rope": state.rope, "slip": [slip] * (seat + 1)}

    def advance(
        self,
        state: State,
        actions: Mapping[int, Any],
        rng: Generator,
        seconds: Mapping[int, float] | None = None,
    ) -> list[float]:
        ((seat, pull),) = actions.items()
        assert seconds is not None
        state.rope += (1, -1)[seat] * pull[0] / 2 + state.slip + seconds[seat]
        state.path.append(np.float32(state.rope))
        state.pulls[seat] += (float(pull[0]),)
        state.slip = rng.uniform(-0.1, 0.1)
        gain = float(np.clip(state.rope, -1, 1)) / 16
        return [gain, -gain]

    def due(self, state: State) -> tuple[int, ...]:
        return (state.interaction % 2,)

    def ended(self, state: State) -> Ended | None:
        return "terminated" if self.ends and abs(float(state.rope)) > 1 else None

    def legal(self, state: State, seat: int, action: Any) -> bool:
        return abs(float(action[0])) > 0.01

    def default(self, state: State, seat: int) -> Any:
        return np.array([0.5])

    def instructions(self, description: BaseDescription, seat: int) -> str:
        return f"Pull, seat {seat}."

    def figures(self, state: State) -> Mapping[str, float]:
        return {"rope": float(state.rope)}


class Relayed(BaseWorld):
    """Two seats in turn, and nothing but the horizon ends it."""

    id = "relayed-v0"
    content = "generated afresh"
    horizon: int = parameter(5, "Turns of each", at_least=1)
    subjects: int = parameter(2, "How many there are", at_least=1)

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        return Box(0, 1000, (1,)), Box(-1, 1, (1,))

    def start(self, state: State, rng: Generator) -> None:
        state.played = np.zeros(1)
        state.last = np.zeros(1)

    def observe(self, state: State, seat: int) -> Any:
        return state.played  # the very array that changes in place

    def advance(self, state: State, actions: Mapping[int, Any], rng: Generator) -> list[float]:
        state.played += 1
        (state.last,) = actions.values()
        return [0.1] * self.subjects

    def due(self, state: State) -> tuple[int, ...]:
        return (state.interaction % self.subjects,)
