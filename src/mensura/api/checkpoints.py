"""Checkpoints of what a subject plays, kept in a pool."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold, key, seed_or_fresh
from mensura.api.watching import play
from mensura.core.abilities import hosting
from mensura.core.contract import Environment, Turn
from mensura.core.players import Subject
from mensura.pictures.view import View
from mensura.records.pools import Checkpoint, Pool, digest_of

if TYPE_CHECKING:
    from mensura.core.contract import World

PICTURE_WIDTH = 120.0
MOST_EPISODES_IN_VAIN = 20
"""After so many episodes that were too short for a single checkpoint, it is given up."""


class Recorder:
    """Keeps a checkpoint every so many interactions, or seconds, of the episodes that it observes."""

    def __init__(
        self,
        every: float,
        count: int | None,
        player: str,
        pictures: bool = True,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """``clock`` tells the seconds since the episode began, where ``every`` is in seconds."""
        self._every, self._count, self.player = every, count, player
        self._pictures, self._clock = pictures, clock
        self._passed = 0
        self._view: View | None = None
        self._interaction = 0
        self._score = 0.0
        self.episode = ""
        self.environments: list[dict[str, Any]] = []
        self.checkpoints: list[Checkpoint] = []
        self.snapshots: dict[str, bytes] = {}
        self.drawn: dict[str, bytes] = {}

    def __len__(self) -> int:
        """How many were kept."""
        return len(self.checkpoints)

    @property
    def is_full(self) -> bool:
        """Whether there are as many as are wanted."""
        return self._count is not None and len(self.checkpoints) >= self._count

    def pool(self, world: str) -> Pool:
        """What was kept."""
        return Pool(world, self.environments, self.checkpoints, self.snapshots, self.drawn)

    def watch(self, view: View) -> Recorder:
        """Draw by this view."""
        self._view = view
        return self

    def started(self, environment: Environment, turn: Turn) -> None:
        """An episode begins."""
        self._interaction, self._score, self._passed = 0, 0.0, 0

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""
        self._interaction += 1
        self._score += sum(turn.rewards)
        time = self._interaction if self._clock is None else self._clock()
        before, self._passed = self._passed, int(time // self._every)
        if self._passed == before or turn.ended is not None or self.is_full:
            return
        self.keep(environment, turn, self._interaction, self._score)

    def keep(self, environment: Environment, turn: Turn, interaction: int, score: float) -> None:
        """Keep a checkpoint of this moment."""
        described: Any = environment.description
        plain = described.to_json()
        if not self.environments or self.environments[-1] != plain:
            self.environments.append(plain)
        snapshot = environment.snapshot()
        digest = digest_of(snapshot)
        if self._pictures and self._view is not None and digest not in self.drawn:
            self.drawn[digest] = drawn_small(self._view, environment, turn)
        self.snapshots[digest] = snapshot
        place = len(self.environments) - 1
        self.checkpoints.append(
            Checkpoint(digest, place, self.player, self.episode, interaction, float(score))
        )


def drawn_small(view: View, environment: Environment, turn: Turn) -> bytes:
    """A small picture of a moment, as PNG."""
    from mensura.pictures.pixels import as_image

    buffer = BytesIO()
    as_image(view.picture(environment, turn), PICTURE_WIDTH, legend=False).save(buffer, "PNG")
    return buffer.getvalue()


def record(
    subject: Subject,
    world: World,
    *,
    every: int,
    count: int,
    seed: int | None = None,
    training: int | None = None,
    pictures: bool = True,
    tell: Callable[[int], None] | None = None,
) -> Pool:
    """Let a subject play one environment after another until so many checkpoints are kept.

    ``training`` episodes go before each, as many as the subject asks for where None. ``tell`` is told how many there
    are after each episode.
    """
    if every < 1 or count < 1:
        raise MensuraError(
            f"A checkpoint every {every} interactions, {count} of them: both have to be at least 1."
        )
    root = key(seed_or_fresh(seed), "checkpoints")
    home = hosting(world, subject)
    source = key(root, home.id, subject.name)
    recorder = Recorder(every, count, subject.name, pictures)
    number = vain = 0
    while len(recorder.checkpoints) < count:
        had = len(recorder.checkpoints)
        recorder.episode = f"{source:016x}-{number}"
        play(
            subject,
            home,
            lambda view: [recorder.watch(view)],
            seed=fold(root, number),
            training=training,
        )
        number += 1
        vain = vain + 1 if len(recorder.checkpoints) == had else 0
        if vain == MOST_EPISODES_IN_VAIN:
            raise MensuraError(
                f"{vain} episodes of {home.id} ended before interaction {every}; keep a checkpoint more often."
            )
        if tell is not None:
            tell(len(recorder.checkpoints))
    return recorder.pool(home.id)
