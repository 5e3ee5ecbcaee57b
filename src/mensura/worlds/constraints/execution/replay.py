"""Logs of real runs, played again by the simulator: agents who are shown the same write the same.

The environment is that of the world; only whose turn it is and which letters have arrived is as the log says. So
whatever watches episodes can watch a real run: :class:`..trace.Trace`, and pages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.core.loop import play
from mensura.core.players import Player, drive
from mensura.worlds.constraints.episode_page import EpisodePage
from mensura.worlds.constraints.execution.crew import Event
from mensura.worlds.constraints.execution.logs import Log, merged, replayable
from mensura.worlds.constraints.execution.runs import Plan, world_of_runs
from mensura.worlds.constraints.mail import Post, letter
from mensura.worlds.constraints.orders import ORDERS
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.solving import Strict, environment_for
from mensura.worlds.constraints.world import Constraints
from mensura.worlds.kit import Ended, State

ENDS = {
    "quiet": "all letters are read",
    "claim": "somebody claims that there is no solution",
    "limit": "an agent had no turn left",
    "time": "the time of the run was over",
    "lost": "a host was lost",
}
"""How runs end, in words."""


class Checked(NamedTuple):
    """A log that is right."""

    turns: int
    """How many were played again."""
    left_out: int
    """How many could not be, since they follow from turns that are not in the log."""
    trace: EpisodePage
    assignment: tuple[int, ...]
    """After the last turn."""
    nccc: int
    """Non-concurrent constraint checks up to then."""


class Recorded(Constraints):
    """The world of a log: agents act in its order, and find in their boxes what they read then."""

    id = "constraints-v1"
    events: Sequence[Event] = ()

    @property
    def _post(self) -> Post:
        return Post("none", 1, 0.0)  # letters are in the box once they are written

    def due(self, state: State) -> Sequence[int]:
        """The agent of the next turn of the log, with the letters that it read first in its box."""
        one = self.events[state.interaction]
        box = state.boxes[one.agent]
        for at, line in enumerate(one.read):
            found = _oldest(box, at, line)
            if found is None:
                raise MensuraError(
                    f"At turn {one.turn} agent {one.agent} read {line!r:.200}, which nobody had written to it by then "
                    "or which was not the next letter of its sender."
                )
            for each in (box, state.stamps[one.agent]):
                each.insert(at, each.pop(found))
        return [one.agent]

    def _shown(self, state: State, seat: int) -> int:
        if state.interaction >= len(self.events):
            return 0
        one = self.events[state.interaction]
        return len(one.read) if one.agent == seat else 0

    def ended(self, state: State) -> Ended | None:
        """After the last turn of the log."""
        return "terminated" if state.interaction == len(self.events) else None


def _oldest(box: list[str], first: int, line: str) -> int | None:
    """Where the oldest unread letter of the sender of a line is, if that is the line."""
    sender = line.partition(" ")[0]
    for at in range(first, len(box)):
        if box[at].partition(" ")[0] == sender:
            return at if box[at] == line else None
    return None


class _Compared:
    """A player whose every action has to be that of the log."""

    def __init__(self, player: Player, events: Sequence[Event]) -> None:
        self._player, self._events, self._at = player, events, 0
        self.speakers: frozenset[int] = frozenset()

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """The answers of the agents, compared."""
        answers = self._player.answer(asks)
        for ask, one in zip(asks, answers, strict=True):
            if ask.kind != "act":
                continue
            event = self._events[self._at]
            self._at += 1
            for what, logged, now in (
                ("value", event.value, one.value["value"]),
                ("mail", event.wrote, one.value["mail"]),
            ):
                if logged != now:
                    raise MensuraError(
                        f"At turn {event.turn} of agent {event.agent} the {what} of the log is {logged!r:.200}, and "
                        f"that of the agent when it is shown the same is {now!r:.200}."
                    )
        return answers

    def close(self) -> None:
        self._player.close()


class _Counted:
    """An observer of the loop to whom every counter of checks has to be that of the log."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = iter(events)

    def started(self, environment: Any, turn: Any) -> None:
        """Nothing was counted yet."""

    def stepped(self, environment: Any, actions: Any, turn: Any) -> None:
        """An agent has acted."""
        event = next(self._events)
        counter = environment.state.nccc[event.agent]
        if counter != event.counter:
            raise MensuraError(
                f"After turn {event.turn} agent {event.agent} has {event.counter:,} non-concurrent constraint checks "
                f"in the log; by what it read and reported it has {counter:,.0f}."
            )


def check_log(problem: Problem, log: Log) -> Checked:
    """Play a log again; MensuraError, in a sentence, where it is not right."""
    head = log.head
    if head.digest != problem.digest or head.agents != len(problem.agents):
        raise MensuraError("The log is one of another problem.")
    if head.order not in ORDERS:
        raise MensuraError(f"The log has the order {head.order!r}, which does not exist.")
    if any(one.agent >= head.agents for one in log.events):
        raise MensuraError(f"The log has turns of agents beyond its {head.agents}.")
    events, left_out = replayable(merged(log.events))
    check_clocks(events)
    plan = Plan(problem, head.algorithm, head.parameters, head.seed, head.order)
    world = world_of_runs(head.order, len(events) + 1, Recorded)
    object.__setattr__(world, "events", events)
    environment: Any = environment_for(problem, world)
    trace = EpisodePage(world.group([(plan.algorithm, plan.given, 1)]))
    if not events:
        raise MensuraError("The log has no turn that could be played again.")
    player = Strict(_Compared(trace.subject.sit(len(problem.agents)), events), plan.algorithm)
    drive(
        play(
            environment,
            plan.episode_key,
            world=world.id,
            seed=plan.subject_key,
            observers=[trace, _Counted(events)],
        ),
        player,
    )
    state = environment.state
    if not left_out:
        _check_end(head.ended, state)
    trace.ended = ENDS.get(head.ended, "the log says no more")
    return Checked(len(events), left_out, trace, tuple(state.values), int(max(state.nccc)))


def _check_end(ended: str, state: State) -> None:
    if ended == "claim" and not state.claimed:
        raise MensuraError("The log ends with a claim that there is no solution; nobody made one.")
    if ended == "quiet" and any(state.boxes):
        raise MensuraError("The log ends when all letters are read; some are not.")


def check_clocks(events: Sequence[Event]) -> None:
    """MensuraError where a clock of merged turns is not what its letters make it."""
    clocks: dict[int, dict[int, int]] = {}
    written: dict[tuple[int, int], deque[dict[int, int]]] = {}
    """The clocks with which letters between two agents were written and not yet read."""
    for one in events:
        wanted = dict(clocks.get(one.agent, {}))
        wanted[one.agent] = wanted.get(one.agent, 0) + 1
        for line in one.read:
            sender = line.partition(" ")[0]
            on_way = written.get((int(sender), one.agent)) if sender.isdecimal() else None
            if not on_way:
                raise MensuraError(
                    f"At turn {one.turn} agent {one.agent} read {line!r:.200}, which nobody had written to it by then."
                )
            for seat, turn in on_way.popleft().items():
                wanted[seat] = max(turn, wanted.get(seat, 0))
        if wanted != one.clock:
            raise MensuraError(
                f"The clock of turn {one.turn} of agent {one.agent} is {one.clock!r:.200}; by the letters that it read "
                f"it is {wanted!r:.200}."
            )
        clocks[one.agent] = one.clock
        for line in one.wrote:
            found = letter(line)
            if found is not None:
                written.setdefault((one.agent, found[0]), deque()).append(one.clock)
