"""Who answers what the loop asks: agents inside this process, and several players at one table.

A subject that sits down becomes a :class:`Player` for one sitting. :func:`drive` is the driver that waits; with
:func:`driving` it is left to somebody else how (:mod:`mensura.core.waiting`).
"""

from __future__ import annotations

import math
import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Event
from time import perf_counter, thread_time
from typing import Any, Protocol

import numpy as np

from mensura.core.abilities.subjects import Meter, Retelling, rehearsing, retelling
from mensura.core.asks import ALARM, PROBES, Answer, Ask, is_alarm
from mensura.core.contract import Agent, Episode, Stopped
from mensura.core.errors import MensuraError
from mensura.core.loop import Asking
from mensura.core.memory import Damage, damaged_bytes, pack, saved, seat, unpack
from mensura.core.printed import joined
from mensura.core.usage import REQUESTS, of_member
from mensura.core.waiting import Waiting, finish


class Player(Protocol):
    """A subject in its seats for one sitting. What it may have beside this is in :class:`Able`."""

    @property
    def speakers(self) -> frozenset[int]:
        """The seats whose members tell before they act."""

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """The answers, in the order of the asks. Never raises because of a subject."""

    def close(self) -> None:
        """The sitting is over."""


class Able(Protocol):
    """What a player may have, each for itself; the functions below say what holds without it."""

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """:meth:`Player.answer` as work that waits, of one that answers from outside."""

    def cpu_seconds(self) -> float:
        """The processor time that it has taken so far."""

    def measures(self) -> Mapping[str, float]:
        """What it tells of its own since it was last asked, by name: tokens, cost, ..."""

    probes: frozenset[str]
    """Which probes it answers: "predict", "plan", "explain", "model"."""

    def printed(self) -> str:
        """What it has printed so far, shortened; all of it once it is closed."""

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Remind it of an answer that it gave before it was interrupted."""

    def renew(self) -> None:
        """Sit down anew, with no memory of what was in this sitting."""

    def renewing(self) -> Waiting[None]:
        """:meth:`renew` as work that waits."""

    def save(self) -> bytes | None:
        """What it has learned."""

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        """A memory that it saved, after some damage."""

    components: tuple[str, ...]
    """What it can switch off, by name."""

    def switching_off(self, names: Sequence[str]) -> Waiting[None]:
        """Switch some of its components off until it sits down anew; MensuraError where that fails."""


def asking(player: Player, asks: list[Ask]) -> Waiting[list[Answer]]:
    """The answers of a player, wherever they come from."""
    own: Callable[[list[Ask]], Waiting[list[Answer]]] | None = getattr(player, "asking", None)
    return player.answer(asks) if own is None else (yield from own(asks))


def acts(thing: Any) -> bool:
    """Whether something is an agent, or a class of agents: all that it needs is ``act``."""
    return callable(getattr(thing, "act", None))


def cpu_seconds(player: Player) -> float:
    """The processor time that a player has taken so far; nan where it cannot tell."""
    told: Callable[[], float] | None = getattr(player, "cpu_seconds", None)
    return math.nan if told is None else told()


def told_measures(player: Player) -> Mapping[str, float]:
    """What a player tells of its own since it was last asked, by name: tokens, cost, ...; mostly nothing."""
    told: Callable[[], Mapping[str, float]] | None = getattr(player, "measures", None)
    return {} if told is None else told()


def printed_by(player: Player) -> str:
    """What a player has printed so far, shortened; nothing of one that prints where we do."""
    told: Callable[[], str] | None = getattr(player, "printed", None)
    return "" if told is None else told()


def probes_of(player: Player) -> frozenset[str]:
    """Which of predict, plan, explain and model a player answers; none where it does not say."""
    return frozenset(getattr(player, "probes", ()))


def damaged(player: Player, memory: bytes, damage: Damage) -> bytes:
    """What a player saved, after some damage: to the tables that it knows of, else to its bytes."""
    own: Callable[[bytes, Damage], bytes] | None = getattr(player, "damaged", None)
    return damaged_bytes(memory, damage) if own is None else own(memory, damage)


def components_of(player: Player) -> tuple[str, ...]:
    """The names of what a player can switch off; none where it does not say."""
    return tuple(getattr(player, "components", ()))


def recall(player: Player, ask: Ask, answer: Answer) -> None:
    """Remind a player of an answer that it gave before it was interrupted, if it wants to be reminded."""
    reminded: Callable[[Ask, Answer], None] | None = getattr(player, "recall", None)
    if reminded is not None:
        reminded(ask, answer)


class Unanswered(MensuraError):
    """Somebody could not be reached, through no fault of the subject's: the run ends here, to be resumed."""

    def __init__(self, sentence: str, answers: Sequence[Answer] = ()) -> None:
        """``answers``: what the first of the asks had been answered by then; a journal keeps it."""
        super().__init__(sentence)
        self.answers = tuple(answers)


