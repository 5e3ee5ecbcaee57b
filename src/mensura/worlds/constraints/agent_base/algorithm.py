"""The base of algorithms: handlers by kind of letter, and an ``act`` that reads all letters and writes the answers.

::

    class Follow(Algorithm):
        "Takes the value of whoever wrote last."

        def start(self):
            self.send_all(self.neighbors, "value", self.value)

        @on("value")
        def follow(self, sender, words):
            self.value = int(words[0])

An agent is told what it may know at its first turn (:class:`Knowledge`); all else comes by letters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, TypeVar

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, choice, draw, unit
from mensura.agent.spaces import Record
from mensura.agent.task import Task
from mensura.worlds.constraints.agent_base.knowledge import Group, Knowledge, Numbers
from mensura.worlds.constraints.agent_base.letters import CLAIM, REPORTS

Handler = TypeVar("Handler", bound=Callable[..., None])
Values = dict[int, int]
"""The values of agents, by agent: an assignment, a view, or the conditions of a nogood."""


OPEN = "open"
"""What an observation has where somebody else speaks for the seat: the values that it may pick."""
MOST_ROWS = 200
"""So many rows of what an agent keeps are shown."""
NONSENSE = (ArithmeticError, IndexError, KeyError, ValueError)
"""What comes of words that are no numbers, of values that nobody has and of agents that nobody knows."""


@dataclass(frozen=True)
class Table:
    """A part of what an agent knows and keeps, as a table."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def on(kind: str) -> Callable[[Handler], Handler]:
    """Mark a method ``(self, sender, words)`` as the one that reads letters of a kind."""

    def marked(method: Handler) -> Handler:
        method.reads_kind = kind  # type: ignore[attr-defined]
        return method

    return marked


