"""The second door: whole episodes of an algorithm in synchronous cycles, compiled, equal to the bit to the one loop's.

What a kernel does not play is left to the one loop: other delays, loss, one letter at a time, several algorithms at one
table, proxies, and episodes in which an agent would write more or longer letters than the world allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mensura.agent.keys import Key, fold, fold_array, numbers
from mensura.core.chance import generator
from mensura.core.contract import DIMINISHED, Episode, Plan
from mensura.core.loop import RESTARTED
from mensura.worlds.constraints.arrays import Arrays, arrays_of
from mensura.worlds.constraints.kernels import board
from mensura.worlds.constraints.kernels.board import Course, Ledger
from mensura.worlds.constraints.network import Network
from mensura.worlds.constraints.players import PLAYERS
from mensura.worlds.constraints.playing import Playing
from mensura.worlds.constraints.travelling import AT_HOME, SQUARES, no_moves
from mensura.worlds.kit import BaseDescription, State
from mensura.worlds.kit.minds import Group

if TYPE_CHECKING:
    from mensura.worlds.constraints.world import Constraints

AT_ONCE = 1000
"""Cycles that are played by one call."""
SHORTEST_LONGEST = 64
"""No letter without a list in it has more characters, so that only those with lists are measured."""


class Seated(NamedTuple):
    """An algorithm in all seats."""

    name: str
    parameters: Mapping[str, float]


def seated(world: Constraints, subject: Any) -> Seated | None:
    """The algorithm in all seats of a subject, where it can be played compiled in this world; else None."""
    if world.delays != "none" or world.loss or world.read != "all" or world.proxies:
        return None
    if world.longest < SHORTEST_LONGEST or not isinstance(subject, Group):
        return None
    members = set(subject.members)
    if len(members) != 1 or tuple(world.minds.values()) != subject.minds:
        return None
    (one,) = members
    if one.name not in PLAYERS and tuple(world.minds)[one.code] not in PLAYERS:
        return None
    return Seated(tuple(world.minds)[one.code], dict(one.parameters))


class Played(NamedTuple):
    """An episode that was played compiled."""

    episode: Episode
    state: State
    """In which it ends: what figures are made of."""
    quiet: bool
    """Whether all letters that were written are read."""


def play_compiled(world: Constraints, who: Seated, plan: Plan, seed: Key) -> Played | None:
    """The episode that the one loop would make of a plan; None: it is left to that."""
    wall, cpu = perf_counter(), thread_time()
    description: Any = plan.description
    network = world._network(description)
    arrays = prepared(network)
    if arrays is None or (PLAYERS[who.name].hard and not network.problem.satisfaction):
        return None
    count = network.count
    left = -1 if plan.interactions is None else plan.interactions
    reward, turns, restarts = 0.0, 0, 0
    while True:
        key = fold(plan.key, RESTARTED + restarts) if restarts else plan.key
        draws = fold(seed, RESTARTED + restarts) if restarts else seed
        run = Run(world, description, arrays, who, key, draws)
        most = world.horizon if left < 0 else min(world.horizon, left)
        if not run.play(most):
            return None
        reward = run.add_to(reward)
        turns += run.state.interaction
        if left >= 0:
            left -= run.state.interaction
        if plan.interactions is None or left == 0 or not run.state.interaction:
            break
        restarts += 1
    wall, cpu = perf_counter() - wall, thread_time() - cpu
    made = 0 if plan.interactions is None else plan.interactions - left
    episode = Episode(
        rewards=(reward,) * count,
        interactions=(turns,) * count,
        scored=tuple(range(count)),
        asked=turns * count,
        seconds=(wall / count,) * count,
        cpu=cpu,
        measures=dict(world.figures(run.state)),
        slot=plan.slot,
        elapsed=float(made),
    )
    if plan.diminishing:
        episode.measures[DIMINISHED] = episode.mean_reward  # type: ignore[index]
    return Played(episode, run.state, run.quiet)


def prepared(network: Network) -> Arrays | None:
    """The arrays of a problem, made once."""
    kept = vars(network)
    if "_arrays" not in kept:
        kept["_arrays"] = arrays_of(network)
    found: Arrays | None = kept["_arrays"]
    return found


class Run:
    """One course of an environment from its start to its end or to a limit."""

    def __init__(
        self,
        world: Constraints,
        description: BaseDescription,
        arrays: Arrays,
        who: Seated,
        key: Key,
        draws: Key,
    ) -> None:
        self.world, self.arrays = world, arrays
        self.state = state = State(description)
        rng = generator(key)
        world.give_values(state, rng)
        self.ledger: Ledger = arrays.ledger(state.values)
        state.cost = float(self.ledger.total[0])
        count = len(arrays.known.sizes)
        network = world._network(description)
        self.course = Course(
            np.zeros(board.TALLIES, np.int64),
            arrays.choice(state.values),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros((AT_ONCE, 3)),
            np.full(count if network.robots else 0, AT_HOME),
            SQUARES,
            np.array(no_moves()),
        )
        most = world.most_letters(count)
        playing = Playing(
            network,
            arrays,
            self.ledger,
            self.course,
            fold_array(draws, numbers(0, count)),
            most,
            world.longest,
            who.parameters,
        )
        self.player = PLAYERS[who.name].make(playing)
        self.qualities: list[float] = []
        self.quiet = True
        """Whether nobody wrote in the last cycle."""
        state.messages = state.numbers = state.unreadable = state.lost = state.obsolete = 0
        world.open_scores(state)

    def play(self, most: int) -> bool:
        """Play so many cycles at most; false where it must be left to the one loop."""
        world, state, tally, told = self.world, self.state, self.course.tally, self.course.told
        while state.interaction < most and not tally[board.ENDED]:
            played = self.player.play(min(AT_ONCE, most - state.interaction))
            if played < 0:
                return False
            for cost, messages, words in told[:played].tolist():
                before = state.quality
                self.quiet = messages == state.messages
                state.cost, state.messages, state.numbers = cost, int(messages), int(words)
                state.claimed = (
                    bool(tally[board.CLAIMED]) and state.interaction + 1 == tally[board.TURN]
                )
                state.interaction += 1
                world.keep_scores(state, before)
                self.qualities.append(state.quality)
        course = self.course
        state.values = self.arrays.values(self.ledger, course.choice)
        state.checks = course.checks.tolist()
        state.nccc = course.counter.astype(np.float64).tolist()
        state.obsolete = int(tally[board.OBSOLETE])
        state.nogood_checks = int(tally[board.NOGOOD_CHECKS])
        state.learned_nogoods = int(tally[board.LEARNED_NOGOODS])
        state.learned_costs = int(tally[board.LEARNED_COSTS])
        state.moves = course.moves.tolist() if course.cells.size else []
        counts = tally[board.KINDS :].tolist()
        names = self.player.kinds
        state.kinds = {name: n for name, n in zip(names, counts, strict=False) if n}
        return True

    def add_to(self, reward: float) -> float:
        """The rewards of a seat after those that it had, in the order in which the loop adds them up."""
        for one in self.qualities:
            reward += one
        return reward
