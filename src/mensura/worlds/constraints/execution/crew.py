"""The agents of one host: whose turn it is, what they read, and what they write to agents here and elsewhere.

Nothing here knows how letters travel, so processes, hosts and actors play the same agents by the same code.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.agent_base.letters import CLAIM, REPORTS
from mensura.worlds.constraints.algorithms.table import MINDS
from mensura.worlds.constraints.execution.clocks import Clock, Entries
from mensura.worlds.constraints.mail import NAMED, letter, report

MOST_LETTERS = 1 << 20
"""Letters that an agent may write at a turn."""
LONGEST_LETTER = 1 << 24
"""Characters of a letter at most."""


class Letter(NamedTuple):
    """A letter on its way."""

    sender: int
    to: int
    text: str
    """What it says, from its kind on."""
    clock: Entries
    """Of its sender; nothing where no log is kept."""
    counter: int
    """Non-concurrent constraint checks of its sender."""


class Seat(NamedTuple):
    """What one agent is given."""

    seat: int
    key: int
    """Of its own draws."""
    problem: str
    """What it may know, as the environment tells it."""
    value: dict[str, int]
    """The values that it begins with."""
    book: list[int]
    """Those to whom it may write from the beginning."""


class Event(NamedTuple):
    """A turn of an agent, as logs keep it."""

    agent: int
    turn: int
    """Of this agent, from 1 on."""
    clock: dict[int, int]
    """How many turns of each agent it knows of."""
    read: list[str]
    wrote: list[str]
    value: dict[str, int]
    counter: int
    """Its non-concurrent constraint checks after this turn."""


class Crew:
    """Agents who act one after another, each when it has letters."""

    def __init__(
        self,
        algorithm: str,
        parameters: Mapping[str, Any],
        seats: Iterable[Seat],
        *,
        turns: int,
        logs: bool,
    ) -> None:
        """``turns``: so many each agent has at most; ``logs``: whether they are kept."""
        self.seats = {one.seat: one for one in seats}
        self.values = {one.seat: dict(one.value) for one in self.seats.values()}
        self.turns = dict.fromkeys(self.seats, 0)
        self.log: list[Event] = []
        self.claimed_by: int | None = None
        self.counts = dict.fromkeys(
            ("messages", "numbers", *REPORTS.values(), "undelivered", "unread"), 0
        )
        self.counters = dict.fromkeys(self.seats, 0)
        """Of non-concurrent constraint checks, by agent."""
        self._limit, self._logs = turns, logs
        self._agents = {
            seat: _agent(algorithm, parameters, one) for seat, one in self.seats.items()
        }
        self._boxes: dict[int, list[Letter]] = {one: [] for one in self.seats}
        self._known = {one.seat: {*one.book} for one in self.seats.values()}
        self._clocks = {one: Clock(one) for one in self.seats}
        self._due = deque(self.seats)

    @property
    def idle(self) -> bool:
        """Whether nobody has anything to read."""
        return not self._due

    @property
    def limited(self) -> bool:
        """Whether somebody left letters unread, since it had no turn left."""
        return self.counts["unread"] > 0

    def deliver(self, one: Letter) -> None:
        """Put a letter into the box of an agent of this host."""
        known = self._known[one.to]
        known.add(one.sender)
        if "#" in one.text:
            known.update(map(int, NAMED.findall(one.text)))
        known.discard(one.to)
        if self.turns[one.to] >= self._limit:
            self.counts["unread"] += 1
            return
        box = self._boxes[one.to]
        if not box and self.turns[one.to]:
            self._due.append(one.to)
        box.append(one)

    def give_up(self, one: Letter) -> None:
        """A letter was to an agent that does not exist."""
        self.counts["messages"] -= 1
        self.counts["undelivered"] += 1

    def turn(self) -> list[Letter]:
        """Let the next agent act; what it writes to agents of other hosts."""
        seat = self._due.popleft()
        letters, self._boxes[seat] = self._boxes[seat], []
        self.counters[seat] = max(self.counters[seat], *(one.counter for one in letters), 0)
        told = self.seats[seat].problem if not self.turns[seat] else ""
        self.turns[seat] += 1
        if self._logs:
            self._clocks[seat].begin_turn([one.clock for one in letters])
        mail = [f"{one.sender} {one.text}" for one in letters]
        seen = {"problem": told, "value": self.values[seat], "mail": mail}
        try:
            action = self._agents[seat].act(seen, 0.0)
        except MensuraError:
            raise
        except Exception as error:
            raise MensuraError(f"Agent {seat} failed: {type(error).__name__}: {error}.") from error
        self.values[seat] = action["value"]
        wrote = list(action["mail"])
        self._note(seat, wrote)
        if self._logs:
            clock = dict(self._clocks[seat].turns)
            counter = self.counters[seat]
            self.log.append(
                Event(seat, self.turns[seat], clock, mail, wrote, action["value"], counter)
            )
        return self._posted(seat, wrote)

    def _posted(self, seat: int, lines: list[str]) -> list[Letter]:
        """Deliver letters to agents of this host, and give back the others."""
        counts, leaving = self.counts, []
        for line in lines:
            found = letter(line)
            if found is None:
                counts["undelivered"] += line[:1].isdigit()
                continue
            to, kind, text = found
            if to not in self._known[seat]:
                counts["undelivered"] += 1
                continue
            counts["messages"] += 1
            if len(text) > len(kind) + 1:
                counts["numbers"] += text.count(" ")
            entries = self._clocks[seat].entries_for(to) if self._logs else []
            one = Letter(seat, to, text, entries, self.counters[seat])
            if to in self.seats:
                self.deliver(one)
            else:
                leaving.append(one)
        return leaving

    def _note(self, seat: int, lines: list[str]) -> None:
        """Take reports and claims, before letters, which carry the counter of checks."""
        for line in lines:
            if line[:1].isdigit():
                continue
            told = report(line)
            if told is not None:
                word, number = told
                self.counts[REPORTS[word]] += number
                if word == "checks":
                    self.counters[seat] += number
            elif line == CLAIM:
                self.claimed_by = seat
            else:
                self.counts["undelivered"] += 1


def _agent(algorithm: str, parameters: Mapping[str, Any], seat: Seat) -> Any:
    agent = MINDS[algorithm].make(**parameters)
    agent.key = seat.key
    agent.prepare(MOST_LETTERS, LONGEST_LETTER)
    return agent
