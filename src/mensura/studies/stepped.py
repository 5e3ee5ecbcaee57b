"""Sittings plan by plan: any subject, asked interaction by interaction, or compiled where its world can."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from mensura.agent.asks import LEFT_OUT, Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.agent.memory import saved
from mensura.agent.spaces import to_plain
from mensura.agent.waiting import Waiting, finish
from mensura.core.abilities import (
    trains,
)
from mensura.core.contract import Environment, Episode, Plan, Turn
from mensura.core.journaled import Journal, Journaled
from mensura.core.loop import Observer
from mensura.core.mixed import members_of, reward_of
from mensura.core.players import (
    Absent,
    Player,
    Renewed,
    Subject,
    Unanswered,
    asking,
    cpu_seconds,
    printed_by,
    probes_of,
    renewing,
    seating,
    told_measures,
)
from mensura.core.sitting import sitting
from mensura.core.steps import ELAPSED, SLOT, STOPPED
from mensura.core.usage import members, of_member
from mensura.records.batch import (
    Batch,
    DescriptionRow,
    Episodes,
    FaultRow,
    JournalRow,
    MeasureRow,
    PrintedRow,
    StartRow,
    TraceFile,
)
from mensura.records.cell import Cell
from mensura.records.encoding import clean
from mensura.records.journal import Entry, pack
from mensura.records.lives import Life, open_life
from mensura.studies.inside import CALM
from mensura.studies.inside_player import InsidePlayer
from mensura.studies.place import Place

Observers = Sequence[Observer] | Callable[[Plan], Sequence[Observer]]
"""Who looks on: the same in all episodes of a sitting, or those of a plan."""

WITHOUT_ANSWER = {"left_out": True}
"""What is written down of a question that somebody left out, in place of an answer."""


class Step(NamedTuple):
    """An episode of a sitting that goes on, for whoever looks on."""

    cell: int
    item: int
    """The number of the sitting in its cell."""
    sequence: int
    """The number of the episode in its sitting."""
    complexity: float
    reward: float
    interactions: int
    slot: float | None
    measures: Mapping[str, float]


@dataclass
class Played:
    """One sitting by the step door."""

    item: int
    score: float
    lost: bool
    episodes: list[tuple[Plan, Episode, float]]
    """Plan, outcome and complexity of each."""
    journals: list[list[Entry]] = field(default_factory=list)
    trace: Trace | None = None
    stopped: bool = False
    """Whether it was stopped before its end; its last episode says so."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """What else the assessment found out; kept with its last episode."""
    printed: str = ""
    """What the subject printed, shortened."""


def step(
    place: Place,
    item: int,
    absent: str = "",
    journal: Path | None = None,
    player: Player | None = None,
    stop: Event | None = None,
    tell: Callable[[Step], None] | None = None,
    observers: Observers = (),
) -> Played:
    """Play one sitting, waiting on the spot whenever there is something to wait for: :func:`stepping`."""
    return finish(stepping(place, item, absent, journal, player, stop, tell, observers))


def stepping(
    place: Place,
    item: int,
    absent: str = "",
    journal: Path | None = None,
    player: Player | None = None,
    stop: Event | None = None,
    tell: Callable[[Step], None] | None = None,
    observers: Observers = (),
    memories: Path | None = None,
) -> Waiting[Played]:
    """Play one sitting, plan after plan: by the step door, or by the second door where the world has one for plans.

    ``absent`` is why nobody sits down, where that is so. ``journal`` is a file in which answers are safe before
    they are used. ``player`` sits down in the place of the subject. ``stop`` ends the sitting early. ``tell`` hears of
    each assessed episode as soon as it is over. ``observers`` look on, by the step door: the same ones everywhere, or
    those of each plan. ``memories`` is the folder in which sittings find what others were trained to know.
    """
    cell = place.cell
    world = place.host
    assessment: Any = place.assessment
    if trains(assessment):
        assessment = replace(assessment, training=cell.training)
    compiled: Callable[[Plan, Key], Episode | None] | None = None
    life: Life | None = None
    schooled: Mapping[str, float] = {}
    if player is None:
        player, life, schooled = yield from _sat_down(place, item, absent, memories, stop)
        if place.by_plans and isinstance(player, Renewed):
            compiled = partial(_by_second_door, place, player)
        seated = player
        if journal is not None:
            player = Journaled(player, Journal(journal))
        player = perturbed_inside(place, item, player, seated)
    recorder = Recorder(player) if place.journaled and not absent else None
    trace = Trace(item) if cell.traces else None
    episodes: list[tuple[Plan, Episode, float]] = []
    measure = place.measure

    def watching(plan: Plan, environment: Environment) -> Iterable[Observer]:
        if recorder is not None:
            recorder.timed = plan.seconds is not None
        looking = observers(plan) if callable(observers) else observers
        if trace is None:
            return looking
        trace.begin()
        return (*looking, trace)

    def after(plan: Plan, episode: Episode) -> None:
        if episodes and episodes[-1][0].description is plan.description:
            complexity = episodes[-1][2]
        elif measure in world.measures:
            complexity = world.complexity(plan.description, measure)
        else:
            complexity = np.nan
        episodes.append((plan, episode, complexity))
        if tell is not None and not plan.learning:
            tell(_seen(cell, item, len(episodes) - 1, complexity, episode))
        if recorder is not None:
            recorder.turn_page()

    try:
        told = yield from sitting(
            assessment,
            world,
            recorder or player,
            fold(place.root, item),
            fold(place.stream, item),
            limits=cell.limits,
            observers=watching,
            after=after,
            compiled=compiled,
            stop=stop,
            number=item,
        )
        if life is not None:
            _keep(life, place, saved(player), told.score, episodes)
    finally:
        player.close()
    pages = recorder.pages if recorder is not None else []
    return Played(
        item,
        told.score,
        bool(absent),
        episodes,
        pages,
        trace,
        told.stopped,
        {**told.measures, **schooled},
        printed_by(player),
    )


def _sat_down(
    place: Place, item: int, absent: str, memories: Path | None, stop: Event | None
) -> Waiting[tuple[Player, Life | None, Mapping[str, float]]]:
    """The subject in its seats, with what it knows; its life, and what its phases took."""
    cell = place.cell
    if absent:
        return Absent(absent), None, {}
    if place.school is not None:
        try:
            known = yield from place.schooling(item, memories, stop).go_through()
        except Unanswered:
            raise
        except MensuraError as error:
            if item == 0:
                raise
            return Absent(str(error)), None, {}
        if known.absent:
            return Absent(known.absent), None, {}
        if known.player is not None:
            return known.player, None, known.measures
        seated = yield from _seated(place.subject, place.seats, item, known.memory)
        return seated, None, known.measures
    life = _life(place, item) if cell.keep else None
    memory = None if life is None else life.memory()
    player = yield from _seated(place.subject, place.seats, item, memory)
    if life is not None and saved(player) is None:
        player.close()
        raise MensuraError(
            f"{cell.name} cannot be kept: it has nothing to save. An agent of your own needs two methods, "
            "save() -> bytes and load(memory)."
        )
    return player, life, {}


def _seen(cell: Cell, item: int, sequence: int, complexity: float, episode: Episode) -> Step:
    """An episode for whoever looks on."""
    return Step(
        cell.number,
        item,
        sequence,
        complexity,
        episode.mean_reward,
        sum(episode.interactions),
        episode.slot,
        episode.measures,
    )


def _life(place: Place, item: int) -> Life:
    """The life that a sitting is part of, as it was before."""
    cell = place.cell
    about = {"subject": cell.subject, "world": place.world.id, "seats": place.seats}
    name = cell.name if not cell.repetition else f"{cell.name} {cell.repetition}"
    return open_life(Path(cell.keep), name, item, about).before(place.stream)


def _keep(
    life: Life,
    place: Place,
    memory: bytes | None,
    score: float,
    episodes: Sequence[tuple[Plan, Episode, float]],
) -> None:
    """Note what the sitting was, and keep what was learned in it; a subject that broke keeps nothing new."""
    if memory is not None:
        cell = place.cell
        lived = sum(sum(episode.interactions) for _, episode, _ in episodes)
        told = {"assessment": cell.assessment, "condition": cell.condition, "score": score}
        life.lived(place.stream, memory, {**told, "interactions": lived})


def _seated(subject: Subject, seats: int, item: int, memory: bytes | None) -> Waiting[Player]:
    """The subject in its seats. Who cannot even begin is bad input; who fails later has a faulty sitting."""
    try:
        return Renewed(subject, seats, memory, (yield from seating(subject, seats, memory)))
    except Unanswered:
        raise
    except MensuraError as error:
        if item == 0:
            raise
        return Absent(str(error))


def perturbed_inside(place: Place, item: int, player: Player, seated: Player) -> Player:
    """The player behind the operators that act inside its subject, where there are any."""
    if not place.inside or not isinstance(seated, Renewed):
        return player
    calm = int(place.cell.parameters.get(CALM, 0))
    return InsidePlayer(player, seated, place.inside, calm, fold(place.stream, item))


def _by_second_door(place: Place, player: Renewed, plan: Plan, seed: Key) -> Episode | None:
    world: Any = place.host
    episode: Episode | None = world.play_compiled(place.subject, plan, seed, player.player)
    return episode


class Recorder:
    """A player whose answers are written down, a page for each episode."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.speakers = player.speakers
        self.probes = probes_of(player)
        self.pages: list[list[Entry]] = []
        self._page: list[Entry] = []
        self.timed = False
        """Whether the episode has a slot of physical time, so that it matters when answers come."""
        self.cpu_seconds = partial(cpu_seconds, player)
        self.measures = partial(told_measures, player)

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """:meth:`asking`, waiting on the spot."""
        return finish(self.asking(asks))

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """Ask, and write down what is answered."""
        answers = yield from asking(self.player, asks)
        if self.timed and any(answer.at is None for answer in answers):
            now = perf_counter()
            answers = [answer._replace(at=now) for answer in answers]
        for ask, answer in zip(asks, answers, strict=True):
            value = WITHOUT_ANSWER if answer.value is LEFT_OUT else answer.value
            if type(value) is not int and value is not None:
                try:
                    value = to_plain(value)
                    json.dumps(value)
                except (TypeError, ValueError, RecursionError):
                    value = repr(answer.value)[:200]
            self._page.append(
                Entry(
                    ask.kind,
                    ask.seat,
                    value,
                    answer.seconds,
                    answer.fault,
                    answer.at,
                    answer.attachment,
                )
            )
        return answers

    def renew(self) -> None:
        """:meth:`renewing`, waiting on the spot."""
        finish(self.renewing())

    def renewing(self) -> Waiting[None]:
        """The player behind it sits down anew."""
        yield from renewing(self.player)
        self.speakers = self.player.speakers

    def turn_page(self) -> None:
        """An episode is over."""
        self.pages.append(self._page)
        self._page = []

    def close(self) -> None:
        """Leave the player open: whoever opened it closes it."""


