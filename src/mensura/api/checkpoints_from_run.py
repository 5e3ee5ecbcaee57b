"""Checkpoints of what was played in a run, by people or by programs: its sittings are played again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import key
from mensura.api.checkpoints import Recorder
from mensura.core.abilities import describe_from_json, pools_of
from mensura.core.account import some
from mensura.core.contract import Environment, Plan, Turn, World
from mensura.core.loop import Observer
from mensura.core.players import Player
from mensura.pictures.view import View, view_of
from mensura.records.cell import Cell, has_people
from mensura.records.journal import Entry, unpack
from mensura.records.pool_shelf import SHELF
from mensura.records.pools import Pool
from mensura.studies.place import Place
from mensura.studies.replay import FromJournal, recorded_sitting, seated
from mensura.studies.stepped import step

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store


def from_run(
    store: Store,
    run: Run,
    *,
    interactions: int | None = None,
    seconds: float | None = None,
    count: int | None = None,
    subject: str | None = None,
    pictures: bool = True,
    tell: Callable[[int], None] | None = None,
) -> Pool:
    """The checkpoints of the assessed episodes of a run, every so many ``interactions`` or ``seconds``.

    Seconds are those that the player took over its answers, which journals tell. At most ``count`` checkpoints, of one
    ``subject`` alone where it is named. People go by pseudonyms that are made here. ``tell`` is told how many there are
    after each sitting.
    """
    every = seconds if interactions is None else interactions
    if every is None or not 0 < every < float("inf") or (count is not None and count < 1):
        raise MensuraError(
            f"A checkpoint every {every} interactions or seconds, {count} of them: both are numbers above 0."
        )
    clock = Clock()
    recorder = Recorder(every, count, "", pictures, None if seconds is None else clock.now)
    world = play_run(store, run, recorder, clock, subject=subject, timed=bool(seconds), tell=tell)
    if not world and (refused := store.refused_reuse(run)):
        raise MensuraError(
            f"Nothing was kept of the run {run.name}: {some(len(refused), 'person', 'people')} did not allow that what "
            f"they did is used further, and of nobody else there is an episode of {every:g} interactions or seconds."
        )
    if not world:
        raise MensuraError(
            f"No assessed episode of the run {run.name} was played for as long as {every:g} "
            f"{'interactions' if seconds is None else 'seconds'}; keep a checkpoint more often."
        )
    return recorder.pool(world[0].id)


class Watching(Protocol):
    """Whoever looks on while a run is played again."""

    player: str
    """Who plays now: a program by its name, a person by a name that tells nobody who it was."""
    episode: str

    @property
    def is_full(self) -> bool:
        """Whether it has seen enough."""

    def __len__(self) -> int:
        """How much it has kept."""

    def watch(self, view: View) -> Observer:
        """Look on, drawn by this view."""


def play_run(
    store: Store,
    run: Run,
    watching: Watching,
    clock: Clock | None = None,
    *,
    subject: str | None = None,
    timed: bool = False,
    tell: Callable[[int], None] | None = None,
) -> list[World]:
    """Play the assessed episodes of a run again; its worlds, which differ in parameters alone.

    None where nothing was kept.

    Of one ``subject`` alone where it is named. People who did not allow that what they do is used further, though they
    were asked, are left out. ``timed``: only journals will do, which tell times.
    """
    clock = clock or Clock()
    chosen = _chosen(store, run, subject)
    before = 0
    refused = store.refused_reuse(run)
    worlds: list[World] = []
    for cell in store.cells(run):
        for item in range(cell.sittings if cell.number in chosen else 0):
            if watching.is_full:
                break
            asked = has_people(cell.subject) and item in refused
            if not asked and store.sitting(run, before + item)[2] is not None:
                worlds.append(_play_again(store, run, before + item, watching, clock, timed))
            if tell is not None:
                tell(len(watching))
        before += cell.sittings
    names = sorted({one.id for one in worlds})
    if len(names) > 1:
        raise MensuraError(
            f"The run {run.name} is in several worlds ({', '.join(names)}), and what is kept of it is of one."
        )
    return worlds if len(watching) else []


def _chosen(store: Store, run: Run, subject: str | None) -> set[int]:
    """The numbers of the cells whose episodes are wanted."""
    cells = store.cells(run)
    names = list(dict.fromkeys(cell.name for cell in cells))
    if subject is not None and subject not in names:
        raise MensuraError(
            f"There is no subject {subject!r} in the run {run.name}; {neighbors(subject, names)}"
        )
    return {cell.number for cell in cells if subject in (None, cell.name)}


def _play_again(
    store: Store, run: Run, number: int, recorder: Watching, clock: Clock, timed: bool
) -> World:
    """Play a sitting again under the eyes of a recorder; its world."""
    cell, item, batch = recorded_sitting(store, run, number)
    place = Place.of(cell)
    if place.transfer is not None or place.asks_questions:
        raise MensuraError(
            f"The run {run.name} measures {cell.assessment}, of which no single episodes are kept to play again."
        )
    pages = [unpack(page) for page in store.journal(run, cell.number, item)]
    if timed and not pages:
        raise MensuraError(
            f"{cell.name} is played again from its keys, which tell no times; keep a checkpoint every so many "
            "interactions, as --every 20."
        )
    absent = "as it was recorded" if bool(batch.lost[0]) else ""
    recorder.player = _player(run, cell, item)
    source = _Source(place, recorder, clock, f"{key(run.seed, run.study_hash, number):016x}")
    player: Player | None = _Timed(pages, place, clock) if pages else None
    if player is None and place.school is None:
        player = seated(place, item, absent)
    elif player is None:
        # Whoever was trained in phases is trained again; with traces no episode goes by where nobody can look on.
        place = replace(place, cell=replace(cell, traces=True))
    played = step(place, item, absent, player=player, observers=source.observers)
    if played.score != float(batch.score[0]):
        raise MensuraError(
            f"Sitting {number} of the run {run.name} brings other rewards when it is played again, so that its "
            "checkpoints would be of episodes that nobody played. The world or the subject has changed since."
        )
    return place.host


def _player(run: Run, cell: Cell, item: int) -> str:
    """Who played: a program by its name, a person by a name that tells nobody who it was."""
    if not has_people(cell.subject):
        return cell.name
    return f"person-{key(run.seed, run.study_hash, 'pseudonym', cell.number, item):016x}"


class Clock:
    """The seconds of an episode that was journaled."""

    def __init__(self) -> None:
        self.elapsed = 0.0

    def now(self) -> float:
        """Since the episode began."""
        return self.elapsed


class _Timed(FromJournal):
    """A player that answers from the journal, and tells how long it took to answer then."""

    def __init__(self, pages: Sequence[Sequence[Entry]], place: Place, clock: Clock) -> None:
        super().__init__(pages, place)
        self._clock = clock

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """The next entries; seats answer at the same time."""
        answers = super().answer(asks)
        timed = [one.seconds for ask, one in zip(asks, answers, strict=True) if ask.kind != "begin"]
        self._clock.elapsed += max(timed, default=0.0)
        return answers


class _Source:
    """Leads the recorder through the assessed episodes of a sitting."""

    def __init__(self, place: Place, recorder: Watching, clock: Clock, name: str) -> None:
        self._place, self._recorder, self._clock, self._name = place, recorder, clock, name
        self._number = 0
        self._view = view_of(place.host)
        self._sources = {
            one.digest: one.episode
            for digest in pools_of(place.assessment)
            for one in SHELF.find(digest).checkpoints
        }
        self._source: str | None = None

    def observers(self, plan: Plan) -> Sequence[Observer]:
        """Those of an episode: nobody looks at training.

        What began in a checkpoint goes on with the episode that it is of, and counts as that one.
        """
        self._source = None if plan.start is None else self._sources.get(plan.start.digest)
        return () if plan.learning else (self._view, self)

    def started(self, environment: Environment, turn: Turn) -> None:
        """Another episode begins, also where a slot goes on in it."""
        self._clock.elapsed = 0.0
        described = environment.description
        try:
            known = describe_from_json(self._place.world, described.to_json()) == described
        except MensuraError:
            known = False
        if not known:
            raise MensuraError(
                f"Episodes of {self._place.cell.assessment} are here in more than {self._place.world.id} itself, as "
                "with company in it, so that others cannot start from their states."
            )
        self._recorder.episode = self._source or f"{self._name}-{self._number}"
        self._number += 1
        self._observer = self._recorder.watch(self._view)
        self._observer.started(environment, turn)

    def stepped(self, environment: Environment, actions: list[object], turn: Turn) -> None:
        """An interaction was played."""
        self._observer.stepped(environment, actions, turn)