class Subject(Protocol):
    """Whoever is assessed: an agent or a collective, before it sits down.

    One that comes from outside also has ``seating(seats)``: :meth:`sit` as work that waits.
    """

    @property
    def name(self) -> str:
        """How reports call it; also the name of its stream of draws."""

    def sit(self, seats: int) -> Player:
        """Take so many seats for one sitting, with no memory of earlier ones."""


def seating(subject: Subject, seats: int, memory: bytes | None = None) -> Waiting[Player]:
    """Let a subject sit down, wherever it comes from, with a memory where there is one."""
    own: Callable[..., Waiting[Player]] | None = getattr(subject, "seating", None)
    if own is None:
        player: Player = seat(subject, seats, memory)
        return player
    return (yield from (own(seats) if memory is None else own(seats, memory)))


def renewing(player: Player) -> Waiting[None]:
    """:func:`renew` as work that waits."""
    own: Callable[[], Waiting[None]] | None = getattr(player, "renewing", None)
    if own is None:
        renew(player)
    else:
        yield from own()


def renew(player: Player) -> None:
    """Let a subject sit down anew, with no memory of what was in this sitting."""
    again: Callable[[], None] | None = getattr(player, "renew", None)
    if again is None:
        raise MensuraError(CANNOT_FORGET)
    again()


CANNOT_FORGET = "This subject cannot forget, so it cannot start anew in each environment; write memory: continuous."


def driving(episode: Asking, player: Player, stop: Event | None = None) -> Waiting[Episode]:
    """Play an episode to its end; :class:`Stopped` where somebody stops it before."""
    own: Callable[[list[Ask]], Waiting[list[Answer]]] | None = getattr(player, "asking", None)
    answer = player.answer
    try:
        asks = next(episode)
        while True:
            if stop is not None and stop.is_set():
                raise Stopped
            asks = episode.send(answer(asks) if own is None else (yield from own(asks)))
    except StopIteration as end:
        result: Episode = end.value
        return result


def drive(episode: Asking, player: Player, stop: Event | None = None) -> Episode:
    """:func:`driving`, waiting on the spot for each answer."""
    return finish(driving(episode, player, stop))


