"""The sitting of a room: the generator that every sitting is, waiting for all people whose turn it is.

It is a pure function of its place, its number and what was answered in each turn, so it can be dropped at any time and
made again. Programs that are built in answer the same again; what others answered is kept, and they are reminded of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.memory import seat as sit_down
from mensura.agent.spaces import UNFIT, action_from_plain, answer_from_plain, to_plain
from mensura.agent.task import Task
from mensura.agent.waiting import Wait, Waiting, finish
from mensura.agents.address import is_foreign, parse
from mensura.agents.language_model.text import words_of
from mensura.core.abilities import picture_of
from mensura.core.contract import Environment, Turn
from mensura.core.mixed import Table, join, seat_names
from mensura.core.observation_words import is_read_beside
from mensura.core.players import Player, asking, recall
from mensura.pictures.svg import as_svg
from mensura.pictures.view import View, view_of
from mensura.studies.people import TogetherEntry
from mensura.studies.place import Place
from mensura.studies.stepped import Played, Step, stepping
from mensura.studies.subjects import resolve
from mensura.web.people.forms import form_of
from mensura.web.people.showing import SYMBOLS

LATE = "late"
"""What is kept as the action of somebody who missed a turn; what is played then is the default."""


class Done(NamedTuple):
    """What was answered in one seat in one turn."""

    value: Any
    """As JSON writes it."""
    at: float
    response_ms: float | None = None
    waited_ms: float = 0.0
    message: str | None = None
    """What a person tells with it, for the others to hear in the next turn."""
    kept: Any = None
    """What a program needs to be reminded of it."""

    @property
    def seconds(self) -> float:
        """How long it took: as the browser says, but no longer than the server saw."""
        told = self.waited_ms if self.response_ms is None else self.response_ms
        return max(0.0, min(told, self.waited_ms)) / 1000.0


class Moment(NamedTuple):
    """One interaction of one person, for exports."""

    episode: int
    turn: int
    seat: int
    observation: Any
    done: Done
    reward: float


class RoomPlayer:
    """Who answers in a room: people, whom it waits for, and programs, whom it asks."""

    def __init__(
        self,
        place: Place,
        entry: TogetherEntry,
        fills: Sequence[int],
        keep: Callable[[int, int, str, Done], None],
        past: Mapping[tuple[int, int, str], Done],
    ) -> None:
        self.turn = 0
        self.people = tuple(seat for seat in range(entry.people) if seat not in fills)
        self.tasks: dict[int, Task] = {}
        self.seen: dict[int, tuple[Any, float | None]] = {}
        """What each person last observed, with the reward that came with it; None before the first action."""
        self.heard: dict[int, Mapping[int, Any]] = {}
        self.waiting: tuple[int, ...] = ()
        """The people whose turn it is."""
        self.messages: dict[int, str | None] = {}
        self.episode = 0
        self.past: list[Moment] = []
        self._last: dict[int, tuple[Any, Done]] = {}
        self._keep, self._known = keep, past
        self._default: Callable[[int], Any] = lambda seat: None
        self._programs, self._foreign, self.names = seated(place, entry, fills)
        spoken = {*self._programs.speakers} if self._programs is not None else set()
        own = set(self.people) if entry.chat else set()
        self.speakers = frozenset({self._seat_of(one) for one in spoken} | own)

    def begins(self, default: Callable[[int], Any]) -> None:
        """An episode begins, in which somebody who misses a turn does this."""
        self._default = default

    def _seat_of(self, own: int) -> int:
        """The seat in the room of a seat among the programs."""
        return self._at[own]

    @property
    def _at(self) -> list[int]:
        return [seat for seat in range(len(self.names)) if seat not in self.people]

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """:meth:`asking`, waiting on the spot."""
        return finish(self.asking(asks))

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """Ask the programs, then wait for the people."""
        answers = yield from self._ask_programs(
            [one for one in asks if one.seat not in self.people]
        )
        mine = [one for one in asks if one.seat in self.people]
        if mine:
            answers |= yield from self._ask_people(mine)
        return [answers[one.seat] for one in asks]

    def _ask_programs(self, asks: list[Ask]) -> Waiting[dict[int, Answer]]:
        if not asks:
            return {}
        assert self._programs is not None
        at = {seat: own for own, seat in enumerate(self._at)}
        answers: dict[int, Answer] = {}
        open_: list[Ask] = []
        for ask in asks:
            known = self._known.get((self.turn, ask.seat, ask.kind))
            if known is None or at[ask.seat] not in self._foreign:
                open_.append(ask)
                continue
            value = known.value
            if ask.kind == "act" and ask.seat in self.tasks:
                with suppress(*UNFIT):
                    value = answer_from_plain(self.tasks[ask.seat].action_space, value)
            answers[ask.seat] = Answer(value, known.seconds, at=known.at, attachment=known.kept)
            recall(self._programs, ask._replace(seat=at[ask.seat]), answers[ask.seat])
        for ask in asks:
            if ask.kind == "begin" and ask.task is not None:
                self.tasks[ask.seat] = ask.task
        if open_:
            local = [one._replace(seat=at[one.seat]) for one in open_]
            found = yield from asking(self._programs, local)
            for ask, one in zip(open_, found, strict=True):
                answers[ask.seat] = one
                if at[ask.seat] in self._foreign and ask.kind in ("act", "tell") and not one.fault:
                    done = Done(to_plain(one.value), one.at or 0.0, None, one.seconds * 1000.0)
                    self._keep(self.turn, ask.seat, ask.kind, done._replace(kept=one.attachment))
        return answers

    def _ask_people(self, asks: list[Ask]) -> Waiting[dict[int, Answer]]:
        kind = asks[0].kind
        if kind == "tell":
            return {one.seat: Answer(self.messages.pop(one.seat, None)) for one in asks}
        for ask in asks:
            self._note(ask)
        if kind != "act":
            return {one.seat: Answer() for one in asks}
        self.waiting = tuple(one.seat for one in asks)
        came = yield Wait(lambda until: [], float("inf"))
        given: Mapping[int, Done] = came[0]
        self.waiting = ()
        answers = {}
        for ask in asks:
            done = given[ask.seat]
            self._last[ask.seat] = ask.observation, done
            self.messages[ask.seat] = done.message
            if done.value == LATE:
                action = self._default(ask.seat)
            else:
                action = answer_from_plain(self.tasks[ask.seat].action_space, done.value)
            answers[ask.seat] = Answer(action, done.seconds, at=done.at)
        self.turn += 1
        return answers

    def _note(self, ask: Ask) -> None:
        """What a person is shown from now on."""
        if ask.kind == "begin":
            assert ask.task is not None
            self.tasks[ask.seat] = ask.task
            self.seen[ask.seat] = None, None
            self.heard[ask.seat] = {}
            self._last.pop(ask.seat, None)
            return
        last = self._last.pop(ask.seat, None)
        if last is not None:
            observation, done = last
            self.past.append(
                Moment(self.episode, self.turn - 1, ask.seat, observation, done, ask.reward)
            )
        self.seen[ask.seat] = ask.observation, None if last is None else ask.reward
        if ask.kind == "act":
            self.heard[ask.seat] = {
                seat: said for seat, said in (ask.heard or {}).items() if said is not None
            }

    def episode_over(self, step: Step) -> None:
        """The next begin is of another episode."""
        self.episode += 1

    def close(self) -> None:
        """The programs leave."""
        if self._programs is not None:
            self._programs.close()


def seated(
    place: Place, entry: TogetherEntry, fills: Sequence[int]
) -> tuple[Player | None, frozenset[int], list[str]]:
    """The programs of a room at one table, which of their seats have answers that are kept, and who is in each seat."""
    parts: list[tuple[Any, int, bool]] = []
    names = ["people"] * entry.people
    for seat in fills:
        assert entry.fill is not None
        parts.append(
            (resolve(entry.fill, place.world, limits=place.cell.limits), 1, _kept(entry.fill))
        )
        names[seat] = entry.fill
    if entry.programs is not None:
        subject = resolve(entry.programs, place.world, limits=place.cell.limits)
        count = place.seats - entry.people
        parts.append((subject, count, _kept(entry.programs)))
        names += seat_names(subject, count)
    if not parts:
        return None, frozenset(), names
    players = [(sit_down(subject, count, None), count) for subject, count, _ in parts]
    for player, _ in players:
        join(player, place.seats)
    kept, first = set(), 0
    for _, count, foreign in parts:
        kept |= set(range(first, first + count)) if foreign else set()
        first += count
    return Table(players), frozenset(kept), names


def _kept(address: str) -> bool:
    return any(is_foreign(part) for part in parse(address))


class RoomLive:
    """The sitting of a room under way."""

    def __init__(
        self,
        place: Place,
        item: int,
        entry: TogetherEntry,
        *,
        fills: Sequence[int] = (),
        keep: Callable[[int, int, str, Done], None] = lambda turn, seat, kind, done: None,
        past: Mapping[tuple[int, int, str], Done] | None = None,
    ) -> None:
        """``fills``: the seats of people that a program takes. ``keep`` is told what programs answered that is kept;
        ``past`` is what they answered before."""
        self.place = place
        self.item = item
        self.entry = entry
        self.player = RoomPlayer(place, entry, fills, keep, past or {})
        self.played: Played | None = None
        """What the sitting left behind, once it is over."""
        self.environment: Environment | None = None
        self._view: View | None = None
        self._work = stepping(
            place, item, player=self.player, tell=self.player.episode_over, observers=(self,)
        )
        self._go(None)

    def _go(self, given: Mapping[int, Done] | None) -> None:
        try:
            if given is None:
                next(self._work)
            else:
                self._work.send([given])
        except StopIteration as over:
            self.played = over.value

    @property
    def turn(self) -> int:
        """The number of the turn that people are waited for in."""
        return self.player.turn

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats of the people whose turn it is."""
        return self.player.waiting

    @property
    def names(self) -> list[str]:
        """Who is in each seat."""
        return self.player.names

    def take(self, given: Mapping[int, Done]) -> None:
        """Go on with what was answered in all seats that are waited for."""
        if self.played is not None or set(given) != set(self.waiting):
            raise ValueError(f"answers of {sorted(given)}, and {self.waiting} are waited for")
        self._go(given)

    def started(self, environment: Environment, turn: Turn) -> None:
        """An episode begins."""
        self.environment = environment
        self.player.begins(environment.default)
        self._view = view_of(self.place.world)
        self._view.started(environment, turn)

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """A turn was played."""
        if self._view is not None:
            self._view.stepped(environment, actions, turn)

    def is_action(self, seat: int, action: Any) -> bool:
        """Whether an action, as JSON writes it, may be played in a seat now."""
        task, environment = self.player.tasks.get(seat), self.environment
        if seat not in self.waiting or task is None or environment is None:
            return False
        try:
            value = action_from_plain(task.action_space, action)
        except UNFIT:
            return False
        return task.action_space.contains(value) and environment.legal(seat, value)

    def is_message(self, message: str | None) -> bool:
        """Whether it can be told."""
        return message is None or (self.entry.chat and message in SYMBOLS)

    def shown(self, seat: int) -> dict[str, Any]:
        """What the person in a seat is told: what the seat observes, and nothing more."""
        observation, reward = self.player.seen.get(seat, (None, None))
        task, environment = self.player.tasks.get(seat), self.environment
        told: dict[str, Any] = {
            "phase": "done"
            if self.played is not None
            else "act"
            if seat in self.waiting
            else "wait",
            "turn": self.turn,
            "episode": self.player.episode + (0 if self.played is not None else 1),
            "reward": None if reward is None else (reward > 0) - (reward < 0),
            "svg": "",
            "words": [],
            "beside": False,
            "form": None,
            "heard": [
                [other, _said(said)]
                for other, said in sorted(self.player.heard.get(seat, {}).items())
            ],
            "symbols": list(SYMBOLS) if self.entry.chat else [],
        }
        if task is None or environment is None or observation is None:
            return told
        drawn = picture_of(environment, seat)
        told["svg"] = "" if drawn is None else as_svg(drawn, page=True)
        words = words_of(self.place.world)
        rules = [words.rules(task), task.instructions] if reward is None else []
        told["words"] = [one for one in (*rules, words.observation(task, observation)) if one]
        told["beside"] = is_read_beside(words)
        if seat in self.waiting and self._view is not None:
            controls = self._view.controls(environment)[seat]
            told["form"] = form_of(task.action_space, controls, partial(environment.legal, seat))
        return told

    def close(self) -> None:
        """Let it go; it can be made again from what is kept."""
        self._work.close()
        self.player.close()


def _said(message: Any) -> str:
    """A message as people read it: one of the symbols by name, or what a program said, shortened."""
    return message if isinstance(message, str) else str(to_plain(message))[:80]


def check_room(place: Place, entry: TogetherEntry) -> None:
    """Refuse a world whose seats do not fit, or that people cannot play in."""
    from mensura.web.people.forms import check_form

    environment, _ = place.first_environment()
    seats = len(environment.seats)
    if entry.people > seats or (entry.programs is None and entry.people != seats):
        raise MensuraError(
            f"The world has {seats} seats and the room {entry.people} for people: name programs for the others, or "
            "another number."
        )
    if entry.programs is not None and entry.people == seats:
        raise MensuraError(
            f"All {seats} seats are for people: leave programs out, or ask for fewer."
        )
    for seat in range(entry.people):
        check_form(environment.spaces(seat)[1])
        if environment.seats[seat].rights:
            raise MensuraError(
                "People have no rights to see more than others, and this world gives some."
            )
    live = RoomLive(place, 0, entry)
    live.close()
