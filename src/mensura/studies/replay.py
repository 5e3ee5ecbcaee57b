"""Playing a recorded sitting again: from its keys, and from its journal where there is one."""

from __future__ import annotations

from collections.abc import Container, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING, Any

from mensura.agent.asks import LEFT_OUT, PROBES, Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.memory import seat
from mensura.agent.spaces import Space, answer_from_plain
from mensura.agent.waiting import finish
from mensura.core.abilities import episode_page
from mensura.core.around import innermost
from mensura.core.contract import Environment, Stopped, Turn
from mensura.core.observation_words import counted
from mensura.core.players import Absent, Player, Renewed
from mensura.core.registry import WORLDS
from mensura.records.batch import Batch
from mensura.records.cell import Cell
from mensura.records.journal import Entry, unpack
from mensura.records.run import Run
from mensura.studies.inquiry import Questioning
from mensura.studies.learner_sittings import learner_sitting
from mensura.studies.looking import Interaction, Looking
from mensura.studies.place import Place
from mensura.studies.pools_of_runs import shelve_pools
from mensura.studies.stepped import WITHOUT_ANSWER, Played, perturbed_inside, step
from mensura.studies.understanding_sittings import examining

if TYPE_CHECKING:
    from mensura.records.store import Store


@dataclass(frozen=True)
class Episode:
    """One episode, as recorded and as played again."""

    sequence: int
    learning: bool
    recorded: float | None
    """Its reward; None where the episode was not kept."""
    replayed: float

    @property
    def identical(self) -> bool:
        """Whether the rewards are the same to the bit, as far as one was kept."""
        return self.recorded is None or self.recorded == self.replayed


@dataclass(frozen=True)
class Replay:
    """A sitting, as recorded and as played again."""

    cell: Cell
    item: int
    from_journal: bool
    """Whether the answers came from the journal, else from the subject itself."""
    recorded: float
    replayed: float
    episodes: tuple[Episode, ...]
    interactions: tuple[Interaction, ...] = ()
    """Every interaction of it, where somebody wants to look."""

    @property
    def identical(self) -> bool:
        """Whether the score and the rewards of all kept episodes are the same to the bit."""
        return self.recorded == self.replayed and all(one.identical for one in self.episodes)


def replay(
    store: Store,
    run: Run,
    number: int,
    *,
    ask_again: bool = False,
    look: bool = False,
    whole: Container[int] | None = None,
    pictures: bool = False,
) -> Replay:
    """Play the sitting of a run again; ``ask_again`` asks the subject itself although there is a journal.

    ``look`` keeps every interaction, to be looked at; ``whole`` and ``pictures`` are those of :class:`Looking`.

    It goes through the step door, whichever door it went through first: both give the same rewards.
    """
    cell, item, batch = recorded_sitting(store, run, number)
    place = Place.of(cell)
    if place.transfer is not None:
        return _learner_again(place, item, batch, look)
    if place.asks_questions:
        pages = [unpack(page) for page in store.journal(run, cell.number, item)]
        return _examined_again(
            place, item, batch, look, FromJournal(pages, place) if pages else None
        )
    pages = [] if ask_again else [unpack(page) for page in store.journal(run, cell.number, item)]
    absent = "as it was recorded" if bool(batch.lost[0]) else ""
    player: Player | None = FromJournal(pages, place) if pages else None
    looking: Looking | None = None
    if look:
        looking = Looking(player or seated(place, item, absent), place, whole, pictures)
    played = step(
        place, item, absent, player=looking or player, observers=[looking] if looking else ()
    )
    kept = dict(zip(batch.episodes.sequence.tolist(), batch.episodes.reward.tolist(), strict=True))
    return Replay(
        cell,
        item,
        bool(pages),
        float(batch.score[0]),
        played.score,
        tuple(
            Episode(sequence, plan.learning, kept.get(sequence), episode.mean_reward)
            for sequence, (plan, episode, _) in enumerate(played.episodes)
        ),
        _with_faults(looking, played) if looking else (),
    )


def recorded_sitting(store: Store, run: Run, number: int) -> tuple[Cell, int, Batch]:
    """A sitting that was played, under rules that are still the same."""
    cell, item, batch = store.sitting(run, number)
    if batch is None:
        raise MensuraError(
            f"Sitting {number} of the run {run.name} has not been played yet; resume the run first with: "
            f"mensura study resume {run.name}"
        )
    changed = WORLDS.outdated(cell.world)
    if changed is not None:
        raise MensuraError(
            f"Sitting {number} of the run {run.name} cannot be played again under other rules: {changed}"
        )
    shelve_pools(store, run)
    return cell, item, batch


def has_page(place: Place) -> bool:
    """Whether episodes of a sitting can be made pages to step through."""
    plain = place.transfer is None and not place.asks_questions
    return plain and episode_page(place.world, place.subject) is not None