class Agents:
    """A player of agent objects in this process. Their time is measured, not limited."""

    def __init__(
        self,
        agents: Sequence[Any],
        again: Callable[[], Sequence[Any]] | None = None,
        memory: bytes | None = None,
    ) -> None:
        """``again`` makes them anew, for a subject that is to forget; none, for one that cannot.

        ``memory`` is what they saved before; whoever forgets goes back to it.
        """
        self._again = again
        self._memory = memory
        self._cpu = 0.0
        self._seat(agents)

    def _seat(self, agents: Sequence[Any]) -> None:
        for agent in agents:
            if not acts(agent):
                raise MensuraError(
                    f"{type(agent).__name__} has no method act(observation, reward), "
                    "the one that every agent needs."
                )
        self.agents = list(agents)
        self.speakers = frozenset(
            seat for seat, agent in enumerate(agents) if callable(getattr(agent, "tell", None))
        )
        if self._memory is not None:
            for agent, memory in zip(agents, unpack(self._memory, len(agents)), strict=True):
                if memory is not None:
                    _load(agent, memory)

    @property
    def probes(self) -> frozenset[str]:
        """Those for which each of them has a method."""
        return frozenset(
            name
            for name in PROBES
            if all(callable(getattr(agent, name, None)) for agent in self.agents)
        )

    def save(self) -> bytes | None:
        """What they have learned; None where none of them can say it."""
        return pack([_save(agent) for agent in self.agents])

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        """A memory that they saved, each part of it damaged."""
        parts = [
            None if part is None else _damaged(agent, part, damage)
            for agent, part in zip(self.agents, unpack(memory, len(self.agents)), strict=True)
        ]
        return pack(parts) or b""

    @property
    def components(self) -> tuple[str, ...]:
        """Those that each of them names."""
        named = [_components(agent) for agent in self.agents]
        return tuple(one for one in named[0] if all(one in others for others in named))

    def switch_off(self, name: str) -> None:
        """Switch a component off in each of them."""
        for agent in self.agents:
            try:
                agent.switch_off(name)
            except Exception as error:
                raise MensuraError(
                    f"{type(agent).__name__} could not switch off {name}: {describe(error)}."
                ) from error

    def switching_off(self, names: Sequence[str]) -> Waiting[None]:
        """Switch components off in each of them."""
        yield from ()
        for name in names:
            self.switch_off(name)

    def renew(self) -> None:
        """New agents take the seats."""
        if self._again is None:
            raise MensuraError(CANNOT_FORGET)
        self._seat(self._again())

    def measures(self) -> Mapping[str, float]:
        """What the agents tell of their own."""
        told: dict[str, float] = {}
        for agent in self.agents:
            tell = getattr(agent, "measures", None)
            if tell is not None:
                told |= tell()
        return told

    def cpu_seconds(self) -> float:
        """Processor time of this thread while it was asked."""
        return self._cpu

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """Call the agents one after another."""
        begun = thread_time()
        answers = []
        for ask in asks:
            start = perf_counter()
            try:
                value = call(self.agents[ask.seat], ask)
            except (Exception, SystemExit) as error:
                seconds = perf_counter() - start
                answers.append(Answer(None, seconds, ("raised", describe_with_line(error))))
            else:
                answers.append(Answer(value, perf_counter() - start))
        self._cpu += thread_time() - begun
        return answers

    def close(self) -> None:
        """Nothing to do: the agents go with the player."""


def _save(agent: Any) -> bytes | None:
    save = getattr(agent, "save", None)
    if save is None:
        return None
    try:
        memory = save()
    except Exception as error:
        raise MensuraError(
            f"{type(agent).__name__} could not be saved: {describe(error)}."
        ) from error
    if memory is not None and not isinstance(memory, bytes):
        raise MensuraError(
            f"{type(agent).__name__}.save() gave {type(memory).__name__}; it gives bytes."
        )
    return memory


def _load(agent: Any, memory: bytes) -> None:
    load = getattr(agent, "load", None)
    if load is None:
        raise MensuraError(
            f"{type(agent).__name__} has no method load(memory), so it cannot go on with what it saved."
        )
    try:
        load(memory)
    except MensuraError:
        raise
    except Exception as error:
        raise MensuraError(
            f"{type(agent).__name__} could not load what was saved: {describe(error)}."
        ) from error


def _damaged(agent: Any, memory: bytes, damage: Damage) -> bytes:
    own: Callable[[bytes, Damage], bytes] | None = getattr(agent, "damaged", None)
    if own is None:
        return damaged_bytes(memory, damage)
    try:
        return own(memory, damage)
    except Exception as error:
        raise MensuraError(
            f"{type(agent).__name__}.damaged() failed: {describe(error)}."
        ) from error


def _components(agent: Any) -> tuple[str, ...]:
    """What an agent can switch off; nothing where it has not both methods."""
    if not all(callable(getattr(agent, one, None)) for one in ("components", "switch_off")):
        return ()
    try:
        named = tuple(agent.components())
    except Exception as error:
        raise MensuraError(
            f"{type(agent).__name__}.components() failed: {describe(error)}."
        ) from error
    if not all(isinstance(one, str) for one in named) or len(set(named)) < len(named):
        raise MensuraError(
            f"{type(agent).__name__}.components() gave {named!r:.100}; it gives different names."
        )
    return named


