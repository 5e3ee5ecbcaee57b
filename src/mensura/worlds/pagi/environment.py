"""One task of PAGI World behind the contract."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.agent.errors import MALFORMED, MensuraError
from mensura.agent.keys import Key
from mensura.agent.spaces import Box, Discrete, Record, Space, Text, to_plain
from mensura.agent.task import Clock, Seat
from mensura.core.contract import Ended, Turn
from mensura.core.row_environment import NO_STATE
from mensura.worlds.kit.description import BaseDescription
from mensura.worlds.pagi import frames
from mensura.worlds.pagi.agenda import MOST_THOUGHT, Agenda, numbers
from mensura.worlds.pagi.contract import STEP, STEPS
from mensura.worlds.pagi.judging import Judge
from mensura.worlds.pagi.moves import PARTS, act, moves, speak, vector_of
from mensura.worlds.pagi.observations import Observer, observation_space
from mensura.worlds.pagi.protocol.controls import SeatControls, states_of
from mensura.worlds.pagi.room import PagiRoom
from mensura.worlds.pagi.setup import Setup
from mensura.worlds.pagi.setup_reading import from_canonical

if TYPE_CHECKING:
    from mensura.pictures.picture import Picture

LONGEST_TEXT = 20_000
"""Characters of the commands of one interaction."""
LONGEST_ANSWER = 1_000_000
KEYFRAME = 50 * STEPS
"""After so many physics steps the room is rebuilt from its numbers."""
LARGEST_STATE = 20_000_000
"""Bytes of a snapshot."""


class PagiEnvironment:
    """A body in a physical world.

    Description:
        Bodies with two hands each are in a room with objects, under gravity (Atreya et al.: PAGI World, sections 2 to
        4). An interaction is 0.1 s, which are 5 steps of the physics.

    Observation:
        A record of numbers: ``touch`` (18 sensors by 7 readings: touches, temperature, texture x 4, endorphins),
        ``vision`` (21 x 31 points by red, green, blue, roughness, rows from the bottom) and ``periphery`` (11 x 16),
        with the right ``names`` also the kind at each point, ``velocity``, ``place``, ``left_hand`` and ``right_hand``
        (2 each), ``rotation``, ``holding`` (2), ``endorphins`` felt since the last action, ``time``; ``states``
        (those that the task names, in the order of their names), where there are any; where words can be said ``asked``
        and ``heard`` (seats by words). By commands: a text, the answers and notifications.

    Actions:
        ``forces``: a box of 10 numbers from -1 to 1 (body, left hand and right hand by x and y, turn, jump, grips:
        above 0 grip, below 0 release), and one for each word, said above 0.5. ``discrete``: the same as named moves.
        ``commands``: the text of the protocol. The default is to do nothing.

    Rewards:
        1 in each interaction from the one on in which the task is solved, -1 from the one on in which it has failed,
        before that what the task says. Or, by ``rewards``, the endorphins of the interaction / 100, within [-1, 1].

    End:
        Truncated after ``horizon`` interactions; with ``ends`` terminated as soon as it is solved or has failed.
    """

    def __init__(self, description: BaseDescription, rights: Sequence[frozenset[str]]) -> None:
        self.description = description
        d = description
        self.setup: Setup = setup_of(description)
        count = len(self.setup.bodies)
        self.seats = tuple(Seat(seat, "subject", rights[seat]) for seat in range(count))
        self._everybody = tuple(range(count))
        self._by_commands = d.actions == "commands"
        self._has_reflexes = self._by_commands or bool(self.setup.reflexes)
        self._words: tuple[str, ...] = self.setup.words
        self._states = states_of(self.setup.reflexes)
        self._spaces = [self._space(seat) for seat in self._everybody]
        self._observers = [
            Observer(seen, self._words) for seen, _ in self._spaces if isinstance(seen, Record)
        ]
        self._horizon: int = self.setup.horizon if d.horizon is None else d.horizon
        self._last_step = self._horizon * STEPS
        self._simulated = d.clock == "simulated"
        self._ends: bool = d.ends
        self._thought: float = d.thought
        self._discrete = d.actions == "discrete"
        self._judge = Judge(self.setup, d.rewards == "endorphins")
        self.room = PagiRoom(())
        self.controls: list[SeatControls] = []
        self._started = False
        self._key = 0
        self._frame: dict[str, Any] = {}
        self._since: list[list[list[Any]]] = []
        self.agenda = self._new_agenda()

    def _space(self, seat: int) -> tuple[Space, Space]:
        d, words = self.description, len(self._words)
        if self._by_commands:
            return Text(LONGEST_ANSWER), Text(LONGEST_TEXT)
        named = "names" in self.seats[seat].rights
        seen = observation_space(d.sees, named, len(self.seats), words, len(self._states))
        if d.actions == "discrete":
            return seen, Discrete(len(moves(self._words)))
        return seen, Box(-1.0, 1.0, (len(PARTS) + words,))

    # Time

    @property
    def horizon(self) -> int | None:
        """How many interactions an episode has, where that is fixed."""
        late = self._simulated and (self._thought < 0.0 or self._thought > STEP * STEPS)
        return None if self._ends or late else self._horizon

    @property
    def clock(self) -> Clock:
        """What time is: interactions, or the time that thoughts take."""
        return "simulated" if self._simulated else "interactions"

    def spaces(self, seat: int) -> tuple[Space, Space]:
        """The observation and action spaces of a seat."""
        return self._spaces[seat]

    def reset(self, key: Key) -> Turn:
        """Start an episode; the key draws what dispensers give."""
        self._key = int(key)
        self.agenda = self._new_agenda()
        self.room = self.setup.build(self._key, self.description.readings)
        self._furnish()
        self.controls = self._new_controls()
        for one in self.controls:
            one.begin_with(self.setup.reflexes, self.room)
        self._since = []
        self._started = True
        self._judge.look_after(self.room, self.agenda)
        # As every keyframe is gone on from, so is the first.
        self._frame = self._to_plain()
        self._rebuild(self._frame, own=True)
        return self._turn()

    def _furnish(self) -> None:
        self.room.minds_heat = self.setup.minds_heat

    def _new_agenda(self) -> Agenda:
        return Agenda(len(self.seats), len(self.setup.triggers))

    def _new_controls(self) -> list[SeatControls]:
        manner = self.description.readings
        return [SeatControls(one.index, one.rights, manner) for one in self.seats]

    def step(self, actions: Sequence[Any], seconds: Sequence[float] = ()) -> Turn:
        """Take the actions of the seats last due and run until another seat is due."""
        if self._ended is not None:
            raise MensuraError("The episode has not begun or is over; reset the environment first.")
        due = self._who_is_due()
        if len(actions) != len(due):
            raise MensuraError(f"{len(due)} seats are due, and {len(actions)} actions were given.")
        entries: list[list[Any]] = []
        for at, (seat, action) in enumerate(zip(due, actions, strict=True)):
            if not self._spaces[seat][1].contains(action):
                raise MensuraError(f"{action!r:.60} is no action of seat {seat}.")
            thought = 0
            if self._simulated:
                declared = self._thought
                took = declared if declared >= 0.0 else (seconds[at] if at < len(seconds) else 0.0)
                thought = round(min(max(float(took), 0.0), MOST_THOUGHT) / STEP)
            entries.append([seat, to_plain(action), thought])
        self._advance(entries)
        self._since.append(entries)
        if self.room.steps - self._frame["room"]["steps"] >= KEYFRAME and self._ended is None:
            self._frame = self._to_plain()
            self._rebuild(self._frame, own=True)
            self._since = []
        return self._turn()

    def _advance(self, entries: Sequence[Sequence[Any]]) -> None:
        """Put actions on the agenda, and run until somebody is due or the episode is over."""
        room = self.room
        for seat, action, thought in entries:
            if (
                self.agenda.effect[seat] >= 0
            ):  # whoever decides anew begins with what it decided before
                self._begin(seat)
            self.agenda.action[seat] = action if self._by_commands else self._forces(action)
            self.agenda.effect[seat] = room.steps + thought
            self.agenda.due[seat] = room.steps + max(STEPS, thought)
            self.agenda.owed[seat] = 0.0
            self.agenda.acted[seat] += 1
            self.agenda.before[seat] = room.seats[seat].endorphins
            self.agenda.heard[seat] = []
            self.agenda.texts[seat] = ""
        until = min(min(self.agenda.due), self._last_step)
        while room.steps < until:
            self._act()
            room.step()
            if room.steps % STEPS == 0:
                self._judge.look_after(self.room, self.agenda)
        if self._has_reflexes:
            for seat in self._who_is_due():
                told = self.controls[seat].answers(room)[:LONGEST_ANSWER]
                self.agenda.texts[seat] = told if self._by_commands else ""

    def _forces(self, action: Any) -> list[float]:
        if self._discrete:
            return list(vector_of(int(action), self._words))
        return [float(one) for one in action]

    def _begin(self, seat: int) -> None:
        """Let a seat begin with what it has decided."""
        self.agenda.current[seat], self.agenda.action[seat] = self.agenda.action[seat], None
        self.agenda.left[seat], self.agenda.effect[seat], self.agenda.fresh[seat] = STEPS, -1, True

    def _act(self) -> None:
        """Let all seats act before a physics step."""
        room = self.room
        for seat in self._everybody:
            if self.agenda.effect[seat] == room.steps:
                self._begin(seat)
            begins, self.agenda.fresh[seat] = self.agenda.fresh[seat], False
            if self._by_commands:
                if begins:
                    self.controls[seat].take(self.agenda.current[seat], room)
            elif self.agenda.left[seat] > 0:
                if begins:
                    speak(room, seat, self.agenda.current[seat], self._words)
                act(room, seat, self.agenda.current[seat], begins)
                self.agenda.left[seat] -= 1
            if self._has_reflexes:
                self.controls[seat].act(room)

    # Whether it is over, and who is due

    @property
    def over(self) -> bool:
        """Whether the task is solved or has failed."""
        return self.agenda.solved_at >= 0 or self.agenda.failed_at >= 0

    @property
    def _ended(self) -> Ended | None:
        if not self._started:
            return "truncated"
        if self._ends and self.over:
            return "terminated"
        return "truncated" if self.room.steps >= self._last_step else None

    def _who_is_due(self) -> tuple[int, ...]:
        if self._ended is not None:
            return self._everybody
        now = self.room.steps
        return tuple(seat for seat in self._everybody if self.agenda.due[seat] <= now)

    def _turn(self) -> Turn:
        due = self._who_is_due()
        # The least of several rewards of one long thought is as bounded as one.
        rewards = [min(max(self.agenda.owed[seat], -1.0), 1.0) for seat in due]
        return Turn(due, [self._observed(seat) for seat in due], rewards, self._ended)

    def _observed(self, seat: int) -> Any:
        if self._by_commands:
            return self.agenda.texts[seat]
        room = self.room
        felt = room.seats[seat].endorphins - self.agenda.before[seat]
        controls = self.controls[seat]
        states = [controls.is_in(one, room) for one in self._states]
        return self._observers[seat].observe(room, seat, felt, self.agenda.heard[seat], states)

    def answers(self, seat: int) -> str:
        """The last answers and notifications of a seat that acts by commands."""
        return self.agenda.texts[seat]

    def heard(self, seat: int) -> list[tuple[int, str]]:
        """Who said what since the seat acted last; -1 is nobody of the seats."""
        return [(int(who), str(text)) for who, text in self.agenda.heard[seat]]

    def decided(self) -> bool:
        """Whether the task is solved or has failed, so that all rewards until the end are the same."""
        measured = self._simulated and self._thought < 0.0
        return not self._judge.by_endorphins and not measured and self.over

    # The rest of the contract

    def legal(self, seat: int, action: Any) -> bool:
        """Whether the action is one of the action space."""
        return self._spaces[seat][1].contains(action)

    def default(self, seat: int) -> Any:
        """To do nothing."""
        if self._by_commands:
            return ""
        return 0 if self._discrete else np.zeros(len(PARTS) + len(self._words))

    def instructions(self, seat: int) -> str:
        """What a seat is told before it begins; with the right ``knows_task`` all of the task."""
        if "knows_task" in self.seats[seat].rights:
            return self.setup.canonical
        return self.setup.instructions

    def measures(self) -> dict[str, float]:
        """What an episode tells of itself beside its rewards."""
        solved = self.agenda.solved_at >= 0
        return {
            "solved": float(solved),
            "time": (self.agenda.solved_at if solved else self.room.steps) * STEP,
            "endorphins": sum(one.endorphins for one in self.room.seats),
        }

    def picture(self, seat: int | None = None) -> Picture:
        """The room, or what a seat senses."""
        from mensura.worlds.pagi.picture import moment, sensed

        return moment(self) if seat is None else sensed(self, seat)

    # Snapshots

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are rebuilt: a space of the engine is no data."""
        rights = tuple(one.rights for one in self.seats)
        return _continued, (self.description, rights, self.snapshot() if self._started else b"")

    def _to_plain(self) -> dict[str, Any]:
        return {
            "room": frames.to_plain(self.room),
            "controls": [dict(one.as_plain()) for one in self.controls]
            if self._has_reflexes
            else [],
            **self.agenda.to_plain(),
        }

    def snapshot(self) -> bytes:
        """The last keyframe and the actions since, as JSON."""
        if not self._started:
            raise MensuraError("There is no episode to write down; reset the environment first.")
        return json.dumps({"key": self._key, "frame": self._frame, "since": self._since}).encode()

    def restore(self, state: bytes) -> Turn:
        """Go back to a snapshot of an environment with the same description."""
        self._started = False
        try:
            if len(state) > LARGEST_STATE:
                raise MensuraError("it is too large")
            told = json.loads(state)
            key, frame, since = told["key"], told["frame"], told["since"]
            if (
                type(key) is not int
                or not 0 <= key < 1 << 64
                or set(told) != {"key", "frame", "since"}
            ):
                raise MensuraError("its key is none")
            self._key = key
            self._rebuild(frame)
            self._frame, self._since = frame, []
            self._started = True
            for entries in since:
                self._check_entries(entries)
                self._advance(entries)
                self._since.append(entries)
            if self.room.steps - frame["room"]["steps"] > KEYFRAME + MOST_THOUGHT / STEP:
                raise MensuraError("it goes on for too long")
            turn = self._turn()
            seen = zip(turn.due, turn.observations, strict=True)
            if not all(self._spaces[seat][0].contains(one) for seat, one in seen):
                raise MensuraError("what is observed in it cannot be")
        except (*MALFORMED, MensuraError, AssertionError) as error:
            self._started = False
            raise MensuraError(f"{NO_STATE} ({str(error)[:100]})") from error
        return turn

    def _rebuild(self, frame: dict[str, Any], own: bool = False) -> None:
        """Go on with a room that is made of a keyframe."""
        setup, count = self.setup, len(self.seats)
        room = frames.from_plain(
            frame["room"],
            preset=self.description.readings,
            gravity=setup.gravity,
            forces=setup.forces,
            key=self._key,
            own=own,
        )
        if len(room.seats) != count or room.steps > self._last_step:
            raise MensuraError("it has other bodies, or is later than the end")
        controls = self.controls if own else self._new_controls()
        if self._has_reflexes and not own:
            for one, plain in zip(controls, frame["controls"], strict=True):
                one.restore(plain)
        agenda = self._new_agenda()
        agenda.read(frame, room.steps, self._last_step)
        for seat in self._everybody:
            begun = agenda.left[seat] > 0 or agenda.fresh[seat]
            self._check_action(seat, agenda.action[seat], agenda.effect[seat] >= 0)
            self._check_action(seat, agenda.current[seat], begun)
        self.room, self.controls, self.agenda = room, controls, agenda
        self._furnish()

    def _check_action(self, seat: int, action: Any, needed: bool) -> None:
        """Raise where this is nothing that a seat could have decided."""
        if action is None:
            if needed:
                raise MensuraError("an action is missing")
        elif self._by_commands:
            if not self._spaces[seat][1].contains(action):
                raise MensuraError("an action is none")
        elif any(abs(one) > 1.0 for one in numbers(action, len(PARTS) + len(self._words))):
            raise MensuraError("an action is none")

    def _check_entries(self, entries: Any) -> None:
        """Raise where these are no actions of the seats that are due."""
        if self._ended is not None:
            raise MensuraError("it goes on after its end")
        if tuple(one[0] for one in entries) != self._who_is_due():
            raise MensuraError("others are due")
        for seat, action, thought in entries:
            if type(thought) is not int or not 0 <= thought <= MOST_THOUGHT / STEP:
                raise MensuraError("a thought is none")
            if not self._spaces[seat][1].contains(action):
                raise MensuraError("an action is none")


def setup_of(description: BaseDescription) -> Setup:
    """The task of a description."""
    return from_canonical(
        json.dumps(to_plain(description.setup), sort_keys=True, separators=(",", ":"))
    )


def _continued(
    description: BaseDescription, rights: tuple[frozenset[str], ...], state: bytes
) -> PagiEnvironment:
    environment = PagiEnvironment(description, rights)
    if state:
        environment.restore(state)
    return environment
