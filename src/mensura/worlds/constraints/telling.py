"""An episode told in lines: each turn's letters, new values, and why agents acted so."""

from __future__ import annotations

from collections.abc import Iterator

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key, fold, key
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.worlds.constraints.algorithms.table import MINDS
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.solving import Strict, environment_for
from mensura.worlds.constraints.trace import Trace
from mensura.worlds.constraints.world import Constraints


def told(problem: Problem, algorithm: str, seed: Key, turns: int) -> Iterator[str]:
    """How an algorithm solves a problem, in synchronous cycles, up to so many turns."""
    if algorithm not in MINDS:
        raise MensuraError(
            f"There is no algorithm {algorithm!r}; {neighbors(algorithm, list(MINDS))}"
        )
    world = Constraints(horizon=turns, proof=0.0, letters=1 << 20, longest=1 << 24)
    trace = Trace(world.group([(algorithm, {}, 1)]))
    player = Strict(trace.subject.sit(len(problem.agents)), algorithm)
    drive(
        play(
            environment_for(problem, world),
            fold(seed, 0),
            world=world.id,
            seed=key(seed, "subject"),
            observers=[trace],
        ),
        player,
    )
    values = list(trace.first_values)
    yield f"At first: {_values(problem, values)}"
    for turn, frame in enumerate(trace.frames):
        for variable, _, now in frame.values:
            values[variable] = now
        yield f"Turn {turn + 1}"
        for seat in frame.due:
            for reason in trace.agent(seat, turn)["reasons"]:
                yield f"  agent {seat}: {reason}"
        yield from (f"  {one} -> {to}  {rest}" for one, to, rest in frame.letters)
        if frame.values:
            yield f"  now: {_values(problem, values)}"
    yield f"The end: {trace.ended}. Cost {problem.cost(values):g}."


def _values(problem: Problem, values: list[int]) -> str:
    return ", ".join(
        f"{one.name}={one.values[at]}" for one, at in zip(problem.variables, values, strict=True)
    )
