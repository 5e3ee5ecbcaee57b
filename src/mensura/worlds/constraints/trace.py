"""An episode as it can be stepped through, letter by letter: what changed at each turn, and each agent from inside.

A trace observes the loop. Of agents of our own it keeps what they saw, and makes one again to look into it: an agent
is a function of its key and of what it was shown. Of others letters and values are all there is to see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.task import Task
from mensura.agent.waiting import Waiting
from mensura.core.contract import Stopped, Turn
from mensura.core.group import stretches
from mensura.core.players import Player, Subject, asking
from mensura.worlds.constraints.agent_base.algorithm import OPEN, Algorithm, Table
from mensura.worlds.constraints.layout import heading, links_of, places_of, site_of
from mensura.worlds.constraints.picture import COLORS
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.view import written_by
from mensura.worlds.kit.minds import Group

MOST_LETTERS = 2_000_000
"""So many letters a trace keeps; then the episode is cut off."""
MOST_REBUILT = 64
"""So many agents are kept as they were made again."""


@dataclass(frozen=True)
class Frame:
    """One turn."""

    due: tuple[int, ...]
    seen: tuple[Any, ...]
    """What those who were due observed."""
    letters: tuple[tuple[int, int, str], ...]
    """From whom, to whom, and what it says, in the order of writing."""
    values: tuple[tuple[int, int, int], ...]
    """Variables that changed: which, from, to."""
    broken: tuple[int, ...]
    mended: tuple[int, ...]
    """Constraints that this turn broke and mended."""
    cost: float
    quality: float
    messages: int
    time: int
    effort: Mapping[str, float]
    """Checks and the like up to now."""
    checks: tuple[int, ...]
    """Constraint checks of those who were due, up to now."""


class Trace:
    """Keeps an episode of distributed constraints; an observer of the loop."""

    def __init__(self, subject: Subject, seconds: float | None = None) -> None:
        """``seconds``: after so long the episode is cut off."""
        self.subject = _Watched(subject, self)
        self.frames: list[Frame] = []
        self.ended = ""
        self._minds: list[Callable[[], Any] | None] = []
        self._inside: Subject = subject
        self._begun: dict[int, Ask] = {}
        self._rebuilt: dict[int, tuple[int, Algorithm]] = {}
        self._until = None if seconds is None else monotonic() + seconds
        self._count = 0

    def watching(self, player: Player) -> Player:
        """A player that tells the trace which keys it is given."""
        return _WatchedPlayer(player, self)

    # The loop tells us what happens

    def begun(self, asks: list[Ask]) -> None:
        """Seats are told their tasks, and given their keys."""
        self._begun.update({one.seat: one for one in asks if one.kind == "begin"})

    def started(self, environment: Any, turn: Turn) -> None:
        """The episode begins."""
        state = environment.state
        self.problem: Problem = environment.rules.problem(environment.description)
        self.form = environment.rules.form(self.problem)
        self.first_values = tuple(state.values)
        self._values = list(state.values)
        self._bad = self._broken(state)
        self.first_broken = tuple(sorted(self._bad))
        self.first_cost, self.first_quality = float(state.cost), float(state.quality)
        self.frames, self.ended, self._rebuilt, self._count = [], "", {}, 0
        self._turn = turn
        self._minds = list(_minds(self._inside, len(self.problem.agents)))

    def _broken(self, state: Any) -> frozenset[int]:
        infinity = self.problem.infinity
        return frozenset(at for at, paid in enumerate(state.paid) if paid >= infinity)

    def stepped(self, environment: Any, actions: list[Any], turn: Turn) -> None:
        """A turn was played."""
        state, before = environment.state, self._turn
        letters = tuple(
            written_by(dict(zip(before.due, actions, strict=True)), state.spoken),
        )
        now = list(state.values)
        bad = self._broken(state)
        self.frames.append(
            Frame(
                tuple(before.due),
                tuple(before.observations),
                letters,
                tuple((v, a, b) for v, (a, b) in enumerate(zip(self._values, now, strict=True)) if a != b),
                tuple(sorted(bad - self._bad)),
                tuple(sorted(self._bad - bad)),
                float(state.cost),
                float(state.quality),
                state.messages,
                state.time,
                environment.rules.effort(state),
                tuple(state.checks[seat] for seat in before.due),
            )
        )  # fmt: skip
        self._values, self._bad, self._turn = now, bad, turn
        self._count += len(letters)
        claim = "somebody claims that there is no solution" if state.claimed else ""
        if turn.ended is not None:
            quiet = (
                "all letters are read" if turn.ended == "terminated" else "the horizon is reached"
            )
            self.ended = claim or quiet
        late = self._until is not None and monotonic() > self._until
        if not self.ended and (late or self._count > MOST_LETTERS):
            self.ended = "it was cut off here, as it took too long"
            raise Stopped

    # What is shown of it

    def overview(self) -> dict[str, Any]:
        """What stays the same, and the curves."""
        problem = self.problem
        sizes = [len(one.values) for one in problem.variables]
        return {
            "name": problem.name,
            "subject": self._inside.name,
            "form": self.form,
            "agents": list(problem.agents),
            "owners": [one.agent for one in problem.variables],
            "variables": [one.name for one in problem.variables],
            "domains": _domains(problem),
            "sizes": sizes,
            "colors": COLORS,
            "places": [[round(x, 4), round(y, 4)] for x, y in places_of(problem).tolist()],
            "spots": self._spots(),
            "links": [list(one) for one in links_of(problem)],
            "scopes": [
                sorted({problem.variables[v].agent for v in one.scope})
                for one in problem.constraints
            ],
            "values": list(self.first_values),
            "broken": list(self.first_broken),
            "turns": len(self.frames),
            "ended": self.ended,
            "curves": {
                "cost": [self.first_cost, *(one.cost for one in self.frames)],
                "quality": [self.first_quality, *(one.quality for one in self.frames)],
                "messages": [0, *(one.messages for one in self.frames)],
                **{
                    name: [0, *(one.effort[name] for one in self.frames)]
                    for name in (self.frames[0].effort if self.frames else ())
                },
            },
        }

    def _spots(self) -> list[list[float]]:
        """Where each value is, on a lattice; where each leads, on a map."""
        values = self.problem.variables[0].values
        if self.form == "lattice":
            return [list(site_of(str(one)) or (0.0, 0.0)) for one in values]
        return [list(heading(at)) for at in range(len(values))] if self.form == "map" else []

    def turns(self, first: int, count: int) -> list[dict[str, Any]]:
        """What some turns changed, without their letters."""
        return [
            {
                "turn": first + at,
                "due": len(one.due),
                "letters": len(one.letters),
                "time": one.time,
                "values": [list(each) for each in one.values],
                "broken": list(one.broken),
                "mended": list(one.mended),
            }
            for at, one in enumerate(self.frames[first : first + count])
        ]

    def letters(
        self, turn: int, first: int, count: int, agent: int | None = None
    ) -> list[list[Any]]:
        """Some letters of a turn, numbered; with an agent, those that it wrote."""
        self._check(turn)
        numbered = enumerate(self.frames[turn].letters)
        found = [(at, *one) for at, one in numbered if agent is None or one[0] == agent]
        return [list(one) for one in found[first : first + count]]

    def agent(self, seat: int, turn: int) -> dict[str, Any]:
        """An agent as it is after a turn: its values, why it acted, what it read, knows and keeps."""
        self._check(turn)
        if not 0 <= seat < len(self.problem.agents):
            raise MensuraError(
                f"There is no agent {seat}; there are {len(self.problem.agents)}, from 0 on."
            )
        frame = self.frames[turn]
        acted = seat in frame.due
        seen = frame.seen[frame.due.index(seat)] if acted else None
        made = self._made_again(seat, turn)
        tables = made.inside() if made is not None and hasattr(made, "knows") else []
        reasons = list(made.reasons) if made is not None and acted else []
        if seen is not None and OPEN in seen:
            reasons = [seen["news"]] if seen["news"] else []
            told = tuple((int(one["agent"]), int(one["value"])) for one in seen["told"])
            values = tuple((int(one),) for one in seen[OPEN])
            tables = [Table("values it was told", ("agent", "value"), told)]
            tables += [Table("values that were open", ("value",), values)]
        return {
            "agent": seat,
            "name": self.problem.agents[seat],
            "neighbors": list(self.problem.neighbors_of[seat]),
            "acted": acted,
            "checks": self._checks(seat, turn),
            "known": made is not None or (seen is not None and OPEN in seen),
            "reasons": reasons,
            "read": list(seen["mail"][:100]) if seen is not None and OPEN not in seen else [],
            "tables": [
                {
                    "name": one.name,
                    "columns": list(one.columns),
                    "rows": [list(r) for r in one.rows],
                }
                for one in tables
            ],
        }

    def _checks(self, seat: int, turn: int) -> int:
        """Constraint checks of an agent after a turn."""
        for frame in reversed(self.frames[: turn + 1]):
            if seat in frame.due:
                return frame.checks[frame.due.index(seat)]
        return 0

    def _check(self, turn: int) -> None:
        if not 0 <= turn < len(self.frames):
            raise MensuraError(f"There is no turn {turn}; {len(self.frames)} were played.")

    def _made_again(self, seat: int, turn: int) -> Algorithm | None:
        """One of our agents as it is after a turn; None of anybody else."""
        make, begin = self._minds[seat], self._begun.get(seat)
        if make is None or begin is None:
            return None
        at, agent = self._rebuilt.pop(seat, (turn + 1, None))
        if agent is None or at > turn:
            agent, at = make(), -1
            agent.explains = True
            assert isinstance(begin.task, Task)
            agent.begin_with_key(begin.task, begin.key)
        for frame in self.frames[at + 1 : turn + 1]:
            if seat in frame.due:
                try:
                    agent.act(frame.seen[frame.due.index(seat)], 0.0)
                except MensuraError:
                    return None
        self._rebuilt[seat] = turn, agent
        while len(self._rebuilt) > MOST_REBUILT:
            del self._rebuilt[next(iter(self._rebuilt))]
        return agent


def _domains(problem: Problem) -> list[list[str]]:
    """The values of each variable by name; once where all have the same."""
    names = [[str(value) for value in one.values] for one in problem.variables]
    return names[:1] if all(one == names[0] for one in names) else names


def _minds(subject: Subject, seats: int) -> list[Callable[[], Any] | None]:
    """What makes the agent of each seat; None where it is not one of ours."""
    found: list[Callable[[], Any] | None] = []
    for part, _, count in stretches(subject, seats):
        if isinstance(part, Group):
            for one in part.seated(count):
                mind = part.minds[one.code]
                found.append(_maker(mind.make, dict(one.parameters)))
        else:
            found += [None] * count
    return found


def _maker(make: Callable[..., Any], parameters: Mapping[str, Any]) -> Callable[[], Any]:
    return lambda: make(**parameters)


class _Watched:
    """A subject whose players tell a trace which keys they were given."""

    def __init__(self, subject: Subject, trace: Trace) -> None:
        self._subject, self._trace = subject, trace
        self.name = subject.name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._subject, name)

    def sit(self, seats: int) -> Player:
        """Let the subject sit down."""
        return self._trace.watching(self._subject.sit(seats))


class _WatchedPlayer:
    def __init__(self, player: Player, trace: Trace) -> None:
        self._player, self._trace = player, trace

    @property
    def speakers(self) -> frozenset[int]:
        return self._player.speakers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._player, name)

    def answer(self, asks: list[Ask]) -> list[Answer]:
        self._trace.begun(asks)
        return self._player.answer(asks)

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        self._trace.begun(asks)
        return (yield from asking(self._player, asks))

    def close(self) -> None:
        self._player.close()