def page_of(store: Store, run: Run, number: int, sequence: int) -> str:
    """An episode of a sitting, played again, as a page to step through; ``sequence`` counts episodes from 0."""
    cell, item, batch = recorded_sitting(store, run, number)
    place = Place.of(cell)
    recorder = episode_page(place.world, place.subject)
    if recorder is None or not has_page(place):
        raise MensuraError(f"Episodes of {cell.world} have no page; --show prints interactions.")
    pages = [unpack(page) for page in store.journal(run, cell.number, item)]
    absent = "as it was recorded" if bool(batch.lost[0]) else ""
    player = FromJournal(pages, place) if pages else seated(place, item, absent)
    chosen = _Chosen(recorder, sequence)
    with suppress(Stopped):
        step(place, item, absent, player=recorder.watching(player), observers=[chosen])
    if chosen.number < sequence:
        raise MensuraError(
            f"Sitting {number} of the run {run.name} has {counted(chosen.number + 1, 'episode')}, and no episode "
            f"{sequence + 1}."
        )
    written: str = recorder.page()
    return written


class _Chosen:
    """Lets an observer see one episode of a sitting, which is over then."""

    def __init__(self, observer: Any, sequence: int) -> None:
        self._observer, self._sequence = observer, sequence
        self.number = -1

    def started(self, environment: Environment, turn: Turn) -> None:
        """Another episode begins."""
        self.number += 1
        if self.number == self._sequence:
            self._observer.started(innermost(environment), turn)

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""
        if self.number == self._sequence:
            self._observer.stepped(innermost(environment), actions, turn)
            if turn.ended is not None:
                raise Stopped


def _learner_again(place: Place, item: int, batch: Batch, look: bool) -> Replay:
    """A learner of transfer, trained and tested again."""
    if look:
        raise MensuraError(
            "A learner of transfer is trained and tested in many episodes, of which no interactions are kept to look "
            "at; replay it without looking on."
        )
    absent = "as it was recorded" if bool(batch.lost[0]) else ""
    again = finish(learner_sitting(place, item, 1, absent, None, Event(), lambda _: None))
    return _again(place, item, batch, again)


def _again(place: Place, item: int, batch: Batch, again: Batch) -> Replay:
    """What was recorded beside what came of it again."""
    return Replay(
        place.cell,
        item,
        False,
        float(batch.score[0]),
        float(again.score[0]),
        tuple(
            Episode(sequence, False, recorded, replayed)
            for sequence, (recorded, replayed) in enumerate(
                zip(batch.episodes.reward.tolist(), again.episodes.reward.tolist(), strict=True)
            )
        ),
    )


def _examined_again(
    place: Place, item: int, batch: Batch, look: bool, player: Player | None
) -> Replay:
    """An examination, asked again; or read from the journal, where whoever answered cannot be asked again."""
    if look:
        raise MensuraError(
            "An examination is made of questions, and has no interactions to look at; replay it without looking on."
        )
    absent = "as it was recorded" if bool(batch.lost[0]) else ""
    how = None if player is None else Questioning(player=player)
    again = finish(examining(place, item, absent=absent, questioning=how))
    return replace(_again(place, item, batch, again), from_journal=player is not None)


def _with_faults(looking: Looking, played: Played) -> tuple[Interaction, ...]:
    """What was seen, with the faults that only the environment found."""
    found = {
        (sequence, fault.interaction, fault.seat): (fault.kind, fault.detail)
        for sequence, (_, episode, _) in enumerate(played.episodes)
        for fault in episode.faults
    }
    return tuple(
        replace(one, fault=found.get((one.sequence, one.interaction, one.seat), one.fault))
        for one in looking.seen
    )


def seated(place: Place, item: int, absent: str) -> Player:
    """The subject itself in its seats."""
    if absent:
        return Absent(absent)
    player = Renewed(place.subject, place.seats, None, seat(place.subject, place.seats, None))
    return perturbed_inside(place, item, player, player)


class FromJournal:
    """A player that answers what was answered before."""

    def __init__(self, pages: Sequence[Sequence[Entry]], place: Place) -> None:
        self._entries = [entry for page in pages for entry in page]
        self._at = 0
        self._spaces: dict[int, Space] = {}
        self.speakers = frozenset(entry.seat for entry in self._entries if entry.kind == "tell")
        self.probes = frozenset(entry.kind for entry in self._entries if entry.kind in PROBES)

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """The next entries of the journal, if they answer these asks."""
        return [self._one(ask) for ask in asks]

    def _one(self, ask: Ask) -> Answer:
        if ask.task is not None:
            self._spaces[ask.seat] = ask.task.action_space
        entry = self._entries[self._at] if self._at < len(self._entries) else None
        if entry is None or (entry.kind, entry.seat) != (ask.kind, ask.seat):
            raise MensuraError(
                f"The journal does not fit the sitting: its entry {self._at} is not an answer to {ask.kind} of seat "
                f"{ask.seat}. The world or Mensura has changed since it was recorded."
            )
        self._at += 1
        fault: Any = entry.fault
        return Answer(self._value(ask, entry), entry.seconds, fault, entry.at, entry.attachment)

    def renew(self) -> None:
        """What was answered after a subject sat down anew is in the journal, too."""

    def _value(self, ask: Ask, entry: Entry) -> Any:
        if ask.kind in PROBES and entry.value == WITHOUT_ANSWER:
            return LEFT_OUT
        space = self._spaces.get(ask.seat)
        if ask.kind == "act" and entry.fault is None and space is not None:
            return answer_from_plain(space, entry.value)
        return entry.value

    def close(self) -> None:
        """Nobody leaves."""
