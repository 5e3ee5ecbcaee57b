"""One learner at its stages: it sits down with what it knows, trains a segment, or is tested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path as FilePath
from threading import Event
from typing import NamedTuple

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, key
from mensura.agent.memory import saved
from mensura.agent.waiting import Waiting
from mensura.core.contract import Episode, Plan
from mensura.core.journaled import Journal, Journaled
from mensura.core.players import Player, seating, told_measures
from mensura.core.sitting import sitting
from mensura.core.usage import USAGE
from mensura.studies.phases import Path, Segment, Testing, Training, starts_phase
from mensura.studies.stages import Stage, Stages


class Live(NamedTuple):
    """A learner that sits where it has trained."""

    path: Path
    stage: Stage
    player: Player


class Trainer:
    """Trains and tests one learner; all of its draws have one root."""

    def __init__(self, stages: Stages, root: Key, stop: Event | None = None) -> None:
        self.stages = stages
        self.root = root
        self._stop = stop
        self._used: Counter[str] = Counter()

    def take_used(self) -> dict[str, float]:
        """What a subject that is asked over a network took since this was asked for last, by the names of measures."""
        used, self._used = self._used, Counter()
        return dict(used)

    def sit(self, stage: Stage, memory: bytes | None) -> Waiting[Player]:
        """Let the subject sit down, with a memory where it has one."""
        try:
            return (yield from seating(stage.subject, stage.seats, memory))
        except MensuraError as error:
            if memory is None:
                raise
            raise MensuraError(
                f"What {stage.subject.name} learned cannot be used in {stage.task.name}: {error}"
            ) from error

    def newborn(self, stage: Stage) -> Waiting[bytes | None]:
        """What a newborn saves; None where the subject cannot be saved."""
        player = yield from self.sit(stage, None)
        try:
            return saved(player)
        finally:
            player.close()

    def train_on(
        self,
        start: Path,
        end: Path,
        memory: bytes | None,
        live: Live | None,
        journal: FilePath | None = None,
    ) -> Waiting[tuple[Live, int]]:
        """Train from one stop to another; who sits there by then, and how many answers were none.

        Who is ``live`` sits on; else the learner sits down with what it knew at the start. ``journal`` is a file in
        which answers are safe before they are used.
        """
        stage = live.stage if live is not None else None
        player = live.player if live is not None else None
        faults = 0
        try:
            for number in range(len(start), len(end)):
                own = self.stages[end[number].task]
                if player is not None and (stage is None or stage.subject is not own.subject):
                    memory = saved(player)
                    player.close()
                    player = None
                if player is None:
                    player = yield from self.sit(own, memory if number or start else None)
                    if journal is not None:
                        player = Journaled(player, Journal(journal))
                stage = own
                faults += yield from self.train(own, player, end[number])
        except BaseException:
            if player is not None:
                player.close()
            raise
        assert stage is not None
        assert player is not None
        return Live(end, stage, player), faults

    def train(self, stage: Stage, player: Player, segment: Segment) -> Waiting[int]:
        """Train a segment; how many answers were none."""
        name = key(self.root, "train", segment.task)
        own = key(self.root, "train", segment.task, "subject", segment.begin)
        faults = [0]

        def after(plan: Plan, episode: Episode) -> None:
            faults[0] += len(episode.faults)

        yield from self._play(stage, player, Training(stage.draw, segment), name, own, after)
        return faults[0]

    def test(self, stage: Stage, player: Player, episodes: int) -> Waiting[tuple[float, int, int]]:
        """Performance, interactions and faults; the same environments and draws for all knowledge of this learner."""
        name = key(self.root, "test", stage.task.identity)
        counted = [0, 0]

        def after(plan: Plan, episode: Episode) -> None:
            counted[0] += sum(episode.interactions)
            counted[1] += len(episode.faults)

        what = Testing(stage.draw, episodes)
        found = yield from self._play(stage, player, what, name, key(name, "subject"), after)
        return found, counted[0], counted[1]

    def _play(
        self,
        stage: Stage,
        player: Player,
        what: Training | Testing,
        name: Key,
        own: Key,
        after: Callable[[Plan, Episode], None],
    ) -> Waiting[float]:
        def counted(plan: Plan, episode: Episode) -> None:
            self._used.update(
                {name: value for name, value in episode.measures.items() if name in USAGE}
            )
            after(plan, episode)

        played = yield from sitting(
            what,
            stage.world,
            player,
            name,
            own,
            limits=self.stages.limits,
            after=counted,
            compiled=stage.play(player),
            stop=self._stop,
        )
        self._used.update(told_measures(player))
        return played.score


def phases_begun(start: Path, end: Path) -> int:
    """How many phases begin between two stops."""
    return sum(starts_phase(end, number) for number in range(len(start), len(end)))


def interactions_of(start: Path, end: Path) -> int:
    """How many interactions of training are between two stops."""
    return sum(one.end - one.begin for one in end[len(start) :])
