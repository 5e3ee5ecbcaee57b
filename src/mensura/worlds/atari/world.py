"""Atari: the games of the Arcade Learning Environment as a world.

Bellemare, Naddaf, Veness and Bowling: The Arcade Learning Environment (2013); Machado et al.: Revisiting the Arcade
Learning Environment (2018); with the settings of Mnih et al.: Human-level control through deep reinforcement learning
(2015) and of Hosu and Rebedea: Playing Atari Games with Deep Reinforcement Learning and Human Checkpoint Replay (2016).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from numpy.random import Generator

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import DRAWN_ANEW
from mensura.core.contract import Description, Measure
from mensura.core.importing import Imported
from mensura.worlds.atari.emulator import USUAL
from mensura.worlds.atari.environment import ACTIONS, AtariEnvironment, observations
from mensura.worlds.atari.games import games
from mensura.worlds.kit import BANK, FIXED, BaseDescription, BaseWorld, Discrete, Space, parameter

ANY = "any"


class Atari(BaseWorld):
    """Video games of the Atari 2600: screens are seen, a joystick is moved, points count."""

    id = "atari-v1"
    changes: ClassVar[Mapping[int, str]] = {1: DRAWN_ANEW}
    game: str = parameter(
        "montezuma_revenge", "Which game; `any`: one is drawn for each environment"
    )
    observation: Literal["screen", "rgb", "ram"] = parameter(
        "screen",
        "What is seen: the last four screens small and in grey, the screen in color, or the console's memory",
    )
    actions: Literal["full", "minimal"] = parameter(
        "full", "All 18 positions of the joystick with its button, or those that the game knows"
    )
    skip: int = parameter(4, "Frames for which an action is held", at_least=1, at_most=60)
    sticky: float = parameter(
        0.25, "The chance that a frame does what the frame before did", at_least=0.0, at_most=1.0
    )
    idle_frames: int = parameter(
        0,
        "At most so many frames pass before the first action; how many is drawn",
        at_least=0,
        at_most=3600,
    )
    life_loss_ends: bool = parameter(False, "Whether an episode is over when a life is lost")
    mode: int = parameter(
        USUAL,
        "The mode of the game, as the console's switch sets it; -1: the usual one",
        at_least=USUAL,
    )
    difficulty: int = parameter(
        USUAL, "The difficulty, as the console's switch sets it; -1: the usual one", at_least=USUAL
    )
    horizon: int = parameter(
        4500, "Interactions of an episode at most", at_least=1, at_most=1_000_000
    )

    measures: ClassVar[Mapping[str, Measure]] = {
        "first_reward": Measure(
            "first_reward",
            "frames until random play meets its first reward, 18,000 where it meets none",
            "frames",
        ),
        "cartridge": Measure("cartridge", "the length of the game's program, compressed", "bytes"),
    }
    promises = frozenset({"bounded"})
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "usual": {},
        "hosu-2016": {"sticky": 0.0, "horizon": 27_000},
        "mnih-2015": {"sticky": 0.0, "actions": "minimal", "idle_frames": 30, "horizon": 4500},
        "any-game": {"game": ANY},
    }

    @property
    def content(self) -> str:  # type: ignore[override]
        """A game is always the same; with `any` it is one of those that everybody can have."""
        return BANK if self.game == ANY else FIXED

    def check(self) -> None:
        """The game is one of those that are known."""
        if self.game != ANY and self.game not in games():
            raise MensuraError(
                f"{self.game!r:.60} is no game of {self.id}; {neighbors(self.game, [*games()])}"
            )
        if self.game == ANY and self.actions != "full":
            raise MensuraError(
                "With game=any each environment has another game, and all 18 actions are needed: actions=full."
            )

    def draw(
        self, rng: Generator, within: tuple[str, float, float] | None = None
    ) -> Mapping[str, Any]:
        """The game."""
        if self.game != ANY:
            return {"cartridge": self.game}
        known = list(games())
        if within is not None:
            measure, low, high = within
            fitting = [one for one in known if low <= getattr(games()[one], measure) <= high]
            known = fitting or known
        return {"cartridge": known[int(rng.integers(len(known)))]}

    def keep(self, description: BaseDescription) -> bool:
        """Whether it is a game, for descriptions from files."""
        return description.cartridge in games() and self.game in (ANY, description.cartridge)

    def complexity(self, description: BaseDescription, measure: str) -> float:
        """How long random play finds nothing, or how long the program is."""
        return float(getattr(games()[description.cartridge], measure))

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        """Bytes to see, and a joystick."""
        if description.actions == "full":
            return observations(description.observation), Discrete(len(ACTIONS))
        return self.build(description).spaces(seat)

    def build(self, description: Description) -> AtariEnvironment:  # type: ignore[override]
        """The environment of a description."""
        if not isinstance(description, BaseDescription) or not isinstance(description.world, Atari):
            raise MensuraError(f"This is no description of an environment of {self.id}.")
        return AtariEnvironment(description)

    def checkpoints_from(self, path: Path) -> Imported:
        """The states of a file that the authors of human checkpoint replay published."""
        from mensura.worlds.atari.imported import read

        return read(path, self.sample(0))

    def view(self) -> Any:
        """The plain view, with names for the actions."""
        from mensura.worlds.atari.view import AtariView

        return AtariView(self)