class Algorithm:
    """One agent of an algorithm. A subclass has handlers, and maybe ``start`` and ``finish_turn``."""

    satisfaction_only: ClassVar[bool] = False
    """Whether it takes only problems in which tuples are allowed or forbidden."""
    forgiving: ClassVar[bool] = True
    """Whether it bears letters that make no sense, since neighbors may be anybody: it leaves them, and keeps its value
    where they leave it nothing to go by. Among themselves algorithms understand everything, and tests say no."""
    proxy: ClassVar[str] = ""
    """Who speaks for somebody among such agents who only picks values, as a proxy of the world; any: they listen to
    nobody; nothing: nobody can."""
    explains: bool = False
    """Whether it says why it does what it does; those who look into an episode want it to."""
    _handlers: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        """Collect the handlers by kind."""
        super().__init_subclass__(**options)
        cls._handlers = {
            method.reads_kind: name
            for base in reversed(cls.__mro__)
            for name, method in vars(base).items()
            if hasattr(method, "reads_kind")
        }

    @classmethod
    def reads(cls) -> tuple[str, ...]:
        """The kinds of letters that it reads."""
        return tuple(cls._handlers)

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Before an episode; what it may know comes with the first observation."""
        self.begin_with_key(task, int(rng.integers(1 << 63)))

    def begin_with_key(self, task: Task, key: Key) -> None:
        """Before an episode, with the key of its own draws: those are functions of it, the same in a kernel."""
        self.key = key
        if isinstance(task.action_space, Record):
            mail: Any = task.action_space.fields[1][1]
            self.prepare(mail.most, mail.space.longest)
        else:
            self.prepare()

    def prepare(self, most: int = 1 << 30, longest: int = 1 << 30) -> None:
        """Nothing was read or written; so many letters it may write at a turn, of so many characters."""
        self._most, self._longest = most, longest
        self._reading = {kind: getattr(self, name) for kind, name in self._handlers.items()}
        self._begun = False
        self._refusal: MensuraError | None = None
        self._mail: list[str] = []
        self.reasons: list[str] = []
        """Why it did what it did at its last turn, where it explains."""
        self.checks = self.obsolete = self.nogood_checks = 0
        """To be reported with the next letters: constraint checks, letters that came too late, checks of nogoods."""
        self.learned_nogoods = self.learned_costs = 0
        """To be reported too: what letters said of constraints of others, as nogoods and as numbers."""
        self.learned: set[int] = set()
        """Nogoods that letters said before."""

    def act(self, observation: Any, reward: float) -> Any:
        """Read all letters, then finish the turn; the value, and what was written meanwhile."""
        if self._refusal is not None:
            raise self._refusal
        if OPEN in observation:
            return self.pick(observation)
        if self.reasons:
            self.reasons = []
        if not self._begun:
            self._meet(observation)
        self.read_mail(observation["mail"])
        mail = self.written_mail()
        if len(mail) > self._most:
            raise MensuraError(
                f"Agent {self.seat} has {len(mail)} letters to write at one turn; the world allows {self._most}, and "
                "more where its parameter letters is set."
            )
        names, values = self.knows.names, self.knows.domain[self.value]
        return {"value": dict(zip(names, values, strict=True)), "mail": mail}

    def read_mail(self, mail: Iterable[str]) -> None:
        """Read all letters, then finish the turn."""
        reading = self._reading
        for line in mail:
            sender, kind, *words = line.split(" ")
            read = reading.get(kind)
            if read is not None:
                try:
                    read(int(sender), words)
                except NONSENSE:
                    if not self.forgiving:
                        raise
        try:
            self.finish_turn()
        except NONSENSE:
            if not self.forgiving:
                raise

    def written_mail(self) -> list[str]:
        """What was written since this was last asked, and reports."""
        mail, self._mail = self._mail, []
        for word, name in REPORTS.items():
            number = getattr(self, name)
            if number:
                mail.append(f"{word} {number}")
                setattr(self, name, 0)
        return mail

    def pick(self, observation: Any) -> int:
        """In a seat that somebody else speaks for: the cheapest value that is open, the first of these."""
        knows = Knowledge(observation["problem"])
        self.knows, self.size = knows, knows.size
        costs = self.costs({one["agent"]: one["value"] for one in observation["told"]})
        return min(map(int, observation[OPEN]), key=costs.__getitem__)

    def _meet(self, observation: Any) -> None:
        self._begun = True
        try:
            knows = Knowledge(observation["problem"])
            if self.satisfaction_only and not knows.satisfaction:
                raise MensuraError(refused(type(self).__name__))
        except MensuraError as error:
            self._refusal = error
            raise
        self.sit_down(knows, tuple(observation["value"][name] for name in knows.names))

    def sit_down(self, knows: Knowledge, now: tuple[int, ...]) -> None:
        """Begin, with what it may know and its first values."""
        self.knows = knows
        self.seat, self.neighbors, self.size = knows.seat, knows.neighbors, knows.size
        self.value = knows.domain.index(now)
        self.view: Values = {}
        """The values of others, as far as they are known."""
        self.start()

    # What an algorithm has of its own

    def start(self) -> None:
        """Before the first letter."""

    def finish_turn(self) -> None:
        """After all letters of a turn."""

    def inside(self) -> list[Table]:
        """What it knows and keeps, for those who look into an episode."""
        return [values_table("values it knows", self.view)] if self.view else []

    # What algorithms use

    def because(self, reason: str, *values: object) -> None:
        """Say why it does what it does, where somebody wants to know; values of agents and numbers are put in words."""
        if self.explains:
            self.reasons.append(reason.format(*map(_said, values)))

    def send(self, to: int, kind: str, *words: object) -> None:
        """Write a letter."""
        line = " ".join([str(to), kind, *filter(None, map(str, words))])
        if len(line) > self._longest:
            raise MensuraError(
                f"Agent {self.seat} has a letter of {len(line):,} characters to write; the world allows "
                f"{self._longest:,}, and more where its parameter longest is set."
            )
        self._mail.append(line)

    def send_all(self, others: Iterable[int], kind: str, *words: object) -> None:
        """Write the same letter to several."""
        rest = " ".join([kind, *map(str, words)])
        self._mail += [f"{one} {rest}" for one in others]

    def chance(self, turn: int, slot: int = 0) -> float:
        """A number from 0 to below 1, drawn anew for each turn and slot."""
        return unit(draw(self.key, turn, slot))

    def one_of(self, count: int, turn: int, slot: int = 0) -> int:
        """One of so many, drawn anew for each turn and slot."""
        return choice(self.key, turn, slot, count)

    def claim(self) -> None:
        """Claim that there is no solution."""
        self._mail.append(CLAIM)

    def count_nogood(self, nogood: Values) -> None:
        """A letter says that these values, the own among them, cannot all be.

        That is news of others' constraints if it was not said before and no own constraint forbids them.
        """
        name = hash(frozenset(nogood.items()))
        if name not in self.learned:
            self.learned.add(name)
            self.learned_nogoods += not self._forbids(nogood)

    def _forbids(self, values: Values) -> bool:
        knows, own = self.knows, values[self.seat]
        try:
            return knows.own[own] == math.inf or any(
                own in group.forbidden(told)
                for group in knows.groups
                if group.others[0] in values and (told := group.told_by(values)) is not None
            )
        except NONSENSE:
            return False

    def look_up(self, group: Group, values: Values) -> Numbers:
        """What each own value costs by a group of constraints, all of whose others have a value."""
        self.checks += group.checks * self.size
        return group.costs(tuple([values[one] for one in group.others]))

    def look_up_forbidden(self, group: Group, values: Values) -> list[int]:
        """The own values that a group of constraints forbids, all of whose others have a value."""
        self.checks += group.checks * self.size
        return group.forbidden(tuple([values[one] for one in group.others]))

    def costs(self, values: Values) -> Numbers:
        """What each own value costs where others have these; forbidden: what the problem counts for that.

        Constraints with somebody whose value is not known cost nothing.
        """
        knows = self.knows
        infinity = knows.infinity
        total = [infinity if one == math.inf else one for one in knows.own]
        for group in knows.groups:
            told = group.told_by(values)
            if told is None:
                continue
            self.checks += group.checks * self.size
            for at, cost in enumerate(group.costs(told)):
                if cost:
                    total[at] += infinity if cost == math.inf else cost
        return total


def refused(name: str, what: str = "this one") -> str:
    """What is said where an algorithm takes no costs and ``what`` has some."""
    return (
        f"{name} solves problems whose tuples are allowed or forbidden; {what} has costs, for which dpop, adopt or "
        "sync-bb would do."
    )


def values_table(name: str, values: Values) -> Table:
    """Values of agents, for those who look into an episode."""
    return Table(name, ("agent", "value"), tuple(list(values.items())[:MOST_ROWS]))


def nogoods_table(name: str, nogoods: Iterable[tuple[int, Values]]) -> Table:
    """Conditions under which values cannot be, for those who look into an episode."""
    rows = [(value, in_words(why) or "always") for value, why in islice(nogoods, MOST_ROWS)]
    return Table(name, ("value", "cannot be while"), tuple(rows))


def _said(value: object) -> object:
    if isinstance(value, dict):
        return f"while {in_words(value)}" if value else "whatever others have"
    return text_of(value) if isinstance(value, float) else value


def in_words(values: Values) -> str:
    """Values of agents in words: "agent 1 has 4, agent 2 has 0"."""
    return ", ".join(f"agent {agent} has {value}" for agent, value in values.items())


def written(values: Values) -> str:
    """Values as words of a letter: "#1=4 #2=0"."""
    return " ".join([f"#{agent}={value}" for agent, value in values.items()])


def read(words: Sequence[str]) -> Values:
    """Values from words of a letter."""
    found = {}
    for word in words:
        agent, _, value = word.partition("=")
        found[int(agent[1:])] = int(value)
    return found


def text_of(number: float) -> str:
    """A number, exactly, as short as it can be."""
    return str(int(number)) if number == number // 1 and abs(number) < 1e15 else repr(number)
