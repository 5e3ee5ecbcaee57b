"""What is said of a game, for subjects who read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mensura.worlds.atari.environment import AtariEnvironment

SEEN = {
    "screen": "the last four screens in grey, 84 by 84 pixels, the newest last",
    "rgb": "the screen in color, 210 rows of 160 pixels",
    "ram": "the 128 bytes of the console's memory",
}


def title(game: str) -> str:
    """The name of a game as people write it: "Montezuma Revenge"."""
    return " ".join(word.capitalize() for word in game.split("_"))


def instructions(environment: AtariEnvironment) -> str:
    """What a seat is told before it begins."""
    from mensura.worlds.atari.environment import ACTIONS

    d = environment.description
    does = ", ".join(f"{k} {ACTIONS[one]}" for k, one in enumerate(environment.actions))
    ends = "The episode is over when the game is"
    if d.life_loss_ends:
        ends = "The episode is over when a life is lost"
    sticky = (
        f" In each frame the joystick stays as it was in the frame before with a chance of {d.sticky:g}."
        if d.sticky
        else ""
    )
    return (
        f"You play {title(d.cartridge)} on an Atari 2600. You see {SEEN[d.observation]}. Choose what the joystick "
        f"does: {does}. It is held for {d.skip} frames of 1/60 second.{sticky} The reward is the points that this "
        f"brings, cut to -1 to 1. {ends}, or after {d.horizon} interactions."
    )