class Renewed:
    """A subject in its seats that can sit down anew in the middle of a sitting, with the memory it came with."""

    def __init__(
        self,
        subject: Subject,
        seats: int,
        memory: bytes | None = None,
        player: Player | None = None,
    ) -> None:
        """``player`` is the subject where it sits already."""
        self._subject = subject
        self._seats = seats
        self._memory = memory
        self._before = 0.0
        self._printed = ""
        self._take(seat(subject, seats, memory) if player is None else player)

    def _take(self, player: Player) -> None:
        self.player = player
        self.speakers = player.speakers
        self.probes = probes_of(player)
        self.answer = player.answer
        self.asking = getattr(player, "asking", None)

    def renew(self) -> None:
        """:meth:`renewing`, waiting on the spot."""
        finish(self.renewing())

    def renewing(self) -> Waiting[None]:
        """Leave, and sit down with no memory; whoever cannot is absent from then on."""
        self._leave()
        yield from self._sit_down(self._memory)

    def restoring(self, memory: bytes | None) -> Waiting[bool]:
        """Leave at once, and sit down with this memory; without any where that does not load: whether it did."""
        kill: Callable[[], None] | None = getattr(self.player, "kill", None)
        if kill is not None:
            kill()
        self._leave()
        loaded = True
        if memory is not None:
            yield from self._sit_down(memory)
            loaded = not isinstance(self.player, Absent)
        if memory is None or not loaded:
            yield from self._sit_down(None)
        return loaded

    def leave(self, why: str) -> None:
        """Nobody is in its seats from now on."""
        self._leave()
        self._take(Absent(why))

    def _leave(self) -> None:
        self._before = self.cpu_seconds()
        self.player.close()
        self._printed = self.printed()

    def _sit_down(self, memory: bytes | None) -> Waiting[None]:
        try:
            self._take((yield from seating(self._subject, self._seats, memory)))
        except Unanswered:
            raise
        except MensuraError as error:
            self._take(Absent(str(error)))
        self._before -= cpu_seconds(self.player)

    def save(self) -> bytes | None:
        """What it has learned."""
        return saved(self.player)

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        """A memory that it saved, after some damage."""
        return damaged(self.player, memory, damage)

    @property
    def components(self) -> tuple[str, ...]:
        """What it can switch off, by name."""
        return components_of(self.player)

    def switching_off(self, names: Sequence[str]) -> Waiting[None]:
        """Switch components off, until it sits down anew."""
        if names:
            player: Any = self.player
            yield from player.switching_off(names)

    def cpu_seconds(self) -> float:
        """That of all the times that it sat down."""
        return self._before + cpu_seconds(self.player)

    def measures(self) -> Mapping[str, float]:
        """What it tells of its own."""
        return told_measures(self.player)

    def printed(self) -> str:
        """What it printed, all the times that it sat down."""
        return joined([self._printed, printed_by(self.player)])

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Remind it of an answer."""
        recall(self.player, ask, answer)

    def close(self) -> None:
        """The sitting is over."""
        self.player.close()


class Absent:
    """Nobody, in the place of a subject that could not start this time; every answer is a fault."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.speakers: frozenset[int] = frozenset()

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """No answers, and why."""
        return [Answer(fault=("died", self.reason))] * len(asks)

    def renew(self) -> None:
        """Still nobody."""

    def close(self) -> None:
        """Nobody leaves."""


LONGEST = 300
"""So many characters an exception may take in a record."""


def describe(error: BaseException, longest: int = LONGEST) -> str:
    """An exception in one line, for a record."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}"[:longest] if text else type(error).__name__


def describe_with_line(error: BaseException) -> str:
    """An exception of an agent in one line, with the file and the line of the agent's own code that it came from."""
    line = line_of(error)
    if not line:
        return describe(error)
    return f"{describe(error, LONGEST - len(line) - 1)} {line}"


def line_of(error: BaseException) -> str:
    """The file and the line of an agent's own code that an exception came from; nothing where none was reached.

    Own code is what lies in the folder of the method that was called: an exception inside a library is told with the
    line that called the library.
    """
    frames = [
        (frame.f_code.co_filename, number)
        for frame, number in traceback.walk_tb(error.__traceback__)
    ]
    ours = [at for at, (file, _) in enumerate(frames) if file == __file__]
    frames = frames[ours[-1] + 1 :] if ours else frames
    if not frames:
        return ""
    folder = os.path.join(os.path.dirname(frames[0][0]), "")
    own = [one for one in frames if one[0].startswith(folder)] or frames[:1]
    file, number = own[-1]
    return f"({os.path.basename(file)[-100:]}, line {number})"


