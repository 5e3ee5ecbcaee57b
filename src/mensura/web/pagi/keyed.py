"""A task that somebody plays by the keys of the original, with every right: to try it, or freely."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from mensura.worlds.pagi.contract import STEPS
from mensura.worlds.pagi.environment import PagiEnvironment
from mensura.worlds.pagi.moves import (
    BODY_X,
    JUMP,
    LEFT_GRIP,
    LEFT_X,
    LEFT_Y,
    PARTS,
    RIGHT_GRIP,
    RIGHT_X,
    RIGHT_Y,
    TURN,
    act,
)
from mensura.worlds.pagi.protocol.controls import Manner
from mensura.worlds.pagi.setup import Setup
from mensura.worlds.pagi.setup_reading import MOST_HORIZON
from mensura.worlds.pagi.world import Pagi

RIGHTS = frozenset({"arranges", "names"})
"""What seats may here; no world that is assessed gives anybody the first of them."""
REACH = 0.3
"""How much of the force of a hand a key has."""
KEYS: dict[str, tuple[int, float]] = {
    "KeyW": (LEFT_Y, REACH), "KeyS": (LEFT_Y, -REACH), "KeyA": (LEFT_X, -REACH), "KeyD": (LEFT_X, REACH),
    "ArrowUp": (RIGHT_Y, REACH), "ArrowDown": (RIGHT_Y, -REACH), "ArrowLeft": (RIGHT_X, -REACH),
    "ArrowRight": (RIGHT_X, REACH), "KeyF": (BODY_X, -1.0), "KeyG": (BODY_X, 1.0), "KeyR": (TURN, 1.0),
    "KeyT": (TURN, -1.0), "Space": (JUMP, 1.0), "ShiftLeft": (LEFT_GRIP, 1.0), "ShiftRight": (RIGHT_GRIP, 1.0),
}  # fmt: skip
"""The keys of the original: W A S D and arrows move the hands, Shift grips, F G move, R T turn, Space jumps."""
GRIPS = frozenset({"ShiftLeft", "ShiftRight"})


class KeyedEnvironment(PagiEnvironment):
    """An environment in which keys act, too, at every physics step."""

    forces: dict[int, list[float]]
    """What the keys of a seat do now."""
    gripping: dict[int, Set[str]]

    def hold(self, seat: int, keys: Set[str]) -> None:
        """These keys are held in the coming frame; what a hand holds is released with its key."""
        keys = keys & set(KEYS)
        let_go = self.gripping.get(seat, frozenset()) - keys
        self.gripping[seat] = keys & GRIPS
        self.forces.pop(seat, None)
        if not keys and not let_go:
            return
        forces = [0.0] * len(PARTS)
        for key in keys:
            part, value = KEYS[key]
            forces[part] += value
        for key in let_go:
            forces[KEYS[key][0]] = -1.0
        self.forces[seat] = forces

    def _act(self) -> None:
        super()._act()
        for seat, forces in self.forces.items():
            act(self.room, seat, forces, self.room.steps % STEPS == 0)


def keyed(setup: Setup, seed: int, readings: Manner = "paper") -> KeyedEnvironment:
    """A task without an end, begun."""
    endless = replace(setup, horizon=MOST_HORIZON).canonical
    world = Pagi(task=endless, actions="commands", readings=readings)
    made = KeyedEnvironment(world.sample(seed), [RIGHTS] * len(setup.bodies))
    made.forces, made.gripping = {}, {}
    made.reset(seed)
    return made
