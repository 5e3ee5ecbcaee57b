"""Solve one problem by an algorithm, and say what it took: the world played once, without an assessment around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold, key
from mensura.core.contract import Environment, Plan
from mensura.core.loop import play
from mensura.core.players import Player, drive
from mensura.worlds.constraints.network import Network
from mensura.worlds.constraints.parameters import ranks_of
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.second_door import Played, play_compiled, seated
from mensura.worlds.constraints.world import Constraints
from mensura.worlds.kit import BaseDescription

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


def environment_for(problem: Problem, world: Constraints) -> Environment:
    """The environment of a problem that is at hand."""
    return world.build(_described(problem, world))


def _described(problem: Problem, world: Constraints) -> BaseDescription:
    """A description of a problem that is at hand."""
    description = BaseDescription(world, {"root": 0})
    vars(description)["_network"] = Network(problem, ranks_of(problem, world.order))
    return description


def solve(
    problem: Problem,
    algorithm: str,
    *,
    delay: Delays = "none",
    seed: Key = 0,
    limit: int = 10_000,
    parameters: Mapping[str, Any] | None = None,
    compiled: bool = True,
    **options: Any,
) -> Solution:
    """Let an algorithm solve a problem, with at most so many turns of each agent.

    ``parameters`` are the algorithm's, ``options`` those of the world, as ``loss`` and ``read``. Where an algorithm is
    compiled it is played so, which changes nothing but the time that it takes.
    """
    usual: dict[str, Any] = {"letters": 1 << 20, "longest": 1 << 24, "proof": 0.0}
    turns = 1 if algorithm in SILENT else limit
    world = Constraints(**{**usual, "delays": delay, "horizon": turns, **options})
    subject = world.group([(algorithm, parameters or {}, 1)])
    played = _played(problem, world, subject, algorithm, seed, compiled)
    state, quiet = played.state, played.quiet
    values, claimed = state.values, state.claimed
    allowed = problem.allowed(values)
    verdict: Verdict = "unfinished"
    if claimed:
        verdict = "no solution"
    elif quiet and allowed and (problem.satisfaction or algorithm in COMPLETE):
        verdict = "solved"
    elif quiet or algorithm not in COMPLETE:
        verdict = "assignment"
    kinds = dict(sorted(state.kinds.items()))
    return Solution(tuple(values), problem.cost(values), verdict, played.episode.measures, kinds)


def _played(
    problem: Problem, world: Constraints, subject: Any, algorithm: str, seed: Key, compiled: bool
) -> Played:
    """An episode: by the second door where there is one."""
    description = _described(problem, world)
    own = key(seed, "subject")
    who = seated(world, subject) if compiled else None
    if who is not None:
        played = play_compiled(world, who, Plan(description, fold(seed, 0)), own)
        if played is not None:
            return played
    environment: Any = world.build(description)
    player = Strict(subject.sit(len(problem.agents)), algorithm)
    episode = drive(play(environment, fold(seed, 0), world=world.id, seed=own), player)
    state = environment.state
    return Played(episode, state, not state.way and not any(state.boxes))
