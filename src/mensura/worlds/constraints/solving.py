"""Solve one problem by an algorithm, and say what it took: the world played once, without an assessment around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from mensura.core.asks import Answer, Ask
from mensura.core.contract import Environment
from mensura.core.errors import MensuraError
from mensura.core.keys import Key, fold, key
from mensura.core.loop import play
from mensura.core.players import Player, drive
from mensura.worlds.constraints.network import Network
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.world import Constraints, ranks_of

Delays = Literal["none", "fixed", "random", "heavy-tailed"]
Verdict = Literal["solved", "no solution", "assignment", "unfinished"]

COMPLETE = frozenset(
    {
        *(
            "abt",
            "abt-temporary",
            "disdb",
            "abt-do",
            "dbs",
            "aas",
            "awcs",
            "awcs-view",
            "sync-bt",
            "afc",
        ),
        *("sync-bb", "afb", "adopt", "bnb-adopt", "dpop", "mb-dpop", "central"),
    }
)
"""Those whose end is a proof: of a solution, of an optimum, or that there is none."""


SILENT = frozenset({"random", "central"})
"""Those who write no letters: their first turn is all."""


class Solution(NamedTuple):
    """What an algorithm made of a problem."""

    assignment: tuple[int, ...]
    """The value of each variable, by its number; verified."""
    cost: float
    verdict: Verdict
    """solved: nothing forbidden, and by a complete algorithm the best there is; assignment: whatever it is;
    unfinished: the limit came first."""
    metrics: Mapping[str, float]
    kinds: Mapping[str, int]
    """How many messages of each kind there were."""


@dataclass(frozen=True)
class Strict:
    """A player whose first fault ends everything, in a sentence."""

    player: Player
    algorithm: str

    @property
    def speakers(self) -> frozenset[int]:
        """Nobody speaks but by letters."""
        return frozenset()

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """The answers of the agents, if none failed."""
        answers = self.player.answer(asks)
        for one in answers:
            if one.fault is not None:
                kind, _, sentence = one.fault[1].partition(": ")
                refusal = kind == "MensuraError"
                raise MensuraError(
                    sentence.rpartition(" (")[0]
                    if refusal
                    else f"{self.algorithm} failed: {one.fault[1]}."
                )
        return answers

    def close(self) -> None:
        """The agents leave."""
        self.player.close()


@dataclass(frozen=True)
class Seen:
    """Keeps the last assignment, the kinds of messages, and how an episode ended."""

    environment: Any

    def result(self) -> tuple[tuple[int, ...], bool, bool]:
        """The values, whether somebody claimed that there is no solution, and whether all had said all."""
        state = self.environment.state
        quiet = not state.way and not any(state.boxes)
        return tuple(state.values), bool(state.claimed), quiet

    def kinds(self) -> dict[str, int]:
        """How many messages of each kind were written, by name."""
        return dict(sorted(self.environment.state.kinds.items()))


def environment_for(problem: Problem, world: Constraints) -> Environment:
    """The environment of a problem that is at hand."""
    description = world.sample(0)
    vars(description)["_network"] = Network(problem, ranks_of(problem, world.order))
    return world.build(description)


def solve(
    problem: Problem,
    algorithm: str,
    *,
    delay: Delays = "none",
    seed: Key = 0,
    limit: int = 10_000,
    parameters: Mapping[str, Any] | None = None,
    **options: Any,
) -> Solution:
    """Let an algorithm solve a problem, with at most so many turns of each agent.

    ``parameters`` are the algorithm's, ``options`` those of the world, as ``loss`` and ``read``.
    """
    usual: dict[str, Any] = {"letters": 1 << 20, "longest": 1 << 24, "proof": 0.0}
    turns = 1 if algorithm in SILENT else limit
    world = Constraints(**{**usual, "delays": delay, "horizon": turns, **options})
    subject = world.group([(algorithm, parameters or {}, 1)])
    environment = environment_for(problem, world)
    player = Strict(subject.sit(len(problem.agents)), algorithm)
    episode = drive(
        play(environment, fold(seed, 0), world=world.id, seed=key(seed, "subject")), player
    )
    seen = Seen(environment)
    values, claimed, quiet = seen.result()
    allowed = problem.allowed(values)
    verdict: Verdict = "unfinished"
    if claimed:
        verdict = "no solution"
    elif quiet and allowed and (problem.satisfaction or algorithm in COMPLETE):
        verdict = "solved"
    elif quiet or algorithm not in COMPLETE:
        verdict = "assignment"
    return Solution(values, problem.cost(values), verdict, episode.measures, seen.kinds())
