"""The second door: whole sittings of built-in minds, training and all, on every core.

Rewards are identical to the bit to those of the step door: the order of calls here is the order of the one loop.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mensura.core.compiled import door, fold, rule, uint64
from mensura.core.loop import RESTARTED
from mensura.worlds.lambda_star.hearing import said_entropy
from mensura.worlds.lambda_star.interaction import PLAIN, Rules
from mensura.worlds.lambda_star.memory import LEARNING, open_mind
from mensura.worlds.lambda_star.minds import Minds, begin, finish, forget
from mensura.worlds.lambda_star.row import HORIZON, SAID, SUBJECTS


class Doors(NamedTuple):
    """The second door of a task: whole sittings, and single plans."""

    rollout: Callable[..., Any]
    slot: Callable[..., Any]


def doors_of(rules: Rules, minds: Minds) -> Doors:
    """The doors to the rules of a task, for its minds; compiled when they are first used."""
    open_row, prepare, start, observe, advance, conclude = rules[:6]
    tell, act = minds[:2]
    wide = rules is not PLAIN

    @rule
    def episode(r, mind, out, length):
        """So many interactions from where the row stands; adds each seat's rewards to out."""
        seats = r.head[SUBJECTS]
        for j in range(seats):
            observe(r, j)
        begin(mind)
        for _ in range(length):
            for j in range(seats):
                tell(mind, j, r.obs[j])
            for j in range(seats):
                r.action[j] = act(mind, j, r.obs[j], r.reward[j])
            advance(r)
            for j in range(seats):
                observe(r, j)
                out[j] += r.reward[j]
        for j in range(seats):
            finish(mind, j, r.reward[j])

    @door
    def rollout_door(w, mind_row, patterns, resets, seeds, training, out, told):
        """One sitting per pattern: so many training episodes, then one that is assessed.

        out[i, e, j] is the sum of rewards of seat j in episode e of sitting i, the assessed one being the last; where
        out has room for one episode only, it is the assessed one. told has the same shape but for its last axis, the
        places of the tally; it is empty where nothing is told. Every episode of a sitting starts from the same reset,
        "from the cell where it will be assessed"; the subject's draws differ: episode e of sitting i begins with
        fold(fold(seeds[i], e), seat).
        """
        r = open_row(w)
        mind = open_mind(mind_row)
        seats = r.head[SUBJECTS]
        for i in range(patterns.shape[0]):
            forget(mind)
            for e in range(training + 1):
                if e == 0 or wide:  # else nobody has left a mark on it
                    prepare(r, patterns[i], fold(resets[i], 0))
                mind.head[LEARNING] = 1 if e < training else 0
                start(r, fold(resets[i], 1))
                seed = fold(seeds[i], e)
                kept = e if out.shape[1] > 1 else 0
                total = out[i, kept]
                for j in range(seats):
                    mind.key[j] = fold(seed, j)
                    total[j] = 0.0
                episode(r, mind, total, r.head[HORIZON])
                if wide and told.shape[0] > 0:
                    conclude(r, told[i, kept])
                    # As the one loop has it: what minds tell of themselves is not told of training.
                    told[i, kept, SAID] = said_entropy(mind) if e == training else np.nan

    @door
    def slot_door(w, mind_row, pattern, key, seed, slot, out):
        """One episode in a slot of so many interactions, the environment reset whenever it comes to its end.

        As the one loop plays it: restart k with fold(key, RESTARTED + k), and then seat j with
        fold(fold(seed, RESTARTED + k), j). The minds have been told whether they learn; out[j] is the sum of rewards
        of seat j.
        """
        r = open_row(w)
        mind = open_mind(mind_row)
        seats = r.head[SUBJECTS]
        left = slot
        restarts = 0
        for j in range(seats):
            out[j] = 0.0
        while left > 0:
            reset = fold(key, uint64(RESTARTED + restarts)) if restarts > 0 else key
            own = fold(seed, uint64(RESTARTED + restarts)) if restarts > 0 else seed
            prepare(r, pattern, fold(reset, 0))
            start(r, fold(reset, 1))
            for j in range(seats):
                mind.key[j] = fold(own, j)
            length = min(left, r.head[HORIZON])
            episode(r, mind, out, length)
            left -= length
            restarts += 1

    return Doors(rollout_door, slot_door)
