"""``mensura reproduce checkpoint-replay-2016 --checkpoints FOLDER``: the games of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from mensura.agent.errors import MensuraError

if TYPE_CHECKING:
    from mensura.agent.keys import Key
    from mensura.api.expectations import Wanted


@dataclass(frozen=True)
class GamesOptions:
    """Published checkpoints, and networks that are trained from them."""

    panel: ClassVar[str] = "Checkpoint replay on Atari games"

    checkpoints: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Of `checkpoint-replay-2016`: the authors' files. Then the networks that come with Mensura are tested "
            "on their games, from the half of these checkpoints that they were not trained from.",
        ),
    ] = None
    train: Annotated[
        bool,
        typer.Option(
            "--train", help="With --checkpoints: train the networks anew; it takes a GPU."
        ),
    ] = False
    frames: Annotated[
        str | None,
        typer.Option(help="With --train: how long each is trained.", show_default="17M"),
    ] = None

    def check_not_given(self, name: str) -> None:
        """Raise where something was said that the study has no use for."""
        if self.checkpoints or self.train or self.frames:
            raise MensuraError(
                f"{name} is played on no checkpoints of others: leave out --checkpoints, --train and --frames."
            )

    def wanted(self, name: str, episodes: int | None, seed: Key, device: str | None) -> Wanted:
        """What is wanted of a study that states what it expects."""
        from mensura.api.expectations import Wanted
        from mensura.cli.train import amount

        if (self.train or self.frames) and self.checkpoints is None:
            raise MensuraError(
                "Networks are trained from published checkpoints: name their folder, --checkpoints FOLDER."
            )
        if self.frames and not self.train:
            raise MensuraError("--frames says how long to train; add --train.")
        frames = None if self.frames is None else amount(self.frames, "frames")
        return Wanted(
            seed, episodes, lambda text: None, device or "cpu", self.checkpoints, self.train, frames
        )
