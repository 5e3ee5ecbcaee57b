"""The second door: whole sittings of built-in minds in environments of any sizes, and plans one by one.

Rewards are identical to the bit to those of the step door: the order of calls here is the order of the one loop.
"""

from mensura.core.compiled import door, fold
from mensura.core.second_door import restart_key
from mensura.worlds.lambda_class.kernel import (
    ACTIONS,
    CELLS,
    HORIZON,
    OBJECTS,
    SHOWN,
    SUBJECTS,
    interact,
    observe,
    open_row,
    start,
)
from mensura.worlds.lambda_class.memory import sit_down, wake_up
from mensura.worlds.lambda_class.minds import act, finish


@door
def play_door(w, rows, rights, shows, minds, at, resets, seeds, training, slot, out):
    """One sitting in each environment: so many training episodes, then one that is assessed; or, with a slot, a plan.

    rows[i] is the part of an environment's row that never changes; it is played in w, with these rights for the seats,
    and with the rewards of all cells in the observations if some seat sees them. minds[at[j] : at[j + 1]] is the mind
    of seat j. out[i, e, j] is the sum of rewards of seat j in episode e of sitting i, the assessed one being the last;
    where out has room for one episode only, it is the assessed one. Every episode of a sitting starts from the same
    reset; the subject's draws differ: episode e of sitting i begins with fold(fold(seeds[i], e), seat).

    Where slot is not 0, the environment that w holds is played for so many interactions by minds that are ready for
    it, and reset whenever it comes to its end. As the one loop plays it: restart k with fold(resets[i], RESTARTED + k),
    and then seat j with fold(fold(seeds[i], RESTARTED + k), j).
    """
    for i in range(resets.size):
        if slot == 0:
            for k in range(rows.shape[1]):
                w[k] = rows[i, k]
            w[SHOWN] = w[CELLS] if shows else 0
        r = open_row(w)
        seats = r.head[SUBJECTS]
        if slot == 0:
            interactions = r.head[HORIZON] * (training + 1)
            for j in range(seats):
                r.rights[j] = rights[j]
                sit_down(
                    minds[at[j] : at[j + 1]],
                    r.head[CELLS],
                    r.head[ACTIONS],
                    seats,
                    r.head[OBJECTS],
                    r.head[SHOWN],
                    interactions,
                )
        for e in range(training + 1):
            total = out[i, e if out.shape[1] > 1 else 0]
            for j in range(seats):
                total[j] = 0.0
            seed = fold(seeds[i], e) if slot == 0 else seeds[i]
            left = r.head[HORIZON] if slot == 0 else slot
            restarts = 0
            while left > 0:
                reset = restart_key(resets[i], restarts)
                own = restart_key(seed, restarts)
                if slot == 0 or restarts > 0:
                    for j in range(seats):
                        wake_up(minds[at[j] : at[j + 1]], fold(own, j))
                start(r, reset)
                length = min(left, r.head[HORIZON])
                for t in range(length + 1):
                    if t > 0:
                        interact(r)
                    for j in range(seats):
                        observe(r, j)
                        total[j] += r.reward[j]
                    if t < length:
                        for j in range(seats):
                            r.action[j] = act(minds[at[j] : at[j + 1]], r.obs[j], r.reward[j])
                for j in range(seats):
                    finish(minds[at[j] : at[j + 1]], r.obs[j], r.reward[j])
                left -= length
                restarts += 1