class Trace:
    """Every interaction of a sitting, as columns."""

    def __init__(self, item: int) -> None:
        self.item = item
        self.columns: dict[str, list[Any]] = {
            name: []
            for name in (
                "item",
                "sequence",
                "interaction",
                "seat",
                "observation",
                "action",
                "reward",
            )
        }
        self._sequence = -1
        self._interaction = 0
        self._last: Turn | None = None

    def begin(self) -> None:
        """Another episode."""
        self._sequence += 1
        self._interaction = 0

    def started(self, environment: Environment, turn: Turn) -> None:
        """After reset."""
        self._last = turn

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """After each step: what each seat saw, did and got."""
        before = self._last
        assert before is not None
        rewards = dict(zip(turn.due, turn.rewards, strict=True))
        for seat, observation, action in zip(before.due, before.observations, actions, strict=True):
            row = (
                self.item,
                self._sequence,
                self._interaction,
                seat,
                json.dumps(to_plain(observation)),
                json.dumps(to_plain(action)),
                float(rewards.get(seat, 0.0)),
            )
            for column, value in zip(self.columns.values(), row, strict=True):
                column.append(value)
        self._interaction += 1
        self._last = turn


def _by_member(names: Sequence[str], episode: Episode) -> dict[str, float]:
    """The mean reward of each member of a mixed collective, and the faults of those that tell what they took."""
    told = {
        reward_of(name): replace(
            episode, scored=tuple(j for j in episode.scored if names[j] == name)
        ).mean_reward
        for name in members_of(names)
    }
    for name in members(episode.measures):
        told[of_member("faults", name)] = float(
            sum(names[fault.seat] == name for fault in episode.faults)
        )
    return told


