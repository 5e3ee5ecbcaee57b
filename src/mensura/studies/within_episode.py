"""Rewards interaction by interaction, for what is learned within an episode: recorded sittings are played again.

Answers come from the journal where there is one, so nobody is asked anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.core.contract import Environment, Turn
from mensura.records.journal import unpack
from mensura.records.run import Run
from mensura.statistics.course import Course
from mensura.studies.place import Place, PlaceMaker
from mensura.studies.replay import FromJournal, seated
from mensura.studies.stepped import step

if TYPE_CHECKING:
    import numpy.typing as npt

    from mensura.records.store import Store


class _Rewards:
    """Collects the rewards of the last episode, the mean of all seats at each interaction."""

    def __init__(self) -> None:
        self.found: list[float] = []

    def started(self, environment: Environment, turn: Turn) -> None:
        """Another episode: what was before it does not count."""
        self.found.clear()

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """Another interaction."""
        self.found.append(float(np.mean(turn.rewards)))


def courses_of(store: Store, run: Run) -> list[Course]:
    """The course of the assessed episodes of each subject under each condition; of what is done."""
    maker = PlaceMaker()
    found: dict[tuple[str, str], list[npt.NDArray[np.float64]]] = {}
    for cell in store.cells(run):
        place = maker.place(cell)
        own = found.setdefault((cell.condition, cell.name), [])
        for batch in store.batches(run, cell.number):
            for item, score, lost in zip(batch.item, batch.score, batch.lost, strict=True):
                rewards = _played_again(store, run, place, int(item), bool(lost), float(score))
                if rewards is not None:
                    own.append(rewards)
    return [Course(subject, at, tuple(own)) for (at, subject), own in found.items()]


def _played_again(
    store: Store, run: Run, place: Place, item: int, lost: bool, score: float
) -> npt.NDArray[np.float64] | None:
    """The rewards of one sitting; None where playing it again gives another score than was recorded."""
    pages = [unpack(page) for page in store.journal(run, place.cell.number, item)]
    absent = "as it was recorded" if lost else ""
    player = FromJournal(pages, place) if pages else seated(place, item, absent)
    rewards = _Rewards()
    played = step(place, item, absent, player=player, observers=[rewards])
    return np.array(rewards.found) if played.score == score else None