def call(agent: Any, ask: Ask) -> Any:
    """The one place where an ask becomes a call of an agent's method."""
    if ask.kind == "act":
        if ask.heard:
            hear = getattr(agent, "hear", None)
            if hear is not None:
                hear(ask.heard)
        return agent.act(ask.observation, ask.reward)
    if ask.kind == "tell":
        return agent.tell(ask.observation, ask.reward)
    if ask.kind in PROBES:
        return getattr(agent, ask.kind)(ask.question)
    if ask.kind == "begin":
        # Compiled agents draw as a function of their key and need no generator.
        with_key = getattr(agent, "begin_with_key", None)
        if with_key is not None:
            with_key(ask.task, ask.key)
        elif hasattr(agent, "begin"):
            agent.begin(ask.task, np.random.Generator(np.random.PCG64(ask.key)))
        return None
    if hasattr(agent, "end"):
        agent.end(ask.observation, ask.reward, ask.terminated)
    alarm = alarm_of(agent)
    return None if alarm is None else {ALARM: alarm}


def alarm_of(agent: Any) -> float | None:
    """How sure an agent is, from 0 to 1, that the episode that just ended was unlike what it knows.

    None where it has no method ``alarm`` and nobody can say.
    """
    own: Callable[[], float] | None = getattr(agent, "alarm", None)
    if own is None:
        return None
    told = own()
    if not is_alarm(told):
        raise ValueError(f"alarm() gave {told!r}; it gives a number from 0 to 1")
    return float(told)


class InProcess:
    """A subject made of one agent class, an own agent object in each seat, in this process."""

    def __init__(
        self, name: str, factory: Callable[[], Agent], summary: str = "", training: int = 0
    ) -> None:
        self.name = name
        self.factory = factory
        self.summary = summary
        """A line on what it is, for tables."""
        self.training = training
        """How many training episodes it asks for before each assessed one."""
        self.is_person = False
        """Whether people are meant, who answer in a browser."""

    def sit(self, seats: int, memory: bytes | None = None) -> Agents:
        """One new agent for each seat."""
        try:
            return Agents(self._agents(seats), partial(self._agents, seats), memory)
        except MensuraError:
            raise
        except Exception as error:
            raise MensuraError(f"{self.name} could not be made: {describe(error)}.") from error

    def _agents(self, seats: int) -> list[Agent]:
        return [self.factory() for _ in range(seats)]


class Mixed:
    """A heterogeneous collective: each part takes a number of neighboring seats."""

    def __init__(self, parts: Sequence[tuple[Subject, int]]) -> None:
        self.parts = tuple(parts)
        self.name = "+".join(
            subject.name if count == 1 else f"{subject.name}*{count}" for subject, count in parts
        )

    def sit(self, seats: int, memory: bytes | None = None) -> Table:
        """Seat the parts side by side."""
        wanted = sum(count for _, count in self.parts)
        if wanted != seats:
            raise MensuraError(
                f"{self.name} has {wanted} members and the environment {seats} seats: "
                "make them the same number."
            )
        players: list[tuple[Player, int]] = []
        memories = [None] * len(self.parts) if memory is None else unpack(memory, len(self.parts))
        try:
            for (subject, count), own in zip(self.parts, memories, strict=True):
                players.append((seat(subject, count, own), count))
                join(players[-1][0], seats)
        except BaseException:
            for player, _ in players:
                player.close()
            raise
        return Table(players, [subject.name for subject, _ in self.parts])

    def retelling(self, seats: int) -> Retold | None:
        """Who tells once more what those parts are told that are told things in words; None where none is."""
        tellers = [(retelling(subject, count), count) for subject, count in self.parts]
        return Retold(tellers) if any(teller is not None for teller, _ in tellers) else None

    def rehearsing(self, seats: int, meter: Meter) -> Table | None:
        """Who plays in the place of those parts that are paid, and counts what it would take; None where none is.

        The others are not started for that: nobody sits in their seats.
        """
        players = [(rehearsing(subject, count, meter), count) for subject, count in self.parts]
        if all(player is None for player, _ in players):
            return None
        for player, _ in players:
            join(player, seats)
        return Table([(player or Absent("a rehearsal"), count) for player, count in players])


