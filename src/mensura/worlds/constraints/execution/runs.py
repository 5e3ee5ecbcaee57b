"""What a real run of a problem is and what came of it, whoever carries the letters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeVar

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key, fold, key
from mensura.worlds.constraints.agent_base.algorithm import refused
from mensura.worlds.constraints.algorithms.table import MINDS
from mensura.worlds.constraints.execution.crew import LONGEST_LETTER, MOST_LETTERS, Event, Seat
from mensura.worlds.constraints.execution.logs import Head, Log, merged
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.solving import COMPLETE, Verdict, environment_for
from mensura.worlds.constraints.world import Constraints

World = TypeVar("World", bound=Constraints)
Ended = Literal["quiet", "claim", "limit", "time", "lost"]
"""All letters are read; somebody claims that there is no solution; turns or time were over; a host was lost."""

TURNS_OF_COMPLETE, TURNS = 1_000_000, 200
"""Turns of an agent at most, where nothing else is said: of those who end by themselves, and of others."""


def world_of_runs(order: str, turns: int, make: type[World]) -> World:
    """The world whose rules hold in real runs: letters take time."""
    return make(
        letters=MOST_LETTERS,
        longest=LONGEST_LETTER,
        proof=0.0,
        delays="fixed",
        delay=1,
        horizon=turns,
        order=order,
    )


@dataclass(frozen=True)
class Plan:
    """A problem, who solves it, and how long."""

    problem: Problem
    algorithm: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    seed: Key = 0
    order: str = "index"
    turns: int = 0
    """Of each agent at most; 0: 1,000,000 of complete algorithms, 200 of others."""
    seconds: float = 60.0
    """From the start on."""
    logs: bool = False

    def __post_init__(self) -> None:
        """MensuraError where nothing could be run."""
        if self.algorithm not in MINDS:
            raise MensuraError(
                f"There is no algorithm {self.algorithm!r}; {neighbors(self.algorithm, list(MINDS))}"
            )
        mind = MINDS[self.algorithm]
        if mind.rights:
            raise MensuraError(
                f"{self.algorithm} has to see the whole problem, which no agent of a real run does; mensura "
                f"constraints solve --with {self.algorithm} plays it."
            )
        if getattr(mind.make, "satisfaction_only", False) and not self.problem.satisfaction:
            raise MensuraError(
                refused(self.algorithm, f"of {self.problem.name!r:.80} {self.problem.first_costs}")
            )
        self.world.group([(self.algorithm, self.parameters, 1)])

    @cached_property
    def most_turns(self) -> int:
        """Of each agent."""
        return self.turns or (TURNS_OF_COMPLETE if self.algorithm in COMPLETE else TURNS)

    @cached_property
    def world(self) -> Constraints:
        """Whose environment tells agents what they may know."""
        return world_of_runs(self.order, self.most_turns, Constraints)

    @cached_property
    def given(self) -> dict[str, float]:
        """All parameters of the algorithm."""
        (one,) = self.world.group([(self.algorithm, self.parameters, 1)]).members
        return dict(one.parameters)

    @property
    def episode_key(self) -> Key:
        """From which first values follow, as in :func:`..solving.solve`."""
        return fold(self.seed, 0)

    @property
    def subject_key(self) -> Key:
        """From which the draws of agents follow."""
        return key(self.seed, "subject")

    def seats(self) -> list[Seat]:
        """What each agent is given."""
        environment: Any = environment_for(self.problem, self.world)
        turn = environment.reset(self.episode_key)
        books = environment.rules._network(environment.description).books
        return [
            Seat(
                seat,
                fold(self.subject_key, seat),
                seen["problem"],
                seen["value"],
                sorted(books[seat]),
            )
            for seat, seen in zip(turn.due, turn.observations, strict=True)
        ]


def dealt(seats: Sequence[Seat], hosts: int) -> list[list[Seat]]:
    """Agents dealt to hosts: to each about as many, those with neighboring numbers together."""
    ends = [len(seats) * at // hosts for at in range(hosts + 1)]
    return [list(seats[first:end]) for first, end in pairwise(ends)]


@dataclass(frozen=True)
class Run:
    """What came of a plan."""

    plan: Plan
    ended: Ended
    detail: str
    """Who claimed, or which host was lost and why; empty elsewhere."""
    values: Mapping[int, Mapping[str, int]]
    """By agent; those of lost hosts are not known."""
    counts: Mapping[str, int]
    events: tuple[Event, ...] = ()
    """In no order."""

    @cached_property
    def assignment(self) -> tuple[int, ...] | None:
        """The value of each variable, by its number; None where some are not known."""
        problem = self.plan.problem
        found = [0] * len(problem.variables)
        for agent, own in enumerate(problem.variables_of):
            told = self.values.get(agent)
            if told is None:
                return None
            for variable in own:
                value = told.get(problem.variables[variable].name)
                if type(value) is not int or not 0 <= value < len(
                    problem.variables[variable].values
                ):
                    return None
                found[variable] = value
        return tuple(found)

    @cached_property
    def verdict(self) -> Verdict:
        """Verified: solved only where nothing is forbidden; a timeout or a lost host is never "no solution"."""
        complete = self.plan.algorithm in COMPLETE
        allowed = self.assignment is not None and self.plan.problem.allowed(self.assignment)
        if self.ended == "claim":
            return "assignment" if allowed else "no solution"
        if self.ended == "quiet" and allowed and (self.plan.problem.satisfaction or complete):
            return "solved"
        if self.ended == "quiet" or (self.ended != "lost" and not complete):
            return "assignment"
        return "unfinished"

    @property
    def sentence(self) -> str:
        """What is known, in words."""
        name, problem = self.plan.algorithm, self.plan.problem
        talk = f"{self.counts.get('messages', 0):,} messages"
        ends: dict[Ended, str] = {
            "quiet": f"{name} is done"
            if name in COMPLETE
            else f"{name}, which proves nothing, is done",
            "claim": f"Agent {self.detail} claims that there is no solution, and these values are one",
            "limit": f"{name} was stopped after {self.plan.most_turns:,} turns of an agent",
            "time": f"{name} was stopped after {self.plan.seconds:g} seconds",
            "lost": f"The run ended early: {self.detail}",
        }
        if self.verdict == "no solution":
            return (
                f"It cannot be solved: agent {self.detail} of {name} found that out, after {talk}."
            )
        if self.assignment is None:
            missing = len(problem.agents) - len(self.values)
            return (
                f"{ends[self.ended]}; the values of {missing} agents are not known, after {talk}."
            )
        cost = (-1.0 if problem.maximize else 1.0) * problem.cost(self.assignment)
        what = "utility" if problem.maximize else "cost"
        proof = ""
        if self.verdict == "unfinished":
            proof = " Whether it can be solved better, or at all, is not known."
        return f"{ends[self.ended]}: {what} {cost:.12g}, by {talk}.{proof}"

    def log(self) -> Log:
        """All turns, merged."""
        plan = self.plan
        lost = tuple(one for one in range(len(plan.problem.agents)) if one not in self.values)
        head = Head(
            plan.problem.digest,
            plan.algorithm,
            len(plan.problem.agents),
            plan.seed,
            plan.order,
            plan.given,
            self.ended,
            lost,
        )
        return Log(head, tuple(merged(self.events)))


def added(parts: Iterable[Mapping[str, int]], nccc: int) -> dict[str, int]:
    """Counts of hosts, added up, and the largest of their counters of non-concurrent constraint checks."""
    total: dict[str, int] = {}
    for part in parts:
        for name, count in part.items():
            total[name] = total.get(name, 0) + count
    return {**total, "nccc": nccc}