def joined(
    cell: Cell, played: Sequence[Played], attempt: int = 1, names: Sequence[str] = ()
) -> Batch:
    """Sittings of the step door as a batch; ``names`` says who sits in each seat."""
    rows: list[tuple[Any, ...]] = []
    faults: list[FaultRow] = []
    measures: list[MeasureRow] = []
    journals: list[JournalRow] = []
    descriptions: list[DescriptionRow] = []
    starts: list[StartRow] = []
    for one in played:
        for sequence, (plan, episode, complexity) in enumerate(one.episodes):
            faults += [
                FaultRow(one.item, sequence, f.seat, f.interaction, f.kind, clean(f.detail))
                for f in episode.faults
            ]
            if plan.learning and one.item >= cell.keep_training:
                continue
            rows.append(
                (
                    one.item,
                    sequence,
                    plan.learning,
                    plan.environment or 0,
                    complexity,
                    episode.mean_reward,
                    sum(episode.interactions),
                    sum(episode.seconds),
                    episode.cpu,
                    len(episode.faults),
                    sum(episode.defaults),
                )
            )
            told = {**episode.measures, **_by_member(names, episode)}
            if episode.slot is not None:
                told |= {SLOT: episode.slot, ELAPSED: episode.elapsed}
            measures += [
                MeasureRow(one.item, sequence, clean(name), float(value))
                for name, value in told.items()
            ]
            if one.stopped and sequence == len(one.episodes) - 1:
                measures.append(MeasureRow(one.item, sequence, STOPPED, 1.0))
            if plan.start is not None:
                starts.append(StartRow(one.item, sequence, plan.start.digest))
            if plan.environment is None:
                text = json.dumps(plan.description.to_json(), separators=(",", ":"))
                descriptions.append(DescriptionRow(one.item, sequence, text))
        if one.episodes:
            last = len(one.episodes) - 1
            measures += [
                MeasureRow(one.item, last, clean(name), float(value))
                for name, value in one.measures.items()
            ]
        journals += [
            JournalRow(one.item, sequence, pack(page)) for sequence, page in enumerate(one.journals)
        ]

    def total(value: Callable[[Episode], float]) -> list[float]:
        return [sum(value(episode) for _, episode, _ in one.episodes) for one in played]

    return Batch(
        cell=cell.number,
        item=np.array([one.item for one in played], np.int64),
        score=np.array([one.score for one in played], np.float64),
        attempts=np.full(len(played), attempt, np.int64),
        lost=np.array([one.lost for one in played], np.bool_),
        interactions=np.array(total(lambda e: sum(e.interactions)), np.int64),
        wall=np.array(total(lambda e: sum(e.seconds)), np.float64),
        cpu=np.array(total(lambda e: e.cpu), np.float64),
        fault_count=np.array(total(lambda e: len(e.faults)), np.int64),
        asked=np.array(total(lambda e: e.asked), np.float64),
        episodes=_columns(rows),
        faults=tuple(faults),
        measures=tuple(measures),
        journals=tuple(journals),
        descriptions=tuple(descriptions),
        printed=tuple(
            PrintedRow(one.item, clean(one.printed))
            for one in played
            if one.printed
            and (one.item == 0 or any(episode.faults for _, episode, _ in one.episodes))
        ),
        traces=_trace_file([one.trace for one in played if one.trace is not None]),
        starts=tuple(starts),
    )


def _columns(rows: Sequence[tuple[Any, ...]]) -> Episodes:
    kinds: tuple[Any, ...] = (
        np.int64,
        np.int64,
        np.bool_,
        np.uint64,
        np.float64,
        np.float64,
        np.int64,
        np.float64,
        np.float64,
        np.int64,
        np.float64,
    )
    columns = zip(*rows, strict=True) if rows else [()] * len(kinds)
    return Episodes(*(np.array(c, kind) for c, kind in zip(columns, kinds, strict=True)))


def _trace_file(traces: Sequence[Trace]) -> tuple[TraceFile, ...]:
    if not traces:
        return ()
    from mensura.records.traces import encode

    columns = {
        name: [value for trace in traces for value in trace.columns[name]]
        for name in traces[0].columns
    }
    return (TraceFile(tuple(trace.item for trace in traces), encode(columns)),)