class Retold:
    """Several who tell once more, each with its own stretch of seats."""

    def __init__(self, tellers: Sequence[tuple[Retelling | None, int]]) -> None:
        self._seats = [(teller, seat) for teller, count in tellers for seat in range(count)]

    def told(self, ask: Ask) -> tuple[str, str] | None:
        """What the part of this seat was told."""
        teller, seat = self._seats[ask.seat]
        return None if teller is None else teller.told(ask._replace(seat=seat))

    def requests(self, ask: Ask, answer: Answer) -> list[list[dict[str, Any]]]:
        """What the part of this seat was sent."""
        teller, seat = self._seats[ask.seat]
        return [] if teller is None else teller.requests(ask._replace(seat=seat), answer)

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Remind it."""
        teller, seat = self._seats[ask.seat]
        if teller is not None:
            teller.recall(ask._replace(seat=seat), answer)


def join(player: Any, seats: int) -> None:
    """Let a player know that it is one of several at a table of so many seats, if it wants to."""
    told: Callable[[int], None] | None = getattr(player, "join", None)
    if told is not None:
        told(seats)


def seat_names(subject: Subject, seats: int) -> tuple[str, ...]:
    """Who sits in each seat of a subject, by name."""
    if isinstance(subject, Mixed):
        return tuple(name for part, count in subject.parts for name in seat_names(part, count))
    seated: Callable[[int], Sequence[Any]] | None = getattr(subject, "seated", None)
    if seated is None:
        return (subject.name,) * seats
    return tuple(str(member.name) for member in seated(seats))


def members_of(names: Sequence[str]) -> tuple[str, ...]:
    """The different members of a mixed collective; none of a uniform one, where the score says it all."""
    different = tuple(dict.fromkeys(names))
    return different if len(different) > 1 else ()


def reward_of(name: str) -> str:
    """The measure under which a member's mean reward is kept."""
    return f"reward of {name}"


class Table:
    """Several players at one table, each with its own stretch of seats, numbered from 0 for each."""

    def __init__(self, players: Sequence[tuple[Player, int]], names: Sequence[str] = ()) -> None:
        self.players = [player for player, _ in players]
        self.names = tuple(names) if len(set(names)) > 1 else ()
        """Who they are, where they are not all the same."""
        self.owner: list[tuple[int, int]] = []
        speakers: set[int] = set()
        first = 0
        for number, (player, count) in enumerate(players):
            self.owner.extend((number, first) for _ in range(count))
            speakers.update(first + seat for seat in player.speakers)
            first += count
        self.speakers = frozenset(speakers)

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """Each player's asks to it together, the answers back in their order."""
        answers: list[Answer] = [Answer()] * len(asks)
        for number, player in enumerate(self.players):
            mine = [i for i, ask in enumerate(asks) if self.owner[ask.seat][0] == number]
            if mine:
                local = [
                    asks[i]._replace(seat=asks[i].seat - self.owner[asks[i].seat][1]) for i in mine
                ]
                for i, answer in zip(mine, player.answer(local), strict=True):
                    answers[i] = answer
        return answers

    def save(self) -> bytes | None:
        """What all players have learned."""
        return pack([saved(player) for player in self.players])

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        """A memory that they saved, each part of it damaged."""
        parts = [
            None if part is None else damaged(player, part, damage)
            for player, part in zip(self.players, unpack(memory, len(self.players)), strict=True)
        ]
        return pack(parts) or b""

    def renew(self) -> None:
        """Everybody sits down anew."""
        for player in self.players:
            renew(player)

    def cpu_seconds(self) -> float:
        """That of all players together."""
        return sum(cpu_seconds(player) for player in self.players)

    def measures(self) -> Mapping[str, float]:
        """What the players tell of their own; what several tell is added up.

        Of those who are asked over a network it is told by member, too.
        """
        total: dict[str, float] = {}

        def add(name: str, value: float) -> None:
            total[name] = total.get(name, 0.0) + value

        for number, player in enumerate(self.players):
            told = told_measures(player)
            for name, value in told.items():
                add(name, value)
                if self.names and REQUESTS in told:
                    add(of_member(name, self.names[number]), value)
        return total

    def printed(self) -> str:
        """What all players printed."""
        return joined([printed_by(player) for player in self.players])

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Remind the player whose answer it was."""
        number, first = self.owner[ask.seat]
        recall(self.players[number], ask._replace(seat=ask.seat - first), answer)

    def close(self) -> None:
        """Everybody leaves."""
        for player in self.players:
            player.close()
