"""The second door: whole sittings of built-in minds, training and all, on every core, and plans one by one.

Rewards are identical to the bit to those of the step door: the order of calls here is the order of the one loop.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from mensura.core.compiled import door, fold, rule
from mensura.core.second_door import restart_key
from mensura.worlds.lambda_star.hearing import said_entropy
from mensura.worlds.lambda_star.interaction import PLAIN, Rules
from mensura.worlds.lambda_star.memory import LEARNING, open_mind
from mensura.worlds.lambda_star.minds import Minds, begin, finish, forget
from mensura.worlds.lambda_star.row import HORIZON, SAID, SUBJECTS


def door_of(rules: Rules, minds: Minds) -> Callable[..., Any]:
    """The second door to the rules of a task, for its minds; compiled when it is first used."""
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
    def play_door(w, mind_row, patterns, resets, seeds, training, slot, out, told):
        """One sitting per pattern: so many training episodes, then one that is assessed; or, with a slot, single plans.

        out[i, e, j] is the sum of rewards of seat j in episode e of sitting i, the assessed one being the last; where
        out has room for one episode only, it is the assessed one. told has the same shape but for its last axis, the
        places of the tally; it is empty where nothing is told. Every episode of a sitting starts from the same reset,
        "from the cell where it will be assessed"; the subject's draws differ: episode e of sitting i begins with
        fold(fold(seeds[i], e), seat).

        Where slot is not 0, each pattern is one episode of so many interactions, and the environment is reset whenever
        it comes to its end. As the one loop plays it: restart k with fold(resets[i], RESTARTED + k), and then seat j
        with fold(fold(seeds[i], RESTARTED + k), j). The minds go on with what they know, and have been told whether
        they learn.
        """
        r = open_row(w)
        mind = open_mind(mind_row)
        seats = r.head[SUBJECTS]
        for i in range(patterns.shape[0]):
            if slot == 0:
                forget(mind)
            for e in range(training + 1):
                seed = seeds[i]
                left = slot
                if slot == 0:
                    seed = fold(seeds[i], e)
                    left = r.head[HORIZON]
                    mind.head[LEARNING] = 1 if e < training else 0
                kept = e if out.shape[1] > 1 else 0
                total = out[i, kept]
                for j in range(seats):
                    total[j] = 0.0
                restarts = 0
                while left > 0:
                    reset = restart_key(resets[i], restarts)
                    own = restart_key(seed, restarts)
                    if e == 0 or wide:  # else nobody has left a mark on it
                        prepare(r, patterns[i], fold(reset, 0))
                    start(r, fold(reset, 1))
                    for j in range(seats):
                        mind.key[j] = fold(own, j)
                    length = min(left, r.head[HORIZON])
                    episode(r, mind, total, length)
                    left -= length
                    restarts += 1
                if wide and told.shape[0] > 0:
                    conclude(r, told[i, kept])
                    # As the one loop has it: what minds tell of themselves is not told of training.
                    told[i, kept, SAID] = said_entropy(mind) if e == training else np.nan

    return cast(Callable[..., Any], play_door)
